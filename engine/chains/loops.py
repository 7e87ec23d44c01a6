"""`while`: what zero or more runs of a body make of its values."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from ..indexing import UNDEFINED, IndexMap, Interval, substitute
from ..program import BoundOperation, BoundProgram
from .bodies import Body, given
from .counters import Counted, counted
from .crossings import identity
from .enclosing import as_ranges, without_runtimes
from .handed_on import unchanged
from .iterations import Iterations, started
from .joining import joined
from .leaves import Leaf, leaf_shape, leaves
from .moments import timed
from .repeated import NotClosed
from .rounds import FIRST, Links, Reached, Rounds, Start
from .sources import Sources, ValueSource, sources_of
from .unions import Link, Union, behind, everything, tidied, undecided_but

MOST_ROUNDS = 8
"""Runs of a body after which links that are still new are enclosed."""
MOST_OF_ONE = 16
"""Maps from one loop value to another, beyond which they are enclosed."""

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
        self.owners: dict[Leaf, list[Leaf]] = {}
        """The loop values that each leaf that the body gives becomes: it may give one twice."""
        for value, inner in self.given.items():
            self.owners.setdefault(inner, []).append(value)
        (self.predicate,) = leaves(program, given(condition.block))

    def links(self, condition: Links, body: Links, captured: tuple[Leaf, ...], *, inverse: bool) -> Links:
        """From result leaves to operand leaves and captured ones, or from `inverse` the other way.

        `condition` and `body` are the links of the two blocks.
        """
        rounds = self._rounds(condition, body, inverse)
        found = self._forwards(rounds, captured) if inverse else self._backwards(rounds)
        return {start: joined(links) for start, links in found.items()} if rounds.counts else found

    def leaving(self, condition: Links, body: Links, *, inverse: bool) -> Links:
        """From the arguments of both blocks to operand leaves and captured ones, through the iterations before.

        From `inverse`: from what both blocks give to result leaves, through the iterations after.
        """
        rounds = self._rounds(condition, body, inverse)
        found: dict[Leaf, tuple[Link, ...]] = {}
        if not inverse:
            in_body = [(value, value, rounds.trips - 1) for value in self.values]
            tested = [(inner, value, rounds.trips) for inner, value in self.tested.items()]
            for inner, value, last in (*in_body, *tested):
                start = identity(self.program, value)
                if start is not None:
                    starts = [(start, Interval(0, last))]
                    closed = self._closed(starts, rounds, leaf_shape(self.program, value))
                    told = self._told_apart(value, closed.at(FIRST), rounds)
                    found[inner] = tuple(self._at_operands(told))
            return found
        for given_leaf, values in self.owners.items():
            union = Union()
            for value in values:
                start = identity(self.program, value)
                after = Interval(1, rounds.trips)
                union.extend(self._at_results(start, rounds, after) if start is not None else ())
            found[given_leaf] = tuple(union)
        decision = identity(self.program, self.predicate)
        if decision is not None:
            decided = Union()
            decided.extend(self._controlled(decision, rounds.constant))
            found[self.predicate] = tuple(decided)
        return found

    def entering(self, condition: Links, body: Links, captured: tuple[Leaf, ...], *, inverse: bool) -> Links:
        """From result leaves to what both blocks give and to their arguments, in any iteration.

        From `inverse`: from operand leaves and captured ones to the arguments of both blocks, and themselves.
        """
        rounds = self._rounds(condition, body, inverse)
        found: dict[Leaf, Union] = {}
        if not inverse:
            for value, result in self.results.items():
                union = found.setdefault(result, Union())
                starts = self._starts(value, rounds, within=True)
                closed = self._closed(starts, rounds, leaf_shape(self.program, value))
                for link in closed.at(None):
                    union.extend(self._inner_ends(link))
                for link in closed.at(Interval(1, rounds.trips)):
                    if link.end in self.given and link.end not in rounds.constant:
                        union.add(replace(link, end=self.given[link.end]))
        else:
            for inner, outer in (*self.operands.items(), *((leaf, leaf) for leaf in captured)):
                start = identity(self.program, inner)
                if start is not None:
                    union = found.setdefault(outer, Union())
                    union.add(start)
                    for link in self._reached(start, rounds, FIRST).at(None):
                        union.extend(self._inner_ends(link))
        return {start: tuple(union) for start, union in found.items()}

    def _inner_ends(self, link: Link) -> Iterable[Link]:
        """A link to a loop value, to what it is called in each of the blocks."""
        yield link
        yield from (replace(link, end=inner) for inner, value in self.tested.items() if value == link.end)

    def _rounds(self, condition: Links, body: Links, inverse: bool) -> Rounds:
        constant = unchanged(self.program, self.bound)
        named = self._constant_sources(constant)
        test, once = self._inside(condition, named, inverse), self._inside(body, named, inverse)
        found = counted(self.sources, self.bound)
        if found is None:
            return Rounds(test, once, constant, inverse)
        iterations = None
        with suppress(NotClosed):
            links = self._timed_links(found, body, constant, named, inverse)
            changing = (value for value in self.values if value not in constant)
            shapes = {value: leaf_shape(self.program, value) or () for value in changing}
            iterations = Iterations(links, shapes, found.trips, inverse)
        return Rounds(test, once, constant, inverse, found.trips, iterations, counts=True)

    def _timed_links(
        self, found: Counted, body: Links, constant: frozenset[Leaf], named: dict[int, int], inverse: bool
    ) -> Mapping[Leaf, list[Link]]:
        """The links of an iteration with the moments before it and after it. Raises NotClosed."""
        links: dict[Leaf, list[Link]] = {}
        for start, end, link in self._between_values(body, inverse):
            if inverse and end in constant:
                continue
            changes = end in self.given and end not in constant
            each = timed(self.sources, found, link, changes=changes, inverse=inverse)
            links.setdefault(start, []).append(self._lasting(each, end, named))
        return links

    def _between_values(self, body: Links, inverse: bool) -> Iterator[tuple[Leaf, Leaf, Link]]:
        """The links of the body by the loop values that they lead from and to, and values around the loop."""
        if inverse:
            for start, found in body.items():
                for link in found:
                    yield from ((start, end, link) for end in self.owners.get(link.end, ()))
            return
        for value in self.values:
            yield from ((value, link.end, link) for link in body.get(self.given[value], ()))

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
        if inverse:
            # What an argument is, the result that the same loop value becomes is named by.
            return {
                self.tested.get(start, start): tuple(
                    self._lasting(link, end, named)
                    for link in found
                    for end in self.owners.get(link.end, (link.end,))
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
        encloses = any(not link.map.runtimes[number].interval.is_point for number in changing)
        index_map = without_runtimes(link.map, changing) if changing else link.map
        place = link.place
        if changing and place is not None:
            place = substitute(place, as_ranges(link.map, changing))
        found = tidied(end, index_map.with_operands(named), place, link.enclosing or encloses)
        return replace(found, undecided=link.undecided)

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

    def _backwards(self, rounds: Rounds) -> Links:
        found: dict[Leaf, tuple[Link, ...]] = {}
        for value, result in self.results.items():
            starts = self._starts(value, rounds)
            decided = [link for link, _ in starts[1:]]
            closed = self._closed(starts, rounds, leaf_shape(self.program, value))
            reached = closed.at(FIRST)
            found[result] = tuple(self._at_operands(self._told_apart(value, reached, rounds, decided)))
        return found

    def _told_apart(
        self, value: Leaf, reached: Iterable[Link], rounds: Rounds, decided: Iterable[Link] = ()
    ) -> Iterable[Link]:
        """What is reached from a loop value, or from its result: undecided where it takes iterations of unknown number.

        `decided`: what the condition reads when it is first asked, which it is in any run.
        """
        if rounds.counts:
            return reached
        start = identity(self.program, value)
        keeps = start is not None and (value in rounds.constant or self._keeps(start, rounds))
        return undecided_but(reached, [*decided, *([start] if keeps and start is not None else [])])

    def _keeps(self, start: Link, rounds: Rounds) -> bool:
        """Whether each element goes into itself in each iteration, so that their number makes no difference."""
        onward = rounds.once.get(start.end if rounds.inverse else self.given[start.end], ())
        return any(link.end == start.end and link.map == start.map and not link.undecided for link in onward)

    def _starts(self, value: Leaf, rounds: Rounds, *, within: bool = False) -> list[Start]:
        """What the result of a loop value begins with: itself, and the condition, on which each element hangs.

        How often the body runs decides every element, unless every run hands the value on. `within` asks for the
        condition's predicate itself as well.
        """
        start = identity(self.program, value)
        if start is None:
            return []
        if value in rounds.constant:
            return [(start, rounds.last)]
        shape = leaf_shape(self.program, value)
        scalar = Link(self.predicate, UNDEFINED if shape is None else IndexMap.scalar(shape))
        decided = [behind(scalar, link) for link in rounds.test.get(self.predicate, ())]
        whenever = Interval(0, rounds.trips)
        others = [*([scalar] if within else []), *decided]
        return [(start, rounds.last), *((link, whenever) for link in others)]

    def _closed(self, starts: Iterable[Start], rounds: Rounds, shape: tuple[int, ...] | None) -> Reached:
        begun = list(starts)
        if rounds.iterations is not None:
            with suppress(NotClosed):
                return Reached(_timed(begun, rounds.iterations), rounds.iterations.values)

        def step(value: Leaf) -> Iterable[Link]:
            """What a loop value came from in the iteration before, or went into in the next."""
            return rounds.once.get(value if rounds.inverse else self.given[value], ())

        plain = (link for link, _ in begun)
        if rounds.inverse:
            plain = (
                each
                for link in plain
                for each in ([link] if link.end in self.operands else rounds.once.get(link.end, ()))
            )
        found = closure(self.program, plain, step, frozenset(self.values), shape)
        # Any number of iterations is more than that of them which there is.
        return Reached(_enclosing(found) if rounds.counts else found)

    def _at_operands(self, links: Iterable[Link]) -> Iterable[Link]:
        return (replace(link, end=self.operands.get(link.end, link.end)) for link in links)

    def _forwards(self, rounds: Rounds, captured: tuple[Leaf, ...]) -> Links:
        unions: dict[Leaf, Union] = {}
        for inner, outer in (*self.operands.items(), *((leaf, leaf) for leaf in captured)):
            start = identity(self.program, inner)
            if start is not None:
                # An operand may be given twice, or be read by the body as well: one union for all.
                unions.setdefault(outer, Union()).extend(self._at_results(start, rounds))
        return {outer: tuple(union) for outer, union in unions.items()}

    def _at_results(self, start: Link, rounds: Rounds, moments: Interval = FIRST) -> Union:
        """What a loop value or an outer value makes of the results, itself and through the condition."""
        union, reached = Union(), self._reached(start, rounds, moments)
        union.extend(
            replace(link, end=self.results[link.end])
            for link in self._told_apart(start.end, reached.at(rounds.last), rounds)
            if link.end in self.results
        )
        for link in (start, *self._told_apart(start.end, reached.at(None), rounds)):
            for each in rounds.test.get(link.end, ()):
                union.extend(self._controlled(behind(link, each), rounds.constant))
        return union

    def _reached(self, start: Link, rounds: Rounds, moments: Interval) -> Reached:
        """The loop values that a loop value or an outer value goes into, in this iteration or later."""
        return self._closed([(start, moments)], rounds, leaf_shape(self.program, start.end))

    def _controlled(self, link: Link, constant: frozenset[Leaf]) -> Iterable[Link]:
        """From what the condition reads to everything that the number of iterations decides."""
        for value, result in self.results.items():
            shape = leaf_shape(self.program, value)
            if value not in constant and identity(self.program, value) is not None:
                index_map = UNDEFINED if shape is None else everything((), shape)
                yield behind(link, Link(result, index_map))


def _timed(starts: Iterable[Start], iterations: Iterations) -> Union:
    """What is reached, with moments. Raises NotClosed."""
    begun: list[Link] = []
    for link, moments in starts:
        if link.map.is_undefined or link.place is not None:
            raise NotClosed
        if link.end in iterations.values:
            begun.append(started(link, moments))
            continue
        begun.append(link)
        if iterations.inverse:
            begun += iterations.from_others(link)
    return iterations.reached(begun)


def _enclosing(union: Union) -> Union:
    """The same, said to enclose."""
    found = Union()
    found.extend(replace(link, enclosing=True) for link in union)
    return found


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
            link = Link(end, whole, None, True, link.undecided)
            enclosed.add(end)
            reached.enclose(link)
        waiting.extend((behind(link, each), round_number + 1) for each in step(end))
    return reached
