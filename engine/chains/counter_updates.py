"""Loop values updated at the counter, such as `ys[t] = y` in a scan: each element at most once.

An element is written in the iteration whose window contains its expression over index and iteration; all
other elements are kept. The windows of consecutive iterations adjoin, so no element is written twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..indexing import Dim, Expression, IndexMap, Interval, Kind, Range, interval_of, substitute
from ..indexing.core.expressions import split_coefficient, terms_of
from ..indexing.core.interval import box
from .normal_forms import normalize
from .unions import Link


def counter_updates(
    own: Sequence[Link], shape: Sequence[int], trips: int, *, inverse: bool
) -> list[Link] | None:
    """Links of a loop value to itself over any number of iterations; `None` for other values.

    `own` are the links of one iteration over the iteration space, `shape` is the value's.
    """
    conditions = [each for each in (_condition(link, Dim(len(shape))) for link in own) if each is not None]
    if len(conditions) < len(own) or len({(each.expression, each.step) for each in conditions}) != 1:
        return None
    updates = _Updates.of(conditions, tuple(shape), trips, inverse=inverse)
    maps = zip(own, conditions, strict=True)
    stated = {normalize(replace(link.map, constraints=((e.expression, e.interval),))) for link, e in maps}
    if updates is None or stated != updates.one_iteration:
        return None
    return [replace(own[0], map=each) for each in updates.any_iterations]


@dataclass(frozen=True)
class _Condition:
    """`expression`, which grows by `step` per iteration, lies in `interval`."""

    expression: Expression
    interval: Interval
    step: int


def _condition(link: Link, iteration: Dim) -> _Condition | None:
    """The only constraint of a link, if it is linear and changes with the iteration; else `None`."""
    found = link.map
    if link.place is not None or link.enclosing or link.undecided or found.kind is not Kind.NORMAL:
        return None
    if found.ranges or found.runtimes or len(found.constraints) != 1:
        return None
    ((expression, interval),) = found.constraints
    factors = dict(map(split_coefficient, terms_of(expression)))
    step = factors.get(iteration, 0)
    if not step or any(atom.children for atom in factors):
        return None
    return _Condition(expression, interval, step) if step > 0 else _Condition(-expression, -interval, -step)


@dataclass(frozen=True)
class _Updates:
    """Updates of the elements whose `expression` is between the intervals `below` and `above`."""

    expression: Expression
    below: Interval
    above: Interval
    step: int
    shape: tuple[int, ...]
    trips: int
    inverse: bool

    @staticmethod
    def of(
        conditions: Sequence[_Condition], shape: tuple[int, ...], trips: int, *, inverse: bool
    ) -> _Updates | None:
        """The updates of what `conditions` exclude; `None` if windows overlap or leave gaps."""
        expression, step = conditions[0].expression, conditions[0].step
        dimensions = (*box(shape), Interval(0, trips - 1) if inverse else Interval(1, trips))
        whole = interval_of(expression, {Dim(k): each for k, each in enumerate(dimensions)})
        kept = [each.interval for each in conditions]
        below = max((each.upper for each in kept if each.lower <= whole.lower), default=whole.lower - 1)
        above = min((each.lower for each in kept if each.lower > whole.lower), default=whole.upper + 1)
        if above - below - 1 != step:
            return None
        outside = Interval(whole.lower, below), Interval(above, whole.upper)
        return _Updates(expression, *outside, step, shape, trips, inverse)

    @property
    def one_iteration(self) -> set[IndexMap]:
        """The maps that keep what one iteration does not write."""
        iteration, iterations = Dim(len(self.shape)), Interval(0, self.trips - 1)
        dimensions = (*box(self.shape), iterations if self.inverse else iterations + Interval(1, 1))
        results = (*self._index, iteration + (1 if self.inverse else -1))
        return {
            normalize(IndexMap(results, dimensions, constraints=((self.expression, outside),)))
            for outside in (self.below, self.above)
            if not outside.is_empty
        }

    @property
    def any_iterations(self) -> list[IndexMap]:
        """The maps that keep elements written before a span of iterations, or after it.

        Since the expression grows, elements above the window have been written, and those below it will be.
        """
        start, end, iterations = Dim(len(self.shape)), Range(0), Interval(0, self.trips)
        first, last = (start, end) if self.inverse else (end, start)
        written = self._at(first), Interval(self.above.lower, self.above.upper + self.step)
        unwritten = self._at(last - 1), Interval(self.below.lower - self.step, self.below.upper)
        order, dimensions = (last - first, iterations), (*box(self.shape), iterations)
        return [
            normalize(IndexMap((*self._index, end), dimensions, (iterations,), (), (order, each)))
            for each in (written, unwritten)
        ]

    @property
    def _index(self) -> tuple[Expression, ...]:
        return tuple(map(Dim, range(len(self.shape))))

    def _at(self, iteration: Expression) -> Expression:
        """The expression in an iteration; forward links are numbered by the iterations before them."""
        number = iteration if self.inverse else iteration + 1
        return substitute(self.expression, {Dim(len(self.shape)): number})
