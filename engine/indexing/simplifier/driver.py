"""Simplify a whole map: its domain, then its results (docs/index-maps.md, "Order of work")."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from ..core.expressions import Dim, Expression, Range, Runtime
from ..core.index_map import CACHE_SIZE, IndexMap, Kind, RuntimeVariable
from .domain import Domain
from .facts import Facts, Infeasible
from .rewrites import Recorder, Rewrite
from .rewriting import Rewriter


@dataclass(frozen=True)
class Simplification:
    """A simplified map, and the steps in order."""

    map: IndexMap
    rewrites: tuple[Rewrite, ...]


def simplify(index_map: IndexMap, *, keep_points: bool = False) -> IndexMap:
    """The same relation in a shorter form; idempotent.

    Unused variables are kept. With `keep_points`, a dimension variable with a single value stays in results,
    as in reshape's maps, instead of being replaced.
    """
    found = _simplify_once(index_map, keep_points)
    # Return the argument itself if it is unchanged, whichever equal map was cached.
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
        """Simplify the map; raises Infeasible if it turns out to be empty."""
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
            rewriter.forget()  # or steps on expressions shared with another result would not be recorded
        return rewriter.simplify(self.map.results[number])

    def _runtime(self, number: int, domain: Domain) -> RuntimeVariable:
        variable = self.map.runtimes[number]
        if self.recorder is not None:
            self.recorder.prefix = f"the map of rt{number}: "
        own = _simplify(variable.map, self.keep_points, self.recorder)
        if self.recorder is not None:
            self.recorder.prefix = ""
        return replace(variable, interval=domain.bounds[Runtime(number)], map=own)
