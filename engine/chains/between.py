"""Maps between two values, across the functions and regions that contain them."""

from collections.abc import Iterable
from dataclasses import dataclass

from ..indexing import Expression, IndexMap
from ..program import BoundBlock, BoundOperation, BoundProgram
from .chains import Chains
from .crossings import identity
from .leaves import Leaf, leaves_of
from .unions import Link, Union, compose_links


@dataclass(frozen=True)
class ValueMap:
    """A map from the indices of leaf `start` to those of leaf `end`.

    Runtime variables are read from `Chains.sources`. `place`, `enclosing` and `undecided` are as in
    `OperandMap`.
    """

    start: Leaf
    end: Leaf
    map: IndexMap
    place: Expression | None = None
    enclosing: bool = False
    undecided: bool = False


def maps_between(
    program: BoundProgram, start: int, end: int, *, inverse: bool = False, chains: Chains | None = None
) -> tuple[ValueMap, ...]:
    """Maps from each element of `start` to the elements of `end` that it depends on, along all paths.

    With `inverse`, maps to the elements of `end` that depend on it. Values are numbers of the program. `end`
    belongs to the block of `start` or to one that runs it; with `inverse`, to the block of `start` or to one
    that it runs. There are no maps if no path exists. IndexError if there is no such value.
    """
    return Reach(chains or Chains(program), start, inverse=inverse).to(end)


def maps_of_function(
    program: BoundProgram, name: str, *, inverse: bool = False, chains: Chains | None = None
) -> tuple[ValueMap, ...]:
    """Maps from each result of a function to its arguments, or inverse; KeyError if it has no body.

    The function runs from the entry of `chains`; by default, it is the entry.
    """
    function = program.functions[name]
    known = chains or Chains(program, entry=function)
    known.refresh()
    links = known.block_links(function.block, inverse=inverse)
    return tuple(_value_map(start, link) for start, found in links.items() for link in found)


class Reach:
    """All values that one value depends on, or with `inverse` those that depend on it; see `maps_between`."""

    def __init__(self, chains: Chains, value: int, *, inverse: bool = False) -> None:
        if not 0 <= value < len(chains.program.values):
            raise IndexError(value)
        chains.refresh()
        self.chains, self.program, self.inverse = chains, chains.program, inverse
        self.starts = leaves_of(chains.program, value)
        self.block = chains.program.makers[value].block
        self._links = {leaf: self._links_of(leaf) for leaf in self.starts}

    def to(self, value: int) -> tuple[ValueMap, ...]:
        """The maps to a value; IndexError if there is none of this number."""
        if not 0 <= value < len(self.program.values):
            raise IndexError(value)
        block, ends = self.program.makers[value].block, leaves_of(self.program, value)
        return tuple(
            _value_map(start, link)
            for start, by_block in self._links.items()
            for end in ends
            for link in self._links_in(by_block, block).to(end)
        )

    def _links_of(self, start: Leaf) -> dict[int, Union]:
        """Links reached in the value's block and, unless `inverse`, in enclosing blocks, by block."""
        link = identity(self.program, start)
        if link is None:
            return {}
        arrivals = {self.block: Union()}
        arrivals[self.block].add(link)
        found: dict[int, Union] = {}
        for number in [self.block] if self.inverse else reversed(self._blocks_around(self.block)):
            block = self.program.blocks[number]
            found[number] = self.chains.walk(arrivals.get(number, Union()), block, inverse=self.inverse)
            for runner in () if self.inverse else self.chains.sources.runners.get(number, ()):
                outside = arrivals.setdefault(runner.block, Union())
                outside.extend(self._outwards(runner, block, found[number]))
        return found

    def _links_in(self, found: dict[int, Union], target: int) -> Union:
        """Links reached in a block; with `inverse`, through the ops that run it, cached in `found`."""
        for number in self._blocks_around(target) if self.inverse else ():
            if number not in found:
                arriving = Union()
                for runner in self.chains.sources.runners.get(number, ()):
                    arriving.extend(self._inwards(runner, found.get(runner.block, Union())))
                found[number] = self.chains.walk(arriving, self.program.blocks[number], inverse=True)
        return found.get(target, Union())

    def _blocks_around(self, target: int) -> list[int]:
        """A block and all blocks that run it, callers first."""
        order: dict[int, None] = {}
        waiting, seen = [(target, False)], {target}
        while waiting:
            block, is_done = waiting.pop()
            if is_done:
                order[block] = None
                continue
            waiting.append((block, True))
            for runner in self.chains.sources.runners.get(block, ()):
                if runner.block not in seen:
                    seen.add(runner.block)
                    waiting.append((runner.block, False))
        return list(order)

    def _outwards(self, runner: BoundOperation, block: BoundBlock, reached: Union) -> Iterable[Link]:
        """Continue links from a block to the values around the op that runs it."""
        exits, captured = self.chains.exits(runner), set(self.chains.captured_values(runner.id))
        for link in reached:
            inner = self.chains.outside_view(runner, block, link)
            yield from (compose_links(inner, each) for each in exits.get(link.end, ()))
            if link.end.value in captured:
                yield inner

    def _inwards(self, runner: BoundOperation, reached: Union) -> Iterable[Link]:
        """Continue links from around an op to the values in the blocks that it runs."""
        for leaf, entries in self.chains.entries(runner).items():
            for link in reached.to(leaf):
                yield from (compose_links(link, each) for each in entries)


def _value_map(start: Leaf, link: Link) -> ValueMap:
    return ValueMap(start, link.end, link.map, link.place, link.enclosing, link.undecided)
