"""einsum and unary_einsum: sums of products over labelled dimensions, which StableHLO deprecates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ...indexing import OperandMap, inverse_labelled_maps, labelled_maps
from ...ir.element_types import F64, ElementType, QuantizedType
from ...ir.types import TensorType, Type, is_quantized
from ..core.facets import Drawing, Explanation, Form, Roles, Section
from ..core.kinds import TENSOR_OR_PER_TENSOR, holds
from ..core.op import Array, Constraint, Cost, Op
from ..core.quantization import dequantize, quantize
from ..core.quiet import quiet
from ..core.ranks import Arrays
from ..core.rules import format_list
from .equations import Equation, Labels
from .matrix_products import Arithmetic
from .products import Products


class EinsumOpDrawing(Drawing["EinsumOp"]):
    def dimension_roles(self, op: EinsumOp) -> Roles:
        """The letters of the equation."""
        equation = op._equation()
        return equation.operands, (equation.result,)


class EinsumOp(Products):
    """Common base of einsum and unary_einsum."""

    section = Section(input_labels={})
    drawing = EinsumOpDrawing()

    einsum_config: str
    result: TensorType | None

    @property
    def _inputs(self) -> tuple[TensorType, ...]:
        raise NotImplementedError

    def constraints(self) -> Iterator[Constraint]:
        for number, found in enumerate(self._inputs):
            yield holds("", f"operand {number}", found, TENSOR_OR_PER_TENSOR)
        types = [found.element_type for found in self._inputs]
        quantized_types = [found for found in types if isinstance(found, QuantizedType)]
        if not quantized_types:
            yield "", len(set(types)) == 1, f"operands hold {format_list(types)}: they must hold the same"
        both = len(quantized_types) in (0, len(types)) and bool(quantized_types) == is_quantized(self._stated)
        yield "", both, "operands and result must all be quantized, or none of them"
        wrong = _error_message(self._equation)
        yield "", wrong is None, wrong or ""
        wrong = _error_message(self._sizes)
        yield "", wrong is None, wrong or ""

    @property
    def _stated(self) -> TensorType:
        return self.result or self._inputs[0]

    def _equation(self) -> Equation:
        return Equation.read(self.einsum_config, [found.rank for found in self._inputs])

    def _sizes(self) -> dict[str, int | None]:
        return self._equation().sizes([found.shape for found in self._inputs])

    def infer(self) -> TensorType:
        sizes = self._sizes()
        return TensorType(tuple(sizes[label] for label in self._equation().result), self._stated.element_type)

    def evaluate(self, *operands: Array) -> Array:
        stated = self._stated.element_type
        # `dequantize_op_quantize`, as dot_general has it.
        values = [dequantize(x, t.element_type) for x, t in zip(operands, self._inputs, strict=True)]
        element_type = stated.expressed if isinstance(stated, QuantizedType) else stated
        lhs, rhs = self.factors(tuple(values))
        how = Arithmetic.of(lhs, rhs, element_type, self.products_of_each())
        found = how.finish(self._contract(how, lhs, rhs))
        return quantize(found, stated) if isinstance(stated, QuantizedType) else found

    def factors(self, operands: Arrays) -> tuple[Array, Array]:
        return (operands[0], operands[1]) if len(operands) == 2 else (operands[0], _one(operands[0]))

    def multiply_exactly(self, lhs: Array, rhs: Array, others: Arrays) -> Array:
        how = Arithmetic.of(lhs, rhs, F64, self.products_of_each())
        return how.finish(self._contract(how, lhs, rhs))

    def _contract(self, how: Arithmetic, lhs: Array, rhs: Array) -> Array:
        """The sums of products, in the order of the result."""
        equation = self._equation()
        labels = [*equation.operands, ()][:2]
        left, right = (
            _Term(how.prepare(factor), own).spread(self._known_sizes)
            for factor, own in zip((lhs, rhs), labels, strict=True)
        )
        return _contract(how, left, right, equation.result)

    @property
    def _known_sizes(self) -> dict[str, int]:
        return {label: size for label, size in self._sizes().items() if size is not None}

    @property
    def result_elements(self) -> ElementType:
        return self._stated.element_type

    def products_of_each(self) -> int:
        result = self._equation().result
        return prod(size for label, size in self._known_sizes.items() if label not in result)

    def _labelled_shapes(self) -> tuple[Any, ...]:
        equation = self._equation()
        shapes = [found.sizes for found in self._inputs]
        return equation.operands, shapes, equation.result, self._known_sizes

    def index_maps(self) -> Iterator[OperandMap]:
        return labelled_maps(*self._labelled_shapes())

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        return inverse_labelled_maps(*self._labelled_shapes())

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """A multiplication and an addition for each product; wide copies of operands and result."""
        if not all(found.is_static for found in self._inputs):
            return Cost(0, 0)
        result = self.infer()
        elements = sum(found.element_count for found in self._inputs) + result.element_count
        return Cost(2 * result.element_count * self.products_of_each(), result.byte_count, 48 * elements)


@dataclass(frozen=True)
class Einsum(EinsumOp):
    """Sums products of `lhs` and `rhs` over the labels of `einsum_config` that are not in its result, `ab,bc->ac`.

    A label that occurs twice in an operand is its diagonal; `...` stands for dimensions without a letter; a size
    of 1 is repeated; without `->` the labels that occur once are the result's. That is what XLA takes, but for
    labels that occur twice in the result. Arithmetic as in `dot_general`. StableHLO deprecates it.
    """

    name = "stablehlo.einsum"
    short_form = "operands , config = $einsum_config attr-dict : functional-type"
    explanation = Explanation(form=Form.PRODUCTS)

    lhs: TensorType
    rhs: TensorType
    einsum_config: str
    result: TensorType | None = None

    @property
    def _inputs(self) -> tuple[TensorType, ...]:
        return self.lhs, self.rhs


@dataclass(frozen=True)
class UnaryEinsum(EinsumOp):
    """Moves the dimensions of `operand` to where their labels in `einsum_config` are, `ab->ba`, and sums over the
    labels that its result does not have.

    As `einsum` of a one and the operand. StableHLO deprecates it.
    """

    name = "stablehlo.unary_einsum"
    short_form = "operands , config = $einsum_config attr-dict : functional-type"

    operand: TensorType
    einsum_config: str
    result: TensorType | None = None

    @property
    def _inputs(self) -> tuple[TensorType, ...]:
        return (self.operand,)


@dataclass(frozen=True)
class _Term:
    """An array whose dimensions have labels."""

    array: Array
    labels: Labels

    def spread(self, sizes: dict[str, int]) -> _Term:
        """Diagonals for labels that occur twice; no dimensions for sizes that are repeated elsewhere."""
        array, labels = self.array, list(self.labels)
        for label in set(labels):
            while labels.count(label) > 1:
                first, second = [at for at, found in enumerate(labels) if found == label][:2]
                array = array.diagonal(axis1=first, axis2=second)
                labels = [found for at, found in enumerate(labels) if at not in (first, second)] + [label]
        repeated = [at for at, label in enumerate(labels) if array.shape[at] != sizes[label]]
        array = array.squeeze(tuple(repeated))
        return _Term(array, tuple(label for at, label in enumerate(labels) if at not in repeated))

    def sum_unshared(self, dropped: set[str]) -> _Term:
        """The term summed over the labels `dropped`, which nothing else has."""
        axes = tuple(at for at, label in enumerate(self.labels) if label in dropped)
        with quiet():
            array = self.array.sum(axis=axes, dtype=self.array.dtype) if axes else self.array
        return _Term(np.asarray(array), tuple(label for label in self.labels if label not in dropped))

    def merge_dimensions(self, *groups: list[str]) -> Array:
        """The array with each group of labels merged into one dimension."""
        order = [self.labels.index(label) for group in groups for label in group]
        sizes = [prod(self.array.shape[self.labels.index(label)] for label in group) for group in groups]
        return self.array.transpose(order).reshape(sizes)


def _contract(how: Arithmetic, left: _Term, right: _Term, result: Labels) -> Array:
    """The sums of products, in the order of `result`."""
    left = left.sum_unshared(set(left.labels) - set(right.labels) - set(result))
    right = right.sum_unshared(set(right.labels) - set(left.labels) - set(result))
    both = [label for label in left.labels if label in right.labels]
    batch, depth = [x for x in both if x in result], [x for x in both if x not in result]
    rows = [label for label in left.labels if label not in both]
    columns = [label for label in right.labels if label not in both]
    sums = how.product(
        left.merge_dimensions(batch, rows, depth), right.merge_dimensions(batch, depth, columns)
    )
    sizes = dict(zip(right.labels, right.array.shape, strict=True))
    sizes |= dict(zip(left.labels, left.array.shape, strict=True))
    order = [*batch, *rows, *columns]
    return sums.reshape([sizes[label] for label in order]).transpose([order.index(x) for x in result])


def _one(like: Array) -> Array:
    return np.ones((), like.dtype)


def _error_message(function: Any) -> str | None:
    try:
        function()
    except ValueError as error:
        return str(error)
    return None


OPS: tuple[type[Op], ...] = (Einsum, UnaryEinsum)
