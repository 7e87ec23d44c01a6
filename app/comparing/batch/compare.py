"""Compare all programs of a folder or an archive with XLA, except those with a finished verdict."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import monotonic
from typing import Any

from hloscope.engine.limits import Limits

from ...processes.framing import Buffer
from ...xla.engine import SECONDS
from .clusters import Baseline, BatchReport, Cluster, hloscope_version
from .page import write_report
from .pool import perform_all
from .programs import Program, Programs, find_programs
from .records import Cause, Journal, Record, key_of, read_record
from .worker import CompareProgram, ReduceProgram

GRACE_SECONDS = 30.0
CASES = "cases"
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Batch:
    """The options of a batch."""

    source: str
    output: Path
    against: str
    options: Mapping[str, Any]
    """The options of the command that state a run."""
    limits: Limits
    jobs: int
    seconds: float
    """Time limit of the search for one culprit."""
    case_seconds: float = 0.0
    """Time limit of one reduction; 0: none."""
    tolerance: Sequence[float] | None = None
    baseline: Baseline | None = None

    @property
    def keyed(self) -> dict[str, Any]:
        """Everything besides the files that a verdict depends on."""
        return {
            **self.options,
            "against": self.against,
            "tolerance": self.tolerance,
            "seconds": self.seconds,
            "limits": self.limits.describe(),
            "XLA_FLAGS": os.environ.get("XLA_FLAGS", ""),
            "versions": [hloscope_version(), _jaxlib_version()],
        }


def compare_batch(batch: Batch, tell: Tell = lambda words: None) -> BatchReport:
    """Compare, write the reports into the output folder, and return them."""
    begin = monotonic()
    programs = find_programs(batch.source, batch.limits)
    records = _records(batch, programs, tell)
    report = BatchReport(
        batch.source,
        records,
        {"against": batch.against, **batch.options},
        programs.left_out,
        monotonic() - begin,
        batch.baseline,
    )
    if batch.case_seconds:
        report = replace(report, cases=_cases(batch, programs, report, tell), seconds=monotonic() - begin)
    write_report(report, batch.output)
    return report


def _records(batch: Batch, programs: Programs, tell: Tell) -> tuple[Record, ...]:
    """The record of each program; programs with equal files and inputs share one."""
    journal = Journal(batch.output)
    known = journal.read()
    keys = {program: key_of(batch.keyed, programs.contents(program)) for program in programs.programs}
    missing = {key: program for program, key in reversed(keys.items()) if key not in known}

    def take(program: Program, found: Mapping[str, Any] | str) -> None:
        record = (
            Record(program.name, "", "failed", found, size=program.size)
            if isinstance(found, str)
            else read_record(found)
        )
        known[keys[program]] = record = replace(record, key=keys[program])
        if not isinstance(found, str):  # the next run tries again what a worker did not answer
            journal.append(record)
        tell(f"{len(keys) - len(missing.keys() - known.keys()):,} of {len(keys):,} programs")

    def request(program: Program) -> tuple[CompareProgram, Sequence[Buffer]]:
        return CompareProgram(program.name, **_fields(batch, batch.seconds)), programs.contents(program)

    perform_all(list(missing.values())[::-1], request, batch.jobs, _whole_seconds(batch, batch.seconds), take)
    return tuple(replace(known[key], program=program.name) for program, key in keys.items())


def _cases(
    batch: Batch, programs: Programs, report: BatchReport, tell: Tell
) -> Mapping[Cause, Mapping[str, Any]]:
    """A minimal case of the smallest program of each new cluster."""
    named = {program.name: program for program in programs.programs}
    new = [cluster for cluster in report.clusters if report.is_new(cluster)]
    found: dict[Cause, Mapping[str, Any]] = {}

    def request(cluster: Cluster) -> tuple[ReduceProgram, Sequence[Buffer]]:
        record = cluster.smallest
        folder = batch.output / CASES / f"{report.clusters.index(cluster) + 1:02}"
        fields = _fields(batch, batch.case_seconds)
        task = ReduceProgram(record.program, **fields, record=record.as_json(), folder=str(folder.resolve()))
        return task, programs.contents(named[record.program])

    def take(cluster: Cluster, case: Mapping[str, Any] | str) -> None:
        found[cluster.cause] = {"problem": case} if isinstance(case, str) else case
        tell(f"{len(found):,} of {len(new):,} minimal cases")

    perform_all(new, request, batch.jobs, _whole_seconds(batch, batch.case_seconds), take)
    return found


def _fields(batch: Batch, seconds: float) -> dict[str, Any]:
    return {
        "options": dict(batch.options),
        "limits": batch.limits.describe(),
        "against": batch.against,
        "tolerance": None if batch.tolerance is None else list(batch.tolerance),
        "seconds": seconds,
    }


def _whole_seconds(batch: Batch, seconds: float) -> float:
    """Time limit of a task: our run, XLA's, the search, and what ends late."""
    return batch.limits.run_seconds + 2 * SECONDS + seconds + GRACE_SECONDS


def _jaxlib_version() -> str:
    try:
        return version("jaxlib")
    except PackageNotFoundError:
        return ""
