"""LAPACK's factorizations and solvers: LU, QR, Cholesky, triangular and tridiagonal systems."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...errors import RunError
from ...ir.types import TensorType
from ..core.numeric import PRECISE, widen
from ..core.op import Array
from ..transforms.linear_algebra import Transpose, TriangularSolve
from .call import Call
from .configuration import FLAG, Configuration, one_of
from .lapack import batch_target, info, letter, routine
from .target import Answer, Target, batch_maps, check_op, need, with_workspace
from .target_maps import column_maps, pivoted_maps

Results = tuple[Any, ...]


def is_lower(call: Call) -> bool:
    """Whether the call selects the lower triangle."""
    stated = call.setting("lower")
    return stated if isinstance(stated, bool) else letter(call, "uplo", "L") == "L"


def _potrf(call: Call, a: Array) -> Results:
    """The Cholesky factor and INFO; the other triangle stays unchanged."""
    factor, code = routine("potrf", a.dtype)(a, lower=is_lower(call), clean=False)
    return factor, info(code)


def _getrf(call: Call, a: Array) -> Results:
    """LU decomposition; pivots count from 1."""
    factors, pivots, code = routine("getrf", a.dtype)(a)
    return factors, (pivots + 1).astype(np.int32), info(code)


def _lu_decomposition(call: Call, a: Array) -> Results:
    """XLA's own LU decomposition; pivots count from 0, and their permutation is a result too."""
    factors, pivots, _ = routine("getrf", a.dtype)(a)
    pivots = pivots.astype(np.int32)
    return factors, pivots, _permutation(pivots, a.shape[0])


def _permutation(pivots: Array, size: int) -> Array:
    """The permutation from exchanging row `k` with row `pivots[k]` for each `k` in order."""
    order = np.arange(size, dtype=np.int32)
    for row, other in enumerate(pivots.tolist()):
        order[[row, other]] = order[[other, row]]
    return order


def _pivots_to_permutation(call: Call, operands: tuple[Array, ...]) -> Answer:
    """The permutation of pivots that count from 0; it may be longer than the pivots."""
    (pivots,) = operands
    need(pivots.dtype.kind == "i", f"@{call.call_target_name} takes signed integers, not {pivots.dtype}")
    sizes = getattr(call.parts[0], "shape", ()) if call.parts else ()
    size = sizes[-1] if sizes else None
    size = pivots.shape[-1] if size is None else size
    within = bool(np.all((pivots >= 0) & (pivots < size))) and pivots.shape[-1] <= size
    need(within, f"@{call.call_target_name}: pivots are outside [0, {size})")
    batch = pivots.shape[:-1]
    rows = [_permutation(row, size) for row in pivots.reshape(-1, pivots.shape[-1])] if pivots.size else []
    order = (
        np.array(rows, np.int32) if rows else np.broadcast_to(np.arange(size, dtype=np.int32), (*batch, size))
    )
    return (order.reshape(*batch, size),)


def _geqrf(call: Call, a: Array) -> Results:
    found, tau, _, _ = routine("geqrf", a.dtype)(a)
    return found, tau


def _geqp3(call: Call, a: Array, pivots: Array) -> Results:
    """QR with pivoting: columns with a pivot other than 0 come first, in place; norms order the others."""
    count, wanted = len(pivots), a.shape[1]
    need(count == wanted, f"@{call.call_target_name}: {count} pivots for {wanted} columns")
    order, count = np.arange(wanted), 0
    for column in np.flatnonzero(pivots).tolist():
        order[[count, column]] = order[[column, count]]
        count += 1
    found, fixed = np.array(a[:, order]), min(count, a.shape[0])
    tau = np.zeros(min(a.shape), a.dtype)
    if fixed:
        front, tau[:fixed] = _geqrf(call, found[:, :fixed])
        found[:, fixed:] = _multiply(front, tau[:fixed], found[:, fixed:], "L", adjoint=True)
        found[:, :fixed] = front
    if fixed < min(a.shape):
        rest, moved, rest_tau, _, _ = routine("geqp3", a.dtype)(found[fixed:, fixed:])
        # The rows above move together with their columns.
        found[:fixed, fixed:] = found[:fixed, fixed:][:, moved - 1]
        found[fixed:, fixed:], tau[fixed:] = rest, rest_tau
        order[fixed:] = order[fixed:][moved - 1]
    return found, (order + 1).astype(pivots.dtype), tau


def _orgqr(call: Call, a: Array, tau: Array) -> Results:
    rows, columns = a.shape
    fits = len(tau) <= columns <= rows
    need(fits, f"@{call.call_target_name}: {len(tau)} reflections for a matrix of {rows} by {columns}")
    name = "ungqr" if a.dtype.kind == "c" else "orgqr"
    return (routine(name, a.dtype)(a, tau)[0],)


def _ormqr(call: Call, a: Array, tau: Array, c: Array) -> Results:
    left, transpose = call.setting("left"), call.setting("transpose")
    size = c.shape[0] if left else c.shape[1]
    fits = len(tau) <= a.shape[1] and a.shape[0] == size
    need(fits, f"@{call.call_target_name}: {len(tau)} reflections of size {a.shape[0]} for size {size}")
    return (_multiply(a, tau, c, "L" if left else "R", adjoint=bool(transpose)),)


def _multiply(a: Array, tau: Array, c: Array, side: str, adjoint: bool) -> Array:
    """The product of Q, or its adjoint, and c."""
    is_complex = a.dtype.kind == "c"
    how = ("C" if is_complex else "T") if adjoint else "N"
    function = routine("unmqr" if is_complex else "ormqr", a.dtype)
    found: Array = function(side, how, a[:, : len(tau)], tau, c, lwork=max(1, 64 * max(c.shape)))[0]
    return found


def _cusolver_cholesky(call: Call, operands: tuple[Array, ...]) -> Answer:
    """The factor, workspace, and INFO."""
    found = _CHOLESKY.run(call, operands)
    assert isinstance(found, tuple)
    need(len(call.parts) == 3, f"@{call.call_target_name} gives 3 results, but {len(call.parts)} are stated")
    factor, code = found if len(found) == 2 else (found[0], found[-1])
    return *with_workspace(call, [factor])[:2], code


@dataclass(frozen=True)
class CholeskyConfiguration(Configuration):
    """XLA's CholeskyOptions."""

    lower: bool = field(default=False, metadata=FLAG)


def _solver_potrf(call: Call, a: Array) -> Results:
    factor, code = routine("potrf", a.dtype)(
        a, lower=call.configuration(CholeskyConfiguration).lower, clean=False
    )
    return factor, info(code)


_TRANSPOSES = {"N": Transpose.NO_TRANSPOSE, "T": Transpose.TRANSPOSE, "C": Transpose.ADJOINT}


def _lapack_system(call: Call) -> TriangularSolve:
    """triangular_solve with LAPACK's letters for attributes. Operand 2, if present, is a scale."""
    a, b = _sides(call, 3)
    how = letter(call, "trans_x", "N")
    need(how in _TRANSPOSES, f"@{call.call_target_name}: trans_x is {how!r}, not N, T or C")
    left, unit = letter(call, "side", "L") == "L", letter(call, "diag", "N") == "U"
    return check_op(call, TriangularSolve(a, b, left, is_lower(call), unit, _TRANSPOSES[how]))


@dataclass(frozen=True)
class TriangularSolveConfiguration(Configuration):
    """XLA's TriangularSolveOptions."""

    left_side: bool = field(default=False, metadata=FLAG)
    lower: bool = field(default=False, metadata=FLAG)
    unit_diagonal: bool = field(default=False, metadata=FLAG)
    transpose_a: Transpose = field(
        default=Transpose.NO_TRANSPOSE, metadata=one_of({each.value: each for each in Transpose})
    )


def _cublas_system(call: Call) -> TriangularSolve:
    """triangular_solve with settings for attributes; missing settings are false."""
    a, b = _sides(call, 2)
    config = call.configuration(TriangularSolveConfiguration)
    op = TriangularSolve(a, b, config.left_side, config.lower, config.unit_diagonal, config.transpose_a)
    return check_op(call, op)


def _sides(call: Call, most: int) -> tuple[TensorType, TensorType]:
    name, count = call.call_target_name, len(call.inputs)
    wanted = "2" if most == 2 else f"2 to {most}"
    need(2 <= count <= most, f"@{name} takes {wanted} operands, not {count}")
    a, b = call.inputs[:2]
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        return a, b
    raise RunError(f"@{name} takes tensors, not {a} and {b}")


def _solver(system: Callable[[Call], TriangularSolve]) -> Target:
    """A target that solves the systems of all matrices of a batch together."""

    def run(call: Call, operands: tuple[Array, ...]) -> Answer:
        op, (a, b, *scale) = system(call), operands
        fits = all(x.ndim == 0 and x.dtype == b.dtype for x in scale)
        need(fits, f"@{call.call_target_name}: the scale must be a scalar of {b.dtype}")
        if scale:
            b = (widen(b, PRECISE) * widen(scale[0], PRECISE)).astype(b.dtype)
        settled = replace(op, a=op.a.with_shape(a.shape), b=op.b.with_shape(b.shape))
        return with_workspace(call, [check_op(call, settled).evaluate(a, b)])

    return Target(run, twin=lambda call: _static(system(call)))


def _static(op: TriangularSolve) -> TriangularSolve | None:
    return op if op.a.is_static and op.b.is_static else None


def _gtsv(call: Call, lower: Array, main: Array, upper: Array, b: Array) -> Results:
    """A tridiagonal solver. All diagonals have the length of the main one; the lower's first and the upper's last element are unused."""
    size = len(main)
    need(
        len(lower) == len(upper) == len(b) == size, f"@{call.call_target_name}: diagonals of different sizes"
    )
    if size == 1:  # SciPy needs two rows: add one that has no effect
        one, none = np.ones(1, b.dtype), np.zeros_like(b)
        _, found, _, x, code = routine("gtsv", b.dtype)(
            0 * one, np.concatenate([main, one]), 0 * one, np.concatenate([b, none])
        )
        return lower, found[:1], upper, x[:1], info(code)
    second, found, first, x, code = routine("gtsv", b.dtype)(lower[1:], main, upper[:-1], b)
    lower, upper = np.array(lower), np.array(upper)
    lower[1 : 1 + len(second)], upper[: len(first)] = second, first
    return lower, found, upper, x, info(code)


def _gtsv2(call: Call, lower: Array, main: Array, upper: Array, b: Array) -> Results:
    """A tridiagonal solver that returns only the solution."""
    return (_gtsv(call, lower, main, upper, b)[3],)


def as_lapack(name: str) -> list[str]:
    """The names of a routine's LAPACK targets, one per type."""
    return [f"lapack_{letter}{name}_ffi" for letter in "sdcz"]


def as_solver(name: str) -> list[str]:
    """The names of the same routine on GPUs."""
    return [f"{library}solver_{name}_ffi" for library in ("cu", "hip")]


_NO_FACTOR = "{0} is not positive definite"
_CHOLESKY = batch_target(_solver_potrf, 2, square=True)
_LU = replace(batch_target(_getrf, 2), maps=pivoted_maps, packs_triangles=True)
_QR, _Q, _Q_TIMES = (
    replace(batch_target(_geqrf, 2), maps=column_maps, packs_triangles=True),
    batch_target(_orgqr, 2, 1),
    batch_target(_ormqr, 2, 1, 2),
)

TARGETS: dict[str, Target] = {
    **dict.fromkeys(
        (*as_lapack("potrf"), *as_solver("potrf")),
        replace(batch_target(_potrf, 2, square=True), failure=_NO_FACTOR),
    ),
    "__cusolver$cholesky": Target(_cusolver_cholesky, (2,), batch_maps(2, enclosing=True), is_cubic=True),
    **dict.fromkeys((*as_lapack("getrf"), *as_solver("getrf"), "cublas_getrf_batched_ffi"), _LU),
    **dict.fromkeys((*as_lapack("geqrf"), *as_solver("geqrf"), "cublas_geqrf_batched_ffi", "Qr"), _QR),
    **dict.fromkeys((*as_lapack("orgqr"), *as_lapack("ungqr"), *as_solver("orgqr")), _Q),
    "ProductOfElementaryHouseholderReflectors": _Q,
    **dict.fromkeys((*as_lapack("ormqr"), *as_lapack("unmqr"), *as_solver("ormqr")), _Q_TIMES),
    **dict.fromkeys(as_lapack("geqp3"), batch_target(_geqp3, 2, 1)),
    **dict.fromkeys(as_lapack("trsm"), _solver(_lapack_system)),
    "__cublas$triangularSolve": _solver(_cublas_system),
    **dict.fromkeys(as_lapack("gtsv"), batch_target(_gtsv, 1, 1, 1, 2)),
    **dict.fromkeys(("cusparse_gtsv2_ffi", "hipsparse_gtsv2_ffi"), batch_target(_gtsv2, 1, 1, 1, 2)),
    "LuDecomposition": replace(batch_target(_lu_decomposition, 2), maps=pivoted_maps, packs_triangles=True),
    **dict.fromkeys(
        ("lu_pivots_to_permutation", "cu_lu_pivots_to_permutation", "hip_lu_pivots_to_permutation"),
        Target(_pivots_to_permutation, (1,), batch_maps(1, enclosing=True)),
    ),
}
