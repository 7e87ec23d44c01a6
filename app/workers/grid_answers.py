"""What a worker answers about the grid of a recording."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hloscope.engine.debugger.grid_record import MeetingRecord
from hloscope.engine.debugger.pieces import MovedPiece, moved_pieces
from hloscope.engine.ops.exchanges import Box
from hloscope.engine.process_grid.shown_shardings import ShownShardings

from ..launching import fed_queues, queue_text, takers
from ..present.comparison import comparison, joint_range
from ..present.grid import grid_json, groups_of, meeting_json
from ..present.moments import clock_bytes, moments_chunk
from ..present.shardings import is_shown, sharding_json
from ..present.tracks import strips_bytes
from ..present.types import input_type
from .answering import Answer, NotRecorded, chunk_answer, json_answer, tensor_at, track_at
from .runs import Run

JSON = dict[str, Any]
MEETINGS_AT_ONCE = 200
PIECES_AT_ONCE = 2_048


def _grid(run: Run, parameters: JSON) -> Answer:
    return json_answer(grid_json(run.recording, run.whole), final=False)


def _moments(run: Run, parameters: JSON) -> Answer:
    team = run.recording.teams[parameters["team"]]
    return chunk_answer(run, moments_chunk(run.recording, parameters["chunk"], team, run.times), "X-Ticks")


def _clock(run: Run, parameters: JSON) -> Answer:
    state = run.recording.state_of(parameters["process"])
    return Answer(clock_bytes(track_at(run, parameters)), final=state in ("done", "failed"))


def _strips(run: Run, parameters: JSON) -> Answer:
    """Who was running when; what is not recorded yet is empty."""
    recording, team = run.recording, run.recording.teams[parameters["team"]]
    data = strips_bytes(recording, team, parameters["start"], parameters["stop"], parameters["columns"])
    return Answer(data, final=recording.state.kind in ("done", "failed"))


def _meetings(run: Run, parameters: JSON) -> Answer:
    """Some at a time, from a number on; final once all of them are over."""
    recording, start = run.recording, parameters["start"]
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
    return json_answer(told, final=is_over and len(found) == MEETINGS_AT_ONCE)


def _pieces(run: Run, parameters: JSON) -> Answer:
    meeting = run.recording.meetings[parameters["meeting"]]
    if parameters["process"] is None:
        return json_answer(_all_pieces(run, meeting), final=meeting.end is not None)
    moved = moved_pieces(run.recording, meeting, parameters["process"])
    return json_answer({"pieces": list(map(_piece, moved))}, final=meeting.end is not None)


def _all_pieces(run: Run, meeting: MeetingRecord) -> JSON:
    """The pieces of every process that got some; of a crowd those of the first ones only."""
    found: dict[str, list[JSON]] = {}
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


def _piece(moved: MovedPiece) -> JSON:
    piece = moved.piece
    return {
        "source": moved.source,
        "from": str(moved.read) if moved.read else None,
        "read": _box(piece.read),
        "to": str(moved.written) if moved.written else None,
        "written": _box(piece.written),
        "combined": piece.combined,
    }


def _box(box: Box) -> JSON:
    return {"start": list(box.start), "sizes": list(box.sizes)}


def _compare(run: Run, parameters: JSON) -> Answer:
    """All of them are tensors and recorded, or there is no answer."""
    return json_answer(comparison([tensor_at(run, text)[0] for text in parameters["addresses"]]))


def _range(run: Run, parameters: JSON) -> Answer:
    return json_answer(joint_range([tensor_at(run, text)[0] for text in parameters["addresses"]]))


def _takers(run: Run, parameters: JSON) -> Answer:
    """Each kind of item once, in the order of the ops."""
    program, grid = run.recording.program, run.recording.grid
    found = []
    for key in fed_queues(program, grid):
        items = dict.fromkeys(takers(program, grid, key))
        takes = [[input_type(type, run.language) for type in types] for types in items]
        found.append({"queue": queue_text(key), "takes": takes})
    return json_answer(found)


def _sharded(run: Run, parameters: JSON) -> Answer:
    program = run.recording.program
    found = _known_shardings(run).all
    return json_answer(
        [value for value in sorted(found) if is_shown(found[value], program.values[value].type)]
    )


def _shardings(run: Run, parameters: JSON) -> Answer:
    """Of a value, or of the first result of an op."""
    program, value = run.recording.program, parameters["value"]
    if value is None:
        results = program.ops[parameters["op"]].results if parameters["op"] is not None else ()
        value = results[0] if results else None
    if value is None or value >= len(program.values):
        return json_answer(None)
    grid = run.recording.grid
    return json_answer(sharding_json(program, _known_shardings(run), grid, value, parameters["process"]))


def _known_shardings(run: Run) -> ShownShardings:
    """Those of the program, found once."""
    if run.shardings is None:
        run.shardings = ShownShardings(run.recording.program, run.entry)
    return run.shardings


QUESTIONS: Mapping[str, Callable[[Run, JSON], Answer]] = {
    "grid": _grid,
    "moments": _moments,
    "clock": _clock,
    "strips": _strips,
    "meetings": _meetings,
    "pieces": _pieces,
    "compare": _compare,
    "range": _range,
    "takers": _takers,
    "sharded": _sharded,
    "shardings": _shardings,
}
