"""Loops of a known number of iterations, small enough to compare element by element: scans, maps, fori_loops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from .kinds import Kind, floats

Array = Any


def _running_sums(xs: Array, **options: Any) -> Any:
    def step(carried: Array, x: Array) -> Any:
        return carried + x, carried + x

    return lax.scan(step, jnp.zeros(xs.shape[1:]), xs, **options)


def _recurrent(weights: Array, inputs: Array, hidden: Array, xs: Array) -> Any:
    def step(carried: Array, x: Array) -> Any:
        carried = jnp.tanh(weights @ carried + inputs @ x)
        return carried, carried

    return lax.scan(step, hidden, xs)


def _backwards(xs: Array, carried: Array) -> Any:
    return lax.scan(lambda c, x: (c * x, (c, x)), carried, xs, reverse=True)


def _changing_places(xs: Array, ys: Array) -> Any:
    def step(carried: Any, x: Any) -> Any:
        return (carried[1], carried[0] + x[0]), carried[0] * x[1]

    return lax.scan(step, (jnp.zeros(xs.shape[1:]),) * 2, (xs, ys))


def _gradient(weights: Array, hidden: Array, xs: Array) -> Any:
    def loss(weights: Array) -> Array:
        return _recurrent(weights, jnp.eye(xs.shape[1]), hidden, xs)[1].sum()

    return jax.grad(loss)(weights)


def _nested(xs: Array) -> Any:
    def outer(carried: Array, row: Array) -> Any:
        return lax.scan(lambda c, x: (c + x, c * x), carried, row)

    return lax.scan(outer, jnp.float32(0), xs)


def _counted_with_steps(x: Array) -> Any:
    def step(i: Array, made: Array) -> Array:
        return lax.dynamic_update_index_in_dim(made, x[i] + 1, i, 0)

    return lax.fori_loop(2, 6, step, jnp.zeros_like(x)), lax.fori_loop(0, 4, step, x)


SCANS: Mapping[str, Kind] = {
    "running_sums": Kind(_running_sums, floats((8, 4))),
    "running_sums_two_at_once": Kind(lambda xs: _running_sums(xs, unroll=2), floats((8, 4))),
    "running_sums_of_a_batch": Kind(jax.vmap(_running_sums), floats((2, 5, 3))),
    "recurrent": Kind(_recurrent, floats((5, 5), (5, 3), (5,), (7, 3))),
    "backwards": Kind(_backwards, floats((6, 4), (4,))),
    "changing_places": Kind(_changing_places, floats((6, 4), (6, 4))),
    "gradient_of_recurrent": Kind(_gradient, floats((3, 3), (3,), (5, 3))),
    "rows_one_by_one": Kind(lambda xs: lax.map(lambda x: jnp.sin(x).sum(), xs), floats((8, 4))),
    "scan_in_a_scan": Kind(_nested, floats((4, 3))),
    "two_counted_loops": Kind(_counted_with_steps, floats((6,))),
}
