"""How far the results of a run may be away from those of another run that rounds otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.comparison.bounds import RunBounds
from hloscope.engine.debugger.origins import address_of
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ops.core.values import is_tuple, tuple_of

from .judging import filled_bound, usual_tolerance
from .stage_program import StageProgram, leaves_of

Array = NDArray[Any]


def result_bounds(stage: StageProgram, recording: Recording) -> list[Array]:
    """A bound in f64 for each element of each leaf of the results, whole."""
    bounds = RunBounds(recording)
    each = [_of_process(stage, recording, bounds, number) for number in range(stage.grid.num_processes)]
    joined = stage.boundary.join(each)
    found: list[Array] = []
    for number, whole in enumerate(joined):
        value = whole if whole is not None else _greatest([values[number] for values in each])
        found += [np.ascontiguousarray(leaf, np.float64) for leaf in leaves_of(value)]
    return found


def _of_process(
    stage: StageProgram, recording: Recording, bounds: RunBounds, number: int
) -> tuple[Array, ...]:
    track = recording.tracks[number]
    values = track.results() or ()
    block = stage.program.blocks[stage.function.block]
    found = []
    for operand, value in zip(block.operations[-1].operands, values, strict=True):
        address = address_of(stage.program, track, track.step_count - 1, operand)
        error = None if address is None else bounds.of(address)
        found.append(_like(value, error))
    return tuple(found)


def _like(value: Array, error: Array | None) -> Array:
    """A bound in the form of a value: of a tuple one for each element."""
    if is_tuple(value):
        parts: Sequence[Array | None] = [None] * len(value)
        if error is not None and is_tuple(error):
            parts = list(error)
        return tuple_of([_like(part, found) for part, found in zip(value, parts, strict=True)])
    if value.shape == (0,) and value.dtype == np.bool_:
        return value  # a token
    filled = filled_bound(value, error)
    if filled is None:
        step = usual_tolerance(value).absolute
        return np.full(value.shape, step)
    return np.array(filled, np.float64)


def _greatest(values: Sequence[Array]) -> Array:
    if is_tuple(values[0]):
        return tuple_of([_greatest(column) for column in zip(*values, strict=True)])
    return np.asarray(np.maximum.reduce(list(values)))
