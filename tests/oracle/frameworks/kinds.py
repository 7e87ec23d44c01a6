"""Functions whose exported programs use what frameworks print: control flow, linear algebra, small types, …"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

Array = Any


@dataclass(frozen=True)
class Kind:
    """A function, and what makes its arguments from a generator of random numbers."""

    function: Callable[..., Any]
    arguments: Callable[[np.random.Generator], tuple[Array, ...]]


def floats(*shapes: tuple[int, ...]) -> Callable[[np.random.Generator], tuple[Array, ...]]:
    """Normal f32 arrays of the given shapes."""
    return lambda random: tuple(random.normal(size=shape).astype(np.float32) for shape in shapes)


def gradient_of_convolution(x: Array, kernel: Array) -> Any:
    """Gradients by input and kernel: convolutions with dilations, swapped dimensions, reversal."""

    def loss(x: Array, kernel: Array) -> Array:
        return jnp.sum(
            lax.conv_general_dilated(x, kernel, (2, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            ** 2
        )

    return jax.grad(loss, (0, 1))(x, kernel)


def grouped_convolution(x: Array, kernel: Array) -> Array:
    """Two groups of features, and a dilated kernel."""
    return lax.conv_general_dilated(
        x, kernel, (1, 1), ((1, 2), (0, 1)), rhs_dilation=(2, 1), feature_group_count=2
    )


def gradient_of_pooling(x: Array) -> Array:
    """The gradient of a maximum pool: select_and_scatter."""

    def loss(x: Array) -> Array:
        pooled = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        return jnp.sum(pooled * jnp.cos(pooled))

    return jax.grad(loss)(x)


def symmetric_eigenvalues(x: Array) -> Any:
    """Eigenvalues of a symmetric matrix, and the matrix made of them again."""
    values, vectors = jnp.linalg.eigh(x + x.T)
    return values, (vectors * values) @ vectors.T


def sorted_by_several(a: Array, b: Array, c: Array) -> Any:
    """Three arrays by two keys."""
    return lax.sort((a, b, c), dimension=0, num_keys=2)


def argument_sort(x: Array) -> Any:
    """Indices in order, and the greatest few."""
    return jnp.argsort(x, axis=1), jnp.sort(x, axis=0, descending=True), lax.top_k(x, 3)


def sorted_of_any_type(x: Array) -> Any:
    """Comparators that JAX writes for each kind of number, for one key and several, with NaN and -0."""
    x = jnp.where(x > 1, jnp.nan, jnp.where(x < -1, -0.0, x))
    types = (jnp.float32, jnp.bfloat16, jnp.float16, jnp.int32, jnp.uint8, jnp.bool_)
    values = [x.astype(found) for found in types] + [lax.complex(x, x[::-1])]
    found = (
        [(jnp.sort(v, axis=0), jnp.argsort(v, axis=1), jnp.argsort(v, descending=True)) for v in values],
        [lax.sort((a, b), dimension=1, num_keys=2) for a, b in pairwise(values)],
        lax.sort((values[-1], *values), dimension=0, num_keys=3),
        lax.sort(values[0], is_stable=False),
        jnp.median(values[0], axis=1),
        jnp.lexsort((x[0], values[3][0])),
    )
    return jax.tree.map(lambda v: (v.real, v.imag) if jnp.iscomplexobj(v) else v, found)


def scan_in_scan(x: Array, w: Array) -> Any:
    """A recurrence over rows, in each of whose steps one over columns runs."""

    def outer(carry: Array, row: Array) -> tuple[Array, Array]:
        def inner(state: Array, element: Array) -> tuple[Array, Array]:
            state = jnp.tanh(state * 0.5 + element)
            return state, state * 2

        last, all = lax.scan(inner, carry.sum(), row)
        carry = jnp.tanh(carry @ w + last)
        return carry, all.sum() + carry

    return lax.scan(outer, jnp.zeros(w.shape[0]), x)


def four_bits(x: Array, w: Array) -> Array:
    """Weights in int4, scaled back."""
    return x @ (w.astype(jnp.float32) * 0.1)


def eight_bit_floats(x: Array, w: Array) -> Array:
    """A product of f8E4M3FN, accumulated in f32."""
    return lax.dot(
        x.astype(jnp.float8_e4m3fn), w.astype(jnp.float8_e4m3fn), preferred_element_type=jnp.float32
    )


def brain_floats(x: Array, w: Array) -> Array:
    """A layer in bf16 with layer norm in f32."""
    y = jax.nn.gelu(x.astype(jnp.bfloat16) @ w.astype(jnp.bfloat16))
    wide = y.astype(jnp.float32)
    return ((wide - wide.mean(-1, keepdims=True)) * lax.rsqrt(wide.var(-1, keepdims=True) + 1e-3)).astype(
        jnp.bfloat16
    )


def special_functions(x: Array) -> Any:
    """CHLO: erf, its inverse, gamma functions, Bessel."""
    inside = jnp.tanh(x) * 0.9
    return (
        jax.scipy.special.erf(x),
        jax.scipy.special.erfinv(inside),
        jax.scipy.special.gammaln(jnp.abs(x) + 0.5),
        jax.scipy.special.digamma(jnp.abs(x) + 0.5),
        jnp.sinh(x),
        jnp.arcsinh(x),
        jax.scipy.special.i1e(x),
        jnp.nextafter(x, x + 1),
    )


def interpolated(x: Array) -> Array:
    """An image made larger: gathers, weights and contractions."""
    return jax.image.resize(x, (7, 9), "bilinear")


def gradient_of_loop(x: Array, w: Array) -> Any:
    """The gradient through a scan, with rematerialisation."""

    def step(state: Array, row: Array) -> tuple[Array, Array]:
        state = jnp.tanh(state @ w + row)
        return state, state.sum()

    remembered = jax.checkpoint(step)

    def loss(w: Array, x: Array) -> Array:
        return lax.scan(remembered, jnp.zeros(w.shape[0]), x @ jnp.ones((x.shape[1], w.shape[0])))[1].sum()

    return jax.grad(loss, (0, 1))(w, x)


def integers(random: np.random.Generator, low: int, high: int, *shape: int) -> Array:
    """i32."""
    return random.integers(low, high, shape).astype(np.int32)


KINDS: Mapping[str, Kind] = {
    "gradient_of_convolution": Kind(gradient_of_convolution, floats((2, 7, 6, 3), (3, 2, 3, 4))),
    "grouped_convolution": Kind(grouped_convolution, floats((2, 4, 8, 7), (6, 2, 3, 2))),
    "gradient_of_pooling": Kind(gradient_of_pooling, floats((2, 7, 8, 3))),
    "symmetric_eigenvalues": Kind(symmetric_eigenvalues, floats((5, 5))),
    "sorted_by_several": Kind(
        sorted_by_several,
        lambda random: (
            integers(random, 0, 4, 20),
            random.normal(size=20).round(0).astype(np.float32),
            np.arange(20, dtype=np.int32),
        ),
    ),
    "argument_sort": Kind(argument_sort, floats((4, 7))),
    "sorted_of_any_type": Kind(sorted_of_any_type, floats((6, 9))),
    "scan_in_scan": Kind(scan_in_scan, floats((5, 6), (4, 4))),
    "four_bits": Kind(
        four_bits,
        lambda random: (*floats((3, 4))(random), random.integers(-8, 8, (4, 5)).astype(ml_dtypes.int4)),
    ),
    "eight_bit_floats": Kind(eight_bit_floats, floats((3, 8), (8, 4))),
    "brain_floats": Kind(brain_floats, floats((4, 8), (8, 16))),
    "special_functions": Kind(special_functions, floats((4, 5))),
    "interpolated": Kind(interpolated, floats((4, 5))),
    "gradient_of_loop": Kind(gradient_of_loop, floats((5, 3), (4, 4))),
}
"""Each kind by its name."""


def rows_of_any_number(x: Array, w: Array) -> Any:
    """Softmax of a layer whose batch is not known."""
    y = jax.nn.softmax(x @ w)
    return y, jnp.concatenate([y, y]).reshape(-1), jnp.cumsum(y, 0)[::2], x.sum(0)


def two_unknowns(x: Array, y: Array) -> Any:
    """All pairs: broadcasts to sizes that are computed."""
    difference = x[:, None] - y[None, :]
    return difference**2, jnp.argmin(jnp.abs(difference), 1), jnp.pad(jnp.flip(x, 0), ((1, 2), (0, 0)))


def shapes_of_any_number(x: Array) -> Any:
    """Ops that are told sizes, places and paddings when they run."""
    size = x.shape[0]
    return (
        (
            x[1:-1],
            x[::2],
            x.reshape(-1),
            jnp.pad(x, ((1, 2), (0, 0))),
            lax.pad(x, 0.0, ((size, 0, 1), (0, 0, 0))),
        ),
        (jnp.arange(size), jnp.zeros(size * 2), jnp.eye(size), jnp.tril(x)),
        (jnp.take(x, jnp.array([1, 0]), axis=1), x[jnp.arange(size)[::-1]], x.at[1:].set(0.0)),
        (lax.dynamic_slice_in_dim(x, 1, size - 2), lax.dynamic_update_slice(x, x[:2] * 2, (size - 2, 0))),
    )


def windows_of_any_number(x: Array) -> Any:
    """Convolutions and pooling whose padding follows from a size; the slope of pooling."""

    def pooled(y: Array) -> Array:
        return lax.reduce_window(y, -jnp.inf, lax.max, (2, 1), (2, 1), "VALID").sum()

    image, kernel = x[None, None], jnp.ones((1, 1, 3, 3))
    return (
        lax.conv_general_dilated(image, kernel, (2, 1), "SAME"),
        lax.reduce_window(x, 0.0, lax.add, (2, 1), (2, 1), "SAME"),
        jax.grad(pooled)(x),
    )


def order_of_any_number(x: Array) -> Any:
    """Sorting, the largest elements, and a loop as long as there are rows."""
    largest = lax.top_k(x.T, x.shape[0] - 1)
    total = lax.fori_loop(0, x.shape[0], lambda row, so_far: so_far + x[row], jnp.zeros(x.shape[1]))
    return jnp.sort(x, 0), jnp.argsort(x, 0), lax.top_k(x, 3), largest, total, jnp.median(x, 0)


def random_of_any_number(x: Array) -> Any:
    """Random numbers in a shape that is not known, of both of JAX's generators."""
    shape = (x.shape[0], 3)
    return [jax.random.uniform(jax.random.key(7, impl=name), shape) for name in ("threefry2x32", "rbg")]


DYNAMIC: Mapping[str, tuple[Kind, tuple[str, ...]]] = {
    "rows_of_any_number": (Kind(rows_of_any_number, floats((5, 4), (4, 3))), ("batch, 4", "4, 3")),
    "two_unknowns": (Kind(two_unknowns, floats((5, 2), (3, 2))), ("n, 2", "m, 2")),
    "shapes_of_any_number": (Kind(shapes_of_any_number, floats((6, 4))), ("n + 3, 4",)),
    "windows_of_any_number": (Kind(windows_of_any_number, floats((7, 4))), ("n + 3, 4",)),
    "order_of_any_number": (Kind(order_of_any_number, floats((5, 4))), ("n + 3, 4",)),
    "random_of_any_number": (Kind(random_of_any_number, floats((5, 4))), ("n + 3, 4",)),
}
"""Kinds exported with sizes that are not known, as jax.export writes them."""
