"""Differences of linear algebra, random numbers and custom calls."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from ..cases import Case
from ..values import Array
from .known import XLA, Known, Mask, as_f64


def _bits_as_numbers(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    """Where theirs is the number that our bits are as an unsigned integer."""
    found = case.results[1].element_type if op == "rng_bit_generator" else None
    if found is None or not found.is_float or ours.dtype != found.dtype:
        return None
    numbers = np.ascontiguousarray(ours).view(f"u{ours.dtype.itemsize}").reshape(ours.shape)
    with np.errstate(all="ignore"):
        return np.asarray(numbers.astype(ours.dtype) == theirs)


def _no_variance(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op != "batch_norm_training" or ours.ndim != 1:
        return None
    noise = 16 * float(ml_dtypes.finfo(ours.dtype).eps)
    return np.asarray((as_f64(ours) == 0) & (np.abs(as_f64(theirs)) <= noise))


KNOWN_DIFFERENCES: tuple[Known, ...] = (
    Known(
        "XLA makes integers of the bits where a floating-point output is stated, and later converts them; the "
        "specification fills the output with bits.",
        (XLA,),
        _bits_as_numbers,
    ),
    Known(
        "XLA subtracts the square of the mean from the mean of squares, which leaves noise where all elements "
        "of a feature are equal.",
        (XLA,),
        _no_variance,
    ),
)
