"""Differences of CHLO's ops, which oracles compute from StableHLO's by approximations of their own."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from ..cases import Case
from ..compare import distance
from ..values import Array
from .known import INTERPRETER, XLA, Known, Mask, as_f64, element_name

EPSILONS = 16
LARGE_ORDER, LARGE_ARGUMENT = 30, 1e8


def _near_a_zero(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op != "lgamma":
        return None
    with np.errstate(all="ignore"):
        apart = np.abs(as_f64(ours) - as_f64(theirs))
    return np.asarray(apart <= EPSILONS * max(float(ml_dtypes.finfo(ours.dtype).eps), 1e-7 * _narrow(case)))


def _narrow(case: Case) -> bool:
    return element_name(case) != "f64"


def _zeta(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op not in ("zeta", "polygamma", "broadcast_zeta", "broadcast_polygamma"):
        return None
    order, argument = np.broadcast_arrays(*map(as_f64, case.operands))
    with np.errstate(all="ignore"):
        cancelled = (argument < 0) & (argument != np.floor(argument))
        lost = np.isnan(as_f64(theirs)) & ~np.isnan(as_f64(ours))
        return np.asarray(
            cancelled | lost | (np.abs(order) > LARGE_ORDER) | (np.abs(argument) > LARGE_ARGUMENT)
        )


def _mulhi(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op != "mulhi" or element_name(case) not in ("i4", "ui4"):
        return None
    return np.ones(ours.shape, np.bool_)


def _reciprocal(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op != "broadcast_divide" or not case.types[0].element_type.is_float:
        return None
    if case.types[1].element_count == ours.size:
        return None
    return np.asarray(distance(ours, theirs) <= 1)


def _denormal_erfc(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op != "erfc":
        return None
    return np.asarray((as_f64(theirs) == 0) & (as_f64(ours) < float(ml_dtypes.finfo(ours.dtype).tiny)))


def _beside_0(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op == "lgamma":
        return np.asarray(np.abs(as_f64(case.operands[0])) < float(ml_dtypes.finfo(ours.dtype).tiny))
    return None


def _square_underflows(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op != "asin" or np.iscomplexobj(ours):
        return None
    smallest = float(ml_dtypes.finfo(ours.dtype).smallest_normal)
    return np.asarray((as_f64(theirs) == 0) & (np.abs(as_f64(ours)) <= smallest))


def _digamma_of_0(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op not in ("digamma", "polygamma", "broadcast_polygamma"):
        return None
    return np.asarray(np.isneginf(as_f64(ours)) & np.isnan(as_f64(theirs)))


KNOWN_DIFFERENCES: tuple[Known, ...] = (
    Known(
        "Of denormals the oracles' sum for lgamma has lost digits: it is -log(|x|) there.",
        (INTERPRETER, XLA),
        _beside_0,
    ),
    Known(
        "XLA's asin of the smallest normal number is half of it, twice: flushed to 0.",
        (XLA,),
        _square_underflows,
    ),
    Known(
        "Near 1 and 2, where lgamma is 0, the oracles' sum of large terms leaves an absolute error.",
        (INTERPRETER, XLA),
        _near_a_zero,
    ),
    Known(
        "The oracles' zeta adds ten terms and an approximation of the rest: of negative arguments that is far "
        "off, and of large orders and arguments a product of 0 and infinity. zeta(2, -10.5) is 9.78, theirs 1e12.",
        (INTERPRETER, XLA),
        _zeta,
    ),
    Known(
        "Of 0, jaxlib 0.10.2 has NaN for digamma; newer ones have -Inf, as SciPy has.",
        (INTERPRETER, XLA),
        _digamma_of_0,
    ),
    Known("XLA multiplies by the reciprocal of a divisor that is broadcast.", (XLA,), _reciprocal),
    Known(
        "The interpreter's erfc multiplies by exp(-x * x), which is 0 before erfc is.",
        (INTERPRETER,),
        _denormal_erfc,
    ),
    Known("XLA takes the upper half of a byte's product for integers of 4 bits.", (XLA,), _mulhi),
)
