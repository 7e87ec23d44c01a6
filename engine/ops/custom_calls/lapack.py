"""JAX's calls of LAPACK, `lapack_<type><routine>_ffi`: one routine per type, applied to each matrix of a batch.

SciPy provides the routines; its LAPACK may choose other signs of eigenvectors than the one that XLA links.
"""

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.types import TensorType
from ..core.blas import blas_threads
from ..core.op import Array
from ..core.quiet import quiet
from .call import Call
from .target import Answer, Target, batch_maps, need

DTYPES = {
    "s": np.dtype(np.float32),
    "d": np.dtype(np.float64),
    "c": np.dtype(np.complex64),
    "z": np.dtype(np.complex128),
}
NAME = re.compile(r"lapack_([sdcz])(\w+)_ffi")

Matrix = Callable[..., tuple[Any, ...]]
"""A function of the call and one matrix of each operand that returns one matrix of each result."""


def routine(name: str, dtype: np.dtype[Any]) -> Callable[..., Any]:
    """SciPy's function for a dtype: `sgetrf` for `getrf` and f32."""
    from scipy.linalg import lapack  # slow to import, needed by few programs

    prefix = next(letter for letter, found in DTYPES.items() if found == dtype)
    found: Callable[..., Any] = getattr(lapack, prefix + name)
    return found


def letter(call: Call, name: str, default: str) -> str:
    """A setting that is a letter or a letter's code; `default` if missing."""
    found = call.setting(name)
    if isinstance(found, str):
        return found
    return chr(found) if isinstance(found, int) and 0 < found < 128 else default


def batch_target(matrix: Matrix, *ranks: int, square: bool = False) -> Target:
    """A target that applies `matrix` at each position of the batch; `ranks` are the ranks of one matrix or vector."""

    def run(call: Call, operands: tuple[Array, ...]) -> Answer:
        batch = _batch(call, operands, ranks)
        _check_first(call, operands[0], square)
        if not all(operand.size for operand in operands):
            return _empty(call)
        with quiet(), blas_threads(max(operands[0].shape[-2:], default=1) ** 3):
            places = [matrix(call, *(operand[index] for operand in operands)) for index in np.ndindex(batch)]
        columns = [np.stack([np.asarray(x) for x in column]) for column in zip(*places, strict=True)]
        return tuple(column.reshape(batch + column.shape[1:]) for column in columns)

    return Target(run, ranks, batch_maps(*ranks, enclosing=True), is_cubic=True)


def _batch(call: Call, operands: tuple[Array, ...], ranks: tuple[int, ...]) -> tuple[int, ...]:
    batches = {operand.shape[: operand.ndim - rank] for operand, rank in zip(operands, ranks, strict=True)}
    need(len(batches) == 1, f"@{call.call_target_name}: its operands are batches of different shapes")
    return batches.pop()


def _check_first(call: Call, first: Array, square: bool) -> None:
    name = call.call_target_name
    found = NAME.fullmatch(name)
    wanted = DTYPES[found[1]] if found else first.dtype
    need(first.dtype == wanted, f"@{name} takes {wanted} elements, not {first.dtype}")
    need(first.dtype in DTYPES.values(), f"@{name} takes f32, f64 or complex elements, not {first.dtype}")
    if square:
        rows, columns = first.shape[-2:]
        need(rows == columns, f"@{name} takes square matrices, not {rows} by {columns}")


def _empty(call: Call) -> Answer:
    """The results for empty operands: zeros, and identity matrices for floats, as for an empty product."""
    found = []
    for stated in call.parts:
        known = isinstance(stated, TensorType) and stated.is_static
        need(known, f"@{call.call_target_name}: {stated} is not known well enough")
        assert isinstance(stated, TensorType)
        value = np.zeros(stated.sizes, stated.element_type.dtype)
        if value.ndim >= 2 and value.size and not stated.element_type.is_integer:
            value[...] = np.eye(*value.shape[-2:])
        found.append(value)
    return tuple(found)


def info(found: int) -> Array:
    """LAPACK's INFO as an i32 scalar: 0, or the number of the failure."""
    return np.array(found, np.int32)
