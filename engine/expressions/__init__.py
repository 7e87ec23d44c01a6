"""Expressions over recorded values: `any(isnan(%5)) and iteration > 3`.

    parse(text, known)          the expression, with its form and names checked; `ExpressionError` with the position
    evaluate(parsed, scope)     a number, a boolean, a string or an array
    truth(parsed, scope)        whether a condition holds

Breakpoints, watches and evaluation use them. The language has its own names, operators and functions, none of
them Python's. A budget is checked before each computation.
"""

from .evaluation import Value, evaluate, truth
from .functions import FIELDS, FUNCTIONS
from .parser import VARIABLES, Parsed, parse
