"""What `import hloscope` gives: programs checked, run and recorded from Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

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
from hloscope.engine.entry import find_entry
from hloscope.engine.errors import Diagnostic, InputError, ProgramError
from hloscope.engine.frontend import load
from hloscope.engine.inputs import InputSpec, make_input
from hloscope.engine.ir.types import Type
from hloscope.engine.limits import DEFAULT_LIMITS, Limits
from hloscope.engine.ops.core.exchanges import Arrays
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.ops.core.values import leaves
from hloscope.engine.outside_results import (
    Bindings,
    OutsideResult,
    bindings_of,
    find_results,
    outside_results,
)
from hloscope.engine.process_grid.launch import Launch, QueueKey
from hloscope.engine.program import BoundFunction, BoundProgram
from hloscope.engine.sharded_runs.sharded_inputs import Boundary
from hloscope.engine.source import Source

from ..base.blas import share_products
from ..base.faults import Fault, separate_faults
from ..comparing.python_compare import begin_at
from ..comparing.reducing.cases import case_of_run
from ..comparing.reducing.choosing import find_check
from ..comparing.reducing.reduction import NothingToReduce, Reduction, reduce_case
from ..passes.python_passes import Passes
from ..passes.read_modules import Request
from ..passes.records import ModuleReport, StageReport
from ..present.comparison import describe_unjoined
from ..runs.launching import ArgumentSource, RunPlan, choose_grid, launch, make_item, parse_queue_of, takers
from ..runs.python_values import Each, spec_of, with_tokens
from .capture import capture_passes
from .program import Program
from .recording import BadInput, Cause, Finding, Recording

__all__ = [
    "Address",
    "BadInput",
    "BuilderError",
    "Cause",
    "ConvolutionDimensionNumbers",
    "Diagnostic",
    "DotDimensionNumbers",
    "Each",
    "Fault",
    "Finding",
    "GatherDimensionNumbers",
    "Limits",
    "ModuleReport",
    "NothingToReduce",
    "Padding",
    "PaddingDimension",
    "Passes",
    "Program",
    "ProgramError",
    "Recording",
    "Reduction",
    "ResultAccuracy",
    "ScatterDimensionNumbers",
    "StageReport",
    "WrongProgram",
    "XlaBuilder",
    "XlaComputation",
    "XlaOp",
    "capture",
    "check",
    "parse",
    "passes",
    "record",
    "reduce",
    "run",
    "shape",
]

Array = NDArray[Any]


class WrongProgram(ValueError):
    """The text is no program that may run; the message lists every diagnostic with its place."""

    def __init__(self, source: Source, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__("\n".join(diagnostic.format(source) for diagnostic in diagnostics))
        self.diagnostics = diagnostics


def check(text: str, name: str = "<text>") -> tuple[Diagnostic, ...]:
    """What is wrong with a program, and what the specification forbids although it is plain what is meant.

    The program may run if there is no error among them, only warnings (by their `severity`).
    """
    with separate_faults():
        return load(Source(text, name)).diagnostics


def parse(text: str, name: str = "<text>", limits: Limits = DEFAULT_LIMITS) -> Program:
    """The verified program of StableHLO or HLO text; raises `WrongProgram`, or `Fault` for a mistake of ours.

    Its `warnings` do not keep it from running.
    """
    with separate_faults():
        loaded = load(Source(text, name), limits)
    if loaded.program is None:
        raise WrongProgram(loaded.source, loaded.diagnostics)
    return Program.of(loaded.program)


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
    start_at: int | str | None = None,
    answers: Callable[[BoundProgram, BoundFunction], Bindings] | None = None,
) -> Recording:
    """A whole run, with every value. Inputs are arrays, numbers, lists, or anything that NumPy makes an array of.

    An array must have the dtype of its argument, or be its bits: uint16 for bf16, uint8 for f8, int8 for i4. Numbers and
    lists must be in it; one number stands for all elements. Tuples are given as tuples, and tokens not at all. What goes wrong in
    the run is the recording's `state`; inputs that do not fit raise `ProgramError`, a mistake of ours `Fault`.

    `bindings` are for what code outside of the program makes, by the name of the result (`%5`, `%r#1`) or of what
    makes it, `@f`, for all its results; `None` skips a call that has none. `%5:12` is that of line 12 alone.

    A run is on as many processes as the program says, or as `replicas` and `partitions` do. An input is for all of
    them, whole where it is an argument that the program cuts into parts; or `Each` has one for every process.
    `feeds` has the items of the queues `infeed` and `host:CHANNEL`, each an array or a tuple of those that belong
    together; `infeed@1,2` is the queue of process (1, 2) alone.

    `start_at` is a line of the text or the name of a value, `%5`: XLA computes what comes before, and the recording begins there.
    together; `infeed@1,2` is the queue of process (1, 2) alone. `answers` are further bindings, of the parsed program.
    """
    bound = parse(program, limits=limits) if isinstance(program, str) else program
    function = find_entry(bound, entry)
    grid = choose_grid(bound, function, limits, replicas, partitions)
    values = zip(function.function.arguments, with_tokens(function.function, inputs), strict=True)
    given = [_given_of(number, value, item.type, grid) for number, (item, value) in enumerate(values)]
    start = launch(bound, function, grid, given, {}, limits)
    start = replace(start, feeds=_feeds(bound, grid, feeds or {}, limits))
    outside = _bindings(bound, entry, bindings or {}, limits)
    if answers is not None:
        outside = {**answers(bound, function), **outside}
    share_products()
    if start_at is not None:
        bound, start, outside = begin_at(start_at, bound, function, start, outside, limits)
    with separate_faults():
        recording = Recording(bound, start, limits, entry, outside)
        recording.record()
    return recording


def launch_of(
    program: BoundProgram, inputs: Sequence[Any], entry: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> Launch:
    """What each process of a run is given; `ProgramError` where the program does not take these inputs."""
    function = find_entry(program, entry)
    grid = choose_grid(program, function, limits)
    values = zip(function.function.arguments, with_tokens(function.function, inputs), strict=True)
    given = [_given_of(number, value, item.type, grid) for number, (item, value) in enumerate(values)]
    return launch(program, function, grid, given, {}, limits)


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
    recording = record(
        program, inputs, entry, limits, bindings, replicas=replicas, partitions=partitions, feeds=feeds
    )
    return joined_results(recording, entry)


def joined_results(recording: Recording, entry: str | None = None) -> tuple[Array, ...]:
    """What all processes of a run agree on, and wholes of parts; `ProgramError` where processes differ."""
    require_end(recording)
    function = find_entry(recording.program, entry)
    joined = Boundary(recording.program, function, recording.grid).join(_results(recording))
    whole = [value for value in joined if value is not None]
    if len(whole) < len(joined):
        told = describe_unjoined(_results(recording), joined)
        raise ProgramError(f"{told}: hloscope.run_each gives those of each process")
    return tuple(leaf for result in whole for leaf in leaves(result))


def results_of_each(recording: Recording) -> list[tuple[Array, ...]]:
    """The results of each process of a run, by its number."""
    require_end(recording)
    return [tuple(leaf for value in values for leaf in leaves(value)) for values in _results(recording)]


def passes(
    folder: str | Path,
    inputs: str | Path | Mapping[str, Any] | Sequence[Any] | None = None,
    *,
    module: str | None = None,
    seed: int = 0,
    run: bool = True,
    jobs: int | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Passes:
    """What each pass of XLA did to the programs whose texts it has dumped into a folder, or into a zip archive of it.

    `inputs` are a file as `numpy.savez` writes it, or arrays by name or in order; without them those of a snapshot in the
    dump, else numbers from the `seed`. `module` is a regular expression that the names of the modules hold that are looked at,
    `jobs` the number of processes at a time. With `run=False` texts are compared alone.
    """
    return Passes(folder, Request(module, inputs, seed, run, jobs, limits))


@contextmanager
def capture(
    folder: str | Path | None = None,
    *,
    inputs: str | Path | Mapping[str, Any] | Sequence[Any] | None = None,
    module: str | None = None,
    seed: int = 0,
    run: bool = True,
    jobs: int | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Iterator[Passes]:
    """`with hloscope.capture() as passes: f(x)`: the passes of all that JAX compiles within the block.

    Behind the block `passes` is what `hloscope.passes` gives; the inputs are those that the functions were called with.
    `folder` keeps what XLA has dumped; without it, it goes with `passes`.
    """
    with capture_passes(Request(module, inputs, seed, run, jobs, limits), folder) as found:
        yield found


def reduce(
    program: BoundProgram | str,
    inputs: Sequence[Any] = (),
    check: str | Callable[[str, Sequence[Array]], object] = "differs from xla",
    entry: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    *,
    seconds: float | None = None,
    check_seconds: float = 60.0,
    xla_flags: Sequence[str] = (),
) -> Reduction:
    """The smallest program and inputs of which a check holds, made of these by leaving out and simplifying.

    `check` is `differs from xla`, `crashes xla`, `a pass changes values`, `nan`, a shell command behind `$ `, or a function
    of the program's text and the list of its inputs. The search ends after `seconds`, or with Ctrl+C, with what it has;
    XLA or a command may take `check_seconds` for a program. Of what is found, `text` and `inputs` are the program, `script` is Python
    that shows the fault with jax alone, and `write(folder)` writes all. Raises `NothingToReduce` if the check does not hold at first.
    """
    bound = parse(program, limits=limits) if isinstance(program, str) else program
    function = find_entry(bound, entry)
    grid = choose_grid(bound, function, limits)
    values = zip(function.function.arguments, with_tokens(function.function, inputs), strict=True)
    given = [_given_of(number, value, item.type, grid) for number, (item, value) in enumerate(values)]
    case = case_of_run(RunPlan(bound, function, grid, given, {}, {}, limits))
    return reduce_case(case, find_check(check, xla_flags, limits, check_seconds), xla_flags, limits, seconds)


def require_end(recording: Recording) -> Recording:
    """A recording that has come to its end; `ProgramError` says why another one has not."""
    if recording.state.kind != "done":
        raise ProgramError(recording.state.describe(recording.program.module.source))
    return recording


def _results(recording: Recording) -> list[tuple[Array, ...]]:
    return [track.results() or () for track in recording.tracks[: recording.grid.num_processes]]


def _given_of(number: int, value: Any, type: Type, grid: Grid) -> ArgumentSource:
    """How the values of one input are made, from what the caller passed."""
    if not isinstance(value, Each):
        return ArgumentSource.one(spec_of(value, type))
    if len(value.values) != grid.num_processes:
        count = len(value.values)
        raise InputError(f"input {number} is given for {count} processes, but the grid is {grid}")
    return ArgumentSource("each", tuple(spec_of(each, type) for each in value.values))


def _feeds(
    program: BoundProgram, grid: Grid, feeds: Mapping[str, Sequence[Any]], limits: Limits
) -> dict[QueueKey, tuple[Arrays, ...]]:
    found = {}
    for name, items in feeds.items():
        key = parse_queue_of(name, grid)
        wanted = list(takers(program, grid, key))
        found[key] = tuple(
            make_item(program, grid, key, number, _item(item, wanted, number), limits)
            for number, item in enumerate(items)
        )
    return found


def _item(item: Any, takers: Sequence[Sequence[Type]], number: int) -> list[InputSpec]:
    """The values of an item of a queue, which the ops take in turn."""
    types = takers[number % len(takers)] if takers else ()
    values = item if isinstance(item, tuple) else (item,)
    return [spec_of(value, type) for value, type in zip_longest(values, types[: len(values)])]


def _bindings(program: BoundProgram, entry: str | None, given: Mapping[str, Any], limits: Limits) -> Bindings:
    function = find_entry(program, entry)
    results = outside_results(program, function)
    first = len(function.function.arguments)
    named = {
        result: _input_value(result, value, first + results.index(result), limits)
        for name, value in given.items()
        for result in find_results(results, name)
    }
    return bindings_of(program, results, named)


def _input_value(result: OutsideResult, given: Any, number: int, limits: Limits) -> Array | None:
    if (given is None) != (result.type is None):
        message = (
            "is a value: only what gives nothing is skipped"
            if result.type
            else "gives nothing: None skips it"
        )
        raise InputError(f"{result} {message}", result.span)
    if result.type is None:
        return None
    return make_input(spec_of(given, result.type), result.type, number, limits=limits, what=str(result))
