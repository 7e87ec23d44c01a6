"""Functions of one number, element by element; how they compute is said in `elementwise`."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from ..core import causes, numeric
from ..core.facets import HloSpelling
from ..core.op import Array
from ..core.ranks import Arrays
from ..core.rounding import Error, Errors
from .elementwise import Accurate, ElementwiseFindings


class Growing(Accurate):
    """A function that grows as fast as the exponential does."""

    def element_cause(self, elements: Sequence[float], result: Array, value: float) -> str:
        (x,) = elements
        return f"where {{0}} is above {causes.exponent_limit(result.dtype)}" if isfinite(x) else ""


class Exponential(Growing):
    """e to the power of the operand."""

    name = "stablehlo.exponential"
    symbol = "exp"
    hlo = HloSpelling("exponential", "Exp")
    compute = np.exp
    findings = ElementwiseFindings(underflows=True)


class ExponentialMinusOne(Growing):
    """e to the power of the operand, minus one, exact near 0."""

    name = "stablehlo.exponential_minus_one"
    hlo = HloSpelling("exponential-minus-one", "Expm1")
    compute = numeric.expm1


class Log(Accurate):
    """The natural logarithm; minus infinity of 0, NaN below."""

    name = "stablehlo.log"
    hlo = HloSpelling("log", "Log")
    compute = np.log
    findings = ElementwiseFindings(compresses=True, magnifies=True)
    poles = (("is 0", lambda x: x == 0), ("is negative", lambda x: x < 0))


class LogPlusOne(Accurate):
    """The natural logarithm of one more than the operand, exact near 0."""

    name = "stablehlo.log_plus_one"
    hlo = HloSpelling("log-plus-one", "Log1p")
    compute = numeric.log_plus_one
    findings = ElementwiseFindings(compresses=True)
    poles = (("is -1", lambda x: x == -1), ("is below -1", lambda x: x < -1))


class Logistic(Accurate):
    """`1 / (1 + exp(-x))`."""

    name = "stablehlo.logistic"
    hlo = HloSpelling("logistic", "Logistic")
    compute = numeric.logistic
    findings = ElementwiseFindings(underflows=True)


class Tanh(Accurate):
    """The hyperbolic tangent."""

    name = "stablehlo.tanh"
    hlo = HloSpelling("tanh", "Tanh")
    compute = np.tanh


class Sqrt(Accurate):
    """The square root; keeps -0, NaN below."""

    name = "stablehlo.sqrt"
    hlo = HloSpelling("sqrt", "Sqrt")
    compute = np.sqrt
    findings = ElementwiseFindings(compresses=True)
    poles = (("is negative", lambda x: x < 0),)


class RsqrtFindings(ElementwiseFindings["Rsqrt"]):
    def loses_sizes(
        self, op: Rsqrt, operand: int, operands: Arrays, result: Array, *, compressed: bool
    ) -> NDArray[np.bool_] | None:
        """The root of a number that overflowed is finite: one over it is far from 0."""
        return np.asarray(np.isinf(operands[0]) & (result == 0))


class Rsqrt(Accurate):
    """One over the square root; infinity with the sign of a zero."""

    name = "stablehlo.rsqrt"
    hlo = HloSpelling("rsqrt", "Rsqrt")
    compute = numeric.rsqrt
    findings = RsqrtFindings(compresses=True)
    poles = (("is 0", lambda x: x == 0), ("is negative", lambda x: x < 0))


class Wave(Accurate):
    """A function of an angle between -1 and 1."""

    def carried_error(self, operands: Arrays, errors: Errors, exact: Array) -> Error:
        """The operand's error, at most 2: for real numbers, the slope is never above 1."""
        if exact.dtype.kind == "c":
            return super().carried_error(operands, errors, exact)
        return np.minimum(errors[0], 2.0)


class Sine(Wave):
    """The sine of an angle in radians."""

    name = "stablehlo.sine"
    hlo = HloSpelling("sine", "Sin")
    compute = np.sin


class Cosine(Wave):
    """The cosine of an angle in radians."""

    name = "stablehlo.cosine"
    hlo = HloSpelling("cosine", "Cos")
    compute = np.cos


class Tan(Accurate):
    """The tangent of an angle in radians. Specification: tan."""

    name = "stablehlo.tan"
    hlo = HloSpelling("tan", "Tan")
    compute = np.tan

    def carried_error(self, operands: Arrays, errors: Errors, exact: Array) -> Error:
        return beyond_poles(operands[0], errors[0], super().carried_error(operands, errors, exact))


class Cbrt(Accurate):
    """The cube root, of negative numbers too; the principal one of a complex value. Specification: cbrt."""

    name = "stablehlo.cbrt"
    hlo = HloSpelling("cbrt", "Cbrt")
    compute = numeric.cbrt
    findings = ElementwiseFindings(compresses=True)


def beyond_poles(operand: Array, error: Error, carried: Error) -> Error:
    """The error bound of a tangent: infinite where there may be a pole."""
    return np.where((np.abs(np.cos(operand)) <= 2 * error) & (error > 0), np.inf, carried)
