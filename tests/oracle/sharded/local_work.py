"""What processes do between collectives, each with what it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp

from .collectives import own_index
from .scene import (
    Array,
    Choices,
    Local,
    Scene,
    converted,
    is_complex,
    is_float,
    like,
    numeric,
    ordered,
    with_rank,
)

Work = Callable[[Choices, Array], Array]


def _affine(_: Choices, array: Array) -> Array:
    if array.dtype == jnp.bool_:
        return ~array
    return array * 0.5 + 1 if jnp.issubdtype(array.dtype, jnp.inexact) else array * 2 + 1


def _smooth(_: Choices, array: Array) -> Array:
    if is_complex(array):
        return array * (1 + 1j)
    return jnp.tanh(array) if is_float(array) else abs(numeric(array))


def _transpose(choices: Choices, array: Array) -> Array:
    return jnp.transpose(array, choices.order(array.ndim))


def _reshape(choices: Choices, array: Array) -> Array:
    halves = [(2, array.size // 2)] if array.size % 2 == 0 else []
    return array.reshape(choices.pick([(-1,), (1, -1), (-1, 1), (*array.shape, 1), *halves]))


def _reverse(choices: Choices, array: Array) -> Array:
    array = with_rank(array)
    dimension = choices.below(array.ndim)
    return jnp.roll(array, 1, dimension) if choices.below(2) else jnp.flip(array, dimension)


def _slice(choices: Choices, array: Array) -> Array:
    array = with_rank(array)
    dimension = choices.below(array.ndim)
    chosen = choices.pick((slice(None, None, 2), slice(-2, None), slice(0, 1)))
    return array[(slice(None),) * dimension + (chosen,)]


def _total(choices: Choices, array: Array) -> Array:
    array = with_rank(array)
    dimension = choices.below(array.ndim)
    if choices.below(2):
        return numeric(array).sum(dimension, keepdims=bool(choices.below(2)))
    return ordered(array).max(dimension)


def _running_sum(choices: Choices, array: Array) -> Array:
    array = with_rank(numeric(array))
    return jnp.cumsum(array, choices.below(array.ndim))


def _convert(choices: Choices, array: Array) -> Array:
    names = ("float32", "int32", "uint8", "bfloat16", "float16", "complex64", "int32", "uint8")
    found = converted(array, choices.pick(names))
    return array if found is None else found


_ALONE: Mapping[str, Work] = {
    "affine": _affine,
    "smooth": _smooth,
    "transpose": _transpose,
    "reshape": _reshape,
    "reverse": _reverse,
    "slice": _slice,
    "total": _total,
    "running_sum": _running_sum,
    "convert": _convert,
}


def _combined(choices: Choices, array: Array, other: Array) -> Array:
    operations: tuple[Any, ...] = (jnp.add, jnp.subtract, jnp.multiply)
    if array.dtype == jnp.bool_:
        operations = (jnp.logical_and, jnp.logical_or, jnp.not_equal)
    elif not is_complex(array):
        operations = (*operations, jnp.maximum)
    return choices.pick(operations)(array, other)


def _dot(choices: Choices, array: Array, other: Array) -> Array:
    array, other = (numeric(with_rank(part)) for part in (array, other))
    rows = array.shape[0] if array.ndim > 1 else 1
    return array.reshape(rows, -1) @ other.reshape(rows, -1).T


def _with_another(
    work: Callable[[Choices, Array, Array], Array],
) -> Callable[[Scene, Choices, Local], Local]:
    def step(scene: Scene, choices: Choices, value: Local) -> Local:
        other = choices.pick(scene.values)
        fitted = like(other.array, value.array)
        found = work(choices, value.array, value.array if fitted is None else fitted)
        return Local(found, value.varying | other.varying)

    return step


def _by_position(scene: Scene, choices: Choices, value: Local) -> Local:
    axes = scene.axes(choices)
    index = own_index(scene, axes)
    array = value.array
    if array.dtype == jnp.bool_:
        found = array ^ (index % 2 == 1)
    else:
        found = array * (index + 1).astype(array.dtype)
    return Local(found, value.varying | set(axes))


def _choose(scene: Scene, choices: Choices, value: Local) -> Local:
    axes = scene.axes(choices)
    other = choices.pick(scene.values)
    fitted = like(other.array, value.array)
    chosen = own_index(scene, axes) % 2 == 0
    found = jnp.where(chosen, value.array, jnp.zeros_like(value.array) if fitted is None else fitted)
    return Local(found, value.varying | other.varying | set(axes))


def _alone(work: Work) -> Callable[[Scene, Choices, Local], Local]:
    return lambda scene, choices, value: Local(work(choices, value.array), value.varying)


LOCAL: Mapping[str, Callable[[Scene, Choices, Local], Local]] = {
    **{name: _alone(work) for name, work in _ALONE.items()},
    "combine": _with_another(_combined),
    "dot": _with_another(_dot),
    "by_position": _by_position,
    "choose": _choose,
}


def random_weights(array: Any) -> Array:
    """Numbers that differ from element to element."""
    return jnp.sin(jax.lax.iota(jnp.float32, array.size).reshape(array.shape) + 1)
