"""Simplify a whole map: its domain, then its results (docs/index-maps.md, "Order of work")."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import gcd, lcm

from ..core.expressions import Dim, Expression, Modulo, Range, Runtime
from ..core.index_map import CACHE_SIZE, IndexMap, Kind, RuntimeVariable
from ..core.interval import INT64_MAX, INT64_MIN, Interval
from ..core.interval_analysis import Intervals
from . import rule_texts as rules
from .constraints import CONSTRAINT_RULES, Constraint
from .facts import Facts, Infeasible
from .rewrites import Recorder, Rewrite
from .rewriting import Rewriter
from .rule_texts import Rule
from .term_order import order_key

# Rewrite the bounds and constraints of a map to a fixed point (docs/index-maps.md, "Order of work").


class Domain:
    """Bounds of variables, and `constraints` by expression; `settle` rewrites both.

    `is_boundable` selects variables whose interval a constraint may narrow. Range reasoning ignores other
    constraints, or two of them could each eliminate the other.
    """

    def __init__(
        self,
        intervals: Intervals,
        constraints: tuple[Constraint, ...],
        is_boundable: Callable[[Expression], bool],
        *,
        keep_points: bool,
        recorder: Recorder | None,
    ) -> None:
        self.bounds = dict(intervals.bounds)
        self.constraints = dict(constraints)
        self._is_boundable = is_boundable
        self._keep_points = keep_points
        self._recorder = recorder
        self.rewriter = self._rewriter(intervals)

    def settle(self) -> None:
        """Rewrite to a fixed point; raises Infeasible if no value satisfies all constraints."""
        while self.constraints:
            bounds, constraints = dict(self.bounds), self.constraints
            self._rewrite_each()
            self._merge_remainders()
            if self.bounds != bounds:
                self.rewriter = self._rewriter(Intervals(dict(self.bounds)))
            elif self.constraints == constraints:
                break
        self.constraints = dict(sorted(self.constraints.items(), key=lambda item: order_key(item[0])))

    def _rewriter(self, intervals: Intervals) -> Rewriter:
        return Rewriter(intervals, keep_points=self._keep_points, recorder=self._recorder)

    def _rewrite_each(self) -> None:
        pending = [(number, *item) for number, item in enumerate(self.constraints.items())]
        self.constraints = {}
        while pending:
            number, expression, interval = pending.pop(0)
            if self._recorder is not None:
                self._recorder.where = f"constraint {number}"
            expression = self.rewriter.simplify(expression)
            better = self._rewrite(expression, interval)
            if better is None:
                self._keep(expression, interval)
            else:
                pending[:0] = [(number, *item) for item in better]

    def _rewrite(self, expression: Expression, interval: Interval) -> list[Constraint] | None:
        """The constraints that replace this one; `None` to keep it."""
        here = (expression, interval)
        reach = self.rewriter.range_of(expression)
        if interval.intersect(reach).is_empty:
            raise self._infeasible(expression, interval)
        if interval.covers(reach):
            self._note(rules.ALWAYS_TRUE, here, None)
            return []
        if self._is_boundable(expression):
            return None
        for rule, apply in CONSTRAINT_RULES:
            try:
                better = apply(expression, interval, self.rewriter)
            except Infeasible:
                raise self._infeasible(expression, interval) from None
            if better is not None and better != [here]:
                for item in better:
                    self._note(rule, here, item)
                return better
        return None

    def _keep(self, expression: Expression, interval: Interval) -> None:
        if self._is_boundable(expression):
            narrowed = self.bounds[expression].intersect(interval)
            self._note(rules.BARE_VARIABLE, (expression, interval), None)
            self._set_bound(expression, narrowed)
            return
        known = self.constraints.get(expression)
        if known is not None:
            both = interval.intersect(known)
            self._note_merge(
                rules.SAME_EXPRESSION, (expression, known), (expression, interval), (expression, both)
            )
            interval = both
        if interval.is_empty:
            raise self._infeasible(expression, interval)
        self.constraints[expression] = interval

    def _set_bound(self, variable: Expression, interval: Interval) -> None:
        if interval.is_empty:
            raise self._infeasible(variable, interval)
        self.bounds[variable] = interval

    def _merge_remainders(self) -> None:
        """Merge the remainders of each expression, and align its bounds to them."""
        if self._recorder is not None:
            self._recorder.where = "constraints"
        found: dict[Expression, tuple[int, int]] = {}
        for expression, interval in list(self.constraints.items()):
            if not isinstance(expression, Modulo) or not interval.is_point:
                continue
            modulus, value = expression.divisor, interval.lower
            known = found.get(expression.dividend)
            if known is not None:
                del self.constraints[expression]
                earlier = Modulo(expression.dividend, known[0])
                there = earlier, self.constraints.pop(earlier)
                modulus, value = self._both(expression.dividend, known, (modulus, value))
                merged = Modulo(expression.dividend, modulus), Interval(value, value)
                self.constraints[merged[0]] = merged[1]
                self._note_merge(rules.REMAINDERS_MERGED, there, (expression, interval), merged)
            found[expression.dividend] = modulus, value
        for expression, (modulus, value) in found.items():
            self._align(expression, modulus, value)

    def _both(self, key: Expression, one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
        """The remainder modulo the least common multiple, by the Chinese remainder theorem."""
        shared, both = gcd(one[0], other[0]), lcm(one[0], other[0])
        times, left = divmod(other[1] - one[1], shared)
        if left:
            raise self._infeasible(Modulo(key, other[0]), Interval(other[1], other[1]))
        steps = times * pow(one[0] // shared, -1, other[0] // shared) if other[0] > shared else 0
        return both, (one[1] + one[0] * steps) % both

    def _align(self, expression: Expression, modulus: int, value: int) -> None:
        boundable = self._is_boundable(expression)
        before = self.bounds[expression] if boundable else self.constraints.get(expression)
        if before is None:
            return
        after = _align_ends(before, modulus, value)
        if after == before:
            return
        self._note(rules.ALIGNED, (expression, before), (expression, after))
        if boundable:
            self._set_bound(expression, after)
        elif after.is_empty:
            raise self._infeasible(expression, before)
        else:
            self.constraints[expression] = after

    def _infeasible(self, expression: Expression, interval: Interval) -> Infeasible:
        self._note(rules.INFEASIBLE, (expression, interval), None)
        return Infeasible()

    def _note_merge(self, rule: Rule, known: Constraint, added: Constraint, merged: Constraint) -> None:
        """Record a merge: the known constraint is replaced, or the added one dropped."""
        if merged == known:
            self._note(rule, added, None)
        else:
            self._note(rule, known, merged)

    def _note(self, rule: Rule, before: Constraint, after: Constraint | None) -> None:
        if self._recorder is not None:
            self._recorder.note(rule, before, after)


def _align_ends(interval: Interval, modulus: int, value: int) -> Interval:
    """The least and greatest number of the interval that are `value` modulo `modulus`.

    Python's % is never negative, so this also holds below 0.
    """
    lower, upper = interval.lower, interval.upper
    if lower != INT64_MIN:
        lower += (value - lower) % modulus
    if upper != INT64_MAX:
        upper -= (upper - value) % modulus
    return Interval(lower, upper)


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
