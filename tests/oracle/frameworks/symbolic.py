"""Linear algebra of batches and sizes that are not known: LAPACK's calls then have operands that state shapes.

Signs and order are a library's choice: what is compared is the same whichever it takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
from jax import lax

from .kinds import Array, Kind, floats

SQUARE = "batch, n, n"


def _symmetric(x: Array) -> Array:
    return x + jnp.conj(jnp.swapaxes(x, -1, -2))


def _complex(x: Array) -> Array:
    return x + 1j * jnp.flip(x, -1)


def _positive(x: Array) -> Array:
    return x @ jnp.conj(jnp.swapaxes(x, -1, -2)) + 3 * jnp.eye(x.shape[-1])


def cholesky(x: Array) -> Any:
    """potrf."""
    return [lax.linalg.cholesky(_positive(y), symmetrize_input=False) for y in (x, _complex(x))]


def triangular(x: Array, y: Array) -> Any:
    """trsm, from both sides, transposed or not."""
    a = jnp.tril(x) + 3 * jnp.eye(x.shape[-1])
    solve = lax.linalg.triangular_solve
    return (
        solve(a, y, left_side=True, lower=True),
        solve(a, jnp.swapaxes(y, -1, -2), lower=True, transpose_a=True),
        solve(
            _complex(a), _complex(y), left_side=True, conjugate_a=True, transpose_a=True, unit_diagonal=True
        ),
    )


def lower_upper(x: Array, y: Array) -> Any:
    """getrf, and what is made of it."""
    return lax.linalg.lu(x), jnp.linalg.solve(x, y), jnp.linalg.det(x), lax.linalg.lu(_complex(x))


def orthogonal(x: Array) -> Any:
    """geqrf, orgqr and ungqr."""
    return [
        (q @ r, jnp.conj(jnp.swapaxes(q, -1, -2)) @ q)
        for y in (x, _complex(x))
        for full in (False, True)
        for q, r in [lax.linalg.qr(y, full_matrices=full)]
    ]


def pivoted(x: Array) -> Any:
    """geqp3."""
    q, r, order = lax.linalg.qr(x, pivoting=True, full_matrices=False)
    return q @ r, order


def reflections(x: Array, tau: Array) -> Any:
    """orgqr of given reflections."""
    return lax.linalg.householder_product(x, tau)


def singular(x: Array) -> Any:
    """gesdd and gesvd, with vectors and without."""
    found: list[Any] = [jnp.linalg.svd(x, compute_uv=False)]
    for algorithm in (lax.linalg.SvdAlgorithm.DEFAULT, lax.linalg.SvdAlgorithm.QR):
        for y in (x, _complex(x)):
            u, s, vt = lax.linalg.svd(y, full_matrices=False, algorithm=algorithm)
            found += [s, (u * s[..., None, :].astype(y.dtype)) @ vt]
    return found


def symmetric(x: Array) -> Any:
    """syevd and heevd."""
    found = []
    for y in (_symmetric(x), _symmetric(_complex(x))):
        vectors, values = lax.linalg.eigh(y)
        found += [
            values,
            (vectors * values[..., None, :].astype(y.dtype)) @ jnp.conj(jnp.swapaxes(vectors, -1, -2)),
        ]
    return found


def eigenvalues(x: Array) -> Any:
    """geev: a product of values and vectors is that of the matrix and the vectors."""
    values, left, right = lax.linalg.eig(x)
    own = x.astype(values.dtype) @ right - right * values[..., None, :]
    return jnp.sum(values, -1), jnp.abs(own) < 1e-4, jnp.abs(left).sum(-2) > 0


def schur(x: Array) -> Any:
    """gees."""
    form, vectors = lax.linalg.schur(x)
    return vectors @ form @ jnp.swapaxes(vectors, -1, -2), jnp.trace(form, axis1=-2, axis2=-1)


def hessenberg(x: Array) -> Any:
    """gehrd."""
    return lax.linalg.hessenberg(x)


def tridiagonal(x: Array) -> Any:
    """sytrd and hetrd."""
    return lax.linalg.tridiagonal(_symmetric(x)), lax.linalg.tridiagonal(_symmetric(_complex(x)))


def tridiagonal_system(x: Array, y: Array) -> Any:
    """gtsv."""
    return lax.linalg.tridiagonal_solve(0.1 * x, 3 + x, 0.2 * x, y)


def largest(x: Array) -> Any:
    """ApproxTopK, of a batch and of a line whose size is not known."""
    return lax.approx_max_k(x, 3), lax.approx_min_k(x, 2, reduction_dimension=0)


def largest_by_size(x: Array) -> Any:
    """stablehlo.dynamic_approx_top_k: how many follows from a size."""
    return lax.approx_max_k(x, x.shape[-1] - 2)


SYMBOLIC: Mapping[str, tuple[Kind, tuple[str, ...]]] = {
    "cholesky": (Kind(cholesky, floats((2, 4, 4))), (SQUARE,)),
    "triangular": (Kind(triangular, floats((2, 4, 4), (2, 4, 3))), (SQUARE, "batch, n, m")),
    "lower_upper": (Kind(lower_upper, floats((2, 4, 4), (2, 4, 3))), (SQUARE, "batch, n, 3")),
    "orthogonal": (Kind(orthogonal, floats((2, 5, 3))), ("batch, 5, 3",)),
    "pivoted": (Kind(pivoted, floats((2, 5, 3))), ("batch, 5, 3",)),
    "reflections": (Kind(reflections, floats((2, 4, 4), (2, 4))), (SQUARE, "batch, n")),
    "singular": (Kind(singular, floats((2, 5, 3))), ("batch, n + 3, 3",)),
    "symmetric": (Kind(symmetric, floats((2, 4, 4))), (SQUARE,)),
    "eigenvalues": (Kind(eigenvalues, floats((2, 4, 4))), (SQUARE,)),
    "schur": (Kind(schur, floats((2, 4, 4))), (SQUARE,)),
    "hessenberg": (Kind(hessenberg, floats((2, 4, 4))), ("batch, 4, 4",)),
    "tridiagonal": (Kind(tridiagonal, floats((2, 4, 4))), (SQUARE,)),
    "tridiagonal_system": (
        Kind(tridiagonal_system, floats((2, 4), (2, 4, 3))),
        ("batch, n", "batch, n, m"),
    ),
    "largest": (Kind(largest, floats((6, 8))), ("n + 4, 8",)),
    "largest_by_size": (Kind(largest_by_size, floats((3, 8))), ("batch, n + 4",)),
}
"""Kinds exported with sizes that are not known."""
