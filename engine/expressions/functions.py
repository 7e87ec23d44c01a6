"""The functions of expressions: one table for `max(x, axis=1)` and `x.max(axis=1)`."""

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

    meaning: str
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


def _reduction(meaning: str, function: Callable[..., Any]) -> Function:
    return Function(meaning, function, reduces=True)


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
    return Function(f"converted to {np.dtype(dtype).name}", lambda x: np.asarray(x).astype(dtype))


FUNCTIONS: Mapping[str, Function] = {
    "sum": Function(
        "sum of the elements, floats in f64", lambda x, axis=None: np.sum(_wide(x), axis=axis), reduces=True
    ),
    "mean": Function(
        "mean of the elements, floats in f64", lambda x, axis=None: np.mean(_wide(x), axis=axis), reduces=True
    ),
    "std": Function(
        "standard deviation, floats in f64", lambda x, axis=None: np.std(_wide(x), axis=axis), reduces=True
    ),
    "min": _reduction("smallest element; NaN if any is NaN", np.min),
    "max": _reduction("largest element; NaN if any is NaN", np.max),
    "argmin": _reduction("index of the smallest element", np.argmin),
    "argmax": _reduction("index of the largest element", np.argmax),
    "any": Function("whether any element is not zero", np.any, reduces=True, truths=True),
    "all": Function("whether all elements are not zero", np.all, reduces=True, truths=True),
    "count": Function("number of elements that are not zero", _count, reduces=True, truths=True),
    "norm": _reduction("square root of the sum of squares", _norm),
    "quantile": Function(
        "quantile(x, q): a fraction q of the elements is smaller", _quantile, 2, 2, reduces=True, sorts=True
    ),
    "sort": Function(
        "elements in ascending order along the last axis", lambda x: np.sort(x, axis=-1), sorts=True
    ),
    "abs": Function("magnitude", np.abs),
    "sign": Function("-1, 0 or 1", np.sign),
    "sqrt": Function("square root", np.sqrt),
    "exp": Function("e to the power x", np.exp),
    "log": Function("natural logarithm", np.log),
    "sin": Function("sine", np.sin),
    "cos": Function("cosine", np.cos),
    "tanh": Function("hyperbolic tangent", np.tanh),
    "floor": Function("rounded down", np.floor),
    "ceil": Function("rounded up", np.ceil),
    "round": Function("rounded to the nearest whole number, ties to even", np.round),
    "isnan": Function("whether each element is NaN", _for_floats(np.isnan)),
    "isinf": Function("whether each element is infinite", _for_floats(np.isinf)),
    "isfinite": Function(
        "whether each element is neither NaN nor infinite",
        lambda x: np.isfinite(x) if x.dtype.kind in "fc" else np.ones(x.shape, np.bool_),
    ),
    "where": Function("where(condition, x, y): x where the condition holds, else y", np.where, 3, 3),
    "clip": Function("clip(x, low, high): elements moved into the range", np.clip, 3, 3),
    "mod": Function("mod(x, y): remainder with the sign of y", np.mod, 2, 2),
    "maximum": Function("maximum(x, y): the larger element of each pair", np.maximum, 2, 2),
    "minimum": Function("minimum(x, y): the smaller element of each pair", np.minimum, 2, 2),
    "f32": _cast(np.float32),
    "f64": _cast(np.float64),
    "bf16": Function(
        "rounded to bfloat16", lambda x: np.asarray(x).astype(ml_dtypes.bfloat16).astype(np.float32)
    ),
    "f16": Function("rounded to float16", lambda x: np.asarray(x).astype(np.float16).astype(np.float32)),
    "i32": _cast(np.int32),
    "i64": _cast(np.int64),
}
FIELDS = {
    "shape": "sizes of the dimensions",
    "size": "number of elements",
    "rank": "number of dimensions",
    "dtype": "name of the type it is computed in: float32 for narrower floats, int32 for narrower integers",
    "real": "real part",
    "imag": "imaginary part",
    "T": "transposed",
}
UNDEFINED_FOR_EMPTY = ("min", "max", "argmin", "argmax", "mean", "quantile")
"""Functions that have no value for an empty tensor."""
