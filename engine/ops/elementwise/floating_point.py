"""Ops that look at how floats are represented: is_finite, reduce_precision, rounding to integers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from ...ir.element_types import I1
from ...ir.types import TensorType
from ..core import causes
from ..core.facets import HloSpelling
from ..core.kinds import holds
from ..core.numeric import AS_IS, Compute, apply_wide
from ..core.op import Array, Constraint
from .elementwise import FLOATS, Elementwise, ElementwiseFindings, Unary


class IsFiniteFindings(ElementwiseFindings[Elementwise]):
    """The facet for rules of findings on tests for NaN or infinities."""

    def tests_finiteness(self, op: Elementwise) -> bool:
        return True


@dataclass(frozen=True)
class IsFinite(Elementwise):
    """Whether each element is neither an infinity nor NaN; quantized elements always are. Specification: is_finite."""

    name = "stablehlo.is_finite"
    findings = IsFiniteFindings()
    short_form = "operands attr-dict : functional-type"
    hlo = HloSpelling("is-finite", "IsFinite")
    kinds = FLOATS
    section = replace(Elementwise.section, result_labels={"shape": "C1"})

    x: TensorType

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "x", self.x, self.kinds)

    def infer(self) -> TensorType:
        return self.x.with_element_type(I1)

    def evaluate(self, *operands: Array) -> Array:
        if self._is_quantized:
            return np.broadcast_to(np.True_, operands[0].shape)
        return apply_wide(np.isfinite, operands, I1)

    @property
    def function(self) -> Compute:
        return np.isfinite


def round_nearest_afz(operand: Array) -> Any:
    """Rounds to the nearest integer, halves away from zero."""
    # The sum of 0.5 and this is rounded to 1, that of the next number below 0.5 is not.
    almost_half = np.nextafter(operand.dtype.type(0.5), operand.dtype.type(0))
    return np.trunc(operand + np.copysign(almost_half, operand))


class RoundNearestAfz(Unary):
    """The nearest integer, halves away from zero. Specification: round_nearest_afz."""

    name = "stablehlo.round_nearest_afz"
    roundings = 0
    findings = ElementwiseFindings(keeps_ranks=True)
    hlo = HloSpelling("round-nearest-afz", "RoundNearestAfz")
    compute, kinds = round_nearest_afz, FLOATS


class RoundNearestEven(Unary):
    """The nearest integer, halves to the even one. Specification: round_nearest_even."""

    name = "stablehlo.round_nearest_even"
    roundings = 0
    findings = ElementwiseFindings(keeps_ranks=True)
    hlo = HloSpelling("round-nearest-even", "RoundNearestEven")
    compute, kinds = np.rint, FLOATS


@dataclass(frozen=True)
class ReducePrecision(Elementwise):
    """What a float type of `exponent_bits` and `mantissa_bits` would keep of each element.

    The mantissa is rounded to nearest even; without mantissa bits, to the even exponent, as on XLA. What is
    then too large becomes an infinity, what is too small for a normal number of that type becomes 0, both
    with the element's sign; NaN stays. A field that is no narrower than the element's own changes nothing,
    also of denormals. Types without infinities get what they have instead (NaN, or the largest number).
    Specification: reduce_precision.
    """

    name = "stablehlo.reduce_precision"
    findings = ElementwiseFindings(converts=True, raises_flags=False)
    roundings = 0
    short_form = "operands , format = exponent-mantissa attr-dict : same-type"
    hlo = HloSpelling(
        "reduce-precision",
        "ReducePrecision",
        note="What is too small for the exponent's bits becomes zero with its sign: there are no subnormal "
        "numbers.",
    )
    kinds, wide = FLOATS, AS_IS
    section = replace(Elementwise.section, result_labels={"element_type": "C1", "shape": "C1"})

    operand: TensorType
    exponent_bits: int
    mantissa_bits: int
    result: TensorType | None = None

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "operand", self.operand, self.kinds)
        yield "C2", self.exponent_bits >= 1, f"exponent_bits {self.exponent_bits} must be at least 1"
        yield "C3", self.mantissa_bits >= 0, f"mantissa_bits {self.mantissa_bits} must not be negative"

    @property
    def function(self) -> Compute:
        return lambda operand: reduce_precision(operand, self.exponent_bits, self.mantissa_bits)

    def element_cause(self, elements: Sequence[float], result: Array, value: float) -> str:
        """The limit is that of the format, not of the type."""
        exponent = min(self.exponent_bits, _layout(result.dtype).exponent_bits)
        limit = (2 - 2.0**-self.mantissa_bits) * 2.0 ** (2 ** (exponent - 1) - 1)
        side, sign = ("below", "-") if value < 0 else ("above", "")
        name = f"e{self.exponent_bits}m{self.mantissa_bits}"
        return f"where {{0}} is {side} {sign}{causes.short(limit)}, the largest {name}"


def reduce_precision(operand: Array, exponent_bits: int, mantissa_bits: int) -> Array:
    """Reduces exponent and mantissa on the bits of the elements, in their own dtype."""
    layout = _layout(operand.dtype)
    bits = operand.view(layout.unsigned)
    magnitude = bits & ~layout.sign
    if mantissa_bits < layout.mantissa_bits:
        magnitude = _rounded_mantissa(magnitude, layout.mantissa_bits - mantissa_bits)
        if not layout.carries_to_infinity:
            magnitude = np.where(magnitude > layout.largest, layout.infinity, magnitude)
    if exponent_bits < layout.exponent_bits:
        magnitude = _limited_exponent(magnitude, layout, (1 << exponent_bits - 1) - 1)
    sign = bits & layout.sign
    if not layout.has_negative_zero:
        sign = np.where(magnitude == 0, layout.unsigned.type(0), sign)
    value = (magnitude | sign).view(operand.dtype)
    nan = np.isnan(operand)
    return np.where(nan, operand, value) if nan.any() else value


@dataclass(frozen=True)
class _Layout:
    """The fields of a float dtype; patterns are unsigned integers of its width, without the sign."""

    unsigned: np.dtype[Any]
    sign: Any
    exponent_bits: int
    mantissa_bits: int
    bias: int
    largest: Any
    infinity: Any
    """The substitute for infinity in a type without one: NaN, or the largest number."""
    zero: Any
    has_negative_zero: bool

    @property
    def carries_to_infinity(self) -> bool:
        """Whether rounding numbers above the largest one yields the pattern of infinity."""
        return bool(
            self.infinity == self.largest + 1 == self.infinity >> self.mantissa_bits << self.mantissa_bits
        )


@cache
def _layout(dtype: np.dtype[Any]) -> _Layout:
    info = ml_dtypes.finfo(dtype)
    unsigned = np.dtype(f"u{dtype.itemsize}")

    def pattern(value: float) -> Any:
        return np.array(value).astype(dtype).view(unsigned)[()]

    # f8E8M0FNU has nothing but an exponent.
    has_sign = info.bits > info.nexp + info.nmant
    sign = unsigned.type(1 << info.bits - 1 if has_sign else 0)
    return _Layout(
        unsigned,
        sign,
        int(info.nexp),
        int(info.nmant),
        1 - int(info.minexp) if has_sign else -int(info.minexp),
        info.max.view(unsigned),
        pattern(np.inf) & ~sign or pattern(np.inf),
        pattern(0.0),
        bool(pattern(-0.0) != pattern(0.0)),
    )


def _rounded_mantissa(magnitude: Array, dropped: int) -> Array:
    """The magnitude's bits with `dropped` mantissa bits rounded to nearest even; a carry goes into the exponent."""
    unsigned: Any = magnitude.dtype.type
    odd = (magnitude >> unsigned(dropped)) & unsigned(1)
    rounded: Array = (magnitude + odd + unsigned((1 << dropped - 1) - 1)) & ~unsigned((1 << dropped) - 1)
    return rounded


def _limited_exponent(magnitude: Array, layout: _Layout, reach: int) -> Array:
    """The magnitude's bits with exponents from `1 - reach` to `reach`: zero below, infinity above."""
    exponent = magnitude >> layout.unsigned.type(layout.mantissa_bits)
    limited: Array = np.where(exponent > layout.bias + reach, layout.infinity, magnitude)
    limited = np.where(exponent <= max(layout.bias - reach, 0), layout.zero, limited)
    return limited
