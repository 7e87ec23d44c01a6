"""Steps that hold steps: loops, branches, calls, and a shard_map in a shard_map."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from .collectives import COLLECTIVES, own_index
from .local_work import LOCAL
from .manual import manual, spread
from .recipes import Step
from .scene import Array, Choices, Local, Scene, cut, like

NEEDS_ALL_PROCESSES = ("ppermute", "pshuffle", "all_to_all")
"""XLA on CPU waits here for every process of the mesh, whatever the pairs say."""


def run(scene: Scene, steps: Sequence[Step]) -> None:
    """Each step takes one of the last values there are, and adds what it makes."""
    for step in steps:
        choices = Choices(step.choices)
        value = choices.pick(scene.values[-2:])
        found = BLOCKS[step.op](scene, choices, value, step.body) if step.op in BLOCKS else None
        if found is None:
            found = (LOCAL[step.op] if step.op in LOCAL else COLLECTIVES[step.op])(scene, choices, value)
        scene.values.append(replace(found, array=cut(found.array)))


def _body(scene: Scene, steps: Sequence[Step], axes: Sequence[str] | None = None) -> Callable[[Array], Array]:
    """A function from an array to one of the same type, that varies along all axes."""

    def function(array: Array) -> Array:
        inside = scene.inner([Local(array, frozenset(scene.sizes))], axes)
        run(inside, steps)
        fitting = [found for value in inside.values if (found := like(value.array, array)) is not None]
        return scene.everywhere(fitting[-1])

    return function


def _anywhere(scene: Scene, array: Array) -> Local:
    return Local(array, frozenset(scene.sizes))


def _repeat(scene: Scene, choices: Choices, value: Local, steps: Sequence[Step]) -> Local:
    body = _body(scene, steps)
    count = 1 + choices.below(4)
    start = scene.everywhere(value.array)
    return _anywhere(scene, lax.fori_loop(0, count, lambda _, array: body(array), start))


def _scan(scene: Scene, choices: Choices, value: Local, steps: Sequence[Step]) -> Local:
    body = _body(scene, steps)
    rows = jnp.arange(1 + choices.below(3), dtype=jnp.int32)

    def one(array: Array, row: Array) -> tuple[Array, Array]:
        found = body(array)
        return found, (row % 2 == 0) & (found != 0)

    last, seen = lax.scan(one, scene.everywhere(value.array), rows)
    scene.values.append(_anywhere(scene, seen))
    return _anywhere(scene, last)


def _while(scene: Scene, choices: Choices, value: Local, steps: Sequence[Step]) -> Local:
    """Until the processes' counts add up to enough, which they find out together."""
    body = _body(scene, steps)
    axes = tuple(scene.sizes)
    most = scene.count(axes) * (1 + choices.below(3))

    def goes_on(state: tuple[Array, Array]) -> Array:
        return lax.psum(state[0], axes) < most

    def once(state: tuple[Array, Array]) -> tuple[Array, Array]:
        return scene.everywhere(state[0] + own_index(scene, axes[:1]) + 1), body(state[1])

    start = scene.everywhere(jnp.zeros((), jnp.int32)), scene.everywhere(value.array)
    return _anywhere(scene, lax.while_loop(goes_on, once, start)[1])


def _together(scene: Scene, count: int) -> Array:
    """A number below `count` that is the same everywhere."""
    axes = tuple(scene.sizes)
    return lax.psum(own_index(scene, axes) + 1, axes) % count


def _branch(scene: Scene, choices: Choices, value: Local, steps: Sequence[Step]) -> Local:
    first, second = _body(scene, steps), _body(scene, steps[:1])
    branches = (first, second) if choices.below(2) else (second, first)
    return _anywhere(scene, lax.cond(_together(scene, 2) == 0, *branches, scene.everywhere(value.array)))


def _switch(scene: Scene, choices: Choices, value: Local, steps: Sequence[Step]) -> Local:
    branches = [_body(scene, steps[: number + 1]) for number in range(3)]
    index = (_together(scene, 3) + choices.below(3)) % 4
    return _anywhere(scene, lax.switch(index, branches, scene.everywhere(value.array)))


def _own_branch(scene: Scene, choices: Choices, value: Local, steps: Sequence[Step]) -> Local:
    """Where processes go different ways those that meet go the same one: they are alike along an axis."""
    axis, *others = scene.axes(choices) if len(scene.sizes) == 1 else tuple(scene.sizes)
    gentle = [replace(step, op="psum") if step.op in NEEDS_ALL_PROCESSES else step for step in steps]
    if not others:
        gentle = [step for step in gentle if step.op in LOCAL and step.op not in ("by_position", "choose")]
    body = _body(scene, gentle, others)
    chosen = own_index(scene, (axis,)) % 2 == 0
    start = scene.everywhere(value.array)
    return _anywhere(scene, lax.cond(chosen, body, lambda array: array, start))


def _call(scene: Scene, choices: Choices, value: Local, steps: Sequence[Step]) -> Local:
    body = jax.jit(_body(scene, steps))
    return _anywhere(scene, body(body(value.array)) if choices.below(2) else body(value.array))


def _nested(scene: Scene, choices: Choices, value: Local, steps: Sequence[Step]) -> Local:
    """By axes that the shard_map around it has left free; a call, if there are none."""
    if not scene.free:
        return _call(scene, choices, value, steps)
    sizes = dict(zip(scene.free, scene.free_sizes, strict=True))
    outer = scene.varying(value)

    def body(array: Array) -> list[Local]:
        inside = Scene(sizes, scene.check, [Local(array, frozenset(sizes))])
        run(inside, steps)
        return [Local(inside.values[-1].array, inside.varying(inside.values[-1]) & frozenset(sizes))]

    cut_by = spread(choices, value.array.shape, sizes)
    (found,) = manual(body, None, sizes, scene.check, [value.array], [cut_by], choices.below(1000))
    return Local(found, outer)


Block = Callable[[Scene, Choices, Local, Sequence[Step]], Any]
BLOCKS: Mapping[str, Block] = {
    "repeat": _repeat,
    "scan": _scan,
    "while": _while,
    "branch": _branch,
    "switch": _switch,
    "own_branch": _own_branch,
    "call": _call,
    "nested": _nested,
}
