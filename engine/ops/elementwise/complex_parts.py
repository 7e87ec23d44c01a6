"""real, imag and complex: between complex values and their parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...indexing import OperandMap
from ...ir.element_types import ELEMENT_TYPES, F32, F64, ElementType
from ...ir.types import TensorType
from ..core.facets import HloSpelling, Rounding
from ..core.kinds import COMPLEX, FLOAT, complex_part
from ..core.op import Array, Constraint, shapes_agree
from ..core.ranks import Arrays
from ..core.rounding import NO_ERROR, Errors
from .elementwise import Elementwise, ElementwiseFindings, Unary, list_types


class PartRounding(Rounding["Part"]):
    def error_bound(self, op: Part, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        """Those of the operand; the imaginary part of real numbers has none."""
        return (NO_ERROR,) if isinstance(op, Imag) and operands[0].dtype.kind != "c" else errors


@dataclass(frozen=True)
class Part(Unary):
    """A part of complex values; real numbers have an imaginary part of 0."""

    short_form = "operands attr-dict : same-type"
    roundings = 0
    kinds = (*COMPLEX, *FLOAT)
    section = replace(Unary.section, result_labels={"element_type": "C2", "shape": "C1"})
    rounding = PartRounding()

    def infer(self) -> TensorType:
        return self.operand.with_element_type(complex_part(self.operand.element_type))


class Real(Part):
    """The real part; a view of a complex operand, a real operand itself. Specification: real."""

    name = "stablehlo.real"
    findings = ElementwiseFindings(keeps_ranks=True)
    hlo = HloSpelling("real", "Real")

    def evaluate(self, *operands: Array) -> Array:
        (operand,) = operands
        return operand.real if operand.dtype.kind == "c" else operand


class Imag(Part):
    """The imaginary part; a view of a complex operand, 0 for real numbers. Specification: imag."""

    name = "stablehlo.imag"
    findings = ElementwiseFindings(keeps_ranks=True)
    hlo = HloSpelling("imag", "Imag")

    def evaluate(self, *operands: Array) -> Array:
        (operand,) = operands
        if operand.dtype.kind == "c":
            return operand.imag
        return np.broadcast_to(np.zeros((), np.float32).astype(operand.dtype), operand.shape)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """The identity; no map for real operands, whose imaginary part is 0."""
        return super().directed_maps(inverse=inverse) if self.operand.element_type.is_complex else iter(())


class ComplexRounding(Rounding["Complex"]):
    def error_bound(self, op: Complex, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        return (np.hypot(*errors),)


@dataclass(frozen=True)
class Complex(Elementwise):
    """Complex values of real parts `lhs` and imaginary parts `rhs`. Specification: complex."""

    name = "stablehlo.complex"
    findings = ElementwiseFindings(keeps_ranks=True)
    short_form = "operands attr-dict : result-type"
    hlo = HloSpelling("complex", "Complex")
    roundings = 0
    section = replace(Elementwise.section, result_labels={"element_type": "C3", "shape": "C2"})
    rounding = ComplexRounding()

    lhs: TensorType
    rhs: TensorType

    def constraints(self) -> Iterator[Constraint]:
        yield _is_part("I1", "lhs", self.lhs)
        yield _is_part("I2", "rhs", self.rhs)
        same = self.lhs.element_type == self.rhs.element_type and shapes_agree(self.lhs.shape, self.rhs.shape)
        yield "C1", same, f"{list_types(lhs=self.lhs, rhs=self.rhs)}: their types must be equal"

    def infer(self) -> TensorType:
        return super().infer().with_element_type(complex_of(self.lhs.element_type))

    def evaluate(self, *operands: Array) -> Array:
        lhs, rhs = operands
        value = np.empty(np.broadcast_shapes(lhs.shape, rhs.shape), complex_of(self.lhs.element_type).dtype)
        value.real, value.imag = lhs, rhs
        return value


def _is_part(label: str, name: str, found: TensorType) -> Constraint:
    fits = found.element_type in (F32, F64)
    return label, fits, f"{name} must hold f32 or f64 elements, not {found.element_type}"


def complex_of(part: ElementType) -> ElementType:
    """The complex type whose parts are `part`."""
    return ELEMENT_TYPES[f"complex<{part}>"]
