"""Texts, inputs and results of a function on eight devices."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jaxlib import _hlo

from ..framing import Array
from ..quick import with_emitters
from .building import built, inputs_of
from .recipes import Recipe
from .training import SHARDED


@dataclass(frozen=True)
class Exported:
    """A program as StableHLO, as HLO, and as HLO that has been cut up for the devices."""

    texts: tuple[str, str, str]
    inputs: list[Array]
    results: list[Array]
    pieces: list[Array]
    """What each device has of each result, the results of the first device first."""
    input_pieces: list[Array]
    """The same of the inputs."""


def of_recipe(described: dict[str, Any], partitioner: str) -> Exported:
    """The program of a recipe."""
    recipe = Recipe.from_json(described)
    with jax.enable_x64(any(given.dtype == "f64" for given in recipe.inputs)):
        return _exported(built(recipe), inputs_of(recipe), partitioner)


def of_name(name: str, partitioner: str) -> Exported:
    """A program of `training`."""
    kind = SHARDED[name]
    inputs = kind.arguments(np.random.default_rng(zlib.crc32(name.encode())))
    with jax.enable_x64(False):
        return _exported(kind.function, inputs, partitioner)


def _exported(function: Callable[..., Any], inputs: Sequence[Any], partitioner: str) -> Exported:
    """What JAX and XLA make of the function, `shardy` or `gspmd` spreading it over the devices."""
    jax.config.update("jax_use_shardy_partitioner", partitioner == "shardy")
    try:
        lowered = jax.jit(function, keep_unused=True).lower(*inputs)
        compiled = lowered.compile(with_emitters())
    finally:
        jax.config.update("jax_use_shardy_partitioner", True)
    options = _hlo.HloPrintOptions()
    options.print_large_constants = True
    (optimised,) = compiled.runtime_executable().hlo_modules()
    texts = lowered.as_text(), lowered.as_text("hlo"), optimised.to_string(options)
    results = jax.tree.leaves(compiled(*inputs))
    whole = [np.asarray(array) for array in results]
    placed = map(jax.device_put, inputs, compiled.input_shardings[0])
    return Exported(
        texts, [np.asarray(array) for array in inputs], whole, _pieces(results), _pieces([*placed])
    )


def _pieces(results: Sequence[Any]) -> list[Array]:
    shards = [{shard.device.id: shard.data for shard in array.addressable_shards} for array in results]
    devices = sorted({device for found in shards for device in found})
    return [np.asarray(found[device]) for device in devices for found in shards]
