"""Comparators of sort that ask for an order by keys: NumPy sorts by these as a whole.

A comparator takes the left and the right element of input 0, then those of input 1, and so on. It is read
symbolically: what each of its values says about the two sides is one of the classes below, or unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from ..ir.attributes import DenseAttribute, EnumAttribute
from ..ir.module import Operation, Region
from ..ir.types import TensorType
from .comparisons import CompareType, ComparisonDirection
from .kinds import kind_of
from .op import Array
from .sort_keys import Part, total_order_column, unordered_column


@dataclass(frozen=True)
class Key:
    """What two elements are compared by."""

    input: int
    part: Part = Part.WHOLE
    zeros_equal: bool = False
    """Whether -0 was made +0."""
    nan: bool | None = None
    """Whether every NaN was made one that is positive (or negative)."""
    total_order: bool = False

    def column(self, inputs: Sequence[Array], types: Sequence[TensorType], *, descending: bool) -> Array:
        """The keys, in an order that NumPy knows: integers, or floats where a NaN is neither above nor below."""
        values, element_type = self.part.of(inputs[self.input], types[self.input].element_type)
        if not element_type.is_float or self.total_order:
            return total_order_column(
                values, element_type, zeros_equal=self.zeros_equal, nan=self.nan, descending=descending
            )
        return unordered_column(values, element_type, descending=descending)


@dataclass(frozen=True)
class Order:
    """Elements go by the first key, equal ones by the second, and so on."""

    keys: tuple[tuple[Key, bool], ...]
    """Each with whether it is descending."""
    later_first: bool = False
    """Whether of elements that are equal by every key each comes before the others, as LE and GE say.

    A stable merge then takes the later one first.
    """

    def columns(self, inputs: Sequence[Array], types: Sequence[TensorType]) -> list[Array]:
        """The keys of all elements, the first to go by first."""
        return [key.column(inputs, types, descending=descending) for key, descending in self.keys]

    @property
    def inputs(self) -> frozenset[int]:
        """The inputs that decide."""
        return frozenset(key.input for key, _ in self.keys)

    @property
    def compared(self) -> frozenset[Key]:
        """The keys, whatever their direction."""
        return frozenset(key for key, _ in self.keys)


@dataclass(frozen=True)
class _Side:
    """A key of the left or of the right elements."""

    key: Key
    left: bool

    @property
    def plain(self) -> _Side:
        """Before zeros and NaNs were made one."""
        return replace(self, key=replace(self.key, zeros_equal=False, nan=None))


@dataclass(frozen=True)
class _Is:
    """Whether a side is a zero, or a NaN."""

    side: _Side
    nan: bool


@dataclass(frozen=True)
class _Equal:
    """Whether both sides have the same keys."""

    keys: frozenset[Key]
    negated: bool = False


@dataclass(frozen=True)
class _Then:
    """Whether both sides have the same keys, and the order holds."""

    keys: frozenset[Key]
    order: Order


@dataclass(frozen=True)
class _Number:
    """A constant."""

    value: Any


_Meaning = _Side | _Is | _Equal | _Then | _Number | Order | None
_Rule = Callable[[Operation, list[Any]], _Meaning]
_REAL = ("boolean", "signed", "unsigned", "float", "per-tensor")


def order_of(comparator: Region) -> Order | None:
    """What the comparator asks for, if it is one of those that go by keys."""
    if len(comparator.blocks) != 1 or not comparator.block.operations:
        return None
    known: dict[str, _Meaning] = {}
    for number, argument in enumerate(comparator.block.arguments):
        known[argument.name] = _argument(number, argument.type)
    for operation in comparator.block.operations[:-1]:
        rule = _RULES.get(operation.name)
        if rule is not None and len(operation.results) == 1:
            operands = [known.get(value.name) for value in operation.operands]
            known[operation.results[0].name] = rule(operation, operands)
    returned = comparator.block.operations[-1].operands
    found = known.get(returned[0].name) if returned else None
    return found if isinstance(found, Order) else None


def _argument(number: int, found: Any) -> _Meaning:
    kinds = (*_REAL, "complex")
    if not isinstance(found, TensorType) or kind_of(found.element_type) not in kinds:
        return None
    return _Side(Key(number // 2), left=number % 2 == 0)


def _constant(operation: Operation, operands: list[Any]) -> _Meaning:
    value = operation.attribute("value")
    if not isinstance(value, DenseAttribute) or value.data.ndim or not value.type.element_type.is_float:
        return None
    return _Number(value.data[()])


def _part(part: Part) -> _Rule:
    def rule(operation: Operation, operands: list[Any]) -> _Meaning:
        if len(operands) != 1 or not isinstance(operands[0], _Side) or operands[0] != operands[0].plain:
            return None
        operand = operands[0]
        if kind_of(_element_type(operation)) != "complex":
            return operand if part is Part.REAL else None
        return replace(operand, key=replace(operand.key, part=part))

    return rule


def _element_type(operation: Operation) -> Any:
    # A value with a meaning is a tensor's.
    return cast(TensorType, operation.operands[0].type).element_type


def _compare(operation: Operation, operands: list[Any]) -> _Meaning:
    direction = _word(operation, "comparison_direction")
    if None in operands or direction not in list(ComparisonDirection):
        return None
    if not operands or kind_of(_element_type(operation)) not in _REAL:
        return None
    total_order = _word(operation, "compare_type") == CompareType.TOTALORDER
    is_float = _element_type(operation).is_float
    match operands:
        case _Side() as side, _Side() as other if side.key == other.key and side.left != other.left:
            key = replace(side.key, total_order=total_order)
            return _ordered(key, ComparisonDirection(direction), swapped=other.left)
        case _Side() as side, _Side() as other if side == other and is_float and not total_order:
            return _Is(side.plain, nan=True) if direction == ComparisonDirection.NE else None
        case (_Side() as side, _Number(value)) | (_Number(value), _Side() as side) if value == 0:
            asks = is_float and not total_order and direction == ComparisonDirection.EQ
            return _Is(side.plain, nan=False) if asks else None
    return None


def _word(operation: Operation, name: str) -> str:
    attribute = operation.attribute(name)
    return attribute.value if isinstance(attribute, EnumAttribute) else ""


def _ordered(key: Key, direction: ComparisonDirection, *, swapped: bool) -> _Meaning:
    match direction:
        case ComparisonDirection.EQ:
            return _Equal(frozenset({key}))
        case ComparisonDirection.NE:
            return _Equal(frozenset({key}), negated=True)
    above = direction in (ComparisonDirection.GT, ComparisonDirection.GE)
    reflexive = direction in (ComparisonDirection.LE, ComparisonDirection.GE)
    return Order(((key, above != swapped),), reflexive)


def _select(operation: Operation, operands: list[Any]) -> _Meaning:
    match operands:
        case _Is(of, nan=False), _Number(value), _Side() as side if of == side.plain and value == 0:
            return replace(side, key=replace(side.key, zeros_equal=True))
        case _Is(of, nan=True), _Number(value), _Side() as side if of == side.plain and _is_nan(value):
            return replace(side, key=replace(side.key, nan=not np.signbit(np.float32(value))))
        case (_Equal(keys, negated=False), Order() as rest, Order() as first) | (
            _Equal(keys, negated=True),
            Order() as first,
            Order() as rest,
        ) if keys == first.compared:
            return Order(first.keys + rest.keys, rest.later_first)
    return None


def _is_nan(value: Any) -> bool:
    return bool(np.isnan(np.float32(value)))


def _and(operation: Operation, operands: list[Any]) -> _Meaning:
    match operands:
        case _Equal(left, negated=False), _Equal(right, negated=False):
            return _Equal(left | right)
        case (_Equal(keys, negated=False), Order() as order) | (
            Order() as order,
            _Equal(keys, negated=False),
        ):
            return _Then(keys, order)
    return None


def _or(operation: Operation, operands: list[Any]) -> _Meaning:
    match operands:
        case (Order() as first, _Then(keys, rest)) | (_Then(keys, rest), Order() as first):
            if keys == first.compared and not first.later_first:
                return Order(first.keys + rest.keys, rest.later_first)
    return None


_RULES: Mapping[str, _Rule] = {
    "stablehlo.constant": _constant,
    "stablehlo.real": _part(Part.REAL),
    "stablehlo.imag": _part(Part.IMAGINARY),
    "stablehlo.compare": _compare,
    "stablehlo.select": _select,
    "stablehlo.and": _and,
    "stablehlo.or": _or,
}
"""What each operation makes of what its operands mean."""
