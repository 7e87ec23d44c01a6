"""The simplifier of index maps (docs/index-maps.md, "The simplifier").

rule_texts                   names and explanations of all rules
sums, divisions              rules for expressions, using the ranges of their variables
rule_context                 the interface that rules use
rewriting                    one expression, until no rule applies
constraints, domain          rules for constraints and bounds, until a fixed point
facts                        knowledge from constraints about results
driver                       a whole map
"""

from .driver import simplification, simplify
from .rewrites import Rewrite
from .rule_texts import RULES
