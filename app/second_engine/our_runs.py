"""A run of ours to its end, with what rounding may do to its results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.comparison.bounds import RunBounds
from hloscope.engine.comparison.difference import Difference, Tolerance, compare_arrays
from hloscope.engine.comparison.elements import widened_elements
from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.entry import find_entry
from hloscope.engine.errors import InputError, ProgramError
from hloscope.engine.frontend import load
from hloscope.engine.limits import Limits
from hloscope.engine.ops.core.values import is_tuple, leaves
from hloscope.engine.program import BoundProgram
from hloscope.engine.source import Source

from ..launching import Given, choose_grid, launch
from ..python_values import spec_of, with_tokens

Array = NDArray[Any]
UNDERFLOWN = 1e-33
"""Of f32: so little may be lost where denormals are taken for 0 on the way."""
LARGE_GROWTH = 16
"""An op that makes relative errors so many times larger has amplified them."""


@dataclass(frozen=True)
class OurRun:
    """A recording that has come to its end, of one process."""

    recording: Recording
    tolerance: Tolerance | None = None
    """What is called rounding; `None`: what may come of it in each value."""
    strict: bool = False
    """Whether elements that are not finite must be so in the other run, wherever rounding may make anything of them."""

    @cached_property
    def arguments(self) -> list[Array]:
        """What the entry function was given, tuples taken apart."""
        track = self.recording.tracks[0]
        block = self.recording.program.blocks[track.block_of(0)]
        values = [self.recording.value(Address(0, "f", 0, k)) for k in range(len(block.arguments))]
        return [leaf for value in values for leaf in leaves(value)]

    @cached_property
    def results(self) -> list[Array]:
        """What the entry function gave, tuples taken apart."""
        return [leaf for value in self.recording.tracks[0].results() or () for leaf in leaves(value)]

    @cached_property
    def bounds(self) -> RunBounds:
        """How far rounding takes each value."""
        return RunBounds(self.recording)

    @cached_property
    def result_addresses(self) -> list[Address]:
        """Where the results were made."""
        end = self.bounds.run.steps(0).end_of(0)
        return [] if end is None else self.bounds.run.operands(0, end)

    @cached_property
    def result_bounds(self) -> list[Array | None]:
        """How far rounding takes each result, leaf by leaf; `None` where nothing is known."""
        found: list[Array | None] = []
        for address in self.result_addresses:
            value, error = self.recording.value(address), self.bounds.of(address)
            found += _bounds_of(value, error)
        return found if not self.strict else list(map(_strict, self.results, found))

    def compare(self, theirs: Sequence[Array]) -> tuple[Difference, ...]:
        """How the results of another engine differ from ours, one by one."""
        if len(theirs) != len(self.results):
            told = f"{len(self.results)} results", f"{len(theirs)} results"
            return (Difference("shape", before=told[0], after=told[1]),)
        limits = self.result_bounds
        return tuple(
            self.difference(one, other, limits[number] if number < len(limits) else None)
            for number, (one, other) in enumerate(zip(self.results, theirs, strict=True))
        )

    def difference(self, ours: Array, theirs: Array, bound: Array | None) -> Difference:
        """How another value differs from one of ours, within its bound or the tolerance that was stated."""
        if self.tolerance is not None:
            return compare_arrays(ours, theirs, None, self.tolerance)
        # What is flushed within a sum of products comes out a little above the denormals.
        small = UNDERFLOWN if ours.dtype not in (np.float64, np.complex128) else 0.0
        return compare_arrays(ours, theirs, bound, Tolerance(absolute=small))

    def amplifier(self, number: int) -> tuple[str, float] | None:
        """The op that amplified the errors of a result, in words, and how many times; `None` where none did by much."""
        if not self.result_addresses:
            return None
        at = self.result_addresses[min(number, len(self.result_addresses) - 1)]
        found = self.bounds.amplification(at)
        if found is None or found.growth < LARGE_GROWTH:
            return None
        program = self.recording.program
        bound = program.ops[found.op]
        name = program.values[bound.results[0]].name
        return f"{bound.operation.spelled} {name} (line {line_of(program, found.op)})", found.growth


def _strict(value: Array, bound: Array | None) -> Array | None:
    if bound is None or not np.isposinf(bound).any():
        return bound
    return np.where(np.isfinite(widened_elements(value)), bound, 0.0)


def _bounds_of(value: Array, error: Array) -> list[Array | None]:
    if not is_tuple(value):
        return [error]
    if not is_tuple(error):
        return [np.broadcast_to(error, ()) if error.size == 1 else None for _ in leaves(value)]
    parts = zip(value.tolist(), error.tolist(), strict=True)
    return [bound for part, inner in parts for bound in _bounds_of(part, inner)]


def run_ours(program: str | BoundProgram, arguments: Sequence[Any], limits: Limits) -> OurRun:
    """The run of a program on its arguments; `ProgramError` if it is wrong, or does not come to its end."""
    bound = _program(program, limits) if isinstance(program, str) else program
    function = find_entry(bound, None)
    grid = choose_grid(bound, function, limits)
    values = zip(function.function.arguments, with_tokens(function.function, arguments), strict=True)
    given = [Given.one(spec_of(value, argument.type)) for argument, value in values]
    recording = Recording(bound, launch(bound, function, grid, given, {}, limits), limits)
    recording.record()
    return finished(recording)


def _program(text: str, limits: Limits) -> BoundProgram:
    loaded = load(Source(text), limits)
    if loaded.program is None:
        errors = [found for found in loaded.diagnostics if found.severity == "error"]
        raise ProgramError("\n".join(found.format(loaded.source) for found in errors))
    return loaded.program


def finished(recording: Recording) -> OurRun:
    """A recording that was run; `ProgramError` if it has not come to its end, or is one of several processes."""
    if recording.state.kind != "done":
        found = recording.state.diagnostic
        source = recording.program.module.source
        raise ProgramError(found.format(source) if found else recording.state.reason)
    if len(recording.tracks) > 1:
        raise InputError(
            f"the program runs on {recording.grid}, and XLA is asked to run it in one process",
            hint="hloscope passes DIR compares the texts of partitioned programs, hloscope compare A B two grids.",
        )
    return OurRun(recording)


def line_of(program: BoundProgram, op: int) -> int:
    """The line of an operation in its text, from 1."""
    return program.module.source.line_and_column(program.ops[op].operation.span.start)[0]
