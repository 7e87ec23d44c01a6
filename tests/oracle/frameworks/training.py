"""Functions as they are trained and served: networks with gradients, recurrences, optimisers, caches, mixed precision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from .kinds import Kind, floats, integers

Array = Any


def attention_with_gradient(x: Array, wqkv: Array, wout: Array) -> Any:
    """Causal attention of two heads, and its gradients by everything."""

    def loss(x: Array, wqkv: Array, wout: Array) -> Array:
        batch, length, width = x.shape
        heads = (x @ wqkv).reshape(batch, length, 3, 2, width // 2)
        query, key, value = (heads[:, :, part] for part in range(3))
        scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / (width // 2) ** 0.5
        causal = jnp.tril(jnp.ones((length, length), bool))
        weights = jax.nn.softmax(jnp.where(causal, scores, -jnp.inf))
        return jnp.sum((jnp.einsum("bhqk,bkhd->bqhd", weights, value).reshape(x.shape) @ wout) ** 2)

    return jax.value_and_grad(loss, (0, 1, 2))(x, wqkv, wout)


def convolution_network_with_gradient(x: Array, k1: Array, k2: Array, w: Array, labels: Array) -> Any:
    """Two convolutions with pooling, cross-entropy, and gradients by the weights."""

    def loss(k1: Array, k2: Array, w: Array) -> Array:
        y = x
        for kernel, stride in ((k1, 1), (k2, 2)):
            y = lax.conv_general_dilated(
                y, kernel, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
            )
            y = lax.reduce_window(jax.nn.relu(y), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME")
        logits = jax.nn.log_softmax(y.reshape(y.shape[0], -1) @ w)
        return -jnp.take_along_axis(logits, labels[:, None], 1).mean()

    return jax.value_and_grad(loss, (0, 1, 2))(k1, k2, w)


def gated_recurrence(x: Array, wx: Array, wh: Array) -> Any:
    """A GRU over the rows of each batch."""
    size = wh.shape[0]

    def step(state: Array, row: Array) -> tuple[Array, Array]:
        inner, outer = jnp.split(row @ wx, [2 * size], -1), jnp.split(state @ wh, [2 * size], -1)
        update, reset = jnp.split(jax.nn.sigmoid(inner[0] + outer[0]), 2, -1)
        state = update * state + (1 - update) * jnp.tanh(inner[1] + reset * outer[1])
        return state, state

    return lax.scan(step, jnp.zeros((x.shape[1], size)), x)


def long_memory_with_gradient(x: Array, wx: Array, wh: Array) -> Any:
    """The gradient through an LSTM, backwards over its scan."""
    size = wh.shape[0]

    def step(carry: tuple[Array, Array], row: Array) -> tuple[tuple[Array, Array], Array]:
        hidden, cell = carry
        i, f, g, o = jnp.split(row @ wx + hidden @ wh, 4, -1)
        cell = jax.nn.sigmoid(f + 1) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
        hidden = jax.nn.sigmoid(o) * jnp.tanh(cell)
        return (hidden, cell), hidden

    def loss(wx: Array, wh: Array) -> Array:
        zeros = jnp.zeros((x.shape[1], size))
        _, all_of_them = lax.scan(step, (zeros, zeros), x, reverse=True)
        return (all_of_them**2).mean()

    return jax.value_and_grad(loss, (0, 1))(wx, wh)


def layer_norm_with_gradient(x: Array, scale: Array, shift: Array) -> Any:
    """Layer norm, batch norm and RMS norm, and the gradients of their sum of squares."""

    def loss(x: Array, scale: Array, shift: Array) -> Array:
        layer = (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * scale + shift
        batch = (x - x.mean(0)) / jnp.sqrt(x.var(0, ddof=1) + 1e-5)
        squares = x * lax.rsqrt((x**2).mean(-1, keepdims=True) + 1e-6)
        return jnp.sum((layer + batch + squares) ** 3)

    return jax.value_and_grad(loss, (0, 1, 2))(x, scale, shift)


def adam_step(x: Array, y: Array, w1: Array, b1: Array, w2: Array, moments: Array, count: Array) -> Any:
    """One step of Adam with a clipped gradient, of a network of two layers."""

    def loss(parameters: Any) -> Array:
        first, bias, second = parameters
        return ((jax.nn.silu(x @ first + bias) @ second - y) ** 2).mean()

    parameters = (w1, b1, w2)
    value, slopes = jax.value_and_grad(loss)(parameters)
    norm = jnp.sqrt(sum(jnp.sum(slope**2) for slope in slopes))
    slopes = jax.tree.map(lambda g: g * jnp.minimum(1.0, 1.0 / (norm + 1e-6)), slopes)
    step = count + 1
    first = jax.tree.map(lambda g, p: 0.9 * moments[0] * jnp.ones_like(p) + 0.1 * g, slopes, parameters)
    second = jax.tree.map(
        lambda g, p: 0.999 * moments[1] * jnp.ones_like(p) + 0.001 * g**2, slopes, parameters
    )

    def moved(p: Array, m: Array, v: Array) -> Array:
        m, v = m / (1 - 0.9 ** step.astype(jnp.float32)), v / (1 - 0.999 ** step.astype(jnp.float32))
        return p - 1e-2 * (m / (jnp.sqrt(v) + 1e-8) + 1e-4 * p)

    return value, step, jax.tree.map(moved, parameters, first, second)


def rematerialised(x: Array, w1: Array, w2: Array) -> Any:
    """Gradients whose forward part is computed again, behind an optimisation barrier."""

    def plain(x: Array, w: Array) -> Array:
        return jnp.sin(jnp.tanh(x @ w) * 2)

    block = jax.checkpoint(plain)
    return jax.grad(lambda x, w1, w2: block(block(x, w1), w2).sum(), (0, 1, 2))(x, w1, w2)


def custom_derivatives(x: Array) -> Any:
    """Functions that state their own derivatives, forwards and backwards."""

    softened: Any = jax.custom_jvp(lambda x: jnp.log1p(jnp.exp(-jnp.abs(x))) + jnp.maximum(x, 0))
    softened.defjvp(lambda primals, tangents: (softened(*primals), jax.nn.sigmoid(*primals) * tangents[0]))

    clipped: Any = jax.custom_vjp(lambda x: x * 2)
    clipped.defvjp(lambda x: (x * 2, x), lambda x, g: (jnp.clip(g, -0.5, 0.5) * jnp.sign(x),))
    value, push = jax.jvp(softened, (x,), (jnp.ones_like(x),))
    return (
        value,
        push,
        jax.grad(lambda x: (softened(clipped(x)) * jnp.cos(x)).sum())(x),
        jax.hessian(lambda v: softened(v).prod())(x[0]),
    )


def mixed_precision(x: Array, w: Array) -> Any:
    """A layer in bf16, f16 and 8-bit floats, with scales; sums in f32."""
    half = x.astype(jnp.bfloat16) @ w.astype(jnp.bfloat16)
    narrow = jax.nn.softmax(x.astype(jnp.float16) @ w.astype(jnp.float16))
    scale = 448 / jnp.max(jnp.abs(w))
    eight = (w * scale).astype(jnp.float8_e4m3fn)
    other = x.astype(jnp.float8_e5m2)
    product = lax.dot(
        other.astype(jnp.bfloat16), eight.astype(jnp.bfloat16), preferred_element_type=jnp.float32
    )
    return (
        half,
        narrow,
        product / scale,
        half.astype(jnp.float32).sum(0),
        eight,
        x.astype(jnp.float8_e4m3b11fnuz),
    )


def small_integers(x: Array, w: Array, bytes: Array) -> Any:
    """int4, uint4 and int8: unpacked, multiplied into i32, and packed again."""
    wide = lax.dot(bytes, bytes.T, preferred_element_type=jnp.int32)
    quantized = jnp.clip(jnp.round(x / 0.1), -8, 7).astype(jnp.int4)
    pairs = lax.bitcast_convert_type(bytes.reshape(-1), jnp.uint4)
    return x @ (w.astype(jnp.float32) * 0.1), wide, quantized.astype(jnp.int8), pairs.astype(jnp.int32).sum(0)


def cached_decoding(tokens: Array, words: Array, wqkv: Array, wout: Array) -> Any:
    """Greedy decoding: keys and values are written into a cache, and read as far as it is filled."""
    length, width = 6, words.shape[1]

    def step(place: Array, state: tuple[Array, ...]) -> tuple[Array, ...]:
        token, keys, values, found = state
        query, key, value = jnp.split(words[token] @ wqkv, 3, -1)
        keys = lax.dynamic_update_slice(keys, key[:, None], (0, place, 0))
        values = lax.dynamic_update_slice(values, value[:, None], (0, place, 0))
        scores = jnp.einsum("bd,bkd->bk", query, keys) / width**0.5
        weights = jax.nn.softmax(jnp.where(jnp.arange(length) <= place, scores, -1e9))
        logits = jnp.einsum("bk,bkd->bd", weights, values) @ wout @ words.T
        token = jnp.argmax(logits, -1).astype(token.dtype)
        return token, keys, values, found.at[:, place].set(token)

    empty = jnp.zeros((tokens.shape[0], length, width))
    start = (tokens, empty, empty, jnp.zeros((tokens.shape[0], length), tokens.dtype))
    return lax.fori_loop(0, length, step, start)


def large_constants(x: Array) -> Array:
    """Tables that are part of the program: printed only where that is asked for."""
    table = np.random.default_rng(7).standard_normal((64, 48)).astype(np.float32)
    order = np.random.default_rng(8).permutation(48).astype(np.int32)
    return jnp.tanh(x @ table)[:, order] + (table[:4, :1] > 0)


def transposed_convolutions(x: Array, kernel: Array, depth: Array) -> Any:
    """Transposed, dilated and depthwise convolutions, and gradients of all of them."""
    names = ("NHWC", "HWIO", "NHWC")

    def outputs(x: Array, kernel: Array, depth: Array) -> tuple[Array, ...]:
        return (
            lax.conv_transpose(x, kernel, (2, 1), "SAME", dimension_numbers=names),
            lax.conv_general_dilated(
                x, kernel, (1, 2), ((2, 2), (0, 1)), rhs_dilation=(2, 1), dimension_numbers=names
            ),
            lax.conv_general_dilated(
                x, depth, (1, 1), "VALID", feature_group_count=3, dimension_numbers=names
            ),
        )

    slopes = jax.grad(lambda *args: sum(jnp.sum(jnp.sin(y)) for y in outputs(*args)), (0, 1, 2))
    return outputs(x, kernel, depth), slopes(x, kernel, depth)


def slopes_of_pooling(x: Array) -> Any:
    """Greatest, least and average values of overlapping windows, and the gradients."""

    def pooled(x: Array) -> Array:
        most = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        least = lax.reduce_window(x, jnp.inf, lax.min, (1, 2, 3, 1), (1, 1, 2, 1), "VALID")
        total = lax.reduce_window(
            x, 0.0, lax.add, (1, 3, 2, 1), (1, 2, 1, 1), ((0, 0), (1, 0), (0, 1), (0, 0))
        )
        return jnp.sum(most**2) + jnp.sum(jnp.cos(least)) + jnp.sum(total**3)

    return jax.value_and_grad(pooled)(x)


def resized(x: Array) -> Any:
    """Images made larger and smaller, by several kernels."""
    return (
        jax.image.resize(x, (9, 11), "bilinear"),
        jax.image.resize(x, (3, 4), "cubic"),
        jax.image.resize(x, (10, 3), "nearest"),
        jax.image.resize(x, (4, 9), "lanczos3"),
    )


TRAINING: Mapping[str, Kind] = {
    "attention_with_gradient": Kind(attention_with_gradient, floats((2, 5, 8), (8, 24), (8, 8))),
    "convolution_network_with_gradient": Kind(
        convolution_network_with_gradient,
        lambda random: (
            *floats((3, 8, 9, 2), (3, 3, 2, 4), (3, 2, 4, 5), (10, 4))(random),
            integers(random, 0, 4, 3),
        ),
    ),
    "gated_recurrence": Kind(gated_recurrence, floats((6, 2, 3), (3, 12), (4, 12))),
    "long_memory_with_gradient": Kind(long_memory_with_gradient, floats((5, 2, 3), (3, 16), (4, 16))),
    "layer_norm_with_gradient": Kind(layer_norm_with_gradient, floats((4, 6), (6,), (6,))),
    "adam_step": Kind(
        adam_step,
        lambda random: (
            *floats((8, 5), (8, 3), (5, 7), (7,), (7, 3))(random),
            np.array([0.01, 0.02], np.float32),
            np.array(3, np.int32),
        ),
    ),
    "rematerialised": Kind(rematerialised, floats((3, 4), (4, 5), (5, 2))),
    "custom_derivatives": Kind(custom_derivatives, floats((3, 4))),
    "mixed_precision": Kind(mixed_precision, floats((4, 8), (8, 6))),
    "small_integers": Kind(
        small_integers,
        lambda random: (
            *floats((3, 4))(random),
            random.integers(-8, 8, (4, 5)).astype(ml_dtypes.int4),
            random.integers(-128, 128, (3, 6)).astype(np.int8),
        ),
    ),
    "cached_decoding": Kind(
        cached_decoding,
        lambda random: (integers(random, 0, 11, 3), *floats((11, 8), (8, 24), (8, 8))(random)),
    ),
    "large_constants": Kind(large_constants, floats((4, 64))),
    "transposed_convolutions": Kind(
        transposed_convolutions, floats((2, 6, 5, 3), (3, 2, 3, 4), (3, 3, 1, 6))
    ),
    "slopes_of_pooling": Kind(slopes_of_pooling, floats((2, 7, 6, 3))),
    "resized": Kind(resized, floats((6, 7))),
}
"""Each by its name."""
