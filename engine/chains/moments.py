"""The links of a loop's body with the moments that they lead from and to."""

from __future__ import annotations

from dataclasses import replace

from ..indexing import Dim, Expression, IndexMap, Interval, Kind, RuntimeVariable, fold_runtimes
from .counters import Counted
from .folding import folded
from .leaves import Leaf
from .repeated import NotClosed
from .sources import Sources
from .unions import Link, tidied


def timed(sources: Sources, counted: Counted, link: Link, *, changes: bool, inverse: bool) -> Link:
    """A link of the body, with the moment behind its index.

    It leads from the moment after an iteration to that before; from `inverse` the other way. `changes` says whether
    its end is a loop value that changes: other values have no moment. Counters are written out.
    """
    index_map = link.map
    if link.place is not None or index_map.kind is Kind.UNDEFINED:
        raise NotClosed
    written = folded(sources, index_map, counted.known)
    moment = Dim(len(index_map.dimensions))
    first = 0 if inverse else 1
    lifted = _lifted(sources, counted, written, Interval(first, first + counted.trips - 1))
    iteration = moment - first

    def value(variable: RuntimeVariable) -> Expression | None:
        leaf = _leaf(sources, variable.operand)
        counter = counted.counters.get(leaf) if leaf is not None else None
        return None if counter is None else counter.at(Dim(0) - first)

    lifted = fold_runtimes(lifted, value)
    if changes:
        lifted = replace(lifted, results=(*lifted.results, iteration + (1 if inverse else 0)))
    return replace(tidied(link.end, lifted, None, link.enclosing), undecided=link.undecided)


def _leaf(sources: Sources, number: int) -> Leaf | None:
    source = sources.source(number)
    return None if source.calls else source.leaf


def _lifted(sources: Sources, counted: Counted, index_map: IndexMap, moments: Interval) -> IndexMap:
    """With a moment as one more dimension, at which counters are read."""
    moment = Dim(len(index_map.dimensions))
    runtimes = []
    for variable in index_map.runtimes:
        own = _lifted(sources, counted, variable.map, moments)
        if _leaf(sources, variable.operand) in counted.counters:
            own = replace(own, results=(moment,))
        runtimes.append(replace(variable, map=own))
    dimensions = (*index_map.dimensions, moments)
    return replace(index_map, dimensions=dimensions, runtimes=tuple(runtimes))
