"""The rules by name, each with the sentence that explains it (docs/index-maps.md, "The simplifier")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Rule:
    """What one kind of rewriting is called, and why it is right."""

    name: str
    sentence: str
    about: Literal["expression", "constraint"] = "expression"


FOLDED = Rule(
    "constant folding",
    "Constants are added and multiplied, + 0 and * 1 go, equal terms are collected, and a factor is multiplied into "
    "a sum.",
)
ORDERED = Rule(
    "order of terms",
    "Terms are put in one order, products first and the constant last, so that equal expressions are written the same.",
)
POINT = Rule(
    "only one value", "The ranges of its variables leave the expression one value, so it is that value."
)
POSITIVE = Rule(
    "positive divisor",
    "x floordiv -c is -x floordiv c, and x mod -c is x mod c, since remainders are never negative.",
)
ROUNDED_UP = Rule(
    "rounded up",
    "x ceildiv c is (x + c - 1) floordiv c, and x ceildiv -c is (-x + c - 1) floordiv c: quotients are rounded one way, "
    "so that equal expressions are written the same.",
)
DISTRIBUTED = Rule("distribution", "A product with a sum is the sum of the products.")

NESTED_REMAINDER = Rule(
    "remainder of a remainder",
    "Reducing modulo c first does not matter when what is left is reduced modulo a divisor of c: (x mod (a * b)) mod a "
    "is x mod a.",
)
MULTIPLES_LOST = Rule(
    "multiples of the modulus",
    "A term that is always a multiple of m does not change the remainder modulo m.",
)
KNOWN_REMAINDER = Rule(
    "known remainder", "A constraint gives the remainder of this variable, which is put in its place."
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
    "(x floordiv a) mod b is (x mod (a * b)) floordiv a, which is written where that remainder comes apart.",
)

MULTIPLES_OUT = Rule("multiples of the divisor", "(c * A + B) floordiv c is A + B floordiv c.")
QUOTIENT_OF_REMAINDER = Rule(
    "quotient of a remainder",
    "(x mod (a * b)) floordiv a is (x floordiv a) mod b: the digit of x that a begins.",
)
NESTED_QUOTIENT = Rule("quotient of a quotient", "(x floordiv a) floordiv c is x floordiv (a * c).")
SPLIT_QUOTIENT = Rule(
    "small part of a dividend",
    "The dividend is g * A + B with B in [0, g - 1], and g divides c: it never takes B to reach the next multiple of c, "
    "so what is left is A floordiv (c / g).",
)
INNER_QUOTIENT = Rule(
    "quotient inside a dividend", "(x floordiv a + r) floordiv c is (x + r * a) floordiv (a * c)."
)

DIGITS_MEET = Rule(
    "quotient and remainder meet",
    "(x floordiv c) * c + x mod c is x: the two parts of a division make it up again.",
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
    "(k * x + c) mod m in [r, r] says which remainder x itself has, when k has no divisor in common with m.",
    "constraint",
)
IRRELEVANT_PART = Rule(
    "part that cannot matter",
    "In l <= g * A + B <= u no value of B makes a difference to which A are allowed: the constraint is one on A.",
    "constraint",
)
EXTREME_APART = Rule(
    "minimum or maximum taken apart",
    "min(a, b) is at least l when both are, and max(a, b) at most u when both are.",
    "constraint",
)
CLIPPED = Rule(
    "bounds drawn in", "Bounds that the expression never reaches become the ones that it does.", "constraint"
)
ALWAYS_TRUE = Rule(
    "always true", "The ranges of the variables make the constraint hold always.", "constraint"
)
BARE_VARIABLE = Rule(
    "constraint on a variable", "A constraint on a variable alone is its interval.", "constraint"
)
SAME_EXPRESSION = Rule(
    "constraints on the same", "Two constraints on one expression are their intersection.", "constraint"
)
REMAINDERS_MERGED = Rule(
    "remainders merged",
    "x mod a and x mod b together say what x is modulo the least common multiple of a and b.",
    "constraint",
)
ALIGNED = Rule(
    "bounds aligned", "x mod m is r, so x begins and ends at numbers that have this remainder.", "constraint"
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
