"""Comparators of sort that ask for an order by keys: NumPy sorts by these as a whole.

A comparator takes the left and the right element of input 0, then those of input 1, and so on. It is read
symbolically: what each of its values says about the two sides is one of the classes below, or unknown.

XLA's passes write out the total order of floats as that of integers (`comparison-expander`: the bits, of negative
numbers all but the sign turned over; of floats without -0 they are subtracted from the least integer, which is
the one NaN and stays what it is), widen small floats around it (`float-normalization`), and break ties by a
further input (`stable-sort-expander`: of two that are not less either way). These are read too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np

from ...ir.attributes import DenseAttribute, EnumAttribute
from ...ir.element_types import ElementType
from ...ir.module import Operation, Region
from ...ir.types import TensorType
from ..core.integer_folding import ComparisonDirection
from ..core.kinds import kind_of
from ..core.numeric import convert, ordered_bits
from ..core.op import Array
from ..elementwise.comparisons import CompareType
from .sort_keys import Part, total_order_column, unordered_column


@dataclass(frozen=True)
class Key:
    """The key of a comparison between two elements."""

    input: int
    part: Part = Part.WHOLE
    zeros_equal: bool = False
    """Whether -0 was made +0."""
    nan: bool | None = None
    """Whether every NaN was made one that is positive (or negative)."""
    total_order: bool = False
    """Whether any two are ordered, as integers always are."""
    rounded: ElementType | None = None
    """To which smaller floats they are rounded then."""
    by_bits: bool = False
    """Whether NaN are ordered by their bits, of which there are several: then all others are too."""

    def column(self, inputs: Sequence[Array], types: Sequence[TensorType], *, descending: bool) -> Array:
        """The keys, in an order that NumPy knows: integers, or floats where a NaN is neither above nor below."""
        values, element_type = self.part.of(inputs[self.input], types[self.input].element_type)
        if self.rounded is not None:
            bare = replace(self, zeros_equal=False, nan=None, rounded=None, part=Part.WHOLE, input=0)
            values = convert(self._unify(values), element_type, self.rounded)
            return bare.column([values], [TensorType((), self.rounded)], descending=descending)
        if self.by_bits:
            column = ordered_bits(self._unify(values))
            return np.invert(column) if descending else column
        if not element_type.is_float or self.total_order:
            return total_order_column(
                values, element_type, zeros_equal=self.zeros_equal, nan=self.nan, descending=descending
            )
        return unordered_column(values, element_type, descending=descending)

    def _unify(self, values: Array) -> Array:
        if self.zeros_equal:
            values = np.where(values == 0, values.dtype.type(0), values)
        if self.nan is not None:
            number = values.dtype.type(np.nan if self.nan else -np.nan)
            values = np.where(np.isnan(values), number, values)
        return values


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
        """The numbers of the inputs that the order depends on."""
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

    @property
    def exact(self) -> _Side:
        """The side before rounding."""
        return replace(self.plain, key=replace(self.plain.key, rounded=None))


@dataclass(frozen=True)
class _Is:
    """Whether a side is a zero, or a NaN."""

    side: _Side
    nan: bool


@dataclass(frozen=True)
class _Bits:
    """A float's bits as a signed integer: as they are, subtracted from the least one, or in the order of negative numbers."""

    side: _Side
    form: Literal["whole", "subtracted", "turned"] = "whole"
    one_zero: bool = False


@dataclass(frozen=True)
class _Least:
    """Whether the bits of a side are the least integer."""

    side: _Side


@dataclass(frozen=True)
class _Negative:
    """Whether the bits of a side are a negative integer."""

    side: _Side


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
    """A constant of the comparator."""

    value: Any


_Meaning = _Side | _Is | _Bits | _Least | _Negative | _Equal | _Then | _Number | Order | None
_Rule = Callable[[Operation, list[Any]], _Meaning]
_REAL = ("boolean", "signed", "unsigned", "float", "per-tensor")


def order_of(comparator: Region) -> Order | None:
    """The keys of the comparator, if it compares by keys."""
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
    is_whole = kind_of(found.element_type) in ("boolean", "signed", "unsigned")
    return _Side(Key(number // 2, total_order=is_whole), left=number % 2 == 0)


def _constant(operation: Operation, operands: list[Any]) -> _Meaning:
    value = operation.attribute("value")
    if not isinstance(value, DenseAttribute) or value.data.ndim:
        return None
    element_type = value.type.element_type
    return _Number(value.data[()]) if element_type.is_float or element_type.is_integer else None


def _identity(operation: Operation, operands: list[Any]) -> _Meaning:
    """The meaning of an op that gives a scalar unchanged."""
    return cast(_Meaning, operands[0]) if operation.results[0].type == operation.operands[0].type else None


def _conversion(operation: Operation, operands: list[Any]) -> _Meaning:
    """The meaning of a float conversion: to fewer bits it rounds, to more bits it changes nothing."""
    (operand,), target = operands, cast(TensorType, operation.results[0].type).element_type
    if isinstance(operand, _Number) and target.is_float:
        return operand if operand.value == 0 or _is_nan(operand.value) else None
    if not isinstance(operand, _Side) or not _element_type(operation).is_float:
        return None
    known = operand.key.rounded
    if (
        known is None
        and target.name in (*_WITH_SIGN, *_ONE_ZERO)
        and target.bits < _element_type(operation).bits
    ):
        return replace(operand, key=replace(operand.key, rounded=target))
    is_wide = known is not None and target.is_float and (target == known or target.bits > known.bits)
    return operand if is_wide else None


_WITH_SIGN = ("bf16", "f16", "f32", "f64", "f8E5M2", "f8E4M3", "f8E4M3FN", "f8E3M4")
"""Floats that are ordered as their bits are, which tell -0 from NaN."""
_ONE_ZERO = ("f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2FNUZ")
"""Floats whose one NaN has the bits that -0 has in others; in the total order it comes first."""
_SEVERAL_NAN = ("f8E5M2", "f8E4M3", "f8E3M4")


def _bits(operation: Operation, operands: list[Any]) -> _Meaning:
    (operand,), result = operands, cast(TensorType, operation.results[0].type)
    if not isinstance(operand, _Side):
        return None
    source, target = _element_type(operation), result.element_type
    fits = target.kind == "signed" and target.bits == source.bits and not result.shape
    if fits and source.name in _ONE_ZERO:
        return _Bits(operand, one_zero=True)
    if source.name not in _WITH_SIGN or not fits:
        return None
    # A signalling NaN that was rounded is quiet, so it may be another one; those of f8 are told apart by nothing else.
    has_own_nan = operand.key.rounded is not None or source.name in _SEVERAL_NAN
    by_bits = has_own_nan and operand.key.nan is None
    return _Bits(replace(operand, key=replace(operand.key, by_bits=by_bits)))


def _xor(operation: Operation, operands: list[Any]) -> _Meaning:
    match operands:
        case (_Bits(side, "whole", False), _Number(value)) | (_Number(value), _Bits(side, "whole", False)):
            bits = _element_type(operation).bits
            return _Bits(side, "turned") if value == (1 << bits - 1) - 1 else None
    return None


def _subtract(operation: Operation, operands: list[Any]) -> _Meaning:
    match operands:
        case _Number(value), _Bits(side, "whole", one_zero=True) if _is_least(value):
            return _Bits(side, "subtracted", one_zero=True)
    return None


def _is_least(value: Any) -> bool:
    return bool(value == np.iinfo(value.dtype).min)


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
    if isinstance(operands[0], _Bits | _Negative | Order) or isinstance(operands[1], _Bits):
        return _compared_bits(ComparisonDirection(direction), operands)
    total_order = _word(operation, "compare_type") == CompareType.TOTALORDER
    is_float = _element_type(operation).is_float
    match operands:
        case _Side() as side, _Side() as other if side.key == other.key and side.left != other.left:
            key = replace(side.key, total_order=total_order or side.key.total_order)
            return _order(key, ComparisonDirection(direction), swapped=other.left)
        case _Side() as side, _Side() as other if side == other and is_float and not total_order:
            return _Is(side.plain, nan=True) if direction == ComparisonDirection.NE else None
        case (_Side() as side, _Number(value)) | (_Number(value), _Side() as side) if value == 0:
            asks = is_float and not total_order and direction == ComparisonDirection.EQ
            return _Is(side.plain, nan=False) if asks else None
    return None


def _compared_bits(direction: ComparisonDirection, operands: list[Any]) -> _Meaning:
    """Whether bits are negative, or the least; whether of two elements neither comes before the other."""
    match direction, operands:
        case (ComparisonDirection.LT, [_Bits(side, "whole"), _Number(value)]) | (
            ComparisonDirection.GT,
            [_Number(value), _Bits(side, "whole")],
        ) if value == 0:
            return _Negative(side)
        case ComparisonDirection.EQ, [_Bits(side, "whole", one_zero=True), _Number(value)] if _is_least(
            value
        ):
            return _Least(side)
        case ComparisonDirection.EQ | ComparisonDirection.NE, [Order() as order, Order() as other]:
            turned = tuple((key, not descending) for key, descending in order.keys)
            is_total = all(key.total_order for key in order.compared)
            if is_total and other.keys == turned and not order.later_first and not other.later_first:
                return _Equal(order.compared, negated=direction == ComparisonDirection.NE)
    return None


def _word(operation: Operation, name: str) -> str:
    attribute = operation.attribute(name)
    return attribute.value if isinstance(attribute, EnumAttribute) else ""


def _order(key: Key, direction: ComparisonDirection, *, swapped: bool) -> _Meaning:
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
        case _Is(of, nan=False), _Number(value), _Side() as side if (
            of == side.plain == side.exact and value == 0
        ):
            return replace(side, key=replace(side.key, zeros_equal=True))
        case _Is(of, nan=True), _Number(value), _Side() as side if of == side.exact and _is_nan(value):
            return replace(side, key=replace(side.key, nan=not np.signbit(np.float32(value))))
        case _Least(of), _Number(value), _Bits(one, "subtracted") if of == one and _is_least(value):
            return _Bits(one, "turned", one_zero=True)
        case _Negative(of), _Bits(one, "turned"), _Bits(other, "whole") if of == one == other:
            return replace(of, key=replace(of.key, total_order=True))
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
    "stablehlo.broadcast_in_dim": _identity,
    "hlo.copy": _identity,
    "stablehlo.convert": _conversion,
    "stablehlo.bitcast_convert": _bits,
    "hlo.bitcast": _bits,
    "stablehlo.xor": _xor,
    "stablehlo.subtract": _subtract,
    "stablehlo.real": _part(Part.REAL),
    "stablehlo.imag": _part(Part.IMAGINARY),
    "stablehlo.compare": _compare,
    "stablehlo.select": _select,
    "stablehlo.and": _and,
    "stablehlo.or": _or,
}
"""The meaning of each operation, from the meanings of its operands."""
