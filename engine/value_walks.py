"""Walks back from a value to the values it is computed from, through regions and calls."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property

from .ir.types import TokenType, leaf_paths, leaf_types
from .ops.control_flow.control_flow import BODY, While
from .ops.core.bases import Selecting
from .program import BoundOperation, BoundProgram, Maker

Leaf = tuple[int, tuple[int, ...]]
"""A value of the program by its number, or what is in its tuples at a path."""


def ops_behind(program: BoundProgram, value: int) -> frozenset[int]:
    """The ops that a value is computed by, up to those that mix bits."""
    walk = program.derive(Walk)
    return frozenset(walk.makers_of(walk.reached((value,))))


def dependents(program: BoundProgram, ops: Iterable[int]) -> Set[Leaf]:
    """All that depends on some ops in any way, their results included."""
    walk = program.derive(WholeWalk)
    waiting = [*walk.results_of(ops)]
    seen = set(waiting)
    while waiting:
        fresh = [leaf for leaf in walk.readers.get(waiting.pop(), ()) if leaf not in seen]
        seen.update(fresh)
        waiting += fresh
    return seen


def moved_from(program: BoundProgram, value: int) -> frozenset[int]:
    """The ops that a value comes from through ops that move or convert elements, and these ops."""
    walk = program.derive(MovingWalk)
    return frozenset(walk.makers_of(walk.reached((value,))))


def only_moved(program: BoundProgram, value: int) -> bool:
    """Whether all ops of `moved_from` move elements: the value has those of constants and inputs."""
    walk = program.derive(MovingWalk)
    makers = (program.makers[leaf].op for leaf, _ in walk.walk((value,)))
    return all(op is None or program.ops[op].op.findings.moves_elements for op in makers)


def is_given(program: BoundProgram, value: int) -> bool:
    """Whether a value depends on anything but constants of the program."""
    walk = program.derive(Walk)
    leaves = walk.reached((value,))
    ops = [program.ops[op].op for op in walk.makers_of(leaves)]
    if any(op.findings.mixes_bits(op) or op.outside is not None for op in ops):
        return True
    return any(program.makers[leaf].op is None and walk.is_outermost(leaf) for leaf, _ in leaves)


class Walk:
    """From values back to everything that they are computed from, until an op mixes bits."""

    def __init__(self, program: BoundProgram) -> None:
        self._program = program
        self._openers: dict[int, list[tuple[BoundOperation, int]]] = defaultdict(list)
        """The ops that run each block, each with the number of its region."""
        for bound in program.ops:
            for number, block in enumerate(self._blocks(bound)):
                self._openers[block].append((bound, number))

    def makers_of(self, leaves: Iterable[Leaf]) -> set[int]:
        """The ops that make some values."""
        makers = (self._program.makers[value].op for value, _ in leaves)
        return {op for op in makers if op is not None}

    def is_outermost(self, value: int) -> bool:
        """Whether an argument of a block is one of the whole program: no op runs the block."""
        return not self._openers[self._program.makers[value].block]

    def reached(self, values: Iterable[int]) -> set[Leaf]:
        """All values that `values` are computed from, with these."""
        return set(self.walk(values))

    def walk(self, values: Iterable[int]) -> Iterator[Leaf]:
        """The values of `reached` one by one, for those who need not go to the end."""
        waiting = [leaf for value in values for leaf in self._leaves(value)]
        seen = set(waiting)
        yield from seen
        while waiting:
            for leaf in self._sources(*waiting.pop()):
                if leaf not in seen:
                    seen.add(leaf)
                    waiting.append(leaf)
                    yield leaf

    def decisions(self) -> Iterator[int]:
        """The values that decide where something is, how much there is or what runs."""
        for bound in self._program.ops:
            yield from (bound.operands[number] for number in bound.op.findings.deciding_operands(bound.op))
            for number in bound.op.findings.deciding_regions:
                yield from self._returned(bound.regions[number])

    def _ends_at(self, bound: BoundOperation) -> bool:
        """Whether the results of an op have no more to do with its operands, as numbers."""
        return bound.op.findings.mixes_bits(bound.op)

    def goes_through(self, bound: BoundOperation) -> bool:
        """Whether the walk continues from the results of an op to what they are computed from."""
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
        yield from ((value, path) for path in leaf_paths(self._program.values[value].type))

    def _sources(self, value: int, path: tuple[int, ...]) -> Iterator[Leaf]:
        """The values that one value is computed from directly."""
        maker = self._program.makers[value]
        if maker.op is None:
            for bound, region in self._openers[maker.block]:
                yield from self._argument_sources(bound, region, maker.index, path)
            return
        bound = self._program.ops[maker.op]
        if self._ends_at(bound):
            return
        forwarded = bound.op.explanation.forwarded_operand(bound.op, maker.index, path)
        if forwarded is not None:
            yield bound.operands[forwarded[0]], forwarded[1]
        elif bound.op.explanation.passes_values:
            yield from self._result_sources(bound, maker, path)
        elif self.goes_through(bound):
            yield from (leaf for operand in bound.operands for leaf in self._leaves(operand))
            for block in self._blocks(bound):
                yield from (leaf for returned in self._returned(block) for leaf in self._leaves(returned))

    def _argument_sources(
        self, bound: BoundOperation, region: int, argument: int, path: tuple[int, ...]
    ) -> Iterator[Leaf]:
        """The values that an argument of a block takes, which an op runs."""
        if not bound.op.explanation.passes_values:
            yield from (leaf for operand in bound.operands for leaf in self._leaves(operand))
            return
        operand, inner = bound.op.explanation.argument_part(bound.op, region, argument, path)
        if operand < len(bound.operands):
            yield bound.operands[operand], inner
        if isinstance(bound.op, While):
            yield self._returned(bound.regions[BODY])[argument], path

    def _result_sources(self, bound: BoundOperation, maker: Maker, path: tuple[int, ...]) -> Iterator[Leaf]:
        """The values that a result takes, which blocks of the op return."""
        part = bound.op.explanation.returned_part(bound.op, maker.index, path)
        if isinstance(bound.op, While):
            yield bound.operands[maker.index], path
            yield self._returned(bound.regions[BODY])[maker.index], path
        elif part is not None:
            for block in self._blocks(bound):
                returned = self._returned(block)
                if part[0] < len(returned):
                    yield returned[part[0]], part[1]


class WholeWalk(Walk):
    """To everything that a value depends on: through ops that mix bits, and to what decides, too.

    A transfer may bring what any other one sends.
    """

    @cached_property
    def readers(self) -> Mapping[Leaf, Sequence[Leaf]]:
        """What is computed from each value directly."""
        found: dict[Leaf, list[Leaf]] = defaultdict(list)
        for value in range(len(self._program.values)):
            for leaf in self._leaves(value):
                for source in self._sources(*leaf):
                    found[source].append(leaf)
        return found

    def results_of(self, ops: Iterable[int]) -> Iterator[Leaf]:
        """The results of some ops."""
        for op in ops:
            for value in self._program.ops[op].results:
                yield from self._leaves(value)

    def _ends_at(self, bound: BoundOperation) -> bool:
        return False

    def _sources(self, value: int, path: tuple[int, ...]) -> Iterator[Leaf]:
        yield from super()._sources(value, path)
        op = self._program.makers[value].op
        if op is None:
            return
        bound = self._program.ops[op]
        findings = bound.op.findings
        sources = [bound.operands[number] for number in findings.deciding_operands(bound.op)]
        for number in findings.deciding_regions:
            sources += self._returned(bound.regions[number])
        if op in self._transfers:
            sources += [operand for other in self._transfers for operand in self._program.ops[other].operands]
        yield from (leaf for source in sources for leaf in self._leaves(source))

    @cached_property
    def _transfers(self) -> frozenset[int]:
        """The ops that give tokens."""
        types = self._program.values
        return frozenset(
            bound.id
            for bound in self._program.ops
            if any(
                isinstance(leaf, TokenType)
                for value in bound.results
                for leaf in leaf_types(types[value].type)
            )
        )


class MovingWalk(Walk):
    """Through ops that move or convert elements, no others."""

    def goes_through(self, bound: BoundOperation) -> bool:
        return bound.op.findings.moves_elements or bound.op.findings.converts


class ChoosingWalk(MovingWalk):
    """Through ops that choose between elements, too."""

    def goes_through(self, bound: BoundOperation) -> bool:
        return super().goes_through(bound) or isinstance(bound.op, Selecting)


class ArithmeticWalk(Walk):
    """Through elementwise ops that wrap around, and shifts to the left, too."""

    def _ends_at(self, bound: BoundOperation) -> bool:
        return super()._ends_at(bound) and not bound.op.findings.shifts_left

    def goes_through(self, bound: BoundOperation) -> bool:
        wraps = (
            bound.op.traits.is_elementwise and bound.op.findings.may_wrap(bound.op)
        ) or bound.op.findings.shifts_left
        return wraps or bound.op.findings.moves_elements or bound.op.findings.converts


class DirectWalk(Walk):
    """Up to ops that take a remainder."""

    def _ends_at(self, bound: BoundOperation) -> bool:
        return super()._ends_at(bound) or bound.op.findings.takes_remainder
