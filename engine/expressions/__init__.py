"""Expressions over recorded values, as breakpoints, watches and evaluation read them: `any(isnan(%5)) and iteration > 3`.

    parse(text, known)          an expression, checked for its form and its names; `ExpressionError` with the place
    evaluate(parsed, scope)     a number, a truth, a word or an array
    truth(parsed, scope)        whether a condition holds

Nothing of it is Python's: its own words, operators and functions, and a budget that is checked before anything is computed.
"""

from .evaluation import Scope, Value, evaluate, truth
from .parser import VARIABLES, Parsed, parse

__all__ = ["VARIABLES", "Parsed", "Scope", "Value", "evaluate", "parse", "truth"]
