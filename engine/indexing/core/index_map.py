"""Index maps: the elements of one tensor that belong to an element of another.

A map relates a dimension index d to { results(d, s, rt) : s in its ranges, constraints hold }, where rt are
the runtime values (docs/index-maps.md, "The data model"). Maps compare by their formulas.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property, lru_cache

from .expressions import (
    Constant,
    Dim,
    Expression,
    Operand,
    Range,
    Runtime,
    as_expression,
    dims,
    substitute_into,
    variable_divisors,
)
from .interval import INT64_MAX, INT64_MIN, NOTHING, Interval, box
from .interval_analysis import Bounds, Intervals

Constraint = tuple[Expression, Interval]
CACHE_SIZE = 1 << 12
"""Size of caches of results by map: programs repeat the same maps."""


class Kind(Enum):
    NORMAL = "normal"
    UNDEFINED = "undefined"  # an opaque op: any element may belong to any other
    KNOWN_EMPTY = "known empty"  # no element belongs to any other


@dataclass(frozen=True)
class RuntimeVariable:
    """A value that the map reads in a run: one element of an operand of the op.

    `map` goes from the dimension and range variables of the owning map (it may leave out all range variables)
    to the element of operand number `operand`. A clamped variable takes the nearest value within `interval`
    (dynamic_slice, gather); an unclamped one leaves the domain if its value is outside `interval` (scatter).
    """

    interval: Interval
    operand: int
    map: IndexMap
    clamped: bool = True


@dataclass(frozen=True)
class IndexMap:
    """A normalised index map.

    Construction tightens bounds by constraints on bare variables, drops constraints that always hold, merges
    constraints on one expression, and turns an infeasible map into a KNOWN EMPTY one (results 0, same ranks).
    """

    results: tuple[Expression, ...]
    dimensions: tuple[Interval, ...]
    ranges: tuple[Interval, ...] = ()
    runtimes: tuple[RuntimeVariable, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    kind: Kind = Kind.NORMAL

    def __post_init__(self) -> None:
        if self.kind is not Kind.UNDEFINED:
            self._tighten()
            self._simplify_constraints()
        if self.kind is Kind.KNOWN_EMPTY or self.intervals.is_nothing:
            self._become_empty()

    @classmethod
    def of(
        cls,
        results: Iterable[Operand],
        shape: Sequence[int],
        ranges: Sequence[int] = (),
        runtimes: Iterable[RuntimeVariable] = (),
        constraints: Iterable[tuple[Operand, Interval]] = (),
    ) -> IndexMap:
        """A map over all indices of `shape`; `ranges` are the sizes of the range variables."""
        return cls(
            tuple(map(as_expression, results)),
            box(tuple(shape)),
            box(tuple(ranges)),
            tuple(runtimes),
            tuple((as_expression(expression), interval) for expression, interval in constraints),
        )

    @classmethod
    def identity(cls, shape: Sequence[int]) -> IndexMap:
        """(d0, d1) -> (d0, d1)."""
        return cls.of(dims(len(shape)), shape)

    @classmethod
    def scalar(cls, shape: Sequence[int]) -> IndexMap:
        """(d0, d1) -> (): every element of `shape` belongs to the one element of a rank-0 tensor."""
        return cls.of((), shape)

    @classmethod
    def everything(cls, shape: Sequence[int]) -> IndexMap:
        """()[s0, s1] -> (s0, s1): the one element of a rank-0 tensor belongs to every element of `shape`."""
        return cls.of(map(Range, range(len(shape))), (), ranges=shape)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # Maps are large and frequent dictionary keys.
        parts = (self.results, self.dimensions, self.ranges, self.runtimes, self.constraints)
        return hash((*parts, self.kind is Kind.NORMAL))

    @property
    def is_undefined(self) -> bool:
        return self.kind is Kind.UNDEFINED

    @property
    def is_known_empty(self) -> bool:
        return self.kind is Kind.KNOWN_EMPTY

    @property
    def bounds(self) -> Bounds:
        """The interval of each variable."""
        return self.intervals.bounds

    @cached_property
    def intervals(self) -> Intervals:
        """Intervals of expressions over the variables, ignoring constraints."""
        return _intervals(self.dimensions, self.ranges, tuple(each.interval for each in self.runtimes))

    @cached_property
    def divisors(self) -> tuple[Expression, ...]:
        """Divisors in results and constraints that may be 0; such points are outside the domain."""
        stated = (*self.results, *(expression for expression, _ in self.constraints))
        return tuple({each: None for expression in stated for each in variable_divisors(expression)})

    @property
    def result_intervals(self) -> tuple[Interval, ...]:
        """An interval around each result, ignoring constraints; NOTHING for an empty map."""
        return tuple(NOTHING if self.is_known_empty else self.intervals(result) for result in self.results)

    def with_operands(self, numbers: dict[int, int]) -> IndexMap:
        """Renumber the operands of runtime variables, to compose maps of different ops."""
        runtimes = (
            replace(
                variable,
                operand=numbers.get(variable.operand, variable.operand),
                map=variable.map.with_operands(numbers),
            )
            for variable in self.runtimes
        )
        return replace(self, runtimes=tuple(runtimes))

    def substitute(
        self, replacements: dict[Expression, Expression]
    ) -> tuple[tuple[Expression, ...], tuple[Constraint, ...]]:
        """Results and constraints after substitution; not a map, because bounds may have to change."""
        known = dict(replacements)
        results = tuple(substitute_into(result, known) for result in self.results)
        return results, tuple((substitute_into(e, known), interval) for e, interval in self.constraints)

    def is_boundable(self, expression: Expression) -> bool:
        """Whether it is a variable whose interval a constraint may narrow.

        The interval of a clamped runtime variable defines the clamp, so constraints on it are kept
        separately.
        """
        if isinstance(expression, Runtime):
            return not self.runtimes[expression.number].clamped
        return isinstance(expression, (Dim, Range))

    def _tighten(self) -> None:
        if not any(self.is_boundable(expression) for expression, _ in self.constraints):
            return
        bounds = dict(self.bounds)
        kept = []
        for expression, interval in self.constraints:
            if self.is_boundable(expression):
                bounds[expression] = bounds[expression].intersect(interval)
            else:
                kept.append((expression, interval))
        self._set("dimensions", tuple(bounds[Dim(number)] for number in range(len(self.dimensions))))
        self._set("ranges", tuple(bounds[Range(number)] for number in range(len(self.ranges))))
        self._set(
            "runtimes", tuple(replace(v, interval=bounds[Runtime(n)]) for n, v in enumerate(self.runtimes))
        )
        self._set("constraints", tuple(kept))
        self.__dict__.pop("intervals", None)

    def _simplify_constraints(self) -> None:
        reached = self.intervals
        if not self.constraints or reached.is_nothing:
            return
        merged: dict[Expression, Interval] = {}
        for expression, interval in self.constraints:
            both = interval.intersect(merged.get(expression, interval))
            merged[expression] = _saturate_ends(both, reached(expression))
        kept = tuple(item for item in merged.items() if not item[1].covers(reached(item[0])))
        self._set("constraints", kept)
        if any(interval.intersect(reached(expression)).is_empty for expression, interval in kept):
            self._set("kind", Kind.KNOWN_EMPTY)

    def _become_empty(self) -> None:
        self._set("kind", Kind.KNOWN_EMPTY)
        self._set("results", (Constant(0),) * len(self.results))
        self._set("dimensions", (NOTHING,) * len(self.dimensions))
        self._set("ranges", (NOTHING,) * len(self.ranges))
        self._set("constraints", ())
        self.__dict__.pop("intervals", None)

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)  # only while the frozen map is being built


@lru_cache(CACHE_SIZE)
def _intervals(
    dimensions: tuple[Interval, ...], ranges: tuple[Interval, ...], runtimes: tuple[Interval, ...]
) -> Intervals:
    """Intervals shared by all maps within the same bounds; most maps derive from one another."""
    bounds: dict[Expression, Interval] = {Dim(number): each for number, each in enumerate(dimensions)}
    bounds |= {Range(number): each for number, each in enumerate(ranges)}
    bounds |= {Runtime(number): each for number, each in enumerate(runtimes)}
    return Intervals(bounds)


def _saturate_ends(interval: Interval, reached: Interval) -> Interval:
    """Replace an unbounded end, which would print as 2^63, by the end that is reached."""
    lower = reached.lower if interval.lower == INT64_MIN else interval.lower
    upper = reached.upper if interval.upper == INT64_MAX else interval.upper
    return Interval(lower, upper)


UNDEFINED = IndexMap((), (), kind=Kind.UNDEFINED)
"""The map of an opaque op; prints `unknown indexing`."""
KNOWN_EMPTY = IndexMap((), (), kind=Kind.KNOWN_EMPTY)
"""A map that relates nothing, for callers that ignore its ranks."""


@dataclass(frozen=True)
class OperandMap:
    """Relates operand number `operand` of an op to its result number `result`.

    From `index_maps()` the map goes from result to operand, from `inverse_index_maps()` from operand to
    result. Several maps with the same numbers form a union.
    """

    operand: int
    map: IndexMap
    result: int = 0
    place: Expression | None = None
    """For a collective, the position of the peer process, over the map's variables.

    The peer holds the operand (in `inverse_index_maps()`, the result). Its position is that in the op's order
    of peers, which in a group is the position in the group. `None`: the same process.
    """
    enclosing: bool = False
    """Whether the map is an over-approximation: a chain without a bounded exact form."""
    undecided: bool = False
    """Whether the run determines if it holds, by the branches taken or the iterations of loops."""

    @property
    def is_certain(self) -> bool:
        """Whether every run reads exactly the map's elements, given its runtime values."""
        return not (self.enclosing or self.undecided)

    @property
    def placed(self) -> IndexMap:
        """The map with `place`, if present, as its last result, to evaluate, simplify and compare both."""
        if self.place is None or self.map.kind is not Kind.NORMAL:
            return self.map
        return replace(self.map, results=(*self.map.results, self.place))

    def with_placed(self, placed: IndexMap) -> OperandMap:
        """The same with `placed` replaced by another map, whose last result is `place` if there is one."""
        if self.place is None or placed.kind is Kind.UNDEFINED or self.map.kind is not Kind.NORMAL:
            return replace(self, map=placed)
        rest = replace(placed, results=placed.results[:-1])
        return replace(self, map=rest, place=placed.results[-1])


def by_pair(maps: Iterable[OperandMap]) -> dict[tuple[int, int], list[OperandMap]]:
    """The maps of each operand and result."""
    groups: dict[tuple[int, int], list[OperandMap]] = {}
    for item in maps:
        groups.setdefault((item.operand, item.result), []).append(item)
    return groups
