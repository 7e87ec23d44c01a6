"""Sorts in real dumps: what XLA's passes make of their comparators must not cost the fast way of sorting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import hloscope
from hloscope.app.passes.records import StageReport
from hloscope.engine.frontend import parse
from hloscope.engine.ir.module import Module, walk
from hloscope.engine.ops.sorting.comparators import order_of
from hloscope.engine.source import Source

EXPANDED = "comparison-expander"


@dataclass(frozen=True)
class Sorts:
    """The sorts of one pipeline."""

    name: str
    comparators: int
    """Those of all distinct texts."""
    slow: tuple[str, ...]
    """The texts with a comparator that has to be asked about pairs of elements."""
    wrong: tuple[str, ...]
    """What speaks against the texts having the same values."""
    is_expanded: bool
    """Whether the pass that writes comparisons out changed the text."""
    first: float
    """Seconds that the run of the first text took."""
    others: float
    """The median of the seconds that those of the others took; 0 without any."""

    @property
    def is_fast(self) -> bool:
        """Whether NumPy sorts each text as a whole, and gets what the first one gives."""
        return self.comparators > 0 and not self.slow and not self.wrong

    def __str__(self) -> str:
        expanded = f", {EXPANDED} among the passes" if self.is_expanded else ""
        line = f"{self.name:22} first text {self.first * 1e3:5.0f} ms, the others {self.others * 1e3:5.0f} ms; {self.comparators} comparators{expanded}"
        slow = [f"asked about pairs of elements: {path}" for path in self.slow]
        return "\n    ".join((line, *slow, *self.wrong))


def examine_sorts(folder: Path) -> Sorts:
    """Runs all texts of a dump, one at a time, and reads their comparators."""
    report = hloscope.passes(folder, jobs=1)
    ran = [stage for stage in report.stages if stage.seconds or stage.verdict == "cannot_run"]
    found = {stage.stage.path: list(_comparators(_parsed(folder, stage))) for stage in ran}
    return Sorts(
        folder.name,
        sum(map(len, found.values())),
        tuple(path for path, known in found.items() if not all(known)),
        tuple(_trouble(stage) for stage in ran if stage.verdict not in ("same_text", "same_bits")),
        any(stage.stage.pass_name == EXPANDED for stage in ran),
        ran[0].seconds,
        median([stage.seconds for stage in ran[1:]] or [0.0]),
    )


def _parsed(folder: Path, stage: StageReport) -> Module:
    path = stage.stage.path
    return parse(Source((folder / path).read_text(), path))


def _comparators(module: Module) -> Iterator[bool]:
    """For each sort of a module, whether its comparator is one that goes by keys."""
    for function in module.functions:
        for operation in walk(function.body) if function.body else ():
            if operation.name.endswith(".sort"):
                yield order_of(operation.regions[0]) is not None


def _trouble(stage: StageReport) -> str:
    return f"{stage.verdict} after {stage.stage.title}: {stage.reason or stage.worst}"
