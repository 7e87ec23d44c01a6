"""Links over the iteration space of a counted loop.

The last dimension of such a link's map, after the index, and its last result are iteration numbers: the
values at both ends are those after that many iterations.
"""

from collections.abc import Iterable
from dataclasses import replace

from ..indexing import (
    Dim,
    Expression,
    IndexMap,
    Interval,
    Kind,
    Range,
    RuntimeVariable,
    fold_runtimes,
    variables_of,
)
from .counters import CountedLoop
from .folding import fold
from .normal_forms import normalize, with_range
from .sources import Sources, ValueSource
from .unions import Link, normalize_link


class NoSummary(Exception):
    """There is no closed form of all iterations of a loop."""


def lift(sources: Sources, counted: CountedLoop, link: Link, *, changes: bool, inverse: bool) -> Link:
    """Lift a link of the body to the iteration space; raises NoSummary for links to other processes.

    It goes from what an iteration returns to its arguments, or inverse. `changes` tells whether its end is a
    changing loop value; other values are the same in all iterations. Counters are substituted.
    """
    if link.place is not None or link.map.kind is Kind.UNDEFINED:
        raise NoSummary
    first, iteration = 0 if inverse else 1, Dim(len(link.map.dimensions))
    counters = {sources.number(ValueSource(leaf)): each for leaf, each in counted.counters.items()}

    def value(variable: RuntimeVariable) -> Expression | None:
        counter = counters.get(variable.operand)
        return None if counter is None else counter.at(Dim(0) - first)

    written = fold(sources, link.map, counted.known)
    written = _add_iteration(written, Interval(first, first + counted.trips - 1), frozenset(counters))
    lifted = fold_runtimes(written, value)
    if changes:
        target = iteration + (1 if inverse else -1)
        lifted = replace(lifted, results=(*lifted.results, target))
    return replace(normalize_link(link.end, lifted, None, link.enclosing), undecided=link.undecided)


def _add_iteration(index_map: IndexMap, iterations: Interval, counters: frozenset[int]) -> IndexMap:
    """Add the iteration as a dimension, at which counters are read."""
    runtimes = []
    for variable in index_map.runtimes:
        own = _add_iteration(variable.map, iterations, counters)
        if variable.operand in counters:
            own = replace(own, results=(Dim(len(variable.map.dimensions)),))
        runtimes.append(replace(variable, map=own))
    dimensions = (*index_map.dimensions, iterations)
    return replace(index_map, dimensions=dimensions, runtimes=tuple(runtimes))


def start_at(link: Link, iterations: Interval) -> Link:
    """Lift a link to a loop value at the start of any of some iterations."""
    index_map, iteration = link.map, Range(len(link.map.ranges))
    lifted = replace(with_range(index_map, iterations), results=(*index_map.results, iteration))
    return replace(link, map=normalize(lifted))


def end_at(link: Link, iterations: Interval | None) -> Link:
    """The link to a loop value at the start of some iterations, or of any, without the iteration."""
    index_map = link.map
    limits = () if iterations is None else ((index_map.results[-1], iterations),)
    constraints = (*index_map.constraints, *limits)
    return replace(
        link, map=normalize(replace(index_map, results=index_map.results[:-1], constraints=constraints))
    )


def without_iterations(links: Iterable[Link]) -> list[Link]:
    """Remove the iteration from links that do not depend on it; raises NoSummary for others."""
    found = []
    for link in links:
        index_map = link.map
        iteration = Dim(len(index_map.dimensions) - 1)
        stated = (*index_map.results[:-1], *(expression for expression, _ in index_map.constraints))
        if index_map.runtimes or any(iteration in variables_of(expression) for expression in stated):
            raise NoSummary
        plain = replace(index_map, dimensions=index_map.dimensions[:-1], results=index_map.results[:-1])
        found.append(replace(link, map=normalize(plain)))
    return found


def repeat(link: Link, times: Interval, trips: int, *, inverse: bool) -> Link:
    """The link over the iteration space that is the same for any number of iterations in `times`."""
    index_map, start, end = link.map, Dim(len(link.map.dimensions)), Range(len(link.map.ranges))
    iterations = Interval(0, trips)
    return replace(
        link,
        map=normalize(
            IndexMap(
                (*index_map.results, end),
                (*index_map.dimensions, iterations),
                (*index_map.ranges, iterations),
                (),
                (*index_map.constraints, (end - start if inverse else start - end, times)),
            )
        ),
    )
