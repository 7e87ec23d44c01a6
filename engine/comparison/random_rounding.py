"""Runs whose operations round at random: the noise that a difference of two runs is held against.

Each op's result moves by a random part of the op's own rounding error (`engine/ops/core/facets/rounding.py`), so errors
propagate as they do in real runs: they cancel, grow, and turn a comparison around. A propagated bound only grows.
Source: the random rounding of Verrou and CADNA.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import count

import numpy as np

from ..debugger.address import Address
from ..debugger.recording import Recording
from ..ir.types import TensorType, Type, leaf_paths, leaf_types
from ..ops.core.causes import largest
from ..ops.core.devices import ANY, Device, rounding_of
from ..ops.core.nudging import widest
from ..ops.core.op import Array
from ..ops.core.rounding import (
    Error,
    denormal_limit,
    element_roundoff,
    given_error,
    rounded_error,
    typical_errors,
    unit_roundoff,
    units_of,
)
from ..ops.core.values import is_tuple, leaves, tuple_of
from ..process_grid import Launch
from ..program import BoundOperation, BoundProgram
from ..value_walks import Leaf, dependents
from .bounds import narrowing_errors

RUNS = 4
"""Runs of each program: the spread of four independent errors."""
_MEMBERS = 4
"""Terms of a sum over processes, where the op knows only what its own process contributes."""


@dataclass
class RandomRounding:
    """Moves the results of each op by a random part of its own rounding error; the same for the same seed."""

    seed: int
    device: Device = ANY
    """The device of the other run."""
    unknown: set[int] = field(default_factory=set)
    """Numbers of the ops whose own error is unknown, perhaps in some elements, which do not move."""
    rounded: bool = False
    """Whether the other run does not round inputs and constants to the types of this one."""

    def __call__(
        self,
        bound: BoundOperation,
        operands: tuple[Array, ...],
        results: tuple[Array, ...],
        step: int,
        process: int = 0,
    ) -> tuple[Array, ...]:
        """The results of the op of a step, moved; all processes move alike."""
        errors = self._own_errors(bound, operands, results)
        if not any(map(_is_inexact, errors)):
            return tuple(map(self.given, results)) if bound.op.traits.is_constant else results
        random = np.random.Generator(np.random.Philox(key=[self.seed, (bound.id << 40) + step]))
        return tuple(
            self._moved(bound.id, value, error, random) for value, error in zip(results, errors, strict=True)
        )

    def given(self, value: Array) -> Array:
        """An input or a constant, which nothing rounds; in every other run without denormals, which the device may flush."""
        if not (self.device.flushes_denormals and self.seed % 2):
            return value
        if is_tuple(value):
            return tuple_of([self.given(part) for part in value.tolist()])
        denormals = given_error(value) > 0
        return np.where(denormals, value * value.dtype.type(0), value) if denormals.any() else value

    def moved_input(self, number: int, value: Array, of: Type) -> Array:
        """An input of each process, moved as the rounding of its type moves it."""
        random = np.random.Generator(np.random.Philox(key=[self.seed, number]))
        with units_of([of]):
            return value if is_tuple(value) else self._moved(-1, value, rounded_error(value), random)

    def _own_errors(
        self, bound: BoundOperation, operands: tuple[Array, ...], results: tuple[Array, ...]
    ) -> Sequence[Error]:
        op = bound.op.unpacked
        units = units_of(op.known_results)
        if self.rounded and op.traits.is_constant:
            with units:
                return tuple(map(rounded_error, results))
        if op.explanation.combines_processes:
            operands = operands * _MEMBERS
        given = narrowing_errors(op, operands, self.device)
        with np.errstate(all="ignore"), typical_errors(), rounding_of(self.device), units:
            # Not of the unpacked op: results of HLO text are one tuple.
            return bound.op.rounding.error_bound(bound.op, operands, given, results)

    def _moved(self, op: int, value: Array, error: Error, random: np.random.Generator) -> Array:
        if is_tuple(value):
            parts = error if is_tuple(error) else [error] * len(value)
            pairs = zip(value, parts, strict=True)
            return tuple_of([self._moved(op, part, own, random) for part, own in pairs])
        if not unit_roundoff(value.dtype):
            return value
        error = np.where(np.isfinite(value), error, 0.0)
        is_known = np.isfinite(error)
        if not is_known.all():
            self.unknown.add(op)
        return _within(value, random.uniform(-1, 1, value.shape) * np.where(is_known, error, 0.0))


def _is_inexact(error: Error) -> bool:
    return any(map(_is_inexact, error)) if is_tuple(error) else bool(np.count_nonzero(error))


def _within(value: Array, moves: Error) -> Array:
    """The value moved, but not out of a range that functions keep to: their sign near 0, -1 to 1, and finite numbers."""
    if value.dtype.kind == "c":
        return np.asarray((value.astype(np.complex128) + moves).astype(value.dtype))
    wide = widest(value)
    moved = wide + moves
    tiny = np.abs(wide) < denormal_limit(value.dtype)
    moved = np.where(tiny, np.where(moves > 0, wide, 0.0), moved)
    limit = np.where(np.abs(wide) <= 1, 1.0, largest(value.dtype))
    moved = np.clip(moved, -limit, limit)
    return np.asarray(np.where(np.isfinite(wide), moved, wide).astype(value.dtype))


SLICE = 0.5
"""Seconds of recording after which `Noise.make` pauses."""


class NotMade(Exception):
    """Randomly rounded runs are needed that are made in slices and not there yet."""


@dataclass
class Noise:
    """The randomly rounded runs of a recording, made when they are first needed."""

    recording: Recording
    device: Device = ANY
    """The device of the other run."""
    unknown: set[int] = field(default_factory=set)
    """Numbers of the ops whose own error is unknown, once the runs are made."""
    rounded: bool = False
    """Whether the other run does not round inputs and constants to the types of this one."""

    in_slices: bool = False
    """Whether a caller makes the runs by `make`, because others wait meanwhile."""
    _made: list[Recording] | None = None
    _plain: Recording | None = None

    @property
    def center(self) -> Recording:
        """The run of our engine that rounds as usual: the recording, unless an executor computed its values.

        Its distance from the randomly rounded runs is their noise; that of an executor's values would be the difference
        that the noise is to judge.
        """
        if self.recording.executor is None:
            return self.recording
        return self._plain if self.runs and self._plain is not None else self.recording

    @property
    def runs(self) -> Sequence[Recording]:
        """The runs; fewer than `RUNS` if one does not end. Raises `NotMade`."""
        if self._made is None:
            if self.in_slices:
                raise NotMade
            for _ in self.make():
                pass
        return self._made or ()

    def make(self) -> Iterator[None]:
        """Make the runs, with pauses after `SLICE` seconds."""
        if self._made is not None:
            return
        found = [self._begun(seed) for seed in range(RUNS)]
        plain = [] if self.recording.executor is None else [self._begun(None)]
        for run in (*found, *plain):
            before = -1
            while run.state.kind not in ("done", "failed") and run.step_count > before:
                before = run.step_count
                run.record(seconds=SLICE)
                yield
        self._made = [run for run in found if run.state.kind == "done"]
        self._plain = next((run for run in plain if run.state.kind == "done"), None)

    def _begun(self, seed: int | None) -> Recording:
        """A run with random rounding by a seed; without one, as usual."""
        before, limits = self.recording, self.recording.limits
        limits = replace(limits, recording_bytes=limits.recording_bytes // RUNS)
        feeds = {queue: tuple(items) for queue, items in before.fed_items.items()}
        inputs, rounding = before.launch.inputs, None
        if seed is not None:
            rounding = RandomRounding(seed, self.device, self.unknown, self.rounded)
            inputs = tuple(map(partial(self._moved_inputs, rounding), inputs))
        launch = Launch(before.grid, inputs, feeds)
        return Recording(before.program, launch, limits, before.entry, before.bindings, rounding=rounding)

    def _moved_inputs(self, rounding: RandomRounding, given: Sequence[Array]) -> tuple[Array, ...]:
        if not self.rounded:
            return tuple(map(rounding.given, given))
        before = self.recording
        block = before.program.blocks[before.tracks[0].block_of(0)]
        types = [before.program.values[value].type for value in block.arguments]
        return tuple(map(rounding.moved_input, count(), given, types))

    def center_at(self, address: Address, value: Array) -> Array:
        """The value that those of the runs are held against; `value` is that of the recording."""
        found = self.center
        return (
            value
            if found is self.recording or not self._is_same_place(found, address)
            else found.value(address)
        )

    def center_result(self, process: int, number: int, value: Array) -> Array:
        """The same of a leaf of the results of a process."""
        if self.center is self.recording:
            return value
        found = [leaf for part in self.center.tracks[process].results() or () for leaf in leaves(part)]
        return found[number] if number < len(found) else value

    def at(self, address: Address) -> list[Array]:
        """The value in each run; fewer than `RUNS` where a run took another branch."""
        if not self._has(self.recording, address):
            return []
        return [run.value(address) for run in self.runs if self._is_same_place(run, address)]

    def result(self, process: int, number: int) -> list[Array]:
        """A leaf of the results of a process in each run; fewer than `RUNS` where a run has no such leaf."""
        results = [run.tracks[process].results() or () for run in self.runs]
        flat = [[leaf for value in found for leaf in leaves(value)] for found in results]
        return [found[number] for found in flat if number < len(found)]

    def is_unknown_at(self, address: Address) -> bool:
        """Whether a value depends on an op whose own error is unknown."""
        value, path = self.recording.value_number(address), address.path
        return any(
            leaf in self._behind_unknown for leaf in self._leaves(value) if leaf[1][: len(path)] == path
        )

    def is_unknown_result(self, process: int, number: int) -> bool:
        """Whether a leaf of the results of a process does."""
        block = self.recording.program.blocks[self.recording.tracks[process].block_of(0)]
        flat = [leaf for value in block.operations[-1].operands for leaf in self._leaves(value)]
        return flat[number] in self._behind_unknown

    def _leaves(self, value: int) -> Iterator[Leaf]:
        return ((value, path) for path in leaf_paths(self.recording.program.values[value].type))

    @cached_property
    def _behind_unknown(self) -> Set[Leaf]:
        """All that depends on ops whose own error is unknown, once the runs are made."""
        return dependents(self.recording.program, self.unknown) if self.unknown else frozenset()

    def _is_same_place(self, run: Recording, address: Address) -> bool:
        ours = self.recording
        return self._has(run, address) and run.value_number(address) == ours.value_number(address)

    @staticmethod
    def _has(run: Recording, address: Address) -> bool:
        try:
            run.value_number(address)
        except (KeyError, IndexError):
            return False
        return True


def coarsest_unit(program: BoundProgram) -> float:
    """The unit roundoff of a program's coarsest float type; 0 without floats."""
    types = {value.type.element_type for value in program.values if isinstance(value.type, TensorType)}
    return max(map(element_roundoff, types), default=0.0)


def result_types(recording: Recording, process: int) -> list[Type]:
    """The types of the leaves of a process's results."""
    block = recording.program.blocks[recording.tracks[process].block_of(0)]
    types = (recording.program.values[value].type for value in block.operations[-1].operands)
    return [leaf for found in types for leaf in leaf_types(found)]
