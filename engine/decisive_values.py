"""The values of a program that say where something lies, how much there is or what runs, and what these are computed from.

Integer arithmetic wraps around by design where bits are mixed, in hashes and random numbers; in an index it is a fault.
So ops are asked for it whose results go on to a decision, by no op that mixes bits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import ClassVar

from .hashes import hash_ops
from .ir.types import Type, leaf_paths
from .ops.control_flow.control_flow import BODY, While
from .ops.core.faults import Watch
from .program import BoundOperation, BoundProgram, Maker

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
    made = walk.makers_of(walk.reached(walk.decisions()))
    return frozenset(candidates & made - hash_ops(program))


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

    moves_only: ClassVar[bool] = False
    """Whether it goes by what moves or converts elements alone."""

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
        if bound.op.mixes_bits:
            return
        forwarded = bound.op.forwarded_operand(maker.index, path)
        if forwarded is not None:
            yield bound.operands[forwarded[0]], forwarded[1]
        elif bound.op.passes_values:
            yield from self._passed(bound, maker, path)
        elif bound.op.moves_elements or bound.op.converts or not self.moves_only:
            yield from (leaf for operand in bound.operands for leaf in self._leaves(operand))
            for block in self._blocks(bound):
                yield from (leaf for returned in self._returned(block) for leaf in self._leaves(returned))

    def _given(
        self, bound: BoundOperation, region: int, argument: int, path: tuple[int, ...]
    ) -> Iterator[Leaf]:
        """What an argument of a block is that an op runs."""
        if not bound.op.passes_values:
            yield from (leaf for operand in bound.operands for leaf in self._leaves(operand))
            return
        operand, inner = bound.op.argument_part(region, argument, path)
        if operand < len(bound.operands):
            yield bound.operands[operand], inner
        if isinstance(bound.op, While):
            yield self._returned(bound.regions[BODY])[argument], path

    def _passed(self, bound: BoundOperation, maker: Maker, path: tuple[int, ...]) -> Iterator[Leaf]:
        """What a result is that blocks of the op return."""
        part = bound.op.returned_part(maker.index, path)
        if isinstance(bound.op, While):
            yield bound.operands[maker.index], path
            yield self._returned(bound.regions[BODY])[maker.index], path
        elif part is not None:
            for block in self._blocks(bound):
                returned = self._returned(block)
                if part[0] < len(returned):
                    yield returned[part[0]], part[1]


class _MovingWalk(_Walk):
    moves_only = True
