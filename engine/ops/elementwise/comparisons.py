"""compare, select, clamp and convert."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from math import isinf

import numpy as np

from ...indexing import Expression, maximum, minimum
from ...ir.element_types import ELEMENT_TYPES, F64, I1, ElementType
from ...ir.types import TensorType, is_quantized
from ..core import causes, numeric
from ..core.bases import Selecting
from ..core.facets import ElementFormula, Explanation, Folding, Form, HloSpelling, Lanes, Rounding
from ..core.integer_folding import (
    COMPARE,
    Comparison,
    ComparisonDirection,
    Index,
    OperandElements,
    is_runtime,
)
from ..core.kinds import TENSOR, TENSOR_OR_PER_TENSOR, holds, kind_of, same_baseline
from ..core.nudging import widest
from ..core.numeric import Compute, apply_wide, convert
from ..core.op import Array, Constraint, merged_shape, shapes_agree
from ..core.quantization import dequantize
from ..core.ranks import Arrays, OperandRanks, SeenRanks, is_inexact
from ..core.rounding import Error, Errors, element_roundoff, is_exact, magnitude
from .elementwise import Elementwise, ElementwiseFindings, ElementwiseFolding, list_types, same_shapes


class CompareType(StrEnum):
    """The order that `compare` uses. `NOTYPE` is how some producers write that they leave it open."""

    FLOAT = "FLOAT"
    TOTALORDER = "TOTALORDER"
    SIGNED = "SIGNED"
    UNSIGNED = "UNSIGNED"
    NOTYPE = "NOTYPE"


_SYMBOLS = {
    ComparisonDirection.EQ: "==",
    ComparisonDirection.NE: "!=",
    ComparisonDirection.GE: ">=",
    ComparisonDirection.GT: ">",
    ComparisonDirection.LE: "<=",
    ComparisonDirection.LT: "<",
}
_COMPARE_TYPES = {
    "boolean": (CompareType.UNSIGNED,),
    "unsigned": (CompareType.UNSIGNED,),
    "signed": (CompareType.SIGNED,),
    "float": (CompareType.FLOAT, CompareType.TOTALORDER),
    "complex": (CompareType.FLOAT,),
    "per-tensor": (CompareType.FLOAT,),
}


class CompareExplanation(Explanation["Compare"]):
    def formula(self, op: Compare, reads: int) -> ElementFormula:
        if reads != 2:
            return Elementwise.explanation.formula(op, reads)
        return ElementFormula("compare", Form.OPERATOR, _SYMBOLS[op.comparison_direction])


class CompareFolding(ElementwiseFolding["Compare"]):
    def comparison(self, op: Compare, index: Index, operands: OperandElements) -> Comparison | None:
        if not operands.has_integers(0):
            return None
        return Comparison(op.comparison_direction, operands.read(0, index) - operands.read(1, index))


class CompareFindings(ElementwiseFindings["Compare"]):
    def tests_finiteness(self, op: Compare) -> bool:
        """`x != x` tests for NaN, `x == inf` for infinities."""
        return op.is_equality

    def nan_becomes(self, op: Compare) -> str:
        """A comparison by order is false of NaN."""
        is_float = is_inexact(op.lhs.element_type.dtype) and not is_quantized(op.lhs)
        by_order = not op.is_equality and op.compare_type is not CompareType.TOTALORDER
        return "is false" if is_float and by_order else ""


@dataclass(frozen=True)
class Compare(Elementwise):
    """Whether `lhs` is equal to, above or below `rhs`, as `comparison_direction` says.

    FLOAT: NaN equals nothing, -0 equals +0. TOTALORDER: -NaN < -Inf < … < -0 < +0 < … < +Inf < +NaN.
    Complex values are ordered by their real, then by their imaginary parts.
    """

    name = "stablehlo.compare"
    findings = CompareFindings()
    short_form = (
        "$comparison_direction<comparison_direction> , operands (, $compare_type<comparison_type>)?"
        " attr-dict : functional-type"
    )
    hlo = HloSpelling(
        "compare",
        "Compare",
        note="Without `type` floating-point numbers are compared as FLOAT, signed integers as SIGNED, other "
        "elements as UNSIGNED.",
    )
    kinds = TENSOR_OR_PER_TENSOR
    section = replace(Elementwise.section, result_labels={"shape": "C2"})
    explanation = CompareExplanation()
    folding = CompareFolding()

    lhs: TensorType
    rhs: TensorType
    comparison_direction: ComparisonDirection
    compare_type: CompareType | None = None

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "lhs", self.lhs, self.kinds)
        yield holds("I2", "rhs", self.rhs, self.kinds)
        same = same_baseline(self.lhs.element_type, self.rhs.element_type)
        yield "C1", same, f"{list_types(lhs=self.lhs, rhs=self.rhs)}: their element types must be equal"
        yield same_shapes("C2", lhs=self.lhs, rhs=self.rhs)
        sentence = (
            f"compare_type {self.compare_type} does not fit {self.lhs.element_type}, use {self._wanted}"
        )
        yield "C3", self._fits or self._is_total, sentence

    def cautions(self) -> Iterator[Constraint]:
        sentence = f"compare_type TOTALORDER is for floats, use {self._wanted}: {self.lhs.element_type} has one order"
        yield "C3", self._fits, sentence

    @property
    def is_equality(self) -> bool:
        """Whether it tells equal from different, without an order."""
        return self.comparison_direction in (ComparisonDirection.EQ, ComparisonDirection.NE)

    @property
    def _wanted(self) -> str:
        return " or ".join(_COMPARE_TYPES[kind_of(self.lhs.element_type)])

    @property
    def _fits(self) -> bool:
        allowed = _COMPARE_TYPES[kind_of(self.lhs.element_type)]
        return self.compare_type in (None, CompareType.NOTYPE, *allowed)

    @property
    def _is_total(self) -> bool:
        """Whether TOTALORDER is stated for a type whose only order is total."""
        has_one = self.lhs.element_type.is_integer or is_quantized(self.lhs)
        return has_one and self.compare_type is CompareType.TOTALORDER

    def infer(self) -> TensorType:
        return TensorType(merged_shape(self.lhs.shape, self.rhs.shape), I1)

    @cached_property
    def direct(self) -> Compute | None:
        if self.compare_type is CompareType.TOTALORDER:
            return None
        return self._direct_if_exact(COMPARE[self.comparison_direction])

    def compute_wide(self, *operands: Array) -> Array:
        types = (self.lhs.element_type, self.rhs.element_type)
        lhs, rhs = (dequantize(value, found) for value, found in zip(operands, types, strict=True))
        compare = COMPARE[self.comparison_direction]
        if self.compare_type is CompareType.TOTALORDER and not self.lhs.element_type.is_integer:
            lhs, rhs = numeric.total_order_key(lhs), numeric.total_order_key(rhs)
        return apply_wide(compare, (lhs, rhs), I1)

    @property
    def function(self) -> Compute:
        return COMPARE[self.comparison_direction]

    def carried_error(self, operands: Arrays, errors: Errors, exact: Array) -> Error:
        """1 at a tie, as far as the operands are known: either answer is right there.

        Complex values are at a tie of their order where their real parts are.
        """
        reach = errors[0] + errors[1]
        left, right = operands
        if not self.is_equality:
            left, right = left.real, right.real
        tie = (_apart(left, right) <= reach) & (reach > 0)
        return np.where(np.isnan(reach), np.nan, tie)


def _apart(one: Array, other: Array) -> Error:
    """The distances of numbers or Booleans; differences of Booleans and unsigned integers have no type of their own."""
    wide = (value.astype(np.float64) if value.dtype == np.bool_ else widest(value) for value in (one, other))
    return magnitude(np.subtract(*wide))


class SelectRounding(Rounding["Select"]):
    def error_bound(self, op: Select, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        """The selected side's errors; where either side is possible, their distance besides."""
        pred, on_true, on_false = operands
        chosen = np.where(pred, errors[1], errors[2])
        if is_exact(errors[:1]):
            return (chosen,)
        with np.errstate(all="ignore"):
            apart = _apart(on_true, on_false)
        either = np.where(np.isnan(apart), np.inf, apart) + np.maximum(errors[1], errors[2])
        return (np.where(np.isnan(errors[0]), np.nan, np.where(errors[0] > 0, either, chosen)),)


class SelectFolding(Folding["Select"]):
    def element(self, op: Select, index: Index, operands: OperandElements) -> Expression | None:
        """An element of the side that is always taken."""
        compared = operands.compare(0, index if op.pred.shape else ())
        decided = None if compared is None else compared.decide(operands.bounds)
        return None if decided is None else operands.read(1 if decided else 2, index)


class SelectLanes(Lanes["Select"]):
    def scalar_function(self, op: Select) -> Compute:
        return lambda pred, on_true, on_false: on_true if pred else on_false


class SelectFindings(ElementwiseFindings["Select"]):
    def deciding_operands(self, op: Select) -> Iterable[int]:
        return (0,)

    def ranks_read(self, op: Select, operands: Arrays, ranks: OperandRanks, results: Arrays) -> SeenRanks:
        """The ranks of the selected side."""
        on_true, on_false = (np.uint8(0) if found is None else found for found in ranks[1:])
        return (np.where(operands[0], on_true, on_false),)


@dataclass(frozen=True)
class Select(Selecting, Elementwise):
    """`on_true` where `pred` is true, `on_false` elsewhere; a rank-0 `pred` decides for all."""

    name = "stablehlo.select"
    findings = SelectFindings(keeps_ranks=True)
    short_form = "operands attr-dict : select-type"
    hlo = HloSpelling("select", "Select")
    compute, wide = np.where, numeric.AS_IS
    section = replace(Elementwise.section, result_labels={"element_type": "C2", "shape": "C2"})
    rounding = SelectRounding()
    folding = SelectFolding()
    lanes = SelectLanes()

    pred: TensorType
    on_true: TensorType
    on_false: TensorType
    result: TensorType | None = None

    def constraints(self) -> Iterator[Constraint]:
        is_pred = self.pred.element_type == I1
        yield "I1", is_pred, f"pred must hold boolean elements, not {self.pred.element_type}"
        yield holds("I2", "on_true", self.on_true, TENSOR_OR_PER_TENSOR)
        yield holds("I3", "on_false", self.on_false, TENSOR_OR_PER_TENSOR)
        yield scalar_or_same_shape("C1", "pred", self.pred, "on_true", self.on_true)
        shapes = shapes_agree(self.on_true.shape, self.on_false.shape)
        same = shapes and same_baseline(self.on_true.element_type, self.on_false.element_type)
        both = list_types(on_true=self.on_true, on_false=self.on_false)
        yield "C2", same, f"{both}: their types must be equal"

    def infer(self) -> TensorType:
        return self.on_true.with_shape(merged_shape(self.on_true.shape, self.on_false.shape))

    def evaluate(self, *operands: Array) -> Array:
        pred, on_true, on_false = operands
        if pred.ndim == 0 and on_true.shape == on_false.shape and not is_quantized(self.on_true):
            return on_true if pred else on_false
        return super().evaluate(*operands)


def scalar_or_same_shape(
    label: str, name: str, bound: TensorType, of: str, operand: TensorType
) -> Constraint:
    """Constraint: `bound` has rank 0 or the operand's shape."""
    fits = bound.rank == 0 or shapes_agree(bound.shape, operand.shape)
    return label, fits, f"{name} is {bound}: it must be one element or have the shape of {of}, {operand}"


class ClampFolding(Folding["Clamp"]):
    def element(self, op: Clamp, index: Index, operands: OperandElements) -> Expression | None:
        low, value, high = (
            operands.read(number, index if found.shape else ()) for number, found in enumerate(op.inputs)
        )
        if is_runtime(low) or is_runtime(high):
            return None
        return minimum(maximum(value, low), high)


@dataclass(frozen=True)
class Clamp(Elementwise):
    """`operand` kept between `min` and `max`; `max` where these cross, NaN if any of the three is."""

    name = "stablehlo.clamp"
    findings = ElementwiseFindings(keeps_ranks=True)
    hlo = HloSpelling("clamp", "Clamp")
    roundings = 0
    compute, kinds = numeric.clamp, TENSOR_OR_PER_TENSOR
    section = replace(Elementwise.section, result_labels={"element_type": "C4", "shape": "C4"})
    folding = ClampFolding()

    min: TensorType
    operand: TensorType
    max: TensorType
    result: TensorType | None = None

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "min", self.min, self.kinds)
        yield holds("I2", "operand", self.operand, self.kinds)
        yield holds("I3", "max", self.max, self.kinds)
        yield scalar_or_same_shape("C1", "min", self.min, "operand", self.operand)
        yield scalar_or_same_shape("C2", "max", self.max, "operand", self.operand)
        same = same_baseline(*(found.element_type for found in self.inputs))
        all_three = list_types(min=self.min, operand=self.operand, max=self.max)
        yield "C3", same, f"{all_three}: their element types must be equal"

    def infer(self) -> TensorType:
        return self.operand


class ConvertFolding(Folding["Convert"]):
    def element(self, op: Convert, index: Index, operands: OperandElements) -> Expression | None:
        return operands.read(0, index) if operands.has_integers(0) else None


class ConvertFindings(ElementwiseFindings["Convert"]):
    def nan_becomes(self, op: Convert) -> str:
        """Integers and booleans have no NaN."""
        if not op.operand.element_type.is_float or is_inexact(op.result.element_type.dtype):
            return ""
        return "is true" if op.result.element_type == I1 else "is 0"


@dataclass(frozen=True)
class Convert(Elementwise):
    """Each element in another type. Floats are rounded to nearest even.

    Where the specification leaves it open, as XLA does: float to integer drops the fraction, saturates and
    makes 0 of NaN; integer to integer wraps.
    """

    name = "stablehlo.convert"
    findings = ConvertFindings(underflows=True, converts=True)
    traits = replace(Elementwise.traits, lists_operands=True)
    hlo = HloSpelling("convert", "ConvertElementType")
    section = replace(Elementwise.section, result_labels={"shape": "C1"})
    folding = ConvertFolding()

    operand: TensorType
    result: TensorType

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "operand", self.operand, TENSOR)
        yield holds("", "result", self.result, TENSOR)

    def infer(self) -> TensorType:
        return self.operand.with_element_type(self.result.element_type)

    def evaluate(self, *operands: Array) -> Array:
        source, target = self.operand.element_type, self.result.element_type
        (operand,) = operands
        if self._is_plain_cast and 0 not in operand.strides:
            return operand.astype(target.dtype)
        return apply_wide(lambda value: convert(value, source, target), (operand,), target, numeric.AS_IS)

    is_correct = True

    @property
    def never_rounds(self) -> bool:
        source, target = (element_roundoff(found.element_type) for found in (self.operand, self.result))
        return 0 < target <= source

    @property
    def function(self) -> Compute:
        """The conversion of numbers of the widest type."""
        target = self.result.element_type
        if target.is_complex:
            return lambda value: value.astype(np.complex128)
        if target.is_float:
            return lambda value: value.real.astype(np.float64)
        return lambda value: convert(value, _wide_type(value), target)

    def carried_error(self, operands: Arrays, errors: Errors, exact: Array) -> Error:
        if self.result.element_type.is_float or self.result.element_type.is_complex:
            return errors[0]
        if self.result.element_type == I1:
            nonzero = (magnitude(operands[0].real) <= errors[0]) & (errors[0] > 0)
            return np.where(np.isnan(errors[0]), np.nan, nonzero)
        return super().carried_error(operands, errors, exact)

    def element_cause(self, elements: Sequence[float], result: Array, value: float) -> str:
        if causes.is_overflow(value, result, *elements):
            return causes.overflow("{0}", result, elements[0])
        if isinf(elements[0]):
            return f"where {{0}} is infinite: {self.result.element_type} has no infinity"
        return ""

    @cached_property
    def exact_function(self) -> Compute | None:
        """Integers stay as they are, unless the type cannot hold them."""
        source, target = self.operand.element_type, self.result.element_type
        if not (source.is_integer and target.is_integer):
            return None
        spare = target.bits - source.bits
        fits = spare >= 0 if source.kind == target.kind else spare > 0 and target.kind == "signed"
        return None if fits else np.positive

    @cached_property
    def _is_plain_cast(self) -> bool:
        return numeric.is_plain_cast(self.operand.element_type, self.result.element_type)


def _wide_type(value: Array) -> ElementType:
    return ELEMENT_TYPES["complex<f64>"] if value.dtype.kind == "c" else F64
