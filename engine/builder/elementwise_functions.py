"""Elementwise functions: most are one op each, and say what the op's class says."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.attributes import Attribute
from ..ir.element_types import I1, ElementType
from ..ir.types import TensorType, TupleType
from .broadcasting import Broadcasting, Dimensions
from .builder_error import BuilderError
from .handles import Operand, XlaOp
from .op_functions import binary, method, transcendental, unary
from .property_attributes import enum, integer32


def _compare(
    direction: str, self: Elementwise, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None
) -> XlaOp:
    return self.compare(lhs, rhs, direction, broadcast_dimensions)


def _compare_in_total_order(
    direction: str, self: Elementwise, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None
) -> XlaOp:
    left, right = self.pair(lhs, rhs, "compare")
    kind = "TOTALORDER" if left.element_type.is_float else None
    return self.compare(left, right, direction, broadcast_dimensions, kind)


class Elementwise(Broadcasting):
    """Functions that compute each element of the result from those of the operands at its place.

    Functions of two arrays take them of one element type, in the shape that both have together. A scalar goes with
    any shape. An array of lower rank needs `broadcast_dimensions`: the dimensions of the other operand that its own
    are, in increasing order. Where one operand then has size 1, it is repeated. Numbers become constants of the other
    operand's element type.
    """

    abs = unary("stablehlo.abs")
    neg = unary("stablehlo.negate")
    sign = unary("stablehlo.sign")
    not_ = unary("stablehlo.not")
    ceil = unary("stablehlo.ceil")
    floor = unary("stablehlo.floor")
    round_nearest_afz = unary("stablehlo.round_nearest_afz")
    round_nearest_even = unary("stablehlo.round_nearest_even")
    is_finite = unary("stablehlo.is_finite")
    clz = unary("stablehlo.count_leading_zeros")
    population_count = unary("stablehlo.popcnt")
    real = unary("stablehlo.real")
    imag = unary("stablehlo.imag")
    round = round_nearest_afz
    logical_not = not_

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
    and_ = binary("stablehlo.and")
    or_ = binary("stablehlo.or")
    xor = binary("stablehlo.xor")
    shift_left = binary("stablehlo.shift_left")
    shift_right_arithmetic = binary("stablehlo.shift_right_arithmetic")
    shift_right_logical = binary("stablehlo.shift_right_logical")
    logical_and, logical_or = and_, or_

    def conj(self, operand: XlaOp) -> XlaOp:
        """The conjugate of each complex number, made of its parts; a real operand stays as it is."""
        if not operand.element_type.is_complex:
            return self.own(operand, "conj")
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

    # Comparisons

    def compare(
        self,
        lhs: Operand,
        rhs: Operand,
        direction: str,
        broadcast_dimensions: Dimensions = None,
        compare_type: str | None = None,
    ) -> XlaOp:
        """Whether lhs and rhs compare as `direction` says: EQ, NE, GE, GT, LE or LT. Gives booleans.

        `compare_type` is FLOAT, TOTALORDER, SIGNED or UNSIGNED; unless stated it follows from the element type.
        """
        left, right = self.pair(lhs, rhs, "compare")
        kind = compare_type or _compare_type(left.element_type)
        properties: Mapping[str, Attribute] = {
            "comparison_direction": enum("comparison_direction", direction),
            "compare_type": enum("comparison_type", kind),
        }
        return self.binary("stablehlo.compare", left, right, broadcast_dimensions, properties)

    eq = method(_compare, "EQ", "eq", "Whether lhs == rhs; never for NaN.")
    ne = method(_compare, "NE", "ne", "Whether lhs != rhs; always for NaN.")
    ge = method(_compare, "GE", "ge", "Whether lhs >= rhs; never for NaN.")
    gt = method(_compare, "GT", "gt", "Whether lhs > rhs; never for NaN.")
    le = method(_compare, "LE", "le", "Whether lhs <= rhs; never for NaN.")
    lt = method(_compare, "LT", "lt", "Whether lhs < rhs; never for NaN.")

    eq_total_order = method(
        _compare_in_total_order,
        "EQ",
        "eq_total_order",
        "Whether lhs and rhs are the same float, where -NaN < -inf < … < -0 < +0 < … < +inf < +NaN.",
    )
    ne_total_order = method(
        _compare_in_total_order,
        "NE",
        "ne_total_order",
        "Whether lhs and rhs differ in the total order of floats (`eq_total_order`).",
    )
    ge_total_order = method(
        _compare_in_total_order,
        "GE",
        "ge_total_order",
        "Whether lhs is not before rhs in the total order of floats (`eq_total_order`).",
    )
    gt_total_order = method(
        _compare_in_total_order,
        "GT",
        "gt_total_order",
        "Whether lhs is after rhs in the total order of floats (`eq_total_order`).",
    )
    le_total_order = method(
        _compare_in_total_order,
        "LE",
        "le_total_order",
        "Whether lhs is not after rhs in the total order of floats (`eq_total_order`).",
    )
    lt_total_order = method(
        _compare_in_total_order,
        "LT",
        "lt_total_order",
        "Whether lhs is before rhs in the total order of floats (`eq_total_order`).",
    )

    # Of three operands

    def clamp(self, min: Operand, operand: XlaOp, max: Operand) -> XlaOp:
        """min(max(operand, min), max): `operand` within limits, which are scalars or of its shape.

        NaN of any of them gives NaN, and `max` where the limits are the wrong way round.
        """
        element_type = self.own(operand, "clamp").element_type
        low, high = (self.like(limit, element_type, "clamp") for limit in (min, max))
        return self.emit("stablehlo.clamp", (low, operand, high))

    def select(self, pred: XlaOp, on_true: Operand, on_false: Operand) -> XlaOp:
        """The element of `on_true` where `pred` is true, of `on_false` where it is not.

        `pred` is of the shape of both, or a scalar. Scalars go with arrays. With a scalar `pred` both may be tuples.
        """
        self.own(pred, "select")
        types = [found.type for found in (on_true, on_false) if isinstance(found, XlaOp)]
        if any(isinstance(found, TupleType) for found in types):
            return self._select_tuple(pred, on_true, on_false)
        true, false = self.pair(on_true, on_false, "select")
        ranked = next((found for found in (true, false, pred) if found.rank), None)
        if ranked is not None:
            true, false = (self.grow(x, ranked.shape) if not x.rank else x for x in (true, false))
        return self.emit("stablehlo.select", (pred, true, false))

    def _select_tuple(self, pred: XlaOp, on_true: Operand, on_false: Operand) -> XlaOp:
        true, false = self.own(on_true, "select"), self.own(on_false, "select")
        if true.type != false.type:
            raise BuilderError(f"on_true is {true}, on_false is {false}: tuples must be equal", op="select")
        if pred.type != TensorType((), I1):
            raise BuilderError(f"pred must be pred[] to choose between tuples, not {pred}", op="select")
        chosen = [self.select(pred, left, right) for left, right in zip(true, false, strict=True)]
        return self.emit("stablehlo.tuple", chosen)


def _compare_type(element_type: ElementType) -> str:
    if element_type.is_float or element_type.is_complex:
        return "FLOAT"
    return "SIGNED" if element_type.kind == "signed" else "UNSIGNED"
