"""Bounds on the difference between the results of runs that round differently."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.origins import address_of
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ops.core.values import is_tuple, tuple_of

from .judging import usual_tolerance
from .noise import Noise
from .stage_program import StageProgram, leaves_of

Array = NDArray[Any]


def result_bounds(stage: StageProgram, recording: Recording, noise: Noise) -> list[Array]:
    """A bound in f64 for each element of each result leaf, whole."""
    each = [_of_process(stage, recording, noise, number) for number in range(stage.grid.num_processes)]
    found: list[Array] = []
    for number, whole in enumerate(stage.boundary.join(each)):
        value = whole if whole is not None else _greatest([values[number] for values in each])
        found += [np.asarray(leaf, np.float64, order="C") for leaf in leaves_of(value)]
    return found


def _of_process(stage: StageProgram, recording: Recording, noise: Noise, number: int) -> tuple[Array, ...]:
    track = recording.tracks[number]
    operands = stage.program.blocks[stage.function.block].operations[-1].operands
    return tuple(
        _like(value, address_of(stage.program, track, track.step_count - 1, operand), noise)
        for operand, value in zip(operands, track.results() or (), strict=True)
    )


def _like(value: Array, address: Address | None, noise: Noise) -> Array:
    """A bound in the form of a value: a tuple has one per element."""
    if is_tuple(value):
        inner = [
            None if address is None else address._replace(path=(*address.path, at))
            for at in range(len(value))
        ]
        return tuple_of([_like(part, place, noise) for part, place in zip(value, inner, strict=True)])
    if value.shape == (0,) and value.dtype == np.bool_:
        return value  # a token
    found = None if address is None else noise.bound(address)
    return np.full(value.shape, usual_tolerance(value).absolute) if found is None else np.array(found)


def _greatest(values: Sequence[Array]) -> Array:
    if is_tuple(values[0]):
        return tuple_of([_greatest(column) for column in zip(*values, strict=True)])
    return np.asarray(np.maximum.reduce(list(values)))
