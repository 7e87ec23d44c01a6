"""Matching of the operations of two programs, with the evidence for each pair.

The evidence is: equal original values, unless the values differ; equal bits of values that are no coincidence, then close values; matched operands; source
location, op and type; name, op and type; the same elements in another order or shape; the same position between
matched neighbours.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from ..debugger.recording import Recording
from ..ops.core.blas import multiply_matrices
from ..ops.core.op import Array
from ..ops.core.values import is_tuple
from ..program import BoundOperation, BoundProgram
from .fingerprints import ORIGINAL_VALUE, Identity, Print, identities, print_of, prints

Evidence = Literal["original", "value", "near", "name", "source", "structure", "elements", "position"]
STRENGTH: tuple[Evidence, ...] = get_args(Evidence)
"""Strongest first."""
NEAR = 1e-3
"""Maximum distance, relative to the norm, of values that are the same except for rounding."""


@dataclass(frozen=True)
class Pair:
    """Two matched operations, by their numbers in their programs."""

    before: int
    after: int
    evidence: tuple[Evidence, ...]
    """All evidence for the pair, strongest first."""


@dataclass(frozen=True)
class Matching:
    """Pairs of the operations with results of two programs."""

    pairs: tuple[Pair, ...]
    """In the order of the program before."""
    only_before: tuple[int, ...]
    """Operations without a partner."""
    only_after: tuple[int, ...]
    replaced: tuple[tuple[int, int], ...] = ()
    """Pairs of operations without partners whose results the same operations read."""

    def stand_in(self, op: int) -> int | None:
        """The partner of an operation of the program before, or the operation that replaced it."""
        pair = self.onward.get(op)
        return self._stand_ins.get(op) if pair is None else pair.after

    @cached_property
    def _stand_ins(self) -> Mapping[int, int]:
        return dict(self.replaced)

    @cached_property
    def onward(self) -> Mapping[int, Pair]:
        """The pair of each operation of the program before."""
        return {pair.before: pair for pair in self.pairs}

    @cached_property
    def back(self) -> Mapping[int, Pair]:
        """The pair of each operation of the program after."""
        return {pair.after: pair for pair in self.pairs}


def match_programs(
    before: BoundProgram, after: BoundProgram, runs: tuple[Recording, Recording] | None = None
) -> Matching:
    """Match two programs; `runs` are recordings on the same inputs, whose values are evidence."""
    state = _State(before, after, _Values.of(runs))
    state.by_originals()
    state.by_values()
    state.by_near_values()
    state.by_structure()
    state.by_key("source", _origin)
    if state.names_tell:
        state.by_key("name", lambda found: (found.name, found.op, found.type))
    state.by_structure()
    state.by_elements()
    state.by_structure()
    state.by_position()
    return state.matching()


def _origin(found: Identity) -> Hashable | None:
    return (found.scope, found.frames, found.op, found.type) if found.has_origin else None


@dataclass(frozen=True)
class _Values:
    before: Mapping[int, Print] = field(default_factory=dict)
    after: Mapping[int, Print] = field(default_factory=dict)

    @classmethod
    def of(cls, runs: tuple[Recording, Recording] | None) -> _Values:
        return cls() if runs is None else cls(prints(runs[0]), prints(runs[1]))


class _State:
    """The pairs found so far."""

    def __init__(self, before: BoundProgram, after: BoundProgram, values: _Values) -> None:
        self.before, self.after, self.values = before, after, values
        self.said = identities(before), identities(after)
        self.partner: dict[int, int] = {}
        self.taken: set[int] = set()
        self.evidence: dict[int, Evidence] = {}

    def pair(self, one: int, other: int, evidence: Evidence) -> None:
        """Add a pair."""
        self.partner[one] = other
        self.taken.add(other)
        self.evidence[one] = evidence

    def free(self) -> tuple[list[int], list[int]]:
        """The operations of both programs without a partner, in order."""
        return (
            [op for op in self.said[0] if op not in self.partner],
            [op for op in self.said[1] if op not in self.taken],
        )

    @property
    def names_tell(self) -> bool:
        """Whether names are evidence: equal values mostly have equal names.

        Numbers that a printer assigns shift with each line.
        """
        pairs = [(self.said[0][one].name, self.said[1][other].name) for one, other in self.partner.items()]
        return 2 * sum(one == other for one, other in pairs) >= len(pairs)

    # Evidence, strongest first

    def by_originals(self) -> None:
        """Match equal original values of one type, unless both values are known and differ; of tuples, of any part."""
        for index in sorted(
            {at for side in self.said for found in side.values() for at, _ in found.originals}
        ):
            ours, theirs = (
                {
                    op: (original, found.type)
                    for op, found in side.items()
                    if (original := dict(found.originals).get(index))
                    and not self._bound(number, op).op.traits.is_constant
                }
                for number, side in enumerate(self.said)
            )
            for left, right in self._groups(ours, theirs):
                for one in left:
                    other = next((op for op in right if op not in self.taken and self._agree(one, op)), None)
                    if other is not None:
                        self.pair(one, other, "original")

    def _agree(self, one: int, other: int) -> bool:
        """Whether two values are near, or one of them is unknown and the ops are equal."""
        ours, theirs = self.values.before.get(one), self.values.after.get(other)
        if ours is None or theirs is None:
            return _same_op(self.said[0][one], self.said[1][other])
        if ours.bits == theirs.bits or ours.sample is None or theirs.sample is None:
            return ours.bits == theirs.bits
        return bool(_distances(ours.sample[1][None], theirs.sample[1][None])[0, 0] < NEAR)

    def by_values(self) -> None:
        """Match equal bits; among several candidates the most similar, then in order."""
        groups = self._groups(
            {op: found.bits for op, found in self.values.before.items()},
            {op: found.bits for op, found in self.values.after.items()},
        )
        for ours, theirs in groups:
            for alike in (_same_text, _same_op, None):
                self._pair_alike(ours, theirs, "value", alike)

    def by_near_values(self) -> None:
        """Match values within a thousandth, which only rounding separates; equal ops first."""
        groups = self._groups(
            {op: found.sample[0] for op, found in self.values.before.items() if found.sample},
            {op: found.sample[0] for op, found in self.values.after.items() if found.sample},
        )
        for ours, theirs in groups:
            near = _distances(
                self._samples(self.values.before, ours), self._samples(self.values.after, theirs)
            )
            places = np.argwhere(near < NEAR).tolist()
            ranked = [(self._unlike(ours[i], theirs[j]), float(near[i, j]), i, j) for i, j in places]
            for _, _, i, j in sorted(ranked):
                if ours[i] not in self.partner and theirs[j] not in self.taken:
                    self.pair(ours[i], theirs[j], "near")

    def _samples(self, values: Mapping[int, Print], ops: list[int]) -> Array:
        found = [values[op].sample for op in ops]
        return np.stack([sample[1] for sample in found if sample is not None])

    def _unlike(self, one: int, other: int) -> int:
        said, theirs = self.said[0][one], self.said[1][other]
        return 0 if _same_text(said, theirs) else 1 if _same_op(said, theirs) else 2

    def by_elements(self) -> None:
        """Match the same elements in another order or shape, made by the same op."""
        groups = self._groups(
            {op: found.elements for op, found in self.values.before.items()},
            {op: found.elements for op, found in self.values.after.items()},
        )
        for ours, theirs in groups:
            self._pair_alike(ours, theirs, "elements", _same_op)

    def by_key(self, evidence: Evidence, key: Callable[[Identity], Hashable | None]) -> None:
        """Match equal keys, in order among equal ones."""
        ours, theirs = (
            {
                op: found
                for op in free
                if not self._bound(side, op).op.traits.is_constant
                and (found := key(self.said[side][op])) is not None
            }
            for side, free in enumerate(self.free())
        )
        for left, right in self._groups(ours, theirs):
            self._pair_alike(left, right, evidence, None)

    def by_structure(self) -> None:
        """Match equal ops, types and attributes with matched operands, until nothing changes."""
        found = True
        while found:
            ours, theirs = (
                {op: key for op in free if (key := self._shape(side, op)) is not None}
                for side, free in enumerate(self.free())
            )
            groups = list(self._groups(ours, theirs))
            for left, right in groups:
                self._pair_alike(left, right, "structure", None)
            found = bool(groups)

    def by_position(self) -> None:
        """Match a single op of equal kind between two matched neighbours."""
        ours, theirs = (
            {
                op: (self._neighbours(side, op), self._kind(side, op))
                for op in free
                if not self._bound(side, op).op.traits.is_constant
            }
            for side, free in enumerate(self.free())
        )
        for left, right in self._groups(ours, theirs):
            if len(left) == len(right) == 1:
                self.pair(left[0], right[0], "position")

    def matching(self) -> Matching:
        """The final matching."""
        pairs = tuple(
            Pair(one, self.partner[one], self._all_evidence(one))
            for one in self.said[0]
            if one in self.partner
        )
        only_before, only_after = self.free()
        return Matching(pairs, tuple(only_before), tuple(only_after), tuple(self._replaced()))

    def _replaced(self) -> Iterator[tuple[int, int]]:
        """Pair operations without partners that have the same readers, from the results backwards."""
        slots = _slots(self.before), _slots(self.after)
        stand_in: dict[int, int] = {}
        changed = True
        while changed:
            changed = False
            back = {**self._back, **stand_in}
            known = self._places(slots[1], back)
            for op in reversed([op for op in self.free()[0] if op not in stand_in.values()]):
                other = next((known[slot] for slot in slots[0].get(op, ()) if slot in known), None)
                fits = other is not None and self.said[0][op].type == self.said[1][other].type
                if other is not None and fits and other not in stand_in:
                    stand_in[other] = op
                    changed = True
                    yield op, other

    def _places(self, slots: Mapping[int, list[_Slot]], back: Mapping[int, int]) -> dict[_Slot, int]:
        """The unmatched operations of the program after, by the slots that read them.

        Operands of another op mean something else: `x / c` and `x * (1 / c)` are a pair, but not `c` and `1 / c`.
        """
        found = {}
        for op in self.free()[1]:
            for reader, index in slots.get(op, ()):
                if reader < 0:
                    found[reader, index] = op
                elif reader in back and self.said[0][back[reader]].op == self.said[1][reader].op:
                    found[back[reader], index] = op
        return found

    # Helpers

    def _groups(
        self, ours: Mapping[int, Hashable], theirs: Mapping[int, Hashable]
    ) -> Iterable[tuple[list[int], list[int]]]:
        """Group operations without partners of both programs by key."""
        free = [set(side) for side in self.free()]
        found: dict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for side, keys in enumerate((ours, theirs)):
            for op, key in keys.items():
                if op in free[side]:
                    found[key][side].append(op)
        return [group for group in found.values() if group[0] and group[1]]

    def _pair_alike(
        self,
        ours: list[int],
        theirs: list[int],
        evidence: Evidence,
        alike: Callable[[Identity, Identity], bool] | None,
    ) -> None:
        for one in ours:
            if one in self.partner:
                continue
            for other in theirs:
                if other not in self.taken and (
                    alike is None or alike(self.said[0][one], self.said[1][other])
                ):
                    self.pair(one, other, evidence)
                    break

    def _kind(self, side: int, op: int) -> Hashable:
        said = self.said[side][op]
        return said.op, said.type

    def _bound(self, side: int, op: int) -> BoundOperation:
        return (self.before, self.after)[side].ops[op]

    def _shape(self, side: int, op: int) -> Hashable | None:
        """The op, its attributes and its operands; `None` if an operand has no partner."""
        bound = self._bound(side, op)
        operands = tuple(self._operand(side, value) for value in bound.operands)
        if None in operands or bound.regions:
            return None
        return (self._kind(side, op), _attributes(bound), operands)

    def _operand(self, side: int, value: int) -> Hashable | None:
        program = (self.before, self.after)[side]
        made = program.makers[value]
        if made.op is None:
            block = program.blocks[made.block]
            return ("argument", self._opener(side, block.opener), block.region, made.index)
        if side == 0:
            return (made.op, made.index) if made.op in self.partner else None
        back = self._back.get(made.op)
        return None if back is None else (back, made.index)

    def _opener(self, side: int, opener: int | None) -> Hashable:
        if opener is None:
            return "function"
        return opener if side == 0 else self._back.get(opener, -1 - opener)

    @property
    def _back(self) -> Mapping[int, int]:
        if len(self._reversed) != len(self.partner):
            self._reversed = {other: one for one, other in self.partner.items()}
        return self._reversed

    _reversed: Mapping[int, int] = {}

    def _neighbours(self, side: int, op: int) -> Hashable:
        """The nearest matched operations before and after one in its block."""
        program = (self.before, self.after)[side]
        block = program.blocks[self._bound(side, op).block].operations
        place = program.positions[op]
        earlier = (self._known(side, found.id) for found in reversed(block[:place]))
        later = (self._known(side, found.id) for found in block[place + 1 :])
        first = next((found for found in earlier if found is not None), None)
        return first, next((found for found in later if found is not None), None)

    def _known(self, side: int, op: int) -> int | None:
        if side == 0:
            return op if op in self.partner else None
        return self._back.get(op)

    def _all_evidence(self, one: int) -> tuple[Evidence, ...]:
        other = self.partner[one]
        said, theirs = self.said[0][one], self.said[1][other]
        found: set[Evidence] = {self.evidence[one]}
        values = self.values.before.get(one), self.values.after.get(other)
        if values[0] is not None and values[1] is not None:
            found |= {"value"} if values[0].bits == values[1].bits else set()
        if {*said.originals} & {*theirs.originals} and self._agree(one, other):
            found.add("original")
        if _same_text(said, theirs):
            found.add("name")
        if _origin(said) is not None and _origin(said) == _origin(theirs):
            found.add("source")
        shape = self._shape(0, one)
        if shape is not None and shape == self._shape(1, other):
            found.add("structure")
        return tuple(evidence for evidence in STRENGTH if evidence in found)


_Slot = tuple[int, int]
"""A reader and its operand index; -1 is the end of the entry function."""


def _slots(program: BoundProgram) -> dict[int, list[_Slot]]:
    """The slots that read the first result of each operation."""
    found: dict[int, list[_Slot]] = defaultdict(list)
    entry = program.entry
    for bound in program.ops:
        ends = bound.op.traits.is_terminator
        if ends and (entry is None or bound.block != entry.block):
            continue
        for index, value in enumerate(bound.operands):
            made = program.makers[value]
            if made.op is not None:
                found[made.op].append((-1 if ends else bound.id, index))
    return found


def _distances(ours: Array, theirs: Array) -> Array:
    """Pairwise distances of two sets of vectors, relative to the larger norm."""
    squares = [(found**2).sum(axis=1) for found in (ours, theirs)]
    products = multiply_matrices(ours, theirs.T)
    apart = np.maximum(squares[0][:, None] + squares[1] - 2 * products, 0.0)
    return np.asarray(np.sqrt(apart / np.maximum(np.maximum(squares[0][:, None], squares[1]), 1e-300)))


def _same_text(one: Identity, other: Identity) -> bool:
    return (one.name, one.op, one.type) == (other.name, other.op, other.type)


def _same_op(one: Identity, other: Identity) -> bool:
    return one.op == other.op


_SAID_ELSEWHERE = {
    *("metadata", "backend_config", "frontend_attributes", "sharding", "mhlo.sharding"),
    *ORIGINAL_VALUE,
}


def _attributes(bound: BoundOperation) -> Hashable:
    """The attributes that affect the meaning of an operation, as text; for a constant its value."""
    operation = bound.operation
    if bound.op.traits.is_constant and bound.op.outside is None:
        value = bound.op.evaluate()
        return None if isinstance(value, tuple) or is_tuple(value) else print_of(value).bits
    both = {**operation.attributes, **operation.properties}
    return tuple(sorted((name, str(value)) for name, value in both.items() if name not in _SAID_ELSEWHERE))
