"""Attributes made from Python values, as the readers of text make them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from .attributes import (
    ArrayAttribute,
    Attribute,
    DenseArrayAttribute,
    DenseAttribute,
    EnumAttribute,
    FloatAttribute,
    IntegerAttribute,
    StructAttribute,
)
from .element_types import F32, I1, I64, ElementType
from .types import ScalarType, TensorType

ROW_PADDING = -1
"""Fills rows of a table that are shorter than others."""


def integer(value: int, element_type: ElementType = I64) -> IntegerAttribute:
    """`1 : i64`."""
    return IntegerAttribute(value, ScalarType(element_type))


def integers(values: Iterable[int]) -> DenseArrayAttribute:
    """`array<i64: 1, 2>`."""
    return DenseArrayAttribute(I64, tuple(values))


def booleans(values: Iterable[bool]) -> DenseArrayAttribute:
    """`array<i1: true, false>`."""
    return DenseArrayAttribute(I1, tuple(map(bool, values)))


def real(value: float, element_type: ElementType = F32) -> FloatAttribute:
    """`1.0 : f32`; `element_type` is f32 or f64."""
    found = np.asarray(value, element_type.dtype)
    bits = int(found.view(np.uint32 if element_type is F32 else np.uint64))
    return FloatAttribute(bits, ScalarType(element_type), float(found))


def enum(kind: str, value: str) -> EnumAttribute:
    """`#stablehlo<kind VALUE>`."""
    return EnumAttribute("stablehlo", kind, value)


def enums(kind: str, values: Iterable[str]) -> ArrayAttribute:
    """`[#stablehlo<kind VALUE>, …]`."""
    return ArrayAttribute(tuple(enum(kind, value) for value in values))


def struct(name: str, parameters: Mapping[str, Attribute]) -> StructAttribute:
    """`#stablehlo.name<…>`."""
    return StructAttribute("stablehlo", name, parameters)


def dimension_numbers(numbers: Any) -> StructAttribute:
    """`#stablehlo.gather<offset_dims = [0], …>` from a dataclass of integers and tuples of integers."""
    values = {field.name: getattr(numbers, field.name) for field in fields(numbers)}
    parameters = {
        name: integer(value) if isinstance(value, int) else integers(value) for name, value in values.items()
    }
    return struct(numbers.mnemonic, parameters)


def table(rows: Sequence[Sequence[int]], width: int = 0) -> DenseAttribute:
    """`dense<[[1, 2], [3, -1]]> : tensor<2x2xi64>`, at least `width` wide; short rows end in -1."""
    width = max((len(row) for row in rows), default=width)
    data = np.full((len(rows), width), ROW_PADDING, np.int64)
    for number, row in enumerate(rows):
        data[number, : len(row)] = row
    data.setflags(write=False)
    return DenseAttribute(TensorType(data.shape, I64), data)
