"""Images of sets of elements under index maps: exact, and in closed form where possible.

The image of a box is the product of the images under the map's factors. A factor that is a sum of multiples
of variables gives a progression; any other factor is enumerated. So a row of a matrix product costs as little
as one element.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from ..core.expressions import Dim, Expression, Range, Runtime, dims, variables_of
from ..core.index_map import IndexMap, RuntimeVariable
from ..core.interval import Interval
from ..core.linearization import Linear, linear_form
from ..evaluation.array_values import Int64Array
from ..evaluation.bound_map import BoundMap, Operands, read_runtimes
from ..evaluation.factors import Factor, factors_of
from ..evaluation.points import Points, span
from ..op_maps.data_movement_maps import reshape_maps
from .boxes import MAX_BOXES, Box, Shape, positions_of, progression_of
from .element_sets import ElementSet, union_of
from .progressions import clip, combine, progression

DEFAULT_WORK = 1 << 24


class OutOfWork(Exception):
    """The image needs more candidates than its budget allows."""


@dataclass
class Work:
    """Budget of candidates that may be enumerated."""

    left: int = DEFAULT_WORK

    def spend(self, candidates: int) -> None:
        """Spend part of the budget; raises `OutOfWork` if it is exceeded."""
        if candidates > self.left:
            raise OutOfWork
        self.left -= candidates


def image(
    bound: BoundMap, elements: ElementSet, shape: Sequence[int], work: Work | None = None
) -> ElementSet:
    """The elements of a tensor of `shape` that belong to any of `elements`.

    Raises `OutOfWork` if `work` does not suffice. The image under an unknown map is every element.
    """
    return plan_of(bound.map, tuple(shape)).image(elements, bound.operands, work or Work())


def plan_of(index_map: IndexMap, shape: Shape) -> Plan:
    """The precomputed plan for images in tensors of `shape`, cached on the immutable map."""
    kept: dict[Shape, Plan] = index_map.__dict__.setdefault("_image_plans", {})
    if shape not in kept:
        kept[shape] = Plan(index_map, shape)
    return kept[shape]


@dataclass(frozen=True)
class Spans:
    """Inputs of one evaluation: the values of each variable, and the runtime values."""

    of: Mapping[Expression, range]
    constants: Mapping[Expression, int]
    operands: Operands
    work: Work
    rows: Int64Array | None = None
    """Indices, [n, rank], in place of the spans of the dimension variables."""


@dataclass(frozen=True)
class _Part:
    """The image under one factor: boxes, or row-major positions, in the factor's dimensions of the tensor."""

    results: tuple[int, ...]
    boxes: Sequence[Box]
    positions: Int64Array | None = None

    def offsets(self, shape: Shape, strides: Sequence[int]) -> Int64Array:
        """The contribution of each element to the row-major position in the whole tensor."""
        sub = tuple(shape[k] for k in self.results)
        within_part = self.positions
        if within_part is None:
            within_part = np.concatenate([positions_of(box, sub) for box in self.boxes])
        columns: Iterable[Int64Array] = np.unravel_index(within_part, sub) if sub else ()
        found = np.zeros(len(within_part), np.int64)
        for k, column in zip(self.results, columns, strict=True):
            found += column * strides[k]
        return found


class Plan:
    """Computes images under one map, in a tensor of one shape."""

    def __init__(self, index_map: IndexMap, shape: Shape) -> None:
        self.map, self.shape = index_map, shape
        self._strides = [prod(shape[k + 1 :]) for k in range(len(shape))]
        self._scalars = {Runtime(n): v for n, v in enumerate(index_map.runtimes) if _is_constant(v)}
        self._results = [linear_form(e) for e in index_map.results]
        self._constraints = [linear_form(e) for e, _ in index_map.constraints]

    @cached_property
    def is_identity(self) -> bool:
        """Whether the map is the identity on this shape."""
        return self.map == IndexMap.identity(self.shape)

    @cached_property
    def is_reshape(self) -> bool:
        """Whether the map preserves row-major positions."""
        sizes = [interval.upper + 1 for interval in self.map.dimensions]
        if self.map.ranges or self.map.constraints or prod(sizes) != prod(self.shape) or 0 in self.shape:
            return False
        return self.map == next(reshape_maps(self.shape, sizes)).map

    def image(self, elements: ElementSet, operands: Operands, work: Work) -> ElementSet:
        """The elements that belong to any of `elements`; `OutOfWork` if `work` does not suffice."""
        if self.map.is_undefined:
            return ElementSet.full(self.shape) if elements else ElementSet.empty(self.shape)
        if self.map.is_known_empty or not elements:
            return ElementSet.empty(self.shape)
        if self.is_identity and elements.shape == self.shape:
            return elements
        if (
            self.is_reshape
            and len(elements.shape) == len(self.map.dimensions)
            and elements.size == prod(self.shape)
        ):
            return elements.reshape(self.shape)
        constants = self._runtime_constants(operands)
        if constants is None:
            return ElementSet.empty(self.shape)
        if elements.boxes is None:
            return self._of_rows(elements, constants, operands, work)
        parts = [self._of_box(box, constants, operands, work) for box in elements.boxes]
        return union_of(parts) if parts else ElementSet.empty(self.shape)

    def _runtime_constants(self, operands: Operands) -> dict[Expression, int] | None:
        """Values of runtime variables that are the same everywhere; `None` if one is out of range."""
        scalars = ((runtime.number, variable) for runtime, variable in self._scalars.items())
        values, known = read_runtimes(scalars, operands, {})
        return {runtime: int(value) for runtime, value in values.items()} if known else None

    # A box

    def _of_box(
        self, box: Box, constants: Mapping[Expression, int], operands: Operands, work: Work
    ) -> ElementSet:
        found: dict[Expression, range] = {}
        for number, (numbers, interval) in enumerate(zip(box, self.map.dimensions, strict=True)):
            found[Dim(number)] = clip(numbers, interval)
        spans = self._tighten(found, constants)
        if spans is None:
            return ElementSet.empty(self.shape)
        parts = [self._part(each, Spans(spans, constants, operands, work)) for each in self._factors]
        return self._product(parts)

    def _of_rows(
        self, elements: ElementSet, constants: Mapping[Expression, int], operands: Operands, work: Work
    ) -> ElementSet:
        """The image of arbitrary rows: as for a box, with all dimension variables in one factor."""
        work.spend(elements.count)
        rows = elements.to_indices()
        intervals = self.map.dimensions
        lower = np.array([interval.lower for interval in intervals], np.int64)
        upper = np.array([interval.upper for interval in intervals], np.int64)
        rows = rows[np.all((rows >= lower) & (rows <= upper), axis=1)]
        spans = self._tighten({}, constants)
        if spans is None or not len(rows):
            return ElementSet.empty(self.shape)
        start = Spans(spans, constants, operands, work, rows)
        return self._product([self._part(each, start) for each in self._factors_of_rows])

    def _tighten(
        self, spans: dict[Expression, range], constants: Mapping[Expression, int]
    ) -> dict[Expression, range] | None:
        """The spans of all variables, narrowed by constraints on one variable; `None` if one is empty."""
        found = dict(spans)
        for number, interval in enumerate(self.map.ranges):
            found[Range(number)] = span(interval)
        for number in self._narrowing_constraints:
            form, (_, interval) = self._constraints[number], self.map.constraints[number]
            assert form is not None
            variable = self._narrowed_variable(number)
            if variable is None or variable in found:
                limits = _solve(form, variable, interval, constants)
                if limits is None:
                    return None
                if variable is not None:
                    found[variable] = clip(found[variable], limits)
        return found if all(found.values()) else None

    def _narrowed_variable(self, constraint: int) -> Expression | None:
        """The variable, other than runtime ones, that a constraint narrows."""
        form = self._constraints[constraint]
        assert form is not None
        return next((v for v in form.factors if not isinstance(v, Runtime)), None)

    @cached_property
    def _narrowing_constraints(self) -> list[int]:
        """Constraints on at most one variable and on constants."""
        return [n for n, form in enumerate(self._constraints) if form is not None and self._narrows(form)]

    def _narrows(self, form: Linear) -> bool:
        free = [v for v in form.factors if v not in self._scalars]
        return len(free) <= 1 and not any(isinstance(v, Runtime) for v in free)

    @cached_property
    def _factors(self) -> tuple[Factor, ...]:
        return factors_of(self.map, (), self._scalars, self._narrowing_constraints)

    @cached_property
    def _factors_of_rows(self) -> tuple[Factor, ...]:
        """Factors with all dimension variables in one, and with the constraints on them included."""
        joined = dims(len(self.map.dimensions))
        settled = [n for n in self._narrowing_constraints if self._narrowed_variable(n) not in joined]
        return factors_of(self.map, joined, self._scalars, settled)

    def _part(self, factor: Factor, spans: Spans) -> _Part:
        """The image under one factor."""
        by_rows = spans.rows is not None and bool(factor.dimensions)
        if (
            not by_rows
            and not factor.constraints
            and all(Runtime(k) in self._scalars for k in factor.runtimes)
        ):
            if not factor.results:
                return _Part((), [()])
            if len(factor.results) == 1 and (form := self._results[factor.results[0]]) is not None:
                found = self._closed_form(factor.results[0], form, spans)
                if found is not None:
                    return _Part(factor.results, [(found,)] if found else [])
        return self._enumerate(factor, spans, spans.rows if by_rows else None)

    def _closed_form(self, result: int, form: Linear, spans: Spans) -> range | None:
        constant = form.constant + sum(
            factor * spans.constants[v] for v, factor in form.factors.items() if v in spans.constants
        )
        terms = [(spans.of[v], factor) for v, factor in form.factors.items() if v not in spans.constants]
        found = combine(terms, constant)
        return None if found is None else clip(found, Interval(0, self.shape[result] - 1))

    def _enumerate(self, factor: Factor, spans: Spans, rows: Int64Array | None) -> _Part:
        """The image by enumeration of the factor's variables; `rows` replace those of the dimensions."""
        free = factor.variables if rows is None else map(Range, factor.ranges)
        points = Points({variable: spans.of[variable] for variable in free}, rows=rows)
        spans.work.spend(points.count)
        shape = tuple(self.shape[k] for k in factor.results)
        images = BoundMap(factor.map, spans.operands).images(points)
        return _part_of(
            factor.results,
            shape,
            np.unique(np.concatenate([_positions_within(shape, each) for each in images])),
        )

    def _product(self, parts: Sequence[_Part]) -> ElementSet:
        """The Cartesian product of the parts."""
        if not all(part.boxes or part.positions is not None for part in parts):
            return ElementSet.empty(self.shape)
        if (
            all(part.positions is None for part in parts)
            and prod(len(part.boxes) for part in parts) <= MAX_BOXES
        ):
            return ElementSet.of_disjoint(self.shape, [*self._boxes(parts)])
        found = np.zeros(1, np.int64)
        for part in parts:
            found = (found[:, None] + part.offsets(self.shape, self._strides)).reshape(-1)
        return ElementSet.of_positions(self.shape, found)

    def _boxes(self, parts: Sequence[_Part]) -> Iterator[Box]:
        choices: list[dict[int, range]] = [{}]
        for part in parts:
            choices = [
                {**known, **dict(zip(part.results, box, strict=True))}
                for known in choices
                for box in part.boxes
            ]
        for choice in choices:
            yield tuple(choice[k] for k in range(len(self.shape)))


def _part_of(results: tuple[int, ...], sub: Shape, positions: Int64Array) -> _Part:
    """The positions as one box, or as a few single elements, if possible."""
    if not len(positions):
        return _Part(results, [])
    if len(sub) == 1 and (found := progression_of(positions)) is not None:
        return _Part(results, [(found,)])
    boxes = ElementSet.of_positions(sub, positions).boxes
    if boxes is not None:
        return _Part(results, boxes)
    if len(positions) <= MAX_BOXES // 4:
        columns = np.unravel_index(positions, sub)
        points = zip(*(column.tolist() for column in columns), strict=True)
        return _Part(results, [tuple(progression(i, 1) for i in point) for point in points])
    return _Part(results, (), positions)


def _positions_within(shape: Shape, indices: Int64Array) -> Int64Array:
    """Row-major positions of the indices, int64 [n, rank], that lie in a tensor of `shape`."""
    positions, inside = np.zeros(len(indices), np.int64), np.ones(len(indices), np.bool_)
    for column, size in zip(indices.T, shape, strict=True):
        positions = positions * size + column
        inside &= (column >= 0) & (column < size)
    return positions if inside.all() else positions[inside]


def _is_constant(variable: RuntimeVariable) -> bool:
    """Whether a runtime variable has one value for all elements."""
    here = variable.map
    return not here.constraints and not here.runtimes and not any(map(variables_of, here.results))


def _solve(
    form: Linear, variable: Expression | None, interval: Interval, constants: Mapping[Expression, int]
) -> Interval | None:
    """The values of `variable` for which the form lies in `interval`.

    Without a variable, the whole interval, or `None` if the form lies outside.
    """
    rest = form.constant + sum(f * constants[v] for v, f in form.factors.items() if v != variable)
    if variable is None:
        return interval if rest in interval else None
    return interval.solve(form.factors[variable], rest)
