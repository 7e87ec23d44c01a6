"""Describe an index map in English: the elements that an element reads, or those that read it.

Dimensions are named by their numbers; a part without a short description is written as its formula, in
backticks.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from ..core.expressions import (
    CeilDivide,
    Constant,
    Dim,
    Expression,
    FloorDivide,
    Modulo,
    Range,
    Runtime,
    split_coefficient,
    terms_of,
    variables_of,
)
from ..core.index_map import IndexMap, OperandMap, RuntimeVariable
from ..core.interval import Interval
from ..op_maps.collective_maps import GROUP_SIZE, OWN_PLACE
from .map_printing import Style, print_expression

Named = Callable[[int], str]
"""Maps an operand number to the name of an operand, or of an auxiliary value."""
Shape = Sequence[int] | None


def describe_union(
    items: Sequence[OperandMap],
    *,
    inverse: bool,
    operand: str,
    result: str,
    named: Named,
    shapes: tuple[Shape, Shape] = (None, None),
) -> str:
    """Describe the maps between one operand and one result, one line for each distinct statement.

    Names stand in backticks. `named` names the operands that runtime variables are read from; `shapes` are
    those of the operand and of the result, where they are known, to distinguish parts of tensors from whole
    ones.
    """
    source, target = (operand, result) if inverse else (result, operand)
    known, other = shapes if inverse else (shapes[1], shapes[0])
    said: dict[tuple[str, ...], list[str]] = {}
    for item in items:
        statement, conditions = _statement_and_conditions(item, inverse, source, target, named, known, other)
        said.setdefault(statement, []).append(conditions)
    return "\n".join(_join_lines(*each) for each in said.items())


def _statement_and_conditions(
    item: OperandMap, inverse: bool, source: str, target: str, named: Named, known: Shape, other: Shape
) -> tuple[tuple[str, ...], str]:
    """The statement about one map, and the conditions under which it holds."""
    if item.map.is_undefined:
        ends = (source, target) if inverse else (target, source)
        return (f"It is unknown which elements of `{ends[0]}` belong to an element of `{ends[1]}`.",), ""
    if item.map.is_known_empty:
        verb = "goes into" if inverse else "reads any of"
        return (f"No element of `{source}` {verb} `{target}`.",), ""
    words = _Describer(item, inverse, source, target, named, known, other)
    return words.statement(), _list(words.conditions())


def _join_lines(statement: tuple[str, ...], conditions: Sequence[str]) -> str:
    """Join a statement with its alternative conditions; an empty condition makes it unconditional."""
    first, *rest = statement
    only = [] if "" in conditions else [f"Only where {'; or where '.join(dict.fromkeys(conditions))}."]
    text = " ".join([first, *only, *rest])
    letters = re.search(r"\bd\d", " ".join(text.split("`")[1::2]))
    return re.sub(r"^Element (\[.*?\])", r"Element \1" if letters else "Each element", text)


@dataclass(frozen=True)
class _Describer:
    item: OperandMap
    inverse: bool
    source: str
    """The tensor whose elements are the subject."""
    target: str
    named: Named
    shape: Shape
    other: Shape

    @property
    def map(self) -> IndexMap:
        return self.item.map

    def statement(self) -> tuple[str, ...]:
        """The main sentence without its conditions, and the sentences that follow the conditions."""
        names = ", ".join(f"d{number}" for number in range(len(self.map.dimensions)))
        subject = f"Element [{names}]" if names else "The one element"
        verb = "goes into" if self.inverse else "reads"
        said = f"{self._elements()}{self._process()}{self._location()}."
        more = (
            ["This includes all elements that belong to it, and possibly more."]
            if self.item.enclosing
            else []
        )
        return f"{subject} of `{self.source}` {verb} {said}", *self._clamps(), *self._loops(), *more

    # Which elements

    def _elements(self) -> str:
        if not self.map.results:
            return f"the one element of `{self.target}`"
        if self._is_same:
            return f"the element of `{self.target}` at the same index"
        if self._is_everything:
            return f"all elements of `{self.target}`"
        return f"{self._count()} of `{self.target}`"

    @property
    def _is_same(self) -> bool:
        return self.map.results == tuple(map(Dim, range(len(self.map.dimensions))))

    @cached_property
    def _is_everything(self) -> bool:
        if not self.map.results or self.map.constraints or any(not v.clamped for v in self.map.runtimes):
            return False
        numbers = {found.number for found in self.map.results if isinstance(found, Range)}
        count = len(self.map.results)
        return len(numbers) == count and all(map(self._is_whole, range(count)))

    def _is_whole(self, number: int) -> bool:
        """Whether a range variable alone covers a whole dimension of the target."""
        found = self.map.results[number]
        if not isinstance(found, Range):
            return False
        interval = self.map.ranges[found.number]
        return self.other is None or interval == Interval(0, self.other[number] - 1)

    def _count(self) -> str:
        used = {v.number for e in self.map.results for v in variables_of(e) if isinstance(v, Range)}
        count = prod(self.map.ranges[number].size for number in used)
        limited = bool(self.map.constraints) or any(not v.clamped for v in self.map.runtimes)
        if count == 1:
            return "one element"
        return f"up to {count} elements" if limited else f"{count} elements"

    # Their location

    def _location(self) -> str:
        if not self.map.results or self._is_same or self._is_everything:
            return ""
        phrases = [self._dimension(number) for number in range(len(self.map.results))]
        if len(phrases) == 1:
            return f": {phrases[0]}"
        alike = len(self.map.results) == len(self.map.dimensions)
        same = [n for n, found in enumerate(self.map.results) if alike and found == Dim(n)]
        others = [f"along dimension {n}: {phrase}" for n, phrase in enumerate(phrases) if n not in same]
        return f"{' at the same index, but' if same else ','} {'; '.join(others)}"

    def _dimension(self, number: int) -> str:
        found = self.map.results[number]
        if isinstance(found, Constant):
            return f"index {found.value}"
        if self._is_whole(number):
            assert isinstance(found, Range)
            return f"every index `s{found.number}`" if found.number in self._named_ranges else "every index"
        return self._linear(found) or self._division(found) or f"`{self._formula(found)}`"

    def _index(self, number: int) -> str:
        return f"the index in dimension {number}" if len(self.map.dimensions) > 1 else "its index"

    def _linear(self, found: Expression) -> str | None:
        """Describe a sum of at most one index, one range and a constant; `None` for other expressions."""
        steps: dict[type[Expression], tuple[int, int]] = {}
        constant = 0
        for term in terms_of(found):
            atom, step = split_coefficient(term)
            if isinstance(atom, Constant):
                constant = step
            elif isinstance(atom, (Dim, Range)) and type(atom) not in steps:
                steps[type(atom)] = atom.number, step
            else:
                return None
        if Range not in steps:
            return self._offset(*steps[Dim], constant)
        number, step = steps[Range]
        interval = self.map.ranges[number]
        if number in self._named_ranges or Modulo in map(type, self.map.results):
            return None
        first = constant + min(interval.lower * step, interval.upper * step)
        start = self._offset(*steps[Dim], first) if Dim in steps else f"index {first}"
        apart = "" if abs(step) == 1 else f", {abs(step)} apart"
        return start if interval.size == 1 else f"{interval.size} indices{apart}, starting at {start}"

    def _offset(self, number: int, factor: int, constant: int) -> str:
        if factor == -1:
            last = constant == self.map.dimensions[number].upper and not self.map.ranges
            return (
                f"{self._index(number)} counted from the end"
                if last
                else f"{constant} minus {self._index(number)}"
            )
        times = {1: "", 2: "twice "}.get(factor, f"{factor} times ")
        words = f"{times}{self._index(number)}"
        if not constant:
            return words
        return f"{words} {'plus' if constant > 0 else 'minus'} {abs(constant)}"

    def _division(self, found: Expression) -> str | None:
        if not isinstance(found, (FloorDivide, CeilDivide, Modulo)) or not isinstance(found.dividend, Dim):
            return None
        index = self._index(found.dividend.number)
        if isinstance(found, Modulo):
            return f"the remainder of {index} divided by {found.divisor}"
        way = "down" if isinstance(found, FloorDivide) else "up"
        return f"{index} divided by {found.divisor}, rounded {way}"

    def _formula(self, found: Expression) -> str:
        """The formula, with runtime variables replaced by the values that they read."""
        text = print_expression(found, Style.XLA_2024, len(self.map.ranges))
        # The style of 2024 numbers runtime variables after the ranges.
        reads = {f"s{len(self.map.ranges) + n}": self._read(v) for n, v in enumerate(self.map.runtimes)}
        return re.sub(r"\bs\d+\b", lambda match: reads.get(match[0], match[0]), text)

    def _read(self, variable: RuntimeVariable) -> str:
        """`indices[d0, 1]`; for a scalar its name alone."""
        at = ", ".join(print_expression(found) for found in variable.map.results)
        name = self.named(variable.operand)
        name = f"({name})" if " " in name else name
        return f"{name}[{at}]" if at else name

    # In which process

    def _process(self) -> str:
        place = self.item.place
        if place is None:
            return ""
        if isinstance(place, Range):
            return " in every process of the group"
        if isinstance(place, Runtime):
            variable = self.map.runtimes[place.number]
            if not variable.map.results:
                return f" in the process at the `{self.named(variable.operand)}`"
            return f" in the process at place `{self._read(variable)}`"
        return f" in the process at place `{self._formula(place)}` of the group"

    # Under which conditions

    def conditions(self) -> list[str]:
        """The conditions under which the map holds."""
        return [*self._bounded_indices(), *self._constraints(), *self._runtime_conditions()]

    def _bounded_indices(self) -> Iterator[str]:
        if self.shape is None or len(self.shape) != len(self.map.dimensions):
            return
        for number, (interval, size) in enumerate(zip(self.map.dimensions, self.shape, strict=True)):
            if interval != Interval(0, size - 1):
                yield f"{self._index(number)} is {_interval(interval)}"

    def _constraints(self) -> Iterator[str]:
        for expression, interval in self.map.constraints:
            if isinstance(expression, Modulo) and interval == Interval(0, 0):
                yield f"`{self._formula(expression.dividend)}` is a multiple of {expression.divisor}"
            else:
                yield f"`{self._formula(expression)}` is {_interval(interval)}"

    def _runtime_conditions(self) -> Iterator[str]:
        for number, variable in enumerate(self.map.runtimes):
            if not variable.clamped and (words := self._value(number, variable)):
                yield words

    def _value(self, number: int, variable: RuntimeVariable) -> str | None:
        """Condition on a runtime variable, unless it is implied or already stated."""
        if self.item.place == Runtime(number):
            return None
        name, interval = self.named(variable.operand), variable.interval
        if name not in (OWN_PLACE, GROUP_SIZE):
            return f"`{self._read(variable)}` is {_interval(interval)}"
        if interval.is_point:
            return f"the {name} is {interval.lower}"
        expressions = (*self.map.results, *(expression for expression, _ in self.map.constraints))
        used = any(Runtime(number) in variables_of(expression) for expression in expressions)
        return None if used or name == GROUP_SIZE else "the process is in a group"

    def _clamps(self) -> Iterator[str]:
        intervals: dict[str, Interval] = {}
        for variable in self.map.runtimes:
            if variable.clamped:
                intervals.setdefault(f"`{self._read(variable)}`", variable.interval)
        found = [f"{read} to {i.lower} … {i.upper}" for read, i in intervals.items()]
        if found:
            yield f"Run-time positions are clamped: {_list(found)}."

    # The intervals of range variables

    @cached_property
    def _named_ranges(self) -> set[int]:
        """Range variables that conditions or runtime reads refer to."""
        constraints = (expression for expression, _ in self.map.constraints)
        read = (found for variable in self.map.runtimes for found in variable.map.results)
        return {
            v.number
            for expression in (*constraints, *read)
            for v in variables_of(expression)
            if isinstance(v, Range)
        }

    def _loops(self) -> Iterator[str]:
        """State the intervals of named range variables that do not cover a whole dimension."""
        formulas = (
            found for number, found in enumerate(self.map.results) if self._dimension(number)[0] == "`"
        )
        spelled = {v.number for found in formulas for v in variables_of(found) if isinstance(v, Range)}
        whole = {
            found.number
            for number, found in enumerate(self.map.results)
            if isinstance(found, Range) and self._is_whole(number)
        }
        runs = [(n, self.map.ranges[n]) for n in sorted((spelled | self._named_ranges) - whole)]
        if runs:
            yield f"For each {_list([f'`s{n}` from {i.lower} to {i.upper}' for n, i in runs])}."


def _interval(interval: Interval) -> str:
    if interval.is_point:
        return str(interval.lower)
    return f"from {interval.lower} to {interval.upper}"


def _list(items: Sequence[str]) -> str:
    return f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else "".join(items)
