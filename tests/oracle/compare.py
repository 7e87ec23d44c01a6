"""How far two arrays are apart, in units of the last place of their element type."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from .values import Array

_FAR = np.int64(1) << 62


def distance(found: Array, wanted: Array) -> NDArray[np.int64]:
    """0 where the bits are equal (any NaN equals any NaN); otherwise steps from one number to the other."""
    assert found.dtype == wanted.dtype, f"{found.dtype} is not {wanted.dtype}"
    assert found.shape == wanted.shape, f"{found.shape} is not {wanted.shape}"
    if np.issubdtype(found.dtype, np.complexfloating):
        parts = distance(found.real, wanted.real), distance(found.imag, wanted.imag)
        return np.maximum(*parts)
    if not is_float(found.dtype):
        return np.asarray(np.where(found == wanted, 0, _FAR), np.int64)
    apart = np.abs(_ordinal(found) - _ordinal(wanted))
    # Zeros of different signs are one step apart, not none.
    apart = np.where(np.signbit(_wide(found)) != np.signbit(_wide(wanted)), apart + 1, apart)
    nans = np.isnan(_wide(found)), np.isnan(_wide(wanted))
    apart = np.where(nans[0] & nans[1], 0, np.where(nans[0] | nans[1], _FAR, apart))
    return np.asarray(apart, np.int64)


def is_float(dtype: np.dtype[Any]) -> bool:
    """Whether elements are real floating-point numbers, small ones included."""
    if np.issubdtype(dtype, np.floating):
        return True
    try:
        ml_dtypes.finfo(dtype)
    except ValueError:
        return False
    return True


def _wide(array: Array) -> NDArray[np.float64]:
    with np.errstate(all="ignore"):
        return array.astype(np.float64)


def _ordinal(array: Array) -> NDArray[np.int64]:
    width = array.dtype.itemsize
    bits = np.ascontiguousarray(array).view(f"i{width}").reshape(array.shape).astype(np.int64)
    if width == 8:
        return np.where(bits < 0, np.int64(-(2**63)) - bits, bits) // 2  # halves, so that no difference wraps
    finite_bits = 8 * width if width > 1 else _bits(array.dtype)
    sign = np.int64(1) << (finite_bits - 1)
    magnitude = bits & (sign - 1)
    return np.where(np.signbit(_wide(array)), -magnitude, magnitude)


def _bits(dtype: np.dtype[Any]) -> int:
    return int(ml_dtypes.finfo(dtype).bits)


def mismatch(
    found: Array,
    wanted: Array,
    ulps: int = 0,
    relative: float = 0.0,
    ignored: NDArray[Any] | None = None,
    own: float = 0.0,
) -> str | None:
    """What differs most, as a sentence; `None` if all is within what is allowed."""
    apart = distance(found, wanted)
    wrong = apart > ulps
    if relative:
        wrong &= ~_close(found, wanted, relative)
    if own:
        wrong &= ~_close_each(found, wanted, own)
    if ignored is not None:
        wrong &= ~ignored
    if not wrong.any():
        return None
    first = tuple(map(int, np.unravel_index(int(np.argmax(wrong)), wrong.shape)))
    return (
        f"{int(wrong.sum())} of {wrong.size} elements differ; at {first} it is {found[first]!r}, "
        f"not {wanted[first]!r} ({int(apart[first])} units of the last place, {ulps} allowed)"
    )


def _close(found: Array, wanted: Array, relative: float) -> NDArray[np.bool_]:
    finite = np.isfinite(found) & np.isfinite(wanted)
    largest = np.max(np.abs(np.where(finite, wanted, 0)), initial=0)
    with np.errstate(all="ignore"):
        return np.asarray(finite & (np.abs(found - wanted) <= relative * largest))


def _close_each(found: Array, wanted: Array, own: float) -> NDArray[np.bool_]:
    """By parts: the same infinity, NaN for NaN, or no farther apart than a part of the modulus."""
    pairs = [(found, wanted)]
    if np.iscomplexobj(wanted):
        pairs = [(found.real, wanted.real), (found.imag, wanted.imag)]
    sizes = [np.where(np.isfinite(theirs), np.abs(theirs), 0).astype(np.float64) for _, theirs in pairs]
    close = np.ones(found.shape, np.bool_)
    with np.errstate(all="ignore"):
        modulus = np.hypot(sizes[0], sizes[-1]) if len(sizes) > 1 else sizes[0]
        for mine, theirs in pairs:
            near = np.isfinite(mine) & np.isfinite(theirs) & (np.abs(mine - theirs) <= own * modulus)
            close &= near | (mine == theirs) | (np.isnan(mine) & np.isnan(theirs))
    return close
