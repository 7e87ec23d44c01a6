"""The grid of a recording: processes per tick, collectives, queues, shardings, comparisons."""

from typing import Annotated

from annotated_types import Ge, Le, MaxLen

from hloscope.engine.debugger.grid_record import CollectiveExecution
from hloscope.engine.debugger.pieces import MovedPiece, moved_pieces
from hloscope.engine.ops.core.exchanges import Box
from hloscope.engine.sharded_runs.shown_shardings import ShownShardings

from ..present.comparison import comparison, joint_range
from ..present.grid import execution_json, grid_json, groups_of, is_shown, sharding_json
from ..present.ticks import ExecutionTimes, clock_bytes, ticks_chunk
from ..present.tracks import strips_bytes
from ..present.types import input_type
from ..runs.launching import fed_queues, queue_text, takers
from ..runs.run import Run, kept
from ..wire import grid as wire
from ..wire.questions import Answer, bytes_answer, json_answer
from ..wire.values import Comparison, JointRange
from .question import (
    Chunk,
    Named,
    NotRecorded,
    Number,
    Process,
    RecordingQuestion,
    Start,
    chunk_answer,
    has_ended,
    split_addresses,
    tensor_at,
)

EXECUTIONS_PER_PAGE = 200
PIECES_AT_ONCE = 2_048
MOST_COMPARED = 256

Addresses = Annotated[str, MaxLen(16_000)]
"""Addresses, separated by commas."""


class GridQuestion(RecordingQuestion[wire.GridInfo]):
    """Teams of processes, queues, and the deadlock, if any."""

    path = "/grid"
    example_program = "parts"

    def answer(self, run: Run) -> Answer[wire.GridInfo]:
        if run.replaying:
            raise NotRecorded
        return json_answer(grid_json(run.recording, run.whole), final=has_ended(run))


class PositionsQuestion(RecordingQuestion[bytes]):
    """256 ticks of all processes of a team: step, op, execution and state of each.

    Little-endian, one column after the other, each process-major: step, op and execution u32, state u8. `X-Ticks` is the
    number of ticks of the team.
    """

    path = "/grid/positions"
    examples = ({"chunk": 0},)
    example_program = "parts"

    chunk: Chunk
    team: Number = 0

    def answer(self, run: Run) -> Answer[bytes]:
        team = run.recording.launch_groups[self.team]
        return chunk_answer(run, ticks_chunk(run.recording, self.chunk, team, _times_of(run)), "X-Ticks")


@kept
def _times_of(run: Run) -> ExecutionTimes:
    return ExecutionTimes()


class ClockQuestion(RecordingQuestion[bytes]):
    """Pairs of a step and its first tick, for each step of a process after a wait.

    Little-endian u32; each step between two pairs begins a tick after the one before it.
    """

    path = "/grid/clock"
    examples = ({"process": 1},)
    example_program = "parts"

    process: Process = 0

    def answer(self, run: Run) -> Answer[bytes]:
        state = run.recording.state_of(self.process)
        if run.replaying and state not in ("done", "failed"):
            raise NotRecorded
        is_final = state in ("done", "failed") or has_ended(run)
        return bytes_answer(clock_bytes(run.recording.tracks[self.process]), final=is_final)


class StripsQuestion(RecordingQuestion[bytes]):
    """The share of each range of ticks in which each process of a team ran: u8, 255 for all."""

    path = "/grid/strips"
    examples = ({"start": 0, "stop": 2, "columns": 2},)
    example_program = "parts"

    start: Start
    stop: Annotated[int, Named("to"), Ge(0), Le(2**32)]
    columns: Annotated[int, Ge(1), Le(4_096)]
    team: Number = 0

    def answer(self, run: Run) -> Answer[bytes]:
        if run.replaying:
            raise NotRecorded
        recording, team = run.recording, run.recording.launch_groups[self.team]
        data = strips_bytes(recording, team, self.start, self.stop, self.columns)
        return bytes_answer(data, final=has_ended(run))


class ExecutionsQuestion(RecordingQuestion[list[wire.ExecutionInfo]]):
    """Collective executions and messages from a number on, in pages: members, steps and ticks."""

    path = "/grid/executions"
    example_program = "parts"

    start: Start = 0

    def answer(self, run: Run) -> Answer[list[wire.ExecutionInfo]]:
        recording = run.recording
        shown = recording.collective_executions[self.start : self.start + EXECUTIONS_PER_PAGE]
        is_whole = len(shown) == EXECUTIONS_PER_PAGE and all(item.end is not None for item in shown)
        if run.replaying and not is_whole:
            raise NotRecorded
        groups: dict[tuple[int, int], list[list[int]]] = {}
        for execution in shown:
            if (execution.op, execution.launch_group) not in groups:
                team = recording.launch_groups[execution.launch_group]
                groups[execution.op, execution.launch_group] = groups_of(recording, execution.op, team)
        infos = [
            execution_json(recording, item, groups[item.op, item.launch_group] or [list(item.group)])
            for item in shown
        ]
        return json_answer(infos, final=is_whole or has_ended(run))


class PiecesQuestion(RecordingQuestion[wire.ExecutionPieces]):
    """The boxes that each process, or one, receives in a collective execution, and their source."""

    path = "/grid/pieces"
    examples = ({"execution": 0},)
    example_program = "parts"

    execution: Number
    process: Number | None = None

    def answer(self, run: Run) -> Answer[wire.ExecutionPieces]:
        execution = run.recording.collective_executions[self.execution]
        if self.process is None:
            return json_answer(_all_pieces(run, execution), final=execution.end is not None)
        moved = moved_pieces(run.recording, execution, self.process)
        return json_answer({"pieces": list(map(_piece, moved))}, final=execution.end is not None)


def _all_pieces(run: Run, execution: CollectiveExecution) -> wire.AllPieces:
    """The pieces received by each process; in large grids by the first processes only."""
    found: dict[str, list[wire.PieceInfo]] = {}
    count = 0
    for process in execution.group:
        if process not in execution.arrivals:
            continue
        moved = moved_pieces(run.recording, execution, process)
        count += len(moved)
        if count > PIECES_AT_ONCE:
            return {"receivers": found, "complete": False}
        found[str(process)] = list(map(_piece, moved))
    return {"receivers": found, "complete": True}


def _piece(moved: MovedPiece) -> wire.PieceInfo:
    piece = moved.piece
    return {
        "source": moved.source,
        "from": str(moved.read) if moved.read else None,
        "read": _box(piece.read),
        "to": str(moved.written) if moved.written else None,
        "written": _box(piece.written),
        "combined": piece.combined,
    }


def _box(box: Box) -> wire.BoxInfo:
    return {"start": list(box.start), "sizes": list(box.sizes)}


class CompareQuestion(RecordingQuestion[Comparison]):
    """The equal values among these, and how the others differ from the first."""

    path = "/grid/compare"
    examples = ({"addresses": "0.f0.0,1.f0.0"},)
    example_program = "parts"

    addresses: Addresses

    def answer(self, run: Run) -> Answer[Comparison]:
        addresses = split_addresses(self.addresses, MOST_COMPARED)
        return json_answer(comparison([tensor_at(run, text)[0] for text in addresses]))


class JointRangeQuestion(RecordingQuestion[JointRange]):
    """The common range of these values, for shared colours."""

    path = "/grid/range"
    examples = ({"addresses": "0.f0.0,1.f0.0"},)
    example_program = "parts"

    addresses: Addresses

    def answer(self, run: Run) -> Answer[JointRange]:
        addresses = split_addresses(self.addresses, MOST_COMPARED)
        return json_answer(joint_range([tensor_at(run, text)[0] for text in addresses]))


class TakersQuestion(RecordingQuestion[list[wire.QueueTaker]]):
    """The queues that the user fills, and the items that the program's ops take from each."""

    path = "/grid/takers"
    example_program = "queue"

    def answer(self, run: Run) -> Answer[list[wire.QueueTaker]]:
        program, grid = run.recording.program, run.recording.grid
        found: list[wire.QueueTaker] = []
        for key in fed_queues(program, grid):
            items = dict.fromkeys(
                takers(program, grid, key)
            )  # each type of item once, in the order of the ops
            takes = [[input_type(type, run.language) for type in types] for types in items]
            found.append({"queue": queue_text(key), "takes": takes})
        return json_answer(found)


class ShardedValuesQuestion(RecordingQuestion[list[int]]):
    """The numbers of the values whose parts have a position in a whole."""

    path = "/grid/sharded"
    example_program = "parts"

    def answer(self, run: Run) -> Answer[list[int]]:
        program, shardings = run.recording.program, _shardings_of(run).all
        return json_answer(
            [value for value in sorted(shardings) if is_shown(shardings[value], program.values[value].type)]
        )


class ShardingsQuestion(RecordingQuestion[wire.ShardingInfo | None]):
    """The parts of a value in the processes, from a process's view.

    With `op` instead of `value`, for the first result of the op.
    """

    path = "/grid/shardings"
    examples = ({"value": 3},)
    example_program = "parts"

    op: Number | None = None
    value: Number | None = None
    process: Process = 0

    def answer(self, run: Run) -> Answer[wire.ShardingInfo | None]:
        program, value = run.recording.program, self.value
        if value is None:
            results = program.ops[self.op].results if self.op is not None else ()
            value = results[0] if results else None
        if value is None or value >= len(program.values):
            return json_answer(None)
        grid = run.recording.grid
        return json_answer(sharding_json(program, _shardings_of(run), grid, value, self.process))


@kept
def _shardings_of(run: Run) -> ShownShardings:
    """The shardings of the program's values."""
    return ShownShardings(run.recording.program, run.entry)
