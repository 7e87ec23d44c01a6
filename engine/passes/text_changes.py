"""What differs between two texts of one module: which instruction of the one is which of the other.

Instructions are matched by the surest evidence first: by name and opcode; by all that an instruction is computed from; by
opcode, shape and operands that are matched; by what JAX calls them. What is left over on both sides and used at the
same place by the same instruction was *replaced*. Names, layouts of metadata and numbers of stack frames are no
differences, nor is the order of independent instructions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .instructions import HloText, Instruction


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

    def origin(self, key: str) -> str | None:
        """The instruction before the pass that one after it is, or has replaced."""
        return self.matched.get(key) or self.replaced.get(key)


def compare_texts(before: HloText, after: HloText) -> TextChanges:
    """What differs from one text to the next."""
    if before.key == after.key:
        same = {key: key for key in after.instructions}
        return TextChanges(before, after, same, {}, frozenset())
    matching = _Matching(before, after)
    matching.match()
    replaced = matching.find_replaced()
    found = matching.pairs | replaced
    changed = frozenset(key for key in matching.pairs if matching.differs(key, found))
    return TextChanges(before, after, matching.pairs, replaced, changed)


class _Matching:
    """Grows from the sure to the likely; a pair that is found is kept."""

    def __init__(self, before: HloText, after: HloText) -> None:
        self.before, self.after = before, after
        self.pairs: dict[str, str] = {}
        self._taken: set[str] = set()

    def match(self) -> None:
        """Finds all pairs of instructions that are the same."""
        for key, found in self.after.instructions.items():
            other = self.before.instructions.get(key)
            if other is not None and _agree(found, other):
                self._pair(key, key)
        prints = _Fingerprints(self.before), _Fingerprints(self.after)
        self._match_by(lambda key, side: prints[side].of(key), in_order=True)
        for _ in range(3):
            before = len(self.pairs)
            self._match_by(self._context)
            self._match_by(self._role)
            if len(self.pairs) == before:
                break
        self._match_by(self._role_of_part)

    def _pair(self, after: str, before: str) -> None:
        self.pairs[after] = before
        self._taken.add(before)

    def _match_by(self, key_of: Callable[[str, int], Hashable], in_order: bool = False) -> None:
        """Pairs what has the same key on both sides, if it is the only one, or if there are as many and order may count."""
        groups: dict[Hashable, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
        for key in self._left(0):
            groups[key_of(key, 0)][0].append(key)
        for key in self._left(1):
            groups[key_of(key, 1)][1].append(key)
        for group, (old, new) in groups.items():
            if group is not None and (in_order or len(old) == len(new)):
                for other, key in zip(old, new, strict=False):
                    self._pair(key, other)

    def _left(self, side: int) -> list[str]:
        if side:
            return [key for key in self.after.instructions if key not in self.pairs]
        return [key for key in self.before.instructions if key not in self._taken]

    def _text(self, side: int) -> HloText:
        return self.after if side else self.before

    def _context(self, key: str, side: int) -> Hashable:
        """Opcode, shape and the operands, where all of these are matched."""
        found = self._text(side).instructions[key]
        written = found.written
        if not written.operands:
            return None
        operands = [self._text(side).find(name, found.computation) for name in written.operands]
        known = [self._old_name(operand, side) for operand in operands]
        if any(operand is None for operand in known):
            return None
        return written.opcode, written.bare_shape, tuple(known)

    def _old_name(self, operand: str | None, side: int) -> str | None:
        """A matched operand by its key in the text before."""
        if operand is None:
            return None
        if side:
            return self.pairs.get(operand)
        return operand if operand in self._taken else None

    def _role(self, key: str, side: int) -> Hashable:
        """What JAX calls it, and from where: kept through most passes."""
        found = self._text(side).instructions[key]
        written = found.written
        if not written.op_name:
            return None
        return written.opcode, written.bare_shape, written.op_name, found.frames, written.literal

    def _role_of_part(self, key: str, side: int) -> Hashable:
        """As `_role`, whatever the sizes are: the partitioner makes parts of values."""
        found = self._text(side).instructions[key]
        written = found.written
        if not written.op_name or not found.frames:
            return None
        return written.opcode, written.bare_shape.count(","), written.op_name, found.frames

    def find_replaced(self) -> dict[str, str]:
        """What has taken the place of what: unmatched operands of the same user, and roots of the same computation."""
        replaced: dict[str, str] = {}
        taken: set[str] = set()
        same_name = ((key, key) for key in self.after.instructions if key in self.before.instructions)
        for key, other in [*self._slots(), *self._root_slots(), *same_name]:
            free = key not in self.pairs and key not in replaced
            if free and other not in self._taken and other not in taken and self._may_replace(key, other):
                replaced[key] = other
                taken.add(other)
        return replaced

    def _may_replace(self, key: str, other: str) -> bool:
        new, old = self.after.instructions[key].written, self.before.instructions[other].written
        return new.bare_shape == old.bare_shape and "parameter" not in (new.opcode, old.opcode)

    def _slots(self) -> Iterator[tuple[str, str]]:
        for key, other in self.pairs.items():
            new, old = self.after.instructions[key], self.before.instructions[other]
            if len(new.written.operands) != len(old.written.operands):
                continue
            for name, old_name in zip(new.written.operands, old.written.operands, strict=True):
                operand = self.after.find(name, new.computation)
                old_operand = self.before.find(old_name, old.computation)
                if operand is not None and old_operand is not None:
                    yield operand, old_operand

    def _root_slots(self) -> Iterator[tuple[str, str]]:
        for computation, root in self.after.roots.items():
            name = self.before.entry if computation == self.after.entry else computation
            if name in self.before.roots:
                yield root, self.before.roots[name]

    def differs(self, key: str, found: Mapping[str, str]) -> bool:
        """Whether an instruction does something else than the one that it is matched with."""
        new, old = self.after.instructions[key], self.before.instructions[self.pairs[key]]
        one, other = new.written, old.written
        # Bodies that were renamed have other names: what is in them is compared by itself.
        stated = (one.opcode, one.shape, one.attributes, one.literal, len(one.operands), len(one.called))
        if stated != (
            *(other.opcode, other.shape, other.attributes),
            *(other.literal, len(other.operands), len(other.called)),
        ):
            return True
        pairs = zip(one.operands, other.operands, strict=True)
        return any(self._moved(new, old, name, other_name, found) for name, other_name in pairs)

    def _moved(
        self, new: Instruction, old: Instruction, name: str, other_name: str, found: Mapping[str, str]
    ) -> bool:
        operand = self.after.find(name, new.computation)
        wanted = self.before.find(other_name, old.computation)
        return operand is None or found.get(operand) != wanted


def _agree(one: Instruction, other: Instruction) -> bool:
    """Whether instructions of one name are the same one: names are given anew when a module is read again."""
    a, b = one.written, other.written
    if a.opcode != b.opcode:
        return False
    return a.bare_shape == b.bare_shape or (bool(a.op_name) and a.op_name == b.op_name)


class _Fingerprints:
    """For each instruction a number that stands for all that it is computed from."""

    def __init__(self, text: HloText) -> None:
        self._text = text
        self._known: dict[str, int] = {}
        self._places = {
            key: number
            for members in text.computations.values()
            for number, key in _parameters(text, members)
        }
        for key in text.instructions:
            self._known[key] = self._make(key)

    def of(self, key: str) -> int:
        """The fingerprint of an instruction."""
        return self._known[key]

    def _make(self, key: str) -> int:
        found = self._text.instructions[key]
        written = found.written
        # HLO text has what is used before what uses it, except for tables of a module that was written by hand.
        operands = (self._text.find(name, found.computation) for name in written.operands)
        inside = tuple(self._known.get(operand or "", 0) for operand in operands)
        bodies = tuple(self._known.get(self._text.roots.get(name, ""), 0) for name in written.called)
        is_entry = found.computation == self._text.entry
        place = self._places.get(key, -1) if is_entry else written.literal
        return hash(
            (written.opcode, written.bare_shape, written.attributes, place, written.literal, inside, bodies)
        )


def _parameters(text: HloText, members: Iterable[str]) -> Iterator[tuple[int, str]]:
    for key in members:
        written = text.instructions[key].written
        if written.opcode == "parameter" and written.literal.isdecimal():
            yield int(written.literal), key
