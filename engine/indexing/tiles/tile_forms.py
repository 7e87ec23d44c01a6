"""Tiles of the form `start + stride * i`: one side per result, from formulas over loops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ..core.expressions import (
    CeilDivide,
    Constant,
    Expression,
    FloorDivide,
    Modulo,
    add,
    split_coefficient,
    terms_of,
    variables_of,
)
from ..core.index_map import Constraint
from ..core.interval import Interval
from ..texts.map_printing import print_expression


class NotTiled(Exception):
    """The elements read form no box with strides, or cannot be shown to; the message is a sentence."""


@dataclass(frozen=True)
class Side:
    """One dimension of a tile: `offset + stride * i` for i below `size`."""

    offset: Expression
    size: int
    stride: int = 1

    def within(self, domain: Interval) -> Side | None:
        """The part of a side with a constant offset that lies in `domain`; `None` if it is empty."""
        assert isinstance(self.offset, Constant)
        start, last = self.offset.value, self.offset.value + self.stride * (self.size - 1)
        skipped = max(0, -((start - domain.lower) // self.stride))
        beyond = max(0, -((domain.upper - last) // self.stride))
        size = self.size - skipped - beyond
        return Side(Constant(start + skipped * self.stride), size, self.stride) if size > 0 else None


@dataclass(frozen=True)
class Form:
    """Results and constraints over loops that start at 0."""

    results: tuple[Expression, ...]
    constraints: tuple[Constraint, ...]
    sizes: Mapping[Expression, int]
    """The loops: range variables and their trip counts."""
    fixed: Mapping[Expression, Interval]
    """The other variables: tile numbers and runtime variables."""
    is_empty: bool = False

    @cached_property
    def bounds(self) -> dict[Expression, Interval]:
        """The interval of each variable."""
        return {**self.fixed, **{loop: Interval(0, size - 1) for loop, size in self.sizes.items()}}


@dataclass(frozen=True)
class Linear:
    """`base + sum of factors * loops`; the base contains no loops."""

    base: Expression
    factors: Mapping[Expression, int]


def sides_of(form: Form) -> tuple[tuple[Side, ...], str]:
    """A side for each result, and a note if constraints restrict it. Raises NotTiled."""
    lines = [_linear(result, form) for result in form.results]
    _refuse_shared_loops(lines, form)
    sides = [_side(line, form, k) for k, line in enumerate(lines)]
    note = ""
    for constraint in form.constraints:
        note = _apply(constraint, lines, sides, form) or note
    return tuple(sides), note


# Sides


def _linear(expression: Expression, form: Form) -> Linear:
    base: list[Expression] = []
    factors: dict[Expression, int] = {}
    for term in terms_of(expression):
        variable, factor = split_coefficient(term)
        if variable in form.sizes:
            factors[variable] = factor
        elif any(each in form.sizes for each in variables_of(term)):
            raise NotTiled(_why_not_linear(variable, form))
        else:
            base.append(term)
    return Linear(add(0, *base), factors)


def _linear_or_none(expression: Expression, form: Form) -> Linear | None:
    try:
        return _linear(expression, form)
    except NotTiled:
        return None


def _why_not_linear(term: Expression, form: Form) -> str:
    text = print_expression(term)
    for dividend, divisor in divisions(term):
        sizes = [form.sizes[each] for each in variables_of(dividend) if each in form.sizes]
        if sizes:
            return (
                f"The map cuts the tile into pieces of {divisor} ({text}), which have no single step: the tile "
                f"({' x '.join(map(str, sizes))}) does not start and end at piece boundaries, or this cannot be shown."
            )
    return f"{text} does not grow by equal steps over the tile."


def _refuse_shared_loops(lines: list[Linear], form: Form) -> None:
    owners: dict[Expression, int] = {}
    for k, line in enumerate(lines):
        for loop in line.factors:
            if form.sizes[loop] > 1 and owners.setdefault(loop, k) != k:
                raise NotTiled(
                    f"Dimensions {owners[loop]} and {k} move together: the elements read form no box."
                )


def _side(line: Linear, form: Form, number: int) -> Side:
    offset, size, stride = line.base, 1, 1
    steps = sorted((abs(factor), form.sizes[loop]) for loop, factor in line.factors.items())
    for loop, factor in line.factors.items():
        if factor < 0:
            offset = offset + factor * (form.sizes[loop] - 1)
    for factor, count in steps:
        if count == 1:
            continue
        if size == 1:
            size, stride = count, factor
        elif factor % stride == 0 and factor // stride <= size:
            size += factor // stride * (count - 1)
        else:
            raise NotTiled(
                f"Dimension {number} is read with gaps: {count} pieces that start every {factor} elements, each "
                f"{size} elements at a distance of {stride}."
            )
    return Side(offset, size, stride)


def _apply(constraint: Constraint, lines: list[Linear], sides: list[Side], form: Form) -> str:
    """Restrict a side by a constraint on its elements; the note is empty if the result is exact."""
    expression, interval = constraint
    line = _linear_or_none(expression, form)
    for k, mine in enumerate(lines):
        ratio = _ratio(line, mine) if line else None
        if line is None or ratio is None:
            continue
        rest = line.base - mine.base * ratio
        offset = sides[k].offset
        if isinstance(rest, Constant) and isinstance(offset, Constant):
            within = sides[k].within(interval.solve(ratio, rest.value))
            sides[k] = within or Side(offset, 0, sides[k].stride)
            return ""
    text = print_expression(expression)
    return f"Only elements with {text} in {interval} are read: at an edge the tile holds more than that."


def _ratio(line: Linear, other: Linear) -> int | None:
    """The ratio of the loops of `line` to those of `other`; `None` if it is not one integer."""
    if not other.factors or line.factors.keys() != other.factors.keys():
        return None
    (first, *_) = other.factors
    ratio, rest = divmod(line.factors[first], other.factors[first])
    if rest or not ratio:
        return None
    same = all(line.factors[loop] == ratio * factor for loop, factor in other.factors.items())
    return ratio if same else None


def divisions(expression: Expression) -> Iterator[tuple[Expression, int]]:
    """The dividend and divisor of each quotient and remainder in an expression."""
    if isinstance(expression, (FloorDivide, CeilDivide, Modulo)):
        yield expression.dividend, expression.divisor
    for child in expression.children:
        yield from divisions(child)
