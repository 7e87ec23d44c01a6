"""Handles: the operands and results of the builder's functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..ir.element_types import ElementType
from ..ir.module import Value
from ..ir.types import Dimension, TensorType, TupleType, Type
from .builder_error import BuilderError
from .properties import whole
from .shape_text import ShapeLike, spell, type_of

Number = bool | int | float | complex | np.generic | NDArray[Any]
"""An operand that takes its element type from the other operands."""


class Functions(Protocol):
    """An `XlaBuilder` as its handles see it: XLA's functions by name, which return handles."""

    name: str

    def __getattr__(self, function: str, /) -> Callable[..., XlaOp]: ...


def _operator(function: str) -> Callable[[XlaOp, Operand], XlaOp]:
    """An operator that calls a function of the builder on both operands."""
    return lambda self, other: self._call(function, self, other)


def _reflected_operator(function: str) -> Callable[[XlaOp, Number], XlaOp]:
    """As `_operator`, for a number on the left."""
    return lambda self, other: self._call(function, other, self)


class XlaOp:
    """A value of the program under construction: the result of one instruction.

    Arithmetic operators and comparisons add instructions (`x + y`, `-x`, `x < 0`), with the implicit broadcasting
    of the builder's functions; Python numbers become constants of the handle's element type. `>>` is arithmetic
    for signed integers and logical for unsigned ones. A tuple's elements are `t[0]`, or `a, b = t`.
    """

    __array_ufunc__ = None  # NumPy leaves `array + handle` to the handle

    def __init__(self, builder: Any, value: Value) -> None:
        self.builder: Functions = builder
        """The builder of the computation that contains the value."""
        self.value = value

    @property
    def type(self) -> Type:
        """The type of the value."""
        return self.value.type

    @property
    def tensor(self) -> TensorType:
        """The type of an array; `BuilderError` for tuples and tokens."""
        if not isinstance(self.type, TensorType):
            raise BuilderError(f"{self} is not an array")
        return self.type

    @property
    def shape(self) -> tuple[Dimension, ...]:
        """The sizes of an array's dimensions, `None` where one is dynamic."""
        return self.tensor.shape

    @property
    def rank(self) -> int:
        """The number of an array's dimensions."""
        return self.tensor.rank

    @property
    def element_type(self) -> ElementType:
        """The type of an array's elements."""
        return self.tensor.element_type

    def __repr__(self) -> str:
        return f"{self.value.name} = {spell(self.type)}"

    # Tuples

    @property
    def elements(self) -> int:
        """The number of a tuple's elements; `BuilderError` for arrays and tokens."""
        if not isinstance(self.type, TupleType):
            raise BuilderError(f"{self} is not a tuple and has no elements")
        return len(self.type.types)

    def __len__(self) -> int:
        return self.elements

    def __getitem__(self, index: int) -> XlaOp:
        count = self.elements
        if not -count <= index < count:
            raise IndexError(f"{self} has no element {index}")
        return self._call("get_tuple_element", self, index % count)

    def __iter__(self) -> Iterator[XlaOp]:
        return (self[number] for number in range(self.elements))

    def __bool__(self) -> bool:
        raise BuilderError(
            f"{self} has no value while the program is built; use select, conditional or while_"
        )

    __hash__ = object.__hash__

    # Operators

    __add__, __radd__ = _operator("add"), _reflected_operator("add")
    __sub__, __rsub__ = _operator("sub"), _reflected_operator("sub")
    __mul__, __rmul__ = _operator("mul"), _reflected_operator("mul")
    __truediv__, __rtruediv__ = _operator("div"), _reflected_operator("div")
    __mod__, __rmod__ = _operator("rem"), _reflected_operator("rem")
    __pow__, __rpow__ = _operator("pow"), _reflected_operator("pow")
    __and__, __rand__ = _operator("and_"), _reflected_operator("and_")
    __or__, __ror__ = _operator("or_"), _reflected_operator("or_")
    __xor__, __rxor__ = _operator("xor"), _reflected_operator("xor")
    __lshift__, __rlshift__ = _operator("shift_left"), _reflected_operator("shift_left")
    __lt__, __le__, __gt__, __ge__ = map(_operator, ("lt", "le", "gt", "ge"))
    __eq__, __ne__ = map(_operator, ("eq", "ne"))  # type: ignore[assignment]

    def __rshift__(self, other: Operand) -> XlaOp:
        return self._call(self._right_shift, self, other)

    def __rrshift__(self, other: Number) -> XlaOp:
        return self._call(self._right_shift, other, self)

    @property
    def _right_shift(self) -> str:
        is_signed = self.element_type.kind == "signed"
        return "shift_right_arithmetic" if is_signed else "shift_right_logical"

    def __neg__(self) -> XlaOp:
        return self._call("neg", self)

    def __invert__(self) -> XlaOp:
        return self._call("not_", self)

    def __abs__(self) -> XlaOp:
        return self._call("abs", self)

    def _call(self, function: str, *operands: Operand) -> XlaOp:
        """Call a function of the builder by its name."""
        result: XlaOp = getattr(self.builder, function)(*operands)
        return result


Operand = XlaOp | Number
"""A handle, or a number."""


def check_shape_with_layout(stated: ShapeLike | None, operand: XlaOp, op: str) -> None:
    """Raise `BuilderError` if a shape is stated that differs from the operand's."""
    if stated is not None and type_of(stated) != operand.type:
        shown = spell(type_of(stated))
        raise BuilderError(f"shape_with_layout is {shown}, but the operand is {operand}", op=op)


def check_dimension(name: str, dimension: int, operand: XlaOp, op: str) -> None:
    """Raise `BuilderError` if the operand has no such dimension."""
    if not 0 <= whole(name, dimension) < operand.rank:
        raise BuilderError(f"{name} {dimension} is outside rank {operand.rank}", op=op)
