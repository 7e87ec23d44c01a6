"""Parse many comma-separated numbers at once: digits, points and exponents as arrays.

A number is an integer times a power of ten. If both are exact in double precision, one multiplication or
division rounds correctly (Clinger, How to read floating point numbers accurately, 1990). This holds for
nearly all single-precision numbers that were printed with the fewest digits that distinguish them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

BLANKS = b" \t\r\n\f\v"
_COMMA, _POINT, _MINUS, _E, _ZERO = b",.-e0"
_COMMA_FOR_E = bytes.maketrans(b"eE", b",,")
_SMALL_E = bytes.maketrans(b"E", b"e")
_EXACT_POWERS = 22
_POWERS = 10.0 ** np.arange(_EXACT_POWERS + 1)
_EXACT_INTEGERS = 1 << 53
_FAR = 1 << 20
_EXACT_PER_INEXACT = 8
"""If more than one number in this many is inexact, all are read by the slower method."""
_SAMPLE = 20_000

_ENDS, _NOTHING_YET = 1, 2
_ADJACENT = bytes(
    {ord(","): _ENDS | _NOTHING_YET, ord("+"): _NOTHING_YET, ord("-"): _NOTHING_YET}.get(code, 0)
    for code in range(256)
)


def _is_complete(text: bytes) -> bool:
    """Whether a number precedes and follows each comma (a sign is none): NumPy would supply one."""
    kinds = np.frombuffer((b"," + text + b",").translate(_ADJACENT, BLANKS), np.uint8)
    return not (kinds[1:] & (kinds[:-1] >> 1)).any()


def read_integers(text: bytes, count: int, dtype: Any) -> NDArray[Any] | None:
    """Parse `count` 64-bit integers; `None` for any other text, or an integer that might overflow."""
    found = _numbers(text, count, dtype)
    if found is None or not found.size:
        return found
    # NumPy clamps integers that are out of range.
    most = 10**18 if found.dtype.kind == "i" else 10**19
    return None if found.max() >= most or found.min() <= -most else found


def read_floats(text: bytes, count: int) -> NDArray[np.float64] | None:
    """Parse `count` doubles, including infinities and NaN; `None` if the text has anything else."""
    if b"-nan" in text:
        return _one_by_one(text)
    found = _products(text, count) if _can_use_products(text) else None
    if found is None:
        found = _numbers(text, count, np.float64)
    if found is not None and np.isinf(found).sum() != text.count(b"inf"):
        return None
    return found


def _one_by_one(text: bytes) -> NDArray[np.float64] | None:
    # NumPy drops the sign of a NaN.
    try:
        return np.array(list(map(float, text.split(b","))))
    except ValueError:
        return None


def _can_use_products(text: bytes) -> bool:
    """Whether the numbers in the first part of the text can be read as products."""
    if len(text) <= _SAMPLE:
        return True
    start = text[: text.rfind(b",", 0, _SAMPLE)]
    return bool(start) and _products(start, start.count(b",") + 1) is not None


def _numbers(text: bytes, count: int, dtype: Any) -> NDArray[Any] | None:
    if not _is_complete(text):
        return None
    # NumPy stops at invalid text, and older versions only warn: then the sentinel at the end is missing.
    try:
        found = np.fromstring(text + b",0", dtype, sep=",")
    except (ValueError, DeprecationWarning):
        return None
    return found[:-1] if len(found) == count + 1 else None


def _products(text: bytes, count: int) -> NDArray[np.float64] | None:
    """The numbers as integers times powers of ten; `None` if the method fails or does not pay off."""
    digits = text.translate(_COMMA_FOR_E, b".")
    if b"n" in text:
        return None
    compact = text.translate(_SMALL_E, BLANKS) + b","
    characters = np.frombuffer(compact, np.uint8)
    marks = np.flatnonzero((characters == _COMMA) | (characters == _POINT) | (characters == _E))
    kinds = characters[marks]
    points, exponents, ends = (kinds == code for code in (_POINT, _E, _COMMA))
    if (points[1:] & ~ends[:-1] | exponents[1:] & exponents[:-1]).any():
        return None
    if (characters[marks[points] - 1] < _ZERO).any():
        return None
    integers = _numbers(digits, count + int(exponents.sum()), np.int64)
    if integers is None or int(ends.sum()) != count:
        return None
    # Each `e` ends a significand and starts an exponent; a comma ends either.
    is_exponent = np.concatenate(([False], exponents[~points][:-1]))
    number = np.cumsum(ends) - ends
    scale = np.zeros(count, np.int64)
    scale[number[points]] = (marks - np.concatenate((marks[1:], [0])) + 1)[points]
    scale[number[exponents]] += np.clip(integers[is_exponent], -_FAR, _FAR)
    found = _scale(integers[~is_exponent], scale)
    starts = np.concatenate(([0], marks[ends][:-1] + 1))
    zero = found == 0
    found[zero] = np.where(characters[starts[zero]] == _MINUS, -0.0, 0.0)
    return _put_inexact(found, compact, starts, marks[ends])


def _scale(significands: NDArray[np.int64], scale: NDArray[np.int64]) -> NDArray[np.float64]:
    """Scale the significands; NaN marks results that may be rounded incorrectly."""
    distance = np.abs(scale)
    exact = (distance <= _EXACT_POWERS) & (significands < _EXACT_INTEGERS) & (significands > -_EXACT_INTEGERS)
    powers = _POWERS[np.minimum(distance, _EXACT_POWERS)]
    values = significands.astype(np.float64)
    return np.where(exact, np.where(scale < 0, values / powers, values * powers), np.nan)


def _put_inexact(
    found: NDArray[np.float64], text: bytes, starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.float64] | None:
    inexact = np.flatnonzero(np.isnan(found))
    if len(inexact) * _EXACT_PER_INEXACT > len(found):
        return None
    for index in inexact.tolist():
        found[index] = float(text[starts[index] : ends[index]])
    return found
