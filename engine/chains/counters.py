"""Loops that count: loop values that grow by one step in each iteration, and how many iterations there are.

`for i in range(start, stop, step)` as programs write it: a scalar integer that begins with a constant, to which the
body adds a constant, and a condition that compares it with a constant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..indexing import Constant, Expression, Interval, Runtime
from ..indexing.expressions import split_coefficient, terms_of
from ..ir.element_types import ElementType
from ..ir.types import TensorType
from ..ops.comparisons import ComparisonDirection
from ..program import BoundOperation, BoundProgram
from .bodies import bodies, given
from .folding import Following, Known
from .handed_on import unchanged
from .leaves import Leaf, leaf_type, leaves
from .sources import Sources

LARGEST = 1 << 30
"""Counters that leave [-LARGEST, LARGEST] are not looked at: nothing wraps around before that."""


@dataclass(frozen=True)
class Counter:
    """A loop value that is `start` in the first iteration, and `step` more in each one after it."""

    start: int
    step: int

    def at(self, moment: Expression) -> Expression:
        """Its value when `moment` iterations have been run."""
        return moment * self.step + self.start

    def interval(self, trips: int) -> Interval:
        """All its values in and after `trips` iterations."""
        last = self.start + trips * self.step
        return Interval(min(self.start, last), max(self.start, last))


@dataclass(frozen=True)
class Counted:
    """A loop whose number of iterations is known, with its counters by the argument leaves of its body."""

    trips: int
    counters: Mapping[Leaf, Counter]
    known: Known
    """What that says of the values in its condition and body."""


def counted(sources: Sources, loop: BoundOperation) -> Counted | None:
    """What counts in a `while`; `None` where the program does not say how often it runs."""
    finder = _Finder(sources, loop)
    counters = dict(finder.counters())
    trips = finder.trips(counters) if counters else None
    if trips is None:
        return None
    limits = {leaf: counter.interval(trips) for leaf, counter in counters.items()}
    if any(max(-each.lower, each.upper) > LARGEST for each in limits.values()):
        return None
    return Counted(trips, counters, Known(limits, finder.same))


class _Finder:
    def __init__(self, sources: Sources, loop: BoundOperation) -> None:
        self.sources = sources
        self.program: BoundProgram = sources.program
        condition, body = bodies(self.program, loop)
        self.body = body
        self.predicate = given(condition.block)[0]
        self.values = leaves(self.program, body.block.arguments)
        operands = dict(body.arguments)
        lasting = unchanged(self.program, loop)
        self.operands = operands
        # What the condition is given is named as in the body; what never changes, as outside.
        self.same: dict[Leaf, Leaf] = {value: operands[value] for value in self.values if value in lasting}
        for (tested, operand), value in zip(condition.arguments, self.values, strict=True):
            self.same[tested] = operand if value in lasting else value

    def counters(self) -> Iterator[tuple[Leaf, Counter]]:
        """The loop values that count."""
        for (result, _), value in zip(self.body.results, self.values, strict=True):
            if value in self.same or not self._is_scalar_integer(value):
                continue
            start = self._following().scalar(self.operands[value])
            step = self._step(result, value)
            if isinstance(start, Constant) and step:
                yield value, Counter(start.value, step)

    def _step(self, result: Leaf, value: Leaf) -> int | None:
        """By how much more a loop value is after an iteration."""
        following = self._following({value: self._within(value)})
        made = following.scalar(result)
        if made is None:
            return None
        found = following.of_one(made)
        return found[2] if found is not None and found[:2] == (value, 1) else None

    def trips(self, counters: Mapping[Leaf, Counter]) -> int | None:
        """How often the condition is true, one time after the other."""
        following = self._following({value: self._within(value) for value in counters})
        compared = following.comparison(Leaf(self.predicate))
        found = following.of_one(compared.difference) if compared is not None else None
        if compared is None or found is None or found[0] not in counters:
            return None
        counter, (_, factor, constant) = counters[found[0]], found
        first = factor * counter.start + constant
        return iterations(compared.direction, first, factor * counter.step)

    def _following(self, limits: Mapping[Leaf, Interval] | None = None) -> _Reading:
        return _Reading(self.sources, -1, Known(limits or {}, self.same))

    def _within(self, value: Leaf) -> Interval:
        """Between which integers a counter is thought to be, until it is known better."""
        found = leaf_type(self.program, value)
        assert isinstance(found, TensorType)
        assert isinstance(found.element_type, ElementType)
        return Interval(0 if found.element_type.kind == "unsigned" else -LARGEST, LARGEST)

    def _is_scalar_integer(self, value: Leaf) -> bool:
        found = leaf_type(self.program, value)
        if not isinstance(found, TensorType) or found.shape:
            return False
        return isinstance(found.element_type, ElementType) and found.element_type.is_integer


class _Reading(Following):
    """Reads scalars."""

    def scalar(self, leaf: Leaf) -> Expression | None:
        """The value, over what only a run knows."""
        return self._read(leaf, (), 0)

    def of_one(self, value: Expression) -> tuple[Leaf, int, int] | None:
        """A loop value, its factor and a constant, where `value` is made of these alone."""
        factor, constant, leaf = 0, 0, None
        for term in terms_of(value):
            atom, times = split_coefficient(term)
            if isinstance(term, Constant):
                constant = term.value
            elif isinstance(atom, Runtime) and leaf is None:
                factor, leaf = times, self.sources.source(self.runtimes[atom.number].operand).leaf
            else:
                return None
        return None if leaf is None else (leaf, factor, constant)


def iterations(direction: ComparisonDirection, first: int, step: int) -> int | None:
    """How many of first, first + step, … stand to 0 as `direction` says before one does not; `None` for all."""
    match direction:
        case ComparisonDirection.GT | ComparisonDirection.GE:
            turned = {"GT": ComparisonDirection.LT, "GE": ComparisonDirection.LE}[direction.value]
            return iterations(turned, -first, -step)
        case ComparisonDirection.LT | ComparisonDirection.LE:
            # x <= 0 is x - 1 < 0.
            below = first if direction is ComparisonDirection.LT else first - 1
            if below >= 0:
                return 0
            return -(below // step) if step > 0 else None
        case ComparisonDirection.NE:
            if first == 0:
                return 0
            return -first // step if step and first % step == 0 and -first // step > 0 else None
        case _:
            return 0 if first else (1 if step else None)
