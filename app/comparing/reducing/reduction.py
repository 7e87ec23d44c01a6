"""Reduce a fault within a time limit: the case of a run, the check that a text names, and the outcome."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from hloscope.engine.errors import InputError
from hloscope.engine.limits import DEFAULT_LIMITS, Limits
from hloscope.engine.outside_results import Answers
from hloscope.engine.reduction.case import Case, case_of
from hloscope.engine.reduction.cutting import keep
from hloscope.engine.reduction.search import Counts, Search
from hloscope.engine.sharded_runs.sharded_inputs import is_partitioned, stated_grid

from ...base.versions import installed_version
from ...processes.arrays import Array
from ...runs.launching import RunPlan
from ...xla.engine import XlaEngine
from .checks import (
    Check,
    CommandSucceeds,
    CrashesXla,
    DiffersFromXla,
    MakesNan,
    PassChangesValues,
    PythonHolds,
    SidesDiffer,
    save_inputs,
)
from .script import script, worst_elements

KNOWN = ("differs from xla", "crashes xla", "a pass changes values", "nan")
"""The named checks; any other text is a shell command if it begins with `$ `."""


def find_check(
    named: str | Callable[[str, Sequence[Array]], object],
    flags: Sequence[str] = (),
    limits: Limits = DEFAULT_LIMITS,
    seconds: float = 60.0,
    devices: int = 1,
) -> Check:
    """The check for a name, a shell command (`$ grep …`), or a Python function.

    `InputError` for other texts. `flags` are XLA_FLAGS, each with its dashes; `seconds` is the time limit of
    XLA or the command, `devices` the number of XLA's devices.
    """
    if not isinstance(named, str):
        return PythonHolds(named)
    words = " ".join(named.lower().split())
    if named.startswith("$ "):
        return CommandSucceeds(named[2:].strip(), seconds)
    if words == "nan":
        return MakesNan(limits)
    if words not in KNOWN:
        known = ", ".join(f"'{name}'" for name in KNOWN)
        raise InputError(f"no check is called '{named:.200}'", hint=f"there are {known}, and '$ COMMAND'")
    xla = XlaEngine(seconds=seconds, flags=flags, devices=devices)
    if words == "differs from xla":
        return DiffersFromXla(xla, limits)
    return CrashesXla(xla) if words == "crashes xla" else PassChangesValues(xla, limits)


def versions_of(check: Check) -> Mapping[str, str]:
    """Versions for a bug report: hloscope, Python, and jax and jaxlib if XLA is involved."""
    found = {"hloscope": installed_version() or "(not installed)"}
    if isinstance(check, DiffersFromXla | CrashesXla | PassChangesValues):
        asked = check.xla.versions()
        found |= {"jax": asked.jax, "jaxlib": asked.jaxlib, "platform": asked.platform}
    return {
        **found,
        "Python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }


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
            raise NothingToReduce(
                f"nothing to reduce: for this program it is not true that {self.check.title}"
            )
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


def case_of_run(plan: RunPlan) -> Case:
    """The program and the inputs of a run; `InputError` if it cannot be reduced."""
    if plan.grid.num_processes > 1 and is_partitioned(plan.program, plan.function):
        raise InputError(
            f"each of the {plan.grid.num_processes} processes of the program has its own inputs, "
            "and reduce takes whole values, which the program distributes",
            hint="reduce the program before it is partitioned, with its shardings",
        )
    if plan.grid != stated_grid(plan.program.module):
        raise InputError(
            f"reduce takes a program that states its processes, and this one states none of its {plan.grid.num_processes}",
            hint=f"write mhlo.num_partitions = {plan.grid.num_partitions} : i32 into the attributes of its module",
        )
    inputs = plan.recording().launch.inputs[0]
    return _without_bound(case_of(plan.program.module, plan.function.function, inputs), plan)


def _without_bound(case: Case, plan: RunPlan) -> Case:
    """The case with parameters in place of the bound results from outside of the program."""
    given = {
        value.name: array
        for number, arrays in plan.bindings.items()
        if not isinstance(arrays, Answers)
        for value, array in zip(plan.program.ops[number].operation.results, arrays, strict=True)
    }
    if not given:
        return case
    kept = [
        number
        for number, operation in enumerate(case.operations)
        if not any(value.name in given for value in operation.results)
    ]
    found = keep(case, kept, given.get)
    if found is None or found.program is None:
        raise InputError(
            "a value that is bound cannot become an input of the program", hint="give it as an argument"
        )
    return found
