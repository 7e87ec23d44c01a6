"""Arithmetic and logic, element by element; how they compute is said in `elementwise`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite, isinf

import numpy as np
from numpy.typing import NDArray

from ...ir.element_types import QuantizedType
from ...ir.types import TensorType, is_quantized
from ..core import causes, integer_folding, numeric
from ..core.facets import HloSpelling, Rounding
from ..core.kinds import ANY, TENSOR_OR_PER_TENSOR, complex_part, holds
from ..core.numeric import Compute
from ..core.op import Array, Constraint
from ..core.ranks import Arrays
from ..core.rounding import Error, Errors, magnitude, times, unit_roundoff
from .elementwise import (
    BITS,
    FLOATS,
    NUMBERS,
    REAL_OR_COMPLEX,
    SIGNED_NUMBERS,
    Binary,
    ElementwiseFindings,
    Unary,
    same_shapes,
    same_types,
)
from .lost_sizes import lost_quotients


@dataclass(frozen=True)
class Add(Binary):
    """Adds `lhs` and `rhs`; OR of booleans."""

    name = "stablehlo.add"
    symbol = "+"
    hlo = HloSpelling("add", "Add")
    is_correct = True
    combine_integers = integer_folding.fold_sum
    compute, kinds = np.add, ANY
    exact_words = "{0} + {1}"

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "lhs", self.lhs, self.kinds)
        yield holds("I2", "rhs", self.rhs, self.kinds)
        if is_quantized(self.lhs) or is_quantized(self.rhs) or is_quantized(self.result):
            yield from self._quantization_constraints(self.lhs.element_type, self.rhs.element_type)
        else:
            yield same_types("C1", lhs=self.lhs, rhs=self.rhs)

    def _quantization_constraints(self, lhs: object, rhs: object) -> Iterator[Constraint]:
        result = self.result_type.element_type
        if not (
            isinstance(lhs, QuantizedType)
            and isinstance(rhs, QuantizedType)
            and isinstance(result, QuantizedType)
        ):
            yield "C2", False, "either all of lhs, rhs and result are quantized or none is"
            return
        yield "C2", True, ""
        storage = lhs.storage == rhs.storage == result.storage
        yield "C3", storage, f"storage types differ: {lhs.storage}, {rhs.storage} and {result.storage}"
        expressed = lhs.expressed == rhs.expressed == result.expressed
        yield (
            "C4",
            expressed,
            f"expressed types differ: {lhs.expressed}, {rhs.expressed} and {result.expressed}",
        )
        axes = [t.quantization_dimension for t in (lhs, rhs, result)]
        per_axis = (axes[0] is not None or axes[1] is not None) == (axes[2] is not None)
        yield "C5", per_axis, "the result is quantized per axis if, and only if, lhs or rhs is"
        message = "{} is quantized along dimension {} but the result along {}"
        yield "C6", axes[0] in (None, axes[2]), message.format("lhs", axes[0], axes[2])
        yield "C7", axes[1] in (None, axes[2]), message.format("rhs", axes[1], axes[2])
        yield same_shapes("C1", lhs=self.lhs, rhs=self.rhs)

    def infer(self) -> TensorType:
        inferred = super().infer()
        if is_quantized(self.result) and is_quantized(self.lhs):
            # Scales are the result's own, and constraints have tied the rest of its type.
            assert self.result is not None
            return inferred.with_element_type(self.result.element_type)
        return inferred

    def carried_error(self, operands: Arrays, errors: Errors, exact: Array) -> Error:
        return (
            super().carried_error(operands, errors, exact)
            if exact.dtype.kind == "b"
            else errors[0] + errors[1]
        )


class Subtract(Binary):
    """Subtracts `rhs` from `lhs`."""

    name = "stablehlo.subtract"
    symbol = "-"
    hlo = HloSpelling("subtract", "Sub")
    is_correct = True
    combine_integers = integer_folding.fold_difference
    compute, kinds = np.subtract, NUMBERS
    exact_words = "{0} - {1}"

    def carried_error(self, operands: Arrays, errors: Errors, exact: Array) -> Error:
        return errors[0] + errors[1]


class Multiply(Binary):
    """Multiplies `lhs` and `rhs`; AND of booleans."""

    name = "stablehlo.multiply"
    symbol = "*"
    hlo = HloSpelling("multiply", "Mul")
    is_correct = True
    findings = ElementwiseFindings(multiplies=True, underflows=True)
    combine_integers = integer_folding.fold_product
    compute, kinds = np.multiply, TENSOR_OR_PER_TENSOR
    exact_words = "{0} * {1}"

    def element_cause(self, elements: Sequence[float], result: Array, value: float) -> str:
        x, y = elements
        if causes.is_overflow(value, result, x, y):
            return causes.overflow(self.exact_words, result, value)
        if 0 in (x, y) and isinf(x + y):
            infinite, zero = (0, 1) if isinf(x) else (1, 0)
            return f"where {{{zero}}} is 0 and {{{infinite}}} is {causes.short(elements[infinite])}"
        return ""

    def carried_error(self, operands: Arrays, errors: Errors, exact: Array) -> Error:
        if exact.dtype.kind == "b":
            return super().carried_error(operands, errors, exact)
        left, right = map(magnitude, operands)
        return times(left, errors[1]) + times(right, errors[0]) + times(errors[0], errors[1])


class DivideFindings(ElementwiseFindings["Divide"]):
    def loses_sizes(
        self, op: Divide, operand: int, operands: Arrays, result: Array, *, compressed: bool
    ) -> NDArray[np.bool_] | None:
        return lost_quotients(operands, result, compressed=compressed) if operand == 1 else None


class Divide(Binary):
    """Divides `lhs` by `rhs`. Integers: towards zero, `x / 0` has all bits set, the least value over -1 is itself."""

    name = "stablehlo.divide"
    symbol = "/"
    hlo = HloSpelling("divide", "Div")
    roundings = 4
    combine_integers = integer_folding.fold_quotient
    compute, kinds = numeric.divide, NUMBERS
    exact_words = "{0} / {1}"
    findings = DivideFindings(underflows=True, divisor=1)

    def element_cause(self, elements: Sequence[float], result: Array, value: float) -> str:
        x, y = elements
        if y == 0 and not isinf(x):
            return "where {0} and {1} are both 0" if x == 0 else "where {1} is 0"
        return super().element_cause(elements, result, value)

    def carried_error(self, operands: Arrays, errors: Errors, exact: Array) -> Error:
        """Infinite, where the divisor may be 0."""
        right = magnitude(operands[1])
        handed = errors[0] + times(magnitude(exact), errors[1])
        return np.where(handed == 0, 0.0, handed / np.maximum(right - errors[1], 0))


class RemainderFindings(ElementwiseFindings["Remainder"]):
    def mixes_bits(self, op: Remainder) -> bool:
        """Whether integers are unsigned: then it maps random bits, or a hash, into a range."""
        return op.result_type.element_type.kind == "unsigned"


class Remainder(Binary):
    """The remainder of `divide`, with the sign of `lhs`. Integers: `x` for `x % 0`."""

    name = "stablehlo.remainder"
    hlo = HloSpelling("remainder", "Rem")
    is_correct = True
    findings = RemainderFindings(takes_remainder=True, divisor=1)
    combine_integers = integer_folding.fold_remainder
    compute, kinds = numeric.remainder, NUMBERS

    @property
    def never_rounds(self) -> bool:
        return not self.result_type.element_type.is_complex

    def element_cause(self, elements: Sequence[float], result: Array, value: float) -> str:
        x, y = elements
        return "where {1} is 0" if y == 0 else causes.infinite(x, y)

    def carried_error(self, operands: Arrays, errors: Errors, exact: Array) -> Error:
        """At a multiple of the divisor the remainder jumps by as much as that, a complex one by that in each part."""
        is_complex = exact.dtype.kind == "c"
        quotient, size = np.asarray(numeric.divide(*operands)), magnitude(operands[1])
        parts = (quotient.real, quotient.imag) if is_complex else (quotient,)
        moved = errors[0] + times(magnitude(quotient), errors[1])
        rounded = 2 * np.spacing(magnitude(operands[0]))  # the quotient, and a complex product
        reach = (moved + rounded) / np.maximum(size - errors[1], 0)
        jumps = sum(np.trunc(part - reach) != np.trunc(part + reach) for part in parts)
        handed = errors[0] + times(np.sqrt(sum(np.trunc(part) ** 2 for part in parts)), errors[1])
        # A divisor moved far turns a complex quotient, too.
        jump = np.sqrt(jumps) * (size + (1 + 3 * is_complex) * errors[1])
        return np.where(moved > 0, handed + is_complex * rounded + np.where(jumps > 0, jump, 0.0), handed)


class PowerFindings(ElementwiseFindings["Power"]):
    def loses_sizes(
        self, op: Power, operand: int, operands: Arrays, result: Array, *, compressed: bool
    ) -> NDArray[np.bool_] | None:
        """One over a root of a number that overflowed is far from 0."""
        base, exponent = operands
        return np.asarray(np.isinf(base) & (result == 0) & (exponent > -1)) if operand == 0 else None


@dataclass(frozen=True)
class Power(Binary):
    """`lhs` to the power of `rhs`. Integers: a negative exponent gives 0 but for bases of 1 and -1.

    With `limits_exponents`, as in HLO text, an odd integer has XLA's power, which follows from the lowest six bits of a
    positive exponent.
    """

    name = "stablehlo.power"
    symbol = "pow"
    hlo = HloSpelling(
        "power",
        "Pow",
        note="The power of an odd integer follows from the lowest six bits of a positive exponent: 3 to the power of 64 is 1.",
    )
    roundings = 16
    compute, kinds, wide = numeric.power, NUMBERS, numeric.PRECISE
    exact_words = "{0} to the power of {1}"
    section = replace(Binary.section, input_labels={"lhs": "I1", "rhs": "I2"})
    findings = PowerFindings(underflows=True)

    limits_exponents: bool = False

    @property
    def function(self) -> Compute:
        limits = self.limits_exponents and self.lhs.element_type.is_integer
        return numeric.limited_power if limits else numeric.power

    def element_cause(self, elements: Sequence[float], result: Array, value: float) -> str:
        x, y = elements
        if x == 0 and y < 0:
            return "where {0} is 0 and {1} is negative"
        if x < 0 and isfinite(y) and y != int(y):
            return "where {0} is negative and {1} is not a whole number"
        return super().element_cause(elements, result, value)


class Extremum(Binary):
    """Chooses one of two numbers."""

    findings = ElementwiseFindings(keeps_ranks=True)
    roundings = 0
    kinds = TENSOR_OR_PER_TENSOR

    def carried_error(self, operands: Arrays, errors: Errors, exact: Array) -> Error:
        return (
            np.maximum(*errors) if exact.dtype.kind == "f" else super().carried_error(operands, errors, exact)
        )


class Maximum(Extremum):
    """The greater of `lhs` and `rhs`: NaN if either is, +0 over -0; OR of booleans."""

    name = "stablehlo.maximum"
    symbol = "max"
    hlo = HloSpelling("maximum", "Max")
    combine_integers = integer_folding.fold_maximum
    compute = numeric.maximum


class Minimum(Extremum):
    """The lesser of `lhs` and `rhs`: NaN if either is, -0 over +0; AND of booleans."""

    name = "stablehlo.minimum"
    symbol = "min"
    hlo = HloSpelling("minimum", "Min")
    combine_integers = integer_folding.fold_minimum
    compute = numeric.minimum


class And(Binary):
    """AND of booleans, or of the bits of integers."""

    name = "stablehlo.and"
    symbol = "&"
    hlo = HloSpelling("and", "And")
    compute, kinds, works_on_bits = np.bitwise_and, BITS, True


class Or(Binary):
    """OR of booleans, or of the bits of integers."""

    name = "stablehlo.or"
    symbol = "|"
    hlo = HloSpelling("or", "Or")
    compute, kinds, works_on_bits = np.bitwise_or, BITS, True


class Xor(Binary):
    """XOR of booleans, or of the bits of integers."""

    name = "stablehlo.xor"
    symbol = "^"
    hlo = HloSpelling("xor", "Xor")
    compute, kinds, works_on_bits = np.bitwise_xor, BITS, True


class Atan2(Binary):
    """The angle of the point (`rhs`, `lhs`), of all four quadrants; signs of zeros count. Specification: atan2.

    Complex: `-i * log((rhs + i * lhs) / sqrt(lhs * lhs + rhs * rhs))`, as on XLA.
    """

    name = "stablehlo.atan2"
    hlo = HloSpelling("atan2", "Atan2")
    roundings = 8
    compute, kinds, wide = numeric.atan2, REAL_OR_COMPLEX, numeric.PRECISE

    def carried_error(self, operands: Arrays, errors: Errors, exact: Array) -> Error:
        """The angle under which the error is seen; a whole turn at the origin and at the cut."""
        if exact.dtype.kind == "c":
            return 1.0001 * super().carried_error(operands, errors, exact)  # half a turn is rounded, too
        y, x = operands
        reach, radius = np.hypot(*errors), np.hypot(y, x)
        cut = (x - errors[1] <= 0) & (np.abs(y) <= errors[0]) & (reach > 0)
        angle = np.where(reach == 0, 0.0, np.arcsin(np.minimum(reach / radius, 1.0)))
        return np.where(cut | (reach > radius), 2 * np.pi, angle)


class Not(Unary):
    """NOT of booleans, or of the bits of integers."""

    name = "stablehlo.not"
    hlo = HloSpelling("not", "Not")
    compute, kinds, works_on_bits = np.invert, BITS, True


class Negate(Unary):
    """The operand with the other sign; integers wrap, unsigned ones too."""

    name = "stablehlo.negate"
    findings = ElementwiseFindings(keeps_ranks=True)
    hlo = HloSpelling("negate", "Neg")
    roundings = 0
    combine_integers = integer_folding.fold_negative
    compute, kinds = np.negative, NUMBERS

    def carried_error(self, operands: Arrays, errors: Errors, exact: Array) -> Error:
        return errors[0]


@dataclass(frozen=True)
class Abs(Unary):
    """The operand without its sign, the modulus of a complex value; the least integer stays itself."""

    name = "stablehlo.abs"
    hlo = HloSpelling("abs", "Abs")
    compute, kinds = np.abs, SIGNED_NUMBERS
    section = replace(Unary.section, result_labels={"element_type": "C2", "shape": "C1"})

    def infer(self) -> TensorType:
        return self.operand.with_element_type(complex_part(self.operand.element_type))

    def carried_error(self, operands: Arrays, errors: Errors, exact: Array) -> Error:
        return errors[0]


COMPLEX_SIGN_ROUNDINGS = 6


class SignRounding(Rounding["Sign"]):
    def error_bound(self, op: Sign, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        """A complex value is divided by its modulus, with the roundings of both."""
        (found,) = Unary.rounding.error_bound(op, operands, errors, results)
        (result,) = results
        if result.dtype.kind != "c":
            return (found,)
        return (found + COMPLEX_SIGN_ROUNDINGS * unit_roundoff(result.dtype) * magnitude(result),)


class Sign(Unary):
    """-1, 0 or 1; zeros and NaN stay as they are. Complex: the value over its modulus."""

    name = "stablehlo.sign"
    hlo = HloSpelling("sign", "Sign")
    roundings = 0
    compute, kinds = numeric.sign, SIGNED_NUMBERS
    rounding = SignRounding()


class Floor(Unary):
    """The next integer towards minus infinity."""

    name = "stablehlo.floor"
    findings = ElementwiseFindings(keeps_ranks=True)
    hlo = HloSpelling("floor", "Floor")
    roundings = 0
    compute, kinds = np.floor, FLOATS


class Ceil(Unary):
    """The next integer towards infinity."""

    name = "stablehlo.ceil"
    findings = ElementwiseFindings(keeps_ranks=True)
    hlo = HloSpelling("ceil", "Ceil")
    roundings = 0
    compute, kinds = np.ceil, FLOATS
