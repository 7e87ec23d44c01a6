"""Steps of training, and optimisers."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from .networks import block
from .registry import f32, i32, program


def _loss(weights: Any, x: Any, y: Any) -> Any:
    hidden = jax.nn.relu(x @ weights[0])
    return jnp.mean((hidden @ weights[1] - y) ** 2)


@program(f32(12, 16), f32(16, 4), f32(8, 12), f32(8, 4))
def sgd_step(w: Any, v: Any, x: Any, y: Any) -> Any:
    """Plain descent."""
    loss, slopes = jax.value_and_grad(_loss)((w, v), x, y)
    return loss, [weight - 0.05 * slope for weight, slope in zip((w, v), slopes, strict=True)]


@program(f32(12, 16), f32(16, 4), f32(12, 16), f32(16, 4), f32(8, 12), f32(8, 4))
def adam_step(w: Any, v: Any, mw: Any, mv: Any, x: Any, y: Any) -> Any:
    """With both moments and their corrections."""
    slopes = jax.grad(_loss)((w, v), x, y)
    found = []
    for weight, before, slope in zip((w, v), (mw, mv), slopes, strict=True):
        mean = 0.9 * before + 0.1 * slope
        square = 0.999 * mean**2 + 0.001 * slope**2
        found.append(weight - 0.01 * (mean / 0.19) / (jnp.sqrt(square / 0.002) + 1e-3))
    return found


@program(f32(12, 16), f32(16, 4), f32(5, 8, 12), f32(5, 8, 4))
def momentum_loop(w: Any, v: Any, xs: Any, ys: Any) -> Any:
    """Five steps in a loop."""

    def step(state: Any, batch: Any) -> Any:
        weights, speeds = state
        loss, slopes = jax.value_and_grad(_loss)(weights, *batch)
        speeds = jax.tree.map(lambda speed, slope: 0.9 * speed - 0.01 * slope, speeds, slopes)
        return (jax.tree.map(jnp.add, weights, speeds), speeds), loss

    weights = w * 0.2, v * 0.2
    return lax.scan(step, (weights, jax.tree.map(jnp.zeros_like, weights)), (xs, ys))


@program(f32(3, 3, 1, 4), f32(64, 3), f32(4, 8, 8, 1), f32(4, 3))
def cnn_training(kernel: Any, head: Any, images: Any, wanted: Any) -> Any:
    """Slopes of convolutions and of pooling."""

    def loss(weights: Any) -> Any:
        numbers = ("NHWC", "HWIO", "NHWC")
        found = lax.conv_general_dilated(images, weights[0], (1, 1), "SAME", dimension_numbers=numbers)
        pooled = lax.reduce_window(jax.nn.relu(found), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        logits = pooled.reshape(4, -1) @ weights[1]
        return -(jax.nn.log_softmax(logits) * jax.nn.softmax(wanted)).sum(-1).mean()

    return jax.value_and_grad(loss)((kernel, head))


@program(f32(6, 3, 5), f32(5, 6), f32(6, 6))
def rnn_training(xs: Any, w: Any, u: Any) -> Any:
    """Slopes through a loop."""

    def loss(weights: Any) -> Any:
        def cell(state: Any, x: Any) -> Any:
            state = jnp.tanh(x @ weights[0] + state @ weights[1])
            return state, state

        last, states = lax.scan(cell, jnp.zeros((3, 6)), xs)
        return (last**2).mean() + 0.1 * states.sum()

    return jax.value_and_grad(loss)((w, u * 0.5))


@program(f32(2, 6, 16), f32(16, 48), f32(16, 32), f32(32, 16), f32(16))
def transformer_training(x: Any, w: Any, up: Any, down: Any, scale: Any) -> Any:
    """Slopes of a block."""

    def loss(weights: Any) -> Any:
        return (block(x, *weights) ** 2).mean()

    weights = (w * 0.3, up * 0.3, down * 0.3, scale)
    value, slopes = jax.value_and_grad(loss)(weights)
    return value, [weight - 0.1 * slope for weight, slope in zip(weights, slopes, strict=True)]


@program(i32(2, 8), f32(16, 8), f32(8, 16), passes=".+")
def embedding_training(tokens: Any, table: Any, head: Any) -> Any:
    """Slopes of a table of rows: a scatter. A text after every pass."""

    def loss(weights: Any) -> Any:
        logits = weights[0][tokens % 16] @ weights[1]
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), tokens[..., None] % 16, axis=-1).mean()

    return jax.value_and_grad(loss)((table, head))


@program(f32(8, 6), f32(6, 6))
def custom_slope(x: Any, w: Any) -> Any:
    """A function that gives its slope itself."""

    def clipped(value: Any) -> Any:
        return jnp.sin(value) * value

    def forward(value: Any) -> Any:
        return clipped(value), value

    def backward(value: Any, slope: Any) -> Any:
        return (jnp.clip(slope * (jnp.sin(value) + value * jnp.cos(value)), -0.5, 0.5),)

    function = jax.custom_vjp(clipped)
    function.defvjp(forward, backward)
    return jax.grad(lambda weights: function(x @ weights).sum())(w)


@program(f32(6, 5), f32(5))
def hessian(a: Any, x: Any) -> Any:
    """Second derivatives."""
    return jax.hessian(lambda y: jnp.log(jnp.exp(a @ y).sum()) + (y**3).sum() / 3.0)(x)
