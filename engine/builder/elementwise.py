"""Elementwise functions: a table of ops, comparisons, and functions that take scalars beside arrays."""

from __future__ import annotations

from ..ir.element_types import I1, ElementType
from ..ir.types import TensorType, TupleType
from .broadcasting import Broadcasting, Dimensions
from .builder_error import BuilderError
from .handles import Operand, XlaOp
from .instructions import binary, instruction, row, transcendental, unary

_SIGNS = {"EQ": "==", "NE": "!=", "GE": ">=", "GT": ">", "LE": "<=", "LT": "<"}


def _of_direction(direction: str) -> tuple[str, str]:
    answer = "always" if direction == "NE" else "never"
    return direction.lower(), f"Whether lhs {_SIGNS[direction]} rhs; {answer} for NaN."


def _of_total_order(direction: str) -> tuple[str, str]:
    order = "-NaN < -inf < … < -0 < +0 < … < +inf < +NaN"
    return f"{direction.lower()}_total_order", f"Whether lhs {_SIGNS[direction]} rhs, where {order}."


@row(_of_direction)
def comparison(
    direction: str, self: Elementwise, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None
) -> XlaOp:
    """A comparison in one direction."""
    return self.compare(lhs, rhs, direction, broadcast_dimensions)


@row(_of_total_order)
def total_order(
    direction: str, self: Elementwise, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None
) -> XlaOp:
    """As `comparison`, but floats are compared in their total order."""
    left, right = self._pair(lhs, rhs, "compare")
    kind = "TOTALORDER" if left.element_type.is_float else None
    return self.compare(left, right, direction, broadcast_dimensions, kind)


class Elementwise(Broadcasting):
    """Functions that compute each element of the result from the elements of the operands at its index.

    Functions of two arrays take one element type and broadcast to a common shape. A scalar matches any shape. An
    array of lower rank needs `broadcast_dimensions`: the dimensions of the other operand that its own become, in
    increasing order. A dimension of size 1 is repeated to the size of the other operand. Numbers become constants of
    the other operand's element type.
    """

    abs = unary("stablehlo.abs")
    neg = unary("stablehlo.negate")
    sign = unary("stablehlo.sign")
    not_ = logical_not = unary("stablehlo.not")
    ceil = unary("stablehlo.ceil")
    floor = unary("stablehlo.floor")
    round_nearest_afz = round = unary("stablehlo.round_nearest_afz")
    round_nearest_even = unary("stablehlo.round_nearest_even")
    is_finite = unary("stablehlo.is_finite")
    clz = unary("stablehlo.count_leading_zeros")
    population_count = unary("stablehlo.popcnt")
    real = unary("stablehlo.real")
    imag = unary("stablehlo.imag")

    cbrt = transcendental("stablehlo.cbrt")
    cos = transcendental("stablehlo.cosine")
    sin = transcendental("stablehlo.sine")
    tan = transcendental("stablehlo.tan")
    tanh = transcendental("stablehlo.tanh")
    exp = transcendental("stablehlo.exponential")
    expm1 = transcendental("stablehlo.exponential_minus_one")
    log = transcendental("stablehlo.log")
    log1p = transcendental("stablehlo.log_plus_one")
    logistic = transcendental("stablehlo.logistic")
    sqrt = transcendental("stablehlo.sqrt")
    rsqrt = transcendental("stablehlo.rsqrt")
    cosh = transcendental("chlo.cosh")
    sinh = transcendental("chlo.sinh")
    erf = transcendental("chlo.erf")
    acos = transcendental("chlo.acos")
    acosh = transcendental("chlo.acosh")
    asin = transcendental("chlo.asin")
    asinh = transcendental("chlo.asinh")
    atan = transcendental("chlo.atan")
    atanh = transcendental("chlo.atanh")

    add = binary("stablehlo.add")
    sub = binary("stablehlo.subtract")
    mul = binary("stablehlo.multiply")
    mulhi = binary("chlo.mulhi")
    div = binary("stablehlo.divide")
    rem = binary("stablehlo.remainder")
    max = binary("stablehlo.maximum")
    min = binary("stablehlo.minimum")
    pow = binary("stablehlo.power")
    atan2 = binary("stablehlo.atan2")
    complex = binary("stablehlo.complex")
    and_ = logical_and = binary("stablehlo.and")
    or_ = logical_or = binary("stablehlo.or")
    xor = binary("stablehlo.xor")
    shift_left = binary("stablehlo.shift_left")
    shift_right_arithmetic = binary("stablehlo.shift_right_arithmetic")
    shift_right_logical = binary("stablehlo.shift_right_logical")

    def conj(self, operand: XlaOp) -> XlaOp:
        """The conjugate of each complex number, from its parts; a real operand is returned unchanged."""
        if not operand.element_type.is_complex:
            return self._own(operand, "conj")
        return self._emit("stablehlo.complex", self.real(operand), self.neg(self.imag(operand)))

    reduce_precision = instruction("stablehlo.reduce_precision")

    # Comparisons

    def compare(
        self,
        lhs: Operand,
        rhs: Operand,
        direction: str,
        broadcast_dimensions: Dimensions = None,
        compare_type: str | None = None,
    ) -> XlaOp:
        """Compare elements: `direction` is EQ, NE, GE, GT, LE or LT. The result holds booleans.

        `compare_type` is FLOAT, TOTALORDER, SIGNED or UNSIGNED; the default follows from the element type.
        """
        left, right = self._pair(lhs, rhs, "compare")
        return self._binary(
            "stablehlo.compare",
            left,
            right,
            broadcast_dimensions,
            comparison_direction=direction,
            compare_type=compare_type or _compare_type(left.element_type),
        )

    eq = comparison("EQ")
    ne = comparison("NE")
    ge = comparison("GE")
    gt = comparison("GT")
    le = comparison("LE")
    lt = comparison("LT")

    eq_total_order = total_order("EQ")
    ne_total_order = total_order("NE")
    ge_total_order = total_order("GE")
    gt_total_order = total_order("GT")
    le_total_order = total_order("LE")
    lt_total_order = total_order("LT")

    # Functions of three operands

    def clamp(self, min: Operand, operand: XlaOp, max: Operand) -> XlaOp:
        """min(max(operand, min), max): `operand` within limits, which are scalars or of its shape.

        The result is NaN if any of them is NaN, and `max` if `min` exceeds it.
        """
        element_type = self._own(operand, "clamp").element_type
        low, high = (self._like(limit, element_type, "clamp") for limit in (min, max))
        return self._emit("stablehlo.clamp", low, operand, high)

    def select(self, pred: XlaOp, on_true: Operand, on_false: Operand) -> XlaOp:
        """The element of `on_true` where `pred` is true, of `on_false` where it is false.

        `pred` has the shape of both, or is a scalar. Scalars are broadcast. A scalar `pred` also chooses between two
        tuples.
        """
        self._own(pred, "select")
        handles = [found for found in (on_true, on_false) if isinstance(found, XlaOp)]
        if any(isinstance(found.type, TupleType) for found in handles):
            return self._select_tuple(pred, on_true, on_false)
        true, false = self._pair(on_true, on_false, "select")
        ranked = next((found for found in (true, false, pred) if found.rank), None)
        if ranked is not None:
            true, false = (
                self._grow(found, ranked.shape) if not found.rank else found for found in (true, false)
            )
        return self._emit("stablehlo.select", pred, true, false)

    def _select_tuple(self, pred: XlaOp, on_true: Operand, on_false: Operand) -> XlaOp:
        true, false = self._own(on_true, "select"), self._own(on_false, "select")
        if true.type != false.type:
            raise BuilderError(
                f"on_true is {true}, on_false is {false}: tuples must have one type", op="select"
            )
        if pred.type != TensorType((), I1):
            raise BuilderError(f"pred must be pred[] to choose between tuples, not {pred}", op="select")
        chosen = [self.select(pred, left, right) for left, right in zip(true, false, strict=True)]
        return self._emit("stablehlo.tuple", *chosen)


def _compare_type(element_type: ElementType) -> str:
    if element_type.is_float or element_type.is_complex:
        return "FLOAT"
    return "SIGNED" if element_type.kind == "signed" else "UNSIGNED"
