"""Two texts of one module side by side, line by line: what an instruction was before stands beside it.

Lines keep the order of both texts. Of instructions whose order has changed only those that keep theirs stand beside each
other; the others are called moved, and do not count as differences.
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
"""Of an instruction what became of it; `other` are lines that state none: headers, tables, brackets."""
DIFFERENCES: frozenset[RowKind] = frozenset({"changed", "replaced", "added", "removed"})
CONTEXT = 3
"""Lines around a difference that are shown with it."""
LEAST_FOLDED = 4
"""So many lines are folded; fewer take no more room than the line that would stand for them."""
Pair = tuple[int, int]
"""Lines of both texts, counted from 1."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of either text or of both, counted from 1; `None`: the text has nothing here."""

    kind: RowKind
    before: int | None
    after: int | None
    partner: int | None = None
    """Of an instruction that has moved, the line of the other text that it is on."""


@dataclass(frozen=True, slots=True)
class Fold:
    """Rows that do not differ, and that one line stands for."""

    start: int
    count: int


@dataclass(frozen=True)
class SideBySide:
    """All rows of two texts."""

    changes: TextChanges
    rows: tuple[Row, ...] = field(repr=False)

    @cached_property
    def items(self) -> tuple[int | Fold, ...]:
        """What is shown at first: the numbers of rows that differ and of those around them, and folds for the others."""
        return tuple(_fold(self.rows, self._heads))

    @cached_property
    def _heads(self) -> Mapping[int, int]:
        """For each row with an instruction, the row that begins its computation."""
        places = {row.after: number for number, row in enumerate(self.rows) if row.after is not None}
        places_before = {row.before: number for number, row in enumerate(self.rows) if row.before is not None}
        heads = _first_lines(self.changes.after), _first_lines(self.changes.before)
        found: dict[int, int] = {}
        for key, instruction in self.changes.before.instructions.items():
            head = places_before.get(heads[1][instruction.computation])
            if head is not None:
                found[places_before[self.changes.before.instructions[key].line]] = head
        for key, instruction in self.changes.after.instructions.items():
            head = places.get(heads[0][instruction.computation])
            if head is not None:
                found[places[self.changes.after.instructions[key].line]] = head
        return found


def place_side_by_side(changes: TextChanges, lengths: tuple[int, int]) -> SideBySide:
    """The rows of two texts of so many lines."""
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
    """Which line of the text before is which of the text after."""

    pairs: Mapping[int, int]
    kinds: Mapping[int, RowKind]
    """By lines after, of instructions that are paired."""
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
    """The first lines of computations whose first instructions are each other, or that share a name."""
    heads, heads_before = _first_lines(changes.after), _first_lines(changes.before)
    for computation, members in changes.after.computations.items():
        origins = (changes.origin(key) for key in members)
        first = next((origin for origin in origins if origin is not None), None)
        other = changes.before.instructions[first].computation if first is not None else computation
        if other in heads_before:
            yield heads_before[other], heads[computation]


def _first_lines(text: HloText) -> dict[str, int]:
    """The line that begins each computation: the one before its first instruction."""
    return {
        name: text.instructions[members[0]].line - 1 for name, members in text.computations.items() if members
    }


def _keep_order(pairs: Sequence[Pair]) -> dict[int, int]:
    """The most pairs, sorted by their second lines, whose first lines are in order too."""
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


def _rows_between(before: range, after: range, lines: _Lines, partners: Mapping[int, int]) -> Iterator[Row]:
    """The rows of lines that have nothing beside them: what was removed, what was added, what has moved."""
    others = [
        [line for line in part if line not in stating]
        for part, stating in zip((before, after), lines.stating, strict=True)
    ]
    back = {new: old for old, new in partners.items() if new in after}
    for line in before:
        if line in lines.stating[0]:
            partner = partners.get(line)
            yield Row("removed" if partner is None else "moved", line, None, partner)
    for line in after:
        if line in lines.stating[1]:
            partner = back.get(line)
            yield Row(_kind_of_new(line, partner, lines), None, line, partner)
    for one, other in zip_longest(*others):
        yield Row("other", one, other)


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
