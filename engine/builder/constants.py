"""Constants, counting, and conversions of elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ir.element_types import ElementType, of_dtype
from ..ir.types import Dimension, TensorType
from .builder_error import BuilderError
from .handles import XlaOp
from .recorder import Recorder
from .shape_text import ElementTypeLike, ShapeLike, element_type_of, tensor_of, type_of


class Constants(Recorder):
    """Values that the program holds, and values of other element types."""

    def constant_literal(self, literal: Any, element_type: ElementTypeLike | None = None) -> XlaOp:
        """The value `literal`: an array, a number, nested lists, or a Python tuple of literals.

        `T[d0, …]`, of the array's own element type unless another is given. Python's numbers are s32, f32, c64 or
        pred, larger integers s64.
        """
        if isinstance(literal, tuple):
            return self.emit(
                "stablehlo.tuple", [self.constant_literal(item, element_type) for item in literal]
            )
        wanted = None if element_type is None else element_type_of(element_type)
        return self.literal(literal, wanted or _own_type(literal))

    def constant(self, literal: Any, element_type: ElementTypeLike | None = None) -> XlaOp:
        """The same as `constant_literal`."""
        return self.constant_literal(literal, element_type)

    def constant_r0(self, value: complex, element_type: ElementTypeLike | None = None) -> XlaOp:
        """A constant of rank 0: one number."""
        return self._literal_of_rank(0, value, element_type)

    def constant_r1(self, values: Sequence[Any] | Any, element_type: ElementTypeLike | None = None) -> XlaOp:
        """A constant of rank 1: a list of numbers."""
        return self._literal_of_rank(1, values, element_type)

    def _literal_of_rank(self, rank: int, literal: Any, element_type: ElementTypeLike | None) -> XlaOp:
        found = np.ndim(literal)
        if found != rank:
            raise BuilderError(f"the literal must have rank {rank}, not {found}", op="constant")
        return self.constant_literal(literal, element_type)

    def iota(self, shape: ShapeLike | ElementTypeLike, iota_dimension: int = 0) -> XlaOp:
        """Counts from 0 along a dimension: `iota("s32[4,8]", 1)` has 0 to 7 in each row.

        The form of older XLA, `iota(element_type, size)`, gives a vector of that size. Integers wrap.
        """
        if isinstance(shape, str) and "[" not in shape:
            shape, iota_dimension = TensorType((iota_dimension,), element_type_of(shape)), 0
        elif not isinstance(shape, str | TensorType):
            shape, iota_dimension = TensorType((iota_dimension,), element_type_of(shape)), 0  # type: ignore[arg-type]
        return self.emit("stablehlo.iota", (), result=tensor_of(shape), iota_dimension=iota_dimension)

    def convert_element_type(self, operand: XlaOp, new_element_type: ElementTypeLike) -> XlaOp:
        """The same numbers as another type: `T[d0, …] -> U[d0, …]`.

        Floats become integers by dropping their fraction and stopping at the ends of the type's range; integers
        wrap; whatever is not 0 becomes true; complex numbers lose their imaginary part.
        """
        result = operand.tensor.with_element_type(element_type_of(new_element_type))
        return self.emit("stablehlo.convert", (operand,), result=result)

    def bitcast_convert_type(self, operand: XlaOp, new_element_type: ElementTypeLike) -> XlaOp:
        """The same bits as another type.

        `T[d0, …] -> U[d0, …]` for types of one width; narrower types add a last dimension, lowest bits first
        (`f32[10] -> f16[10,2]`); wider types use it up.
        """
        found = element_type_of(new_element_type)
        result = TensorType(_cast_sizes(operand.tensor, found), found)
        return self.emit("stablehlo.bitcast_convert", (operand,), result=result)

    def bitcast(self, operand: XlaOp, shape: ShapeLike) -> XlaOp:
        """The operand's memory read as `shape`, which takes as many bytes.

        Layouts count: elements are taken in the operand's order in memory and put into the result's. Without
        layouts this is a reshape. `T[…] -> U[…]`.
        """
        return self.emit("hlo.bitcast", (operand,), result=tensor_of(shape))

    def stochastic_convert_type(
        self, operand: XlaOp, random: XlaOp, new_element_type: ElementTypeLike
    ) -> XlaOp:
        """Floats as another type, rounded up or down by chance: `random` has unsigned bits for each element.

        `T[d0, …], U[d0, …] -> S[d0, …]`, where U is as wide as T. The nearer neighbour is the likelier one.
        """
        result = operand.tensor.with_element_type(element_type_of(new_element_type))
        return self.emit("hlo.stochastic_convert", (operand, random), result=result)

    def copy(self, operand: XlaOp) -> XlaOp:
        """The operand itself: `T -> T`. A compiler may lay it out otherwise."""
        return self.emit("hlo.copy", (operand,))

    def copy_start(self, operand: XlaOp) -> XlaOp:
        """Begins to copy: `T -> (T, T, u32[])`, which are the copy, the operand and a number of XLA's."""
        return self.emit("hlo.copy_start", (operand,))

    def copy_done(self, operand: XlaOp) -> XlaOp:
        """Waits for the copy that `copy_start` began: `(T, T, u32[]) -> T`."""
        return self.emit("hlo.copy_done", (operand,))

    def zeros(self, shape: ShapeLike) -> XlaOp:
        """Zeros: one scalar constant, broadcast to `shape`."""
        found = type_of(shape)
        if not isinstance(found, TensorType):
            raise BuilderError("zeros are an array's", op="broadcast")
        zero = self.literal(0, found.element_type)
        return self.emit("stablehlo.broadcast_in_dim", (zero,), result=found, broadcast_dimensions=())


def _own_type(literal: Any) -> ElementType:
    """The element type of an array, or what XLA would take for Python's numbers."""
    array = np.asarray(literal)
    dtype: np.dtype[Any] = array.dtype
    if not isinstance(literal, np.ndarray | np.generic):
        if dtype == np.int64:
            fits = not array.size or (array.min() >= -(2**31) and array.max() < 2**31)
            dtype = np.dtype(np.int32 if fits else np.int64)
        dtype = {"f": np.dtype(np.float32), "c": np.dtype(np.complex64)}.get(dtype.kind, dtype)
    found = of_dtype(dtype)
    if found is None:
        raise BuilderError(f"a literal of {dtype} has no element type", op="constant")
    return found


def _cast_sizes(operand: TensorType, target: ElementType) -> tuple[Dimension, ...]:
    source = operand.element_type
    if source.bits > target.bits:
        return (*operand.shape, source.bits // target.bits)
    return operand.shape[:-1] if source.bits < target.bits else operand.shape
