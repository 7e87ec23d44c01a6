"""Records of sessions and runs, read from rows that may be damaged."""

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
"""The `engine` of a run that must be opened again before it is shown."""
NOTICE = "store"
"""The kind of diagnostics about lost data of a run."""
LOST: dict[str, tuple[Callable[[Any], bool], Any, str]] = {
    "inputs": (are_inputs, [], "its inputs"),
    "grid": (is_grid, None, "its chosen grid"),
    "feeds": (are_feeds, {"mark": "damaged", "given": [], "later": []}, "the items of its queues"),
}
"""Fields a run may lose: validity check, substitute value, and name in messages."""


@dataclass(frozen=True)
class Position:
    """The position of a session; its path of (op, iteration) pairs overrides its step."""

    run: int | None = None
    step: int = 0
    path: Sequence[Any] = ()
    breakpoints: Sequence[Any] = ()
    """Lines, or pairs of a line and the only processes that stop there."""


@dataclass(frozen=True)
class RunRecord:
    """A stored run, with all that is needed to record it again."""

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
    """The replicas and partitions that the user chose, if any."""
    feeds: Feeds | None = None
    """Items of the queues that the user fills.

    `mark` makes the run's key unique; `given`: items at the start; `later`: items added while the run waited, in order.
    """


@dataclass(frozen=True)
class SessionTitle:
    """The entry of a session in a list."""

    name: str
    step: int
    """The user's last step."""
    steps: int | None
    """Number of recorded steps of the current run; None without a run."""


@dataclass(frozen=True)
class SessionRecord:
    """A stored session."""

    id_hash: str
    name: str
    has_draft: bool
    """Whether it has a program that is not the current run's: `Store.draft`, which may be large."""
    position: Position
    created: float
    runs: list[RunRecord] = field(default_factory=list)

    def run(self, number: int | None) -> RunRecord | None:
        """The run with this number, or None."""
        return next((run for run in self.runs if run.number == number), None)

    @property
    def current(self) -> RunRecord | None:
        """The run that the session shows."""
        return self.run(self.position.run)


def position_of(row: Row[Any]) -> Position:
    """The position of a session from its row; unreadable parts are reset."""
    path = row.path if is_path(row.path) else []
    breakpoints = row.breakpoints if are_breakpoints(row.breakpoints) else []
    if path is not row.path or breakpoints is not row.breakpoints:
        log.warning("the store is damaged: a session has lost its position or its breakpoints")
    return Position(row.run, row.step, path, breakpoints)


def run_of(row: Row[Any]) -> RunRecord:
    """The run of a row; a damaged one is marked to be opened again without the lost fields."""
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
    """The facts about a damaged run until it is opened again."""
    return {"arguments": [], "results": [], "diagnostics": [_notice(LOST[name][2]) for name in lost]}


def _notice(what: str) -> Diagnostic:
    return {
        "from": 0, "to": 0, "line": 1, "column": 1, "severity": "warning", "op": None, "label": None,
        "kind": NOTICE,
        "message": f"This run has lost {what}: the store was damaged there.",
        "hint": "It runs with hloscope's defaults: set yours again, then run.",
    }  # fmt: skip
