"""Examine all modules of many dumps, except those with a finished verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

from ...base.cores import cores
from ...base.versions import installed_version
from ...passes.examine import GRACE_SECONDS
from ...passes.pool import Pool
from ...passes.read_modules import Request
from ...processes.framing import Buffer
from ...xla.engine import SECONDS
from .clusters import Baseline, BatchReport, Cluster, write_report
from .judging import ReduceTask, Take, Tell, judge_all, reduce_new
from .modules import ExamineModule, Module, ReduceModule, examine, find_modules
from .pool import perform_all
from .records import Cause, key_of, read_record


def examine_batch(
    source: str,
    output: Path,
    request: Request,
    case_seconds: float,
    baseline: Baseline | None,
    tell: Tell = lambda words: None,
) -> BatchReport:
    """Examine the modules, several at a time, and write the reports.

    `case_seconds` is the time limit of one reduction; 0: none.
    """
    begin = monotonic()
    options: dict[str, Any] = {"seed": request.seed}
    keyed = {**options, "limits": request.limits.describe(), "versions": installed_version()}
    modules = find_modules(source, request.module, request.limits)
    keys = {module: key_of(keyed, module.contents) for module in modules}

    def judge(missing: Sequence[Module], take: Take[Module]) -> None:
        _examine_all(source, missing, request, take)

    records = judge_all(keys, output, judge, tell, "modules")
    report = BatchReport(source, records, options, seconds=monotonic() - begin, baseline=baseline)
    if case_seconds:
        cases = _cases(source, modules, report, output, request, case_seconds, tell)
        report = replace(report, cases=cases, seconds=monotonic() - begin)
    write_report(report, output)
    return report


def _examine_all(source: str, modules: Sequence[Module], request: Request, take: Take[Module]) -> None:
    """Examine modules in workers; then, text by text, those whose worker died or was too slow."""
    left: list[Module] = []
    seconds = request.limits.run_seconds + GRACE_SECONDS

    def task_of(module: Module) -> tuple[ExamineModule, Sequence[Buffer]]:
        return ExamineModule(*_fields(source, module, request), request.address_space), ()

    def receive(module: Module, found: Mapping[str, Any] | str) -> None:
        if isinstance(found, str):
            left.append(module)
        else:
            take(module, read_record(found), True)

    perform_all(modules, task_of, request.jobs or cores(), seconds, receive)
    with Pool(request.jobs, seconds, request.address_space) as pool:
        for module in left:
            take(module, examine(module, request, pool), True)


def _cases(
    source: str,
    modules: Sequence[Module],
    report: BatchReport,
    output: Path,
    request: Request,
    seconds: float,
    tell: Tell,
) -> Mapping[Cause, Mapping[str, Any]]:
    named = {module.name: module for module in modules}

    def task_of(cluster: Cluster, folder: str) -> ReduceTask:
        record = cluster.smallest
        fields = _fields(source, named[record.program], request)
        return ReduceModule(*fields, record.as_json(), folder, seconds), ()

    whole = request.limits.run_seconds + 2 * (SECONDS + seconds) + GRACE_SECONDS
    return reduce_new(report, output, task_of, request.jobs or cores(), whole, tell)


def _fields(
    source: str, module: Module, request: Request
) -> tuple[str, str | None, int, int, dict[str, Any]]:
    return source, request.module, module.number, request.seed, request.limits.describe()
