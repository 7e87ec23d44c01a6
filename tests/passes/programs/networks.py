"""Networks, forwards."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from .registry import f32, i32, of, program


@program(f32(16, 32), f32(32, 24), f32(24), f32(24, 8))
def mlp(x: Any, w: Any, b: Any, v: Any) -> Any:
    """Two layers and the usual ends of a network."""
    hidden = jax.nn.relu(x @ w + b)
    return jax.nn.softmax(hidden @ v, axis=-1), jnp.clip(hidden, 0.5, 2.0)


@program(f32(8, 16), f32(24, 16, 16))
def deep_net(x: Any, weights: Any) -> Any:
    """24 layers, written out."""
    for layer in range(24):
        x = jnp.tanh(x @ weights[layer] * 0.4) + 0.5 * x
    return x - x.mean(0)


@program(f32(2, 12, 12, 3), f32(3, 3, 3, 8), f32(8), f32(72, 5))
def cnn(image: Any, kernel: Any, bias: Any, head: Any) -> Any:
    """A convolution, pooling and a head."""
    numbers = ("NHWC", "HWIO", "NHWC")
    found = lax.conv_general_dilated(image, kernel, (2, 2), "SAME", dimension_numbers=numbers)
    found = jax.nn.relu(found + bias)
    pooled = lax.reduce_window(found, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return jax.nn.log_softmax(pooled.reshape(2, -1) @ head)


@program(f32(2, 5, 5, 4), f32(3, 3, 6, 4))
def conv_transposed(image: Any, kernel: Any) -> Any:
    """What decoders have."""
    return jnp.tanh(lax.conv_transpose(image, kernel, (2, 2), "SAME", transpose_kernel=True)) / 3.0


@program(f32(2, 8, 24), f32(8, 4, 3))
def conv_groups(signal: Any, kernel: Any) -> Any:
    """A convolution in groups, dilated."""
    numbers = ("NCH", "OIH", "NCH")
    return lax.conv_general_dilated(
        *(signal, kernel, (1,), [(2, 2)]),
        rhs_dilation=(2,),
        dimension_numbers=numbers,
        feature_group_count=2,
    )


@program(f32(2, 9, 9, 3))
def pooling(image: Any) -> Any:
    """Means and maxima of windows."""
    window, strides = (1, 3, 3, 1), (1, 2, 2, 1)
    largest = lax.reduce_window(image, -jnp.inf, lax.max, window, strides, "SAME")
    total = lax.reduce_window(image, 0.0, lax.add, window, strides, "VALID")
    return largest, total / 9.0, lax.reduce_window(image, 0.0, lax.add, (1, 9, 9, 1), (1, 1, 1, 1), "SAME")


@program(f32(7, 4, 6), f32(6, 32), f32(8, 32), f32(32))
def lstm(xs: Any, w: Any, u: Any, b: Any) -> Any:
    """A cell over a sequence."""

    def cell(state: Any, x: Any) -> Any:
        hidden, memory = state
        gates = x @ w + hidden @ u + b
        i, f, g, o = jnp.split(gates, 4, axis=-1)
        memory = jax.nn.sigmoid(f + 1.0) * memory + jax.nn.sigmoid(i) * jnp.tanh(g)
        hidden = jax.nn.sigmoid(o) * jnp.tanh(memory)
        return (hidden, memory), hidden

    start = jnp.zeros((4, 8)), jnp.zeros((4, 8))
    return lax.scan(cell, start, xs)


@program(f32(2, 10, 16), f32(16, 48), f32(16, 16))
def attention(x: Any, w: Any, out: Any) -> Any:
    """Four heads with a causal mask."""
    q, k, v = (part.reshape(2, 10, 4, 4) for part in jnp.split(x @ w, 3, axis=-1))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 2.0
    scores = jnp.where(jnp.tril(jnp.ones((10, 10), bool)), scores, -1e9)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1), v)
    return mixed.reshape(2, 10, 16) @ out


def layer_norm(x: Any, scale: Any) -> Any:
    """Over the last axis."""
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale


def block(x: Any, w: Any, up: Any, down: Any, scale: Any) -> Any:
    """A block of a transformer with two heads."""
    y = layer_norm(x, scale)
    q, k, v = (part.reshape(*x.shape[:2], 2, -1) for part in jnp.split(y @ w, 3, axis=-1))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / jnp.sqrt(q.shape[-1])
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1), v)
    x = x + mixed.reshape(x.shape)
    return x + jax.nn.gelu(layer_norm(x, scale) @ up) @ down


@program(f32(2, 6, 16), f32(16, 48), f32(16, 32), f32(32, 16), f32(16))
def transformer_block(x: Any, w: Any, up: Any, down: Any, scale: Any) -> Any:
    """One block."""
    return block(x, w, up, down, scale)


@program(f32(2, 6, 16), f32(4, 16, 48), f32(4, 16, 32), f32(4, 32, 16), f32(16))
def transformer_scan(x: Any, w: Any, up: Any, down: Any, scale: Any) -> Any:
    """Four blocks in a loop."""

    def step(y: Any, weights: Any) -> Any:
        return block(y, weights[0], weights[1], weights[2], scale), y.mean()

    found, means = lax.scan(step, x, (w * 0.3, up * 0.3, down * 0.3))
    return found, means


@program(f32(6, 5, 5, 4), f32(4), f32(4))
def batch_norm(x: Any, scale: Any, offset: Any) -> Any:
    """With the statistics of the batch, and running ones."""
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    return (
        (x - mean) / jnp.sqrt(variance + 1e-3) * scale + offset,
        0.9 * scale + 0.1 * mean,
        0.9 * offset + 0.1 * variance,
    )


@program(i32(3, 7), f32(11, 8), f32(7, 8), f32(8, 11))
def embedding(tokens: Any, table: Any, places: Any, head: Any) -> Any:
    """Rows of a table by number."""
    x = jnp.take(table, tokens % 11, axis=0) + places
    return jax.nn.log_softmax(x @ head, axis=-1)


@program(of("bfloat16", 8, 32), of("bfloat16", 32, 32), of("bfloat16", 32, 16))
def mlp_bf16(x: Any, w: Any, v: Any) -> Any:
    """In bf16 all through."""
    hidden = jax.nn.gelu(x @ w)
    return jax.nn.softmax(hidden @ v, axis=-1), hidden.mean(0)


@program(of("float16", 8, 16), of("float16", 16, 16))
def mlp_f16(x: Any, w: Any) -> Any:
    """In f16 all through."""
    hidden = jnp.tanh(x @ w * jnp.float16(0.25))
    return hidden, hidden.sum(0) / jnp.float16(8)


@program(f32(8, 16), f32(16, 16))
def mixed_precision(x: Any, w: Any) -> Any:
    """Products in bf16, the rest in f32."""
    hidden = jnp.dot(x.astype(jnp.bfloat16), w.astype(jnp.bfloat16), preferred_element_type=jnp.float32)
    return jax.nn.silu(hidden) - hidden.mean(-1, keepdims=True)


@program(f32(8, 16), f32(16, 8))
def float8(x: Any, w: Any) -> Any:
    """Scaled to eight bits, and back."""
    scale = jnp.max(jnp.abs(x)) / 448.0
    narrow = (x / scale).astype(jnp.float8_e4m3fn)
    weights = jnp.clip(w, -8.0, 8.0).astype(jnp.float8_e5m2)
    return (narrow.astype(jnp.float32) * scale) @ weights.astype(jnp.float32)


@program(of("int8", 8, 16), of("int8", 16, 12), f32(12))
def quantised(x: Any, w: Any, scale: Any) -> Any:
    """A product of bytes, and its requantisation."""
    total = lax.dot_general(x, w, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32)
    real = total.astype(jnp.float32) * scale / 64.0
    return jnp.clip(jnp.round(real), -128, 127).astype(jnp.int8), total.max(0)
