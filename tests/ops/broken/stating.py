"""What broken operations are written with."""

from __future__ import annotations

import numpy as np

from hloscope.engine.ir.attributes import (
    Attribute,
    DenseArrayAttribute,
    DenseAttribute,
    IntegerAttribute,
    StringAttribute,
    StructAttribute,
)
from hloscope.engine.ir.element_types import I64, ElementType
from hloscope.engine.ir.module import Operation, Value
from hloscope.engine.ir.types import ScalarType, TokenType

from ..building import tensor

Broken = tuple[str, Operation]
"""The label that an operation breaks, `""` for a rule without one."""
WRONG = StringAttribute("wrong")
"""An attribute of a kind that hardly any op asks for."""


def constant(values: object, text: str) -> DenseAttribute:
    found = tensor(text)
    return DenseAttribute(found, np.asarray(values, found.element_type.dtype))


def number(value: int, element_type: ElementType = I64) -> IntegerAttribute:
    return IntegerAttribute(value, ScalarType(element_type))


def numbers(*values: int) -> DenseArrayAttribute:
    return DenseArrayAttribute(I64, values)


def struct(name: str, parameters: dict[str, Attribute]) -> StructAttribute:
    return StructAttribute("stablehlo", name, parameters)


def of_token(stated: Operation, operand: int = 0) -> Operation:
    """The same operation on a token, which is no tensor."""
    values = list(stated.operands)
    values[operand] = Value(values[operand].name, TokenType())
    return Operation(stated.name, tuple(values), stated.results, stated.properties)
