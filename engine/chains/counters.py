"""Counted loops: loop values that grow by a constant step, and trip counts.

The pattern is `for i in range(start, stop, step)`: a scalar integer starting at a constant, to which the body
adds a constant, and a condition that compares it with a constant.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..indexing import Constant, Expression, Interval, Runtime
from ..indexing.core.expressions import split_coefficient, terms_of
from ..ir.element_types import ElementType
from ..ir.types import TensorType
from ..ops.core.integer_folding import ComparisonDirection
from ..program import BoundOperation
from .bodies import block_results, bodies
from .folding import Known, ValueFollower
from .forwarding import invariant_values
from .leaves import Leaf, leaf_type
from .sources import Sources

LARGEST = 1 << 30
"""Limit of counters: within [-LARGEST, LARGEST] no integer wraps around."""


@dataclass(frozen=True)
class Counter:
    """A loop value that starts at `start` and grows by `step` per iteration."""

    start: int
    step: int

    def at(self, iteration: Expression) -> Expression:
        """Its value after `iteration` iterations."""
        return iteration * self.step + self.start


@dataclass(frozen=True)
class CountedLoop:
    """A loop with a known trip count, and its counters by the argument leaves of its body."""

    trips: int
    counters: Mapping[Leaf, Counter]
    known: Known
    """The resulting knowledge about values in its condition and body."""


def count_iterations(sources: Sources, loop: BoundOperation) -> CountedLoop | None:
    """The counters of a `while` and its trip count; `None` if the program does not determine it."""
    reader = _Reader(sources, loop)
    counters = dict(reader.counters())
    trips = reader.trips(counters)
    if trips is None:
        return None
    ends = {leaf: (each.start, each.start + trips * each.step) for leaf, each in counters.items()}
    limits = {leaf: Interval(min(between), max(between)) for leaf, between in ends.items()}
    if not all(Interval(-LARGEST, LARGEST).covers(each) for each in limits.values()):
        return None
    return CountedLoop(trips, counters, Known(limits, reader.same))


class _Reader:
    """Reads the scalars of a loop as constants, or as a multiple of one loop value plus a constant."""

    def __init__(self, sources: Sources, loop: BoundOperation) -> None:
        self.sources, program = sources, sources.program
        condition, body = bodies(program, loop)
        self.body, self.predicate = body, Leaf(block_results(condition.block)[0])
        self.operands, constant = dict(body.arguments), invariant_values(program, loop)
        # Name the condition's arguments as in the body, and invariant values as outside.
        names = {value: outer if value in constant else value for value, outer in body.arguments}
        tested = [inner for inner, _ in condition.arguments]
        same = {**names, **dict(zip(tested, names.values(), strict=True))}
        self.same = {inner: outer for inner, outer in same.items() if inner != outer}

    def counters(self) -> Iterator[tuple[Leaf, Counter]]:
        """The loop values that count."""
        for (result, _), value in zip(self.body.results, self.operands, strict=True):
            limits = None if value in self.same else self._limits(value)
            if limits is None:
                continue
            start = self._follower({}).read(self.operands[value], (), 0)
            after = self._follower({value: limits})
            found = self._linear(after, after.read(result, (), 0))
            if isinstance(start, Constant) and found is not None and found[:2] == (value, 1) and found[2]:
                yield value, Counter(start.value, found[2])

    def trips(self, counters: Mapping[Leaf, Counter]) -> int | None:
        """The trip count, from the condition."""
        limits = {value: self._limits(value) or Interval(0, 0) for value in counters}
        follower = self._follower(limits)
        compared = follower.comparison(self.predicate)
        found = None if compared is None else self._linear(follower, compared.difference)
        if compared is None or found is None or found[0] not in counters:
            return None
        counter, (_, factor, constant) = counters[found[0]], found
        return trip_count(compared.direction, factor * counter.start + constant, factor * counter.step)

    def _follower(self, limits: Mapping[Leaf, Interval]) -> ValueFollower:
        return ValueFollower(self.sources, -1, Known(limits, self.same))

    def _limits(self, value: Leaf) -> Interval | None:
        """Assumed limits of a scalar integer, to be refined; `None` for other values."""
        found = leaf_type(self.sources.program, value)
        if (
            not isinstance(found, TensorType)
            or found.shape
            or not isinstance(found.element_type, ElementType)
        ):
            return None
        least = 0 if found.element_type.kind == "unsigned" else -LARGEST
        return Interval(least, LARGEST) if found.element_type.is_integer else None

    def _linear(self, follower: ValueFollower, value: Expression) -> tuple[Leaf, int, int] | None:
        """The loop value, factor and constant of which `value` consists; `None` for other values."""
        factor, constant, leaf = 0, 0, None
        for term in terms_of(value):
            atom, times = split_coefficient(term)
            if isinstance(term, Constant):
                constant = term.value
            elif isinstance(atom, Runtime) and leaf is None:
                factor, leaf = times, self.sources.source(follower.runtimes[atom.number].operand).leaf
            else:
                return None
        return None if leaf is None else (leaf, factor, constant)


def trip_count(direction: ComparisonDirection, first: int, step: int) -> int | None:
    """The number of first, first + step, … that satisfy the comparison with 0; `None` if all do."""
    match direction:
        case ComparisonDirection.GT:
            return trip_count(ComparisonDirection.LT, -first, -step)
        case ComparisonDirection.GE:
            return trip_count(ComparisonDirection.LT, -first - 1, -step)
        case ComparisonDirection.LE:
            return trip_count(ComparisonDirection.LT, first - 1, step)
        case ComparisonDirection.LT if first >= 0:
            return 0
        case ComparisonDirection.LT:
            return -(first // step) if step > 0 else None
        case ComparisonDirection.NE:
            passes = step != 0 and first % step == 0 and first // step <= 0
            return 0 if first == 0 else -first // step if passes else None
        case _:
            return 0 if first else (1 if step else None)
