"""Maps between any two values: through the ops between them, into functions and regions and out of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..indexing import Expression, IndexMap
from ..program import BoundBlock, BoundOperation, BoundProgram
from .chains import Chains
from .crossings import identity
from .leaves import Leaf, leaves_of
from .unions import Link, Union, behind


@dataclass(frozen=True)
class ValueMap:
    """How two leaves of values belong together: the map goes from the indices of `start` to those of `end`.

    The map's runtime variables are read from `Chains.sources`. `place`, `enclosing` and `undecided` are those of `OperandMap`.
    """

    start: Leaf
    end: Leaf
    map: IndexMap
    place: Expression | None = None
    enclosing: bool = False
    undecided: bool = False


def maps_between(
    program: BoundProgram,
    start: int,
    end: int,
    *,
    inverse: bool = False,
    chains: Chains | None = None,
) -> tuple[ValueMap, ...]:
    """Which elements of value `end` go into each element of value `start`, along all ways between them.

    From `inverse`: which elements of `end` each element of `start` goes into. Values are numbers of the program.
    None where nothing leads from one to the other. IndexError if there is no such value.
    """
    return Reach(chains or Chains(program), start, inverse=inverse).to(end)


def maps_to_inputs(
    program: BoundProgram, value: int, *, chains: Chains | None = None
) -> tuple[ValueMap, ...]:
    """Which elements of the arguments of the functions that nothing in the program calls go into a value."""
    return Reach(chains or Chains(program), value).to_inputs()


def maps_of_function(
    program: BoundProgram, name: str, *, inverse: bool = False, chains: Chains | None = None
) -> tuple[ValueMap, ...]:
    """From each result of a function to its arguments; from `inverse` the other way. KeyError if it has no body.

    As it is run from the entry of `chains`; without them as if it were the entry itself.
    """
    function = program.functions[name]
    known = chains or Chains(program, entry=function)
    known.refresh()
    links = known.of_block(function.block, inverse=inverse)
    return tuple(_value_map(start, link) for start, found in links.items() for link in found)


class Reach:
    """All that the elements of one value come from, or from `inverse` go into."""

    def __init__(self, chains: Chains, value: int, *, inverse: bool = False) -> None:
        if not 0 <= value < len(chains.program.values):
            raise IndexError(value)
        chains.refresh()
        self.chains, self.program, self.inverse = chains, chains.program, inverse
        self.starts = leaves_of(chains.program, value)
        self.block = chains.program.makers[value].block
        self._around = {leaf: self._outwards(leaf) for leaf in self.starts}
        self._inside: dict[tuple[Leaf, int], Union] = {}

    def to(self, value: int) -> tuple[ValueMap, ...]:
        """The maps to a value."""
        block = self.program.makers[value].block
        ends = leaves_of(self.program, value)
        return tuple(
            _value_map(start, link)
            for start in self.starts
            for end in ends
            for link in self._reached_in(start, block).to(end)
        )

    def to_inputs(self) -> tuple[ValueMap, ...]:
        """The maps to the arguments of functions that nothing calls."""
        found = []
        for start, unions in self._around.items():
            for block, union in unions.items():
                if self.program.blocks[block].opener is None and block not in self.chains.runners:
                    arguments = set(self.program.blocks[block].arguments)
                    found += [_value_map(start, link) for link in union if link.end.value in arguments]
        return tuple(found)

    def to_results(self) -> tuple[ValueMap, ...]:
        """The maps to what functions give that nothing calls; asks for `inverse`."""
        found = []
        for start, unions in self._around.items():
            for block, union in unions.items():
                if self.program.blocks[block].opener is None and block not in self.chains.runners:
                    gives = set(self.program.blocks[block].operations[-1].operands)
                    found += [_value_map(start, link) for link in union if link.end.value in gives]
        return tuple(found)

    def _outwards(self, start: Leaf) -> Mapping[int, Union]:
        """What is reached in the value's own block, and in those around it, by block."""
        link = identity(self.program, start)
        if link is None:
            return {}
        found: dict[int, Union] = {}
        arriving: dict[int, Union] = {self.block: Union()}
        arriving[self.block].add(link)
        for number in self._outer_blocks():
            block = self.program.blocks[number]
            reached = self.chains.walk(arriving.get(number, Union()), block, inverse=self.inverse)
            found[number] = reached
            for runner in self.chains.runners.get(number, ()):
                outside = arriving.setdefault(runner.block, Union())
                outside.extend(self._left(runner, block, reached))
        return found

    def _outer_blocks(self) -> list[int]:
        """The value's own block and all from which it is run, each before those that run it."""
        order: dict[int, None] = {}
        waiting = [(self.block, False)]
        seen = {self.block}
        while waiting:
            block, is_done = waiting.pop()
            if is_done:
                order[block] = None
                continue
            waiting.append((block, True))
            for runner in self.chains.runners.get(block, ()):
                if runner.block not in seen:
                    seen.add(runner.block)
                    waiting.append((runner.block, False))
        return list(reversed(order))

    def _left(self, runner: BoundOperation, block: BoundBlock, reached: Union) -> Iterable[Link]:
        """What is reached in a block, seen from outside of the op that runs it."""
        leaving = self.chains.leaving(runner, inverse=self.inverse)
        captured = set(self.chains.captured(runner.id))
        for link in reached:
            exits = leaving.get(link.end, ())
            if exits:
                inner = self.chains.seen_from(runner, block, link)
                yield from (behind(inner, each) for each in exits)
            elif not self.inverse and link.end.value in captured:
                yield self.chains.seen_from(runner, block, link)

    def _reached_in(self, start: Leaf, target: int) -> Union:
        """What is reached in any block: where it is none of those around the value, through the ops that run it."""
        around = self._around.get(start, {})
        path = self._path_into(target, around)
        for block in path:
            if block in around or (start, block) in self._inside:
                continue
            arriving = Union()
            for runner in self.chains.runners.get(block, ()):
                outside = around.get(runner.block) or self._inside.get((start, runner.block))
                if outside is not None:
                    arriving.extend(self._entered(runner, outside))
            walked = self.chains.walk(arriving, self.program.blocks[block], inverse=self.inverse)
            self._inside[start, block] = walked
        return around.get(target) or self._inside.get((start, target)) or Union()

    def _entered(self, runner: BoundOperation, outside: Union) -> Iterable[Link]:
        for leaf, entries in self.chains.entering(runner, inverse=self.inverse).items():
            for link in outside.to(leaf):
                yield from (behind(link, each) for each in entries)

    def _path_into(self, target: int, around: Mapping[int, Union]) -> list[int]:
        """The blocks through which a block is run, outer ones first, itself last."""
        order: dict[int, None] = {}
        waiting, seen = [(target, False)], {target}
        while waiting:
            block, is_done = waiting.pop()
            if is_done:
                order[block] = None
                continue
            waiting.append((block, True))
            if block in around:
                continue
            for runner in self.chains.runners.get(block, ()):
                if runner.block not in seen:
                    seen.add(runner.block)
                    waiting.append((runner.block, False))
        return list(order)


def _value_map(start: Leaf, link: Link) -> ValueMap:
    return ValueMap(start, link.end, link.map, link.place, link.enclosing, link.undecided)
