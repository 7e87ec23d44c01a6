"""Side-by-side view of two texts of one module: each instruction beside the one that it was before.

Rows keep the order of both texts. Where a pass reorders instructions, the longest run in unchanged order is aligned and
the other instructions are marked as moved. A moved instruction is not a difference.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from typing import Literal, TypeAlias

from .instructions import HloText
from .text_changes import TextChanges

RowKind: TypeAlias = Literal["same", "changed", "replaced", "added", "removed", "moved", "other"]
"""The change of an instruction by the pass; `other` marks lines without one: headers, tables, brackets."""
DIFFERENCES: frozenset[RowKind] = frozenset({"changed", "replaced", "added", "removed"})
CONTEXT = 3
"""Lines shown before and after each difference."""
LEAST_FOLDED = 4
"""Minimum number of rows in a fold; a shorter one would save no space."""
Pair = tuple[int, int]
"""A line before and a line after, both counted from 1."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of either text or of both, counted from 1; `None` where that text has no line in this row."""

    kind: RowKind
    before: int | None
    after: int | None
    partner: int | None = None
    """Line of a moved instruction in the other text."""


@dataclass(frozen=True, slots=True)
class Fold:
    """A run of rows without differences, shown as one line."""

    start: int
    count: int


@dataclass(frozen=True)
class SideBySide:
    """All rows of two texts, and the folds of the initial view."""

    changes: TextChanges
    rows: tuple[Row, ...] = field(repr=False)

    @cached_property
    def items(self) -> tuple[int | Fold, ...]:
        """The initial view: indices of the differing rows and their context, and folds for the rest."""
        return tuple(_fold(self.rows, self._heads))

    @cached_property
    def _heads(self) -> Mapping[int, int]:
        """Map each instruction's row to the row of its computation's header."""
        heads: dict[int, int] = {}
        for side, text in (("before", self.changes.before), ("after", self.changes.after)):
            row_of = {getattr(row, side): index for index, row in enumerate(self.rows)}
            headers = _first_lines(text)
            for instruction in text.instructions.values():
                head = row_of.get(headers[instruction.computation])
                if head is not None:
                    heads[row_of[instruction.line]] = head
        return heads


def place_side_by_side(changes: TextChanges, lengths: tuple[int, int]) -> SideBySide:
    """Align two texts; `lengths` are their numbers of lines."""
    lines = _Lines.of(changes)
    kept = _keep_order(sorted(lines.pairs.items(), key=lambda item: item[1]))
    partners = dict(lines.pairs.items() - kept.items())
    rows: list[Row] = []
    at = after_at = 1
    for before, after in [*sorted(kept.items()), (lengths[0] + 1, lengths[1] + 1)]:
        rows += _rows_between(range(at, before), range(after_at, after), lines, partners)
        if before <= lengths[0]:
            rows.append(Row(lines.kinds.get(after, "other"), before, after))
        at, after_at = before + 1, after + 1
    return SideBySide(changes, tuple(rows))


@dataclass(frozen=True)
class _Lines:
    """The correspondence between the lines of both texts."""

    pairs: Mapping[int, int]
    kinds: Mapping[int, RowKind]
    """Kinds of the paired instructions, by their lines in the text after."""
    stating: tuple[frozenset[int], frozenset[int]]
    """The lines of each text that state an instruction."""

    @classmethod
    def of(cls, changes: TextChanges) -> _Lines:
        pairs: dict[int, int] = {1: 1}
        kinds: dict[int, RowKind] = {}
        before, after = changes.before, changes.after
        for key, found in after.instructions.items():
            if (origin := changes.origin(key)) is None:
                continue
            pairs[before.instructions[origin].line] = found.line
            replaced = key in changes.replaced
            kinds[found.line] = "replaced" if replaced else "changed" if key in changes.changed else "same"
        pairs |= _pair_heads(changes)
        stating = tuple(
            frozenset(found.line for found in text.instructions.values()) for text in (before, after)
        )
        return cls(pairs, kinds, (stating[0], stating[1]))


def _pair_heads(changes: TextChanges) -> Iterator[Pair]:
    """Pair the headers of computations whose first matched instructions correspond, or that share a name."""
    heads, heads_before = _first_lines(changes.after), _first_lines(changes.before)
    for computation, members in changes.after.computations.items():
        origins = (changes.origin(key) for key in members)
        first = next((origin for origin in origins if origin is not None), None)
        other = changes.before.instructions[first].computation if first is not None else computation
        if other in heads_before:
            yield heads_before[other], heads[computation]


def _first_lines(text: HloText) -> dict[str, int]:
    """Header line of each computation: the line before its first instruction."""
    return {
        name: text.instructions[members[0]].line - 1 for name, members in text.computations.items() if members
    }


def _keep_order(pairs: Sequence[Pair]) -> dict[int, int]:
    """Select the longest subsequence of `pairs` in which the lines before increase too."""
    ends: list[int] = []
    at: list[int] = []
    previous: list[int] = []
    for number, (before, _) in enumerate(pairs):
        place = bisect_left(ends, before)
        previous.append(at[place - 1] if place else -1)
        if place == len(ends):
            ends.append(before)
            at.append(number)
        else:
            ends[place], at[place] = before, number
    kept: dict[int, int] = {}
    number = at[-1] if at else -1
    while number >= 0:
        before, after = pairs[number]
        kept[before] = after
        number = previous[number]
    return kept


@dataclass(frozen=True, slots=True)
class _Segment:
    """Consecutive instructions of a text, and the line that ends them: a bracket, an empty line or a header."""

    instructions: tuple[int, ...] = ()
    end: int | None = None


def _rows_between(before: range, after: range, lines: _Lines, partners: Mapping[int, int]) -> Iterator[Row]:
    """Rows of the lines between two pairs: removed, added and moved instructions, and other lines, in order."""
    back = {new: old for old, new in partners.items() if new in after}
    segments = _segments(before, lines.stating[0]), _segments(after, lines.stating[1])
    for old, new in zip_longest(*segments, fillvalue=_Segment()):
        for line in old.instructions:
            partner = partners.get(line)
            yield Row("removed" if partner is None else "moved", line, None, partner)
        for line in new.instructions:
            partner = back.get(line)
            yield Row(_kind_of_new(line, partner, lines), None, line, partner)
        if old.end is not None or new.end is not None:
            yield Row("other", old.end, new.end)


def _segments(lines: range, stating: frozenset[int]) -> Iterator[_Segment]:
    instructions: list[int] = []
    for line in lines:
        if line in stating:
            instructions.append(line)
        else:
            yield _Segment(tuple(instructions), line)
            instructions = []
    yield _Segment(tuple(instructions))


def _kind_of_new(line: int, partner: int | None, lines: _Lines) -> RowKind:
    if partner is None:
        return "added"
    kind = lines.kinds.get(line, "moved")
    return "moved" if kind == "same" else kind


def _fold(rows: Sequence[Row], heads: Mapping[int, int]) -> Iterator[int | Fold]:
    shown = [False] * len(rows)
    for number, row in enumerate(rows):
        if row.kind in DIFFERENCES:
            for near in range(max(0, number - CONTEXT), min(len(rows), number + CONTEXT + 1)):
                shown[near] = True
            shown[heads.get(number, number)] = True
    at = 0
    while at < len(rows):
        end = next((number for number in range(at, len(rows)) if shown[number]), len(rows))
        if end - at >= LEAST_FOLDED:
            yield Fold(at, end - at)
        else:
            yield from range(at, end)
        at = next((number for number in range(end, len(rows)) if not shown[number]), len(rows))
        yield from range(end, at)
