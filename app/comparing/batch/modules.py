"""The modules of many dumps, and the verdict on each."""

import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from time import perf_counter
from typing import Any

from hloscope.engine.errors import InputError, ProgramError
from hloscope.engine.limits import Limits
from hloscope.engine.passes.rewriting import Rewrite, describe_rewrite
from hloscope.engine.passes.stages import DumpedFile, DumpedModule, read_dumped_module

from ...passes.dump_files import Dump, DumpLimits, open_dump, open_place
from ...passes.examine import GRACE_SECONDS, Watcher, examine_module
from ...passes.pool import Pool
from ...passes.read_modules import ReadModule, Request, read_module
from ...passes.records import Report, StageReport
from ...passes.tasks import LocalPool
from ...processes.confine import limit_memory
from ...processes.framing import Buffer
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
        return [self.dump.place.read(file.path, self.dump.limits.bytes) for file in self._files]

    @property
    def size(self) -> int:
        """The bytes of its texts."""
        return sum(stage.file.size for stage in self.module.stages)

    def packed(self) -> bytes:
        """All its files as a zip archive."""
        stream = BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for file, content in zip(self._files, self.contents, strict=True):
                archive.writestr(file.path, content)
        return stream.getvalue()

    @property
    def _files(self) -> list[DumpedFile]:
        return [*(stage.file for stage in self.module.stages), *self.module.attachments]


class ModuleTask(Task[dict[str, Any]]):
    """A module of the dumps in a folder or an archive, by its number, or with all its files in the only buffer."""

    source: str
    pattern: str | None
    """The regular expression for names of modules."""
    number: int
    module: dict[str, Any] | None
    """The `DumpedModule` whose files are in the buffer."""
    seed: int
    limits: LimitValues


class ExamineModule(ModuleTask):
    """Run the texts of a module; the result is its record without the key."""

    address_space: int
    """Maximum bytes of address space of each process that runs texts; 0: no limit."""
    processes: int
    """The number of processes, each for one text at a time; 0: the worker runs all texts itself."""


class ReduceModule(ModuleTask):
    """Reduce a module to a minimal case of the record's cause."""

    record: dict[str, Any]
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


@contextmanager
def module_of(task: ModuleTask, buffers: Sequence[Buffer]) -> Iterator[tuple[Module, Request]]:
    """The module of a task, and the options of its examination."""
    limits = Limits(**task.limits)
    request = Request(task.pattern, seed=task.seed, jobs=1, limits=limits)
    if task.module is None:
        yield _known_modules(task.source, task.pattern, limits)[task.number], request
        return
    with tempfile.NamedTemporaryFile(prefix="hloscope-batch-", suffix=".zip") as file:
        file.write(buffers[0])
        file.flush()
        of_dump = DumpLimits(limits.max_program_bytes, MOST_FILES)
        dump = Dump(task.source, open_place(file.name, of_dump, task.source), of_dump, converts=True)
        module = read_dumped_module(task.module)
        yield Module("/".join(filter(None, [module.folder, module.key])), task.number, dump, module), request


def examine_in_worker(task: ExamineModule, buffers: Sequence[Buffer]) -> dict[str, Any]:
    """The record of a module, all of whose texts run in this process, or each in another one."""
    seconds = Limits(**task.limits).run_seconds + GRACE_SECONDS
    if not task.processes:
        limit_memory(task.address_space)
    with (
        Pool(task.processes, seconds, task.address_space) if task.processes else LocalPool() as pool,
        module_of(task, buffers) as (module, request),
    ):
        return examine(module, request, pool).as_json()


def examine(module: Module, request: Request, pool: Pool) -> Record:
    """The record of a module, without the key."""
    begin = perf_counter()
    try:
        read = read_module(module.dump, module.module)
        found = Report((examine_module(read, request, pool, Watcher()),))
    except (ProgramError, RuntimeError) as error:
        return Record(module.name, "", "failed", f"hloscope has no results: {error}", size=module.size)
    cause = None if found.first_wrong is None else cause_of_stage(read, found.first_wrong)
    seconds = round(perf_counter() - begin, 3)
    verdict = found.verdict or "unknown"
    return Record(module.name, "", verdict, found.sentence, seconds=seconds, size=module.size, cause=cause)


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
