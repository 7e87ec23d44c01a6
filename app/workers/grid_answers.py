"""What a worker answers about the grid of a recording."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.debugger.pieces import MovedPiece, moved_pieces
from engine.ops.exchanges import Box
from engine.process_grid.shown_shardings import ShownShardings

from ..present.comparison import comparison
from ..present.grid import grid_json, groups_of, meeting_json
from ..present.moments import clock_bytes, moments_chunk
from ..present.shardings import sharding_json
from ..present.tracks import strips_bytes
from .answering import Answer, NotRecorded, chunk_answer, json_answer, tensor_at, track_at
from .runs import Run

JSON = dict[str, Any]
MEETINGS_AT_ONCE = 200


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
    moved = moved_pieces(run.recording, meeting, parameters["process"])
    return json_answer({"pieces": list(map(_piece, moved))}, final=meeting.end is not None)


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


def _shardings(run: Run, parameters: JSON) -> Answer:
    """Of a value, or of the first result of an op."""
    program, value = run.recording.program, parameters["value"]
    if value is None:
        results = program.ops[parameters["op"]].results if parameters["op"] is not None else ()
        value = results[0] if results else None
    if value is None or value >= len(program.values):
        return json_answer(None)
    if run.shardings is None:
        run.shardings = ShownShardings(program, run.entry)
    grid = run.recording.grid
    return json_answer(sharding_json(program, run.shardings, grid, value, parameters["process"]))


QUESTIONS: Mapping[str, Callable[[Run, JSON], Answer]] = {
    "grid": _grid,
    "moments": _moments,
    "clock": _clock,
    "strips": _strips,
    "meetings": _meetings,
    "pieces": _pieces,
    "compare": _compare,
    "shardings": _shardings,
}
