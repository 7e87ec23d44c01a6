"""Results of a run on a grid: common ones once, partitions joined, others per process."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.track import Track
from hloscope.engine.errors import InputError
from hloscope.engine.ir.types import Type
from hloscope.engine.ops.core.exchanges import Arrays
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.program import BoundFunction
from hloscope.engine.sharded_runs.sharded_inputs import Boundary

from ..present.comparison import describe_unjoined, equal_rows

JSON = dict[str, Any]
_STATES = {"awaiting_item": "waiting", "done": "ended"}
How = Literal["auto", "each", "joined"]


@dataclass(frozen=True)
class Block:
    """Results that are shown together, and their processes."""

    title: str
    values: Arrays
    types: Sequence[Type]
    process: int | None = None
    """The only process with these results; `None` for all."""


def blocks(recording: Recording, function: BoundFunction, how: How) -> list[Block]:
    """The blocks to show; `InputError` if differing results have to be joined."""
    grid = recording.grid
    tracks = recording.tracks[: grid.num_processes]
    types = function.function.result_types
    results = [track.results() or () for track in tracks]
    if grid.num_processes == 1:
        return [Block("", results[0], types)]
    if how == "each":
        return [
            Block(f"process {_place(grid, number)}", values, types, number)
            for number, values in enumerate(results)
        ]
    boundary = Boundary(recording.program, function, grid)
    joined = boundary.join(results)
    whole = [value for value in joined if value is not None]
    if len(whole) == len(joined):
        wholes = boundary.whole_result_types
        how_come = "the same in all" if tuple(wholes) == tuple(types) else "joined from the parts of"
        return [Block(f"{how_come} {grid.num_processes} processes", tuple(whole), wholes)]
    if how == "joined":
        language = recording.program.module.language
        raise InputError(describe_unjoined(language, results, joined), hint="Use --results each.")
    return list(_by_results(grid, results, types))


def _by_results(grid: Grid, results: Sequence[Arrays], types: Sequence[Type]) -> Iterator[Block]:
    """Processes grouped by equal results."""
    for group in equal_rows(results):
        alone = group[0] if len(group) == 1 else None
        yield Block(_title(grid, group), results[group[0]], types, alone)


def _title(grid: Grid, group: Sequence[int]) -> str:
    noun = "process" if len(group) == 1 else "processes"
    return f"{noun} {', '.join(_place(grid, number) for number in group)}"


def _place(grid: Grid, number: int) -> str:
    replica, partition = divmod(number, grid.num_partitions)
    return f"({replica}, {partition})"


def arrays_of(found: Sequence[Block], recording: Recording) -> Iterator[tuple[str, Block]]:
    """The arrays behind the result names `out_0` and so on, and the results."""
    grid = recording.grid
    if len(found) == 1 and found[0].process is None:
        yield "", found[0]
        return
    types = found[0].types
    for number in range(grid.num_processes):
        replica, partition = divmod(number, grid.num_partitions)
        values = recording.tracks[number].results() or ()
        yield f"@{replica},{partition}", Block("", values, types, number)


def about_grid(recording: Recording) -> JSON:
    """The state of each process of a grid, and the cause of a deadlock; empty for one process."""
    if len(recording.tracks) == 1:
        return {}
    found: JSON = {
        "grid": {"replicas": recording.grid.num_replicas, "partitions": recording.grid.num_partitions},
        "processes": [_process(recording, track) for track in recording.tracks],
    }
    if report := recording.deadlock:
        found["deadlock"] = {"kind": report.kind, "sentence": report.sentence, "lines": list(report.lines)}
    return found


def _process(recording: Recording, track: Track) -> JSON:
    replica, partition = track.process
    op = track.op_of(track.step_count - 1) if track.step_count else None
    return {
        "team": track.launch_group,
        "replica": replica,
        "partition": partition,
        "state": _STATES.get(found := recording.state_of(track.number), found),
        "op": None if op is None else recording.program.ops[op].operation.spelled,
        "line": None if op is None else recording.program.line_of(op),
        "steps": track.step_count,
    }


def whereabouts(about: Mapping[str, Any]) -> Iterator[str]:
    """A line for all processes at the same position: `(0, 1), (1, 1): waiting, send at line 7`."""
    found: dict[str, list[str]] = {}
    for process in about.get("processes", ()):
        at = f", {process['op']} at line {process['line']}" if process["op"] else ""
        inside = f" of grid {process['team']}" if process["team"] else ""
        name = f"({process['replica']}, {process['partition']}){inside}"
        found.setdefault(f"{process['state']}{'' if process['state'] == 'ended' else at}", []).append(name)
    for state, names in found.items():
        yield f"        {', '.join(names)}: {state}"
