"""Ops on the bits of integers: shifts and counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.element_types import ElementType
from ..core.facets import HloSpelling
from ..core.kinds import INTEGER
from ..core.numeric import Compute
from ..core.op import Array
from .elementwise import Binary, ElementwiseFindings, Unary


class ShiftLeft(Binary):
    """Moves the bits of `lhs` up by `rhs` places, zeros come in.

    The specification leaves open what a shift by the type's width or more is. As on XLA, `rhs` counts as
    unsigned and such a shift gives 0. Specification: shift_left.
    """

    name = "stablehlo.shift_left"
    works_on_bits = True
    findings = ElementwiseFindings(shifts_left=True)
    hlo = HloSpelling("shift-left", "ShiftLeft")
    # NumPy's shifts are those of XLA: all bits leave where the amount, taken as unsigned, is the width or more.
    compute, kinds = np.left_shift, INTEGER


class ShiftRightArithmeticFindings(ElementwiseFindings["ShiftRightArithmetic"]):
    def mixes_bits(self, op: ShiftRightArithmetic) -> bool:
        """Whether integers are unsigned; of signed ones it is a division by a power of two."""
        return op.result_type.element_type.kind == "unsigned"


class ShiftRightArithmetic(Binary):
    """Moves the bits of `lhs` down by `rhs` places, copies of the sign come in.

    The specification leaves open what a shift by the type's width or more is. As on XLA, `rhs` counts as
    unsigned and such a shift leaves nothing but the sign. The top bit of an unsigned integer counts as its
    sign. Specification: shift_right_arithmetic.
    """

    name = "stablehlo.shift_right_arithmetic"
    works_on_bits = True
    findings = ShiftRightArithmeticFindings()
    hlo = HloSpelling("shift-right-arithmetic", "ShiftRightArithmetic")
    kinds = INTEGER

    @property
    def function(self) -> Compute:
        width = self.lhs.element_type.bits
        return lambda lhs, rhs: _shifted_with_sign(lhs, rhs, width)


class ShiftRightLogical(Binary):
    """Moves the bits of `lhs` down by `rhs` places, zeros come in.

    The specification leaves open what a shift by the type's width or more is. As on XLA, `rhs` counts as
    unsigned and such a shift gives 0. Specification: shift_right_logical.
    """

    name = "stablehlo.shift_right_logical"
    works_on_bits = True
    hlo = HloSpelling("shift-right-logical", "ShiftRightLogical")
    kinds = INTEGER

    @property
    def function(self) -> Compute:
        return _on_bits(np.right_shift, self.lhs.element_type)


class Popcnt(Unary):
    """How many bits of each element are set, in the element's own type. Specification: popcnt."""

    name = "stablehlo.popcnt"
    works_on_bits = True
    hlo = HloSpelling("popcnt", "PopulationCount")
    kinds = INTEGER

    @property
    def function(self) -> Compute:
        return _on_bits(np.bitwise_count, self.operand.element_type)


class CountLeadingZeros(Unary):
    """How many bits above the highest set one are clear; all of them for 0. Specification: count_leading_zeros."""

    name = "stablehlo.count_leading_zeros"
    works_on_bits = True
    hlo = HloSpelling("count-leading-zeros", "Clz")
    kinds = INTEGER

    @property
    def function(self) -> Compute:
        width = self.operand.element_type.bits

        def leading_zeros(operand: Array) -> Any:
            return width - np.bitwise_count(_smear(operand, width))

        return _on_bits(leading_zeros, self.operand.element_type)


def _smear(operand: Array, width: int) -> Array:
    """Every bit below the highest set one is set, too."""
    smeared = operand.copy()
    distance = 1
    while distance < width:
        smeared |= smeared >> operand.dtype.type(distance)
        distance *= 2
    return smeared


def _shifted_with_sign(lhs: Array, rhs: Array, width: int) -> Array:
    """The top bit of `width` comes in, of unsigned integers too."""
    signed = lhs.view(f"i{lhs.dtype.itemsize}")
    above = 8 * lhs.dtype.itemsize - width
    if above and lhs.dtype.kind == "u":
        signed = (signed << above) >> above
    shifted: Array = np.right_shift(signed, rhs.view(signed.dtype))
    return shifted.view(lhs.dtype)


def _on_bits(function: Compute, element_type: ElementType) -> Compute:
    """`function` of the operands' bits as unsigned integers, its result in the operands' dtype again."""
    mask = (1 << element_type.bits) - 1

    def on_bits(*operands: Array) -> Any:
        dtype = operands[0].dtype
        unsigned = np.dtype(f"u{dtype.itemsize}")
        # Integers narrower than a byte are computed in bytes, where the sign fills what is above their width.
        is_narrow = dtype.kind == "i" and element_type.bits < 8
        bits = [operand.view(unsigned) for operand in operands]
        if is_narrow:
            bits = [operand & unsigned.type(mask) for operand in bits]
        return np.asarray(function(*bits)).astype(dtype, copy=False)

    return on_bits
