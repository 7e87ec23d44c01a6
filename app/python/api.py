"""Check, run and record programs from Python: the functions behind `import hloscope`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from hloscope.engine.communication import check_collectives
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
from ..base.faults import separate_faults
from ..comparing.on_device import executor_on
from ..comparing.python_compare import begin_at
from ..comparing.reducing.reduction import Reduction, case_of_run, find_check, reduce_case
from ..comparing.strict import strict_plan
from ..passes.python_passes import Passes
from ..passes.read_modules import Request
from ..present.comparison import describe_unjoined
from ..present.html.programs import program_html
from ..runs.launching import ArgumentSource, RunPlan, choose_grid, launch, make_item, parse_queue_of, takers
from ..runs.python_values import Each, spec_of, with_tokens
from ..xla.several_hosts import Hosts, together
from .capture import capture_passes
from .recording import Recording

Array = NDArray[Any]


@dataclass(frozen=True, repr=False)
class Program(BoundProgram):
    """A verified program; a notebook shows its functions, its ops and its text."""

    @classmethod
    def of(cls, bound: BoundProgram) -> Program:
        """The same program."""
        return cls(**{field.name: getattr(bound, field.name) for field in fields(bound)})

    def __repr__(self) -> str:
        return f"<hloscope.Program {self.module.source.name}: {len(self.ops):,} ops>"

    def _repr_html_(self) -> str:
        """Its functions, ops and text, for notebooks."""
        return program_html(self)


class WrongProgram(ValueError):
    """The text is not a valid program; the message lists every diagnostic with its position."""

    def __init__(self, source: Source, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__("\n".join(diagnostic.format(source) for diagnostic in diagnostics))
        self.diagnostics = diagnostics


def check(text: str, name: str = "<text>") -> tuple[Diagnostic, ...]:
    """The errors, warnings and notes of a program.

    A warning marks what the specification forbids although its meaning is clear, or collectives that may wait
    forever. A program with warnings and notes only (see `severity`) may run.
    """
    with separate_faults():
        loaded = load(Source(text, name))
        entry = loaded.program.entry if loaded.program else None
        collectives = check_collectives(loaded.program, entry) if loaded.program and entry else ()
        return (*loaded.diagnostics, *collectives)


def parse(text: str, name: str = "<text>", limits: Limits = DEFAULT_LIMITS) -> Program:
    """Parse and verify a program of StableHLO or HLO text.

    Raises `WrongProgram`, or `Fault` for an error in hloscope itself. `warnings` of the program do not keep it
    from running.
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
    on: str | None = None,
    strict: bool = False,
    hosts: Hosts | None = None,
) -> Recording:
    """Record a run with every value, as `hloscope.record` does for a text and its inputs.

    `answers` are further bindings, of the parsed program; `hosts` are those that record it together.
    """
    bound = parse(program, limits=limits) if isinstance(program, str) else program
    function = find_entry(bound, entry)
    grid = choose_grid(bound, function, limits, replicas, partitions)
    start = launch(bound, function, grid, _sources(function, inputs, grid), {}, limits)
    start = replace(start, feeds=_feeds(bound, grid, feeds or {}, limits))
    outside = _bindings(bound, entry, bindings or {}, limits)
    if answers is not None:
        outside = {**answers(bound, function), **outside}
    share_products()
    if start_at is not None:
        bound, start, outside = begin_at(start_at, bound, function, start, outside, limits)
    executor = executor_on(on, grid.num_processes, strict=strict, hosts=hosts) if on is not None else None
    if strict:
        if executor is None:
            raise InputError("strict records what XLA compiles", hint='Name where: on="cpu".')
        plan = RunPlan(bound, function, grid, (), {}, outside, limits, start)
        found = strict_plan(plan, executor)
        bound, start, entry, outside = found.program, found.launch(), None, {}
    with separate_faults():
        recording = Recording(bound, start, limits, entry, outside, executor=executor)
        with together(executor, bound):
            recording.record()
    return recording


def launch_of(
    program: BoundProgram, inputs: Sequence[Any], entry: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> Launch:
    """The inputs of each process of a run; `ProgramError` if the program does not accept them."""
    function = find_entry(program, entry)
    grid = choose_grid(program, function, limits)
    return launch(program, function, grid, _sources(function, inputs, grid), {}, limits)


def joined_results(recording: Recording, entry: str | None = None) -> tuple[Array, ...]:
    """The common results of all processes, with partitions joined.

    `ProgramError` if processes differ.
    """
    require_end(recording)
    function = find_entry(recording.program, entry)
    joined = Boundary(recording.program, function, recording.grid).join(_results(recording))
    whole = [value for value in joined if value is not None]
    if len(whole) < len(joined):
        language = recording.program.module.language
        told = describe_unjoined(language, _results(recording), joined)
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
    """Report what each pass of XLA changed, from a folder or zip archive of dumped programs.

    `inputs` are a file that `numpy.savez` has written, or arrays by name or in order; the default is the
    snapshot in the dump, else random numbers from `seed`. `module` is a regular expression that selects modules
    by name, `jobs` the number of parallel processes. `run=False` compares the texts only.
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
    """Capture the passes of everything that JAX compiles within the block.

    `with hloscope.capture() as passes: f(x)`. After the block, `passes` is what `hloscope.passes` returns; its
    inputs are the arguments of the function calls. `folder` keeps the dump of XLA; without it, the dump is
    deleted together with `passes`.
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
    """Shrink a program and its inputs to the smallest ones for which a check still holds.

    `check` is `differs from xla`, `crashes xla`, `a pass changes values`, `nan`, a shell command after `$ `, or
    a function of the program's text and the list of its inputs. The search ends after `seconds`, or with
    Ctrl+C, and returns the smallest program so far; XLA or a command may take `check_seconds` for one program.
    In the result, `text` and `inputs` are the program, `script` is Python code that shows the fault with jax
    alone, and `write(folder)` writes all of them. Raises `NothingToReduce` if the check does not hold for the
    original program.
    """
    bound = parse(program, limits=limits) if isinstance(program, str) else program
    function = find_entry(bound, entry)
    grid = choose_grid(bound, function, limits)
    sources = _sources(function, inputs, grid)
    case = case_of_run(RunPlan(bound, function, grid, sources, {}, {}, limits))
    found = find_check(check, xla_flags, limits, check_seconds, case.grid.num_processes)
    return reduce_case(case, found, xla_flags, limits, seconds)


def require_end(recording: Recording) -> Recording:
    """Return a completed recording; `ProgramError` with the reason if it has not completed."""
    if recording.state.kind != "done":
        raise ProgramError(recording.state.describe(recording.program.module.source))
    return recording


def _results(recording: Recording) -> list[tuple[Array, ...]]:
    return [track.results() or () for track in recording.tracks[: recording.grid.num_processes]]


def _sources(function: BoundFunction, inputs: Sequence[Any], grid: Grid) -> list[ArgumentSource]:
    """The source of each argument, from the inputs that the caller passed."""
    values = zip(function.function.arguments, with_tokens(function.function, inputs), strict=True)
    return [_source(number, value, item.type, grid) for number, (item, value) in enumerate(values)]


def _source(number: int, value: Any, type: Type, grid: Grid) -> ArgumentSource:
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
    """The values of one queue item, in the order in which the ops consume them."""
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
