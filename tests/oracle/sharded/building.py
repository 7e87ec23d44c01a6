"""The program of a recipe and its inputs, in the oracle's process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, NamedSharding

from hloscope.engine.ir.element_types import DTYPES

from .blocks import run
from .local_work import random_weights
from .manual import manual, specification
from .recipes import ArgumentSource, Recipe
from .scene import Array, Local, Scene, is_float

NAMES = "xyz"


def inputs_of(recipe: Recipe) -> list[Any]:
    """The whole inputs: few digits in half of the programs, so that sums are exact."""
    random = np.random.default_rng(recipe.seed)
    return [_input(random, given, recipe.mesh, exact=recipe.seed % 2 == 0) for given in recipe.inputs]


def _input(random: np.random.Generator, given: ArgumentSource, mesh: Sequence[int], exact: bool) -> Any:
    sizes = [
        size * int(np.prod([mesh[axis] for axis in axes]))
        for size, axes in zip(given.local, given.axes, strict=True)
    ]
    dtype = DTYPES[given.dtype]
    if dtype == np.bool_:
        return np.asarray(random.random(sizes) < 0.5)
    if dtype.kind in "iu":
        return np.asarray(random.integers(-3 if dtype.kind == "i" else 0, 9, sizes)).astype(dtype)
    drawn = random.integers(-3, 3, sizes, endpoint=True) if exact else random.normal(size=sizes)
    if dtype.kind == "c":
        return np.asarray(drawn + 1j * random.integers(-3, 3, sizes)).astype(dtype)
    return np.asarray(drawn).astype(dtype)


def built(recipe: Recipe) -> Callable[..., Any]:
    """The function, to be compiled."""
    forward = _forward(recipe)
    if recipe.gradient:
        return _gradient(forward, len(recipe.inputs))
    return forward


def mesh_of(recipe: Recipe) -> Any:
    """All eight devices."""
    names = tuple(NAMES[: len(recipe.mesh)])
    return jax.make_mesh(recipe.mesh, names, axis_types=(AxisType.Auto,) * len(names))


def _forward(recipe: Recipe) -> Callable[..., list[Array]]:
    mesh = mesh_of(recipe)
    names = {NAMES[axis]: size for axis, size in enumerate(recipe.mesh)}
    free = tuple(NAMES[axis] for axis in recipe.free)
    sizes = {axis: size for axis, size in names.items() if axis not in free}
    places = [[[NAMES[axis] for axis in axes] for axes in given.axes] for given in recipe.inputs]

    def body(*parts: Array) -> list[Local]:
        values = [
            Local(part, frozenset(axis for axes in found for axis in axes))
            for part, found in zip(parts, places, strict=True)
        ]
        scene = Scene(sizes, recipe.check_vma, values, free, tuple(names[axis] for axis in free))
        run(scene, recipe.steps)
        chosen = [scene.values[number % len(scene.values)] for number in recipe.outputs[1:]]
        return [replace(found, varying=scene.varying(found)) for found in (scene.values[-1], *chosen)]

    cut_by = [specification(found) for found in places]

    def forward(*whole: Array) -> list[Array]:
        given = [_before(array, recipe.around, mesh) for array in whole]
        found = manual(body, mesh, sizes, recipe.check_vma, given, cut_by, recipe.outputs[0])
        return [_after(array, recipe.around, mesh) for array in found]

    return forward


def _before(array: Array, around: int, mesh: Any) -> Array:
    if around == 1 and array.dtype != jnp.bool_:
        return array + jnp.ones((), array.dtype)
    if around == 2 and array.ndim and array.shape[-1] % mesh.size == 0:
        last = [()] * (array.ndim - 1) + [mesh.axis_names]
        return lax.with_sharding_constraint(array, NamedSharding(mesh, specification(last)))
    return array


def _after(array: Array, around: int, mesh: Any) -> Array:
    if around == 3:
        return jnp.flip(array)
    if around == 4 and array.ndim:
        return jnp.concatenate([array, array[::-1]])
    if around == 5 and array.ndim and array.shape[0] % mesh.shape["x"] == 0:
        return lax.with_sharding_constraint(array.T.T, NamedSharding(mesh, specification([["x"]])))
    return array


def _gradient(forward: Callable[..., list[Array]], count: int) -> Callable[..., Any]:
    """Where there is none the function itself."""

    def total(*given: Array) -> Array:
        found = [array for array in forward(*given) if is_float(array)]
        return sum(
            (jnp.sum(array.astype(jnp.float32) * random_weights(array)) for array in found), jnp.zeros(())
        )

    gradients = jax.grad(total, tuple(range(count)))

    def function(*given: Array) -> Any:
        try:
            jax.eval_shape(gradients, *given)
        except (ValueError, NotImplementedError, TypeError):
            return forward(*given)
        return gradients(*given)

    return function
