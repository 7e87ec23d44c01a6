"""Ops that compute each element of the result from the elements of the operands at the same index.

Their numbers: floats narrower than f32 are computed in f32 and rounded once; transcendental functions of
f32 and narrower are computed in f64 and rounded once; integers wrap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..indexing import OperandMap, elementwise_maps, inverse_elementwise_maps
from ..ir.element_types import QuantizedType
from ..ir.types import TensorType, is_quantized
from .kinds import BOOLEAN, COMPLEX, FLOAT, INTEGER, PER_TENSOR, SIGNED, Kinds, holds, same_baseline
from .numeric import BLOCK, PRECISE, SIMPLER, WHOLE, WIDE, Compute, Widening, computed, is_repeated
from .op import Array, Constraint, Op, merged_shape, shapes_agree
from .quantization import dequantize_op_quantize
from .rules import listed

BITS: Kinds = (*BOOLEAN, *INTEGER)
FLOATS: Kinds = (*FLOAT, *PER_TENSOR)
REAL_OR_COMPLEX: Kinds = (*FLOAT, *COMPLEX, *PER_TENSOR)
NUMBERS: Kinds = (*INTEGER, *REAL_OR_COMPLEX)
SIGNED_NUMBERS: Kinds = (*SIGNED, *REAL_OR_COMPLEX)


@dataclass(frozen=True)
class Elementwise(Op):
    """What all of them share. `compute` takes the operands as arrays, as wide as they are computed."""

    elementwise = True
    short_form = "operands attr-dict : same-type"
    result_labels: ClassVar[Mapping[str, str]] = {"element_type": "C1", "shape": "C1"}
    result_is_requantized = True
    compute: ClassVar[Compute]
    kinds: ClassVar[Kinds]
    """What the operands' elements may be."""
    wide: ClassVar[Widening] = WIDE
    """In which dtypes it is computed."""

    @property
    def function(self) -> Compute:
        """What is computed; an op with parameters makes it of them."""
        return type(self).compute

    @cached_property
    def inputs(self) -> tuple[TensorType, ...]:
        """The operands' types."""
        return tuple(found for found in self.operand_types if isinstance(found, TensorType))

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
        """The function, if it is all that there is to do: nothing is widened, nothing rounded."""
        return self._direct_if_exact(self.function)

    def _direct_if_exact(self, compute: Compute) -> Compute | None:
        types = (*(found.element_type for found in self.inputs), self.result_type.element_type)
        exact = not any(
            found.dtype in self.wide or found.name == "tf32" or isinstance(found, QuantizedType)
            for found in types
        )
        kind = types[0].dtype.kind
        return SIMPLER.get((compute, kind), compute) if exact else None

    def evaluate(self, *operands: Array) -> Array:
        """The caller sees to it that NumPy gives no warnings."""
        direct = self.direct
        if direct is None:
            return self.computed(*operands)
        repeats = False
        for operand in operands:
            # Ours are made of several of NumPy's, which is done block by block where there is much to do.
            if operand.size > BLOCK and not self._takes_all:
                return self.computed(*operands)
            if operand.ndim and (0 not in operand.strides or not is_repeated(operand)):
                repeats = False
                break  # no dimension repeats elements of all operands
            repeats = repeats or operand.ndim > 0
        return self.computed(*operands) if repeats else np.asarray(direct(*operands))

    @cached_property
    def _takes_all(self) -> bool:
        return isinstance(self.direct, np.ufunc) or self.direct in WHOLE

    def computed(self, *operands: Array) -> Array:
        """The result by way of wider types."""
        result = self.result_type.element_type
        if self._is_quantized:
            types = tuple(found.element_type for found in self.inputs)
            return dequantize_op_quantize(self.function, operands, types, result, self.wide)
        return computed(self.function, operands, result, self.wide)

    def index_maps(self) -> Iterator[OperandMap]:
        return elementwise_maps(self.infer().sizes, [found.sizes for found in self.inputs])

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        return inverse_elementwise_maps(self.infer().sizes, [found.sizes for found in self.inputs])


@dataclass(frozen=True)
class Unary(Elementwise):
    """One operand, whose type the result has."""

    operand: TensorType
    result: TensorType | None = None

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "operand", self.operand, self.kinds)


class AccuracyMode(StrEnum):
    """How exact a backend has to be."""

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
    input_labels: ClassVar[Mapping[str, str]] = {"operand": "I1"}

    result_accuracy: ResultAccuracy | None = None

    def constraints(self) -> Iterator[Constraint]:
        yield from super().constraints()
        if (found := self.result_accuracy) is None:
            return
        tolerances = (found.atol, found.rtol, found.ulps)
        sentence = f"tolerances of result_accuracy must not be negative, not {listed(tolerances)}"
        yield "", all(value >= 0 for value in tolerances), sentence
        sentence = f"of mode {found.mode}, tolerances of result_accuracy must be 0, not {listed(tolerances)}"
        yield "", found.mode is AccuracyMode.TOLERANCE or not any(tolerances), sentence


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
    return label, agree, f"{differing(**types)}: their types must be equal"


def differing(**types: TensorType) -> str:
    """`lhs is tensor<2xf32>, rhs is tensor<3xf32>`."""
    return ", ".join(f"{name} is {found}" for name, found in types.items())


def same_shapes(label: str, **types: TensorType) -> Constraint:
    """The shapes of all are equal, as far as sizes are known."""
    agree = shapes_agree(*(found.shape for found in types.values()))
    return label, agree, f"{differing(**types)}: their shapes must be equal"
