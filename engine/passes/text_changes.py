"""Differences between two texts of one module.

`text_matching` pairs the instructions. Names, metadata, stack frame numbers, the order of independent
instructions and their computations do not count as differences.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .instructions import HloText
from .text_matching import TextMatching


@dataclass(frozen=True)
class Counts:
    """Numbers of added, removed and changed instructions; a replaced one counts as changed."""

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
    """Instructions after the pass to the same instructions before it."""
    replaced: Mapping[str, str]
    """Instructions after the pass to those that they replaced."""
    changed: frozenset[str]
    """Matched instructions that differ in shape, attributes, operands or bodies."""
    matching: TextMatching = field(repr=False, compare=False)

    @cached_property
    def added(self) -> tuple[str, ...]:
        """Instructions after the pass without a counterpart before it."""
        known = self.matched.keys() | self.replaced.keys()
        return tuple(key for key in self.after.instructions if key not in known)

    @cached_property
    def removed(self) -> tuple[str, ...]:
        """Instructions before the pass without a counterpart after it."""
        known = {*self.matched.values(), *self.replaced.values()}
        return tuple(key for key in self.before.instructions if key not in known)

    @cached_property
    def counts(self) -> Counts:
        """The counts for the timeline."""
        return Counts(len(self.added), len(self.removed), len(self.changed) + len(self.replaced))

    @cached_property
    def copies(self) -> Mapping[str, str]:
        """Instructions after the pass that are additional copies, to their originals."""
        return {key: found for key, found in self.matching.find_copies().items() if key not in self.replaced}

    @cached_property
    def unconfirmed(self) -> frozenset[str]:
        """Matched instructions after the pass whose only evidence is their original value."""
        return self.matching.find_unconfirmed()

    def origin(self, key: str) -> str | None:
        """The instruction before the pass that this one equals, replaced or copies."""
        return self.matched.get(key) or self.replaced.get(key) or self.copies.get(key)


def compare_texts(before: HloText, after: HloText) -> TextChanges:
    """Compare two consecutive texts."""
    matching = TextMatching(before, after)
    if before.key == after.key:
        same = {key: key for key in after.instructions}
        return TextChanges(before, after, same, {}, frozenset(), matching)
    matching.match()
    replaced = matching.find_replaced()
    found = matching.pairs | replaced
    changed = frozenset(key for key in matching.pairs if matching.differs(key, found))
    return TextChanges(before, after, matching.pairs, replaced, changed, matching)
