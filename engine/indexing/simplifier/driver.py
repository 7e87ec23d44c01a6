"""Simplifying a whole map: its domain, then its results (docs/index-maps.md, "Order of work")."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from ..expressions import Dim, Expression, Range, Runtime
from ..index_map import CACHE_SIZE, IndexMap, Kind, RuntimeVariable
from .domain import Domain
from .facts import Facts, Infeasible
from .rewrites import Recorder, Rewrite
from .rewriting import Rewriter


@dataclass(frozen=True)
class Simplification:
    """A simplified map, and the steps that led to it in order."""

    map: IndexMap
    rewrites: tuple[Rewrite, ...]


def simplify(index_map: IndexMap, *, keep_points: bool = False) -> IndexMap:
    """The same relation, written shorter; simplifying twice changes nothing.

    The variables stay, also those that nothing uses any more. `keep_points` leaves a dimension variable with a
    single value in the results, as reshape's maps do, instead of that value.
    """
    found = _simplify_once(index_map, keep_points)
    # What stays as it is stays the same object, whichever of its equals was simplified first.
    return index_map if found == index_map else found


def simplification(index_map: IndexMap, *, keep_points: bool = False) -> Simplification:
    """As `simplify`, with each step explained."""
    recorder = Recorder()
    return Simplification(_simplify(index_map, keep_points, recorder), tuple(recorder.rewrites))


@lru_cache(CACHE_SIZE)
def _simplify_once(index_map: IndexMap, keep_points: bool) -> IndexMap:
    return _simplify(index_map, keep_points, None)


def _simplify(index_map: IndexMap, keep_points: bool, recorder: Recorder | None) -> IndexMap:
    if index_map.kind is not Kind.NORMAL:
        return index_map
    try:
        return _Simplifier(index_map, keep_points, recorder).run()
    except Infeasible:
        return replace(index_map, kind=Kind.KNOWN_EMPTY)


class _Simplifier:
    def __init__(self, index_map: IndexMap, keep_points: bool, recorder: Recorder | None) -> None:
        self.map = index_map
        self.keep_points = keep_points
        self.recorder = recorder

    def run(self) -> IndexMap:
        """Raises Infeasible when the map turns out to be empty."""
        domain = Domain(
            self.map.intervals,
            self.map.constraints,
            self.map.is_boundable,
            keep_points=self.keep_points,
            recorder=self.recorder,
        )
        domain.settle()
        results = self._results(domain)
        found = IndexMap(
            results,
            tuple(domain.bounds[Dim(k)] for k in range(len(self.map.dimensions))),
            tuple(domain.bounds[Range(k)] for k in range(len(self.map.ranges))),
            tuple(self._runtime(k, domain) for k in range(len(self.map.runtimes))),
            tuple(domain.constraints.items()),
        )
        return self.map if found == self.map else found

    def _results(self, domain: Domain) -> tuple[Expression, ...]:
        rewriter = domain.rewriter
        if domain.constraints:
            facts = Facts(domain.constraints.items())
            rewriter = Rewriter(
                rewriter.intervals, facts, keep_points=self.keep_points, recorder=self.recorder
            )
        return tuple(self._result(rewriter, number) for number in range(len(self.map.results)))

    def _result(self, rewriter: Rewriter, number: int) -> Expression:
        if self.recorder is not None:
            self.recorder.where = f"result {number}"
            rewriter.forget()  # or what is shared with another result would not be noted here
        return rewriter.simplify(self.map.results[number])

    def _runtime(self, number: int, domain: Domain) -> RuntimeVariable:
        variable = self.map.runtimes[number]
        if self.recorder is not None:
            self.recorder.prefix = f"the map of rt{number}: "
        own = _simplify(variable.map, self.keep_points, self.recorder)
        if self.recorder is not None:
            self.recorder.prefix = ""
        return replace(variable, interval=domain.bounds[Runtime(number)], map=own)
