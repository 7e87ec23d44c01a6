"""Examine all modules of many dumps, except those with a finished verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any

from hloscope.engine.errors import InputError, ProgramError
from hloscope.engine.passes.stages import DumpedModule

from ...passes.dump_files import Dump, DumpLimits, open_dump
from ...passes.microscope import GRACE_SECONDS, Watcher, examine_module
from ...passes.pool import Pool
from ...passes.read_modules import ReadModule, Request, read_module
from ...passes.records import Report, StageReport
from .clusters import Baseline, BatchReport, hloscope_version
from .page import write_report
from .records import Cause, Journal, Record, key_of

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Module:
    """A module of one of the dumps."""

    name: str
    dump: Dump
    module: DumpedModule

    @property
    def contents(self) -> list[bytes]:
        """The bytes of all its files."""
        files = [*(stage.file for stage in self.module.stages), *self.module.attachments]
        return [self.dump.place.read(file.path, self.dump.limits.bytes) for file in files]


def find_modules(source: str, request: Request) -> list[Module]:
    """The modules of a dump, and of the archives of dumps in a folder; `InputError` if there is none."""
    limits = DumpLimits(request.limits.max_program_bytes)
    top = Path(source)
    archives = sorted(top.rglob("*.zip")) if top.is_dir() else []
    found = [
        module
        for path in archives
        for module in _modules(open_dump(path, limits), path.relative_to(top).as_posix(), request)
    ]
    try:
        found += _modules(open_dump(top, limits), "", request)
    except InputError:
        if not found:
            raise
    return found


def _modules(dump: Dump, prefix: str, request: Request) -> Iterator[Module]:
    for module in dump.module(request.module):
        if module.stages:
            yield Module("/".join(filter(None, [prefix, module.folder, module.key])), dump, module)


def examine_batch(
    source: str, output: Path, request: Request, baseline: Baseline | None, tell: Tell = lambda words: None
) -> BatchReport:
    """Examine the modules one after the other, the stages of each in parallel, and write the reports."""
    begin = monotonic()
    options: dict[str, Any] = {"seed": request.seed}
    records = tuple(_records(find_modules(source, request), output, request, options, tell))
    report = BatchReport(source, records, options, seconds=monotonic() - begin, baseline=baseline)
    write_report(report, output)
    return report


def _records(
    modules: list[Module], output: Path, request: Request, options: dict[str, Any], tell: Tell
) -> Iterator[Record]:
    journal = Journal(output)
    known = journal.read()
    keyed = {**options, "limits": request.limits.describe(), "versions": hloscope_version()}
    seconds = request.limits.run_seconds + GRACE_SECONDS
    with Pool(request.jobs, seconds, request.address_space) as pool:
        for number, module in enumerate(modules):
            contents = module.contents
            key = key_of(keyed, contents)
            if key not in known:
                found = _record(module, request, pool)
                known[key] = replace(found, key=key, size=sum(map(len, contents)))
                journal.append(known[key])
            tell(f"{number + 1:,} of {len(modules):,} modules")
            yield replace(known[key], program=module.name)


def _record(module: Module, request: Request, pool: Pool) -> Record:
    begin = perf_counter()
    try:
        read = read_module(module.dump, module.module)
        found = Report((examine_module(read, request, pool, Watcher()),))
    except (ProgramError, RuntimeError) as error:
        return Record(module.name, "", "failed", f"hloscope has no results: {error}")
    cause = None if found.first_wrong is None else _cause(read, found.first_wrong)
    seconds = round(perf_counter() - begin, 3)
    return Record(module.name, "", found.verdict or "unknown", found.sentence, seconds=seconds, cause=cause)


def _cause(read: ReadModule, wrong: StageReport) -> Cause:
    """The pass, and the opcodes of the culprit instruction before and after it."""
    at = read.module.stages.index(wrong.stage)
    worst = wrong.worst
    before = _opcode(read, at - 1, worst.replaced) if worst else ""
    after = _opcode(read, at, worst.value) if worst else ""
    detail = {"nan": "NaN", "signature": "another signature"}.get(str(wrong.verdict), "")
    return Cause("pass", wrong.stage.changed_by, before, after, detail)


def _opcode(read: ReadModule, at: int, name: str) -> str:
    table = read.tables[at] if at >= 0 else None
    found = table.instructions.get(name.removeprefix("%")) if table is not None else None
    return found.written.opcode if found is not None else ""
