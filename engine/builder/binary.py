"""Elementwise functions of two operands and more, comparisons included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.attributes import Attribute
from ..ir.element_types import I1, ElementType
from ..ir.types import TensorType, TupleType
from .attributes import enum
from .broadcasting import Broadcasting
from .errors import BuilderError
from .handles import Operand, XlaOp

Dimensions = Sequence[int] | None


class Binary(Broadcasting):
    """Functions of two arrays of one element type, in the shape that both have together.

    Shapes are `T[d0, …], T[d0, …] -> T[d0, …]`. A scalar goes with any shape. An array of lower rank needs
    `broadcast_dimensions`: the dimensions of the other operand that its own are, in increasing order. Where one
    operand then has size 1, it is repeated. Numbers become constants of the other operand's element type.
    """

    def add(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """lhs + rhs; integers wrap, booleans are or'ed."""
        return self.binary("stablehlo.add", lhs, rhs, broadcast_dimensions)

    def sub(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """lhs - rhs; integers wrap."""
        return self.binary("stablehlo.subtract", lhs, rhs, broadcast_dimensions)

    def mul(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """lhs * rhs; integers wrap, booleans are and'ed."""
        return self.binary("stablehlo.multiply", lhs, rhs, broadcast_dimensions)

    def mulhi(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """The upper half of the bits of lhs * rhs; integers only."""
        return self.binary("chlo.mulhi", lhs, rhs, broadcast_dimensions)

    def div(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """lhs / rhs; of integers towards zero, and by 0 all bits are 1."""
        return self.binary("stablehlo.divide", lhs, rhs, broadcast_dimensions)

    def rem(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """What is left of lhs / rhs, with the sign of lhs."""
        return self.binary("stablehlo.remainder", lhs, rhs, broadcast_dimensions)

    def max(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """The greater of both; NaN if either is."""
        return self.binary("stablehlo.maximum", lhs, rhs, broadcast_dimensions)

    def min(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """The smaller of both; NaN if either is."""
        return self.binary("stablehlo.minimum", lhs, rhs, broadcast_dimensions)

    def pow(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """lhs to the power of rhs; integers wrap."""
        return self.binary("stablehlo.power", lhs, rhs, broadcast_dimensions)

    def atan2(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """The angle of the point (rhs, lhs), from -pi to pi."""
        return self.binary("stablehlo.atan2", lhs, rhs, broadcast_dimensions)

    def complex(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """Complex numbers of real parts lhs and imaginary parts rhs: f32 gives c64, f64 gives c128."""
        return self.binary("stablehlo.complex", lhs, rhs, broadcast_dimensions)

    # Bits

    def and_(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """Both, of booleans or of each bit of integers."""
        return self.binary("stablehlo.and", lhs, rhs, broadcast_dimensions)

    def or_(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """Either or both, of booleans or of each bit of integers."""
        return self.binary("stablehlo.or", lhs, rhs, broadcast_dimensions)

    def xor(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """Either but not both, of booleans or of each bit of integers."""
        return self.binary("stablehlo.xor", lhs, rhs, broadcast_dimensions)

    def logical_and(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """The older name of `and_`."""
        return self.and_(lhs, rhs, broadcast_dimensions)

    def logical_or(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """The older name of `or_`."""
        return self.or_(lhs, rhs, broadcast_dimensions)

    def shift_left(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """lhs shifted left by rhs bits; 0 if rhs is the width or more, or negative."""
        return self.binary("stablehlo.shift_left", lhs, rhs, broadcast_dimensions)

    def shift_right_arithmetic(
        self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None
    ) -> XlaOp:
        """lhs shifted right by rhs bits, filled with copies of its highest bit."""
        return self.binary("stablehlo.shift_right_arithmetic", lhs, rhs, broadcast_dimensions)

    def shift_right_logical(
        self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None
    ) -> XlaOp:
        """lhs shifted right by rhs bits, filled with zeros."""
        return self.binary("stablehlo.shift_right_logical", lhs, rhs, broadcast_dimensions)

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
        left, right = self.paired(lhs, rhs, "compare")
        kind = compare_type or _compare_type(left.element_type)
        properties: Mapping[str, Attribute] = {
            "comparison_direction": enum("comparison_direction", direction),
            "compare_type": enum("comparison_type", kind),
        }
        return self.binary("stablehlo.compare", left, right, broadcast_dimensions, properties)

    def eq(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """Whether lhs == rhs; never for NaN."""
        return self.compare(lhs, rhs, "EQ", broadcast_dimensions)

    def ne(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """Whether lhs != rhs; always for NaN."""
        return self.compare(lhs, rhs, "NE", broadcast_dimensions)

    def ge(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """Whether lhs >= rhs; never for NaN."""
        return self.compare(lhs, rhs, "GE", broadcast_dimensions)

    def gt(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """Whether lhs > rhs; never for NaN."""
        return self.compare(lhs, rhs, "GT", broadcast_dimensions)

    def le(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """Whether lhs <= rhs; never for NaN."""
        return self.compare(lhs, rhs, "LE", broadcast_dimensions)

    def lt(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """Whether lhs < rhs; never for NaN."""
        return self.compare(lhs, rhs, "LT", broadcast_dimensions)

    def eq_total_order(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """Whether lhs and rhs are the same float, where -NaN < -inf < … < -0 < +0 < … < +inf < +NaN."""
        return self._total_order(lhs, rhs, "EQ", broadcast_dimensions)

    def ne_total_order(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """Whether lhs and rhs differ in the total order of floats (`eq_total_order`)."""
        return self._total_order(lhs, rhs, "NE", broadcast_dimensions)

    def ge_total_order(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """Whether lhs is not before rhs in the total order of floats (`eq_total_order`)."""
        return self._total_order(lhs, rhs, "GE", broadcast_dimensions)

    def gt_total_order(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """Whether lhs is behind rhs in the total order of floats (`eq_total_order`)."""
        return self._total_order(lhs, rhs, "GT", broadcast_dimensions)

    def le_total_order(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """Whether lhs is not behind rhs in the total order of floats (`eq_total_order`)."""
        return self._total_order(lhs, rhs, "LE", broadcast_dimensions)

    def lt_total_order(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions = None) -> XlaOp:
        """Whether lhs is before rhs in the total order of floats (`eq_total_order`)."""
        return self._total_order(lhs, rhs, "LT", broadcast_dimensions)

    def _total_order(self, lhs: Operand, rhs: Operand, direction: str, dimensions: Dimensions) -> XlaOp:
        left, right = self.paired(lhs, rhs, "compare")
        kind = "TOTALORDER" if left.element_type.is_float else None
        return self.compare(left, right, direction, dimensions, kind)

    # Of three operands

    def clamp(self, min: Operand, operand: XlaOp, max: Operand) -> XlaOp:
        """min(max(operand, min), max): `operand` within limits, which are scalars or of its shape.

        NaN of any of them gives NaN, and `max` where the limits are the wrong way round.
        """
        element_type = self.owned(operand, "clamp").element_type
        low, high = (self.like(limit, element_type, "clamp") for limit in (min, max))
        return self.emit("stablehlo.clamp", (low, operand, high))

    def select(self, pred: XlaOp, on_true: Operand, on_false: Operand) -> XlaOp:
        """The element of `on_true` where `pred` is true, of `on_false` where it is not.

        `pred` is of the shape of both, or a scalar. Scalars go with arrays. With a scalar `pred` both may be tuples.
        """
        self.owned(pred, "select")
        types = [found.type for found in (on_true, on_false) if isinstance(found, XlaOp)]
        if any(isinstance(found, TupleType) for found in types):
            return self._select_tuple(pred, on_true, on_false)
        true, false = self.paired(on_true, on_false, "select")
        ranked = next((found for found in (true, false, pred) if found.rank), None)
        if ranked is not None:
            true, false = (self.grown(x, ranked.shape) if not x.rank else x for x in (true, false))
        return self.emit("stablehlo.select", (pred, true, false))

    def _select_tuple(self, pred: XlaOp, on_true: Operand, on_false: Operand) -> XlaOp:
        true, false = self.owned(on_true, "select"), self.owned(on_false, "select")
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
