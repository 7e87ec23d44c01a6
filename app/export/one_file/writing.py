"""Write a page of a recording in this process."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from math import inf
from pathlib import Path
from typing import Any

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.entry import find_entry

from ...answers.program import ProgramWindowQuestion
from ...answers.question import BadQuestion, NotRecorded, RecordingQuestion, answer, request_path
from ...reference import op_list, op_page
from ...runs.executed_values import device_start
from ...runs.run import Run
from ...wire.program import ProgramWindow
from ...wire.questions import Answer
from ...wire.sessions import InputSpec, SessionInfo
from .collecting import Asking, Extent, collect
from .page import page_bytes
from .session import NAME, Inputs, PlacedArray, session_of
from .table import DEFAULT_BUDGET, Table, deflate, json_bytes


def write_page(
    path: str | Path,
    recording: Recording,
    *,
    inputs: Sequence[InputSpec | None] = (),
    sources: Mapping[str, str] | None = None,
    position: int = 0,
    breakpoints: Sequence[int] = (),
    budget: int = DEFAULT_BUDGET,
    device: Mapping[str, Any] | None = None,
) -> int:
    """Write a recording as one page that opens from the disk; its size in bytes.

    `inputs` specify arguments where that is shorter than their values; the others are in the page as arrays.
    `sources` are files of the user's own code that the program names, `position` is the initial step and
    `breakpoints` the initial lines. The elements of large values take at most `budget` bytes,
    compressed; of all others the page has summaries. `device`: the facts about the engine that computed the values.
    Raises `PageError`, or `OSError`.
    """
    entry = find_entry(recording.program, recording.entry)
    given = Inputs()
    session = session_of(recording, entry, inputs, given, position, breakpoints)
    if device is not None and session["run"] is not None:
        session["run"]["start"] = device_start(device)
    run = Run(NAME, recording)
    wanted = [place["address"] for place in given.elsewhere.values()]
    table = answered(run, collect(extent_of(session), budget, wanted, seconds=inf))
    data = assemble(session, table, sources or {}, given.files(), given.elsewhere)
    Path(path).write_bytes(data)
    return len(data)


def answered(run: Run, asking: Asking) -> Table:
    """The table with the responses of a run."""
    found: Answer[Any] | None = None
    try:
        question = next(asking)
        while True:
            found = _answer(run, question)
            question = asking.send(found)
    except StopIteration as stop:
        table: Table = stop.value
        return table


def _answer(run: Run, question: RecordingQuestion[Any]) -> Answer[Any] | None:
    """The response; `None` if the value has no elements, or its step was not recorded."""
    try:
        return answer(run, question)
    except (NotRecorded, BadQuestion):
        return None


def extent_of(session: SessionInfo) -> Extent:
    """The extent of a session's run."""
    run = session["run"]
    assert run is not None
    return Extent(run["processes"], run["ticks"], run["collective_executions"], run["findings"])


def assemble(
    session: SessionInfo,
    table: Table,
    sources: Mapping[str, str],
    files: Mapping[str, bytes],
    elsewhere: Mapping[str, PlacedArray] | None = None,
) -> bytes:
    """The page. Inputs use arrays of `files`; `elsewhere`: those of `inputs.npz` in the table."""
    add_reference(table)
    parts = {
        "session": deflate(json_bytes(session)),
        "sources": deflate(json_bytes(dict(sources))),
        "arrays": deflate(json_bytes(dict(elsewhere or {}))),
        **{name: deflate(content) for name, content in files.items()},
        **table.parts(),
    }
    return page_bytes(f"{session['name']} · hloscope", _summary(session), parts)


def add_reference(table: Table) -> None:
    """Add the reference of the program's ops, for the cards of the editor."""
    used = {name for window in program_windows(table) for name, *_ in window["ops"]["kinds"]}
    table.add("reference", "/api/ops", json_bytes([op for op in op_list() if op["name"] in used]))
    for name in sorted(used):
        if (found := op_page(name)) is not None:
            table.add(
                "reference", f"/api/ops/{name}", json_bytes({**found, "example": None, "hlo_example": None})
            )


def program_windows(table: Table) -> Iterator[ProgramWindow]:
    """The windows of the program's table in a page."""
    for number in count():
        path = request_path(ProgramWindowQuestion(number), "chunk")
        if path not in table:
            return
        yield json.loads(table.body(path))


def _summary(session: SessionInfo) -> str:
    run = session["run"]
    assert run is not None
    steps = "1 step" if run["steps"] == 1 else f"{run['steps']:,} steps"
    return f"{session['name']}: @{run['entry']}, {steps}. Opening …"
