"""Functions of sizes that are not known, as one exports them for any batch, any length, any image."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .kinds import Array, Kind, floats


def _chosen(*shapes: tuple[int, ...], below: int) -> Callable[[np.random.Generator], tuple[Array, ...]]:
    """Floats, and behind them a vector of indices."""
    return lambda random: (*floats(*shapes)(random), random.integers(0, below, 3).astype(np.int32))


def _attention(q: Array, k: Array, v: Array) -> Any:
    return jax.nn.softmax(jnp.einsum("bqd,bkd->bqk", q, k)) @ v


def _running(x: Array) -> Any:
    return lax.scan(lambda carry, row: (carry + row, carry * row), jnp.zeros(x.shape[1:], x.dtype), x)


def _gradient(w: Array, x: Array) -> Any:
    return jax.grad(lambda w: jnp.sum(jnp.tanh(x @ w) ** 2))(w)


def _convolved(x: Array, w: Array) -> Any:
    return lax.conv(x, w, (1, 1), "SAME")


def _pooled(x: Array) -> Any:
    return lax.reduce_window(x, -jnp.inf, lax.max, (2,), (2,), "VALID")


OPEN_SIZES: Mapping[str, tuple[Kind, tuple[str, ...]]] = {
    "open_softmax": (Kind(jax.nn.softmax, floats((3, 5))), ("b, n",)),
    "open_layers": (
        Kind(lambda x, v, w: jax.nn.relu(x @ v) @ w, floats((3, 8), (8, 16), (16, 4))),
        ("b, 8", "8, 16", "16, 4"),
    ),
    "open_product": (Kind(jnp.matmul, floats((3, 5), (5, 2))), ("m, k", "k, n")),
    "open_joined": (Kind(lambda x, y: jnp.concatenate([x, y]), floats((2, 3), (5, 3))), ("a, 3", "b, 3")),
    "open_flat": (Kind(lambda x: x.reshape(-1), floats((2, 3))), ("a, b",)),
    "open_pairs": (Kind(lambda x: x.reshape(2, -1), floats((6, 3))), ("2*a, b",)),
    "open_fours": (Kind(lambda x: x.reshape(-1, 4), floats((12,))), ("4*n",)),
    "open_every_second": (Kind(lambda x: x[::2], floats((6,))), ("2*a",)),
    "open_padded": (Kind(lambda x: jnp.pad(x, ((1, 2),)), floats((5,))), ("a",)),
    "open_counted": (Kind(lambda x: x + jnp.arange(x.shape[0]), floats((5,))), ("a",)),
    "open_attention": (Kind(_attention, floats((2, 3, 8), (2, 3, 8), (2, 3, 8))), ("b, s, 8",) * 3),
    "open_running": (Kind(_running, floats((4, 3))), ("n, b",)),
    "open_sorted": (Kind(jnp.sort, floats((6,))), ("n",)),
    "open_convolved": (Kind(_convolved, floats((2, 3, 5, 6), (4, 3, 3, 3))), ("b, 3, h, w", "4, 3, 3, 3")),
    "open_rows": (Kind(lambda x, i: x[i], _chosen((5, 4), below=5)), ("n, 4", "m")),
    "open_differences": (Kind(lambda x, y: x[1:] - y, floats((5,), (4,))), ("n + 1", "n")),
    "open_variance": (Kind(jnp.var, floats((3, 5))), ("n, m",)),
    "open_repeated": (Kind(lambda x: jnp.tile(x, (3, 1)), floats((2, 3))), ("n, m",)),
    "open_halves": (Kind(lambda x: jnp.split(x, 2), floats((6,))), ("2*n",)),
    "open_sums": (Kind(jnp.cumsum, floats((6,))), ("n",)),
    "open_gradient": (Kind(_gradient, floats((3, 2), (4, 3))), ("k, n", "b, k")),
    "open_pooled": (Kind(_pooled, floats((6,))), ("2*n",)),
}
