"""shard_map of a body that only says, once it has been traced, along which axes its results differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec

from .scene import Array, Choices, Local

Places = Sequence[Sequence[str]]
"""The axes that each dimension is cut by."""


def specification(places: Places) -> Any:
    """As JAX takes it."""
    return PartitionSpec(*(tuple(axes) if axes else None for axes in places))


def spread(choices: Choices, shape: tuple[int, ...], sizes: Mapping[str, int]) -> Any:
    """Axes for dimensions that they divide, some for none."""
    places: list[list[str]] = [[] for _ in shape]
    left = list(shape)
    for axis, size in sizes.items():
        fitting = [number for number, count in enumerate(left) if count % size == 0]
        if fitting and choices.below(4):
            number = choices.pick(fitting)
            places[number].append(axis)
            left[number] //= size
    return specification(places)


def manual(
    body: Callable[..., list[Local]],
    mesh: Any,
    sizes: Mapping[str, int],
    check: bool,
    arguments: Sequence[Array],
    cut_by: Sequence[Any],
    choice: int,
) -> list[Array]:
    """The results on the mesh (of the shard_map around, if `mesh` is `None`), put together."""
    seen: list[tuple[int, frozenset[str]]] = []

    def look(*parts: Array) -> Array:
        seen.extend((value.array.ndim, value.varying) for value in body(*parts))
        return jnp.zeros(())

    def mapped(function: Callable[..., Any], results: Any) -> Callable[..., Any]:
        found: Callable[..., Any] = jax.shard_map(
            function,
            mesh=mesh,
            in_specs=tuple(cut_by),
            out_specs=results,
            axis_names=set(sizes),
            check_vma=check,
        )
        return found

    jax.eval_shape(mapped(look, PartitionSpec()), *arguments)
    joined = [_joined(rank, varying, sizes, choice + number) for number, (rank, varying) in enumerate(seen)]

    def whole(*parts: Array) -> list[Array]:
        return [
            value.array if value.array.ndim or not varying else value.array.reshape(1)
            for value, (_, varying) in zip(body(*parts), seen, strict=True)
        ]

    results: list[Array] = mapped(whole, joined)(*arguments)
    return results


def _joined(rank: int, varying: frozenset[str], sizes: Mapping[str, int], choice: int) -> Any:
    """Each axis along which the result differs puts the parts together along some dimension; seldom another does."""
    random = Random(choice)
    if not rank and not varying:
        return PartitionSpec()
    places: list[list[str]] = [[] for _ in range(max(rank, 1))]
    names = list(sizes)
    for axis in random.sample(names, len(names)):
        if axis in varying or random.random() < 0.1:
            random.choice(places).append(axis)
    return specification(places)
