"""The simplifier of index maps (docs/index-maps.md, "The simplifier").

rule_texts   every rule by name, with a sentence that explains it
sums, divisions, extremes    rules for expressions, driven by the ranges of their variables
rule_context what rules may ask of the one that applies them
rewriting    one expression, until no rule applies
constraints, domain          rules for constraints and bounds, until they stay as they are
facts        what constraints say about the results
driver       a whole map
"""

from .driver import Simplification, simplification, simplify
from .rewrites import Recorder, Rewrite
from .rule_texts import RULES, Rule

__all__ = [
    "RULES",
    "Recorder",
    "Rewrite",
    "Rule",
    "Simplification",
    "simplification",
    "simplify",
]
