"""Matching of the instructions of two texts, strongest evidence first.

The evidence is: `original_value`, by which XLA traces values; name and opcode; everything that an instruction is computed from, wherever it is; opcode, shape
and matched operands or users; the operation name from JAX. Unmatched instructions that the same user reads as
the same operand count as *replaced*.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import cached_property

from .flow import Flow
from .instructions import HloText, Instruction
from .original_values import Leaf

_MOST_ROUNDS = 12
"""Maximum number of rounds in which evidence spreads to neighbours."""


class TextMatching:
    """Matching that grows from certain to likely pairs; a pair is never revoked."""

    def __init__(self, before: HloText, after: HloText) -> None:
        self.before, self.after = before, after
        self.pairs: dict[str, str] = {}
        self._taken: set[str] = set()
        self._copies: dict[str, str] = {}
        self._flows = Flow(before), Flow(after)
        self._prints = tuple(map(_Fingerprints, self._flows))

    def match(self) -> None:
        """Find all pairs of equal instructions."""
        self._match_originals()
        self._match_names()
        # Instructions that compute the same value are told apart by their users.
        self._match_by(self._computed)
        self._match_around()
        self._match_by(self._computed, in_order=True)
        self._match_around()
        self._match_by(self._same_name)
        self._match_around()
        self._match_by(self._inlined_role)
        self._match_around()
        self._match_by(self._role_of_part)

    def _match_originals(self) -> None:
        """Match unique equal original values of one opcode and shape; of a tuple, of the parts that have some."""
        originals = originals_of(self.before)
        claims: dict[str, set[str]] = defaultdict(set)
        for leaf, key in originals_of(self.after).items():
            if leaf in originals:
                claims[key].add(originals[leaf])
        for key, others in claims.items():
            other = next(iter(others))
            if len(others) == 1 and other not in self._taken and self._may_be_same(key, other):
                self._pair(key, other)

    def find_unconfirmed(self) -> frozenset[str]:
        """The instructions after the pass that only their original value matches: it may be wrong.

        Neither their names nor what they are computed from agree, and no matched instruction reads both.
        """
        claims = {
            key: other
            for key, other in self.pairs.items()
            if key != other
            and self.after.instructions[key].written.originals
            and self._computed(key, 1) != self._computed(other, 0)
            and (self._context(key, 1) is None or self._context(key, 1) != self._context(other, 0))
        }
        others = {key: other for key, other in self.pairs.items() if key not in claims}
        read = {*self._slots(others), *self._root_slots()} if claims else set()
        return frozenset(key for key, other in claims.items() if (key, other) not in read)

    def _match_names(self) -> None:
        """Match equal names."""
        for key in self.after.instructions:
            is_free = key not in self.pairs and key not in self._taken
            if is_free and key in self.before.instructions and self._may_be_same(key, key):
                self._pair(key, key)

    def _may_be_same(self, key: str, other: str) -> bool:
        """Whether equally named instructions may be the same, and neither is computed elsewhere in the other text."""
        if not _agree(self.after.instructions[key], self.before.instructions[other]):
            return False
        new, old = self._computed(key, 1), self._computed(other, 0)
        return new == old or (new not in self._all_computed[0] and old not in self._all_computed[1])

    @cached_property
    def _all_computed(self) -> tuple[frozenset[Hashable], ...]:
        """The fingerprints of all instructions of both texts."""
        return tuple(
            frozenset(self._computed(key, side) for key in self._text(side).instructions) for side in (0, 1)
        )

    def _pair(self, after: str, before: str) -> None:
        self.pairs[after] = before
        self._taken.add(before)

    def _match_around(self) -> None:
        """Match the neighbours of matched instructions until nothing changes."""
        for _ in range(_MOST_ROUNDS):
            before = len(self.pairs)
            self._match_by(self._context)
            self._match_by(self._role)
            self._match_read()
            if len(self.pairs) == before:
                return

    def _match_by(self, key_of: Callable[[str, int], Hashable], in_order: bool = False) -> None:
        """Pair instructions with equal keys if there are equally many, or in order if `in_order`."""
        groups: dict[Hashable, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
        for key in self._left(0):
            groups[key_of(key, 0)][0].append(key)
        for key in self._left(1):
            groups[key_of(key, 1)][1].append(key)
        for group, (old, new) in groups.items():
            if group is not None and (in_order or len(old) == len(new)):
                for key, other in self._couples(new, old):
                    self._pair(key, other)

    def _couples(self, new: list[str], old: list[str]) -> Iterator[tuple[str, str]]:
        """Pairs of instructions that are equal so far.

        First those with the same known operands, then those that alone have one of them, then the others in order.
        """
        if new and old and len(new) + len(old) > 2:
            left, free = (
                {key: self._known_operands(key, side) for key in keys} for side, keys in ((1, new), (0, old))
            )
            for part in (slice(None), *(slice(at, at + 1) for at in range(len(left[new[0]])))):
                for keys, others in _grouped(left, free, part):
                    if part == slice(None) or len(keys) == len(others) == 1:
                        for key, other in zip(keys, others, strict=False):
                            del left[key], free[other]
                            yield key, other
            new, old = [*left], [*free]
        yield from zip(new, old, strict=False)

    def _known_operands(self, key: str, side: int) -> tuple[Hashable, ...]:
        """For each operand its fingerprint, if the other text computes it too, or what it is matched with."""
        operands = self._flows[side].operands(self._text(side).instructions[key])
        return tuple(self._known(operand, side) for operand in operands)

    def _known(self, operand: str | None, side: int) -> Hashable:
        if operand is None:
            return None
        computed = self._computed(operand, side)
        return computed if computed in self._all_computed[1 - side] else self._old_name(operand, side)

    def _left(self, side: int) -> list[str]:
        if side:
            return [key for key in self.after.instructions if key not in self.pairs]
        return [key for key in self.before.instructions if key not in self._taken]

    def _text(self, side: int) -> HloText:
        return self.after if side else self.before

    def _computed(self, key: str, side: int) -> Hashable:
        return self._prints[side].of(key)

    def is_same_computation(self, after: str, before: str) -> bool:
        """Whether two instructions are computed from the same things in the same way."""
        return self._computed(after, 1) == self._computed(before, 0)

    def _same_name(self, key: str, side: int) -> Hashable:
        written = self._text(side).instructions[key].written
        return key, written.opcode, written.bare_shape

    def _context(self, key: str, side: int) -> Hashable:
        """Opcode, shape and operands, if all operands are matched."""
        found = self._text(side).instructions[key]
        known = [self._old_name(operand, side) for operand in self._flows[side].operands(found)]
        if not known or any(operand is None for operand in known):
            return None
        return found.written.opcode, found.written.bare_shape, tuple(known)

    def _old_name(self, operand: str | None, side: int) -> str | None:
        """The key of a matched operand in the text before."""
        if operand is None:
            return None
        if side:
            return self.pairs.get(operand) or self._copies.get(operand)
        return operand if operand in self._taken else None

    def _match_read(self) -> None:
        """Match operands of matched instructions with equal opcode, shape and JAX name."""
        for key, other in [*self._slots(self.pairs), *self._root_slots()]:
            if key not in self.pairs and other not in self._taken and self._is_alike(key, other):
                self._pair(key, other)

    def _is_alike(self, key: str, other: str) -> bool:
        new, old = self.after.instructions[key].written, self.before.instructions[other].written
        same_name = _own_name(new.op_name) == _own_name(old.op_name) or not (new.op_name and old.op_name)
        return same_name and new.opcode == old.opcode and new.bare_shape == old.bare_shape

    def _role(self, key: str, side: int) -> Hashable:
        """Opcode, shape, JAX name and frames, which most passes preserve."""
        found = self._text(side).instructions[key]
        written = found.written
        if not written.op_name:
            return None
        return written.opcode, written.bare_shape, written.op_name, found.frames, written.literal

    def _inlined_role(self, key: str, side: int) -> Hashable:
        """Like `_role` without the caller: inlining adds the caller's name and frames."""
        written = self._text(side).instructions[key].written
        if not written.op_name:
            return None
        return written.opcode, written.bare_shape, _own_name(written.op_name), written.literal

    def _role_of_part(self, key: str, side: int) -> Hashable:
        """Like `_role` without sizes: the partitioner splits values."""
        found = self._text(side).instructions[key]
        written = found.written
        if not written.op_name or not found.frames:
            return None
        return written.opcode, written.bare_shape.count(","), written.op_name, found.frames

    def find_replaced(self) -> dict[str, str]:
        """Pair unmatched operands of the same user, and roots of the same computation."""
        replaced: dict[str, str] = {}
        taken: set[str] = set()

        def take(places: Iterable[tuple[str, str]]) -> dict[str, str]:
            new = {}
            for key, other in places:
                free = key not in self.pairs and key not in replaced
                if free and other not in self._taken and other not in taken and self._may_replace(key, other):
                    replaced[key] = new[key] = other
                    taken.add(other)
            return new

        found = take([*self._slots(self.pairs), *self._root_slots()])
        while found:
            same_op = {key: other for key, other in found.items() if self._is_alike(key, other)}
            found = take([*self._slots(same_op)])
        take((key, key) for key in self.after.instructions if key in self.before.instructions)
        return replaced

    def _may_replace(self, key: str, other: str) -> bool:
        new, old = self.after.instructions[key].written, self.before.instructions[other].written
        return new.bare_shape == old.bare_shape and "parameter" not in (new.opcode, old.opcode)

    def _slots(self, pairs: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """The operand pairs of matched instructions."""
        for key, other in pairs.items():
            new, old = self.after.instructions[key], self.before.instructions[other]
            if len(new.written.operands) != len(old.written.operands):
                continue
            for name, old_name in zip(new.written.operands, old.written.operands, strict=True):
                operand = self._flows[1].operand(new, name)
                old_operand = self._flows[0].operand(old, old_name)
                if operand is not None and old_operand is not None:
                    yield operand, old_operand

    def _root_slots(self) -> Iterator[tuple[str, str]]:
        for computation, root in self.after.roots.items():
            name = self.before.entry if computation == self.after.entry else computation
            if name in self.before.roots:
                yield self._flows[1].source(root), self._flows[0].source(self.before.roots[name])

    def find_copies(self) -> dict[str, str]:
        """Find additional copies of matched instructions, as fusion makes for each user."""
        computed: dict[Hashable, str] = {self._computed(key, 0): key for key in self.before.instructions}
        context = {found: key for key in self.before.instructions if (found := self._context(key, 0))}
        for _ in range(_MOST_ROUNDS):
            before = len(self._copies)
            self._copies.update(dict(self._copies_by(computed, context)))
            self._copies.update(dict(self._copies_read()))
            if len(self._copies) == before:
                break
        return self._copies

    def _copies_by(
        self, computed: Mapping[Hashable, str], context: Mapping[Hashable, str]
    ) -> Iterator[tuple[str, str]]:
        for key in self.after.instructions:
            if key not in self.pairs and key not in self._copies:
                other = computed.get(self._prints[1].of(key)) or context.get(self._context(key, 1))
                if other is not None:
                    yield key, other

    def _copies_read(self) -> Iterator[tuple[str, str]]:
        """Copies among the operands of copies."""
        for key, other in self._slots(self.pairs | self._copies):
            if key not in self.pairs and key not in self._copies and self._is_alike(key, other):
                yield key, other

    def differs(self, key: str, found: Mapping[str, str]) -> bool:
        """Whether an instruction differs from its match."""
        new, old = self.after.instructions[key], self.before.instructions[self.pairs[key]]
        one, other = new.written, old.written
        # Bodies may be renamed; their contents are compared separately.
        stated = (one.opcode, one.shape, one.attributes, one.literal, len(one.operands), len(one.called))
        if stated != (
            *(other.opcode, other.shape, other.attributes),
            *(other.literal, len(other.operands), len(other.called)),
        ):
            return True
        pairs = zip(self._flows[1].operands(new), self._flows[0].operands(old), strict=True)
        return any(operand is None or found.get(operand) != wanted for operand, wanted in pairs)


def _grouped(
    new: Mapping[str, tuple[Hashable, ...]], old: Mapping[str, tuple[Hashable, ...]], part: slice
) -> list[tuple[list[str], list[str]]]:
    """The instructions of both texts for each part of what is known of their operands; none for what is unknown."""
    groups: dict[Hashable, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for side, known in enumerate((new, old)):
        for key, operands in known.items():
            if any(operand is not None for operand in operands[part]):
                groups[operands[part]][side].append(key)
    return list(groups.values())


def originals_of(text: HloText) -> dict[Leaf, str]:
    """The key of the only instruction with each original value; those of several instructions are left out."""
    found: dict[Leaf, list[str]] = defaultdict(list)
    for key, instruction in text.instructions.items():
        for leaf in instruction.written.originals:
            found[leaf].append(key)
    return {leaf: keys[0] for leaf, keys in found.items() if len(keys) == 1}


def _own_name(op_name: str) -> str:
    """The last component of a JAX operation name, without its callers."""
    return op_name.rpartition("/")[2]


def _agree(one: Instruction, other: Instruction) -> bool:
    """Whether equally named instructions are the same; names are reassigned on reparsing."""
    a, b = one.written, other.written
    if a.opcode != b.opcode:
        return False
    return a.bare_shape == b.bare_shape or (bool(a.op_name) and a.op_name == b.op_name)


class _Fingerprints:
    """A hash of everything that each instruction is computed from."""

    def __init__(self, flow: Flow) -> None:
        self._flow, self._text = flow, flow.text
        self._known: dict[str, int] = {}

    def of(self, key: str) -> int:
        """The fingerprint of an instruction."""
        waiting = [key]
        opened: set[str] = set()
        while waiting:
            at = waiting[-1]
            # An open one that comes again is read by what it reads, which only an invalid text has.
            is_read = at in self._known or at in opened
            missing = [] if is_read else [found for found in self._reads(at) if found not in self._known]
            opened.add(at)
            waiting += missing
            if not missing:
                waiting.pop()
                if at not in self._known:
                    self._known[at] = self._make(at)
        return self._known[key]

    def _reads(self, key: str) -> list[str]:
        """The producers of its operands and of the results of its bodies."""
        found = self._text.instructions[key]
        operands = [operand for operand in self._flow.operands(found) if operand is not None]
        roots = (self._text.roots.get(name) for name in found.written.called)
        return [*operands, *(self._flow.source(root) for root in roots if root is not None)]

    def _make(self, key: str) -> int:
        found = self._text.instructions[key]
        written = found.written
        inside = tuple(self._known.get(read, 0) for read in self._reads(key))
        is_given = written.opcode == "parameter" and found.computation == self._text.entry
        stated = (written.opcode, written.bare_shape, written.attributes, written.literal, is_given)
        return hash((*stated, inside))
