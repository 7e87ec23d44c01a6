"""XLA's implicit broadcasting, made explicit: instructions take operands of one shape."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ..ir.types import Dimension, TensorType
from ..ops import op_table
from .builder_error import BuilderError
from .handles import Operand, XlaOp
from .properties import wholes
from .recorder import Recorder

Sizes = tuple[Dimension, ...]
Dimensions = Sequence[int] | None
"""The dimensions of the operand of higher rank that those of the other one become, in order."""


class Broadcasting(Recorder):
    """Instructions that bring operands to a common shape."""

    def _binary(
        self, name: str, lhs: Operand, rhs: Operand, broadcast_dimensions: Dimensions, **fields: Any
    ) -> XlaOp:
        """An elementwise op of two operands, which are broadcast to a common shape first."""
        opcode = op_table()[name].hlo.opcode or name
        left, right = self._pair(lhs, rhs, opcode)
        return self._emit(name, *self._broadcast_both(left, right, broadcast_dimensions, opcode), **fields)

    def _pair(self, lhs: Operand, rhs: Operand, op: str) -> tuple[XlaOp, XlaOp]:
        """Both operands as handles; a number takes the element type of the other operand."""
        if isinstance(lhs, XlaOp):
            return self._own(lhs, op), self._like(rhs, lhs.element_type, op)
        if isinstance(rhs, XlaOp):
            return self._like(lhs, rhs.element_type, op), self._own(rhs, op)
        raise BuilderError("at least one operand must be a handle", op=op)

    def _broadcast_both(
        self, lhs: XlaOp, rhs: XlaOp, broadcast_dimensions: Dimensions, op: str
    ) -> tuple[XlaOp, XlaOp]:
        """Both operands in their common shape.

        The operand of lower rank gets the dimensions `broadcast_dimensions` of the other, a scalar gets none; then
        dimensions of size 1 grow to the size of the other operand.
        """
        mapped = (
            None if broadcast_dimensions is None else wholes("broadcast_dimensions", broadcast_dimensions)
        )
        sizes = _common_sizes(lhs.tensor, rhs.tensor, mapped, op)
        if lhs.rank < rhs.rank:
            lhs = self._raise_rank(lhs, sizes, mapped or ())
        elif lhs.rank > rhs.rank:
            rhs = self._raise_rank(rhs, sizes, mapped or ())
        return self._grow(lhs, sizes), self._grow(rhs, sizes)

    def _raise_rank(self, operand: XlaOp, sizes: Sizes, dimensions: tuple[int, ...]) -> XlaOp:
        """`operand` repeated along the dimensions of `sizes` outside `dimensions`; its own sizes stay."""
        raised = list(sizes)
        for dimension, size in zip(dimensions, operand.shape, strict=True):
            raised[dimension] = size
        return self._in_dimensions(operand, tuple(raised), dimensions)

    def _grow(self, operand: XlaOp, sizes: Sizes) -> XlaOp:
        """`operand` in a shape of its rank, or a scalar in any shape: dimensions of size 1 are repeated."""
        if operand.shape == sizes:
            return operand
        return self._repeat(operand, sizes, tuple(range(operand.rank)))

    def _repeat(self, operand: XlaOp, sizes: Sizes, dimensions: tuple[int, ...]) -> XlaOp:
        """As `_in_dimensions`, but dimensions of size 1 may be repeated, after a reshape drops them."""
        kept = [d for d, dimension in enumerate(dimensions) if operand.shape[d] == sizes[dimension]]
        if len(kept) < operand.rank:
            smaller = operand.tensor.with_shape(tuple(operand.shape[d] for d in kept))
            operand = self._emit("stablehlo.reshape", operand, result=smaller)
        return self._in_dimensions(operand, sizes, tuple(dimensions[d] for d in kept))

    def _in_dimensions(self, operand: XlaOp, sizes: Sizes, dimensions: tuple[int, ...]) -> XlaOp:
        """HLO's broadcast: dimension `i` of `operand` becomes dimension `dimensions[i]` of the result."""
        result = operand.tensor.with_shape(sizes)
        return self._emit(
            "stablehlo.broadcast_in_dim", operand, result=result, broadcast_dimensions=dimensions
        )


def _common_sizes(lhs: TensorType, rhs: TensorType, mapped: tuple[int, ...] | None, op: str) -> Sizes:
    """The sizes of the common shape; `BuilderError` if there is none."""
    small, large = (lhs, rhs) if lhs.rank <= rhs.rank else (rhs, lhs)
    if not mapped and small.rank == large.rank:
        mapped = tuple(range(large.rank))
    mapped = mapped or ()
    _check_mapping(small.rank, large.rank, mapped, op)
    sizes = list(large.shape)
    for size, dimension in zip(small.shape, mapped, strict=True):
        other = large.shape[dimension]
        if size is not None and other is not None and size != other and 1 not in (size, other):
            shapes = " and ".join(str(list(found.shape)) for found in (lhs, rhs))
            message = f"shapes {shapes} do not match: {size} and {other} are neither equal nor 1"
            raise BuilderError(message, op=op)
        sizes[dimension] = size if other == 1 else other
    return tuple(sizes)


def _check_mapping(small: int, large: int, mapped: tuple[int, ...], op: str) -> None:
    """Raise `BuilderError` unless `mapped` has an increasing dimension within `large` for each of `small`."""
    if small and not mapped:
        message = (
            f"the operands have ranks {small} and {large}: broadcast_dimensions must name the dimensions of the "
            f"larger operand that match those of the smaller one"
        )
    elif len(mapped) != small:
        message = f"broadcast_dimensions {list(mapped)} must name {small} dimensions, the rank of the smaller operand"
    elif any(not 0 <= dimension < large for dimension in mapped):
        message = f"broadcast_dimensions {list(mapped)} has a dimension outside rank {large}"
    elif any(left >= right for left, right in pairwise(mapped)):
        message = f"broadcast_dimensions {list(mapped)} must increase"
    else:
        return
    raise BuilderError(message, op=op)
