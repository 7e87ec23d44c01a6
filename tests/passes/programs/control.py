"""Loops, branches, sorting, and reading and writing at computed places."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from .registry import f32, i32, of, program


@program(f32(5, 8))
def scan(x: Any) -> Any:
    """A loop that collects."""
    return lax.scan(lambda c, row: (jnp.tanh(c * 1.5 + row), c - row), x[0], x)


@program(f32(6))
def newton(x: Any) -> Any:
    """A loop that ends when it is near enough."""
    target = jnp.abs(x) + 1.0

    def go_on(state: Any) -> Any:
        y, count = state
        return (jnp.max(jnp.abs(y * y - target)) > 1e-3) & (count < 20)

    return lax.while_loop(go_on, lambda s: (0.5 * (s[0] + target / s[0]), s[1] + 1), (target, 0))


@program(f32(4), f32(4, 4))
def runge_kutta(y: Any, a: Any) -> Any:
    """A differential equation, step by step."""

    def slope(z: Any) -> Any:
        return jnp.tanh(a @ z) - 0.2 * z

    def step(_: Any, z: Any) -> Any:
        k1 = slope(z)
        k2 = slope(z + 0.05 * k1)
        k3 = slope(z + 0.05 * k2)
        return z + 0.1 / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + slope(z + 0.1 * k3))

    return lax.fori_loop(0, 8, step, y)


@program(f32(5), i32())
def branches(x: Any, which: Any) -> Any:
    """One of three, and one of two."""
    found = lax.switch(which % 3, [lambda y: y - 1.5, lambda y: jnp.sin(y) * 2.0, lambda y: y / 3.0], x)
    return found, lax.cond(x.sum() > 0, lambda: x * 2.0, lambda: x - x.mean())


@program(f32(3, 10))
def nested_loops(x: Any) -> Any:
    """A loop within a loop."""

    def outer(total: Any, row: Any) -> Any:
        inner = lax.fori_loop(0, 4, lambda i, y: y * 0.5 + row[i], total)
        return inner, inner.max()

    return lax.scan(outer, jnp.zeros(10), x)


@program(f32(20), i32(3))
def dynamic_slices(x: Any, starts: Any) -> Any:
    """Windows at computed places, read and written."""
    starts = jnp.abs(starts)
    parts = [lax.dynamic_slice(x, (starts[k] % 15,), (5,)) for k in range(3)]
    written = lax.dynamic_update_slice(x, parts[0] * 2.0, (starts[1] % 12,))
    return written, parts[1] - parts[2]


@program(f32(24), i32(24))
def moved_around(x: Any, n: Any) -> Any:
    """Rolls, flips, pads, windows."""
    table = x.reshape(4, 6)
    return (
        jnp.roll(table, 2, axis=1) - table[::-1],
        jnp.pad(table, ((1, 2), (0, 1)), constant_values=1.5),
        lax.pad(x, 0.0, ((1, -2, 1),)),
        table[1:3, ::2] / (1.0 + table[2:4, 1::2] ** 2),
        jnp.repeat(n[3:9], 2) - n[2:14],
    )


@program(f32(4, 19))
def sort(x: Any) -> Any:
    """Of rows."""
    return jnp.sort(x, axis=1), jnp.sort(-x, axis=0)


@program(i32(30), f32(30))
def sort_pairs(keys: Any, values: Any) -> Any:
    """By two keys, with values that go along."""
    return lax.sort((keys % 4, values, jnp.arange(30)), num_keys=2)


@program(of("bfloat16", 5, 33))
def sort_bf16(x: Any) -> Any:
    """The greatest of narrow numbers, and all of them in order."""
    return (*lax.top_k(x, 4), jnp.sort(x, axis=-1))


@program(f32(3, 40))
def top_k(x: Any) -> Any:
    """The greatest and their places."""
    return lax.top_k(x, 5)


@program(f32(6, 7))
def ranks(x: Any) -> Any:
    """Places of the greatest, the least, and of all."""
    order = jnp.argsort(x, axis=-1)
    return jnp.argmax(x, axis=0), jnp.argmin(x, axis=1), jnp.take_along_axis(x, order, axis=-1) - x


@program(f32(12, 4), i32(6), f32(6, 4))
def scatters(x: Any, at: Any, rows: Any) -> Any:
    """Rows that are added, set and taken the greater of."""
    at = jnp.abs(at) % 12
    return x.at[at].add(rows), x.at[at].max(rows), x.at[jnp.arange(6) * 2].set(rows), x.at[3:5].multiply(0.5)


@program(f32(6, 5, 4), i32(7), i32(7))
def gathers(x: Any, i: Any, j: Any) -> Any:
    """Rows, points and blocks by number."""
    i, j = jnp.abs(i) % 6, jnp.abs(j) % 5
    return x[i, j], x[:, j], jnp.take(x, i, axis=0, mode="clip").sum(1)


@program(f32(30, 3), i32(30))
def segment_sum(x: Any, group: Any) -> Any:
    """Sums and means of groups."""
    group = jnp.abs(group) % 4
    total = jax.ops.segment_sum(x, group, 4)
    count = jax.ops.segment_sum(jnp.ones(30), group, 4)
    return total / jnp.maximum(count, 1.0)[:, None], jax.ops.segment_max(x, group, 4)


@program(i32(50))
def histogram(x: Any) -> Any:
    """How often each number is there."""
    return jnp.bincount(jnp.abs(x) % 8, length=8), jnp.searchsorted(jnp.arange(0, 40, 4), jnp.abs(x))


@program(f32(40, 2))
def k_means(x: Any) -> Any:
    """Means of clusters, four times."""

    def step(centres: Any, _: Any) -> Any:
        apart = ((x[:, None] - centres[None]) ** 2).sum(-1)
        chosen = jax.nn.one_hot(jnp.argmin(apart, axis=1), 3)
        return (chosen.T @ x) / jnp.maximum(chosen.sum(0), 1.0)[:, None], apart.min(1).sum()

    return lax.scan(step, x[:3], None, length=4)


@program(i32(8, 8))
def life(cells: Any) -> Any:
    """The game of life on a torus."""
    alive = cells > 0

    def step(_: Any, board: Any) -> Any:
        count = sum(jnp.roll(board, (i, j), (0, 1)).astype(jnp.int32) for i in (-1, 0, 1) for j in (-1, 0, 1))
        return (count == 3) | (board & (count == 4))

    return lax.fori_loop(0, 3, step, alive)


@program(f32(9, 9))
def heat(x: Any) -> Any:
    """A stencil, over and over."""

    def step(y: Any, _: Any) -> Any:
        inner = y[1:-1, 1:-1]
        around = y[:-2, 1:-1] + y[2:, 1:-1] + y[1:-1, :-2] + y[1:-1, 2:]
        return y.at[1:-1, 1:-1].set(inner + 0.1 * (around - 4.0 * inner)), jnp.clip(y, -1.0, 1.0).sum()

    return lax.scan(step, x, None, length=5)
