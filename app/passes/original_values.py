"""What `original_value` recovers: the values of a module's first text that its last text still names."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hloscope.engine.comparison.judge import Judge
from hloscope.engine.debugger.address import result
from hloscope.engine.ops.core.values import is_tuple
from hloscope.engine.passes.instructions import HloText

from ..present.numbers import percent_text
from .culprit import Executed
from .read_modules import ReadModule

Place = tuple[str, tuple[int, ...]]
"""The key of an instruction, and the index of an array in its value."""
Pair = tuple[Place, Place]
"""An array of the first text and one of the last."""


@dataclass(frozen=True)
class OriginalValues:
    """The original values of a module's first text with some, and where the last text has them."""

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
        told = f"original_value matches {share} ({percent_text(len(self.pairs) / self.values)})"
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


def _originals(table: HloText | None) -> dict[str, Place]:
    """The first array with each original value."""
    found: dict[str, Place] = {}
    for key, instruction in (table.instructions if table else {}).items():
        for index, original in instruction.written.originals:
            found.setdefault(original, (key, index))
    return found


def differing_values(before: Executed, after: Executed, pairs: Sequence[Pair], judge: Judge) -> Iterator[str]:
    """The instructions after whose first value differs from that of their pair beyond rounding."""
    steps = [{key: step for step, key in reversed([*run.steps(0)])} for run in (before, after)]
    found: dict[str, None] = {}
    for (old, inside), (new, place) in pairs:
        if old not in steps[0] or new not in steps[1]:
            continue
        address = result(steps[0][old])._replace(path=tuple(inside))
        one, other = before.value(address), after.value(result(steps[1][new])._replace(path=tuple(place)))
        if one is None or other is None or is_tuple(one) or is_tuple(other):
            continue
        if (one.shape, one.dtype) != (other.shape, other.dtype):
            continue
        if judge.difference(address, one, other, None).is_different:
            found[new.rpartition("/")[2]] = None
    yield from found
