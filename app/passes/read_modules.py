"""The texts of a dumped module, with their inputs and the changes at each stage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from hloscope.engine.limits import DEFAULT_LIMITS, Limits
from hloscope.engine.passes.instructions import HloText, read_instructions
from hloscope.engine.passes.stages import DumpedModule
from hloscope.engine.passes.text_changes import Counts, TextChanges, compare_texts

from ..processes.arrays import Array
from .dump_files import Dump


@dataclass(frozen=True)
class Request:
    """The options of an examination."""

    module: str | None = None
    """A regular expression for names of modules (`module_0003.jit_f`); `None` for all."""
    inputs: str | Path | Mapping[str, Array] | Sequence[Array] | None = None
    """A `.npz` or `.npy` file, or arrays by name or in order; `None`: a snapshot, or the seed."""
    seed: int = 0
    run: bool = True
    jobs: int | None = None
    """Maximum parallel processes; `None`: one for each core."""
    limits: Limits = DEFAULT_LIMITS
    address_space: int = 0
    """Maximum bytes of address space of each process; 0: no limit."""


@dataclass(frozen=True)
class ReadModule:
    """The texts of a module, and the difference from each to the next."""

    dump: Dump
    module: DumpedModule
    texts: tuple[str, ...] = field(repr=False)
    tables: tuple[HloText | None, ...] = field(repr=False)
    """The instructions of each text; `None` for MLIR."""
    keys: tuple[str, ...] = field(repr=False)
    """Stages with the same key have equal texts."""
    _changes: dict[int, TextChanges | None] = field(default_factory=dict, init=False, repr=False)

    def changes(self, at: int) -> TextChanges | None:
        """The difference to the text before stage number `at`; `None` if either is MLIR. Cached."""
        if at not in self._changes:
            self._changes[at] = self._compare(at)
        return self._changes[at]

    def _compare(self, at: int) -> TextChanges | None:
        before, after = (self.tables[at - 1], self.tables[at]) if at else (None, None)
        return compare_texts(before, after) if before is not None and after is not None else None

    def counts(self, at: int) -> Counts:
        """The instructions that stage `at` added, removed and changed; `None` for MLIR."""
        found = self.changes(at)
        return Counts() if found is None else found.counts


def read_module(dump: Dump, module: DumpedModule) -> ReadModule:
    """Read all texts of a module."""
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
