"""From text and input specifications to a run, inside a worker; or to a second part that begins with computed values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from hloscope.engine.communication import check_collectives
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.entry import find_entry
from hloscope.engine.errors import Diagnostic, InputError, ProgramError
from hloscope.engine.frontend import load
from hloscope.engine.ir.types import TupleType, Type
from hloscope.engine.limits import Limits
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.ops.core.values import freeze, token, tuple_of
from hloscope.engine.outside_results import same_results
from hloscope.engine.process_grid.launch import QueueKey
from hloscope.engine.program import BoundFunction, BoundProgram
from hloscope.engine.program_split import ForwardedValue, Split, split_at
from hloscope.engine.sharded_runs.sharded_inputs import needed_grid
from hloscope.engine.source import OnProgress, Source

from ..base.keys import recording_key, text_hash
from ..present.program import entries
from ..present.source_offsets import diagnostics as wire_diagnostics
from ..present.types import type_text
from ..wire.input_files import without_paths
from ..wire.program import CheckResult, Entry, GridSize
from ..wire.sessions import Argument, DroppedInput, Feed, Feeds, FileMatch, FileMatches, InputSpec, LaterStart
from ..wire.tasks import OpenFacts, RefusedRun
from .executed_values import kept_executor
from .launching import RunPlan, choose_grid, fed_queues, make_feeds, queue_text
from .npz import arguments_of, headers_json, match, match_processes
from .run import Run, memory_diagnostic
from .run_inputs import (
    Files,
    RunInput,
    choose_specs,
    feeds_of,
    given_json,
    input_values,
    read_files,
    run_inputs,
    stated_inputs,
)
from .value_files import read_value_headers


@dataclass(frozen=True)
class Opening:
    """A run that was opened, with the facts for the page."""

    run: Run
    facts: OpenFacts
    plan: RunPlan


@dataclass(frozen=True)
class Refusal:
    """The reason why a run cannot start."""

    result: RefusedRun


def check(
    source: Source, entry: str | None, limits: Limits, on_progress: OnProgress | None = None
) -> CheckResult:
    """The diagnostics of a program, and its possible entry functions.

    `entry`, or else the first, includes its grid, its sharded arguments, and its inputs from outside of the program.
    """
    loaded = load(source, limits, on_progress)
    found = entries(loaded.module) if loaded.module else []
    collectives: Sequence[Diagnostic] = ()
    chosen = next((item for item in found if item["name"] == entry), next(iter(found), None))
    if chosen is not None and loaded.program is not None:
        function = loaded.program.functions[chosen["name"]]
        collectives = _collective_warnings(loaded.program, function, None, limits)
        with suppress(ProgramError):  # a run that needs an invalid sharding reports it
            _add_needs(chosen, loaded.program, function)
    diagnostics = (*loaded.diagnostics, *collectives)
    return {"diagnostics": wire_diagnostics(diagnostics, source), "entries": found}


def _collective_warnings(
    program: BoundProgram, function: BoundFunction, grid: Grid | None, limits: Limits
) -> list[Diagnostic]:
    """Findings about a program's collectives; never an error, since the page can step to the deadlock."""
    found = check_collectives(program, function, grid, limits)
    return [replace(each, severity="warning") if each.severity == "error" else each for each in found]


def _add_needs(entry: Entry, program: BoundProgram, function: BoundFunction) -> None:
    """Add the inputs and the grid that a run of `function` needs."""
    grid = needed_grid(program, function)
    rows = run_inputs(program, function, grid)
    entry["arguments"] = [row.to_json() for row in rows if not row.outside]
    entry["outside"] = [row.to_json() for row in rows if row.outside]
    entry["needed_grid"] = grid_size(grid)
    entry["user_queues"] = [queue_text(key) for key in fed_queues(program, grid)]


@dataclass(frozen=True)
class OpenParameters:
    """The parameters of a run; `previous` ones are of the last run, kept where they still fit."""

    entry: str | None
    inputs: Sequence[InputSpec | None]
    previous: Sequence[Argument]
    grid: GridSize | None = None
    feeds: Feeds | None = None
    """Stored `mark`, `given` and `later`; `kept`: whether the given items are of the run before."""
    start: LaterStart | None = None
    """The start of the run, if not the program's beginning."""


def open_run(
    source: Source,
    wanted: OpenParameters,
    limits: Limits,
    build: str = "",
    blas_threads: int = 1,
    on_progress: OnProgress | None = None,
) -> Opening | Refusal:
    """Verify the program, make the inputs, and start a recording; or return the refusal.

    `on_progress` is called periodically.
    """
    loaded = load(source, limits, on_progress)
    diagnostics = loaded.diagnostics
    if loaded.program is None:
        return _failure(source, diagnostics)
    if on_progress:
        on_progress("preparing", len(source.text))
    try:
        found = _begin(loaded.program, source, wanted, limits)
    except ProgramError as error:
        return _failure(source, (*diagnostics, error.diagnostic()))
    except MemoryError:
        return _failure(source, (*diagnostics, memory_diagnostic()))
    facts = _facts(found, loaded.program, source, build, blas_threads)
    collectives = _collective_warnings(found.plan.program, found.plan.function, found.plan.grid, limits)
    facts["diagnostics"] = wire_diagnostics((*diagnostics, *collectives), source)
    run = Run(facts["key"], found.recording)
    run.hinted = partial(found.plan.add_hint, recording=found.recording)
    later = found.feeds["later"] if found.feeds else []
    run.pending.extend(feeds_of([feed], found.files) for feed in later)
    return Opening(run, facts, found.plan)


def _facts(found: _Start, program: BoundProgram, source: Source, build: str, blas_threads: int) -> OpenFacts:
    """The facts about a run that can begin, without the diagnostics."""
    function, grid = found.bound.function, grid_size(found.plan.grid)
    stored, feeds = without_paths(found.specs), _stored_feeds(found.feeds)
    mark = {"mark": feeds["mark"], "given": feeds["given"]} if feeds else None
    hashed, sizes = text_hash(source.text), (grid["replicas"], grid["partitions"])
    return {
        "key": recording_key(hashed, function.name, stored, build, blas_threads, sizes, found.start or mark),
        "program": hashed,
        "entry": function.name,
        "arguments": [{**row.to_json(), "input": spec} for row, spec in zip(found.rows, stored, strict=True)],
        "results": [type_text(type, program.module.language) for type in function.result_types],
        "grid": grid,
        "needed_grid": grid_size(needed_grid(program, found.bound)),
        "user_queues": [queue_text(queue) for queue in found.queues],
        "feeds": feeds,
        "start": found.start,
        "diagnostics": [],
        "dropped_inputs": found.dropped,
    }


@dataclass(frozen=True)
class _Start:
    """A recording, and its parameters."""

    recording: Recording
    bound: BoundFunction
    rows: Sequence[RunInput]
    specs: list[InputSpec]
    queues: Sequence[QueueKey]
    feeds: Feeds | None
    files: Files
    dropped: list[DroppedInput]
    start: LaterStart | None
    """The later start as stored."""
    plan: RunPlan


def _begin(program: BoundProgram, source: Source, wanted: OpenParameters, limits: Limits) -> _Start:
    bound = _function(program, wanted.entry)
    grid = choose_grid(program, bound, limits, *_sizes(wanted.grid))
    rows = run_inputs(program, bound, grid)
    stated = [given_json(given) for given in stated_inputs(source.text)]
    specs, dropped = choose_specs(rows, wanted.inputs, wanted.previous, stated, grid)
    queues = fed_queues(program, grid)
    feeds = wanted.feeds if queues else None
    files = read_files([specs, feeds, wanted.start], limits)
    given, bindings = input_values(program, rows, specs, files, limits)
    if feeds and feeds.get("kept"):
        feeds, lost = _fitting_feeds(program, grid, feeds, files, limits)
        dropped += lost
    items = feeds_of(feeds["given"], files) if feeds else {}
    plan = RunPlan(program, bound, grid, given, items, bindings, limits)
    if wanted.start:
        plan = _begin_later(plan, wanted.start, files)
    start = without_paths(wanted.start)
    return _Start(plan.recording(), bound, rows, specs, queues, feeds, files, dropped, start, plan)


def _begin_later(plan: RunPlan, start: LaterStart, files: Files) -> RunPlan:
    values = {spec["array"]: files[spec["file"]][spec["array"]] for spec in start["values"]}
    if start.get("whole"):
        return replace(plan, executor=kept_executor(plan.program, values, start["by"]))
    return begin_again(plan, start["at"], start["by"], values)


def _sizes(grid: GridSize | None) -> tuple[int | None, int | None]:
    return (grid["replicas"], grid["partitions"]) if grid else (None, None)


def _fitting_feeds(
    program: BoundProgram, grid: Grid, feeds: Feeds, files: Files, limits: Limits
) -> tuple[Feeds, list[DroppedInput]]:
    """The queue items of the run before that still fit, and the dropped ones."""
    kept: list[Feed] = []
    lost: list[DroppedInput] = []
    for feed in feeds["given"]:
        try:
            make_feeds(program, grid, feeds_of([feed], files), limits)
        except ProgramError as error:
            lost.append({"name": feed["queue"], "reason": error.message})
        else:
            kept.append(feed)
    return {"mark": feeds["mark"], "given": kept, "later": []}, lost


def _stored_feeds(feeds: Feeds | None) -> Feeds | None:
    """The queue items as stored."""
    if feeds is None:
        return None
    return without_paths(Feeds(mark=feeds["mark"], given=feeds["given"], later=feeds["later"]))


def grid_size(grid: Grid) -> GridSize:
    """The grid as the API states it."""
    return {"replicas": grid.num_replicas, "partitions": grid.num_partitions}


def file_matches(path: Path, source: Source | None, entry: str | None, limits: Limits) -> FileMatches:
    """The arrays of an uploaded file, with the argument or outside result of each."""
    headers = read_value_headers(path, limits.session_memory_bytes)
    names = [header.name for header in headers]
    program = load(source, limits).program if source else None
    matches: list[FileMatch] = []
    if program is not None:
        function = _function(program, entry)
        arguments = arguments_of(function.function)
        whole = [name for name in names if "@" not in name]
        grid = needed_grid(program, function)
        rows = enumerate(run_inputs(program, function, grid))
        found = match(arguments, whole)
        found |= {number: row.name for number, row in rows if row.outside and row.name in names}
        matches = [{"argument": number, "array": name} for number, name in sorted(found.items())]
        matches += [
            {"argument": item.argument, "array": item.array, "replica": item.replica, "partition": item.partition}
            for item in match_processes(arguments, names)
        ]  # fmt: skip
    return {"arrays": headers_json(headers), "matches": matches}


def _failure(source: Source, diagnostics: Sequence[Diagnostic]) -> Refusal:
    return Refusal({"key": None, "diagnostics": wire_diagnostics(diagnostics, source), "dropped_inputs": []})


def _function(program: BoundProgram, entry: str | None) -> BoundFunction:
    found = program.functions.get(entry) if entry else program.entry
    if found is not None or not program.functions:
        return found or find_entry(program, entry)
    names = ", ".join(f"@{name}" for name in program.functions)
    message = (
        f"the program has no function @{entry}" if entry else "no function is @main or the only public one"
    )
    raise InputError(message, hint=f"Choose one to run: {names}.")


def begin_again(plan: RunPlan, wanted: int | str, by: str, values: Mapping[str, Array]) -> RunPlan:
    """The run from a position on, with values that XLA has computed."""
    return begin_with_values(plan, split_at(plan.program, plan.function, wanted, plan.bindings), by, values)


def begin_with_values(plan: RunPlan, split: Split, by: str, values: Mapping[str, Array]) -> RunPlan:
    """The second part of a run. Raises `InputError` if a value is missing.

    Its additional arguments follow its own.
    """
    rest, start = split.rest(by, plan.limits), plan.launch()
    inputs = tuple(
        (*own, *(freeze(_value(found, plan, process, values)) for found in split.forwarded))
        for process, own in enumerate(start.inputs)
    )
    return replace(
        plan,
        program=rest,
        function=rest.functions[plan.function.function.name],
        bindings=split.bindings_of(rest, plan.bindings),
        made=replace(start, inputs=inputs),
    )


def _value(found: ForwardedValue, plan: RunPlan, process: int, values: Mapping[str, Array]) -> Array:
    match found.kind:
        case "token":
            return token()
        case "given":
            return same_results(plan.bindings, found.maker.id)[found.index]
        case "constant":
            made = found.maker.op.evaluate()
            return made[found.index] if isinstance(made, tuple) else made
        case "computed":
            names = iter(names_of(found, plan, process))
            return _put_together(found.value.type, names, values)


def _put_together(type: Type, names: Iterator[str], values: Mapping[str, Array]) -> Array:
    if isinstance(type, TupleType):
        return tuple_of([_put_together(part, names, values) for part in type.types])
    name = next(names)
    if name not in values:
        raise InputError(f"the values from before have none for {name}", hint="Have them computed again.")
    array, wanted = values[name], type.element_type.dtype  # type: ignore[attr-defined]
    return array if array.dtype == wanted else array.view(wanted)


def names_of(found: ForwardedValue, plan: RunPlan, process: int) -> Iterator[str]:
    """The names of a value's tensors in a file."""
    grid = plan.grid
    place = "@{},{}".format(*divmod(process, grid.num_partitions)) if grid.num_processes > 1 else ""
    if isinstance(found.value.type, TupleType):
        yield from (f"{found.value.name}.{number}{place}" for number in range(_tensors(found.value.type)))
    else:
        yield f"{found.value.name}{place}"


def _tensors(type: Type) -> int:
    return sum(map(_tensors, type.types)) if isinstance(type, TupleType) else 1
