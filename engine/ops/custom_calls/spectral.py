"""LAPACK's singular values and eigenvalues, and the Hessenberg and Schur forms."""

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from ...ir.types import TensorType
from ..core.op import Array
from .call import Call
from .configuration import FLAG, Configuration
from .factorizations import as_lapack, as_solver, is_lower
from .lapack import batch_target, info, letter, routine
from .target import Answer, Target, need, static_tensor

Results = tuple[Any, ...]


def _svd(call: Call, a: Array, name: str) -> Results:
    """The operand, singular values, vectors and INFO. LAPACK overwrites its operand; here it stays unchanged."""
    mode = letter(call, "mode", "A")
    wanted, full = mode != "N", mode == "A"
    u, s, vt, code = routine(name, a.dtype)(a, compute_uv=wanted, full_matrices=full)
    if not wanted:  # the results have space for them nevertheless
        u, vt = (np.zeros(_matrix_shape(call, number), a.dtype) for number in (2, 3))
    return a, s, u, vt, info(code)


def _matrix_shape(call: Call, result: int) -> tuple[int, ...]:
    found = call.parts[result] if result < len(call.parts) else None
    known = isinstance(found, TensorType) and found.is_static and found.rank >= 2
    need(known, f"@{call.call_target_name}: result {result} must be matrices, not {found}")
    return found.sizes[-2:] if isinstance(found, TensorType) else ()


@dataclass(frozen=True)
class SolverSvdConfiguration(Configuration):
    """JAX's settings of cuSOLVER's singular value decompositions."""

    full_matrices: bool = field(default=True, metadata=FLAG)
    compute_uv: bool = field(default=True, metadata=FLAG)
    transposed: bool = field(default=False, metadata=FLAG)


@dataclass(frozen=True)
class SolverGeevConfiguration(Configuration):
    """JAX's settings for cuSOLVER: which eigenvectors to compute."""

    left: bool = field(default=False, metadata=FLAG)
    right: bool = field(default=False, metadata=FLAG)


def _solver_svd(call: Call, a: Array) -> Results:
    """The results of cuSOLVER's gesvd; for a transposed matrix the right vectors precede the left ones."""
    u, s, vt, code = _solver_parts(call, a)
    transposed = call.configuration(SolverSvdConfiguration).transposed
    return (a, s, vt, u, info(code)) if transposed else (a, s, u, vt, info(code))


def _jacobi_svd(call: Call, a: Array) -> Results:
    """The results of cuSOLVER's gesvdj and gesvdp, with the right vectors as columns."""
    u, s, vt, code = _solver_parts(call, a)
    return a, s, u, np.conjugate(vt.T), info(code)


def _solver_parts(call: Call, a: Array) -> Results:
    full = call.configuration(SolverSvdConfiguration).full_matrices
    found: Results = routine("gesvd", a.dtype)(a, compute_uv=True, full_matrices=full)
    return found


def _optional_vectors(target: Target) -> Target:
    """`target` with zeros of the stated types in place of vectors that the call does not request."""

    def run(call: Call, operands: tuple[Array, ...]) -> Answer:
        found = target.run(call, operands)
        assert isinstance(found, tuple)
        if call.configuration(SolverSvdConfiguration).compute_uv or len(call.parts) != len(found):
            return found
        stated = [static_tensor(call, number) for number in (2, 3)]
        zeros = [np.zeros(each.sizes, each.element_type.dtype) for each in stated]
        return *found[:2], *zeros, *found[4:]

    return replace(target, run=run)


def _solver_geev(call: Call, a: Array) -> Results:
    """The results of cuSOLVER: complex eigenvalues, and a real matrix's vectors in LAPACK's packing, two columns per pair."""
    config = call.configuration(SolverGeevConfiguration)
    left, right = config.left, config.right
    *values, vl, vr, code = routine("geev", a.dtype)(a, compute_vl=left, compute_vr=right)
    number = np.result_type(a.dtype, np.complex64)
    w = (values[0] if len(values) == 1 else values[0] + 1j * values[1]).astype(number)
    return a, w, _vectors(vl, left, a), _vectors(vr, right, a), info(code)


def _syevd(call: Call, a: Array) -> Results:
    """Eigenvectors (or the operand, if the call requests none) and eigenvalues in increasing order."""
    wanted = letter(call, "mode", "V") == "V"
    name = "heevd" if a.dtype.kind == "c" else "syevd"
    values, vectors, code = routine(name, a.dtype)(a, compute_v=wanted, lower=is_lower(call))
    return (vectors if wanted else a), values, info(code)


def _eigh(call: Call, a: Array) -> Results:
    """XLA's own eigendecomposition; its settings are text, first the flag for the lower triangle."""
    config = getattr(call.attributes.get("hlo_backend_config", call.backend_config), "value", "") or "1"
    name = "heevd" if a.dtype.kind == "c" else "syevd"
    values, vectors, _ = routine(name, a.dtype)(a, lower=not config.startswith("0"))
    return vectors, values


def _geev(call: Call, a: Array) -> Results:
    """Eigenvalues, of a real matrix as real and imaginary parts, and eigenvectors, which are always complex."""
    left, right = (letter(call, f"compute_{side}", "V") == "V" for side in ("left", "right"))
    *values, vl, vr, code = routine("geev", a.dtype)(a, compute_vl=left, compute_vr=right)
    if a.dtype.kind == "c":
        return *values, _vectors(vl, left, a), _vectors(vr, right, a), info(code)
    number = np.result_type(a.dtype, np.complex64)
    vl, vr = (
        _pair(_vectors(vectors, wanted, a), values[1]).astype(number)
        for vectors, wanted in ((vl, left), (vr, right))
    )
    return *values, vl, vr, info(code)


def _vectors(found: Array, wanted: bool, a: Array) -> Array:
    return found if wanted else np.zeros(a.shape, a.dtype)


def _pair(vectors: Array, imaginary: Array) -> Array:
    """The complex eigenvectors of LAPACK's real columns; conjugate eigenvalues have a real and an imaginary column."""
    found = vectors.astype(np.complex128)
    first = np.flatnonzero(imaginary > 0)
    found[:, first] = vectors[:, first] + 1j * vectors[:, first + 1]
    found[:, first + 1] = np.conjugate(found[:, first])
    return found


def _gees(call: Call, a: Array) -> Results:
    """The Schur form, its vectors, the eigenvalues, and the number selected: 0, because they are not sorted."""
    need(
        letter(call, "sort", "N") == "N",
        f"@{call.call_target_name} sorts by a function outside of the program",
    )
    wanted = letter(call, "mode", "V") == "V"
    form, _, *values, vectors, _, code = routine("gees", a.dtype)(lambda *_: 0, a, compute_v=wanted)
    vectors = vectors if wanted else np.zeros(a.shape, a.dtype)
    return form, vectors, *values, info(0), info(code)


def _gehrd(call: Call, a: Array) -> Results:
    """The Hessenberg form; `low` and `high` count from 1."""
    size = len(a)
    low, high = (call.setting(name) for name in ("low", "high"))
    low, high = (int(x) if isinstance(x, int) else default for x, default in ((low, 1), (high, size)))
    need(1 <= low <= high <= size, f"@{call.call_target_name}: rows {low} to {high} of {size}")
    found, tau, code = routine("gehrd", a.dtype)(a, lo=low - 1, hi=high - 1)
    return found, tau, info(code)


def _sytrd(call: Call, a: Array) -> Results:
    name = "hetrd" if a.dtype.kind == "c" else "sytrd"
    found, diagonal, beside, tau, code = routine(name, a.dtype)(a, lower=is_lower(call))
    return found, diagonal, beside, tau, info(code)


TARGETS: dict[str, Target] = {
    **dict.fromkeys(as_lapack("gesdd"), batch_target(partial(_svd, name="gesdd"), 2)),
    **dict.fromkeys(as_lapack("gesvd"), batch_target(partial(_svd, name="gesvd"), 2)),
    **dict.fromkeys(
        (*as_solver("gesvd"), *as_solver("gesdd")), _optional_vectors(batch_target(_solver_svd, 2))
    ),
    **dict.fromkeys(
        (*as_solver("gesvdj"), *as_solver("gesvdp")), _optional_vectors(batch_target(_jacobi_svd, 2))
    ),
    **dict.fromkeys(
        (*as_lapack("syevd"), *as_lapack("heevd"), *as_solver("syevd")), batch_target(_syevd, 2, square=True)
    ),
    "Eigh": batch_target(_eigh, 2, square=True),
    **dict.fromkeys(as_lapack("geev"), batch_target(_geev, 2, square=True)),
    **dict.fromkeys(as_solver("geev"), batch_target(_solver_geev, 2, square=True)),
    **dict.fromkeys(as_lapack("gees"), batch_target(_gees, 2, square=True)),
    **dict.fromkeys(as_lapack("gehrd"), batch_target(_gehrd, 2, square=True)),
    **dict.fromkeys(
        (*as_lapack("sytrd"), *as_lapack("hetrd"), *as_solver("sytrd")), batch_target(_sytrd, 2, square=True)
    ),
}
