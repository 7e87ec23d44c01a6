"""What `import hloscope` gives: programs checked, run and recorded from Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.builder import (
    BuilderError,
    ConvolutionDimensionNumbers,
    DotDimensionNumbers,
    GatherDimensionNumbers,
    Padding,
    PaddingDimension,
    ResultAccuracy,
    ScatterDimensionNumbers,
    XlaBuilder,
    XlaComputation,
    XlaOp,
    shape,
)
from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.entry import find_entry
from hloscope.engine.errors import Diagnostic, InputError, ProgramError
from hloscope.engine.frontend import load
from hloscope.engine.ir.types import TensorType, Type
from hloscope.engine.limits import DEFAULT_LIMITS, Limits
from hloscope.engine.ops.process_groups import Grid
from hloscope.engine.ops.values import leaves
from hloscope.engine.outside import Bindings, OutsideResult, bindings_of, find_results, outside_results
from hloscope.engine.process_grid.launch import Launch, QueueKey
from hloscope.engine.process_grid.sharded_inputs import Boundary
from hloscope.engine.program import BoundProgram
from hloscope.engine.source import Source

from .faults import Fault, told_apart
from .launching import choose_grid, parse_queue_of, takers

__all__ = [
    "Address",
    "BuilderError",
    "ConvolutionDimensionNumbers",
    "Diagnostic",
    "DotDimensionNumbers",
    "Each",
    "Fault",
    "GatherDimensionNumbers",
    "Limits",
    "Padding",
    "PaddingDimension",
    "ProgramError",
    "Recording",
    "ResultAccuracy",
    "ScatterDimensionNumbers",
    "WrongProgram",
    "XlaBuilder",
    "XlaComputation",
    "XlaOp",
    "check",
    "parse",
    "record",
    "run",
    "run_each",
    "shape",
]

Array = NDArray[Any]


class WrongProgram(ValueError):
    """The text is no program that may run; the message lists every diagnostic with its place."""

    def __init__(self, source: Source, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__("\n".join(diagnostic.located(source) for diagnostic in diagnostics))
        self.diagnostics = diagnostics


def check(text: str, name: str = "<text>") -> tuple[Diagnostic, ...]:
    """What is wrong with a program; empty if it may run."""
    with told_apart():
        return load(Source(text, name)).diagnostics


def parse(text: str, name: str = "<text>", limits: Limits = DEFAULT_LIMITS) -> BoundProgram:
    """The verified program of StableHLO or HLO text; raises `WrongProgram`, or `Fault` for a mistake of ours."""
    with told_apart():
        loaded = load(Source(text, name), limits)
    if loaded.program is None:
        raise WrongProgram(loaded.source, loaded.diagnostics)
    return loaded.program


@dataclass(frozen=True)
class Each:
    """An input that every process of a grid has a value of its own of, by its number.

    The number of a process is `replica_id * partitions + partition_id`.
    """

    values: Sequence[Any]


def record(
    program: BoundProgram | str,
    inputs: Sequence[Any] = (),
    entry: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    bindings: Mapping[str, Any] | None = None,
    *,
    replicas: int | None = None,
    partitions: int | None = None,
    feeds: Mapping[str, Sequence[Any]] | None = None,
) -> Recording:
    """A whole run, with every value. Inputs are arrays, or anything that NumPy makes one of.

    Lists and numbers take the dtype of their argument; an array must have it. What goes wrong in
    the run is the recording's `state`; inputs that do not fit raise `ProgramError`, a mistake of ours `Fault`.

    `bindings` are for what code outside of the program makes, by the name of the result (`%5`, `%r#1`) or of what
    makes it, `@f`, for all its results; `None` skips a call that has none. `%5:12` is that of line 12 alone.

    A run is on as many processes as the program says, or as `replicas` and `partitions` do. An input is for all of
    them, whole where it is an argument that the program cuts into parts; or `Each` has one for every process.
    `feeds` has the items of the queues `infeed` and `host:CHANNEL`, each an array or a tuple of those that belong
    together; `infeed@1,2` is the queue of process (1, 2) alone.
    """
    bound = parse(program, limits=limits) if isinstance(program, str) else program
    function = find_entry(bound, entry)
    grid = choose_grid(bound, function, limits, replicas, partitions)
    boundary = Boundary(bound, function, grid)
    columns = [_column(boundary, number, given) for number, given in enumerate(inputs)]
    arrays = tuple(zip(*columns, strict=True)) if columns else ((),) * grid.num_processes
    start = Launch(grid, arrays, _feeds(bound, grid, feeds or {}))
    outside = _bindings(bound, entry, bindings or {})
    with told_apart():
        recording = Recording(bound, start, limits, entry, outside)
        recording.record()
    return recording


def run(
    program: BoundProgram | str,
    inputs: Sequence[Any] = (),
    entry: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    bindings: Mapping[str, Any] | None = None,
    *,
    replicas: int | None = None,
    partitions: int | None = None,
    feeds: Mapping[str, Sequence[Any]] | None = None,
) -> tuple[Array, ...]:
    """The results of the entry function, tuples taken apart; raises `ProgramError` if the run does not come to its end.

    On a grid, those that all processes agree on, and wholes of those that are parts and say how they are joined.
    Where processes have different results, `run_each` gives them all.
    """
    recording = _ended(
        record(
            program, inputs, entry, limits, bindings, replicas=replicas, partitions=partitions, feeds=feeds
        )
    )
    function = find_entry(recording.program, entry)
    joined = Boundary(recording.program, function, recording.grid).joined(_results(recording))
    whole = [value for value in joined if value is not None]
    if len(whole) < len(joined):
        number = next(number for number, value in enumerate(joined) if value is None)
        raise ProgramError(
            f"result {number} is not the same in all processes, and nothing says how to join it: "
            "hloscope.run_each gives those of each process"
        )
    return tuple(leaf for result in whole for leaf in leaves(result))


def run_each(
    program: BoundProgram | str,
    inputs: Sequence[Any] = (),
    entry: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    bindings: Mapping[str, Any] | None = None,
    *,
    replicas: int | None = None,
    partitions: int | None = None,
    feeds: Mapping[str, Sequence[Any]] | None = None,
) -> list[tuple[Array, ...]]:
    """The results of each process of a grid, by its number; else as `run`."""
    recording = _ended(
        record(
            program, inputs, entry, limits, bindings, replicas=replicas, partitions=partitions, feeds=feeds
        )
    )
    return [tuple(leaf for value in values for leaf in leaves(value)) for values in _results(recording)]


def _ended(recording: Recording) -> Recording:
    if recording.state.kind != "done":
        diagnostic = recording.state.diagnostic
        place = diagnostic.located(recording.program.module.source) if diagnostic else recording.state.reason
        raise ProgramError(place)
    return recording


def _results(recording: Recording) -> list[tuple[Array, ...]]:
    return [track.results() or () for track in recording.tracks[: recording.grid.num_processes]]


def _column(boundary: Boundary, number: int, given: Any) -> tuple[Array, ...]:
    """The value of an input in each process."""
    arguments, grid = boundary.function.function.arguments, boundary.grid
    # One too many is said to be so when the run begins.
    type = arguments[number].type if number < len(arguments) else None
    if isinstance(given, Each):
        if len(given.values) != grid.num_processes:
            raise InputError(
                f"input {number} is given for {len(given.values)} processes, but the grid is {grid}"
            )
        return tuple(_as_type(value, type) for value in given.values)
    array = _as_type(given, type)
    if type is None:
        return (array,) * grid.num_processes
    return boundary.cut(number, array)


def _feeds(
    program: BoundProgram, grid: Grid, feeds: Mapping[str, Sequence[Any]]
) -> dict[QueueKey, tuple[tuple[Array, ...], ...]]:
    found = {}
    for name, items in feeds.items():
        key = parse_queue_of(name, grid)
        wanted = list(takers(program, grid, key))
        if not wanted:
            raise InputError(f"nothing takes from the {key}")
        found[key] = tuple(_item(item, wanted[number % len(wanted)]) for number, item in enumerate(items))
    return found


def _item(item: Any, types: Sequence[Type]) -> tuple[Array, ...]:
    """An item of a queue. What does not fit is said to be so when it is taken."""
    values = item if isinstance(item, tuple) else (item,)
    return tuple(_as_type(value, type) for value, type in zip_longest(values, types[: len(values)]))


def _bindings(program: BoundProgram, entry: str | None, given: Mapping[str, Any]) -> Bindings:
    results = outside_results(program, find_entry(program, entry))
    named = {
        result: _bound(result, value)
        for name, value in given.items()
        for result in find_results(results, name)
    }
    return bindings_of(program, results, named)


def _bound(result: OutsideResult, given: Any) -> Array | None:
    if (given is None) != (result.type is None):
        message = (
            "is a value: only what gives nothing is skipped"
            if result.type
            else "gives nothing: None skips it"
        )
        raise InputError(f"{result} {message}", result.span)
    return None if result.type is None else _as_type(given, result.type)


def _as_type(given: Any, type: Type | None) -> Array:
    dtype = type.element_type.dtype if isinstance(type, TensorType) else None
    array = np.asarray(given)
    if dtype is None or array.dtype == dtype:
        return array
    # A Python list has no dtype to insist on; an array of another dtype is a mistake worth an error.
    return array if isinstance(given, np.ndarray) else array.astype(dtype)
