"""Parse many comma-separated numbers at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

BLANKS = b" \t\r\n\f\v"

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


def _numbers(text: bytes, count: int, dtype: Any) -> NDArray[Any] | None:
    if not _is_complete(text):
        return None
    # NumPy stops at invalid text, and older versions only warn: then the sentinel at the end is missing.
    try:
        found = np.fromstring(text + b",0", dtype, sep=",")
    except (ValueError, DeprecationWarning):
        return None
    return found[:-1] if len(found) == count + 1 else None
