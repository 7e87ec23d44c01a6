"""CHLO's constants: a literal, and one value in the shape of another tensor."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...ir.attributes import (
    Attribute,
    BoolAttribute,
    DenseAttribute,
    FloatAttribute,
    IntegerAttribute,
    OpaqueAttribute,
)
from ...ir.element_types import ELEMENT_TYPES, I1, ElementType
from ...ir.types import ScalarType, TensorType, Type
from ..core.facets import Traits
from ..core.facets.findings import Findings
from ..core.kinds import TENSOR, holds
from ..core.op import Array, Constraint, Cost, Op, no_cost

_NUMBER = r"([-+]?\d++(?:\.\d*+)?(?:[eE][-+]?\d++)?|0x[0-9A-Fa-f]++)"
_COMPLEX_NUMBER = re.compile(
    rf"#complex\.number<:\s*+(f32|f64)\s++{_NUMBER}\s*+,\s*+{_NUMBER}\s*+>(?: : .*)?"
)


@dataclass(frozen=True)
class ChloConstant(Op):
    """The literal `value`."""

    name = "chlo.constant"
    findings = Findings(moves_elements=True)
    short_form = "attr-dict $value"

    value: DenseAttribute
    result: TensorType

    def constraints(self) -> Iterator[Constraint]:
        same = self.value.type == self.result
        yield "", same, f"value is {self.value.type} but the result {self.result}"

    def evaluate(self, *operands: Array) -> Array:
        return self.value.data

    cost = no_cost


@dataclass(frozen=True)
class ConstantLike(Op):
    """`value` in each element of a tensor of the operand's shape; the operand's elements are not read."""

    name = "chlo.constant_like"
    traits = Traits(reads_sizes_alone=True)
    findings = Findings(moves_elements=True)

    value: Attribute
    operand: TensorType
    result: TensorType

    def constraints(self) -> Iterator[Constraint]:
        yield holds("", "the result", self.result, TENSOR)
        found, wanted = _element_type(self.value), self.result.element_type
        described = "not of a number's type" if found is None else f"of type {found}"
        yield "", found == wanted, f"value is {described}, but the result holds {wanted}"

    def infer(self) -> TensorType:
        return self.operand.with_element_type(self.result.element_type)

    def evaluate(self, *operands: Array) -> Array:
        return np.broadcast_to(_element(self.value, self.result.element_type), operands[0].shape)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        return Cost(1, self.result.element_type.dtype.itemsize)


def _element_type(value: Attribute) -> ElementType | None:
    """The type of a number, `None` of any other attribute."""
    match value:
        case BoolAttribute():
            return I1
        case IntegerAttribute(type=ScalarType(element_type)) | FloatAttribute(type=ScalarType(element_type)):
            return element_type
        case OpaqueAttribute(text=text) if (found := _COMPLEX_NUMBER.match(text)) is not None:
            return ELEMENT_TYPES[f"complex<{found[1]}>"]
    return None


def _element(value: Attribute, element_type: ElementType) -> Array:
    match value:
        case FloatAttribute(bits=bits):
            width = element_type.dtype.itemsize
            return np.array(bits, f"u{width}").view(element_type.dtype)
        case IntegerAttribute(value=number) | BoolAttribute(value=number):
            # Through 64 bits, as narrow dtypes do not take numbers that they hold with another sign.
            return np.array(number % (1 << 64), np.uint64).astype(element_type.dtype)
        case OpaqueAttribute(text=text) if (found := _COMPLEX_NUMBER.match(text)) is not None:
            parts = [_part(found[number], f"u{element_type.dtype.itemsize // 2}") for number in (2, 3)]
            return np.array(parts).view(element_type.dtype).reshape(())
    raise AssertionError(f"{value} is not a number")


def _part(text: str, bits: str) -> Array:
    """A number, or the bits of one."""
    part = f"f{bits[1:]}"
    if text.startswith("0x"):
        return np.array(int(text, 16) % (1 << 8 * int(bits[1:])), bits).view(part)
    return np.array(float(text), part)
