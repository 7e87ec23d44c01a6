"""Compare all programs of a folder or an archive with XLA, except those with a finished verdict."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from time import monotonic
from typing import Any

from hloscope.engine.errors import InputError
from hloscope.engine.limits import Limits

from ...base.versions import installed_version
from ...passes.dump_files import DumpLimits, Place, open_place
from ...processes.framing import Buffer
from ...runs.chunks.input_options import files_named
from ...xla.engine import SECONDS
from .clusters import Baseline, BatchReport, Cluster, write_report
from .judging import ReduceTask, Take, Tell, judge_all, reduce_new
from .pool import Workers, perform_all
from .records import Cause, Record, key_of, read_record
from .worker import CompareProgram, ReduceProgram

GRACE_SECONDS = 30.0


@dataclass(frozen=True)
class Batch:
    """The options of a batch."""

    source: str
    output: Path
    against: str
    options: Mapping[str, Any]
    """The options of the command that state a run."""
    limits: Limits
    workers: Workers
    seconds: float
    """Time limit of the search for one culprit."""
    case_seconds: float = 0.0
    """Time limit of one reduction; 0: none."""
    tolerance: Sequence[float] | None = None
    baseline: Baseline | None = None

    @cached_property
    def files(self) -> dict[str, bytes]:
        """The files that are values of the options, for workers on other machines."""
        return {name: Path(name).read_bytes() for name in files_named(self.options)}

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
            "versions": [installed_version(), installed_version("jaxlib")],
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
    keys = {
        program: key_of(batch.keyed, _contents(batch, programs, program)) for program in programs.programs
    }

    def request(program: Program) -> tuple[CompareProgram, Sequence[Buffer]]:
        task = CompareProgram(program.name, **_fields(batch, batch.seconds))
        return task, _contents(batch, programs, program)

    def judge(missing: Sequence[Program], take: Take[Program]) -> None:
        def receive(program: Program, found: Mapping[str, Any] | str, _: Sequence[Buffer]) -> None:
            if isinstance(found, str):
                take(program, Record(program.name, "", "failed", found, size=program.size), False)
            else:
                take(program, read_record(found), True)

        perform_all(missing, request, batch.workers, _whole_seconds(batch, batch.seconds), receive)

    return judge_all(keys, batch.output, judge, tell, "programs")


def _cases(
    batch: Batch, programs: Programs, report: BatchReport, tell: Tell
) -> Mapping[Cause, Mapping[str, Any]]:
    named = {program.name: program for program in programs.programs}

    def task_of(cluster: Cluster) -> ReduceTask:
        record = cluster.smallest
        fields = _fields(batch, batch.case_seconds)
        task = ReduceProgram(record.program, **fields, record=record.as_json())
        return task, _contents(batch, programs, named[record.program])

    seconds = _whole_seconds(batch, batch.case_seconds)
    return reduce_new(report, batch.output, task_of, batch.workers, seconds, tell)


def _contents(batch: Batch, programs: Programs, program: Program) -> list[Buffer]:
    """The bytes of a program, of its inputs, and of the files that are values of the options."""
    return [*programs.contents(program), *batch.files.values()]


def _fields(batch: Batch, seconds: float) -> dict[str, Any]:
    return {
        "options": dict(batch.options),
        "files": list(batch.files),
        "limits": batch.limits.describe(),
        "against": batch.against,
        "tolerance": None if batch.tolerance is None else list(batch.tolerance),
        "seconds": seconds,
    }


def _whole_seconds(batch: Batch, seconds: float) -> float:
    """Time limit of a task: our run, XLA's, the search, and a margin for their ends."""
    return batch.limits.run_seconds + 2 * SECONDS + seconds + GRACE_SECONDS


SUFFIXES = frozenset({".bc", ".bin", ".hlo", ".mlir", ".mlirbc", ".pb", ".stablehlo", ".txt"})
"""Suffixes of program files; `.gz` may follow."""
INPUTS = ".npz"
"""Suffix of the inputs of the program with the same name."""


@dataclass(frozen=True)
class Program:
    """A program of a batch."""

    name: str
    """Its path below the top."""
    size: int
    inputs: str | None
    """The path of its inputs."""


@dataclass(frozen=True)
class Programs:
    """The programs of a batch and their files."""

    source: str
    place: Place
    limits: Limits
    programs: tuple[Program, ...]
    left_out: int
    """The number of other files."""

    def contents(self, program: Program) -> list[bytes]:
        """The bytes of a program and of its inputs."""
        found = [self.place.read(program.name, self.limits.max_program_bytes)]
        if program.inputs is not None:
            found.append(self.place.read(program.inputs, self.limits.session_memory_bytes))
        return found


def find_programs(path: str | Path, limits: Limits) -> Programs:
    """All programs below the top of a folder or an archive; `InputError` if there is none."""
    hint = f"Give a folder or a zip archive of programs ({', '.join(sorted(SUFFIXES))})."
    place = open_place(path, DumpLimits(limits.max_program_bytes), hint=hint)
    files = dict(place.paths())
    programs = tuple(_programs(files))
    if not programs:
        raise InputError(f"{path} holds no programs", hint=hint)
    inputs = sum(program.inputs is not None for program in programs)
    return Programs(str(path), place, limits, programs, len(files) - len(programs) - inputs)


def _programs(files: dict[str, int]) -> Iterator[Program]:
    for name, size in sorted(files.items()):
        bare = PurePosixPath(name.removesuffix(".gz"))
        if bare.suffix in SUFFIXES:
            inputs = str(bare.with_suffix(INPUTS))
            yield Program(name, size, inputs if inputs in files else None)
