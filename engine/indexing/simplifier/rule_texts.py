"""Names and explanations of all rules (docs/index-maps.md, "The simplifier")."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Rule:
    """Name of a rule, and the reason why it is correct."""

    name: str
    sentence: str
    about: Literal["expression", "constraint"] = "expression"


FOLDED = Rule(
    "constant folding",
    "Constants are added and multiplied, + 0 and * 1 are dropped, equal terms are collected, and a factor is multiplied into "
    "a sum.",
)
ORDERED = Rule(
    "order of terms",
    "Terms are sorted, products first and the constant last, so that equal expressions look equal.",
)
POINT = Rule(
    "only one value", "The ranges of its variables allow the expression only one value, which replaces it."
)
POSITIVE = Rule(
    "positive divisor",
    "x floordiv -c is -x floordiv c, and x mod -c is x mod c, since remainders are never negative.",
)
ROUNDED_UP = Rule(
    "rounded up",
    "x ceildiv c is (x + c - 1) floordiv c, and x ceildiv -c is (-x + c - 1) floordiv c: all quotients round down, "
    "so that equal expressions look equal.",
)
DISTRIBUTED = Rule("distribution", "A product with a sum is the sum of the products.")

NESTED_REMAINDER = Rule(
    "remainder of a remainder",
    "Reducing modulo c has no effect before reducing modulo a divisor of c: (x mod (a * b)) mod a "
    "is x mod a.",
)
MULTIPLES_LOST = Rule(
    "multiples of the modulus",
    "A term that is always a multiple of m does not change the remainder modulo m.",
)
KNOWN_REMAINDER = Rule(
    "known remainder", "A constraint gives the remainder of this variable, which replaces it."
)
ONE_PERIOD = Rule(
    "one period",
    "All values lie between the same two multiples of m, k * m and (k + 1) * m: the remainder is x - k * m.",
)
SPLIT_REMAINDER = Rule(
    "small part of a remainder",
    "x is g * A + B with B in [0, g - 1], and g divides m: the remainder is (A mod (m / g)) * g + B.",
)

REMAINDER_OF_QUOTIENT = Rule(
    "remainder of a quotient",
    "(x floordiv a) mod b is (x mod (a * b)) floordiv a, which is used if that remainder splits.",
)

MULTIPLES_OUT = Rule("multiples of the divisor", "(c * A + B) floordiv c is A + B floordiv c.")
QUOTIENT_OF_REMAINDER = Rule(
    "quotient of a remainder",
    "(x mod (a * b)) floordiv a is (x floordiv a) mod b: the digit of x that a begins.",
)
NESTED_QUOTIENT = Rule("quotient of a quotient", "(x floordiv a) floordiv c is x floordiv (a * c).")
SPLIT_QUOTIENT = Rule(
    "small part of a dividend",
    "The dividend is g * A + B with B in [0, g - 1], and g divides c: B never reaches the next multiple of c, "
    "so the quotient is A floordiv (c / g).",
)
INNER_QUOTIENT = Rule(
    "quotient inside a dividend", "(x floordiv a + r) floordiv c is (x + r * a) floordiv (a * c)."
)

DIGITS_MEET = Rule(
    "quotient and remainder meet",
    "(x floordiv c) * c + x mod c is x: quotient and remainder restore the dividend.",
)
DIGITS_JOIN = Rule(
    "neighbouring digits join",
    "((x floordiv a) mod b) * a + x mod a is x mod (a * b): two neighbouring digits of x are its remainder modulo both.",
)
DIVIDEND_MEETS = Rule(
    "quotient meets a dividend",
    "(x floordiv c) * (j * c / e) + ((x mod c) * j + r) floordiv e is (x * j + r) floordiv e, where e divides j * c.",
)
QUOTIENT_SUBTRACTED = Rule("quotient subtracted", "x - (x floordiv c) * c is x mod c.")

EXTREME_BY_RANGE = Rule(
    "decided minimum or maximum",
    "One side is never less than the other, so min and max are always the same side.",
)
NESTED_EXTREME = Rule("minimum of a minimum", "min(min(x, a), b) is min(x, min(a, b)), and max likewise.")

SHIFTED = Rule("constant moved", "x + c in [l, u] is x in [l - c, u - c].", "constraint")
SCALED = Rule(
    "factor divided out",
    "x * c in [l, u] is x in [l / c, u / c], rounded inwards; a negative factor exchanges the ends.",
    "constraint",
)
QUOTIENT_BOUNDED = Rule(
    "bounds of a quotient", "x floordiv c in [l, u] is x in [l * c, u * c + c - 1].", "constraint"
)
REMAINDER_SHIFTED = Rule(
    "remainder moved",
    "(k * x + c) mod m in [r, r] determines the remainder of x itself if k and m have no common divisor.",
    "constraint",
)
IRRELEVANT_PART = Rule(
    "irrelevant part",
    "In l <= g * A + B <= u the value of B does not change which A are allowed: the constraint applies to A alone.",
    "constraint",
)
EXTREME_APART = Rule(
    "split minimum or maximum",
    "min(a, b) is at least l when both are, and max(a, b) at most u when both are.",
    "constraint",
)
CLIPPED = Rule(
    "tightened bounds",
    "Bounds that the expression never reaches are replaced by those that it does.",
    "constraint",
)
ALWAYS_TRUE = Rule(
    "always true", "Within the ranges of the variables, the constraint always holds.", "constraint"
)
BARE_VARIABLE = Rule(
    "constraint on a variable", "A constraint on a single variable becomes its interval.", "constraint"
)
SAME_EXPRESSION = Rule(
    "constraints on one expression",
    "Two constraints on one expression become their intersection.",
    "constraint",
)
REMAINDERS_MERGED = Rule(
    "remainders merged",
    "x mod a and x mod b together determine x modulo the least common multiple of a and b.",
    "constraint",
)
ALIGNED = Rule(
    "bounds aligned", "x mod m is r, so the bounds of x move to numbers with this remainder.", "constraint"
)
INFEASIBLE = Rule(
    "never true", "No value satisfies the constraint: the map is known to be empty.", "constraint"
)

RULES: tuple[Rule, ...] = (
    *(FOLDED, ORDERED, POINT, POSITIVE, ROUNDED_UP, DISTRIBUTED),
    *(MULTIPLES_LOST, KNOWN_REMAINDER, ONE_PERIOD, NESTED_REMAINDER, SPLIT_REMAINDER, REMAINDER_OF_QUOTIENT),
    *(MULTIPLES_OUT, QUOTIENT_OF_REMAINDER, NESTED_QUOTIENT, SPLIT_QUOTIENT, INNER_QUOTIENT),
    *(DIGITS_MEET, DIGITS_JOIN, DIVIDEND_MEETS, QUOTIENT_SUBTRACTED, EXTREME_BY_RANGE, NESTED_EXTREME),
    *(SHIFTED, SCALED, QUOTIENT_BOUNDED, REMAINDER_SHIFTED, IRRELEVANT_PART, EXTREME_APART, CLIPPED),
    *(ALWAYS_TRUE, BARE_VARIABLE, SAME_EXPRESSION, REMAINDERS_MERGED, ALIGNED, INFEASIBLE),
)
"""Every rule of the simplifier, in the order of the reference."""
