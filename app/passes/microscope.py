"""The microscope: each text of a module is run on the same inputs, and what comes out is compared with the text before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from hloscope.engine.limits import DEFAULT_LIMITS, Limits
from hloscope.engine.passes.instructions import HloText, read_instructions
from hloscope.engine.passes.stages import DumpedModule
from hloscope.engine.passes.text_changes import Counts, TextChanges, compare_texts

from .dump_files import Dump
from .elided import find_constants
from .pool import Pool
from .records import ModuleReport, Report, StageReport
from .stage_runs import make_inputs, read_bounds, read_shardings, run_texts, texts_of
from .verdicts import Judge, with_guilt

Array = NDArray[Any]
GRACE_SECONDS = 10.0
Tell = Callable[[StageReport], None]


@dataclass(frozen=True)
class Request:
    """What is to be found out."""

    module: str | None = None
    """A regular expression that names of modules (`module_0003.jit_f`) hold; `None` for all."""
    inputs: str | Path | Mapping[str, Array] | Sequence[Array] | None = None
    """A `.npz` or `.npy` file, or arrays by name or in order; `None`: of a snapshot in the dump, or from the seed."""
    seed: int = 0
    run: bool = True
    jobs: int | None = None
    """Processes at a time; `None`: one for each core."""
    limits: Limits = DEFAULT_LIMITS
    address_space: int = 0
    """Bytes of address space of each process; 0: no limit."""


@dataclass(frozen=True)
class ReadModule:
    """The texts of a module, and what differs from one to the next."""

    dump: Dump
    module: DumpedModule
    texts: tuple[str, ...] = field(repr=False)
    tables: tuple[HloText | None, ...] = field(repr=False)
    """The instructions of each text; `None` of MLIR."""
    keys: tuple[str, ...] = field(repr=False)
    """Stages with the same key say the same."""

    def changes(self, at: int) -> TextChanges | None:
        """What differs from the text before stage number `at`; `None` where either is MLIR."""
        before, after = (self.tables[at - 1], self.tables[at]) if at else (None, None)
        return compare_texts(before, after) if before is not None and after is not None else None


def read_module(dump: Dump, module: DumpedModule) -> ReadModule:
    """Reads all texts of a module."""
    texts = tuple(dump.text(stage.path) for stage in module.stages)
    tables = tuple(
        read_instructions(text) if stage.file.content == "hlo" else None
        for stage, text in zip(module.stages, texts, strict=True)
    )
    keys = tuple(_key(text, table) for text, table in zip(texts, tables, strict=True))
    return ReadModule(dump, module, texts, tables, keys)


def _key(text: str, table: HloText | None) -> str:
    said = (
        text if table is None else f"{table.key}\n{table.header if 'num_partitions' in table.header else ''}"
    )
    return blake2b(said.encode(), digest_size=16).hexdigest()


def examine(dump: Dump, request: Request, tell: Tell = lambda found: None) -> Report:
    """What each pass of the modules did; `tell` is told of each stage once it is known, in order."""
    chosen = dump.module(request.module)
    if not request.run:
        return Report(tuple(_compare_texts(read_module(dump, module), tell) for module in chosen))
    # A run ends by itself at its limit, unless a single op takes too long.
    seconds = request.limits.run_seconds + GRACE_SECONDS
    with Pool(request.jobs, seconds, request.address_space) as pool:
        return Report(tuple(_examine(read_module(dump, module), request, pool, tell) for module in chosen))


def _compare_texts(read: ReadModule, tell: Tell) -> ModuleReport:
    stages = []
    for at, stage in enumerate(read.module.stages):
        same = at == 0 or read.keys[at] == read.keys[at - 1]
        found = StageReport(read.module, stage, _counts(read, at), "same_text" if same else None)
        tell(found)
        stages.append(found)
    return ModuleReport(read.module, tuple(stages))


def _counts(read: ReadModule, at: int) -> Counts:
    found = read.changes(at)
    return found.counts if found is not None else Counts()


def _examine(read: ReadModule, request: Request, pool: Pool, tell: Tell) -> ModuleReport:
    if not read.module.stages:
        return ModuleReport(read.module, ())
    texts = texts_of(read, find_constants(read, request.limits), request.limits)
    texts = replace(texts, shardings=read_shardings(pool, texts))
    inputs = make_inputs(pool, texts, request)
    ran = run_texts(pool, texts)
    stages: list[StageReport] = []
    for judged in Judge(read, ran, read_bounds(pool, texts, ran)).stages():
        found = judged.report
        if found.is_wrong and not any(stage.is_wrong for stage in stages):
            found = with_guilt(pool, texts, judged)
        tell(found)
        stages.append(found)
    return ModuleReport(read.module, tuple(stages), inputs.types, inputs.origin)
