"""The grid of a recording as JSON: launch groups, collective executions, queues, deadlocks, parts of values."""

from collections.abc import Iterator
from dataclasses import replace

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.grid_record import CollectiveExecution, QueueMove
from hloscope.engine.debugger.origins import address_of
from hloscope.engine.debugger.pieces import end_of
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import ProgramError
from hloscope.engine.ir.types import TensorType, TupleType, Type
from hloscope.engine.ops.collectives.collective_rules import CollectiveOp
from hloscope.engine.ops.collectives.point_to_point import PointToPoint
from hloscope.engine.ops.core.exchanges import GridPosition, Peers
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.ops.core.values import is_tuple
from hloscope.engine.process_grid.deadlock import DeadlockReport, Wait
from hloscope.engine.process_grid.grid_events import LaunchGroup
from hloscope.engine.process_grid.launch import QueueKey
from hloscope.engine.program import BoundProgram
from hloscope.engine.sharded_runs.run_meshes import RunMesh, run_meshes
from hloscope.engine.sharded_runs.shown_shardings import Outline, ShownSharding, ShownShardings

from ..wire import grid as wire
from ..wire.encoding import encoded
from ..wire.grid import DeadlockReport as DeadlockReportJson
from ..wire.grid import QueueMove as QueueMoveJson
from ..wire.program import InputType
from .elements import Array
from .summary import plain_text
from .tracks import tracks_json
from .types import input_type

Groups = list[list[int]]
MOST_ITEMS = 100
"""Maximum number of queue items listed: the next ones to wait, and the last ones taken."""


def grid_json(recording: Recording, assembled: bool) -> wire.GridInfo:
    """The state of the whole grid.

    `assembled`: values outside of manual computations are whole, and the same in every process.
    """
    return {
        "processes": len(recording.tracks),
        "teams": [_team(recording, team) for team in recording.launch_groups],
        "tracks": tracks_json(recording),
        "ticks": recording.end_tick,
        "collective_executions": len(recording.collective_executions),
        "assembled": assembled,
        "deadlock": deadlock_json(recording, recording.deadlock) if recording.deadlock else None,
        "queues": [_queue(recording, key) for key in queue_keys(recording)],
        "meshes": [_mesh(mesh) for mesh in run_meshes(recording.program, recording.grid)],
    }


def _mesh(mesh: RunMesh) -> wire.MeshInfo:
    axes: list[wire.MeshAxis] = [{"name": name, "size": size} for name, size in mesh.axes]
    return {"name": mesh.name, "axes": axes, "processes": list(mesh.processes)}


def _team(recording: Recording, team: LaunchGroup) -> wire.TeamInfo:
    opener: wire.TeamOpener | None = None
    if team.opener is not None:
        process, step = team.opener
        op = recording.tracks[process].op_of(step)
        opener = {"process": process, "step": step, "line": recording.program.line_of(op)}
    grid = team.grid
    return encoded(
        wire.TeamInfo, team, replicas=grid.num_replicas, partitions=grid.num_partitions, opener=opener
    )


# Collective executions.


def execution_json(
    recording: Recording, execution: CollectiveExecution, groups: Groups
) -> wire.ExecutionInfo:
    """One collective execution or message: when each process arrived and could continue."""
    arrivals = [(process, step, tick) for process, (step, tick) in sorted(execution.arrivals.items())]
    return encoded(
        wire.ExecutionInfo,
        execution,
        line=recording.program.line_of(execution.op),
        team=execution.launch_group,
        arrivals=arrivals,
        released=sorted(execution.released.items()),
        awaited=_missing_processes(execution),
        ends=_ends(recording, execution),
        groups=groups,
        axes=_axes(recording, execution, groups),
    )


def _axes(recording: Recording, execution: CollectiveExecution, groups: Groups) -> list[list[str] | None]:
    """For each mesh the axes that the groups span, of an execution in the first launch group."""
    if execution.launch_group != 0 or execution.is_message:
        return []
    found = [mesh.axes_of(groups) for mesh in run_meshes(recording.program, recording.grid)]
    return [None if axes is None else list(axes) for axes in found]


def _ends(recording: Recording, execution: CollectiveExecution) -> list[int] | None:
    """Sender and receiver of a message that only one has reached; -1: not named by the program."""
    if not execution.is_message or len(execution.group) == 2:
        return None
    found = [end_of(recording, execution, sends=sends) for sends in (True, False)]
    return [-1 if end is None else end[0] for end in found]


def _missing_processes(execution: CollectiveExecution) -> list[tuple[int, list[int]]]:
    """For each process that waits for a part of its group, the processes that it needs."""
    told = sorted(execution.awaited.items())
    return [(process, list(others)) for process, others in told if len(others) != len(execution.group)]


def groups_of(recording: Recording, op: int, team: LaunchGroup) -> Groups:
    """All groups of an op on a team's grid, as process numbers; empty if the ids do not fit."""
    found = recording.program.ops[op].op
    if not isinstance(found, CollectiveOp):
        return []
    groups: dict[tuple[int, ...], None] = {}
    kept: dict[int, Peers] = {}  # the members of a group mostly have one and the same tuple
    try:
        for number in team.numbers:
            peers = found.peers(GridPosition(team.process_of(number), team.grid))
            if peers is not None and id(peers.group) not in kept:
                kept[id(peers.group)] = peers
                groups[tuple(map(team.number_of, peers.group))] = None
    except ProgramError:
        return []
    return [list(group) for group in groups]


# Deadlocks.


def deadlock_json(recording: Recording, report: DeadlockReport) -> DeadlockReportJson:
    """The report of a deadlock, for the grid panel."""
    return encoded(DeadlockReportJson, report, waits=[_wait(recording, wait) for wait in report.waits])


def _wait(recording: Recording, wait: Wait) -> wire.DeadlockWait:
    return encoded(
        wire.DeadlockWait, wait, op=wait.op.id, line=recording.program.line_of(wait.op.id), kind=wait.what
    )


# Queues.


def queue_keys(recording: Recording) -> list[QueueKey]:
    """All queues that hold an item, have held one, or have a waiting process."""
    awaited = recording.awaited_queues.values()
    return sorted(
        {*recording.queues, *recording.pending_items, *awaited},
        key=lambda key: (key.kind, key.channel, -1 if key.process is None else key.process),
    )


def queue_version(recording: Recording) -> int:
    """A counter that grows whenever an item enters or leaves a queue."""
    moved = sum(len(record.moves) for record in recording.queues.values())
    # A taken item moves and no longer waits: counting moves twice makes the number grow here too.
    return 2 * moved + sum(map(len, recording.pending_items.values())) + len(recording.awaited_queues)


def _queue(recording: Recording, key: QueueKey) -> wire.QueueInfo:
    record, waiting = recording.queues.get(key), recording.pending_items.get(key, ())
    moves = record.moves if record else []
    awaited = [process for process, wanted in recording.awaited_queues.items() if wanted == key]
    return {
        "kind": key.kind,
        "channel": key.channel,
        "process": key.process,
        "awaited": awaited,
        "wanted": _wanted_types(recording, awaited[0]) if awaited else None,
        "waiting": [[_text(value) for value in item] for item in waiting[:MOST_ITEMS]],
        "waitingCount": len(waiting),
        "moves": [_move(recording, key, move) for move in moves[-MOST_ITEMS:]],
        "moveCount": len(moves),
    }


def _wanted_types(recording: Recording, process: int) -> list[InputType] | None:
    """The types of the item that a process waits for."""
    track = recording.tracks[process]
    op = recording.program.ops[track.op_of(track.step_count - 1)].op
    language = recording.program.module.language
    return [input_type(type, language) for type in op.payload] if isinstance(op, PointToPoint) else None


def _move(recording: Recording, key: QueueKey, move: QueueMove) -> QueueMoveJson:
    addresses = list(_addresses_of(recording, key, move))
    # Results that a later op returns have no address here, unless each value has one.
    known = addresses if len(addresses) == len(move.values) else [None] * len(move.values)
    return {
        "process": move.process,
        "step": move.step,
        "tick": move.tick,
        "texts": [_text(value) for value in move.values],
        "addresses": [str(address) if address else None for address in known],
    }


def _addresses_of(recording: Recording, key: QueueKey, move: QueueMove) -> Iterator[Address | None]:
    """Addresses of an item's values: results of the op that took it, or operands of its sender."""
    program, track = recording.program, recording.tracks[move.process]
    bound = program.ops[track.op_of(move.step)]
    if key.kind in ("infeed", "host"):
        for index, value in enumerate(bound.results):
            for path in _tensor_paths(program.values[value].type):
                yield Address(move.process, "s", move.step, index, path)
        return
    for value in bound.operands:
        address = address_of(program, track, move.step, value)
        for path in _tensor_paths(program.values[value].type):
            yield address._replace(path=path) if address else None


def _tensor_paths(found: Type) -> Iterator[tuple[int, ...]]:
    """The paths to all tensors in a value; HLO text has tensors in tuples."""
    if isinstance(found, TupleType):
        for number, element in enumerate(found.types):
            yield from ((number, *path) for path in _tensor_paths(element))
    elif isinstance(found, TensorType):
        yield ()


def _text(value: Array) -> str:
    """The numbers of a value, or how many elements it has."""
    return ", ".join(map(_text, value)) if is_tuple(value) else plain_text(value)


def sharding_json(
    program: BoundProgram, shardings: ShownShardings, grid: Grid, value: int, process: int
) -> wire.ShardingInfo | None:
    """The pieces of a value as `process` sees them; `None` if no sharding applies.

    `assembled`: every process holds the whole value, and the pieces describe the sharding over devices.
    """
    shown = shardings.of(value)
    found = program.values[value].type
    if shown is None or not is_shown(shown, found):
        return None
    assert isinstance(found, TensorType)
    tiling = shown.tilings[0]
    return {
        "value": value,
        "shape": list(shown.whole_shape(found.sizes)),
        "assembled": not shown.is_part,
        "text": shown.describe(),
        "tiles": list(tiling.tiles) or [1] * found.rank,
        "terms": tiling.terms,
        "manual": tiling.is_manual,
        "fits": shown.fits(grid),
        "pieces": [
            {"processes": list(outline.processes), "start": list(outline.box.start), "sizes": list(outline.box.sizes)}
            for outline in _outlines(shown, found, grid, process)
        ],
    }  # fmt: skip


def is_shown(shown: ShownSharding, found: Type) -> bool:
    """Whether a value of this type has a picture of its parts."""
    return isinstance(found, TensorType) and found.is_static and len(shown.tilings) == 1


def _outlines(shown: ShownSharding, found: TensorType, grid: Grid, process: int) -> list[Outline]:
    """The pieces as a process sees them; for replicated pieces, the source process comes first."""
    seen = shown.outlines(found.sizes, grid, process if process < grid.num_processes else 0)
    if not shown.is_part:
        return list(seen)
    everywhere = replace(shown, is_part=False).outlines(shown.whole_shape(found.sizes), grid)
    holders = {outline.box: outline.processes for outline in everywhere}
    return [
        replace(outline, processes=tuple(dict.fromkeys([*outline.processes, *holders.get(outline.box, ())])))
        for outline in seen
    ]
