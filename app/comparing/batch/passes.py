"""Examine all modules of many dumps, except those with a finished verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from time import monotonic
from typing import Any

from ...base.versions import installed_version
from ...passes.examine import GRACE_SECONDS
from ...passes.read_modules import Request
from ...processes.framing import Buffer
from ...xla.engine import SECONDS
from .clusters import Baseline, BatchReport, Cluster, write_report
from .judging import ReduceTask, Take, Tell, judge_all, reduce_new
from .modules import ExamineModule, Module, ReduceModule, find_modules
from .pool import Workers, perform_all
from .records import Cause, Record, key_of, read_record


def examine_batch(
    source: str,
    output: Path,
    request: Request,
    workers: Workers,
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
        _examine_all(source, missing, request, workers, take)

    records = judge_all(keys, output, judge, tell, "modules")
    report = BatchReport(source, records, options, seconds=monotonic() - begin, baseline=baseline)
    if case_seconds:
        cases = _cases(source, modules, report, output, request, workers, case_seconds, tell)
        report = replace(report, cases=cases, seconds=monotonic() - begin)
    write_report(report, output)
    return report


def _examine_all(
    source: str, modules: Sequence[Module], request: Request, workers: Workers, take: Take[Module]
) -> None:
    """Examine modules in workers; then, text by text, those whose worker died or was too slow."""
    left: list[Module] = []
    processes = 0

    def task_of(module: Module) -> tuple[ExamineModule, Sequence[Buffer]]:
        fields, buffers = _fields(source, module, request, workers)
        return ExamineModule(*fields, request.address_space, processes), buffers

    def receive(module: Module, found: Mapping[str, Any] | str, _: Sequence[Buffer]) -> None:
        if not isinstance(found, str):
            take(module, replace(read_record(found), program=module.name), True)
        elif processes:
            take(module, Record(module.name, "", "failed", found, size=module.size), False)
        else:
            left.append(module)

    perform_all(modules, task_of, workers, request.limits.run_seconds + GRACE_SECONDS, receive)
    # Here the texts of a module run at the same time; on a cluster, the modules.
    once, processes = (workers, 1) if workers.cluster else (Workers(1), workers.jobs)
    perform_all(left, task_of, once, None, receive)


def _cases(
    source: str,
    modules: Sequence[Module],
    report: BatchReport,
    output: Path,
    request: Request,
    workers: Workers,
    seconds: float,
    tell: Tell,
) -> Mapping[Cause, Mapping[str, Any]]:
    named = {module.name: module for module in modules}

    def task_of(cluster: Cluster) -> ReduceTask:
        record = cluster.smallest
        fields, buffers = _fields(source, named[record.program], request, workers)
        return ReduceModule(*fields, record.as_json(), seconds), buffers

    whole = request.limits.run_seconds + 2 * (SECONDS + seconds) + GRACE_SECONDS
    return reduce_new(report, output, task_of, workers, whole, tell)


_Fields = tuple[str, str | None, int, dict[str, Any] | None, int, dict[str, Any]]


def _fields(
    source: str, module: Module, request: Request, workers: Workers
) -> tuple[_Fields, Sequence[Buffer]]:
    """The first fields of a task, and the module's files for a machine that may not have them."""
    described = asdict(module.module) if workers.cluster else None
    fields = (
        source, request.module, module.number, described, request.seed, request.limits.describe(),
    )  # fmt: skip
    return fields, [module.packed()] if workers.cluster else []
