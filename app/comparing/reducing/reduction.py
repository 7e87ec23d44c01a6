"""Reduce a fault within a time limit, and describe the outcome."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from hloscope.engine.limits import DEFAULT_LIMITS, Limits
from hloscope.engine.reduction.case import Case
from hloscope.engine.reduction.search import Counts, Search

from ...processes.arrays import Array
from .checks import Check, DiffersFromXla, PassChangesValues, SidesDiffer, save_inputs
from .choosing import versions_of
from .script import script, worst_elements

REPEATED = 3
"""Number of checks of the first and the last case."""
TRIES = 3
"""Number of checks of a candidate if the check is not deterministic."""


class NothingToReduce(Exception):
    """The check does not hold for the original program."""


class _TimeOver(Exception):
    """The search has spent its time."""


@dataclass(frozen=True)
class Size:
    """The size of a case."""

    ops: int
    inputs: int
    elements: int
    """Of all inputs."""
    devices: int = 1

    @classmethod
    def of(cls, case: Case) -> Size:
        """The size of a case."""
        return cls(case.op_count, len(case.inputs), case.element_count, case.grid.num_processes)

    def __str__(self) -> str:
        ops = "1 op" if self.ops == 1 else f"{self.ops:,} ops"
        inputs = "1 input" if self.inputs == 1 else f"{self.inputs:,} inputs"
        elements = "1 element" if self.elements == 1 else f"{self.elements:,} elements"
        size = f"{ops}, {inputs} of {elements}" if self.inputs else ops
        return f"{size}, {self.devices} devices" if self.devices > 1 else size


Tell = Callable[[float, str, Size, Counts], None]
"""Receives the seconds since the start, the stage, the smallest size so far and the counts."""


@dataclass(frozen=True)
class Reduction:
    """The smallest program that was found, and the history of the search."""

    case: Case = field(repr=False)
    check: Check = field(repr=False)
    before: Size
    after: Size
    counts: Counts
    seconds: float
    ended: str
    """`done`, `time` after the time limit, `interrupted`."""
    held: tuple[int, int]
    """How often the check held for the last case, and the number of checks."""
    held_at_first: tuple[int, int]
    finding: str
    """The finding of the check in the last case."""
    versions: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The program."""
        return self.case.text

    @property
    def inputs(self) -> tuple[Array, ...]:
        """Its inputs, in the order of the parameters."""
        return self.case.inputs

    @property
    def is_deterministic(self) -> bool:
        """Whether the check held each time for the first case and for the last."""
        return self.held[0] == self.held[1] and self.held_at_first[0] == self.held_at_first[1]

    @property
    def script(self) -> str:
        """A Python script that shows the fault with jax alone."""
        return script(
            self.case,
            self.check.kind,
            self.check.title,
            self.finding,
            self.versions,
            self.flags,
            _expected(self.check),
        )

    def write(self, folder: str | Path) -> dict[str, str]:
        """Write program, inputs, script and report into a folder, created if necessary; their paths."""
        return _write_files(self.case, self.script, self.as_json(), Path(folder))

    def as_json(self) -> dict[str, Any]:
        """The output of `--json`, without the files."""
        return {
            "check": self.check.title,
            "finding": self.finding,
            "before": vars(self.before),
            "after": vars(self.after),
            "checks": self.counts.checks,
            "candidates": self.counts.candidates,
            "rejected": self.counts.rejected,
            "seconds": round(self.seconds, 3),
            "ended": self.ended,
            "deterministic": self.is_deterministic,
            "held": list(self.held),
            "held_at_first": list(self.held_at_first),
            "versions": dict(self.versions),
            "flags": list(self.flags),
        }


def _expected(check: Check) -> list[tuple[int, tuple[int, ...], Any, float]]:
    if isinstance(check, SidesDiffer):
        return [(2, check.worst, False, 0.0)]
    found = check.differs if isinstance(check, PassChangesValues) else check
    return worst_elements(found.differences, found.expected) if isinstance(found, DiffersFromXla) else []


def reduce_case(
    case: Case,
    check: Check,
    flags: Sequence[str] = (),
    limits: Limits = DEFAULT_LIMITS,
    seconds: float | None = None,
    tell: Tell = lambda seconds, stage, size, counts: None,
) -> Reduction:
    """Reduce a case with a `Reducer`, add the versions of the engines, and close the check."""
    with closing(check):
        all_flags = (*os.environ.get("XLA_FLAGS", "").split(), *flags)
        return Reducer(check, limits, seconds, tell, versions_of(check), all_flags).reduce(case)


@dataclass
class Reducer:
    """One reduction: `seconds` limit the search, `None` for no limit.

    `tell` receives each stage and each smaller case, with the seconds since the start.
    """

    check: Check
    limits: Limits = DEFAULT_LIMITS
    seconds: float | None = None
    tell: Tell = lambda seconds, stage, size, counts: None
    versions: Mapping[str, str] = field(default_factory=dict)
    flags: Sequence[str] = ()
    tries: int = field(default=1, init=False)
    _begin: float = field(default=0.0, init=False)

    def reduce(self, case: Case) -> Reduction:
        """The smallest case for which the check holds; `NothingToReduce` if it fails for this one."""
        self._begin = monotonic()
        first = self._count(case)
        if not first:
            raise NothingToReduce(f"nothing to reduce: {self.check.title} does not hold of the program")
        self.tries = 1 if first == REPEATED else TRIES
        search = Search(case, self._holds, self.limits, only=self.check.stages)
        search.notify = lambda stage, best: self.tell(self._elapsed(), stage, Size.of(best), search.counts)
        ended = self._run(search)
        last = self._count(search.best)
        return Reduction(
            search.best,
            self.check,
            Size.of(case),
            Size.of(search.best),
            search.counts,
            self._elapsed(),
            ended,
            (last, REPEATED),
            (first, REPEATED),
            self.check.finding,
            self.versions,
            tuple(self.flags),
        )

    def _run(self, search: Search) -> str:
        try:
            search.run()
        except _TimeOver:
            return "time"
        except KeyboardInterrupt:
            return "interrupted"
        return "done"

    def _elapsed(self) -> float:
        return monotonic() - self._begin

    def _count(self, case: Case) -> int:
        """Count how often the check holds for a case, and restore its finding if it ever does."""
        return sum(self.check.holds(case) for _ in range(REPEATED))

    def _holds(self, case: Case) -> bool:
        if self.seconds is not None and self._elapsed() > self.seconds:
            raise _TimeOver
        return any(self.check.holds(case) for _ in range(self.tries))


def _write_files(case: Case, script: str, report: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """Write program, inputs, script and report, with the folder if necessary; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "program": folder / ("program.hlo" if case.module.language == "hlo" else "program.mlir"),
        "inputs": folder / "inputs.npz",
        "script": folder / "reproduce.py",
        "report": folder / "report.json",
    }
    files["program"].write_text(case.text, encoding="utf-8")
    save_inputs(files["inputs"], case)
    files["script"].write_text(script, encoding="utf-8")
    files["report"].write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return {name: str(path) for name, path in files.items()}
