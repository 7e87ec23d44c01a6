"""The values of a program that say where something lies, how much there is or what runs, and what these are computed from.

Integer arithmetic wraps around by design where bits are mixed, in hashes and random numbers; in an index it is a fault.
So ops are asked for it whose results go on to a decision, by no op that mixes bits, and not as a hash of which a remainder is taken.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from .hashes import LEAST_BITS, hash_ops
from .ir.element_types import I1
from .ir.types import TensorType, Type, leaf_paths
from .ops.control_flow.control_flow import BODY, While
from .ops.core.bases import Selecting
from .ops.core.faults import Watch
from .program import BoundOperation, BoundProgram, Maker

_LEAST_REPEATED = 2
"""Multiplications by the same number before one, for it to be part of a hash outside of a loop."""
_MOST_ELEMENTS = 1 << 12
"""Of a constant that is looked at."""
Leaf = tuple[int, tuple[int, ...]]
"""A value of the program by its number, or what is in its tuples at a path."""


def asked_ops(program: BoundProgram) -> frozenset[int]:
    """The ops that are asked for their faults after each step."""
    always = {bound.id for bound in program.ops if bound.watch is Watch.ALWAYS}
    return frozenset(always | program.derive(decisive_ops))


def decisive_ops(program: BoundProgram) -> frozenset[int]:
    """The ops whose integers may wrap around, and whose results are decisive."""
    candidates = {bound.id for bound in program.ops if bound.op.may_wrap}
    if not candidates:
        return frozenset()
    walk = program.derive(_Walk)
    found = candidates & walk.makers_of(walk.reached(walk.decisions())) - hash_ops(program)
    return frozenset(found - _brought_hashes(program, found))


def _brought_hashes(program: BoundProgram, ops: set[int]) -> set[int]:
    """Those of some ops that compute a hash of which a remainder is taken.

    It is multiplied by the same number in each round of a loop, or several times in a row, as `h * 31 + c` or
    `(h << 5) + h + c`; or by a number that is not less than the divisor. A place is not: of a stride only what is below
    the divisor would count. What goes on to a decision in another way too, or is brought into range in each round, is no hash.
    """
    ends = [bound for bound in program.ops if bound.op.brings_into_range and not bound.op.mixes_bits]
    if not ends:
        return set()
    products = {
        op: factor
        for op in ops
        if program.ops[op].op.multiplies and (factor := _stated_factor(program, program.ops[op])) is not None
    }
    hashes = _repeated(program, products) | _beyond_divisors(program, products, ends)
    if not hashes:
        return set()
    walk, direct = program.derive(_ArithmeticWalk), program.derive(_DirectWalk)
    to_decisions = direct.makers_of(direct.reached(direct.decisions()))
    return {
        op
        for op in ops - to_decisions
        if op in hashes or not hashes.isdisjoint(walk.makers_of(walk.reached(program.ops[op].operands)))
    }


def _repeated(program: BoundProgram, products: Mapping[int, int]) -> set[int]:
    """The products, with their factors, and shifts that are made again and again of what they have made."""
    walk = program.derive(_ArithmeticWalk)

    def behind(op: int) -> set[int]:
        return walk.makers_of(walk.reached(program.ops[op].operands))

    found = {bound.id for bound in program.ops if bound.op.shifts_up and bound.id in behind(bound.id)}
    for op, factor in products.items():
        row = {other for other in behind(op) if products.get(other) == factor}
        if op in row or len(row) >= _LEAST_REPEATED:
            found |= {op, *row}
    return found


def _beyond_divisors(
    program: BoundProgram, products: Mapping[int, int], ends: Sequence[BoundOperation]
) -> set[int]:
    """The products by a number that is not less than that of each remainder which is taken of them."""
    walk = program.derive(_ArithmeticWalk)
    divided = [
        (walk.makers_of(walk.reached(end.operands[:1])), _stated_numbers(program, end.operands[1]))
        for end in ends
    ]
    found = set[int]()
    for op, factor in products.items():
        divisors = [numbers for dividend, numbers in divided if op in dividend]
        if divisors and all(numbers and 0 < max(numbers) <= abs(factor) for numbers in divisors):
            found.add(op)
    return found


def _stated_factor(program: BoundProgram, bound: BoundOperation) -> int | None:
    """The number by which an op multiplies all elements; `None` if it is no constant."""
    stated = (_stated_numbers(program, value) for value in bound.operands)
    return next((number for numbers in stated if len(numbers) == 1 for number in numbers), None)


def _stated_numbers(program: BoundProgram, value: int) -> set[int]:
    """The numbers, of 32 bits or more, one of which a value is everywhere, by constants of the program; empty if it is none.

    A `select` that keeps a divisor from being 0 is between two of them.
    """
    walk = program.derive(_ChoosingWalk)
    leaves = walk.reached((value,))
    if any(program.makers[leaf].op is None and walk.is_outermost(leaf) for leaf, _ in leaves):
        return set()
    numbers = set[int]()
    for bound in map(program.ops.__getitem__, walk.makers_of(leaves)):
        if bound.op.traits.is_constant and not bound.operands and not bound.op.outside:
            number = _number_everywhere(bound)
            if number is None:
                return set()
            numbers.add(number)
        elif not (walk.goes_through(bound) or bound.op.explanation.passes_values or _decides(program, bound)):
            return set()
    return numbers


def _decides(program: BoundProgram, bound: BoundOperation) -> bool:
    """Whether an op makes booleans, which say at most which number is taken."""
    types = [program.values[result].type for result in bound.results]
    return all(isinstance(found, TensorType) and found.element_type == I1 for found in types)


def _number_everywhere(bound: BoundOperation) -> int | None:
    constant = bound.op.evaluate()
    assert not isinstance(constant, tuple), "a constant has one result"
    if not constant.size or constant.dtype.kind not in "iu" or constant.itemsize * 8 < LEAST_BITS:
        return None
    # What is the same everywhere takes up one element, be it ever so large.
    if any(constant.strides) and (constant.size > _MOST_ELEMENTS or (constant != constant.flat[0]).any()):
        return None
    return int(constant.flat[0])


def ops_behind(program: BoundProgram, value: int) -> frozenset[int]:
    """The ops that a value is computed by, up to those that mix bits."""
    walk = program.derive(_Walk)
    return frozenset(walk.makers_of(walk.reached((value,))))


def moved_from(program: BoundProgram, value: int) -> frozenset[int]:
    """The ops that a value comes from by being moved or converted alone, those that do so among them."""
    walk = program.derive(_MovingWalk)
    return frozenset(walk.makers_of(walk.reached((value,))))


def is_given(program: BoundProgram, value: int) -> bool:
    """Whether a value depends on anything but constants of the program."""
    walk = program.derive(_Walk)
    found = walk.reached((value,))
    ops = [program.ops[op] for op in walk.makers_of(found)]
    if any(bound.op.mixes_bits or bound.op.outside is not None for bound in ops):
        return True
    return any(program.makers[leaf].op is None and walk.is_outermost(leaf) for leaf, _ in found)


class _Walk:
    """From decisions back to everything that they are computed from."""

    def __init__(self, program: BoundProgram) -> None:
        self._program = program
        self._openers: dict[int, list[tuple[BoundOperation, int]]] = defaultdict(list)
        """Who runs each block, and as which of its regions."""
        for bound in program.ops:
            for number, block in enumerate(self._blocks(bound)):
                self._openers[block].append((bound, number))

    def makers_of(self, leaves: Iterable[Leaf]) -> set[int]:
        """The ops that make values."""
        made = (self._program.makers[value].op for value, _ in leaves)
        return {op for op in made if op is not None}

    def is_outermost(self, value: int) -> bool:
        """Whether an argument of a block is one of the whole program: nothing in it runs the block."""
        return not self._openers[self._program.makers[value].block]

    def reached(self, values: Iterable[int]) -> set[Leaf]:
        """All that values are computed from, themselves among them."""
        waiting = [leaf for value in values for leaf in self._leaves(value)]
        seen = set(waiting)
        while waiting:
            for leaf in self._sources(*waiting.pop()):
                if leaf not in seen:
                    seen.add(leaf)
                    waiting.append(leaf)
        return seen

    def decisions(self) -> Iterator[int]:
        """What says where something lies, how much there is or what runs."""
        for bound in self._program.ops:
            yield from (bound.operands[number] for number in bound.op.deciding_operands())
            for number in bound.op.deciding_regions:
                yield from self._returned(bound.regions[number])

    def _ends_at(self, bound: BoundOperation) -> bool:
        """Whether what an op is given has nothing to do any more with what it makes, as a number."""
        return bound.op.mixes_bits

    def goes_through(self, bound: BoundOperation) -> bool:
        """Whether it goes on from what an op makes to what that is computed from."""
        return True

    def _blocks(self, bound: BoundOperation) -> Iterator[int]:
        yield from bound.regions
        caller = self._program.blocks[bound.block]
        for callee in () if bound.op.outside else bound.op.callees():
            yield self._program.find_callee(caller, callee.name).block

    def _returned(self, block: int) -> tuple[int, ...]:
        operations = self._program.blocks[block].operations
        return operations[-1].operands if operations else ()

    def _leaves(self, value: int) -> Iterator[Leaf]:
        found: Type = self._program.values[value].type
        yield from ((value, path) for path in leaf_paths(found))

    def _sources(self, value: int, path: tuple[int, ...]) -> Iterator[Leaf]:
        """What a value is computed from, unless that mixes bits."""
        maker = self._program.makers[value]
        if maker.op is None:
            for bound, region in self._openers[maker.block]:
                yield from self._given(bound, region, maker.index, path)
            return
        bound = self._program.ops[maker.op]
        if self._ends_at(bound):
            return
        forwarded = bound.op.explanation.forwarded_operand(bound.op, maker.index, path)
        if forwarded is not None:
            yield bound.operands[forwarded[0]], forwarded[1]
        elif bound.op.explanation.passes_values:
            yield from self._passed(bound, maker, path)
        elif self.goes_through(bound):
            yield from (leaf for operand in bound.operands for leaf in self._leaves(operand))
            for block in self._blocks(bound):
                yield from (leaf for returned in self._returned(block) for leaf in self._leaves(returned))

    def _given(
        self, bound: BoundOperation, region: int, argument: int, path: tuple[int, ...]
    ) -> Iterator[Leaf]:
        """What an argument of a block is that an op runs."""
        if not bound.op.explanation.passes_values:
            yield from (leaf for operand in bound.operands for leaf in self._leaves(operand))
            return
        operand, inner = bound.op.explanation.argument_part(bound.op, region, argument, path)
        if operand < len(bound.operands):
            yield bound.operands[operand], inner
        if isinstance(bound.op, While):
            yield self._returned(bound.regions[BODY])[argument], path

    def _passed(self, bound: BoundOperation, maker: Maker, path: tuple[int, ...]) -> Iterator[Leaf]:
        """What a result is that blocks of the op return."""
        part = bound.op.explanation.returned_part(bound.op, maker.index, path)
        if isinstance(bound.op, While):
            yield bound.operands[maker.index], path
            yield self._returned(bound.regions[BODY])[maker.index], path
        elif part is not None:
            for block in self._blocks(bound):
                returned = self._returned(block)
                if part[0] < len(returned):
                    yield returned[part[0]], part[1]


class _MovingWalk(_Walk):
    """By what moves or converts elements alone."""

    def goes_through(self, bound: BoundOperation) -> bool:
        return bound.op.moves_elements or bound.op.converts


class _ChoosingWalk(_MovingWalk):
    """By what chooses between elements, too."""

    def goes_through(self, bound: BoundOperation) -> bool:
        return super().goes_through(bound) or isinstance(bound.op, Selecting)


class _ArithmeticWalk(_Walk):
    """By what computes modulo the size of a type, element by element, too."""

    def _ends_at(self, bound: BoundOperation) -> bool:
        return super()._ends_at(bound) and not bound.op.shifts_up

    def goes_through(self, bound: BoundOperation) -> bool:
        wraps = (bound.op.traits.is_elementwise and bound.op.may_wrap) or bound.op.shifts_up
        return wraps or bound.op.moves_elements or bound.op.converts


class _DirectWalk(_Walk):
    """Up to where numbers are brought into a range."""

    def _ends_at(self, bound: BoundOperation) -> bool:
        return super()._ends_at(bound) or bound.op.brings_into_range
