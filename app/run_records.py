"""Runs as the store keeps them and as the API tells of them."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from .errors import ApiError, not_found
from .keys import engine_build, text_hash
from .store import NOTICE, OUTDATED, RunRecord, SessionRecord
from .workers.seat import Status

JSON = dict[str, Any]
OPENING = {"kind": "recording", "reason": "The run is being opened.", "diagnostic": None}
UNKNOWN = Status(OPENING, 0, 0, None).described()
KNOWN_OF_A_RUN = ("arguments", "results", "diagnostics", "grid", "needed_grid", "user_queues")
"""What is kept of a run so that the page is told without a worker."""
AS_STATED: JSON = {}
"""Stands for an input that was not given, in a run that nobody could open yet."""


def run_of(session: SessionRecord, number: int) -> RunRecord:
    run = session.run(number)
    if run is None or not run.key:
        raise not_found("run")
    return run


def new_feeds(feeds: Sequence[JSON] | None, before: RunRecord | None) -> JSON:
    """What a new run's queues hold: what is given, else all that was put into those of the run before.

    The mark makes the run's key its own: what is put in later makes the recording of that name longer, and two
    runs would not go on in the same way.
    """
    kept = feeds is None and before is not None and before.feeds is not None
    given = [*before.feeds["given"], *before.feeds["later"]] if kept and before and before.feeds else feeds
    return {"mark": secrets.token_hex(8), "given": list(given or []), "later": [], "kept": kept}


def record_of(
    result: JSON, *, number: int = 0, created: float | None = None, steps: int | None = None,
    grid: JSON | None = None,
) -> RunRecord:  # fmt: skip
    info = {name: result[name] for name in KNOWN_OF_A_RUN}
    inputs = [argument["input"] for argument in result["arguments"]]
    steps = result["steps"] if steps is None else steps
    return RunRecord(
        number, result["program"], result["entry"], inputs, info, result["key"], engine_build(), steps,
        time.time() if created is None else created, grid, result["feeds"],
    )  # fmt: skip


def notices(run: RunRecord) -> list[JSON]:
    """What the run has lost in the store, which no opening finds out again."""
    return [item for item in run.info["diagnostics"] if item.get("kind") == NOTICE]


def described(run: RunRecord, text: str, status: Status | None) -> JSON:
    known = status.described() if status else {**UNKNOWN, "steps": run.steps}
    alone = {"replicas": 1, "partitions": 1}
    return {
        "number": run.number,
        "key": run.key,
        "text": text,
        "entry": run.entry,
        "arguments": run.info["arguments"],
        "results": run.info["results"],
        "grid": run.info.get("grid", alone),
        "needed_grid": run.info.get("needed_grid", alone),
        "user_queues": run.info.get("user_queues", []),
        "feeds": run.feeds,
        **known,
    }


def titled(run: RunRecord) -> JSON:
    created = datetime.fromtimestamp(run.created, UTC).isoformat(timespec="seconds")
    return {"number": run.number, "created": created, "title": f"Run {run.number}: @{run.entry}"}


def state_message(number: int, key: str, status: Status) -> JSON:
    return {"type": "state", "run": number, "key": key, **status.described()}


def as_diagnostic(error: ApiError) -> JSON:
    """What kept the server from looking at a program, where the page shows what is wrong with it."""
    place = {"from": 0, "to": 0, "line": 1, "column": 1, "severity": "error", "op": None}
    return place | {"kind": error.kind, "label": error.limit, "message": error.message, "hint": error.hint}


def wanted_run(
    text: str, entry: str | None, inputs: Sequence[JSON | None], grid: JSON | None, feeds: Sequence[JSON]
) -> RunRecord:
    """A run that nobody could open yet: it has no key, and is of no build of the engine."""
    given = {"mark": "", "given": list(feeds), "later": []} if feeds else None
    info: JSON = {"arguments": [], "results": [], "diagnostics": []}
    kept = [item or AS_STATED for item in inputs]
    now = time.time()
    return RunRecord(0, text_hash(text), entry or "", kept, info, "", OUTDATED, 0, now, grid, given)


def wanted_inputs(run: RunRecord) -> list[JSON | None]:
    """The inputs of such a run as they were given."""
    return [item or None for item in run.inputs]


def waiting_message(before: int | None) -> JSON:
    """How many are before a session in the queue for a worker; None once it is not in it any more."""
    return {"type": "waiting", "before": before}
