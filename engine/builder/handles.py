"""The handles that calls of the builder give and take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..ir.element_types import ElementType
from ..ir.module import Value
from ..ir.types import Dimension, TensorType, TupleType, Type
from .errors import BuilderError
from .shapes import spelled

if TYPE_CHECKING:
    from .builder import XlaBuilder

Number = bool | int | float | complex | np.generic | NDArray[Any]
"""What may stand where a handle is expected, if the other operands say of which type it is."""


class XlaOp:
    """A value of the program that is being built: the result of one instruction.

    Arithmetic operators and comparisons add instructions (`x + y`, `-x`, `x < 0`), with the implicit broadcasting
    of the builder's functions; Python numbers become constants of the handle's element type. `>>` is arithmetic
    for signed integers and logical for unsigned ones. A tuple's elements are `t[0]`, or `a, b = t`.
    """

    __array_ufunc__ = None  # so that NumPy leaves `array + handle` to the handle

    def __init__(self, builder: XlaBuilder, value: Value) -> None:
        self.builder, self.value = builder, value

    @property
    def type(self) -> Type:
        """The type of the value."""
        return self.value.type

    @property
    def tensor(self) -> TensorType:
        """The type of an array; `BuilderError` if the value is none."""
        if not isinstance(self.type, TensorType):
            raise BuilderError(f"{self} is no array")
        return self.type

    @property
    def shape(self) -> tuple[Dimension, ...]:
        """The sizes of an array's dimensions, `None` where one is dynamic."""
        return self.tensor.shape

    @property
    def rank(self) -> int:
        """How many dimensions an array has."""
        return self.tensor.rank

    @property
    def element_type(self) -> ElementType:
        """The type of an array's elements."""
        return self.tensor.element_type

    def __repr__(self) -> str:
        return f"{self.value.name} = {spelled(self.type)}"

    # Tuples

    @property
    def elements(self) -> int:
        """How many elements a tuple has; `BuilderError` if the value is none."""
        if not isinstance(self.type, TupleType):
            raise BuilderError(f"{self} is no tuple: it has no elements to take")
        return len(self.type.types)

    def __len__(self) -> int:
        return self.elements

    def __getitem__(self, index: int) -> XlaOp:
        count = self.elements
        if not -count <= index < count:
            raise IndexError(f"{self} has no element {index}")
        return self.builder.get_tuple_element(self, index % count)

    def __iter__(self) -> Iterator[XlaOp]:
        return (self[number] for number in range(self.elements))

    def __bool__(self) -> bool:
        raise BuilderError(
            f"{self} has no value while the program is built; use select, conditional or while_"
        )

    __hash__ = object.__hash__

    # Operators

    def __add__(self, other: Operand) -> XlaOp:
        return self.builder.add(self, other)

    def __radd__(self, other: Number) -> XlaOp:
        return self.builder.add(other, self)

    def __sub__(self, other: Operand) -> XlaOp:
        return self.builder.sub(self, other)

    def __rsub__(self, other: Number) -> XlaOp:
        return self.builder.sub(other, self)

    def __mul__(self, other: Operand) -> XlaOp:
        return self.builder.mul(self, other)

    def __rmul__(self, other: Number) -> XlaOp:
        return self.builder.mul(other, self)

    def __truediv__(self, other: Operand) -> XlaOp:
        return self.builder.div(self, other)

    def __rtruediv__(self, other: Number) -> XlaOp:
        return self.builder.div(other, self)

    def __mod__(self, other: Operand) -> XlaOp:
        return self.builder.rem(self, other)

    def __rmod__(self, other: Number) -> XlaOp:
        return self.builder.rem(other, self)

    def __pow__(self, other: Operand) -> XlaOp:
        return self.builder.pow(self, other)

    def __rpow__(self, other: Number) -> XlaOp:
        return self.builder.pow(other, self)

    def __and__(self, other: Operand) -> XlaOp:
        return self.builder.and_(self, other)

    def __rand__(self, other: Number) -> XlaOp:
        return self.builder.and_(other, self)

    def __or__(self, other: Operand) -> XlaOp:
        return self.builder.or_(self, other)

    def __ror__(self, other: Number) -> XlaOp:
        return self.builder.or_(other, self)

    def __xor__(self, other: Operand) -> XlaOp:
        return self.builder.xor(self, other)

    def __rxor__(self, other: Number) -> XlaOp:
        return self.builder.xor(other, self)

    def __lshift__(self, other: Operand) -> XlaOp:
        return self.builder.shift_left(self, other)

    def __rlshift__(self, other: Number) -> XlaOp:
        return self.builder.shift_left(other, self)

    def __rshift__(self, other: Operand) -> XlaOp:
        return self._shift(self, other)

    def __rrshift__(self, other: Number) -> XlaOp:
        return self._shift(other, self)

    def _shift(self, lhs: Operand, rhs: Operand) -> XlaOp:
        signed = self.element_type.kind == "signed"
        shift = self.builder.shift_right_arithmetic if signed else self.builder.shift_right_logical
        return shift(lhs, rhs)

    def __neg__(self) -> XlaOp:
        return self.builder.neg(self)

    def __invert__(self) -> XlaOp:
        return self.builder.not_(self)

    def __abs__(self) -> XlaOp:
        return self.builder.abs(self)

    def __eq__(self, other: object) -> XlaOp:  # type: ignore[override]
        return self.builder.eq(self, _operand(other))

    def __ne__(self, other: object) -> XlaOp:  # type: ignore[override]
        return self.builder.ne(self, _operand(other))

    def __lt__(self, other: Operand) -> XlaOp:
        return self.builder.lt(self, other)

    def __le__(self, other: Operand) -> XlaOp:
        return self.builder.le(self, other)

    def __gt__(self, other: Operand) -> XlaOp:
        return self.builder.gt(self, other)

    def __ge__(self, other: Operand) -> XlaOp:
        return self.builder.ge(self, other)


Operand = XlaOp | Number
"""A handle, or a number."""


def _operand(given: object) -> Operand:
    if isinstance(given, XlaOp | bool | int | float | complex | np.generic | np.ndarray):
        return given
    raise BuilderError(f"{given!r} is neither a handle nor a number")
