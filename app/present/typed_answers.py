"""Judge answers: the rule of each kind of question, as `app/wire/lessons.py` states it.

The page has the same rule in JavaScript; both are tested on tests/data/lesson_answers.json. Here `hloscope
lesson check` verifies that wrong answers are wrong.
"""

import re
from fractions import Fraction
from math import floor, inf, isinf, isnan, log10, nan
from typing import Literal

NumberKind = Literal["integer", "float", "truth"]
DIGITS = 3
"""Default number of significant digits of a float that are compared."""
EXACT = 15
"""Digits of a float that must match exactly."""
LARGEST_WHOLE = 10**6
"""Limit below which a whole float must match exactly."""
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_NAMED = {
    "nan": nan,
    **{f"{sign}{word}": inf for sign in ("", "+") for word in ("inf", "infinity", "∞")},
    **{f"-{word}": -inf for word in ("inf", "infinity", "∞")},
}
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,4})?")
_SHAPE = re.compile(r"[\d\sx×*,()\[\]]*")
_LARGEST_TEXT = 400
SLACK = 1 + 1e-9
"""Tolerance for decimal texts, which are not exact in binary."""


def clean(text: str) -> str:
    """A normalised answer: one kind of minus, no surrounding blanks, no digit separators."""
    found = text.strip().lower().replace("−", "-")
    found = re.sub(r"(?<=\d)[,_](?=\d{3}(?!\d))", "", found)
    return re.sub(r"(?<=\d)_(?=\d)", "", found)


def read_number(text: str) -> Fraction | float | None:
    """Parse a typed number: exact fractions; NaN and infinities as floats; `None` if invalid."""
    found = clean(text)
    if found in _NAMED:
        return _NAMED[found]
    top, slash, bottom = found.partition("/")
    parts = [part.strip() for part in ((top, bottom) if slash else (top,))]
    if len(found) > _LARGEST_TEXT or not all(_DECIMAL.fullmatch(part) for part in parts):
        return None
    numbers = [Fraction(part) for part in parts]
    if len(numbers) == 2:
        return numbers[0] / numbers[1] if numbers[1] else None
    return numbers[0]


def is_number(kind: NumberKind, digits: int, truth: str, typed: str) -> bool | None:
    """Whether an answer is the number `truth`; `None` if it is not a number."""
    if kind == "truth":
        given = _TRUTHS.get(clean(typed))
        return None if given is None else given is _TRUTHS[truth]
    number, right = read_number(typed), read_number(truth)
    assert right is not None
    if number is None:
        return None
    if kind == "integer":
        return number == right if isinstance(number, Fraction) else None
    return _is_near(number, right, digits)


def digits_of(truth: str, stated: int | None) -> int:
    """The number of compared digits of a float: all of them if it is whole or has no more."""
    digits = stated or DIGITS
    value = read_number(truth)
    if not isinstance(value, Fraction):
        return digits
    is_whole = stated is None and value.denominator == 1 and abs(value) < LARGEST_WHOLE
    return EXACT if is_whole or _significant(truth) <= digits else digits


def _significant(text: str) -> int:
    """The digits of a decimal, without leading and trailing zeros."""
    return len(text.lower().partition("e")[0].replace(".", "").strip("-+0"))


def _is_near(number: Fraction | float, truth: Fraction | float, digits: int) -> bool:
    given, right = _float(number), _float(truth)
    if isnan(given) or isnan(right):
        return isnan(given) and isnan(right)
    if isinf(given) or isinf(right):
        return given == right
    unit = 10.0 ** (floor(log10(abs(right))) - digits + 1) if right else 10.0**-digits
    return abs(given - right) <= unit * SLACK


def _float(number: Fraction | float) -> float:
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def read_shape(text: str) -> list[int] | None:
    """Parse a typed shape: `3x4`, `(3, 4)`, `[3,4]`, `scalar`; `None` if invalid."""
    found = text.strip().lower()
    if found == "scalar":
        return []
    if not _SHAPE.fullmatch(found) or not re.search(r"[\d()\[\]]", found):
        return None
    return [int(size) for size in re.findall(r"\d+", found)]
