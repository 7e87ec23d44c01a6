"""Ops of MLIR's dialect arith that shape computations of dynamic programs use, on scalars and on tensors.

Integers have no sign of their own: the op says how it reads them. What MLIR leaves undefined ends the run.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ...errors import RunError
from ...indexing import OperandMap, elementwise_maps
from ...ir.attributes import Attribute, BoolAttribute, DenseAttribute, FloatAttribute, IntegerAttribute
from ...ir.element_types import I1, INDEX, ElementType
from ...ir.types import ScalarType, TensorType, Type
from ..core.bases import Selecting
from ..core.facets import Traits
from ..core.op import Array, Constraint, Op, merged_shape, no_cost, shapes_agree
from ..core.scalars import element_of, same_type_constraint, shape_of, sizes_of


def is_integral(name: str, value_type: Type) -> Constraint:
    """Constraint: a value is a number, or a tensor of numbers, that is signless in arith."""
    element = element_of(value_type)
    fits = element is not None and element.kind in ("boolean", "signed", "index")
    return "", fits, f"{name} must be an integer without a sign of its own or index, not {value_type}"


class ElementByElement(Op):
    """An op on scalars, or on tensors element by element."""

    traits = Traits(is_elementwise=True)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return elementwise_maps(self._sizes, map(sizes_of, self.operand_types), inverse=inverse)

    @property
    def _sizes(self) -> tuple[int, ...]:
        return max(map(sizes_of, self.operand_types), key=len)


@dataclass(frozen=True)
class ArithConstant(Op):
    """The number or the literal `value`. MLIR: arith.constant."""

    name = "arith.constant"
    traits = Traits(is_constant=True)
    short_form = "custom typed_value"

    value: Attribute
    result: Type

    def constraints(self) -> Iterator[Constraint]:
        stated = self._stated
        sentence = f"value is of type {stated or 'none'}, the result {self.result}"
        yield "", stated is not None and stated == self.result, sentence

    @property
    def _stated(self) -> Type | None:
        match self.value:
            case BoolAttribute():
                return ScalarType(I1)
            case IntegerAttribute(_, ScalarType() as found) | FloatAttribute(_, ScalarType() as found):
                return found
            case DenseAttribute():
                return self.value.type
        return None

    def evaluate(self, *operands: Array) -> Array:
        if isinstance(self.value, DenseAttribute):
            return self.value.data
        assert isinstance(self.value, BoolAttribute | IntegerAttribute | FloatAttribute)
        assert isinstance(self.result, ScalarType)
        return wrap(self.value.value, self.result.element_type)

    cost = no_cost


def wrap(value: float, element_type: ElementType) -> Array:
    """A number of the text as an array; an integer beyond the type's range keeps its low bits."""
    if isinstance(value, int) and element_type.kind in ("signed", "index"):
        low = 1 << element_type.bits - 1
        value = (value + low) % (2 * low) - low
    return np.array(value).astype(element_type.dtype)


@dataclass(frozen=True)
class Binary(ElementByElement):
    """An op on two values of one type."""

    short_form = "operands attr-dict : same-type"

    lhs: Type
    rhs: Type

    def constraints(self) -> Iterator[Constraint]:
        yield is_integral("lhs", self.lhs)
        yield is_integral("rhs", self.rhs)
        yield from same_operands(self.lhs, self.rhs)

    def infer(self) -> Type:
        return merge_types(self.lhs, self.rhs)

    function: ClassVar[np.ufunc]

    def compute(self, lhs: Array, rhs: Array) -> Array:
        """The result, which is then cut to the width of the operands; they come as signed numbers."""
        return np.asarray(self.function(lhs, rhs))

    def evaluate(self, *operands: Array) -> Array:
        lhs, rhs = map(_to_signed, operands)
        return _cut(self.compute(lhs, rhs), operands[0])


def _to_signed(value: Array) -> Array:
    """The values as signed integers of at least a byte; true of an i1 is -1."""
    if value.dtype == np.bool_:
        return -value.astype(np.int8)
    return value if value.dtype.kind == "i" else value.astype(np.int8)


def _to_unsigned(value: Array) -> Array:
    """The same bits as unsigned integers."""
    if value.dtype == np.bool_:
        return value
    bits = {"int2": 3, "int4": 15}.get(value.dtype.name)
    return value.view(f"u{value.dtype.itemsize}") if bits is None else value.astype(np.int8) & np.int8(bits)


def _cut(value: Array, like: Array) -> Array:
    """The low bits, as many as `like` has."""
    return np.asarray((value & 1).astype(np.bool_) if like.dtype == np.bool_ else value.astype(like.dtype))


def same_operands(lhs: Type, rhs: Type) -> Iterator[Constraint]:
    """Constraint: two operands have the same type, as far as their sizes are known."""
    if isinstance(lhs, TensorType) and isinstance(rhs, TensorType):
        yield same_type_constraint(
            "lhs and rhs", (ScalarType(lhs.element_type), ScalarType(rhs.element_type))
        )
        yield "", shapes_agree(lhs.shape, rhs.shape), f"lhs is {lhs}, but rhs {rhs}"
    else:
        yield same_type_constraint("lhs and rhs", (lhs, rhs))


def merge_types(lhs: Type, rhs: Type) -> Type:
    """The type that two agreeing types make together: sizes that either knows."""
    if isinstance(lhs, TensorType) and isinstance(rhs, TensorType):
        return lhs.with_shape(merged_shape(lhs.shape, rhs.shape))
    return lhs


@dataclass(frozen=True)
class Overflowing(Binary):
    """One whose result wraps, whatever `overflowFlags` promise: they change no value that is not undefined."""

    short_form = "operands overflow-flags attr-dict : same-type"

    overflowFlags: Attribute | None = None  # noqa: N815, the attribute's name


class AddI(Overflowing):
    """`lhs + rhs`, which wraps. MLIR: arith.addi."""

    name = "arith.addi"
    function = np.add


class SubI(Overflowing):
    """`lhs - rhs`, which wraps. MLIR: arith.subi."""

    name = "arith.subi"
    function = np.subtract


class MulI(Overflowing):
    """`lhs * rhs`, which wraps. MLIR: arith.muli."""

    name = "arith.muli"
    function = np.multiply


@dataclass(frozen=True)
class Dividing(Binary):
    """One whose result MLIR leaves undefined where the quotient is undefined; there it ends the run."""

    def compute(self, lhs: Array, rhs: Array) -> Array:
        if np.any(rhs == 0):
            raise RunError("a number is divided by 0")
        element = element_of(self.lhs)
        assert element is not None
        if np.any((lhs == -(1 << element.bits - 1)) & (rhs == -1)):
            raise RunError("the least number is divided by -1: the quotient does not fit in its type")
        return self.divide(lhs, rhs)

    def divide(self, lhs: Array, rhs: Array) -> Array:
        """The result where the quotient is defined."""
        raise NotImplementedError(f"{self.name} has no divide")


class DivSI(Dividing):
    """`lhs / rhs` of signed numbers, rounded towards 0; by 0 it ends the run. MLIR: arith.divsi."""

    name = "arith.divsi"

    def divide(self, lhs: Array, rhs: Array) -> Array:
        quotient = lhs // rhs  # rounded down
        found: Array = quotient + ((lhs % rhs != 0) & ((lhs < 0) != (rhs < 0)))
        return found


class RemSI(Dividing):
    """The remainder of `divsi`, with the sign of `lhs`. MLIR: arith.remsi."""

    name = "arith.remsi"

    def divide(self, lhs: Array, rhs: Array) -> Array:
        found: Array = np.fmod(lhs, rhs)
        return found


class MaxSI(Binary):
    """The greater of two signed numbers. MLIR: arith.maxsi."""

    name = "arith.maxsi"
    function = np.maximum


class MinSI(Binary):
    """The lesser of two signed numbers. MLIR: arith.minsi."""

    name = "arith.minsi"
    function = np.minimum


PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
"""The words for the predicate's numbers."""
_COMPARISONS: tuple[Callable[[Array, Array], Array], ...] = (
    np.equal,
    np.not_equal,
    *(np.less, np.less_equal, np.greater, np.greater_equal) * 2,
)


@dataclass(frozen=True)
class CmpI(ElementByElement):
    """Compares as `predicate` says, with (`s…`) or without (`u…`) a sign. MLIR: arith.cmpi."""

    name = "arith.cmpi"
    short_form = f"$predicate<{'|'.join(PREDICATES)}:i64> , operands attr-dict : operand-type result:truth"

    lhs: Type
    rhs: Type
    predicate: int

    def constraints(self) -> Iterator[Constraint]:
        yield is_integral("lhs", self.lhs)
        yield is_integral("rhs", self.rhs)
        yield from same_operands(self.lhs, self.rhs)
        inside = 0 <= self.predicate < len(PREDICATES)
        yield "", inside, f"{self.predicate} is the number of no predicate: 0 to {len(PREDICATES) - 1} are"

    def infer(self) -> Type:
        found = merge_types(self.lhs, self.rhs)
        return found.with_element_type(I1) if isinstance(found, TensorType) else ScalarType(I1)

    def evaluate(self, *operands: Array) -> Array:
        lhs, rhs = map(_to_signed if self.predicate < 6 else _to_unsigned, operands)
        return np.asarray(_COMPARISONS[self.predicate](lhs, rhs))


@dataclass(frozen=True)
class ArithSelect(Selecting, ElementByElement):
    """`true_value` where `condition` holds, `false_value` elsewhere. MLIR: arith.select."""

    name = "arith.select"
    short_form = "custom select"

    condition: Type
    true_value: Type
    false_value: Type

    def constraints(self) -> Iterator[Constraint]:
        element = element_of(self.condition)
        yield "", element == I1, f"condition must be i1 or a tensor of it, not {self.condition}"
        yield from same_operands(self.true_value, self.false_value)
        shape, chosen = shape_of(self.condition), shape_of(self.true_value)
        fits = isinstance(self.condition, ScalarType) or shapes_agree(shape, chosen)
        yield "", fits, f"condition is {self.condition}, but the values are {self.true_value}"

    def infer(self) -> Type:
        return merge_types(self.true_value, self.false_value)

    def evaluate(self, *operands: Array) -> Array:
        condition, true_value, false_value = operands
        if condition.ndim == 0:
            return true_value if condition else false_value
        return np.where(condition, true_value, false_value)


@dataclass(frozen=True)
class IndexCast(ElementByElement):
    """`input` in another width: cut, or made longer by its sign. MLIR: arith.index_cast."""

    name = "arith.index_cast"
    short_form = "operands attr-dict : operand-type to result-type"

    input: Type = field(metadata={"attribute": "in"})
    result: Type

    def constraints(self) -> Iterator[Constraint]:
        yield is_integral("the operand", self.input)
        yield is_integral("the result", self.result)
        source, target = element_of(self.input), element_of(self.result)
        one = (source == INDEX) != (target == INDEX)
        yield "", one, f"one of operand and result must be index, not {self.input} and {self.result}"
        kinds = isinstance(self.input, TensorType) == isinstance(self.result, TensorType)
        agrees = kinds and shapes_agree(shape_of(self.input), shape_of(self.result))
        yield "", agrees, f"{self.input} and {self.result} differ in shape"

    def evaluate(self, *operands: Array) -> Array:
        element = element_of(self.result)
        assert element is not None
        (value,) = operands
        return _cut(_to_signed(value), np.empty(0, element.dtype))
