"""Two models of usual size, weights as arguments: GPT-2 small on 64 tokens, ResNet-18 on an image of 224 x 224."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .kinds import Kind

Array = Any
LAYERS, HEADS, WIDTH, TOKENS, WORDS = 12, 12, 768, 64, 50257
BLOCKS = ((64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1))
"""Features and stride of each residual block."""


def gpt2(tokens: Array, words: Array, places: Array, *weights: Array) -> Array:
    """The logits of every token: embeddings, twelve blocks, a last norm, the embedding turned round."""
    x = words[tokens] + places
    each = 12
    for layer in range(LAYERS):
        x = _block(x, weights[layer * each : (layer + 1) * each])
    return _layer_norm(x, *weights[-2:]) @ words.T


def _block(x: Array, weights: tuple[Array, ...]) -> Array:
    scale1, shift1, wqkv, bqkv, wout, bout, scale2, shift2, win, bin, wback, bback = weights
    x = x + _attention(_layer_norm(x, scale1, shift1) @ wqkv + bqkv) @ wout + bout
    return x + jax.nn.gelu(_layer_norm(x, scale2, shift2) @ win + bin) @ wback + bback


def _layer_norm(x: Array, scale: Array, shift: Array) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    return centred * lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale + shift


def _attention(packed: Array) -> Array:
    heads = packed.reshape(TOKENS, 3, HEADS, WIDTH // HEADS)
    query, key, value = (heads[:, part] for part in range(3))
    scores = jnp.einsum("qhd,khd->hqk", query, key) / (WIDTH // HEADS) ** 0.5
    causal = jnp.tril(jnp.ones((TOKENS, TOKENS), bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e10))
    return jnp.einsum("hqk,khd->qhd", weights, value).reshape(TOKENS, WIDTH)


def _gpt2_arguments(random: np.random.Generator) -> tuple[Array, ...]:
    def normal(*shape: int) -> Array:
        return (random.standard_normal(shape, np.float32) * 0.02).astype(np.float32)

    def block() -> Iterator[Array]:
        for inner, outer in ((WIDTH, 3 * WIDTH), (WIDTH, WIDTH), (WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)):
            if outer != WIDTH:
                yield from (np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32))
            yield from (normal(inner, outer), np.zeros(outer, np.float32))

    weights = [array for _ in range(LAYERS) for array in block()]
    last = (np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32))
    tokens = random.integers(0, WORDS, TOKENS).astype(np.int32)
    return (tokens, normal(WORDS, WIDTH), normal(TOKENS, WIDTH), *weights, *last)


def resnet18(image: Array, *weights: Array) -> Array:
    """Class scores; batch norm as in inference."""
    rest = iter(weights)
    x = jax.nn.relu(_norm(_convolution(image, next(rest), 2), rest))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    for features, stride in BLOCKS:
        x = _residual(x, features, stride, rest)
    return x.mean((1, 2)) @ next(rest) + next(rest)


def _residual(x: Array, features: int, stride: int, rest: Iterator[Array]) -> Array:
    y = jax.nn.relu(_norm(_convolution(x, next(rest), stride), rest))
    y = _norm(_convolution(y, next(rest), 1), rest)
    if stride != 1 or x.shape[-1] != features:
        x = _norm(_convolution(x, next(rest), stride), rest)
    return jax.nn.relu(x + y)


def _convolution(x: Array, kernel: Array, stride: int) -> Array:
    numbers = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(x, kernel, (stride, stride), "SAME", dimension_numbers=numbers)


def _norm(x: Array, rest: Iterator[Array]) -> Array:
    scale, shift, mean, variance = (next(rest) for _ in range(4))
    return (x - mean) * (scale * lax.rsqrt(variance + 1e-5)) + shift


def _resnet18_arguments(random: np.random.Generator) -> tuple[Array, ...]:
    def kernel(size: int, inner: int, outer: int) -> Iterator[Array]:
        deviation = (2 / (size * size * inner)) ** 0.5
        yield random.standard_normal((size, size, inner, outer), np.float32) * np.float32(deviation)
        yield from (np.ones(outer, np.float32), np.zeros(outer, np.float32))
        yield from (np.zeros(outer, np.float32), np.ones(outer, np.float32))

    weights = [*kernel(7, 3, 64)]
    inner = 64
    for outer, stride in BLOCKS:
        weights += [*kernel(3, inner, outer), *kernel(3, outer, outer)]
        if stride != 1 or inner != outer:
            weights += kernel(1, inner, outer)
        inner = outer
    head = (random.standard_normal((512, 1000), np.float32) * np.float32(0.05), np.zeros(1000, np.float32))
    return (random.standard_normal((1, 224, 224, 3), np.float32), *weights, *head)


MODELS: Mapping[str, Kind] = {
    "gpt2_small": Kind(gpt2, _gpt2_arguments),
    "resnet18": Kind(resnet18, _resnet18_arguments),
}
"""Each model by its name."""
