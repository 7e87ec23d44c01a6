"""Small networks, forwards and in a training step: what the benchmark compares speeds on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .kinds import Kind

Array = Any
Forward = Callable[..., Array]
RATE = 0.1


def _layer_norm(x: Array) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    return centred * lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5)


def mlp(x: Array, w1: Array, b1: Array, w2: Array, b2: Array, w3: Array) -> Array:
    """784, 256, 128, 10."""
    hidden = jax.nn.relu(x @ w1 + b1)
    return jax.nn.relu(hidden @ w2 + b2) @ w3


def cnn(x: Array, k1: Array, k2: Array, w: Array) -> Array:
    """Two convolutions, each pooled, and a layer."""
    for kernel in (k1, k2):
        x = lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        x = lax.reduce_window(jax.nn.relu(x), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return x.reshape(x.shape[0], -1) @ w


def transformer(x: Array, wqkv: Array, wout: Array, win: Array, wback: Array) -> Array:
    """One block of four heads."""
    batch, length, width = x.shape
    heads = (_layer_norm(x) @ wqkv).reshape(batch, length, 3, 4, width // 4)
    query, key, value = (heads[:, :, part] for part in range(3))
    weights = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", query, key) / (width // 4) ** 0.5)
    x = x + jnp.einsum("bhqk,bkhd->bqhd", weights, value).reshape(x.shape) @ wout
    return x + jax.nn.gelu(_layer_norm(x) @ win) @ wback


def lstm(x: Array, wx: Array, wh: Array, w: Array) -> Array:
    """A scan over 16 steps."""
    width = wh.shape[0]

    def step(state: tuple[Array, Array], row: Array) -> tuple[tuple[Array, Array], None]:
        hidden, cell = state
        gates = row @ wx + hidden @ wh
        i, f, g, o = jnp.split(gates, 4, axis=-1)
        cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
        return (jax.nn.sigmoid(o) * jnp.tanh(cell), cell), None

    zeros = jnp.zeros((x.shape[1], width))
    (hidden, _), _ = lax.scan(step, (zeros, zeros), x)
    return hidden @ w


def scan(x: Array, w: Array) -> Array:
    """A linear recurrence with a non-linearity, every state returned."""

    def step(state: Array, row: Array) -> tuple[Array, Array]:
        state = jnp.tanh(state @ w + row)
        return state, state

    return lax.scan(step, jnp.zeros(x.shape[1:]), x)[1].mean(0)


def batch_norm(x: Array, scale: Array, shift: Array, w: Array) -> Array:
    """Over all but the features, then a layer."""
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    x = (x - mean) * lax.rsqrt(variance + 1e-3) * scale + shift
    return jax.nn.relu(x).mean((1, 2)) @ w


def training(forward: Forward) -> Callable[..., Any]:
    """One step down the gradient of cross-entropy by every weight."""

    def step(x: Array, *weights: Array) -> Any:
        def loss(weights: Sequence[Array]) -> Array:
            scores = forward(x, *weights)
            return -jax.nn.log_softmax(scores)[..., 0].mean()

        value, slopes = jax.value_and_grad(loss)(weights)
        return value, *(old - RATE * slope for old, slope in zip(weights, slopes, strict=True))

    return step


def scaled(*shapes: tuple[int, ...]) -> Callable[[np.random.Generator], tuple[Array, ...]]:
    """Normal f32 arrays; weights by the square root of what comes in."""

    def made(random: np.random.Generator) -> tuple[Array, ...]:
        first = random.standard_normal(shapes[0], np.float32)
        rest = (random.standard_normal(shape, np.float32) for shape in shapes[1:])
        return (first, *(array / np.float32(np.sqrt(np.prod(array.shape[:-1]) or 1)) for array in rest))

    return made


_FORWARD: Mapping[str, tuple[Forward, tuple[tuple[int, ...], ...]]] = {
    "mlp": (mlp, ((32, 784), (784, 256), (256,), (256, 128), (128,), (128, 10))),
    "cnn": (cnn, ((4, 16, 16, 3), (3, 3, 3, 16), (3, 3, 16, 32), (512, 10))),
    "transformer": (transformer, ((2, 32, 64), (64, 192), (64, 64), (64, 256), (256, 64))),
    "lstm": (lstm, ((16, 8, 32), (32, 256), (64, 256), (64, 10))),
    "scan": (scan, ((32, 8, 64), (64, 64))),
    "batch_norm": (batch_norm, ((8, 12, 12, 32), (32,), (32,), (32, 10))),
}
NETWORKS: Mapping[str, Kind] = {
    name: kind
    for network, (forward, shapes) in _FORWARD.items()
    for name, kind in (
        (network, Kind(forward, scaled(*shapes))),
        (f"{network}_training", Kind(training(forward), scaled(*shapes))),
    )
}
"""Each network, and its training step, by name."""
