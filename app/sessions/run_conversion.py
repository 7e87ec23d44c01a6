"""Conversion of runs between the worker's, the store's and the API's records."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ..base.errors import ApiError, not_found
from ..base.keys import engine_build, text_hash
from ..store import NOTICE, OUTDATED, RunRecord, SessionRecord
from ..wire import sessions as wire
from ..wire.live import StateMessage, WaitingMessage
from ..wire.program import Diagnostic, GridSize
from ..wire.tasks import OpenedRun, RefusedRun, RunFacts
from ..workers.session_worker import OpenRequest, Status

OPENING: wire.RunState = {"kind": "recording", "reason": "The run is being opened.", "diagnostic": None}
UNKNOWN = Status(OPENING, 0, 0, None).to_json()
AS_STATED: wire.StatedInput = {}
"""Placeholder for an omitted input of a pending run."""


def run_of(session: SessionRecord, number: int) -> RunRecord:
    run = session.run(number)
    if run is None or not run.key:
        raise not_found("run")
    return run


def new_feeds(feeds: Sequence[wire.Feed] | None, before: RunRecord | None) -> wire.Feeds:
    """The queue items of a new run: `feeds`, or else all items of the previous run.

    The mark makes the run's key unique: items added later extend the recording of that key, and two runs with the same
    key would not continue in the same way.
    """
    kept = feeds is None and before is not None and before.feeds is not None
    given = [*before.feeds["given"], *before.feeds["later"]] if kept and before and before.feeds else feeds
    return {"mark": secrets.token_hex(8), "given": list(given or []), "later": [], "kept": kept}


def record_of(
    result: OpenedRun, *, number: int = 0, created: float | None = None, steps: int | None = None,
    grid: GridSize | None = None,
) -> RunRecord:  # fmt: skip
    info: RunFacts = {
        "arguments": result["arguments"],
        "results": result["results"],
        "diagnostics": result["diagnostics"],
        "grid": result["grid"],
        "needed_grid": result["needed_grid"],
        "user_queues": result["user_queues"],
        "start": result["start"],
    }
    inputs: list[wire.InputSpec | wire.StatedInput] = [argument["input"] for argument in result["arguments"]]
    steps = result["steps"] if steps is None else steps
    return RunRecord(
        number, result["program"], result["entry"], inputs, info, result["key"], engine_build(), steps,
        time.time() if created is None else created, grid, result["feeds"],
    )  # fmt: skip


def started_run(run: wire.RunInfo | None, result: OpenedRun | RefusedRun) -> wire.StartedRun:
    """The answer to starting a run; `run` is None if the program or its inputs have errors."""
    return {"run": run, "diagnostics": result["diagnostics"], "dropped_inputs": result["dropped_inputs"]}


def notices(run: RunRecord) -> list[Diagnostic]:
    """The diagnostics about data lost from the store, which opening does not report again."""
    return [item for item in run.info["diagnostics"] if item.get("kind") == NOTICE]


def run_json(run: RunRecord, text: str, status: Status | None) -> wire.RunInfo:
    known: wire.RunStatus = status.to_json() if status else {**UNKNOWN, "steps": run.steps}
    alone: GridSize = {"replicas": 1, "partitions": 1}
    return {
        "number": run.number,
        "key": run.key,
        "text": text,
        "long_text": None,
        "entry": run.entry,
        "arguments": run.info["arguments"],
        "results": run.info["results"],
        "grid": run.info.get("grid", alone),
        "needed_grid": run.info.get("needed_grid", alone),
        "user_queues": run.info.get("user_queues", []),
        "feeds": run.feeds,
        "start": run.info.get("start"),
        **known,
    }


def run_title(run: RunRecord) -> wire.RunTitle:
    created = datetime.fromtimestamp(run.created, UTC).isoformat(timespec="seconds")
    return {"number": run.number, "created": created, "title": f"Run {run.number}: @{run.entry}"}


def state_message(number: int, key: str, status: Status) -> StateMessage:
    return {"type": "state", "run": number, "key": key, **status.to_json()}


def as_diagnostic(error: ApiError) -> Diagnostic:
    """An error as a diagnostic at the start of the program, for the page."""
    return {
        "from": 0, "to": 0, "line": 1, "column": 1, "severity": "error", "op": None, "kind": error.kind,
        "label": error.limit, "message": error.message, "hint": error.hint,
    }  # fmt: skip


def pending_run(
    text: str,
    entry: str | None,
    inputs: Sequence[wire.InputSpec | None],
    grid: GridSize | None,
    feeds: Sequence[wire.Feed],
    start: wire.LaterStart | None = None,
) -> RunRecord:
    """A run that is not opened yet: it has no key and no build of the engine."""
    given: wire.Feeds | None = {"mark": "", "given": list(feeds), "later": []} if feeds else None
    info: RunFacts = {"arguments": [], "results": [], "diagnostics": [], "start": start}
    kept: list[wire.InputSpec | wire.StatedInput] = [item or AS_STATED for item in inputs]
    now = time.time()
    return RunRecord(0, text_hash(text), entry or "", kept, info, "", OUTDATED, 0, now, grid, given)


def is_refused(run: RunRecord) -> bool:
    """Whether this build of the engine did not open a run, because it could not or should not; it has diagnostics then."""
    return not run.key and run.engine == engine_build()


def inputs_of(run: RunRecord) -> list[wire.InputSpec | None]:
    """The inputs of a run as the user stated them."""
    return [item if item else None for item in run.inputs]


def waiting_message(turn: wire.Turn | None) -> WaitingMessage:
    """The message with a session's position in the worker queue; None after it has left."""
    return {"type": "waiting", "turn": turn}


@dataclass(frozen=True)
class RunRequest:
    """The parameters of a new run; None means as in the previous run."""

    entry: str | None
    inputs: Sequence[wire.InputSpec | None] | None
    grid: GridSize | None
    feeds: Sequence[wire.Feed] | None
    start: wire.LaterStart | None
    """Never inherited from the previous run."""


def new_request(
    session: SessionRecord, text: str, requested: RunRequest, with_paths: Callable[[Any], Any]
) -> OpenRequest:
    """The request to the worker; `with_paths` adds the paths of uploaded files."""
    before, inputs, grid = session.current, requested.inputs, requested.grid
    if inputs is None and before and not before.key:
        inputs = inputs_of(before)
    previous = before.info["arguments"] if inputs is None and before else []
    if grid is None and inputs is None and before:
        grid = before.grid
    return OpenRequest(
        text, session.name, requested.entry, with_paths(list(inputs or [])), with_paths(previous),
        grid=grid, feeds=with_paths(new_feeds(requested.feeds, before)), start=with_paths(requested.start),
    )  # fmt: skip
