"""The simplifier of index maps (reference/indexing.md, section 3).

rules      every rule by name, with a sentence that explains it
sums, divisions, extremes    rules for expressions, driven by the ranges of their variables
rewriting  one expression, until no rule applies
constraints, domain          rules for constraints and bounds, until they stay as they are
facts      what constraints say about the results
driver     a whole map
"""

from .driver import Simplification, simplification, simplify
from .recording import Recorder, Rewrite, print_rewrite
from .rules import RULES, Rule

__all__ = [
    "RULES",
    "Recorder",
    "Rewrite",
    "Rule",
    "Simplification",
    "print_rewrite",
    "simplification",
    "simplify",
]
