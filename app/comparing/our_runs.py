"""Our own complete run, with rounding bounds of its results."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hloscope.engine.comparison.bounds import RunBounds, leaf_errors
from hloscope.engine.comparison.difference import Difference, Tolerance
from hloscope.engine.comparison.judge import Judge
from hloscope.engine.comparison.widening import vanishes
from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.entry import find_entry
from hloscope.engine.errors import ProgramError
from hloscope.engine.frontend import load
from hloscope.engine.limits import Limits
from hloscope.engine.ops.core.devices import ANY, Device
from hloscope.engine.ops.core.values import is_tuple, leaves
from hloscope.engine.program import BoundProgram
from hloscope.engine.sharded_runs.sharded_inputs import is_partitioned
from hloscope.engine.source import Source

from ..processes.arrays import Array
from ..runs.launching import ArgumentSource, choose_grid, launch
from ..runs.python_values import spec_of, with_tokens
from ..xla.engine import Grid

UNDERFLOWN = 1e-33
"""Absolute loss in f32 that flushing denormals to 0 on the way can cause."""
LARGE_GROWTH = 16
"""Growth of relative errors above which an op counts as an amplifier."""


@dataclass(frozen=True)
class OurRun:
    """A complete recording."""

    recording: Recording
    tolerance: Tolerance | None = None
    """The stated tolerance; `None`: the rounding-error bound of each value."""
    device: Device = ANY
    """The device of the other run."""

    @cached_property
    def grid(self) -> Grid:
        """The processes, in the form that a second engine takes."""
        found, program = self.recording.grid, self.recording.program
        is_whole = found.num_processes > 1 and not is_partitioned(program, find_entry(program, None))
        return found.num_replicas, found.num_partitions, is_whole

    @property
    def text(self) -> str:
        """The program as its original text."""
        return self.recording.program.module.source.text

    @property
    def processes(self) -> range:
        """Their numbers."""
        return range(self.recording.grid.num_processes)

    @cached_property
    def arguments(self) -> list[Array]:
        """The arguments of the entry function, flat: process by process, or once if whole."""
        given = self.processes[:1] if self.grid[2] else self.processes
        return [leaf for process in given for leaf in self._given(process)]

    def _given(self, process: int) -> Iterator[Array]:
        track = self.recording.tracks[process]
        block = self.recording.program.blocks[track.block_of(0)]
        for number in range(len(block.arguments)):
            yield from leaves(self.recording.value(Address(process, "f", 0, number)))

    @cached_property
    def results(self) -> list[Array]:
        """The results of the entry function process by process, with tuples flattened."""
        tracks = (self.recording.tracks[process] for process in self.processes)
        return [leaf for track in tracks for value in track.results() or () for leaf in leaves(value)]

    @cached_property
    def bounds(self) -> RunBounds:
        """The rounding-error bound of each value."""
        return RunBounds(self.recording, device=self.device)

    @cached_property
    def judge(self) -> Judge:
        """The judge of other runs' values."""
        return Judge(self.recording, self.tolerance, self.device)

    @cached_property
    def result_addresses(self) -> list[Address]:
        """The addresses of the results, process by process."""
        return [address for process in self.processes for address in self._made(process)]

    def _made(self, process: int) -> list[Address]:
        end = self.bounds.run.steps(process).end_of(0)
        return [] if end is None else self.bounds.run.operands(process, end)

    @cached_property
    def result_bounds(self) -> list[Array]:
        """The rounding-error bound of each result, leaf by leaf; NaN if unknown."""
        return [
            leaf
            for address in self.result_addresses
            for leaf in leaf_errors(self.bounds.of(address), self.recording.value(address))
        ]

    @cached_property
    def leaf_addresses(self) -> list[Address]:
        """The address of each result, leaf by leaf."""
        return [
            leaf
            for address in self.result_addresses
            for leaf in _leaf_addresses(address, self.recording.value(address))
        ]

    def result_name(self, number: int) -> str:
        """The name of a result, by its number among the results of all processes."""
        if len(self.processes) == 1 or not self.results:
            return f"result {number}"
        each = len(self.results) // len(self.processes)
        return f"result {number % each} of process {self.recording.process_name(number // each)}"

    def compare(
        self, theirs: Sequence[Array], instead: Sequence[Array] | None = None
    ) -> tuple[Difference, ...]:
        """The differences between another engine's results and ours, or a third engine's `instead`, one by one."""
        before = self.results if instead is None else instead
        if len(theirs) != len(before) or len(before) != len(self.results):
            told = f"{len(before)} results", f"{len(theirs)} results"
            return (Difference("shape", before=told[0], after=told[1]),)
        limits, places = self.result_bounds, self.leaf_addresses
        return tuple(
            self.difference(
                one,
                theirs[number],
                limits[number],
                places[number],
                None if instead is None else before[number],
            )
            for number, one in enumerate(self.results)
        )

    def difference(
        self, ours: Array, theirs: Array, bound: Array | None, address: Address, instead: Array | None = None
    ) -> Difference:
        """The judge's verdict on another value at the address of ours, or on that and a third one `instead` of ours."""
        # Flushing within a sum of products has effects slightly above the denormals.
        may_flush = self.device.flushes_denormals and ours.dtype not in (np.float64, np.complex128)
        small = UNDERFLOWN if may_flush else 0.0
        if instead is not None and instead.shape != ours.shape:
            bound = None
        return self.judge.difference(address, ours, theirs, bound, Tolerance(absolute=small), instead=instead)

    def vanishes(self, number: int, exact: Array, theirs: Array) -> bool:
        """Whether a result of one process is 0 but for rounding, in both engines; `exact` is that in more digits."""
        return vanishes(exact, theirs, self.judge.noise.result(0, number))

    def deciding_rows(self, number: int, found: Difference) -> list[str]:
        """The rows of the device's table that a result's difference needs: its bound on any device is smaller."""
        if self.device is ANY or self.tolerance is not None or found.index is None or found.error == 0:
            return []
        place = self.leaf_addresses[number]
        elsewhere = RunBounds(self.recording).of(place)
        if found.error <= np.broadcast_to(elsewhere, self.results[number].shape)[found.index]:
            return []
        steps = (self.bounds.run.bound_operation(*step) for step in self.bounds.steps_before(place))
        ops = {bound.id: bound.op.unpacked for bound in steps}
        rows = (op.rounding.row_of(op, self.device) for op in ops.values())
        return list(dict.fromkeys(filter(None, rows)))

    @property
    def unordered_text(self) -> str:
        """The ops of the program that the device computes in any order, as a sentence; empty without any."""
        names = {bound.op.unpacked.name.rpartition(".")[2] for bound in self.recording.program.ops}
        return self.device.unordered_text(names)

    def amplified_by(self, number: int) -> str:
        """The op that amplified a result's errors, and the factor, in words; empty if none did."""
        if not self.result_addresses:
            return ""
        at = self.result_addresses[min(number, len(self.result_addresses) - 1)]
        found = self.bounds.amplification(at)
        if found is None or found.growth < LARGE_GROWTH:
            return ""
        op = self.recording.program.ops[found.op].op.unpacked
        if op.rounding.row_of(op, self.device):  # the device rounds as much itself
            return ""
        return self.bounds.amplified_by(found)


def _leaf_addresses(address: Address, value: Array) -> Iterator[Address]:
    if not is_tuple(value):
        yield address
        return
    for number, part in enumerate(value.tolist()):
        yield from _leaf_addresses(address._replace(path=(*address.path, number)), part)


def run_ours(
    program: str | BoundProgram, arguments: Sequence[Any], limits: Limits, processes: int = 1
) -> OurRun:
    """Run a program on its arguments; `ProgramError` if it is invalid, or does not end.

    On several processes the arguments are those of each, process by process.
    """
    bound = _program(program, limits) if isinstance(program, str) else program
    function = find_entry(bound, None)
    grid = choose_grid(bound, function, limits)
    each = len(arguments) // processes
    own = [arguments[process * each : (process + 1) * each] for process in range(processes)]
    columns = zip(*(with_tokens(function.function, values) for values in own), strict=True)
    given = [
        ArgumentSource(
            "each" if processes > 1 else "one", tuple(spec_of(value, argument.type) for value in column)
        )
        for argument, column in zip(function.function.arguments, columns, strict=True)
    ]
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
    """A completed recording; `ProgramError` if it has not ended."""
    if recording.state.kind != "done":
        raise ProgramError(recording.state.describe(recording.program.module.source))
    return OurRun(recording)
