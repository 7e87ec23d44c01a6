"""The functions of expressions: one table for `max(x, axis=1)` and `x.max(axis=1)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Function:
    """A function of `least` to `most` arguments; `reduces` if it takes an axis and returns fewer elements."""

    compute: Callable[..., Any]
    least: int = 1
    most: int = 1
    reduces: bool = False
    truths: bool = False
    """Whether it takes booleans, so that numbers are first compared with 0."""
    sorts: bool = False
    """Whether it sorts elements, which costs more of the budget."""


def _wide(x: Array) -> Array:
    """Floats as f64, for sums of many small numbers."""
    return x.astype(np.float64) if x.dtype.kind == "f" else x


def _reduction(function: Callable[..., Any]) -> Function:
    return Function(function, reduces=True)


def _count(x: Array, axis: int | None = None) -> Any:
    return np.count_nonzero(x, axis=axis)


def _norm(x: Array, axis: int | None = None) -> Any:
    return np.sqrt(np.sum(np.square(np.abs(_wide(x))), axis=axis))


def _quantile(x: Array, q: Any, axis: int | None = None) -> Any:
    return np.quantile(_wide(x), q, axis=axis)


def _for_floats(function: Any) -> Callable[[Array], Any]:
    """A predicate on floats that is false for every integer."""
    return lambda x: function(x) if x.dtype.kind in "fc" else np.zeros(x.shape, np.bool_)


def _cast(dtype: Any) -> Function:
    return Function(lambda x: np.asarray(x).astype(dtype))


FUNCTIONS: Mapping[str, Function] = {
    "sum": Function(lambda x, axis=None: np.sum(_wide(x), axis=axis), reduces=True),
    "mean": Function(lambda x, axis=None: np.mean(_wide(x), axis=axis), reduces=True),
    "std": Function(lambda x, axis=None: np.std(_wide(x), axis=axis), reduces=True),
    "min": _reduction(np.min),
    "max": _reduction(np.max),
    "argmin": _reduction(np.argmin),
    "argmax": _reduction(np.argmax),
    "any": Function(np.any, reduces=True, truths=True),
    "all": Function(np.all, reduces=True, truths=True),
    "count": Function(_count, reduces=True, truths=True),
    "norm": _reduction(_norm),
    "quantile": Function(_quantile, 2, 2, reduces=True, sorts=True),
    "sort": Function(lambda x: np.sort(x, axis=-1), sorts=True),
    "abs": Function(np.abs),
    "sign": Function(np.sign),
    "sqrt": Function(np.sqrt),
    "exp": Function(np.exp),
    "log": Function(np.log),
    "sin": Function(np.sin),
    "cos": Function(np.cos),
    "tanh": Function(np.tanh),
    "floor": Function(np.floor),
    "ceil": Function(np.ceil),
    "round": Function(np.round),
    "isnan": Function(_for_floats(np.isnan)),
    "isinf": Function(_for_floats(np.isinf)),
    "isfinite": Function(lambda x: np.isfinite(x) if x.dtype.kind in "fc" else np.ones(x.shape, np.bool_)),
    "where": Function(np.where, 3, 3),
    "clip": Function(np.clip, 3, 3),
    "mod": Function(np.mod, 2, 2),
    "maximum": Function(np.maximum, 2, 2),
    "minimum": Function(np.minimum, 2, 2),
    "f32": _cast(np.float32),
    "f64": _cast(np.float64),
    "bf16": Function(lambda x: np.asarray(x).astype(ml_dtypes.bfloat16).astype(np.float32)),
    "f16": Function(lambda x: np.asarray(x).astype(np.float16).astype(np.float32)),
    "i32": _cast(np.int32),
    "i64": _cast(np.int64),
}
FIELDS = ("shape", "size", "rank", "dtype", "real", "imag", "T")
UNDEFINED_FOR_EMPTY = ("min", "max", "argmin", "argmax", "mean", "quantile")
"""Functions that have no value for an empty tensor."""
