"""The modules of many dumps, and the verdict on each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any

from hloscope.engine.errors import InputError, ProgramError
from hloscope.engine.limits import Limits
from hloscope.engine.passes.rewriting import Rewrite, describe_rewrite
from hloscope.engine.passes.stages import DumpedModule

from ...passes.dump_files import Dump, DumpLimits, open_dump
from ...passes.examine import Watcher, examine_module
from ...passes.pool import Pool
from ...passes.read_modules import ReadModule, Request, read_module
from ...passes.records import Report, StageReport
from ...passes.tasks import LocalPool
from ...processes.confine import limit_memory
from ...wire.tasks import LimitValues, Task
from .records import Cause, Record

MOST_FILES = 1_000_000
"""Maximum number of files of a batch."""


@dataclass(frozen=True, eq=False)
class Module:
    """A module of one of the dumps."""

    name: str
    number: int
    """Its position among the modules of the batch."""
    dump: Dump
    module: DumpedModule

    @property
    def contents(self) -> list[bytes]:
        """The bytes of all its files."""
        files = [*(stage.file for stage in self.module.stages), *self.module.attachments]
        return [self.dump.place.read(file.path, self.dump.limits.bytes) for file in files]


class ModuleTask(Task[dict[str, Any]]):
    """A module of the dumps in a folder or an archive, by its number."""

    source: str
    pattern: str | None
    """The regular expression for names of modules."""
    number: int
    seed: int
    limits: LimitValues


class ExamineModule(ModuleTask):
    """Run the texts of a module; the result is its record without the key."""

    address_space: int
    """Maximum bytes of address space of the worker; 0: no limit."""


class ReduceModule(ModuleTask):
    """Reduce a module to a minimal case of the record's cause, and write its files into a folder."""

    record: dict[str, Any]
    folder: str
    seconds: float


def find_modules(source: str, pattern: str | None, limits: Limits) -> list[Module]:
    """The modules of a dump, and of the archives of dumps in a folder; `InputError` if there is none."""
    of_dump = DumpLimits(limits.max_program_bytes, MOST_FILES)
    top = Path(source)
    archives = sorted(top.rglob("*.zip")) if top.is_dir() else []
    found = [
        module
        for path in archives
        for module in _modules(open_dump(path, of_dump), path.relative_to(top).as_posix(), pattern)
    ]
    try:
        found += _modules(open_dump(top, of_dump), "", pattern)
    except InputError:
        if not found:
            raise
    return [Module(name, number, dump, module) for number, (name, dump, module) in enumerate(found)]


def _modules(dump: Dump, prefix: str, pattern: str | None) -> Iterator[tuple[str, Dump, DumpedModule]]:
    for module in dump.module(pattern):
        if module.stages:
            yield "/".join(filter(None, [prefix, module.folder, module.key])), dump, module


_known_modules = lru_cache(maxsize=1)(find_modules)


def module_of(task: ModuleTask) -> tuple[Module, Request]:
    """The module of a task, and the options of its examination."""
    limits = Limits(**task.limits)
    request = Request(task.pattern, seed=task.seed, jobs=1, limits=limits)
    return _known_modules(task.source, task.pattern, limits)[task.number], request


def examine_in_worker(task: ExamineModule) -> dict[str, Any]:
    """The record of a module, all of whose texts run in this process."""
    limit_memory(task.address_space)
    with LocalPool() as pool:
        return examine(*module_of(task), pool).as_json()


def examine(module: Module, request: Request, pool: Pool) -> Record:
    """The record of a module, without the key."""
    begin = perf_counter()
    size = sum(stage.file.size for stage in module.module.stages)
    try:
        read = read_module(module.dump, module.module)
        found = Report((examine_module(read, request, pool, Watcher()),))
    except (ProgramError, RuntimeError) as error:
        return Record(module.name, "", "failed", f"hloscope has no results: {error}", size=size)
    cause = None if found.first_wrong is None else cause_of_stage(read, found.first_wrong)
    seconds = round(perf_counter() - begin, 3)
    verdict = found.verdict or "unknown"
    return Record(module.name, "", verdict, found.sentence, seconds=seconds, size=size, cause=cause)


def cause_of_stage(read: ReadModule, wrong: StageReport) -> Cause:
    """The pass, and the rewrite of the culprit instruction."""
    detail = {"nan": "NaN", "signature": "another signature"}.get(str(wrong.verdict), "")
    found = _rewrite(read, wrong)
    return Cause("pass", wrong.stage.changed_by, found.before, found.after, detail, found.change)


def _rewrite(read: ReadModule, wrong: StageReport) -> Rewrite:
    changes = read.changes(read.module.stages.index(wrong.stage))
    if changes is None or wrong.worst is None:
        return Rewrite("", "")
    before, after = (name.removeprefix("%") for name in (wrong.worst.replaced, wrong.worst.value))
    if before in changes.before.instructions and after in changes.after.instructions:
        return describe_rewrite(changes, before, after)
    table = changes.after.instructions
    return Rewrite("", table[after].written.opcode if after in table else "")
