"""Linear algebra, transforms, sums and number formats."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from .registry import f32, i32, of, program


@program(f32(6, 6))
def cholesky(a: Any) -> Any:
    """Of a matrix that has one."""
    return jnp.linalg.cholesky(a @ a.T + 2.0 * jnp.eye(6))


@program(f32(7, 4))
def qr(a: Any) -> Any:
    """Both factors."""
    return jnp.linalg.qr(a)


@program(f32(6, 6), f32(6, 3))
def triangular_solve(a: Any, b: Any) -> Any:
    """With the lower triangle."""
    lower = jnp.tril(a) + 4.0 * jnp.eye(6)
    return lax.linalg.triangular_solve(lower, b, left_side=True, lower=True)


@program(f32(5, 5))
def eigh(a: Any) -> Any:
    """Eigenvalues of a symmetric matrix."""
    return jnp.linalg.eigvalsh(a + a.T)


@program(f32(6, 6), f32(6))
def power_iteration(a: Any, x: Any) -> Any:
    """The greatest eigenvalue, by products."""

    def step(_: Any, y: Any) -> Any:
        y = (a @ a.T) @ y
        return y / jnp.linalg.norm(y)

    found = lax.fori_loop(0, 12, step, x)
    return found @ (a @ a.T @ found)


@program(f32(5, 5))
def gauss_jordan(a: Any) -> Any:
    """An inverse, row by row."""
    whole = jnp.concatenate([a + 5.0 * jnp.eye(5), jnp.eye(5)], axis=1)

    def step(k: Any, m: Any) -> Any:
        row = m[k] / m[k, k]
        return (m - jnp.outer(m[:, k], row)).at[k].set(row)

    return lax.fori_loop(0, 5, step, whole)[:, 5:]


@program(f32(4, 16))
def fft(x: Any) -> Any:
    """There, filtered and back."""
    spectrum = jnp.fft.rfft(x)
    return jnp.fft.irfft(spectrum * jnp.exp(-jnp.arange(9) / 4.0)), jnp.abs(jnp.fft.fft2(x))


@program(of("complex64", 5, 4), of("complex64", 4, 3))
def complex_product(a: Any, b: Any) -> Any:
    """Products and functions of complex numbers."""
    product = a @ b
    return jnp.exp(1j * jnp.angle(product)) * 2.0, jnp.abs(product), product.conj().T / (1.0 + 2.0j)


@program(f32(3, 4, 5), f32(5, 6, 3), f32(4, 6))
def einsum(a: Any, b: Any, c: Any) -> Any:
    """Contractions over several axes."""
    return jnp.einsum("ijk,kli->jl", a, b) - c, jnp.einsum("ijk,kli,jl->i", a, b, c)


@program(f32(7, 5, 4), f32(7, 4, 3))
def vmap(a: Any, b: Any) -> Any:
    """A product for each row of a batch."""
    return jax.vmap(lambda x, y: jax.nn.softmax(x @ y) - x.mean())(a, b)


@program(f32(6, 17))
def cumulative(x: Any) -> Any:
    """Sums, products and maxima that run on."""
    return jnp.cumsum(x, axis=1), jnp.cumprod(x / 2.0, axis=0), lax.cummax(x, axis=1, reverse=True)


@program(f32(24, 3), f32(24, 3))
def associative_scan(a: Any, b: Any) -> Any:
    """A linear recurrence in a tree."""

    def join(one: Any, other: Any) -> Any:
        return one[0] * other[0], one[1] * other[0] + other[1]

    return lax.associative_scan(join, (jnp.tanh(a), b))[1]


@program(f32(64, 130))
def statistics(x: Any) -> Any:
    """Long sums."""
    mean = x.mean(1, keepdims=True)
    return x.sum(), jnp.sqrt(((x - mean) ** 2).mean(1)), jax.nn.logsumexp(x, axis=0)


@program(f32(9, 8))
def special_functions(x: Any) -> Any:
    """What NumPy does not have."""
    y = jnp.abs(x) + 0.5
    return lax.erf(x), lax.lgamma(y), lax.digamma(y), lax.erf_inv(jnp.tanh(x) * 0.9)


@program(f32(33))
def elementary_functions(x: Any) -> Any:
    """Powers, logarithms, angles."""
    y = jnp.abs(x) + 0.1
    return (
        y ** (x / 2.0) - jnp.cbrt(y),
        jnp.arctan2(x, y) + jnp.expm1(x) / jnp.log1p(y),
        jnp.sin(3.0 * x) * jnp.cos(x),
    )


@program(i32(40), i32(40))
def integers(a: Any, b: Any) -> Any:
    """Division, shifts and bits."""
    divisor = jnp.where(b == 0, 3, b)
    bits = lax.population_count(a ^ (b << 3))
    return a // divisor, a % divisor, bits, lax.clz(jnp.abs(a) + 1), jnp.clip(a * b, -5, 6)


@program(of("uint32", 12, 3))
def hashes(x: Any) -> Any:
    """Numbers that wrap around."""
    y = (x ^ (x >> 16)) * jnp.uint32(0x45D9F3B)
    y = (y ^ (y >> 13)) * jnp.uint32(0xC2B2AE35)
    return y, lax.bitcast_convert_type((y >> 9) | jnp.uint32(0x3F800000), jnp.float32) - 1.0


@program(f32(4, 4))
def random_numbers(x: Any) -> Any:
    """From a key: normal, uniform, yes or no."""
    keys = jax.random.split(jax.random.key(7), 3)
    noise = jax.random.normal(keys[0], (4, 4))
    kept = jax.random.bernoulli(keys[1], 0.8, (4, 4))
    return jnp.where(kept, x + 0.1 * noise, 0.0), jax.random.randint(keys[2], (5,), 0, 100)


@program(f32(4, 6))
def random_bits(x: Any) -> Any:
    """From XLA's own generator."""
    key = jax.random.key(3, impl="rbg")
    return x * jax.random.uniform(key, (4, 6)) / 0.5


@program(f32(12, 2))
def pairwise_distances(x: Any) -> Any:
    """Of all points to all others, and the nearest."""
    apart = ((x[:, None] - x[None]) ** 2).sum(-1)
    return jnp.sqrt(apart + 1e-6), jnp.argmin(apart + 10.0 * jnp.eye(12), axis=1)


@program(f32(6, 8), f32(8, 8), pipelines="^simplification$")
def one_pipeline(x: Any, w: Any) -> Any:
    """Of which only the simplification is dumped: a folder of a few texts."""
    return (x @ w - x) / 2.0, jnp.maximum(x, 0.25) * 3.0


@program(f32(8, 8), f32(8), pipelines="^(HLO_passes_after|HLO passes after layout assignment)")
def after_layout(x: Any, b: Any) -> Any:
    """Of which only what follows layouts is dumped."""
    return jnp.exp(x - b) / 1.5, jnp.minimum(x[1:] - x[:-1], 0.75)
