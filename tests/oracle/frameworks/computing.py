"""Functions of numerical programs: linear algebra, transforms, sorting, indexing, loops, random numbers, bits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .kinds import Kind, floats, integers

Array = Any


def batched_solves(a: Array, b: Array) -> Any:
    """LU, Cholesky, QR and triangular systems of batches of matrices."""
    definite = a @ jnp.swapaxes(a, -1, -2) + 2 * jnp.eye(a.shape[-1])
    factor = jnp.linalg.cholesky(definite)
    q, r = jnp.linalg.qr(a)
    return (
        jnp.linalg.solve(definite, b),
        lax.linalg.triangular_solve(factor, b, left_side=True, lower=True),
        q @ r,
        jnp.linalg.inv(definite),
        jnp.linalg.det(definite),
        jax.vmap(jax.scipy.linalg.cho_solve, ((0, None), 0))((factor, True), b),
    )


def powers_of_matrices(a: Array) -> Any:
    """Powers, the exponential, the pseudo-inverse, norms."""
    small = a / 4
    return (
        jnp.linalg.matrix_power(small, 5),
        jax.scipy.linalg.expm(small),
        jnp.linalg.norm(a, 2),
        jnp.linalg.pinv(a) @ a,
        jnp.kron(a, jnp.eye(2)),
        jnp.trace(a),
    )


def transforms(x: Array) -> Any:
    """Fourier transforms of odd and even sizes, real and complex, of three dimensions, and a convolution by them."""
    z = lax.complex(x, jnp.roll(x, 1))
    both = [
        jnp.fft.fftn(z),
        jnp.fft.ifft(z, axis=0),
        jnp.fft.rfftn(x),
        jnp.fft.fftshift(jnp.fft.fft(z, axis=1)),
    ]
    found = [part for y in both for part in (y.real, y.imag)]
    return found, jnp.fft.irfft(jnp.fft.rfft(x), n=x.shape[-1]), jnp.convolve(x[0, 0], x[0, 1], mode="full")


def unique_and_found(x: Array, numbers: Array) -> Any:
    """Distinct values up to a number of them, places of others among them, ties in the order of places."""
    values, places, inverse, counts = jnp.unique(
        numbers, size=6, fill_value=-1, return_index=True, return_inverse=True, return_counts=True
    )
    return (
        (values, places, inverse, counts),
        jnp.searchsorted(jnp.sort(x), jnp.linspace(-2, 2, 9)),
        jnp.nonzero(numbers > 2, size=8, fill_value=99),
        jnp.argsort(numbers),
        lax.top_k(x, 4),
        lax.top_k(-numbers, 3),
        jnp.quantile(x, jnp.array([0.1, 0.5, 0.9])),
        lax.approx_max_k(x, 3),
    )


def segments_of_any_kind(values: Array, ids: Array) -> Any:
    """Scatters that add, multiply, and take the least and the greatest; histograms."""
    return (
        jax.ops.segment_min(values, ids, 6),
        jax.ops.segment_max(values, ids, 6, indices_are_sorted=False),
        jax.ops.segment_prod(values, ids, 6),
        jnp.bincount(ids, weights=values[:, 0], length=7),
        jnp.histogram(values, bins=5, range=(-2, 2))[0],
        jax.grad(lambda v: jax.ops.segment_sum(v, ids, 6).prod())(values),
    )


def windows(x: Array) -> Any:
    """Running sums and extremes both ways, dilated windows, differences."""
    return (
        jnp.cumsum(x, 1)[:, ::-1],
        lax.cumsum(x, 0, reverse=True),
        lax.cumprod(x, 1),
        lax.cummax(x, 1, reverse=True),
        lax.cummin(x, 0),
        lax.cumlogsumexp(x, 1),
        lax.reduce_window(x, 0.0, lax.add, (2, 3), (1, 2), ((1, 1), (0, 2)), window_dilation=(2, 1)),
        lax.reduce_window(x, 1.0, lax.mul, (2, 2), (1, 1), "VALID", base_dilation=(1, 2)),
        jnp.diff(x, axis=1),
    )


def indexing_zoo(x: Array, rows: Array, columns: Array) -> Any:
    """Gathers and scatters with every mode, with batches, with windows, with indices outside."""
    inside = jnp.clip(rows, 0, x.shape[0] - 1)
    return (
        (x[rows, columns], x[rows[:, None], columns[None]], x.at[rows].get(mode="fill", fill_value=-7)),
        (x.at[rows, columns].add(1.0), x.at[rows, columns].multiply(2.0), x.at[:, columns].min(0.1)),
        (x.at[rows].max(0.3, mode="drop"), x.at[inside].apply(jnp.sin), x.at[1:3, ::2].set(5.0)),
        jnp.take_along_axis(x[: len(rows)], rows[:, None], axis=1, mode="clip"),
        jax.vmap(lambda row, at: lax.dynamic_slice(row, (at,), (3,)))(x[: len(rows)], columns),
        jax.vmap(lambda row, at: row.at[at].add(2.0))(x[: len(rows)], columns),
        jax.vmap(lambda at: lax.dynamic_update_slice(x, jnp.ones((2, 2)), (at, at)))(rows),
        jnp.select([x > 1, x < -1], [x * 2, x * 3], 0.5),
        jax.grad(lambda x: (x[rows, columns] ** 2).sum())(x),
    )


def early_exit(x: Array, most: Array) -> Any:
    """While loops that stop for two reasons, one in the other, with branches inside."""

    def outer(state: Any) -> Any:
        count, value, _ = state

        def inner(state: Any) -> Any:
            number, total = state
            odd = lax.cond(number % 2 == 1, lambda t: t * 3 + 1, lambda t: t / 2, total)
            return number + 1, odd

        number, total = lax.while_loop(lambda s: (s[0] < 4) & (s[1] < 50), inner, (count % 3, value))
        return count + 1, total, lax.switch(number % 3, [jnp.sin, jnp.cos, lambda t: -t], total)

    def goes_on(state: Any) -> Any:
        return (state[0] < most) & (jnp.abs(state[1]) < 1000)

    loop = jax.jit(lambda v: lax.while_loop(goes_on, outer, (jnp.int32(0), v, jnp.float32(0))))
    return loop(x[0]), loop(x[1] * 100), lax.map(lambda v: lax.cond(v > 0, jnp.exp, jnp.negative, v), x)


def vmapped_control_flow(x: Array, counts: Array) -> Any:
    """Loops and branches that vmap makes selects of."""

    def halved(v: Array) -> Array:
        return lax.while_loop(lambda s: jnp.abs(s) > 0.5, lambda s: s / 2, v * 8)

    def summed(count: Array, v: Array) -> Array:
        return lax.fori_loop(0, count, lambda k, total: total + v * k, 0.0)

    return (
        jax.vmap(halved)(x),
        jax.vmap(summed)(counts, x),
        jax.vmap(lambda c, v: lax.switch(c, [jnp.sin, jnp.exp, jnp.tanh], v))(counts, x),
        jax.vmap(lambda v: lax.cond(v > 0, lambda: v, lambda: v * 10))(x),
        jax.vmap(lambda v: lax.scan(lambda c, r: (c * 0.5 + r, c), v, x)[0])(x),
    )


def einsum_zoo(a: Array, b: Array, c: Array) -> Any:
    """Contractions, batches, diagonals, outer products and traces."""
    return (
        jnp.einsum("ijk,kl->ijl", a, b),
        jnp.einsum("ijk,ijk->i", a, a),
        jnp.einsum("ijk,kl,lm->im", a, b, c),
        jnp.einsum("ii->i", c),
        jnp.einsum("i,j->ij", a[0, 0], b[0]),
        jnp.einsum("ijk,ljk->il", a, a),
        jnp.einsum("...k,k...->...", a[0], a[0].T),
        jnp.tensordot(a, a, ((0, 1), (0, 1))),
        jnp.dot(a, b, precision="highest"),
    )


def complex_algebra(x: Array, y: Array) -> Any:
    """Products, quotients, powers, functions, a solution and a gradient of complex numbers."""
    z, w = lax.complex(x, y), lax.complex(y, x + 1)
    found = [
        z * w,
        z / w,
        z**3,
        jnp.exp(z),
        jnp.log(w),
        jnp.sqrt(w),
        jnp.tanh(z),
        jnp.linalg.solve(z + 3 * jnp.eye(z.shape[0]), w),
        jnp.einsum("ij,kj->ik", z, w.conj()),
        jax.grad(lambda v: jnp.abs(v * v).sum())(z),
        jnp.cumsum(z, 0),
        jnp.where(x > 0, z, w),
    ]
    return [part for v in found for part in (v.real, v.imag)], jnp.abs(z), jnp.angle(w), z == w


def generators(seed: Array) -> Any:
    """Random bits, numbers, choices and permutations of the generators that JAX has."""
    key = jax.random.wrap_key_data(seed[:2], impl="threefry2x32")
    other = jax.random.wrap_key_data(seed, impl="rbg")
    one, two, three = jax.random.split(key, 3)
    return (
        (jax.random.bits(one, (7,)), jax.random.bits(two, (5,), jnp.uint8), jax.random.bits(other, (6,))),
        (jax.random.uniform(one, (3, 4)), jax.random.normal(two, (3, 3)), jax.random.normal(other, (4,))),
        jax.random.categorical(three, jnp.log(jnp.array([0.1, 0.2, 0.7])), shape=(5,)),
        (jax.random.permutation(one, 9), jax.random.choice(two, 10, (4,), replace=False)),
        jax.random.gamma(three, 2.0, (3,)),
        jax.random.key_data(jax.random.fold_in(key, 5)),
        (jax.random.truncated_normal(one, -1, 1, (4,)), jax.random.bernoulli(two, 0.3, (6,))),
    )


def associative(x: Array, a: Array) -> Any:
    """Parallel prefixes: of pairs that compose, of matrices, of maxima, backwards."""

    def composed(left: Any, right: Any) -> Any:
        return left[0] * right[0], left[1] * right[0] + right[1]

    return (
        lax.associative_scan(composed, (jnp.tanh(x), x), axis=0),
        lax.associative_scan(jnp.matmul, a / 2),
        lax.associative_scan(jnp.maximum, x, reverse=True, axis=1),
    )


def special_functions_of_two(x: Array, y: Array) -> Any:
    """Incomplete gamma and beta functions, zeta, polygamma, the normal distribution and its inverse, Bessel."""
    a, b = jnp.abs(x) + 0.5, jnp.abs(y) + 0.5
    inside = jax.nn.sigmoid(x)
    return (
        jax.scipy.special.gammainc(a, b),
        jax.scipy.special.zeta(a + 1, b),
        jax.scipy.special.polygamma(2, a),
        jax.scipy.special.ndtri(inside),
        jax.scipy.special.erfc(x),
        jax.scipy.special.i0e(x),
        jax.scipy.special.logsumexp(x, axis=1),
        jax.scipy.special.xlogy(a, b),
        jnp.sinc(x),
        jnp.arctan2(x, y),
        jnp.hypot(x, y),
    )


def bits_and_integers(a: Array, b: Array) -> Any:
    """Division and remainder of any signs, shifts beyond the width, counts of bits, casts that wrap."""
    unsigned = lax.bitcast_convert_type(a, jnp.uint32)
    return (
        (a // b, a % b, lax.div(a, b), lax.rem(a, b), lax.integer_pow(a, 3)),
        (a << (b & 31), a >> 3, lax.shift_right_logical(unsigned, jnp.uint32(5)), a & b, a | b, a ^ b, ~a),
        (lax.population_count(a), lax.clz(unsigned), jnp.sign(a), jnp.abs(a)),
        (
            a.astype(jnp.int8),
            a.astype(jnp.uint16),
            a.astype(jnp.bool_),
            (a.astype(jnp.float32) * 3.7).astype(jnp.int16),
        ),
        lax.bitcast_convert_type(a, jnp.uint8),
        jnp.gcd(a, b),
    )


def movements(x: Array) -> Any:
    """Padding, tiling, rolling, reversing, splitting, sorting axes: no arithmetic at all."""
    return (
        lax.pad(x, 9.0, ((1, 2, 1), (-1, 0, 2), (0, 0, 0))),
        jnp.tile(x, (2, 1, 2)),
        jnp.roll(x, (1, -2), (0, 2)),
        x[:, ::-1, ::2].transpose(2, 0, 1).reshape(-1, 3),
        jnp.stack(jnp.split(x, 3, axis=1)),
        jnp.concatenate([x, x[:1]], 0),
        jnp.repeat(x, jnp.array([1, 2]), axis=0, total_repeat_length=4),
        jnp.broadcast_to(x[:, None], (2, 5, *x.shape[1:])),
        jnp.triu(x[0]),
        jnp.meshgrid(x[0, 0], x[0, :, 0]),
        lax.rev(x, (0, 2)),
        jnp.pad(x, ((0, 0), (1, 1), (2, 0)), mode="reflect"),
    )


def reductions(x: Array) -> Any:
    """Sums, products, extremes and their places, truth, moments, of several dimensions, with a function of one's own."""
    two = lax.reduce((x, x * 2), (0.0, -jnp.inf), lambda a, b: (a[0] + b[0], jnp.maximum(a[1], b[1])), (1,))
    return (
        (x.sum((0, 2)), x.prod(1), x.max(), x.min(0), x.argmax(-1), x.argmin(1)),
        ((x > 0).all(0), (x > 2).any((1, 2)), jnp.count_nonzero(x > 0, 2)),
        (x.var(1), x.std(), jnp.median(x, 0), jnp.ptp(x, 2)),
        two,
        lax.reduce(x, 1.0, lambda a, b: a * b + 0.0, (0, 1)),
        jnp.nansum(jnp.where(x > 1, jnp.nan, x), 1),
    )


def ragged_products(x: Array, w: Array, sizes: Array) -> Any:
    """Rows in groups, each group with a matrix of its own."""
    return lax.ragged_dot(x, w, sizes), jax.grad(
        lambda x, w: (lax.ragged_dot(x, w, sizes) ** 2).sum(), (0, 1)
    )(x, w)


def factors_in_full(a: Array) -> Any:
    """Complete QR, singular vectors of tall and wide matrices, singular values alone."""
    q, r = jnp.linalg.qr(a, mode="complete")
    u, s, v = jnp.linalg.svd(a, full_matrices=True)
    narrow, values, wide = jnp.linalg.svd(a.T, full_matrices=False)
    count = s.shape[-1]
    return (
        q @ r,
        (u[:, :count] * s) @ v[:count],
        (narrow * values) @ wide,
        jnp.linalg.svd(a, compute_uv=False),
    )


def three_diagonals(a: Array, b: Array) -> Any:
    """A tridiagonal system, and eigenvalues from the upper triangle."""
    diagonals = [jnp.full(b.shape[0], value) for value in (0.1, 3.0, 0.2)]
    return lax.linalg.tridiagonal_solve(*diagonals, b), lax.linalg.eigh(a + a.T, lower=False)[1]


COMPUTING: Mapping[str, Kind] = {
    "batched_solves": Kind(batched_solves, floats((3, 4, 4), (3, 4, 2))),
    "factors_in_full": Kind(factors_in_full, floats((6, 4))),
    "three_diagonals": Kind(three_diagonals, floats((4, 4), (5, 2))),
    "powers_of_matrices": Kind(powers_of_matrices, floats((4, 4))),
    "transforms": Kind(transforms, floats((3, 4, 5))),
    "unique_and_found": Kind(
        unique_and_found, lambda random: (*floats((16,))(random), integers(random, 0, 5, 16))
    ),
    "segments_of_any_kind": Kind(
        segments_of_any_kind, lambda random: (*floats((12, 3))(random), integers(random, 0, 6, 12))
    ),
    "windows": Kind(windows, floats((5, 7))),
    "indexing_zoo": Kind(
        indexing_zoo,
        lambda random: (*floats((6, 7))(random), integers(random, -2, 9, 4), integers(random, 0, 7, 4)),
    ),
    "early_exit": Kind(early_exit, lambda random: (*floats((4,))(random), np.array(5, np.int32))),
    "vmapped_control_flow": Kind(
        vmapped_control_flow, lambda random: (*floats((5,))(random), integers(random, 0, 3, 5))
    ),
    "einsum_zoo": Kind(einsum_zoo, floats((3, 4, 5), (5, 6), (6, 6))),
    "complex_algebra": Kind(complex_algebra, floats((4, 4), (4, 4))),
    "generators": Kind(generators, lambda random: (random.integers(0, 2**32, 4).astype(np.uint32),)),
    "associative": Kind(associative, floats((7, 3), (5, 2, 2))),
    "special_functions_of_two": Kind(special_functions_of_two, floats((3, 5), (3, 5))),
    "bits_and_integers": Kind(
        bits_and_integers,
        lambda random: (integers(random, -(2**31), 2**31, 6), integers(random, -9, 9, 6) * 2 + 1),
    ),
    "movements": Kind(movements, floats((2, 3, 4))),
    "reductions": Kind(reductions, floats((3, 4, 5))),
    "ragged_products": Kind(
        ragged_products, lambda random: (*floats((6, 3), (3, 3, 4))(random), np.array([2, 1, 3], np.int32))
    ),
}
"""Each by its name."""
