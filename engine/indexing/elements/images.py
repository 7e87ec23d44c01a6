"""The image of a set of elements under an index map: exact, and in closed form wherever the map allows it.

A map falls apart into components: results, constraints and runtime variables that share a variable. The image of a
box is the product of the components' images; one that is a sum of multiples of variables is a progression, any other
is enumerated by itself. So a row of a matrix product costs no more than a single element.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from ..builders.data_movement import reshape_maps
from ..evaluation import CHUNK, BoolArray, BoundMap, Int64Array, IntArray, runtime_values
from ..expressions import Dim, Expression, Range, Runtime, dims, variables_of
from ..index_map import IndexMap
from ..interval import Interval
from .element_sets import MOST_BOXES, Box, ElementSet, Shape, union_of
from .image_parts import Component, Part, component_of, part_of
from .linear_forms import Linear, divides, linear_form, value_of
from .progressions import combined, within

Operands = Sequence[IntArray | None]
DEFAULT_WORK = 1 << 24


class OutOfWork(Exception):
    """An image takes more candidates than its budget allows."""


@dataclass
class Work:
    """How many more candidates may be looked at."""

    left: int = DEFAULT_WORK

    def take(self, candidates: int) -> None:
        """`OutOfWork` if there are not so many left."""
        if candidates > self.left:
            raise OutOfWork
        self.left -= candidates


def image(
    bound: BoundMap, elements: ElementSet, shape: Sequence[int], work: Work | None = None
) -> ElementSet:
    """The elements of a tensor of `shape` that belong to any of `elements`.

    `OutOfWork` if that has to look at more candidates than `work` allows. An unknown map gives every element.
    """
    return plan_of(bound.map, tuple(shape)).image(elements, bound.operands, work or Work())


def plan_of(index_map: IndexMap, shape: Shape) -> Plan:
    """What can be known of images before there is a set; kept with the map, which never changes."""
    kept: dict[Shape, Plan] = index_map.__dict__.setdefault("_image_plans", {})
    if shape not in kept:
        kept[shape] = Plan(index_map, shape)
    return kept[shape]


@dataclass(frozen=True)
class Spans:
    """What one evaluation starts from: the values of each variable, and what there is of runtime values."""

    of: Mapping[Expression, range]
    constants: Mapping[Expression, int]
    operands: Operands
    work: Work
    rows: Int64Array | None = None
    """Indices instead of the dimension variables' spans, [n, rank]."""


class Plan:
    """Images under one map, in a tensor of one shape."""

    def __init__(self, index_map: IndexMap, shape: Shape) -> None:
        self.map, self.shape = index_map, shape
        self._readers: dict[tuple[int, ...], IndexMap] = {}
        self._strides = [prod(shape[k + 1 :]) for k in range(len(shape))]
        self._scalars = [Runtime(n) for n, v in enumerate(index_map.runtimes) if _is_constant(v.map)]
        self._results = [linear_form(e) for e in index_map.results]
        self._constraints = [linear_form(e) for e, _ in index_map.constraints]

    @cached_property
    def is_identity(self) -> bool:
        """Whether each element of a tensor of this shape belongs to itself."""
        return self.map == IndexMap.identity(self.shape)

    @cached_property
    def is_reshape(self) -> bool:
        """Whether an element belongs to that of the same row-major position."""
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
            return elements.reshaped(self.shape)
        constants = self._runtime_constants(elements, operands)
        if constants is None:
            return ElementSet.empty(self.shape)
        if elements.boxes is None:
            return self._of_rows(elements, constants, operands, work)
        parts = [self._of_box(box, constants, operands, work) for box in elements.boxes]
        return union_of(parts) if parts else ElementSet.empty(self.shape)

    def _runtime_constants(self, elements: ElementSet, operands: Operands) -> dict[Expression, int] | None:
        """The runtime variables that are the same everywhere; `None` if one leaves the domain."""
        if not self._scalars:
            return {}
        d = np.array([[interval.lower for interval in self.map.dimensions]], np.int64)
        s = np.array([[interval.lower for interval in self.map.ranges]], np.int64)
        reader = self._reading(tuple(runtime.number for runtime in self._scalars))
        values, known = runtime_values(reader, operands, d, s)
        if not known[0]:
            return None
        return {runtime: int(values[0, number]) for number, runtime in enumerate(self._scalars)}

    def _reading(self, runtimes: tuple[int, ...]) -> IndexMap:
        """The map with some of its runtime variables and nothing else, for their values."""
        if runtimes not in self._readers:
            found = tuple(self.map.runtimes[number] for number in runtimes)
            self._readers[runtimes] = IndexMap((), self.map.dimensions, self.map.ranges, found)
        return self._readers[runtimes]

    # A box

    def _of_box(
        self, box: Box, constants: Mapping[Expression, int], operands: Operands, work: Work
    ) -> ElementSet:
        found: dict[Expression, range] = {}
        for number, (numbers, interval) in enumerate(zip(box, self.map.dimensions, strict=True)):
            found[Dim(number)] = within(numbers, interval)
        spans = self._tightened(found, constants)
        if spans is None:
            return ElementSet.empty(self.shape)
        parts = [self._part(c, Spans(spans, constants, operands, work)) for c in self._components]
        return self._product(parts)

    def _of_rows(
        self, elements: ElementSet, constants: Mapping[Expression, int], operands: Operands, work: Work
    ) -> ElementSet:
        """As of a box, with all dimension variables in one component."""
        work.take(elements.count)
        rows = elements.to_indices()
        intervals = self.map.dimensions
        lower = np.array([interval.lower for interval in intervals], np.int64)
        upper = np.array([interval.upper for interval in intervals], np.int64)
        rows = rows[np.all((rows >= lower) & (rows <= upper), axis=1)]
        spans = self._tightened({}, constants)
        if spans is None or not len(rows):
            return ElementSet.empty(self.shape)
        start = Spans(spans, constants, operands, work, rows)
        return self._product([self._part(c, start) for c in self._joint_components])

    def _tightened(
        self, spans: dict[Expression, range], constants: Mapping[Expression, int]
    ) -> dict[Expression, range] | None:
        """`spans` and those of the range variables, as constraints on one variable narrow them; `None` if one is empty."""
        found = dict(spans)
        for number, interval in enumerate(self.map.ranges):
            found[Range(number)] = range(interval.lower, interval.upper + 1)
        for number in self._narrowing:
            form, (_, interval) = self._constraints[number], self.map.constraints[number]
            assert form is not None
            variable = self._narrowed(number)
            if variable is None or variable in found:
                limits = _solved(form, variable, interval, constants)
                if limits is None:
                    return None
                if variable is not None:
                    found[variable] = within(found[variable], limits)
        return found if all(found.values()) else None

    def _narrowed(self, constraint: int) -> Expression | None:
        """The variable, besides runtime ones, of a constraint that narrows."""
        form = self._constraints[constraint]
        assert form is not None
        return next((v for v in form.factors if not isinstance(v, Runtime)), None)

    @cached_property
    def _narrowing(self) -> list[int]:
        """The constraints on at most one variable and on constants."""
        return [n for n, form in enumerate(self._constraints) if form is not None and self._narrows(form)]

    def _narrows(self, form: Linear) -> bool:
        free = [v for v in form.factors if v not in self._scalars]
        return len(free) <= 1 and not any(isinstance(v, Runtime) for v in free)

    @cached_property
    def _components(self) -> list[Component]:
        return self._split([])

    @cached_property
    def _joint_components(self) -> list[Component]:
        """Those with all dimension variables in one, and the constraints on these not taken for granted."""
        return self._split(list(dims(len(self.map.dimensions))))

    def _split(self, together: Sequence[Expression]) -> list[Component]:
        kinds: list[tuple[str, int, set[Expression]]] = []
        for number, expression in enumerate(self.map.results):
            kinds.append(("results", number, self._variables(expression)))
        for number, (expression, _) in enumerate(self.map.constraints):
            settled = number in self._narrowing and self._narrowed(number) not in together
            if not settled:
                kinds.append(("constraints", number, self._variables(expression)))
        for number, runtime in enumerate(self.map.runtimes):
            if Runtime(number) not in self._scalars:
                shared = {v for e in runtime.map.results for v in self._variables(e)}
                kinds.append(("runtimes", number, {Runtime(number)} | shared))
        # Results without variables are one row each; joint variables hang together whether or not any is used.
        groups: list[tuple[set[Expression], list[tuple[str, int]]]] = (
            [(set(together), [])] if together else []
        )
        for kind, number, variables in kinds:
            mine = [group for group in groups if group[0] & variables]
            rest = [group for group in groups if not group[0] & variables]
            union = variables.union(*(group[0] for group in mine))
            groups = [*rest, (union, [item for group in mine for item in group[1]] + [(kind, number)])]
        return [component_of(variables, items) for variables, items in groups]

    def _variables(self, expression: Expression) -> set[Expression]:
        return {v for v in variables_of(expression) if v not in self._scalars}

    def _part(self, component: Component, spans: Spans) -> Part:
        """The image in the component's dimensions of the tensor."""
        joint = spans.rows is not None and any(isinstance(v, Dim) for v in component.variables)
        if not joint and not component.constraints and not component.runtimes:
            if not component.results:
                return Part((), [()])
            if len(component.results) == 1 and (form := self._results[component.results[0]]) is not None:
                found = self._closed(component.results[0], form, spans)
                if found is not None:
                    return Part(component.results, [(found,)] if found else [])
        return self._enumerated(component, spans, joint)

    def _closed(self, result: int, form: Linear, spans: Spans) -> range | None:
        constant = form.constant + sum(
            factor * spans.constants[v] for v, factor in form.factors.items() if v in spans.constants
        )
        terms = [(spans.of[v], factor) for v, factor in form.factors.items() if v not in spans.constants]
        found = combined(terms, constant)
        return None if found is None else within(found, Interval(0, self.shape[result] - 1))

    def _enumerated(self, component: Component, spans: Spans, joint: bool) -> Part:
        """By trying all values of the component's variables."""
        free = [
            v
            for v in component.variables
            if not isinstance(v, Runtime) and not (joint and isinstance(v, Dim))
        ]
        sizes = [len(spans.of[v]) for v in free]
        if joint:
            assert spans.rows is not None
            sizes = [len(spans.rows), *sizes]
        total = prod(sizes)
        spans.work.take(total)
        sub = tuple(self.shape[k] for k in component.results)
        found: list[Int64Array] = []
        for start in range(0, total, CHUNK):
            at = np.unravel_index(np.arange(start, min(start + CHUNK, total)), sizes) if sizes else ()
            columns = self._columns(free, at, spans, joint)
            found.append(self._positions(component, columns, spans, max(1, len(at[0]) if at else 1)))
        return part_of(component.results, sub, np.unique(np.concatenate(found)))

    def _columns(
        self, free: Sequence[Expression], at: Sequence[Int64Array], spans: Spans, joint: bool
    ) -> dict[Expression, Int64Array]:
        """The values of the variables, for some candidates."""
        columns: dict[Expression, Int64Array] = {}
        if joint:
            assert spans.rows is not None
            columns = {Dim(k): spans.rows[at[0], k] for k in range(spans.rows.shape[1])}
            at = at[1:]
        for variable, numbers in zip(free, at, strict=True):
            span = spans.of[variable]
            columns[variable] = span.start + numbers * span.step
        return columns

    def _positions(
        self, component: Component, columns: dict[Expression, Int64Array], spans: Spans, count: int
    ) -> Int64Array:
        """Where in the component's dimensions the candidates lie that are in the domain."""
        values: dict[Expression, Int64Array | int] = {**spans.constants, **columns}
        mask = np.ones(count, np.bool_)
        if component.runtimes:
            reader = self._reading(component.runtimes)
            read, known = runtime_values(reader, spans.operands, *self._full_columns(columns, count))
            mask &= known
            values.update({Runtime(number): read[:, k] for k, number in enumerate(component.runtimes)})
        for number in component.constraints:
            expression, interval = self.map.constraints[number]
            mask &= _inside(value_of(expression, values), interval) & divides(expression, values)
        position = np.zeros(count, np.int64)
        for number in component.results:
            coordinate = value_of(self.map.results[number], values)
            mask &= divides(self.map.results[number], values)
            mask &= _inside(coordinate, Interval(0, self.shape[number] - 1))
            position = position * self.shape[number] + coordinate
        return position[mask]

    def _full_columns(
        self, columns: Mapping[Expression, Int64Array], count: int
    ) -> tuple[Int64Array, Int64Array]:
        """All dimension and range variables; those of other components take any value of theirs."""
        tables = []
        for kind, intervals in ((Dim, self.map.dimensions), (Range, self.map.ranges)):
            table = np.empty((count, len(intervals)), np.int64)
            for number, interval in enumerate(intervals):
                variable = kind(number)
                table[:, number] = columns.get(variable, interval.lower)
            tables.append(table)
        return tables[0], tables[1]

    def _product(self, parts: Sequence[Part]) -> ElementSet:
        """The set whose coordinates come from all parts, in any combination."""
        if not all(part.boxes or part.positions is not None for part in parts):
            return ElementSet.empty(self.shape)
        if (
            all(part.positions is None for part in parts)
            and prod(len(part.boxes) for part in parts) <= MOST_BOXES
        ):
            return ElementSet.of_disjoint(self.shape, [*self._boxes(parts)])
        found = np.zeros(1, np.int64)
        for part in parts:
            found = (found[:, None] + part.offsets(self.shape, self._strides)).reshape(-1)
        return ElementSet.of_positions(self.shape, found)

    def _boxes(self, parts: Sequence[Part]) -> Iterator[Box]:
        choices: list[dict[int, range]] = [{}]
        for part in parts:
            choices = [
                {**known, **dict(zip(part.results, box, strict=True))}
                for known in choices
                for box in part.boxes
            ]
        for choice in choices:
            yield tuple(choice[k] for k in range(len(self.shape)))


def _is_constant(index_map: IndexMap) -> bool:
    """Whether a runtime variable is read at one place, wherever the question is about."""
    return (
        not index_map.constraints
        and not index_map.runtimes
        and not any(map(list, map(variables_of, index_map.results)))
    )


def _solved(
    form: Linear, variable: Expression | None, interval: Interval, constants: Mapping[Expression, int]
) -> Interval | None:
    """The values of `variable` for which the form lies in `interval`; without a variable, whether it does at all."""
    rest = form.constant + sum(f * constants[v] for v, f in form.factors.items() if v != variable)
    lower, upper = interval.lower - rest, interval.upper - rest
    if variable is None:
        return interval if lower <= 0 <= upper else None
    factor = form.factors[variable]
    if factor < 0:
        lower, upper, factor = -upper, -lower, -factor
    return Interval(-(-lower // factor), upper // factor)


def _inside(values: Int64Array | int, interval: Interval) -> BoolArray | np.bool_:
    return (values >= np.int64(interval.lower)) & (values <= np.int64(interval.upper))


__all__ = ["DEFAULT_WORK", "OutOfWork", "Plan", "Work", "image", "plan_of"]
