"""What a worker answers about the grid of a recording."""

from __future__ import annotations

from hloscope.engine.debugger.grid_record import MeetingRecord
from hloscope.engine.debugger.pieces import MovedPiece, moved_pieces
from hloscope.engine.ops.core.exchanges import Box
from hloscope.engine.sharding.runs.shown_shardings import ShownShardings

from ..present.comparison import comparison, joint_range
from ..present.grid import grid_json, groups_of, meeting_json
from ..present.shardings import is_shown, sharding_json
from ..present.ticks import clock_bytes, ticks_chunk
from ..present.tracks import strips_bytes
from ..present.types import input_type
from ..runs.launching import fed_queues, queue_text, takers
from ..runs.run import Run
from ..wire.grid import (
    AllPieces,
    BoxInfo,
    GridInfo,
    MeetingInfo,
    MeetingPieces,
    PieceInfo,
    QueueTaker,
    ShardingInfo,
)
from ..wire.questions import (
    Answer,
    ClockQuestion,
    CompareQuestion,
    GridQuestion,
    MeetingsQuestion,
    PiecesQuestion,
    RangeQuestion,
    ShardedQuestion,
    ShardingQuestion,
    StripsQuestion,
    TakersQuestion,
    TicksQuestion,
)
from ..wire.values import Comparison, JointRange
from .answer import NotRecorded, chunk_answer, handler, tensor_at

MEETINGS_AT_ONCE = 200
PIECES_AT_ONCE = 2_048


def _grid(run: Run, question: GridQuestion) -> Answer[GridInfo]:
    return question.answer(grid_json(run.recording, run.whole), final=False)


def _ticks(run: Run, question: TicksQuestion) -> Answer[bytes]:
    team = run.recording.teams[question.team]
    chunk = ticks_chunk(run.recording, question.chunk, team, run.times)
    return chunk_answer(run, question, chunk, "X-Ticks")


def _clock(run: Run, question: ClockQuestion) -> Answer[bytes]:
    state = run.recording.state_of(question.process)
    return question.answer(
        clock_bytes(run.recording.tracks[question.process]), final=state in ("done", "failed")
    )


def _strips(run: Run, question: StripsQuestion) -> Answer[bytes]:
    """For each process of a team how much of each stretch of ticks it was running; empty where nothing is
    recorded yet.
    """
    recording, team = run.recording, run.recording.teams[question.team]
    data = strips_bytes(recording, team, question.start, question.stop, question.columns)
    return question.answer(data, final=recording.state.kind in ("done", "failed"))


def _meetings(run: Run, question: MeetingsQuestion) -> Answer[list[MeetingInfo]]:
    """Some meetings from a number on; final once all of them are over."""
    recording, start = run.recording, question.start
    if run.replaying and start >= len(recording.meetings):
        raise NotRecorded
    found = recording.meetings[start : start + MEETINGS_AT_ONCE]
    groups: dict[tuple[int, int], list[list[int]]] = {}
    for meeting in found:
        if (meeting.op, meeting.team) not in groups:
            team = recording.teams[meeting.team]
            groups[meeting.op, meeting.team] = groups_of(recording, meeting.op, team)
    told = [meeting_json(recording, item, groups[item.op, item.team] or [list(item.group)]) for item in found]
    is_over = all(meeting.end is not None for meeting in found)
    return question.answer(told, final=is_over and len(found) == MEETINGS_AT_ONCE)


def _pieces(run: Run, question: PiecesQuestion) -> Answer[MeetingPieces]:
    meeting = run.recording.meetings[question.meeting]
    if question.process is None:
        return question.answer(_all_pieces(run, meeting), final=meeting.end is not None)
    moved = moved_pieces(run.recording, meeting, question.process)
    return question.answer({"pieces": list(map(_piece, moved))}, final=meeting.end is not None)


def _all_pieces(run: Run, meeting: MeetingRecord) -> AllPieces:
    """The pieces of every process that got some; of a crowd those of the first ones only."""
    found: dict[str, list[PieceInfo]] = {}
    count = 0
    for process in meeting.group:
        if process not in meeting.arrivals:
            continue
        moved = moved_pieces(run.recording, meeting, process)
        count += len(moved)
        if count > PIECES_AT_ONCE:
            return {"receivers": found, "complete": False}
        found[str(process)] = list(map(_piece, moved))
    return {"receivers": found, "complete": True}


def _piece(moved: MovedPiece) -> PieceInfo:
    piece = moved.piece
    return {
        "source": moved.source,
        "from": str(moved.read) if moved.read else None,
        "read": _box(piece.read),
        "to": str(moved.written) if moved.written else None,
        "written": _box(piece.written),
        "combined": piece.combined,
    }


def _box(box: Box) -> BoxInfo:
    return {"start": list(box.start), "sizes": list(box.sizes)}


def _compare(run: Run, question: CompareQuestion) -> Answer[Comparison]:
    """Which values are equal; no answer unless all are recorded tensors."""
    return question.answer(comparison([tensor_at(run, text)[0] for text in question.addresses]))


def _range(run: Run, question: RangeQuestion) -> Answer[JointRange]:
    return question.answer(joint_range([tensor_at(run, text)[0] for text in question.addresses]))


def _takers(run: Run, question: TakersQuestion) -> Answer[list[QueueTaker]]:
    """Each kind of item once, in the order of the ops."""
    program, grid = run.recording.program, run.recording.grid
    found: list[QueueTaker] = []
    for key in fed_queues(program, grid):
        items = dict.fromkeys(takers(program, grid, key))
        takes = [[input_type(type, run.language) for type in types] for types in items]
        found.append({"queue": queue_text(key), "takes": takes})
    return question.answer(found)


def _shown_values(run: Run, question: ShardedQuestion) -> Answer[list[int]]:
    program = run.recording.program
    found = _shardings_of(run).all
    return question.answer(
        [value for value in sorted(found) if is_shown(found[value], program.values[value].type)]
    )


def _shardings(run: Run, question: ShardingQuestion) -> Answer[ShardingInfo | None]:
    """The sharding of a value, or of the first result of an op."""
    program, value = run.recording.program, question.value
    if value is None:
        results = program.ops[question.op].results if question.op is not None else ()
        value = results[0] if results else None
    if value is None or value >= len(program.values):
        return question.answer(None)
    grid = run.recording.grid
    return question.answer(sharding_json(program, _shardings_of(run), grid, value, question.process))


def _shardings_of(run: Run) -> ShownShardings:
    """The shardings of the program's values, found once for a run."""
    if run.shardings is None:
        run.shardings = ShownShardings(run.recording.program, run.entry)
    return run.shardings


HANDLERS = (
    handler(GridQuestion, _grid),
    handler(TicksQuestion, _ticks),
    handler(ClockQuestion, _clock),
    handler(StripsQuestion, _strips),
    handler(MeetingsQuestion, _meetings),
    handler(PiecesQuestion, _pieces),
    handler(CompareQuestion, _compare),
    handler(RangeQuestion, _range),
    handler(TakersQuestion, _takers),
    handler(ShardedQuestion, _shown_values),
    handler(ShardingQuestion, _shardings),
)
