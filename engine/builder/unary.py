"""Elementwise functions of one operand."""

from __future__ import annotations

from dataclasses import dataclass

from ..ir.attributes import Attribute
from .attributes import integer32, result_accuracy
from .errors import BuilderError
from .handles import XlaOp
from .recorder import Recorder


@dataclass(frozen=True)
class ResultAccuracy:
    """How exact a transcendental function is to be; it changes nothing here, where the best is always computed.

    `mode` is `default`, `highest` or, if a result may differ by `atol`, `rtol` or `ulps`, `tolerance`.
    """

    mode: str = "default"
    atol: float = 0.0
    rtol: float = 0.0
    ulps: int = 0

    def attribute(self) -> Attribute:
        """The property of the op."""
        if self.mode not in ("default", "highest", "tolerance"):
            message = f"result_accuracy: mode is default, highest or tolerance, not {self.mode!r}"
            raise BuilderError(message)
        return result_accuracy(self.mode.upper(), (self.atol, self.rtol, self.ulps))


Accuracy = ResultAccuracy | None


class Unary(Recorder):
    """Functions `T[d0, …] -> T[d0, …]` that compute each element of the result from that of the operand."""

    def abs(self, operand: XlaOp) -> XlaOp:
        """|x|. Complex elements give real ones; the least signed integer stays itself."""
        return self.emit("stablehlo.abs", (operand,))

    def neg(self, operand: XlaOp) -> XlaOp:
        """-x of numbers; integers wrap."""
        return self.emit("stablehlo.negate", (operand,))

    def sign(self, operand: XlaOp) -> XlaOp:
        """-1, 0 or 1 as x is below, equal to or above 0; zeros keep their sign, NaN stays, complex x gives x / |x|."""
        return self.emit("stablehlo.sign", (operand,))

    def not_(self, operand: XlaOp) -> XlaOp:
        """The opposite of each boolean, or the complement of each integer's bits."""
        return self.emit("stablehlo.not", (operand,))

    def logical_not(self, operand: XlaOp) -> XlaOp:
        """The older name of `not_`."""
        return self.not_(operand)

    def ceil(self, operand: XlaOp) -> XlaOp:
        """The least integer that is not below x; floats only."""
        return self.emit("stablehlo.ceil", (operand,))

    def floor(self, operand: XlaOp) -> XlaOp:
        """The greatest integer that is not above x; floats only."""
        return self.emit("stablehlo.floor", (operand,))

    def round(self, operand: XlaOp) -> XlaOp:
        """The nearest integer, halves away from zero: the same as `round_nearest_afz`."""
        return self.round_nearest_afz(operand)

    def round_nearest_afz(self, operand: XlaOp) -> XlaOp:
        """The nearest integer, halves away from zero; floats only."""
        return self.emit("stablehlo.round_nearest_afz", (operand,))

    def round_nearest_even(self, operand: XlaOp) -> XlaOp:
        """The nearest integer, halves to the even one; floats only."""
        return self.emit("stablehlo.round_nearest_even", (operand,))

    def is_finite(self, operand: XlaOp) -> XlaOp:
        """Whether x is neither infinite nor NaN: booleans of the operand's shape."""
        return self.emit("stablehlo.is_finite", (operand,))

    def clz(self, operand: XlaOp) -> XlaOp:
        """How many zero bits stand before the highest 1 of each integer; the whole width for 0."""
        return self.emit("stablehlo.count_leading_zeros", (operand,))

    def population_count(self, operand: XlaOp) -> XlaOp:
        """How many bits of each integer are 1."""
        return self.emit("stablehlo.popcnt", (operand,))

    def real(self, operand: XlaOp) -> XlaOp:
        """The real part; a real operand is its own."""
        return self.emit("stablehlo.real", (operand,))

    def imag(self, operand: XlaOp) -> XlaOp:
        """The imaginary part; 0 for a real operand."""
        return self.emit("stablehlo.imag", (operand,))

    def conj(self, operand: XlaOp) -> XlaOp:
        """The conjugate of each complex number, made of its parts; a real operand stays as it is."""
        if not operand.element_type.is_complex:
            return self.owned(operand, "conj")
        return self.emit("stablehlo.complex", (self.real(operand), self.neg(self.imag(operand))))

    def reduce_precision(self, operand: XlaOp, exponent_bits: int, mantissa_bits: int) -> XlaOp:
        """Each float as a format of so many bits would hold it, halves rounded to even.

        What is too large becomes infinite, what has too small an exponent becomes a zero. The type stays.
        """
        properties = {
            "exponent_bits": integer32("exponent_bits", exponent_bits),
            "mantissa_bits": integer32("mantissa_bits", mantissa_bits),
        }
        return self.emit("stablehlo.reduce_precision", (operand,), properties)

    # Transcendental functions of floats and complex numbers

    def cbrt(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """The cube root, of negative numbers too; floats only."""
        return self._accurate("stablehlo.cbrt", operand, result_accuracy)

    def cos(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """The cosine of x radians."""
        return self._accurate("stablehlo.cosine", operand, result_accuracy)

    def sin(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """The sine of x radians."""
        return self._accurate("stablehlo.sine", operand, result_accuracy)

    def tan(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """The tangent of x radians."""
        return self._accurate("stablehlo.tan", operand, result_accuracy)

    def tanh(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """The hyperbolic tangent."""
        return self._accurate("stablehlo.tanh", operand, result_accuracy)

    def exp(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """e to the power of x."""
        return self._accurate("stablehlo.exponential", operand, result_accuracy)

    def expm1(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """e to the power of x, minus 1, exact for small x too."""
        return self._accurate("stablehlo.exponential_minus_one", operand, result_accuracy)

    def log(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """The natural logarithm; -inf for 0, NaN below."""
        return self._accurate("stablehlo.log", operand, result_accuracy)

    def log1p(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """The natural logarithm of 1 + x, exact for small x too."""
        return self._accurate("stablehlo.log_plus_one", operand, result_accuracy)

    def logistic(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """1 / (1 + exp(-x))."""
        return self._accurate("stablehlo.logistic", operand, result_accuracy)

    def sqrt(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """The square root; NaN below 0, -0 for -0."""
        return self._accurate("stablehlo.sqrt", operand, result_accuracy)

    def rsqrt(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """1 / sqrt(x); infinite for zeros, with their sign."""
        return self._accurate("stablehlo.rsqrt", operand, result_accuracy)

    def _accurate(self, name: str, operand: XlaOp, accuracy: Accuracy) -> XlaOp:
        properties = {} if accuracy is None else {"result_accuracy": accuracy.attribute()}
        return self.emit(name, (operand,), properties)

    def cosh(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """The hyperbolic cosine."""
        return self._checked("chlo.cosh", operand, result_accuracy)

    def sinh(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """The hyperbolic sine."""
        return self._checked("chlo.sinh", operand, result_accuracy)

    def erf(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """The error function; floats only."""
        return self._checked("chlo.erf", operand, result_accuracy)

    def acos(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """The angle in radians whose cosine is x."""
        return self._checked("chlo.acos", operand, result_accuracy)

    def acosh(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """The number whose hyperbolic cosine is x."""
        return self._checked("chlo.acosh", operand, result_accuracy)

    def asin(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """The angle in radians whose sine is x."""
        return self._checked("chlo.asin", operand, result_accuracy)

    def asinh(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """The number whose hyperbolic sine is x."""
        return self._checked("chlo.asinh", operand, result_accuracy)

    def atan(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """The angle in radians whose tangent is x."""
        return self._checked("chlo.atan", operand, result_accuracy)

    def atanh(self, operand: XlaOp, result_accuracy: Accuracy = None) -> XlaOp:
        """The number whose hyperbolic tangent is x."""
        return self._checked("chlo.atanh", operand, result_accuracy)

    def _checked(self, name: str, operand: XlaOp, accuracy: Accuracy) -> XlaOp:
        """A function whose op has no place for the accuracy, which changes nothing."""
        if accuracy is not None:
            accuracy.attribute()
        return self.emit(name, (operand,))
