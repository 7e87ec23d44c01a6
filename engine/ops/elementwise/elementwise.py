"""Ops that compute each element of the result from the elements of the operands at the same index.

Their numbers: floats narrower than f32 are computed in f32 and rounded once; transcendental functions of
f32 and narrower are computed in f64 and rounded once; integers wrap.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, TypeVar

import numpy as np

from ...indexing import Expression, OperandMap, elementwise_maps
from ...ir.element_types import ElementType, QuantizedType
from ...ir.types import TensorType, is_quantized
from ..core import causes
from ..core.devices import Accuracy, Device, current_device
from ..core.facets import ElementFormula, Explanation, Folding, Form, Lanes, Rounding, Section, Traits
from ..core.facets.findings import ExactInteger, Findings, is_wide_float
from ..core.integer_folding import Combine, Index, OperandElements, is_runtime
from ..core.kinds import BOOLEAN, COMPLEX, FLOAT, INTEGER, PER_TENSOR, SIGNED, Kinds, holds, same_baseline
from ..core.nudging import moved_apart, widest
from ..core.numeric import BLOCK, PRECISE, SIMPLER, WHOLE, WIDE, Compute, Widening, apply_wide, is_repeated
from ..core.op import Array, Constraint, Op, merged_shape, shapes_agree
from ..core.quantization import dequantize_op_quantize
from ..core.ranks import Arrays, OperandRanks, SeenRanks, Shape, is_inexact, worst_ranks
from ..core.rounding import (
    ANYTHING,
    NO_ERROR,
    UNKNOWN,
    USUAL,
    Error,
    Errors,
    are_typical,
    is_exact,
    rounding_error,
)
from ..core.rules import format_list

BITS: Kinds = (*BOOLEAN, *INTEGER)
FLOATS: Kinds = (*FLOAT, *PER_TENSOR)
REAL_OR_COMPLEX: Kinds = (*FLOAT, *COMPLEX, *PER_TENSOR)
NUMBERS: Kinds = (*INTEGER, *REAL_OR_COMPLEX)
SIGNED_NUMBERS: Kinds = (*SIGNED, *REAL_OR_COMPLEX)


_SCALAR_OPERATORS: Mapping[Compute, Compute] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.bitwise_and: operator.and_,
    np.bitwise_or: operator.or_,
    np.bitwise_xor: operator.xor,
    np.equal: operator.eq,
    np.not_equal: operator.ne,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
}
"""Operators that are faster than NumPy's functions on its scalars."""


class ElementwiseRounding(Rounding["Elementwise"]):
    def error_bound(self, op: ElementwiseType, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        (result,) = results
        if op._is_quantized:
            return (np.ones(()) if is_exact(errors) else UNKNOWN,)
        if not is_inexact(result.dtype) and (
            is_exact(errors) or (op.works_on_bits and result.dtype != np.bool_)
        ):
            return (NO_ERROR if is_exact(errors) else ANYTHING,)
        with np.errstate(all="ignore"):
            wide = tuple(map(widest, operands))
            exact = np.asarray(op.function(*wide))
            found = _known(op.carried_error(wide, errors, exact), errors, exact)
            carried = NO_ERROR if op.never_rounds else found
            if not op.roundings:
                return (found,)
            row = _wider_row(op, result.dtype.name, current_device())
            if row is None:
                own = rounding_error(result, exact, carried, op.roundings, is_correct=op.is_correct)
                return (found + own,)
            # A device's error is the same for the same operand, and alike for neighbours: the usual one is as large.
            roundings = 2 * row.ulps * (USUAL if are_typical() else 1)
            own = rounding_error(
                result, exact, carried, max(op.roundings, roundings), is_correct=op.is_correct
            )
            return (found + own + np.where(np.isfinite(exact), row.absolute, 0.0),)

    def unrounded(self, op: ElementwiseType, operands: Arrays) -> Any:
        return op.function(*operands)

    def row_of(self, op: ElementwiseType, device: Device) -> str:
        dtype = op.result_type.element_type.dtype.name
        return device.function_text(_function(op), dtype) if _wider_row(op, dtype, device) else ""


def _function(op: ElementwiseType) -> str:
    return op.name.rpartition(".")[2]


def _wider_row(op: ElementwiseType, dtype: str, device: Device) -> Accuracy | None:
    """The accuracy of the function on a device, where other implementations are better.

    Where they are worse, the device may be so too: a pass replaces a function, or a fusion has another one.
    """
    found = device.accuracy(_function(op), dtype)
    return found if found and (2 * found.ulps > op.roundings or found.absolute) else None


class ElementwiseExplanation(Explanation["Elementwise"]):
    def formula(self, op: ElementwiseType, reads: int) -> ElementFormula:
        function = op.name.rpartition(".")[2]
        if not op.symbol or op.symbol[0].isalpha():
            return ElementFormula(function, Form.FUNCTION, op.symbol or function)
        if reads != 2:
            return ElementFormula(function, Form.FUNCTION, function)
        return ElementFormula(function, Form.OPERATOR, op.symbol)


ElementwiseType = TypeVar("ElementwiseType", bound="Elementwise")


class ElementwiseFolding(Folding[ElementwiseType]):
    def element(self, op: ElementwiseType, index: Index, operands: OperandElements) -> Expression | None:
        combine = type(op).combine_integers
        if combine is None:
            return None
        values = [operands.read(number, index) for number in range(len(op.inputs))]
        # Of two values that only the run knows, the one computed from them says more than both.
        if len(values) == 2 and all(map(is_runtime, values)):
            return None
        return combine(values, operands.bounds)


class ElementwiseLanes(Lanes["Elementwise"]):
    def scalar_function(self, op: ElementwiseType) -> Compute:
        writes_out = type(op).evaluate is not Elementwise.evaluate
        if writes_out or op.direct is None:
            return super().scalar_function(op)
        # NumPy's scalars compute differently with booleans.
        numbers = all(found.element_type.kind != "boolean" for found in op.inputs)
        return _SCALAR_OPERATORS.get(op.direct, op.direct) if numbers else op.direct


_EXACT: Mapping[Compute, Callable[..., int]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.negative: operator.neg,
    np.abs: abs,
    np.positive: operator.pos,
}
"""The functions of integers that may wrap, each with the same on Python's integers, which never wrap."""


@dataclass(frozen=True)
class ElementwiseFindings(Findings[ElementwiseType]):
    """The facet for rules of findings on elementwise ops."""

    underflows: bool = False
    """Whether floats that are not 0 may become too small for their type."""

    def adds(self, op: ElementwiseType) -> bool:
        return op.symbol in ("+", "-")

    def outweighs(self, op: ElementwiseType) -> bool:
        return op.symbol in ("+", "-", "max", "min")

    def mixes_bits(self, op: ElementwiseType) -> bool:
        return op.works_on_bits and op.result_type.element_type.is_integer

    def may_underflow(self, op: ElementwiseType) -> bool:
        return self.underflows and is_wide_float(op.result_type.element_type)

    def ranks_read(
        self, op: ElementwiseType, operands: Arrays, ranks: OperandRanks, results: Arrays
    ) -> SeenRanks:
        return (worst_ranks(ranks),)

    def birth_cause(
        self, op: ElementwiseType, operands: Arrays, result: Array, number: int, index: Shape
    ) -> str:
        elements = [causes.element_at(operand, index) for operand in operands]
        if result.dtype.kind == "c" or None in elements:
            return ""
        return op.element_cause([each for each in elements if each is not None], result, float(result[index]))

    def may_wrap(self, op: ElementwiseType) -> bool:
        return op.exact_function is not None

    def exact_integers(
        self, op: ElementwiseType, operands: Arrays, results: Arrays
    ) -> Iterator[ExactInteger]:
        compute, element_type = op.exact_function, op.result_type.element_type
        if compute is None:
            return
        exactly = _EXACT[compute]
        if not results[0].ndim:
            if exactly(*map(int, operands)) == int(results[0]):
                return
        elif _fit(exactly, operands, element_type):
            return

        def element(index: Shape) -> int:
            return exactly(*(int(operand[index] if operand.ndim else operand) for operand in operands))

        exact = compute(*(operand.astype(np.float64) for operand in operands))
        yield ExactInteger(0, exact, element_type, element=element)


def _fit(exactly: Callable[..., int], operands: Arrays, element_type: ElementType) -> bool:
    """Whether the type holds what the least and the greatest elements of the operands give, and so all that is between.

    This takes a fraction of the time that the exact results of all elements take. False of types that NumPy does not have.
    """
    if not all(operand.size and operand.dtype.kind in "iu" for operand in operands):
        return False
    ends = [(int(operand.min()), int(operand.max())) for operand in operands]
    corners = [exactly(*corner) for corner in product(*ends)]
    signed = element_type.kind == "signed"
    least, count = -(1 << element_type.bits - 1) if signed else 0, 1 << element_type.bits
    return least <= min(corners) and max(corners) < least + count


@dataclass(frozen=True)
class Elementwise(Op):
    """Common base of elementwise ops. `compute` takes the operands as arrays of the computing dtype."""

    traits = Traits(is_elementwise=True, has_one_shape=True)
    short_form = "operands attr-dict : same-type"
    section = Section(result_labels={"element_type": "C1", "shape": "C1"}, result_is_requantized=True)
    rounding: ClassVar[Rounding[Any]] = ElementwiseRounding()
    explanation: ClassVar[Explanation[Any]] = ElementwiseExplanation()
    folding: ClassVar[Folding[Any]] = ElementwiseFolding()
    lanes: ClassVar[Lanes[Any]] = ElementwiseLanes()
    findings: ClassVar[Findings[Any]] = ElementwiseFindings()
    compute: ClassVar[Compute]
    kinds: ClassVar[Kinds]
    """The allowed element types of the operands."""
    combine_integers: ClassVar[Combine | None] = None
    """The operation on constant integers of index maps; `None` if no expression has it."""
    symbol: ClassVar[str] = ""
    """The symbol in formulas, if it is not the op's name: `+` between the operands, `max` before them."""
    exact_words: ClassVar[str] = "the result"
    """The exact result in the sentence on one that overflows: `{0} + {1}`, with the operands in the places."""
    wide: ClassVar[Widening] = WIDE
    """The dtypes of the computation."""
    works_on_bits: ClassVar[bool] = False
    """Whether it takes integers for their bits."""
    roundings: ClassVar[float] = 1
    """Maximum error of other implementations in unit roundoffs; 0 for ops that only choose."""
    is_correct: ClassVar[bool] = False
    """Whether all implementations return the exact result if the type has it."""

    @property
    def never_rounds(self) -> bool:
        """Whether the type of the result has all exact results on operands of their types."""
        return False

    @property
    def function(self) -> Compute:
        """The function to compute; an op with parameters derives it from them."""
        return type(self).compute

    @cached_property
    def inputs(self) -> tuple[TensorType, ...]:
        """The operands' types."""
        return tuple(found for found in self.operand_types if isinstance(found, TensorType))

    @cached_property
    def exact_function(self) -> Compute | None:
        """The function on integers, if its results may exceed their type and wrap around."""
        return self.function if self.result_type.element_type.is_integer and self.function in _EXACT else None

    def infer(self) -> TensorType:
        shape = merged_shape(*(found.shape for found in self.inputs))
        return self.inputs[0].with_shape(shape)

    @cached_property
    def result_type(self) -> TensorType:
        """The type that the text states, where it does, or else what follows from the operands."""
        stated = getattr(self, "result", None)
        return stated if isinstance(stated, TensorType) else self.infer()

    @cached_property
    def _is_quantized(self) -> bool:
        return any(map(is_quantized, self.inputs))

    @cached_property
    def direct(self) -> Compute | None:
        """The function, if the op needs no widening and no rounding."""
        return self._direct_if_exact(self.function)

    def _direct_if_exact(self, compute: Compute) -> Compute | None:
        types = (*(found.element_type for found in self.inputs), self.result_type.element_type)
        exact = not any(
            found.dtype in self.wide or found.name == "tf32" or isinstance(found, QuantizedType)
            for found in types
        )
        kind = types[0].dtype.kind
        return SIMPLER.get((compute, kind), compute) if exact else None

    @cached_property
    def quick(self) -> Compute | None:
        """`direct`, if it takes whole arrays, so that `evaluate` would only check for repeated elements."""
        is_inherited = type(self).evaluate is Elementwise.evaluate
        return self.direct if is_inherited and self._takes_all and self.result_type.shape else None

    def evaluate(self, *operands: Array) -> Array:
        """The caller silences NumPy's warnings."""
        direct = self.direct
        if direct is None:
            return self.compute_wide(*operands)
        repeats = False
        for operand in operands:
            # Ours are made of several of NumPy's, which is done block by block where there is much to do.
            if operand.size > BLOCK and not self._takes_all:
                return self.compute_wide(*operands)
            if operand.ndim and (0 not in operand.strides or not is_repeated(operand)):
                repeats = False
                break  # no dimension repeats elements of all operands
            repeats = repeats or operand.ndim > 0
        return self.compute_wide(*operands) if repeats else np.asarray(direct(*operands))

    @cached_property
    def _takes_all(self) -> bool:
        return isinstance(self.direct, np.ufunc) or self.direct in WHOLE

    def compute_wide(self, *operands: Array) -> Array:
        """The result, computed in wide dtypes and rounded once."""
        result = self.result_type.element_type
        if self._is_quantized:
            types = tuple(found.element_type for found in self.inputs)
            return dequantize_op_quantize(self.function, operands, types, result, self.wide)
        return apply_wide(self.function, operands, result, self.wide)

    def element_cause(self, elements: Sequence[float], result: Array, value: float) -> str:
        """The reason why `value`, an element of `result` computed from `elements`, is not finite."""
        if causes.is_overflow(value, result, *elements):
            return causes.overflow(self.exact_words, result, value)
        return causes.infinite(*elements)

    def carried_error(self, operands: Arrays, errors: Errors, exact: Array) -> Error:
        """The result's error due to the operands' errors; `exact` is the result without them."""
        return moved_apart(self.function, operands, errors, exact)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return elementwise_maps(self.infer().sizes, [found.sizes for found in self.inputs], inverse=inverse)


def _known(carried: Error, errors: Errors, exact: Array) -> Error:
    """Replace a NaN that known errors of operands lead to, such as 0 times infinity, by infinity: it is not unknown."""
    lost = np.isnan(carried) & ~np.isnan(exact)
    if not lost.any():
        return carried
    for error in errors:
        lost = lost & ~np.isnan(error)
    return np.where(lost, np.inf, carried)


Poles = tuple[tuple[str, Callable[[float], bool]], ...]
"""Operands at which a function has no finite value: in words, `is 0`, and as a predicate."""


@dataclass(frozen=True)
class Unary(Elementwise):
    """One operand, whose type the result has."""

    poles: ClassVar[Poles] = ()

    operand: TensorType
    result: TensorType | None = None

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "operand", self.operand, self.kinds)

    def pole_at(self, x: float) -> str:
        """`where {0} is 0`, for the first of the poles that `x` is; empty if it is none."""
        return next((f"where {{0}} {pole}" for pole, is_pole in self.poles if is_pole(x)), "")


class AccuracyMode(StrEnum):
    """The accuracy that a backend must reach."""

    DEFAULT = "DEFAULT"
    HIGHEST = "HIGHEST"
    TOLERANCE = "TOLERANCE"


@dataclass(frozen=True)
class ResultAccuracy:
    """`#stablehlo.result_accuracy<…>`: a mode, and for TOLERANCE how far a result may be away."""

    mnemonic: ClassVar[str] = "result_accuracy"

    atol: float = 0.0
    rtol: float = 0.0
    ulps: int = 0
    mode: AccuracyMode = AccuracyMode.DEFAULT


@dataclass(frozen=True)
class Accurate(Unary):
    """A transcendental function; `result_accuracy` is read and kept, the result is always the best we have."""

    wide = PRECISE
    kinds = REAL_OR_COMPLEX
    roundings = 8
    section = replace(Unary.section, input_labels={"operand": "I1"})

    result_accuracy: ResultAccuracy | None = None

    def constraints(self) -> Iterator[Constraint]:
        yield from super().constraints()
        if (found := self.result_accuracy) is None:
            return
        tolerances = (found.atol, found.rtol, found.ulps)
        sentence = f"tolerances of result_accuracy must not be negative, not {format_list(tolerances)}"
        yield "", all(value >= 0 for value in tolerances), sentence
        sentence = (
            f"of mode {found.mode}, tolerances of result_accuracy must be 0, not {format_list(tolerances)}"
        )
        yield "", found.mode is AccuracyMode.TOLERANCE or not any(tolerances), sentence

    def element_cause(self, elements: Sequence[float], result: Array, value: float) -> str:
        return self.pole_at(elements[0]) if self.poles else super().element_cause(elements, result, value)


@dataclass(frozen=True)
class Binary(Elementwise):
    """Two operands of one type, which the result has."""

    lhs: TensorType
    rhs: TensorType
    result: TensorType | None = None

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "lhs", self.lhs, self.kinds)
        yield holds("I2", "rhs", self.rhs, self.kinds)
        yield same_types("C1", lhs=self.lhs, rhs=self.rhs)


def same_types(label: str, **types: TensorType) -> Constraint:
    """`baseline_type` of all are equal, as far as their sizes are known."""
    agree = shapes_agree(*(found.shape for found in types.values()))
    agree = agree and same_baseline(*(found.element_type for found in types.values()))
    return label, agree, f"{list_types(**types)}: their types must be equal"


def list_types(**types: TensorType) -> str:
    """`lhs is tensor<2xf32>, rhs is tensor<3xf32>`."""
    return ", ".join(f"{name} is {found}" for name, found in types.items())


def same_shapes(label: str, **types: TensorType) -> Constraint:
    """The shapes of all are equal, as far as sizes are known."""
    agree = shapes_agree(*(found.shape for found in types.values()))
    return label, agree, f"{list_types(**types)}: their shapes must be equal"
