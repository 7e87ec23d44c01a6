"""What the store knows of sessions and runs, and how it is read from rows that may be damaged."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Row

from ..wire.program import Diagnostic, GridSize
from ..wire.sessions import Feeds, InputSpec, StatedInput
from ..wire.tasks import RunFacts
from .kept_json import are_breakpoints, are_feeds, are_inputs, is_grid, is_info, is_path

log = logging.getLogger("hloscope")

OUTDATED = ""
"""The engine of a run that has to be opened again before anybody is told of it."""
NOTICE = "store"
"""The kind of diagnostics that tell what a run has lost."""
LOST: dict[str, tuple[Callable[[Any], bool], Any, str]] = {
    "inputs": (are_inputs, [], "its inputs"),
    "grid": (is_grid, None, "the grid that was chosen for it"),
    "feeds": (are_feeds, {"mark": "damaged", "given": [], "later": []}, "what was put into its queues"),
}
"""What a run may lose: when it is whole, what stands for it if not, and what it is called."""


@dataclass(frozen=True)
class Position:
    """Where a session is: the step is a hint, the path of (op, iteration) pairs decides."""

    run: int | None = None
    step: int = 0
    path: Sequence[Any] = ()
    breakpoints: Sequence[Any] = ()
    """Lines, or pairs of a line and the processes that alone stop there."""


@dataclass(frozen=True)
class RunRecord:
    """A run as it is kept: enough to record it again."""

    number: int
    program: str
    entry: str
    inputs: list[InputSpec | StatedInput]
    info: RunFacts
    key: str
    engine: str
    steps: int
    created: float
    grid: GridSize | None = None
    """The replicas and partitions that the user has chosen, if so."""
    feeds: Feeds | None = None
    """Of a program that takes from the user's queues: `mark` makes its key its own, `given` is what the queues held
    at the start, `later` what was put in when the run waited for it, in order."""


@dataclass(frozen=True)
class SessionTitle:
    """A session in a list."""

    name: str
    step: int
    """Where the user was."""
    steps: int | None
    """How many steps of the current run are recorded; None if there is no run."""


@dataclass(frozen=True)
class SessionRecord:
    """A session as it is kept."""

    id_hash: str
    name: str
    draft: str | None
    position: Position
    created: float
    runs: list[RunRecord] = field(default_factory=list)

    def run(self, number: int | None) -> RunRecord | None:
        """The run of that number."""
        return next((run for run in self.runs if run.number == number), None)

    @property
    def current(self) -> RunRecord | None:
        """The run that the session shows."""
        return self.run(self.position.run)


def position_of(row: Row[Any]) -> Position:
    """Where the session of a row is: what cannot be read is at its beginning."""
    path = row.path if is_path(row.path) else []
    breakpoints = row.breakpoints if are_breakpoints(row.breakpoints) else []
    if path is not row.path or breakpoints is not row.breakpoints:
        log.warning("the store is damaged: a session has lost its position or its breakpoints")
    return Position(row.run, row.step, path, breakpoints)


def run_of(row: Row[Any]) -> RunRecord:
    """The run of a row. If that is damaged it has to be opened again, with what it has not lost."""
    values = dict(row._mapping)
    del values["session"]
    lost = [name for name, (is_whole, _, _) in LOST.items() if not is_whole(values[name])]
    if lost or not is_info(values["info"]):
        log.warning(
            "the store is damaged: %s",
            ", ".join(["a run is opened again", *(f"without {LOST[name][2]}" for name in lost)]),
        )
        values |= {name: LOST[name][1] for name in lost}
        values |= {"engine": OUTDATED, "info": _info_of(lost)}
    return RunRecord(**values)


def _info_of(lost: list[str]) -> RunFacts:
    """The facts about a run that the page gets until it has been opened again."""
    return {"arguments": [], "results": [], "diagnostics": [_notice(LOST[name][2]) for name in lost]}


def _notice(what: str) -> Diagnostic:
    return {
        "from": 0, "to": 0, "line": 1, "column": 1, "severity": "warning", "op": None, "label": None,
        "kind": NOTICE,
        "message": f"This run has lost {what}: the store was damaged there.",
        "hint": "It runs with what hloscope chooses now: give yours again, and run.",
    }  # fmt: skip
