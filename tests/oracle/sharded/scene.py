"""What the steps of a recipe work on inside a shard_map: values of one process, and the axes that it may name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jax import lax

Array = Any
Option = TypeVar("Option")
MOST_ELEMENTS = 256
"""Of one process: what grows beyond is cut."""


class Choices:
    """The numbers of a step, taken one after the other and from the start again."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self._numbers = numbers
        self._taken = 0

    def below(self, count: int) -> int:
        """A number from 0 to `count - 1`."""
        self._taken += 1
        return self._numbers[self._taken % len(self._numbers)] % count

    def pick(self, options: Sequence[Option]) -> Option:
        """One of them."""
        return options[self.below(len(options))]

    def order(self, count: int) -> list[int]:
        """The numbers below `count` in some order."""
        return Random(self.below(1000)).sample(range(count), count)


@dataclass(frozen=True)
class Local:
    """A value of one process."""

    array: Array
    varying: frozenset[str] = frozenset()
    """The axes along which it may differ; JAX knows itself where it checks."""


@dataclass
class Scene:
    """A body that is being traced."""

    sizes: dict[str, int]
    """The axes that may be named, and their sizes."""
    check: bool
    values: list[Local]
    free: tuple[str, ...] = ()
    """Axes of the mesh that a nested shard_map may take."""
    free_sizes: tuple[int, ...] = ()

    def varying(self, value: Local) -> frozenset[str]:
        """The axes along which the value may differ."""
        return frozenset(jax.typeof(value.array).manual_axis_type.varying) if self.check else value.varying

    def inner(self, values: Sequence[Local], axes: Iterable[str] | None = None) -> Scene:
        """The same for a body in this one."""
        sizes = self.sizes if axes is None else {axis: self.sizes[axis] for axis in axes}
        return Scene(sizes, self.check, list(values), self.free, self.free_sizes)

    def everywhere(self, array: Array) -> Array:
        """The array as one that differs along all axes, as far as JAX checks."""
        return self.along(tuple(self.sizes), array)

    def along(self, axes: Iterable[str], array: Array) -> Array:
        """The array as one that differs along some axes, as far as JAX checks."""
        if not self.check:
            return array
        known = jax.typeof(array).manual_axis_type.varying
        missing = tuple(axis for axis in axes if axis not in known)
        return lax.pcast(array, missing, to="varying") if missing else array

    def axes(self, choices: Choices) -> tuple[str, ...]:
        """One axis or several, in some order."""
        names = list(self.sizes)
        order = [names[number] for number in choices.order(len(names))]
        return tuple(order[: 1 + choices.below(len(names))])

    def count(self, axes: Iterable[str]) -> int:
        """How many processes there are along the axes."""
        found = 1
        for axis in axes:
            found *= self.sizes[axis]
        return found


def with_rank(array: Array) -> Array:
    """The array, a scalar as one of rank 1."""
    return array if array.ndim else array.reshape(1)


def with_size(array: Array, dimension: int, size: int) -> Array:
    """Repeated or cut along a dimension."""
    times = -(-size // array.shape[dimension])
    repeated = jnp.concatenate([array] * times, dimension) if times > 1 else array
    return lax.slice_in_dim(repeated, 0, size, axis=dimension)


def cut(array: Array) -> Array:
    """Not more of it than is worth looking at."""
    while array.size > MOST_ELEMENTS:
        longest = max(range(array.ndim), key=lambda dimension: array.shape[dimension])
        array = lax.slice_in_dim(array, 0, -(-array.shape[longest] // 2), axis=longest)
    return array


def numeric(array: Array) -> Array:
    """Something that can be added."""
    return array.astype(jnp.int32) if array.dtype == jnp.bool_ else array


def ordered(array: Array) -> Array:
    """Something that can be compared."""
    return array.real if is_complex(array) else numeric(array)


def is_complex(array: Array) -> bool:
    return bool(jnp.issubdtype(array.dtype, jnp.complexfloating))


def is_float(array: Array) -> bool:
    return bool(jnp.issubdtype(array.dtype, jnp.floating))


def converted(array: Array, dtype: Any) -> Array | None:
    """As another type; `None` where a last digit that differs could make any difference."""
    exact = array.dtype == jnp.bool_ or jnp.issubdtype(array.dtype, jnp.integer)
    target = jnp.dtype(dtype)
    if not exact and not jnp.issubdtype(target, jnp.inexact):
        return None
    if is_complex(array) and not jnp.issubdtype(target, jnp.complexfloating):
        array = array.real
    return array.astype(target)


def like(array: Array, wanted: Array) -> Array | None:
    """The elements of `array` again and again in the form of `wanted`; `None` if it is of another kind."""
    found = converted(array, wanted.dtype)
    return None if found is None else jnp.resize(found, wanted.shape)
