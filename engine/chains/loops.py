"""Links of `while`, over zero or more iterations.

Values that no iteration changes are passed through. The iterations of a counted loop (`counters`) are
composed by `loop_summary`. Those of other loops are composed one by one until a fixed point. If that takes
too many, or there is no summary, the links are over-approximated.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from ..indexing import UNDEFINED, IndexMap, Interval, substitute
from ..program import BoundOperation, BoundProgram
from .bodies import block_results, bodies
from .counters import CountedLoop, count_iterations
from .crossings import group, identity
from .forwarding import invariant_values
from .iteration_space import NoSummary, lift
from .joins import join_adjoining
from .leaves import Leaf, leaf_shape, leaves
from .loop_summary import FIRST, LoopSummary, ReachedValues, Start
from .normal_forms import range_replacements, without_runtimes
from .sources import Sources, ValueSource, sources_of
from .unions import Link, Links, Union, compose_links, everything, mark_undecided, normalize_link

MAX_ITERATIONS = 8
"""Maximum number of iterations composed before new links are over-approximated."""


class LoopLinks:
    """The links of one `while` in one direction, from those of its condition and its body.

    Loop values are named by the argument leaves of the body. A runtime variable that is the same in each
    iteration is kept; any other becomes a range over all its values, since it differs between iterations.
    """

    def __init__(
        self,
        program: BoundProgram,
        sources: Sources,
        bound: BoundOperation,
        links: tuple[Links, Links],
        captured: tuple[Leaf, ...],
        *,
        inverse: bool,
    ) -> None:
        self.program, self.sources, self.bound, self.inverse = program, sources, bound, inverse
        self.captured = captured
        condition, body = bodies(program, bound)
        self.values = leaves(program, body.block.arguments)
        self.operands = dict(zip(self.values, leaves(program, bound.operands), strict=True))
        self.results = dict(zip(self.values, leaves(program, bound.results), strict=True))
        self.tested = dict(zip(leaves(program, condition.block.arguments), self.values, strict=True))
        (self.predicate,) = leaves(program, block_results(condition.block))
        self.owners: dict[Leaf, tuple[Leaf, ...]] = {}
        """For each leaf that the body returns, the loop values that it becomes; it may be returned twice."""
        for value, inner in zip(self.values, leaves(program, block_results(body.block)), strict=True):
            self.owners[inner] = (*self.owners.get(inner, ()), value)
        self.invariant = invariant_values(program, bound)
        self._invariant_sources = self._sources_of_invariants()
        self.test, self.once = map(self._in_any_iteration, links)
        self.counted = count_iterations(sources, bound)
        self.trips = self.counted.trips if self.counted is not None else 0
        self.summary = self._summary(self.counted, links[1]) if self.counted is not None else None

    def _sources_of_invariants(self) -> dict[int, int]:
        """For loop-invariant sources inside the loop, the equal sources outside."""
        names = (*((value, value) for value in self.values), *self.tested.items())
        return {
            self.sources.number(ValueSource(inner)): self.sources.number(ValueSource(self.operands[value]))
            for inner, value in names
            if value in self.invariant
        }

    def links(self) -> Links:
        """Links from result leaves to operand leaves and captured values, or inverse."""
        found = self._links_to_results() if self.inverse else self._links_to_operands()
        return {start: tuple(join_adjoining(links)) for start, links in found.items()}

    def exits(self) -> Links:
        """Links from the arguments of both blocks to operand leaves and captured values."""
        found: dict[Leaf, tuple[Link, ...]] = {}
        in_body = [(value, value, self.trips - 1) for value in self.values]
        tested = [(inner, value, self.trips) for inner, value in self.tested.items()]
        for inner, value, last in (*in_body, *tested):
            start = identity(self.program, value)
            if start is not None:
                reached = self._reach([(start, Interval(0, last))]).at(FIRST)
                found[inner] = tuple(self._name_operands(self._mark_undecided(value, reached)))
        return found

    def entries(self) -> Links:
        """With `inverse`: links from operand leaves and captured values to the arguments of both blocks."""
        found: dict[Leaf, Union] = {}
        for outer, start in self._outer_starts():
            union = found.setdefault(outer, Union())
            for link in (start, *self._reach([(start, FIRST)]).at(None)):
                union.add(link)
                union.extend(
                    replace(link, end=inner) for inner, value in self.tested.items() if value == link.end
                )
        return {start: tuple(union) for start, union in found.items()}

    def _links_to_operands(self) -> Links:
        found: dict[Leaf, tuple[Link, ...]] = {}
        for value, result in self.results.items():
            start = identity(self.program, value)
            decided = [] if start is None or value in self.invariant else list(self._decisions(value))
            starts = [] if start is None else [(start, Interval(self.trips, self.trips))]
            starts += [(link, Interval(0, self.trips)) for link in decided]
            reached = self._mark_undecided(value, self._reach(starts).at(FIRST), decided)
            found[result] = tuple(self._name_operands(reached))
        return found

    def _links_to_results(self) -> Links:
        unions: dict[Leaf, Union] = {}
        for outer, start in self._outer_starts():
            # An operand may be passed twice, or be captured as well: use one union for all.
            unions.setdefault(outer, Union()).extend(self._results_of(start))
        return {outer: tuple(union) for outer, union in unions.items()}

    def _outer_starts(self) -> Iterator[tuple[Leaf, Link]]:
        """Operand leaves and captured ones, each with the identity of its leaf inside the loop."""
        for inner, outer in (*self.operands.items(), *((leaf, leaf) for leaf in self.captured)):
            start = identity(self.program, inner)
            if start is not None:
                yield outer, start

    def _name_operands(self, links: Iterable[Link]) -> Iterable[Link]:
        return (replace(link, end=self.operands.get(link.end, link.end)) for link in links)

    def _results_of(self, start: Link) -> Iterator[Link]:
        """Links from a loop value or a captured value to the results, directly and through the condition."""
        reached = self._reach([(start, FIRST)])
        for link in self._mark_undecided(start.end, reached.at(Interval(self.trips, self.trips))):
            if link.end in self.results:
                yield replace(link, end=self.results[link.end])
        for link in (start, *self._mark_undecided(start.end, reached.at(None))):
            for each in self.test.get(link.end, ()):
                yield from self._control_links(compose_links(link, each))

    def _decisions(self, value: Leaf) -> Iterator[Link]:
        """The elements that the condition reads; they decide every element that the loop changes."""
        shape = leaf_shape(self.program, value)
        scalar = Link(self.predicate, UNDEFINED if shape is None else IndexMap.scalar(shape))
        return (compose_links(scalar, link) for link in self.test.get(self.predicate, ()))

    def _control_links(self, link: Link) -> Iterator[Link]:
        """Links from what the condition reads to everything that the trip count decides."""
        for value, result in self.results.items():
            shape = leaf_shape(self.program, value)
            if value not in self.invariant and identity(self.program, value) is not None:
                index_map = UNDEFINED if shape is None else everything((), shape)
                yield compose_links(link, Link(result, index_map))

    def _mark_undecided(
        self, value: Leaf, reached: Iterable[Link], decided: Iterable[Link] = ()
    ) -> Iterable[Link]:
        """Mark links as undecided if they take an unknown number of iterations.

        `decided` are the links of the condition's first evaluation, which happens in any run.
        """
        if self.counted is not None:
            return reached
        start = identity(self.program, value)
        keeps = start is not None and (value in self.invariant or self._keeps_elements(start))
        return mark_undecided(reached, [*decided, *([start] if keeps and start is not None else [])])

    def _keeps_elements(self, start: Link) -> bool:
        """Whether each iteration keeps each element, so that the trip count is irrelevant."""
        return any(
            link.end == start.end and link.map == start.map and not link.undecided
            for link in self._step(start.end)
        )

    def _step(self, value: Leaf) -> Sequence[Link]:
        """Links from a loop value through one iteration."""
        return self.once.get(value, ())

    def _reach(self, starts: Sequence[Start]) -> ReachedValues:
        """Links that continue one of `starts` through any number of iterations."""
        if self.summary is not None:
            with suppress(NoSummary):
                return self.summary.reach(starts)
        plain = [
            each
            for link, _ in starts
            for each in (self._step(link.end) if self.inverse and link.end not in self.operands else [link])
        ]
        found = self._closure(plain, starts[0][0].map) if starts else Union()
        if self.counted is None:
            return ReachedValues(found)
        # Some number of iterations may differ from the trip count.
        return ReachedValues(Union(replace(link, enclosing=True) for link in found))

    def _closure(self, starts: Iterable[Link], whole: IndexMap) -> Union:
        """The transitive closure of the starts; after too many iterations, everything from `whole`."""
        reached, enclosed = Union(), set[Leaf]()
        waiting = deque((link, 0) for link in starts)
        while waiting:
            link, iterations = waiting.popleft()
            end = link.end
            if end in enclosed or not reached.add(link) or end not in self.operands:
                continue
            if iterations >= MAX_ITERATIONS:
                link = Link(end, self._everything(whole, end), None, True, link.undecided)
                enclosed.add(end)
                reached.enclose(link)
            waiting.extend((compose_links(link, each), iterations + 1) for each in self._step(end))
        return reached

    def _everything(self, start: IndexMap, end: Leaf) -> IndexMap:
        shape = leaf_shape(self.program, end)
        if shape is None or start.is_undefined:
            return UNDEFINED
        return replace(everything((), shape), dimensions=start.dimensions)

    def _summary(self, found: CountedLoop, body: Links) -> LoopSummary | None:
        """The summary of a counted loop; `None` if `loop_summary` cannot compose it."""
        links: dict[Leaf, list[Link]] = {}
        with suppress(NoSummary):
            for start, end, link in self._between_values(body):
                if self.inverse and end in self.invariant:
                    continue
                changes = end in self.operands and end not in self.invariant
                each = lift(self.sources, found, link, changes=changes, inverse=self.inverse)
                links.setdefault(start, []).append(self._without_changing_reads(each, end))
            changing = (value for value in self.values if value not in self.invariant)
            shapes = {value: leaf_shape(self.program, value) or () for value in changing}
            return LoopSummary(links, shapes, found.trips, inverse=self.inverse)
        return None

    def _between_values(self, links: Links) -> Iterator[tuple[Leaf, Leaf, Link]]:
        """Links of a block between loop values, captured values and the predicate: start, end, link."""

        def arguments(leaf: Leaf) -> Sequence[Leaf]:
            return (self.tested.get(leaf, leaf),)

        def results(leaf: Leaf) -> Sequence[Leaf]:
            return self.owners.get(leaf, (leaf,))

        starts, ends = (arguments, results) if self.inverse else (results, arguments)
        for leaf, found in links.items():
            for link in found:
                yield from ((start, end, link) for start in starts(leaf) for end in ends(link.end))

    def _in_any_iteration(self, links: Links) -> Links:
        """Links of a block between values, valid in any iteration."""
        found = self._between_values(links)
        return group((start, self._without_changing_reads(link, end)) for start, end, link in found)

    def _without_changing_reads(self, link: Link, end: Leaf) -> Link:
        """The link to `end`, with ranges for runtime variables that differ between iterations."""
        changing = [
            number
            for number, variable in enumerate(link.map.runtimes)
            if any(map(self._changes, {variable.operand} | sources_of(variable.map)))
        ]
        encloses = any(not link.map.runtimes[number].interval.is_point for number in changing)
        index_map = without_runtimes(link.map, changing) if changing else link.map
        place = link.place
        if changing and place is not None:
            place = substitute(place, range_replacements(link.map, changing))
        index_map = index_map.with_operands(self._invariant_sources)
        found = normalize_link(end, index_map, place, link.enclosing or encloses)
        return replace(found, undecided=link.undecided)

    def _changes(self, number: int) -> bool:
        """Whether a source may change between iterations."""
        if number in self._invariant_sources:
            return False
        block = self.sources.block(number)
        while block is not None and block not in self.bound.regions:
            opener = self.program.blocks[block].opener
            block = None if opener is None else self.program.ops[opener].block
        return block is not None
