"""Properties of operations, spell as the readers of text spell them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from operator import index
from typing import Any, get_args, get_origin

import numpy as np

from ..ir.attribute_values import ROW_PADDING as PADDING
from ..ir.attributes import (
    ArrayAttribute,
    Attribute,
    BoolAttribute,
    DenseArrayAttribute,
    DenseAttribute,
    EnumAttribute,
    FloatAttribute,
    IntegerAttribute,
    StringAttribute,
    StructAttribute,
)
from ..ir.element_types import F32, F64, I1, I32, I64, ElementType
from ..ir.types import ScalarType, TensorType
from ..ops import op_table
from ..ops.core.field_plans import attribute_plans, without_none
from .builder_error import BuilderError

Integers = Sequence[int]
Pairs = Sequence[Sequence[int]]


def whole(name: str, given: Any) -> int:
    """An integer, whatever integer type it is of."""
    try:
        return index(given)
    except TypeError:
        raise BuilderError(f"{name} must be an integer, not {given!r}") from None


def wholes(name: str, given: Any) -> tuple[int, ...]:
    """A sequence of integers as a tuple."""
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise BuilderError(f"{name} must be a sequence of integers, not {given!r}")
    return tuple(whole(name, item) for item in given)


def integer(name: str, given: int, element_type: ElementType = I64) -> IntegerAttribute:
    """`1 : i64`."""
    return IntegerAttribute(whole(name, given), ScalarType(element_type))


def integer32(name: str, given: int) -> IntegerAttribute:
    """`1 : i32`."""
    return integer(name, given, I32)


def integers(name: str, given: Integers) -> DenseArrayAttribute:
    """`array<i64: 1, 2>`."""
    return DenseArrayAttribute(I64, wholes(name, given))


def booleans(given: Sequence[bool]) -> DenseArrayAttribute:
    """`array<i1: true, false>`."""
    return DenseArrayAttribute(I1, tuple(bool(item) for item in given))


def boolean(given: bool) -> BoolAttribute:
    """`true` or `false`."""
    return BoolAttribute(bool(given))


def text(given: str) -> StringAttribute:
    """`"text"`."""
    return StringAttribute(given)


def real(given: float, element_type: ElementType = F32) -> FloatAttribute:
    """`1.0 : f32`."""
    value = np.asarray(given, element_type.dtype)
    bits = int(value.view(np.uint32 if element_type is F32 else np.uint64))
    return FloatAttribute(bits, ScalarType(element_type), float(value))


def enum(kind: str, value: str) -> EnumAttribute:
    """`#stablehlo<kind VALUE>`."""
    return EnumAttribute("stablehlo", kind, value)


def enums(kind: str, values: Sequence[str]) -> ArrayAttribute:
    """A list of enums."""
    return ArrayAttribute(tuple(enum(kind, value) for value in values))


def struct(name: str, parameters: Mapping[str, Attribute]) -> StructAttribute:
    """`#stablehlo.name<…>`."""
    return StructAttribute("stablehlo", name, parameters)


def table(name: str, rows: Pairs, width: int | None = None) -> DenseAttribute:
    """`dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>`; `width` is that of a table without rows."""
    found = [wholes(name, row) for row in rows]
    widths = {len(row) for row in found} or {width or 0}
    if len(widths) > 1 or (width is not None and widths != {width}):
        wanted = f"{width} numbers each" if width is not None else "rows of one length"
        raise BuilderError(f"{name} must have {wanted}, not {[list(row) for row in found]}")
    data = np.array(found, np.int64).reshape(len(found), next(iter(widths)))
    data.setflags(write=False)
    return DenseAttribute(TensorType(data.shape, I64), data)


def group_table(rows: Pairs) -> DenseAttribute:
    """Rows of ids, those that are shorter filled up."""
    width = max((len(row) for row in rows), default=0)
    return table("replica_groups", [[*row, *[PADDING] * (width - len(row))] for row in rows], width)


def padding_table(name: str, pairs: Pairs) -> DenseAttribute:
    """Low and high padding of each dimension."""
    return table(name, pairs, 2)


def numbers(given: Any) -> StructAttribute:
    """Dimension numbers, which are a dataclass of tuples and integers, as a property."""
    parameters: dict[str, Attribute] = {}
    for field in fields(given):
        value = getattr(given, field.name)
        one = isinstance(value, int)
        parameters[field.name] = integer(field.name, value) if one else integers(field.name, value)
    return struct(given.mnemonic, parameters)


def properties_of(op: str, stated: Mapping[str, Any]) -> dict[str, Attribute]:
    """The properties of the op of name `op` whose fields have the values `stated`; `None` is left out.

    The op's class says of which kind a property is. Raises `BuilderError` for a value of another kind.
    """
    annotations = {plan.attribute: without_none(plan.annotation) for plan in attribute_plans(op_table()[op])}
    return {
        name: _property(name, value, annotations[name]) for name, value in stated.items() if value is not None
    }


def _property(name: str, value: Any, annotation: Any) -> Attribute:
    if isinstance(value, Attribute):
        return value
    if is_dataclass(value):
        return numbers(value)
    if get_origin(annotation) is not tuple:
        return _SCALARS[annotation](name, value)
    item = get_args(annotation)[0]
    if item is bool:
        return booleans(value)
    return integers(name, value) if item is int else padding_table(name, value)


_SCALARS: Mapping[Any, Callable[[str, Any], Attribute]] = {
    bool: lambda name, value: boolean(value),
    int: integer,
    float: lambda name, value: real(value),
    str: lambda name, value: text(value),
}


def result_accuracy(mode: str, tolerance: tuple[float, float, int]) -> StructAttribute:
    """`#stablehlo.result_accuracy<…>`."""
    atol, rtol, ulps = tolerance
    parameters: dict[str, Attribute] = {
        "atol": real(atol, F64),
        "rtol": real(rtol, F64),
        "ulps": integer("ulps", ulps),
        "mode": enum("result_accuracy_mode", mode),
    }
    return struct("result_accuracy", parameters)


def window_properties(op: str, **stated: Any) -> dict[str, Attribute]:
    """As `properties_of`, but of a window only what differs from strides and dilations of 1, no padding, no reversal."""
    found = properties_of(op, stated)
    return {name: value for name, value in found.items() if not _is_default(name, value)}


def _is_default(name: str, found: Attribute) -> bool:
    if isinstance(found, DenseAttribute):
        return not found.data.any()
    if not isinstance(found, DenseArrayAttribute):
        return False
    if name == "window_reversal":
        return not any(found.values)
    return name.endswith(("strides", "dilation", "dilations")) and all(value == 1 for value in found.values)
