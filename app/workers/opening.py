"""From text and input specifications to a run, inside a worker."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.entry import find_entry
from hloscope.engine.errors import Diagnostic, InputError, ProgramError
from hloscope.engine.frontend import load
from hloscope.engine.inputs import InputSpec
from hloscope.engine.limits import Limits
from hloscope.engine.ops.process_groups import Grid
from hloscope.engine.process_grid.launch import QueueKey
from hloscope.engine.process_grid.sharded_inputs import needed_grid
from hloscope.engine.program import BoundFunction, BoundProgram
from hloscope.engine.source import Source

from ..examples import stated_inputs
from ..input_files import without_paths
from ..keys import recording_key, text_hash
from ..launching import choose_grid, fed_queues, launch, made_feeds, queue_text, with_specs
from ..made_up import sizes_made_up, with_hint
from ..npz import arguments_of, listed, match, match_processes, read_headers
from ..present import diagnostics as wire_diagnostics
from ..present import entries
from ..present.types import type_text
from .rows import Files, Row, feeds_of, given_json, given_of, read_files, rows_of, settled
from .runs import Run, memory_diagnostic

JSON = dict[str, Any]


@dataclass
class Opened:
    """What came of opening: the run if there is one, and what the page is told."""

    run: Run | None
    result: JSON = field(default_factory=dict)


def check(source: Source, entry: str | None, limits: Limits) -> JSON:
    """What is wrong with a program, and what it can be entered by.

    `entry`, or else the first, has with it the grid that it wants, which of its arguments are cut, and what its
    run takes from outside of the program.
    """
    loaded = load(source, limits)
    found = entries(loaded.module) if loaded.module else []
    chosen = next((item for item in found if item["name"] == entry), next(iter(found), None))
    if chosen is not None and loaded.program is not None:
        with suppress(ProgramError):  # a sharding that makes no sense is said when a run needs it
            chosen |= _needs(loaded.program, loaded.program.functions[chosen["name"]])
    return {"diagnostics": wire_diagnostics(loaded.diagnostics, source), "entries": found}


def _needs(program: BoundProgram, function: BoundFunction) -> JSON:
    """What a run of `function` asks for."""
    grid = needed_grid(program, function)
    rows = rows_of(program, function, grid)
    return {
        "arguments": [row.described() for row in rows if not row.outside],
        "outside": [row.described() for row in rows if row.outside],
        "needed_grid": grid_size(grid),
        "user_queues": [queue_text(key) for key in fed_queues(program, grid)],
    }


@dataclass(frozen=True)
class Wanted:
    """What a run is opened with. What is `previous` is of the run before, and kept where it still fits."""

    entry: str | None
    inputs: Sequence[JSON | None]
    previous: Sequence[JSON]
    grid: JSON | None = None
    feeds: JSON | None = None
    """`mark`, `given` and `later`, as the store has them; `kept`: whether what is given is of the run before."""


WANTED = tuple(item.name for item in fields(Wanted))


def open_run(source: Source, wanted: Wanted, limits: Limits, build: str, blas_threads: int) -> Opened:
    """Verify, make the inputs, begin."""
    loaded = load(source, limits)
    diagnostics = loaded.diagnostics
    if loaded.program is None:
        return _failed(source, diagnostics)
    try:
        found = _begun(loaded.program, source, wanted, limits)
    except ProgramError as error:
        return _failed(source, (*diagnostics, error.diagnostic()))
    except MemoryError:
        return _failed(source, (*diagnostics, memory_diagnostic()))
    function, grid = found.bound.function, grid_size(found.grid)
    stored = without_paths(found.specs)
    feeds = _kept(found.feeds)
    mark = {"mark": feeds["mark"], "given": feeds["given"]} if feeds else None
    program = text_hash(source.text)
    sizes = (grid["replicas"], grid["partitions"])
    key = recording_key(program, function.name, stored, build, blas_threads, sizes, mark)
    arguments = [row.described() | {"input": spec} for row, spec in zip(found.rows, stored, strict=True)]
    result = {
        "key": key,
        "program": program,
        "entry": function.name,
        "arguments": arguments,
        "results": [type_text(type, loaded.program.module.language) for type in function.result_types],
        "grid": grid,
        "needed_grid": grid_size(needed_grid(loaded.program, found.bound)),
        "user_queues": [queue_text(queue) for queue in found.queues],
        "feeds": feeds,
        "diagnostics": wire_diagnostics(diagnostics, source),
        "dropped_inputs": found.dropped,
    }
    run = Run(key, found.recording, source, limits, found.bound)
    run.hinted = found.hinted
    run.pending.extend(feeds_of([feed], found.files) for feed in (found.feeds or {}).get("later", ()))
    return Opened(run, result)


@dataclass(frozen=True)
class _Begun:
    """A recording, and what it was made of."""

    recording: Recording
    bound: BoundFunction
    grid: Grid
    rows: Sequence[Row]
    specs: list[JSON]
    queues: Sequence[QueueKey]
    feeds: JSON | None
    files: Files
    dropped: list[JSON]
    hinted: Callable[[Diagnostic], Diagnostic]
    """What stopped the run, with the sizes that were made up where they are to blame."""


def _begun(program: BoundProgram, source: Source, wanted: Wanted, limits: Limits) -> _Begun:
    bound = _function(program, wanted.entry)
    sizes = wanted.grid or {}
    grid = choose_grid(program, bound, limits, sizes.get("replicas"), sizes.get("partitions"))
    rows = rows_of(program, bound, grid)
    stated = [given_json(given) for given in stated_inputs(source.text)]
    specs, dropped = settled(rows, wanted.inputs, wanted.previous, stated, grid)
    queues = fed_queues(program, grid)
    feeds = wanted.feeds if queues else None
    files = read_files([specs, feeds], limits)
    given, bindings = given_of(program, rows, specs, files, limits)
    if feeds and feeds.get("kept"):
        feeds, lost = _fitting(program, grid, feeds, files, limits)
        dropped += lost
    items = feeds_of(feeds["given"], files) if feeds else {}
    start = launch(program, bound, grid, given, items, limits)
    recording = Recording(program, start, limits, bound.function.name, bindings)

    def again(changed: Mapping[int, InputSpec], most: int) -> Recording:
        others = with_specs(given, changed)
        tried = Recording(
            program,
            launch(program, bound, grid, others, items, limits),
            limits,
            bound.function.name,
            bindings,
        )
        tried.record(steps=most)
        return tried

    hinted = partial(
        with_hint,
        recording=recording,
        function=bound,
        invented=sizes_made_up(program, bound, given),
        run=again,
    )
    return _Begun(recording, bound, grid, rows, specs, queues, feeds, files, dropped, hinted)


def _fitting(
    program: BoundProgram, grid: Grid, feeds: JSON, files: Files, limits: Limits
) -> tuple[JSON, list[JSON]]:
    """What the queues of the run before held, without what fits no more."""
    kept, lost = [], []
    for feed in feeds["given"]:
        try:
            made_feeds(program, grid, feeds_of([feed], files), limits)
        except ProgramError as error:
            lost.append({"name": feed["queue"], "reason": error.message})
        else:
            kept.append(feed)
    return {"mark": feeds["mark"], "given": kept, "later": []}, lost


def _kept(feeds: JSON | None) -> JSON | None:
    """What is put into queues, as the store has it."""
    return without_paths({name: feeds[name] for name in ("mark", "given", "later")}) if feeds else None


def grid_size(grid: Grid) -> JSON:
    """A grid as the API says it."""
    return {"replicas": grid.num_replicas, "partitions": grid.num_partitions}


def file_matches(path: Path, source: Source | None, entry: str | None, limits: Limits) -> JSON:
    """The arrays of an uploaded file, and which argument each is for, or which result from outside.

    An array named `in_0@1,2` is for replica 1 of partition 2 alone.
    """
    headers = read_headers(path, limits.session_memory_bytes)
    names = [header.name for header in headers]
    program = load(source, limits).program if source else None
    matches: list[JSON] = []
    if program is not None:
        function = _function(program, entry)
        arguments = arguments_of(function.function)
        whole = [name for name in names if "@" not in name]
        grid = needed_grid(program, function)
        rows = enumerate(rows_of(program, function, grid))
        found = match(arguments, whole)
        found |= {number: row.name for number, row in rows if row.outside and row.name in names}
        matches = [{"argument": number, "array": name} for number, name in sorted(found.items())]
        matches += [
            {"argument": item.argument, "array": item.array, "replica": item.replica, "partition": item.partition}
            for item in match_processes(arguments, names)
        ]  # fmt: skip
    return {"arrays": listed(headers), "matches": matches}


def _failed(source: Source, diagnostics: Sequence[Diagnostic]) -> Opened:
    return Opened(None, {"diagnostics": wire_diagnostics(diagnostics, source), "dropped_inputs": []})


def _function(program: BoundProgram, entry: str | None) -> BoundFunction:
    found = program.functions.get(entry) if entry else program.entry
    if found is not None or not program.functions:
        return found or find_entry(program, entry)
    names = ", ".join(f"@{name}" for name in program.functions)
    message = (
        f"the program has no function @{entry}" if entry else "no function is @main or the only public one"
    )
    raise InputError(message, hint=f"Choose one to run: {names}.")
