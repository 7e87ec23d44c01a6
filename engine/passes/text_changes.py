"""What differs between two texts of one module: which instruction of the one is which of the other.

Instructions are matched by `text_matching`. Names, layouts of metadata and numbers of stack frames are no differences, nor is
the order of independent instructions, nor what computation an instruction stands in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .instructions import HloText
from .text_matching import TextMatching


@dataclass(frozen=True)
class Counts:
    """How many instructions a pass has added, removed and changed; one that is replaced is changed."""

    added: int = 0
    removed: int = 0
    changed: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return not (self.added or self.removed or self.changed)


@dataclass(frozen=True)
class TextChanges:
    """The matching of two texts, by the keys of their instructions."""

    before: HloText = field(repr=False)
    after: HloText = field(repr=False)
    matched: Mapping[str, str] = field(repr=False)
    """From instructions after the pass to those before it that they are."""
    replaced: Mapping[str, str]
    """From instructions after the pass to those before it whose place they have taken."""
    changed: frozenset[str]
    """Instructions after the pass that are matched, but differ: in their shape, attributes, operands or bodies."""
    matching: TextMatching = field(repr=False, compare=False)

    @cached_property
    def added(self) -> tuple[str, ...]:
        """Instructions that nothing before the pass corresponds to."""
        known = self.matched.keys() | self.replaced.keys()
        return tuple(key for key in self.after.instructions if key not in known)

    @cached_property
    def removed(self) -> tuple[str, ...]:
        """Instructions that nothing after the pass corresponds to."""
        known = {*self.matched.values(), *self.replaced.values()}
        return tuple(key for key in self.before.instructions if key not in known)

    @cached_property
    def counts(self) -> Counts:
        """The numbers that a timeline shows."""
        return Counts(len(self.added), len(self.removed), len(self.changed) + len(self.replaced))

    @cached_property
    def copies(self) -> Mapping[str, str]:
        """From instructions after the pass that are further copies of one before it, to that one."""
        return {key: found for key, found in self.matching.find_copies().items() if key not in self.replaced}

    def origin(self, key: str) -> str | None:
        """The instruction before the pass that one after it is, has replaced, or is a copy of."""
        return self.matched.get(key) or self.replaced.get(key) or self.copies.get(key)


def compare_texts(before: HloText, after: HloText) -> TextChanges:
    """What differs from one text to the next."""
    matching = TextMatching(before, after)
    if before.key == after.key:
        same = {key: key for key in after.instructions}
        return TextChanges(before, after, same, {}, frozenset(), matching)
    matching.match()
    replaced = matching.find_replaced()
    found = matching.pairs | replaced
    changed = frozenset(key for key in matching.pairs if matching.differs(key, found))
    return TextChanges(before, after, matching.pairs, replaced, changed, matching)
