"""Programs that people run on many devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from ..frameworks.kinds import floats

Array = Any
RATE = 0.1


@dataclass(frozen=True)
class Parallel:
    """A function for eight devices, and what makes its arguments."""

    function: Callable[..., Any]
    arguments: Callable[[np.random.Generator], tuple[Any, ...]]


def _mesh(**axes: int) -> Any:
    return jax.make_mesh(tuple(axes.values()), tuple(axes), axis_types=(AxisType.Auto,) * len(axes))


def _mapped(function: Callable[..., Any], mesh: Any, cut_by: Any, joined: Any) -> Callable[..., Any]:
    found: Callable[..., Any] = jax.shard_map(function, mesh=mesh, in_specs=cut_by, out_specs=joined)
    return found


def _ring(count: int) -> list[tuple[int, int]]:
    return [(number, (number + 1) % count) for number in range(count)]


def ring_all_reduce(x: Array) -> Array:
    """Each process sends a part on, adding its own, until all parts have gone round; then the sums go round."""

    def process(x: Array) -> Array:
        me = lax.axis_index("x")
        parts = x.reshape(8, -1)

        def add(step: Array, parts: Array) -> Array:
            there = lax.ppermute(parts[(me - step) % 8], "x", _ring(8))
            return parts.at[(me - step - 1) % 8].add(there)

        def copy(step: Array, parts: Array) -> Array:
            there = lax.ppermute(parts[(me + 1 - step) % 8], "x", _ring(8))
            return parts.at[(me - step) % 8].set(there)

        parts = lax.fori_loop(0, 7, add, parts)
        return lax.fori_loop(0, 7, copy, parts).reshape(x.shape)

    return _mapped(process, _mesh(x=8), P("x"), P("x"))(x)


def ring_attention(query: Array, key: Array, value: Array) -> Array:
    """Keys and values go round; what each has of the softmax is scaled whenever a larger score comes."""

    def process(query: Array, key: Array, value: Array) -> Array:
        me = lax.axis_index("x")
        rows = me * query.shape[0] + jnp.arange(query.shape[0])

        def step(number: Array, state: tuple[Array, ...]) -> tuple[Array, ...]:
            key, value, total, most, weight = state
            columns = (me - number) % 8 * key.shape[0] + jnp.arange(key.shape[0])
            scores = query @ key.T / query.shape[1] ** 0.5
            scores = jnp.where(columns <= rows[:, None], scores, -jnp.inf)
            larger = jnp.maximum(most, scores.max(1))
            scale, parts = jnp.exp(most - larger), jnp.exp(scores - larger[:, None])
            total = total * scale[:, None] + parts @ value
            weight = weight * scale + parts.sum(1)
            key, value = (lax.ppermute(part, "x", _ring(8)) for part in (key, value))
            return key, value, total, larger, weight

        start = (jnp.zeros_like(query), jnp.full_like(query[:, 0], -1e30), jnp.zeros_like(query[:, 0]))
        _, _, total, _, weight = lax.fori_loop(0, 8, step, (key, value, *start))
        return total / weight[:, None]

    return _mapped(process, _mesh(x=8), P("x"), P("x"))(query, key, value)


def _loss(x: Array, y: Array, w1: Array, b1: Array, w2: Array) -> Array:
    return ((jax.nn.gelu(x @ w1 + b1) @ w2 - y) ** 2).mean()


def _stepped(weights: tuple[Array, ...], slopes: tuple[Array, ...]) -> tuple[Array, ...]:
    return tuple(weight - RATE * slope for weight, slope in zip(weights, slopes, strict=True))


def data_parallel(x: Array, y: Array, *weights: Array) -> Any:
    """Everybody has all weights and a part of the batch; the gradients' mean is taken."""

    def process(x: Array, y: Array, *weights: Array) -> Any:
        own = tuple(lax.pcast(weight, "x", to="varying") for weight in weights)
        loss, slopes = jax.value_and_grad(lambda own: _loss(x, y, *own))(own)
        return lax.pmean(loss, "x"), *_stepped(weights, lax.pmean(slopes, "x"))

    cut_by = (P("x"), P("x"), P(), P(), P())
    return _mapped(process, _mesh(x=8), cut_by, (P(),) * 4)(x, y, *weights)


def tensor_parallel(x: Array, y: Array, *weights: Array) -> Any:
    """Columns of the first layer and rows of the second, whose products are added; and the batch along the other axis."""

    def loss(x: Array, y: Array, w1: Array, b1: Array, w2: Array) -> Array:
        made = lax.psum(jax.nn.gelu(x @ w1 + b1) @ w2, "model")
        return lax.pmean(((made - y) ** 2).mean(), "data")

    def process(x: Array, y: Array, *weights: Array) -> Any:
        value, slopes = jax.value_and_grad(lambda weights: loss(x, y, *weights))(weights)
        return value, *_stepped(weights, slopes)

    of_weights = (P(None, "model"), P("model"), P("model"))
    return _mapped(process, _mesh(data=2, model=4), (P("data"), P("data"), *of_weights), (P(), *of_weights))(
        x, y, *weights
    )


def fully_sharded(x: Array, y: Array, *weights: Array) -> Any:
    """Everybody has a part of each weight, gathers all of it when it is needed, and its part of the gradient's sum."""

    def process(x: Array, y: Array, *parts: Array) -> Any:
        def whole(parts: tuple[Array, ...]) -> Array:
            return _loss(x, y, *(lax.all_gather(part, "x", tiled=True) for part in parts))

        loss, slopes = jax.value_and_grad(whole)(parts)
        return lax.pmean(loss, "x"), *_stepped(parts, jax.tree.map(lambda slope: slope / 8, slopes))

    parts = (P("x"),) * 3
    return _mapped(process, _mesh(x=8), (P("x"), P("x"), *parts), (P(), *parts))(x, y, *weights)


def scattered_gradients(x: Array, y: Array, *weights: Array) -> Any:
    """All weights everywhere; each process adds up a part of the gradients, steps, and hands its part to all."""

    def process(x: Array, y: Array, *weights: Array) -> Any:
        own = tuple(lax.pcast(weight, "x", to="varying") for weight in weights)
        loss, slopes = jax.value_and_grad(lambda own: _loss(x, y, *own))(own)
        parts = [lax.psum_scatter(slope, "x", tiled=True) / 8 for slope in slopes]
        me = lax.axis_index("x")
        moved = [
            lax.dynamic_slice_in_dim(weight, me * part.shape[0], part.shape[0]) - RATE * part
            for weight, part in zip(own, parts, strict=True)
        ]
        return lax.pmean(loss, "x"), *moved

    cut_by = (P("x"), P("x"), P(), P(), P())
    return _mapped(process, _mesh(x=8), cut_by, (P(), P("x"), P("x"), P("x")))(x, y, *weights)


def pipeline(x: Array, weights: Array) -> Array:
    """Each process has a layer; micro-batches go from one to the next."""

    def process(x: Array, weights: Array) -> Array:
        me = lax.axis_index("x")
        rounds = x.shape[0] + 7

        def step(state: tuple[Array, Array], number: Array) -> tuple[tuple[Array, Array], None]:
            coming, made = state
            given = jnp.where(me == 0, x[jnp.minimum(number, x.shape[0] - 1)], coming)
            done = jnp.tanh(given @ weights[0])
            place = number - 7
            kept = made.at[jnp.maximum(place, 0)].set(done)
            made = jnp.where((me == 7) & (place >= 0), kept, made)
            return (lax.ppermute(done, "x", _ring(8)), made), None

        empty = lax.pcast((jnp.zeros_like(x[0]), jnp.zeros_like(x)), "x", to="varying")
        (_, made), _ = lax.scan(step, empty, jnp.arange(rounds))
        return lax.psum(jnp.where(me == 7, made, 0), "x")

    return _mapped(process, _mesh(x=8), (P(), P("x")), P())(x, weights)


def annotate(x: Array, y: Array, *weights: Array) -> Any:
    """No shard_map: only where things lie is said, and XLA cuts the program up."""
    mesh = _mesh(data=2, model=4)

    def lies(array: Array, *places: Any) -> Array:
        return lax.with_sharding_constraint(array, NamedSharding(mesh, P(*places)))

    def loss(w1: Array, b1: Array, w2: Array) -> Array:
        hidden = lies(jax.nn.gelu(lies(x, "data") @ w1 + b1), "data", "model")
        return ((lies(hidden @ w2, "data") - y) ** 2).mean()

    w1, b1, w2 = weights
    placed = lies(w1, None, "model"), lies(b1, "model"), lies(w2, "model")
    value, slopes = jax.value_and_grad(lambda placed: loss(*placed))(placed)
    return value, *_stepped(placed, slopes)


_network = floats((16, 8), (16, 8), (8, 16), (16,), (16, 8))
SHARDED: Mapping[str, Parallel] = {
    "ring_all_reduce": Parallel(ring_all_reduce, floats((64, 3))),
    "ring_attention": Parallel(ring_attention, floats((32, 8), (32, 8), (32, 8))),
    "data_parallel": Parallel(data_parallel, _network),
    "tensor_parallel": Parallel(tensor_parallel, _network),
    "fully_sharded": Parallel(fully_sharded, _network),
    "scattered_gradients": Parallel(scattered_gradients, _network),
    "annotated": Parallel(annotate, _network),
    "pipeline": Parallel(pipeline, floats((5, 4, 6), (8, 6, 6))),
}
