"""The collectives of JAX, each over axes, groups and dimensions that the step's choices name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from jax import lax

from .scene import Array, Choices, Local, Scene, numeric, ordered, with_rank, with_size

Axes = tuple[str, ...]
Groups = list[list[int]] | None


def _name(axes: Axes) -> str | Axes:
    return axes[0] if len(axes) == 1 else axes


def _groups(scene: Scene, choices: Choices, axes: Axes) -> Groups:
    """Sometimes equal groups of the processes along one axis, in any order."""
    count = scene.count(axes)
    if len(axes) > 1 or count < 4 or choices.below(3):
        return None
    order = Random(choices.below(1000)).sample(range(count), count)
    size = choices.pick((2, count // 2))
    return [order[start : start + size] for start in range(0, count, size)]


def _members(scene: Scene, axes: Axes, groups: Groups) -> int:
    return len(groups[0]) if groups else scene.count(axes)


def _reduced(
    operation: Callable[..., Array], prepare: Callable[[Array], Array]
) -> Callable[[Scene, Choices, Local], Local]:
    def step(scene: Scene, choices: Choices, value: Local) -> Local:
        axes = scene.axes(choices)
        # Where JAX checks what varies it has no sum by groups.
        groups = None if scene.check else _groups(scene, choices, axes)
        found = operation(scene.along(axes, prepare(value.array)), _name(axes), axis_index_groups=groups)
        if groups:
            return Local(found, value.varying | set(axes))
        return Local(found, value.varying - set(axes))

    return step


def psum_of_two(scene: Scene, choices: Choices, value: Local) -> Local:
    """Two values at once, then put together."""
    axes = scene.axes(choices)
    other = choices.pick(scene.values)
    given = [scene.along(axes, numeric(found.array)) for found in (value, other)]
    first, second = lax.psum(given, _name(axes))
    varying = (value.varying | other.varying) - set(axes)
    scene.values.append(Local(second, varying))
    return Local(first, varying)


def all_gather(scene: Scene, choices: Choices, value: Local) -> Local:
    axes = scene.axes(choices)
    groups = _groups(scene, choices, axes)
    tiled = choices.below(2) == 1
    array = with_rank(value.array) if tiled else value.array
    dimension = choices.below(array.ndim + (not tiled))
    found = lax.all_gather(
        scene.along(axes, array), _name(axes), axis=dimension, tiled=tiled, axis_index_groups=groups
    )
    return Local(found, value.varying | set(axes) if groups else value.varying - set(axes))


def all_to_all(scene: Scene, choices: Choices, value: Local) -> Local:
    axes = scene.axes(choices)
    groups = _groups(scene, choices, axes)
    array = with_rank(value.array)
    split, concat = choices.below(array.ndim), choices.below(array.ndim)
    tiled = choices.below(2) == 1
    array = _divisible(array, split, _members(scene, axes, groups), tiled)
    found = lax.all_to_all(
        scene.along(axes, array), _name(axes), split, concat, axis_index_groups=groups, tiled=tiled
    )
    return Local(found, value.varying | set(axes))


def _divisible(array: Array, dimension: int, count: int, tiled: bool) -> Array:
    """So that there is a part for each of `count`; one of size 1, if parts are not put together."""
    size = count * (-(-array.shape[dimension] // count)) if tiled else count
    return with_size(array, dimension, size)


def psum_scatter(scene: Scene, choices: Choices, value: Local) -> Local:
    axes = scene.axes(choices)
    groups = _groups(scene, choices, axes)
    array = with_rank(numeric(value.array))
    dimension = choices.below(array.ndim)
    tiled = choices.below(2) == 1
    array = _divisible(array, dimension, _members(scene, axes, groups), tiled)
    found = lax.psum_scatter(
        scene.along(axes, array),
        _name(axes),
        scatter_dimension=dimension,
        axis_index_groups=groups,
        tiled=tiled,
    )
    return Local(found, value.varying | set(axes))


def ppermute(scene: Scene, choices: Choices, value: Local) -> Local:
    """A ring, a swap of neighbours, or whatever pairs, of which some processes may be in none."""
    axes = scene.axes(choices)
    count = scene.count(axes)
    shift = choices.below(count)
    order = choices.order(count)
    pairs = choices.pick(
        [
            [(number, (number + shift) % count) for number in range(count)],
            [(number, number ^ 1) for number in range(count)],
            list(zip(order[: 1 + shift], choices.order(count), strict=False)),
            [(order[0], order[1])],
        ]
    )
    array = scene.along(axes, value.array)
    return Local(lax.ppermute(array, _name(axes), pairs), value.varying | set(axes))


def pshuffle(scene: Scene, choices: Choices, value: Local) -> Local:
    axes = scene.axes(choices)[:1]
    order = choices.order(scene.count(axes))
    array = scene.along(axes, value.array)
    return Local(lax.pshuffle(array, _name(axes), order), value.varying | set(axes))


COLLECTIVES: Mapping[str, Callable[[Scene, Choices, Local], Local]] = {
    "psum": _reduced(lax.psum, numeric),
    "pmean": _reduced(lax.pmean, numeric),
    "pmax": _reduced(lax.pmax, ordered),
    "pmin": _reduced(lax.pmin, ordered),
    "psum_of_two": psum_of_two,
    "all_gather": all_gather,
    "all_to_all": all_to_all,
    "psum_scatter": psum_scatter,
    "ppermute": ppermute,
    "pshuffle": pshuffle,
}


def own_index(scene: Scene, axes: Axes) -> Any:
    """Which of the processes along the axes this one is."""
    return lax.axis_index(_name(axes))
