"""What `original_value` recovers: the values of a module's first text that its last text still names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hloscope.engine.comparison.judge import Judge
from hloscope.engine.debugger.address import result
from hloscope.engine.ops.core.values import is_tuple
from hloscope.engine.passes.instructions import HloText

from .culprit import Executed
from .read_modules import ReadModule

Pair = tuple[str, str]
"""The keys of an instruction of the first text and of one of the last."""


@dataclass(frozen=True)
class OriginalValues:
    """The original values of a module's first text with some, and their instructions in the last text."""

    stages: tuple[int, int]
    """The numbers of both texts among the stages."""
    title: str
    """The first text: `before_optimizations`."""
    values: int
    """The number of values of the first text with an original value."""
    pairs: tuple[Pair, ...]
    """Those that the last text has."""
    differing: tuple[str, ...] | None = None
    """Instructions of the last text whose value differs from the one that they name; `None` without runs."""

    @property
    def sentence(self) -> str:
        """`original_value matches 39 of 53 values of before_optimizations (74 %)`."""
        share = f"{len(self.pairs):,} of {self.values:,} values of {self.title}"
        told = f"original_value matches {share} ({100 * len(self.pairs) / self.values:.0f} %)"
        if not self.differing:
            return told
        names = ", ".join(f"%{name}" for name in self.differing[:3])
        return f"{told}; {len(self.differing):,} of them differ beyond rounding: {names}"

    def as_json(self) -> Mapping[str, Any]:
        """The counts, for `--json`."""
        differing = None if self.differing is None else len(self.differing)
        return {"values": self.values, "matched": len(self.pairs), "differing": differing}


def find_original_values(read: ReadModule) -> OriginalValues | None:
    """The original values of a module's texts; `None` if its texts note none."""
    found = [(at, originals) for at, table in enumerate(read.tables) if (originals := _originals(table))]
    if not found:
        return None
    first, originals = found[0]
    last = max(at for at, table in enumerate(read.tables) if table is not None)
    if first == last:
        return None
    kept = _originals(read.tables[last])
    pairs = tuple((key, kept[original]) for original, key in originals.items() if original in kept)
    return OriginalValues((first, last), read.module.stages[first].title, len(originals), pairs)


def _originals(table: HloText | None) -> dict[str, str]:
    """The first instruction with each original value."""
    found: dict[str, str] = {}
    for key, instruction in (table.instructions if table else {}).items():
        if instruction.written.original:
            found.setdefault(instruction.written.original, key)
    return found


def differing_values(before: Executed, after: Executed, pairs: Sequence[Pair], judge: Judge) -> Iterator[str]:
    """The instructions after whose first value differs from that of their pair beyond rounding."""
    steps = [{key: step for step, key in reversed([*run.steps(0)])} for run in (before, after)]
    for old, new in pairs:
        if old not in steps[0] or new not in steps[1]:
            continue
        address = result(steps[0][old])
        one, other = before.value(address), after.value(result(steps[1][new]))
        if one is None or other is None or is_tuple(one) or is_tuple(other):
            continue
        if (one.shape, one.dtype) != (other.shape, other.dtype):
            continue
        if judge.difference(address, one, other, None).is_different:
            yield new.rpartition("/")[2]
