"""`while`: what zero or more runs of a body make of its values."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from ..indexing import UNDEFINED, Expression, IndexMap, Interval, Range, Runtime, RuntimeVariable, substitute
from ..program import BoundOperation, BoundProgram
from .bodies import Body, given
from .crossings import identity
from .leaves import Leaf, leaf_shape, leaves
from .sources import Sources, ValueSource, sources_of
from .tidying import simplified
from .unions import Link, Union, behind, everything

MOST_ROUNDS = 8
"""Runs of a body after which links that are still new are enclosed."""
MOST_OF_ONE = 16
"""Maps from one loop value to another, beyond which they are enclosed."""

Links = Mapping[Leaf, tuple[Link, ...]]
Step = Callable[[Leaf], Iterable[Link]]


class LoopLinks:
    """The links of one `while`.

    Loop values are named by the argument leaves of the body. A runtime variable that is the same in each iteration
    stays one; any other becomes a range over all that it can be, since each iteration has its own.
    """

    def __init__(
        self, program: BoundProgram, sources: Sources, bound: BoundOperation, condition: Body, body: Body
    ) -> None:
        self.program, self.sources, self.bound = program, sources, bound
        self.values = leaves(program, body.block.arguments)
        self.operands = dict(zip(self.values, leaves(program, bound.operands), strict=True))
        self.results = dict(zip(self.values, leaves(program, bound.results), strict=True))
        self.given = dict(zip(self.values, leaves(program, given(body.block)), strict=True))
        self.tested = dict(zip(leaves(program, condition.block.arguments), self.values, strict=True))
        (self.predicate,) = leaves(program, given(condition.block))

    def links(self, condition: Links, body: Links, captured: tuple[Leaf, ...], *, inverse: bool) -> Links:
        """From result leaves to operand leaves and captured ones, or from `inverse` the other way.

        `condition` and `body` are the links of the two blocks.
        """
        constant = self._constant(body, inverse)
        named = self._constant_sources(constant)
        once = self._inside(body, named, inverse)
        test = self._inside(condition, named, inverse)
        if inverse:
            return self._forwards(test, once, captured, constant)
        return self._backwards(test, once, constant)

    def _constant(self, body: Links, inverse: bool) -> frozenset[Leaf]:
        """The loop values that every iteration hands on as they are."""
        if not inverse:
            return frozenset(
                value for value in self.values if _is_only(body.get(self.given[value], ()), value)
            )
        ends = {value: [] for value in self.values}  # type: dict[Leaf, list[tuple[Leaf, Link]]]
        owners = {inner: value for value, inner in self.given.items()}
        for start, links in body.items():
            for link in links:
                if link.end in owners:
                    ends[owners[link.end]].append((start, link))
        return frozenset(
            value
            for value, found in ends.items()
            if [start for start, _ in found] == [value] and _is_identity(found[0][1])
        )

    def _constant_sources(self, constant: frozenset[Leaf]) -> dict[int, int]:
        """Sources in the blocks that are one value in all iterations, and their numbers outside."""
        arguments = [(value, value) for value in self.values]
        arguments += list(self.tested.items())
        return {
            self.sources.number(ValueSource(inner)): self.sources.number(ValueSource(self.operands[value]))
            for inner, value in arguments
            if value in constant
        }

    def _inside(self, links: Links, named: dict[int, int], inverse: bool) -> Links:
        """The links of a block between loop values, the predicate and outer values, with lasting symbols only."""
        owners = {inner: value for value, inner in self.given.items()}
        if inverse:
            # What an argument is, the result that the same loop value becomes is named by.
            return {
                self.tested.get(start, start): tuple(
                    self._lasting(link, owners.get(link.end, link.end), named) for link in found
                )
                for start, found in links.items()
            }
        return {
            start: tuple(self._lasting(link, self.tested.get(link.end, link.end), named) for link in found)
            for start, found in links.items()
        }

    def _lasting(self, link: Link, end: Leaf, named: dict[int, int]) -> Link:
        inner_blocks = self._inner_values
        changing = [
            number
            for number, variable in enumerate(link.map.runtimes)
            if not self._lasts({variable.operand} | sources_of(variable.map), named, inner_blocks)
        ]
        index_map = without_runtimes(link.map, changing) if changing else link.map
        place = link.place
        if changing and place is not None:
            place = substitute(place, _as_ranges(link.map, changing))
        return Link(end, simplified(index_map.with_operands(named)), place, link.enclosing or bool(changing))

    @property
    def _inner_values(self) -> frozenset[int]:
        return frozenset(self.bound.regions)

    def _lasts(self, sources: set[int], named: dict[int, int], regions: frozenset[int]) -> bool:
        return all(number in named or not self._is_inside(number, regions) for number in sources)

    def _is_inside(self, number: int, regions: frozenset[int]) -> bool:
        """Whether a source is made anew in each iteration."""
        source = self.sources.source(number)
        program = self.program
        if source.calls:
            block: int | None = program.ops[source.calls[0]].block
        elif source.leaf is not None:
            block = program.makers[source.leaf.value].block
        else:
            assert source.operation is not None
            block = program.ops[source.operation].block
        while block is not None:
            if block in regions:
                return True
            opener = program.blocks[block].opener
            block = None if opener is None else program.ops[opener].block
        return False

    def _backwards(self, test: Links, once: Links, constant: frozenset[Leaf]) -> Links:
        found: dict[Leaf, tuple[Link, ...]] = {}
        for value, result in self.results.items():
            start = identity(self.program, value)
            shape = leaf_shape(self.program, value)
            if start is None:
                continue
            starts = [start]
            if value not in constant:
                # How often the body runs hangs on the condition, and every element on that.
                scalar = Link(self.predicate, UNDEFINED if shape is None else IndexMap.scalar(shape))
                starts += [behind(scalar, link) for link in test.get(self.predicate, ())]
            step = self._step(once, constant)
            closed = closure(self.program, starts, step, frozenset(self.values), shape)
            found[result] = tuple(replace(link, end=self.operands.get(link.end, link.end)) for link in closed)
        return found

    def _step(self, once: Links, constant: frozenset[Leaf]) -> Step:
        """One more iteration before: what the value in it came from."""
        return lambda value: () if value in constant else once.get(self.given[value], ())

    def _forwards(
        self, test: Links, once: Links, captured: tuple[Leaf, ...], constant: frozenset[Leaf]
    ) -> Links:
        unions: dict[Leaf, Union] = {}
        for inner, outer in (*self.operands.items(), *((leaf, leaf) for leaf in captured)):
            start = identity(self.program, inner)
            if start is None:
                continue
            # An operand may be given twice, or be read by the body as well: one union for all.
            union = unions.setdefault(outer, Union())
            reached = self._reached(start, once, constant)
            union.extend(
                replace(link, end=self.results[link.end]) for link in reached if link.end in self.results
            )
            decided = (behind(link, each) for link in (start, *reached) for each in test.get(link.end, ()))
            for link in decided:
                union.extend(self._controlled(link, constant))
        return {outer: tuple(union) for outer, union in unions.items()}

    def _reached(self, start: Link, once: Links, constant: frozenset[Leaf]) -> Union:
        """The loop values that a loop value or an outer value goes into, in this iteration or later."""

        def step(value: Leaf) -> Iterable[Link]:
            return () if value in constant else once.get(value, ())

        starts = [start] if start.end in self.operands else list(once.get(start.end, ()))
        shape = leaf_shape(self.program, start.end)
        return closure(self.program, starts, step, frozenset(self.values), shape)

    def _controlled(self, link: Link, constant: frozenset[Leaf]) -> Iterable[Link]:
        """From what the condition reads to everything that the number of iterations decides."""
        for value, result in self.results.items():
            shape = leaf_shape(self.program, value)
            if value not in constant and identity(self.program, value) is not None:
                index_map = UNDEFINED if shape is None else everything((), shape)
                yield behind(link, Link(result, index_map))


def closure(
    program: BoundProgram,
    starts: Iterable[Link],
    step: Step,
    values: frozenset[Leaf],
    shape: tuple[int, ...] | None,
) -> Union:
    """All that zero or more steps reach. Where that does not end soon, everything: marked as enclosing."""
    reached, enclosed = Union(), set[Leaf]()
    waiting = deque((link, 0) for link in starts)
    while waiting:
        link, round_number = waiting.popleft()
        end = link.end
        if end in enclosed or not reached.add(link):
            continue
        if end not in values:
            continue
        if round_number >= MOST_ROUNDS or len(reached.to(end)) > MOST_OF_ONE:
            target = leaf_shape(program, end)
            whole = UNDEFINED if shape is None or target is None else everything(shape, target)
            link = Link(end, whole, None, True)
            enclosed.add(end)
            reached.enclose(link)
        waiting.extend((behind(link, each), round_number + 1) for each in step(end))
    return reached


def without_runtimes(index_map: IndexMap, numbers: Iterable[int]) -> IndexMap:
    """The map with ranges over all that some runtime variables can be, in their place: it encloses any run's."""
    chosen = sorted(numbers)
    replacements = _as_ranges(index_map, chosen)
    results, constraints = index_map.substituted(replacements)
    ranges = (*index_map.ranges, *(index_map.runtimes[number].interval for number in chosen))
    kept = (
        _widened(variable, len(ranges) - len(index_map.ranges), index_map, ranges)
        for number, variable in enumerate(index_map.runtimes)
        if number not in chosen
    )
    return replace(index_map, results=results, ranges=ranges, runtimes=tuple(kept), constraints=constraints)


def _widened(
    variable: RuntimeVariable, more: int, owner: IndexMap, ranges: tuple[Interval, ...]
) -> RuntimeVariable:
    """A variable whose map has as many ranges as its owner gets the new ones as well."""
    if len(variable.map.ranges) != len(owner.ranges) or not owner.ranges:
        return variable
    return replace(variable, map=replace(variable.map, ranges=ranges))


def _as_ranges(index_map: IndexMap, chosen: Iterable[int]) -> dict[Expression, Expression]:
    gone = sorted(chosen)
    first = len(index_map.ranges)
    found: dict[Expression, Expression] = {
        Runtime(number): Range(first + position) for position, number in enumerate(gone)
    }
    kept = [number for number in range(len(index_map.runtimes)) if number not in gone]
    return found | {Runtime(number): Runtime(position) for position, number in enumerate(kept)}


def _is_only(links: tuple[Link, ...], end: Leaf) -> bool:
    return len(links) == 1 and links[0].end == end and _is_identity(links[0])


def _is_identity(link: Link) -> bool:
    index_map = link.map
    shape = tuple(interval.upper + 1 for interval in index_map.dimensions)
    return not link.enclosing and link.place is None and index_map == IndexMap.identity(shape)
