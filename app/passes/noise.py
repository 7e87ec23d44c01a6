"""Rounding errors of a run's values: proven bounds, or experiments if these are too large.

A bound that is propagated through a deep program exceeds all actual rounding. If it is no small part of the
value, runs on inputs that are perturbed by a few units in their last place measure the propagated difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from hloscope.engine.comparison.bounds import RunBounds
from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.origins import address_of
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.ranks import is_inexact
from hloscope.engine.ops.core.values import is_tuple, tuple_of
from hloscope.engine.program import BoundProgram

from .judging import usual_tolerance
from .stage_program import StageProgram, leaves_of

Array = NDArray[Any]
SHARE = 1 / 64
"""A bound above this fraction of the greatest magnitude is too large to be useful."""
AMPLIFIED = 64
"""Factor on the measured difference: every op rounds, not only the first."""
TRIES = 2
MOST_ULPS = 2


class Noise:
    """The rounding errors of one recording."""

    def __init__(self, recording: Recording, again: Callable[[int], Recording]) -> None:
        """`again` runs the program on slightly perturbed inputs, by the number of the attempt."""
        self._recording, self._again = recording, again

    def bound(self, address: Address) -> Array | None:
        """A bound in f64 for each element; `None` for a tuple, and for an unrecorded value."""
        try:
            value = self._recording.value(address)
            stated = self._bounds.of(address)
        except KeyError:
            return None
        if is_tuple(value) or is_tuple(stated):
            return None
        with np.errstate(invalid="ignore"):
            # A bound below 0 belongs to a division whose divisor may be 0: any value is possible.
            whole = np.broadcast_to(np.where(stated < 0, np.inf, stated), value.shape)
            told = whole <= SHARE * _greatest(value)
        if told.all():
            return whole
        limit = np.where(np.isnan(whole), np.inf, whole)
        return np.where(told, whole, np.minimum(limit, self._tried(address, value)))

    @cached_property
    def _bounds(self) -> RunBounds:
        return RunBounds(self._recording)

    @cached_property
    def _runs(self) -> Sequence[Recording]:
        return [self._again(number) for number in range(TRIES)]

    def _tried(self, address: Address, value: Array) -> float:
        """The rounding error measured by runs on perturbed inputs."""
        spread = max((_spread(value, run, address) for run in self._runs), default=0.0)
        if not is_inexact(value.dtype):
            return np.inf if spread else 0.0  # elements that flip at a close comparison
        return float(max(AMPLIFIED * spread, usual_tolerance(value).absolute))


def _spread(value: Array, run: Recording, address: Address) -> float:
    try:
        other = run.value(address)
    except KeyError:
        return 0.0
    if is_tuple(other) or other.shape != value.shape or other.dtype != value.dtype:
        return 0.0
    with np.errstate(all="ignore"):
        return _greatest(_wide(other) - _wide(value))


def _wide(value: Array) -> Array:
    return value.astype(np.complex128 if value.dtype.kind == "c" else np.float64)


def _greatest(value: Array) -> float:
    magnitudes = np.abs(_wide(value))
    finite = magnitudes[np.isfinite(magnitudes)]
    return float(finite.max()) if finite.size else 0.0


def coarsest_step(program: BoundProgram) -> float:
    """The relative spacing of numbers in a program's coarsest float type; 0 without floats."""
    types = {value.type.element_type for value in program.values if isinstance(value.type, TensorType)}
    return max(
        (float(ml_dtypes.finfo(found.dtype).eps) for found in types if is_inexact(found.dtype)), default=0.0
    )


def moved(values: Sequence[Array], number: int, step: float) -> list[Array]:
    """The floating-point values, each perturbed by up to `MOST_ULPS` units in its last place.

    Larger steps of that relative size apply where the type is coarser; other values are unchanged.
    """
    generator = np.random.Generator(np.random.Philox(number))
    return [_moved(value, generator, step) if is_inexact(value.dtype) else value for value in values]


def _moved(value: Array, generator: np.random.Generator, step: float) -> Array:
    size = max(step, float(ml_dtypes.finfo(value.dtype).eps))
    steps = generator.integers(-MOST_ULPS, MOST_ULPS + 1, value.shape) * size
    with np.errstate(all="ignore"):
        return np.asarray((_wide(value) * (1 + steps)).astype(value.dtype))


# Bounds of results


def result_bounds(stage: StageProgram, recording: Recording, noise: Noise) -> list[Array]:
    """A bound in f64 for each element of each result leaf, whole."""
    each = [_of_process(stage, recording, noise, number) for number in range(stage.grid.num_processes)]
    found: list[Array] = []
    for number, whole in enumerate(stage.boundary.join(each)):
        value = whole if whole is not None else _elementwise_maximum([values[number] for values in each])
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


def _elementwise_maximum(values: Sequence[Array]) -> Array:
    if is_tuple(values[0]):
        return tuple_of([_elementwise_maximum(column) for column in zip(*values, strict=True)])
    return np.asarray(np.maximum.reduce(list(values)))
