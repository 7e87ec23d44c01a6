"""CHLO's functions of each element. The specification does not cover CHLO: names and types are MLIR's."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import floor, isfinite
from typing import Any

import numpy as np

from ...ir.element_types import I1
from ...ir.types import TensorType
from ..core.facets import HloSpelling, Section
from ..core.field_plans import field_plans
from ..core.kinds import COMPLEX, FLOAT, INTEGER, Kinds, holds
from ..core.numeric import AS_IS, PRECISE, Compute, square
from ..core.op import Array, Constraint
from ..core.ranks import Arrays
from ..core.rounding import Error, Errors, denormal_limit, magnitude, unit_roundoff
from ..elementwise.elementwise import Elementwise, ElementwiseFindings, Poles, Unary, same_types
from ..elementwise.floating_point import IsFiniteFindings
from ..elementwise.functions import beyond_poles
from . import special_functions

FLOAT_OR_COMPLEX: Kinds = (*FLOAT, *COMPLEX)


@dataclass(frozen=True)
class ChloUnary(Unary):
    """One operand; operand and result are both spelled."""

    short_form = "operands attr-dict : operand-type -> result-type"
    section = Section(result_is_requantized=True)
    kinds = FLOAT_OR_COMPLEX

    def constraints(self) -> Iterator[Constraint]:
        yield holds("", "operand", self.operand, self.kinds)


class Square(ChloUnary):
    """The operand times itself."""

    name = "chlo.square"
    compute, is_correct = square, True
    findings = ElementwiseFindings(multiplies=True, underflows=True)


class Conj(ChloUnary):
    """The complex conjugate; a real number itself."""

    name = "chlo.conj"
    findings = ElementwiseFindings(keeps_ranks=True)
    compute, roundings = np.conjugate, 0


class Transcendental(ChloUnary):
    """Computed in f64, like StableHLO's own."""

    roundings = 8

    findings = ElementwiseFindings(raises_flags=False)

    wide = PRECISE

    def element_cause(self, elements: Sequence[float], result: Array, value: float) -> str:
        return self.pole_at(elements[0]) or super().element_cause(elements, result, value)


_ENDS_AND_BEYOND: Poles = (
    ("is 1 or -1", lambda x: abs(x) == 1),
    ("is outside [-1, 1]", lambda x: abs(x) > 1),
)
"""The poles of inverses of functions between -1 and 1."""


class Tan(Transcendental):
    """The tangent of an angle in radians."""

    name = "chlo.tan"
    compute = np.tan

    def carried_error(self, operands: Arrays, errors: Errors, exact: Array) -> Error:
        return beyond_poles(operands[0], errors[0], super().carried_error(operands, errors, exact))


class Sinh(Transcendental):
    """The hyperbolic sine."""

    name = "chlo.sinh"
    hlo = HloSpelling("sinh")
    compute = np.sinh


class Cosh(Transcendental):
    """The hyperbolic cosine."""

    name = "chlo.cosh"
    hlo = HloSpelling("cosh", "Cosh")
    compute = np.cosh


class Acos(Transcendental):
    """The angle whose cosine the operand is."""

    name = "chlo.acos"
    hlo = HloSpelling("acos")
    compute = np.arccos
    poles = (("is outside [-1, 1]", lambda x: abs(x) > 1),)


class Asin(Transcendental):
    """The angle whose sine the operand is."""

    name = "chlo.asin"
    hlo = HloSpelling("asin")
    compute = np.arcsin
    poles = (("is outside [-1, 1]", lambda x: abs(x) > 1),)


class Atan(Transcendental):
    """The angle whose tangent the operand is."""

    name = "chlo.atan"
    hlo = HloSpelling("atan")
    compute = np.arctan


class Acosh(Transcendental):
    """The inverse of the hyperbolic cosine."""

    name = "chlo.acosh"
    hlo = HloSpelling("acosh")
    compute = np.arccosh
    poles = (("is below 1", lambda x: x < 1),)


class Asinh(Transcendental):
    """The inverse of the hyperbolic sine."""

    name = "chlo.asinh"
    hlo = HloSpelling("asinh")
    compute = np.arcsinh


class Atanh(Transcendental):
    """The inverse of the hyperbolic tangent."""

    name = "chlo.atanh"
    hlo = HloSpelling("atanh")
    compute = np.arctanh
    poles = _ENDS_AND_BEYOND


class BesselI1e(Transcendental):
    """The modified Bessel function of order 1 times `exp(-|x|)`. Its type may be complex, its values may not."""

    name = "chlo.bessel_i1e"
    compute = special_functions.bessel_i1e

    def unrunnable(self) -> str | None:
        if self.operand.element_type.is_complex:
            return f"bessel_i1e is not defined of {self.operand.element_type} elements"
        return None

    def carried_error(self, operands: Arrays, errors: Errors, exact: Array) -> Error:
        """The distance from the ends of the interval, or from the peak or the trough that it contains."""
        worst = super().carried_error(operands, errors, exact)
        for extremum in (_BESSEL_PEAK, -_BESSEL_PEAK):
            distance = np.abs(special_functions.bessel_i1e(np.asarray(extremum)) - exact)
            contains = np.abs(operands[0] - extremum) <= errors[0]
            worst = np.where(contains, np.maximum(worst, distance), worst)
        return worst


_BESSEL_PEAK = 1.5451272579925421
"""The operand at which `chlo.bessel_i1e` has its maximum; at its negative it has its minimum."""


class RealTranscendental(Transcendental):
    """A function of real numbers alone."""

    roundings = 32

    kinds = FLOAT


class Erf(RealTranscendental):
    """The Gauss error function."""

    name = "chlo.erf"
    hlo = HloSpelling("erf", "Erf")
    compute = special_functions.erf


class Erfc(RealTranscendental):
    """One minus the Gauss error function, exact where that is small."""

    name = "chlo.erfc"
    compute = special_functions.erfc


class ErfInv(RealTranscendental):
    """The inverse of the Gauss error function: infinite at -1 and 1, NaN beyond."""

    name = "chlo.erf_inv"
    compute = special_functions.erf_inv
    poles = _ENDS_AND_BEYOND


class GammaFunction(RealTranscendental):
    """A function with poles at 0 and at the negative whole numbers, as the gamma function has."""

    roundings = 128

    poles = (("is 0 or a negative whole number", lambda x: isfinite(x) and x <= 0 and x == floor(x)),)

    def carried_error(self, operands: Arrays, errors: Errors, exact: Array) -> Error:
        """Anything where the operand may lie on either side of a pole."""
        low, high = operands[0] - errors[0], np.minimum(operands[0] + errors[0], 0)
        crosses_pole = (errors[0] > 0) & (np.ceil(low) <= high)
        return np.where(crosses_pole, np.inf, super().carried_error(operands, errors, exact))


class Lgamma(GammaFunction):
    """The logarithm of the gamma function's absolute value; infinite at 0 and at negative whole numbers."""

    name = "chlo.lgamma"
    compute = special_functions.lgamma


class Digamma(GammaFunction):
    """The derivative of lgamma; -Inf at 0, and NaN at negative whole numbers."""

    name = "chlo.digamma"
    compute = special_functions.digamma


class Question(ChloUnary):
    """The test of each element; its results are booleans."""

    findings = IsFiniteFindings()

    kinds = FLOAT

    def infer(self) -> TensorType:
        return self.operand.with_element_type(I1)


class IsInf(Question):
    """Whether each element is an infinity."""

    name = "chlo.is_inf"
    compute = np.isinf


class IsPosInf(Question):
    """Whether each element is the positive infinity."""

    name = "chlo.is_pos_inf"

    @staticmethod
    def compute(operand: Array) -> Any:
        return operand == np.inf


class IsNegInf(Question):
    """Whether each element is the negative infinity."""

    name = "chlo.is_neg_inf"

    @staticmethod
    def compute(operand: Array) -> Any:
        return operand == -np.inf


class ChloBinary(Elementwise):
    """Two operands of one type, which the result has; all are spelled."""

    short_form = "operands attr-dict : operand-types -> result-types"
    section = Section(result_is_requantized=True)
    kinds = FLOAT

    def constraints(self) -> Iterator[Constraint]:
        names = [plan.name for plan in field_plans(type(self)) if plan.source == "operand"]
        named = dict(zip(names, self.inputs, strict=True))
        for name, found in named.items():
            yield holds("", name, found, self.kinds)
        yield same_types("", **named)


@dataclass(frozen=True)
class NextAfter(ChloBinary):
    """The next number after `x` on the way to `y`, which may be a denormal; `y` where they are equal."""

    name = "chlo.next_after"
    findings = ElementwiseFindings(keeps_ranks=True)
    compute, wide = special_functions.next_after, AS_IS

    x: TensorType
    y: TensorType
    result: TensorType | None = None

    def carried_error(self, operands: Arrays, errors: Errors, exact: Array) -> Error:
        """A step of the type, longer for larger numbers; two where the operands may be in either order."""
        x, y = operands
        dtype = self.result_type.element_type.dtype
        step = 2 * unit_roundoff(dtype) * np.maximum(magnitude(x) + errors[0], denormal_limit(dtype))
        steps = np.where(np.abs(x - y) <= errors[0] + errors[1], 2, 1) * (errors[0] + errors[1] > 0)
        return super().carried_error(operands, errors, exact) + steps * step


@dataclass(frozen=True)
class Polygamma(ChloBinary):
    """The derivative of digamma at `x`, of order `n`; NaN unless that is a whole number from 0 on."""

    name = "chlo.polygamma"
    findings = ElementwiseFindings(raises_flags=False)
    compute, wide, roundings = special_functions.polygamma, PRECISE, 512

    n: TensorType
    x: TensorType
    result: TensorType | None = None


@dataclass(frozen=True)
class Zeta(ChloBinary):
    """The Hurwitz zeta function: the sum of `(q + k) ** -x` over all k from 0 on."""

    name = "chlo.zeta"
    findings = ElementwiseFindings(raises_flags=False)
    compute, wide, roundings = special_functions.zeta, PRECISE, 512

    x: TensorType
    q: TensorType
    result: TensorType | None = None


@dataclass(frozen=True)
class Mulhi(ChloBinary):
    """The upper half of the product of integers, whose lower half `multiply` gives."""

    name = "chlo.mulhi"
    hlo = HloSpelling("mulhi")
    kinds = INTEGER

    lhs: TensorType
    rhs: TensorType
    result: TensorType | None = None

    @property
    def function(self) -> Compute:
        width = self.lhs.element_type.bits
        return lambda lhs, rhs: special_functions.high_product(lhs, rhs, width)
