"""XLA's implicit broadcasting, as instructions: instructions themselves take operands of one shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from ..ir.attributes import Attribute
from ..ir.types import Dimension, TensorType
from ..ops import op_table
from .builder_error import BuilderError
from .handles import Operand, XlaOp
from .property_attributes import wholes
from .recorder import Recorder

Sizes = tuple[Dimension, ...]
Dimensions = Sequence[int] | None
"""Which dimensions of the operand of higher rank those of the other one are."""


class Broadcasting(Recorder):
    """What functions of several operands share."""

    def binary(
        self,
        name: str,
        lhs: Operand,
        rhs: Operand,
        broadcast_dimensions: Sequence[int] | None,
        properties: Mapping[str, Attribute] | None = None,
    ) -> XlaOp:
        """An elementwise function of two operands, which are broadcast to one shape first."""
        opcode = op_table()[name].hlo.opcode or name
        left, right = self.pair(lhs, rhs, opcode)
        left, right = self.broadcast_both(left, right, broadcast_dimensions, opcode)
        return self.emit(name, (left, right), properties)

    def pair(self, lhs: Operand, rhs: Operand, op: str) -> tuple[XlaOp, XlaOp]:
        """Both operands as handles; a number takes the element type of the other one."""
        if isinstance(lhs, XlaOp):
            return self.own(lhs, op), self.like(rhs, lhs.element_type, op)
        if isinstance(rhs, XlaOp):
            return self.like(lhs, rhs.element_type, op), self.own(rhs, op)
        raise BuilderError("one operand at least must be a handle", op=op)

    def broadcast_both(
        self, lhs: XlaOp, rhs: XlaOp, broadcast_dimensions: Sequence[int] | None, op: str
    ) -> tuple[XlaOp, XlaOp]:
        """Both operands, broadcast to their common shape.

        The operand of lower rank is put into the dimensions `broadcast_dimensions` of the other, a scalar into none;
        then dimensions of size 1 grow to the size that the other operand has there.
        """
        mapped = (
            None if broadcast_dimensions is None else wholes("broadcast_dimensions", broadcast_dimensions)
        )
        sizes = _common_shape(lhs.tensor, rhs.tensor, mapped, op)
        if lhs.rank != rhs.rank:
            dimensions = mapped or ()
            if lhs.rank < rhs.rank:
                lhs = self._raise_rank(lhs, sizes, dimensions)
            else:
                rhs = self._raise_rank(rhs, sizes, dimensions)
        return self.grow(lhs, sizes), self.grow(rhs, sizes)

    def _raise_rank(self, operand: XlaOp, sizes: Sizes, dimensions: tuple[int, ...]) -> XlaOp:
        """`operand` broadcast along the dimensions of `sizes` that are not in `dimensions`; its own sizes stay."""
        raised = list(sizes)
        for at, size in zip(dimensions, operand.shape, strict=True):
            raised[at] = size
        return self.in_dimensions(operand, tuple(raised), dimensions)

    def grow(self, operand: XlaOp, sizes: Sizes) -> XlaOp:
        """`operand` in a shape of its rank, or a scalar in any: dimensions of size 1 repeat their element."""
        if operand.shape == sizes:
            return operand
        if not operand.rank:
            return self.in_dimensions(operand, sizes, ())
        return self._repeat(operand, sizes, tuple(range(operand.rank)))

    def _repeat(self, operand: XlaOp, sizes: Sizes, dimensions: tuple[int, ...]) -> XlaOp:
        """As `in_dimensions`, where dimensions of size 1 may repeat their element."""
        kept = [d for d, at in enumerate(dimensions) if operand.shape[d] == sizes[at]]
        if len(kept) < operand.rank:
            smaller = operand.tensor.with_shape(tuple(operand.shape[d] for d in kept))
            operand = self.emit("stablehlo.reshape", (operand,), result=smaller)
        return self.in_dimensions(operand, sizes, tuple(dimensions[d] for d in kept))

    def in_dimensions(self, operand: XlaOp, sizes: Sizes, dimensions: tuple[int, ...]) -> XlaOp:
        """HLO's broadcast: dimension `i` of `operand` is dimension `dimensions[i]` of the result."""
        result = operand.tensor.with_shape(sizes)
        return self.emit(
            "stablehlo.broadcast_in_dim", (operand,), result=result, broadcast_dimensions=dimensions
        )


def _common_shape(lhs: TensorType, rhs: TensorType, mapped: tuple[int, ...] | None, op: str) -> Sizes:
    """The common shape to which two operands are broadcast; `BuilderError` if there is none."""
    small, large = (lhs, rhs) if lhs.rank <= rhs.rank else (rhs, lhs)
    if mapped is None or (not mapped and small.rank == large.rank):
        mapped = tuple(range(large.rank)) if small.rank == large.rank else ()
    _check_mapping(small, large, mapped, op)
    sizes = list(large.shape)
    for number, at in enumerate(mapped):
        sizes[at] = _size(small.shape[number], large.shape[at], (lhs, rhs), op)
    return tuple(sizes)


def _check_mapping(small: TensorType, large: TensorType, mapped: tuple[int, ...], op: str) -> None:
    shown = list(mapped)
    if small.rank and not mapped:
        message = (
            f"the operands have ranks {small.rank} and {large.rank}: broadcast_dimensions must say which "
            f"dimensions of the larger one are those of the smaller"
        )
        raise BuilderError(message, op=op)
    if len(mapped) != small.rank:
        message = f"broadcast_dimensions {shown} must name {small.rank} dimensions, one for each of the operand of lower rank"
        raise BuilderError(message, op=op)
    if any(not 0 <= at < large.rank for at in mapped):
        raise BuilderError(f"broadcast_dimensions {shown} goes outside rank {large.rank}", op=op)
    if any(left >= right for left, right in pairwise(mapped)):
        raise BuilderError(f"broadcast_dimensions {shown} must increase", op=op)


def _size(small: Dimension, large: Dimension, types: tuple[TensorType, TensorType], op: str) -> Dimension:
    if large in (small, 1):
        return small
    if small == 1 or small is None or large is None:
        return large
    shapes = " and ".join(str(list(found.shape)) for found in types)
    raise BuilderError(f"shapes {shapes} do not fit: {small} and {large} are neither equal nor 1", op=op)
