"""Programs for one device that are dumped in ways of their own, or that no program of JAX in `oracle/frameworks` is like."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from .registry import f32, i32, of, program


@program(f32(8, 16), f32(24, 16, 16))
def deep_net(x: Any, weights: Any) -> Any:
    """24 layers, written out."""
    for layer in range(24):
        x = jnp.tanh(x @ weights[layer] * 0.4) + 0.5 * x
    return x - x.mean(0)


@program(f32(2, 5, 5, 4), f32(3, 3, 6, 4))
def conv_transposed(image: Any, kernel: Any) -> Any:
    """What decoders have."""
    return jnp.tanh(lax.conv_transpose(image, kernel, (2, 2), "SAME", transpose_kernel=True)) / 3.0


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


@program(of("bfloat16", 8, 32), of("bfloat16", 32, 32), of("bfloat16", 32, 16))
def mlp_bf16(x: Any, w: Any, v: Any) -> Any:
    """In bf16 all through."""
    hidden = jax.nn.gelu(x @ w)
    return jax.nn.softmax(hidden @ v, axis=-1), hidden.mean(0)


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


def squared_error(weights: Any, x: Any, y: Any) -> Any:
    """Of two layers."""
    hidden = jax.nn.relu(x @ weights[0])
    return jnp.mean((hidden @ weights[1] - y) ** 2)


@program(i32(2, 8), f32(16, 8), f32(8, 16), passes=".+")
def embedding_training(tokens: Any, table: Any, head: Any) -> Any:
    """Slopes of a table of rows: a scatter. A text after every pass."""

    def loss(weights: Any) -> Any:
        logits = weights[0][tokens % 16] @ weights[1]
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), tokens[..., None] % 16, axis=-1).mean()

    return jax.value_and_grad(loss)((table, head))


@program(f32(3, 40))
def top_k(x: Any) -> Any:
    """The greatest and their places."""
    return lax.top_k(x, 5)


@program(f32(12, 4), i32(6), f32(6, 4))
def scatters(x: Any, at: Any, rows: Any) -> Any:
    """Rows that are added, set and taken the greater of."""
    at = jnp.abs(at) % 12
    return x.at[at].add(rows), x.at[at].max(rows), x.at[jnp.arange(6) * 2].set(rows), x.at[3:5].multiply(0.5)


@program(f32(6, 8), f32(8, 8), pipelines="^simplification$")
def one_pipeline(x: Any, w: Any) -> Any:
    """Of which only the simplification is dumped: a folder of a few texts."""
    return (x @ w - x) / 2.0, jnp.maximum(x, 0.25) * 3.0


@program(f32(8, 8), f32(8), pipelines="^(HLO_passes_after|HLO passes after layout assignment)")
def after_layout(x: Any, b: Any) -> Any:
    """Of which only what follows layouts is dumped."""
    return jnp.exp(x - b) / 1.5, jnp.minimum(x[1:] - x[:-1], 0.75)
