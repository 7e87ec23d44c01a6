"""dot_general: contractions of any two tensors, done as batched matrix products by BLAS."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from math import prod
from typing import ClassVar

import numpy as np

from ...indexing import OperandMap, dot_general_maps
from ...ir.attributes import TypeAttribute
from ...ir.dot_algorithms import is_known
from ...ir.element_types import QuantizedType
from ...ir.types import ScalarType, TensorType, Type, is_quantized
from ..core.blas import multiply_matrices
from ..core.causes import product_cause
from ..core.facets import (
    Contraction,
    Drawing,
    Explanation,
    Form,
    HloSpelling,
    Picture,
    Roles,
    Section,
    name_dimensions,
    numbered,
)
from ..core.facets.rounding import full_error
from ..core.fold_bounds import product_bound
from ..core.kinds import ANY, TENSOR_OR_PER_TENSOR, holds
from ..core.op import Array, Constraint, Cost
from ..core.quantization import dequantize, quantize, quantized_product, quantized_sides
from ..core.ranks import Arrays, OperandRanks, Ranks, SeenRanks, Shape
from ..core.rounding import UNKNOWN, Errors, is_exact
from ..core.rules import agree, format_list, inside_rank, named_once, sizes_at
from .matrix_products import matrix_product
from .products import ProductFindings, Products, ProductsRounding


class Precision(StrEnum):
    """The precision that a backend may give up for speed; all have the same result here."""

    DEFAULT = "DEFAULT"
    HIGH = "HIGH"
    HIGHEST = "HIGHEST"


_WIDTHS = {"boolean": 0, "signed": 1, "unsigned": 1, "float": 2, "complex": 3}
"""Kinds of elements, each of which holds those before it."""


def one_precision(label: str, config: Sequence[Precision] | None) -> Constraint:
    """Constraint: a precision is not stated once for both operands, although MLIR accepts that."""
    return (
        label,
        len(config or ()) != 1,
        "precision_config needs 2 elements; the one that is here holds for both",
    )


@dataclass(frozen=True)
class DotDimensionNumbers:
    """`#stablehlo.dot<…>`: which dimensions are batched and contracted with which."""

    mnemonic: ClassVar[str] = "dot"

    lhs_batching_dimensions: tuple[int, ...] = ()
    rhs_batching_dimensions: tuple[int, ...] = ()
    lhs_contracting_dimensions: tuple[int, ...] = ()
    rhs_contracting_dimensions: tuple[int, ...] = ()

    @property
    def lists(self) -> tuple[tuple[int, ...], ...]:
        """The four lists of dimensions, in the order in which index maps take them."""
        return (
            self.lhs_batching_dimensions,
            self.rhs_batching_dimensions,
            self.lhs_contracting_dimensions,
            self.rhs_contracting_dimensions,
        )

    def roles(self, lhs_rank: int, rhs_rank: int) -> Roles:
        """The role of each dimension of lhs, rhs and their product; related dimensions have one number."""
        lhs = {
            "lhs_batching_dimensions[]": self.lhs_batching_dimensions,
            "lhs_contracting_dimensions[]": self.lhs_contracting_dimensions,
        }
        rhs = {
            "rhs_batching_dimensions[]": self.rhs_batching_dimensions,
            "rhs_contracting_dimensions[]": self.rhs_contracting_dimensions,
        }
        sides = name_dimensions(lhs_rank, lhs, "lhs free"), name_dimensions(rhs_rank, rhs, "rhs free")
        count = len(self.lhs_batching_dimensions)
        free = (name for side in sides for name in side if name.endswith("free"))
        return sides, ((*name_dimensions(count, {"batching[]": range(count)}), *free),)


@dataclass(frozen=True)
class DotAlgorithm:
    """`#stablehlo.dot_algorithm<…>`: how a backend should compute. Accepted and checked, not imitated."""

    mnemonic: ClassVar[str] = "dot_algorithm"

    lhs_precision_type: TypeAttribute
    rhs_precision_type: TypeAttribute
    accumulation_type: TypeAttribute
    lhs_component_count: int
    rhs_component_count: int
    num_primitive_operations: int
    allow_imprecise_accumulation: bool

    @property
    def is_known(self) -> bool:
        """Whether some hardware has it, as far as StableHLO and XLA know."""
        operands = str(self.lhs_precision_type.type), str(self.rhs_precision_type.type)
        accumulation, count = str(self.accumulation_type.type), self.num_primitive_operations
        counts = self.lhs_component_count, self.rhs_component_count
        return counts == (1, 1) and is_known(operands, accumulation, count, self.allow_imprecise_accumulation)

    def __str__(self) -> str:
        types = f"{self.lhs_precision_type.type} by {self.rhs_precision_type.type}"
        components = f"{self.lhs_component_count} by {self.rhs_component_count} components"
        imprecise = ", imprecise" if self.allow_imprecise_accumulation else ""
        sums = f"sums in {self.accumulation_type.type}"
        return f"{types}, {sums}, {components}, {self.num_primitive_operations} operations{imprecise}"


_Matrices = tuple[tuple[int, ...], tuple[int, ...]]
"""The order of a tensor's dimensions, and the shape that makes matrices of it: a view if its strides allow."""


class DotGeneralRounding(ProductsRounding["DotGeneral"]):
    def error_bound(self, op: DotGeneral, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        if is_quantized(op.rhs):
            return (np.ones(()) if is_exact(errors) else UNKNOWN,)
        left, right, _ = op._layout
        sides = [
            (value.transpose(order).reshape(size), full_error(value, error).transpose(order).reshape(size))
            for value, error, (order, size) in zip(operands, errors, (left, right), strict=True)
        ]
        shape = (*left[1][:-1], right[1][-1])
        product = results[0].reshape(shape)
        found = product_bound(multiply_matrices, sides[0], sides[1], product, left[1][-1])
        return (np.broadcast_to(found, shape).reshape(results[0].shape),)


class DotGeneralDrawing(Drawing["DotGeneral"]):
    def dimension_roles(self, op: DotGeneral) -> Roles:
        return op.dot_dimension_numbers.roles(op.lhs.rank, op.rhs.rank)

    def picture(self, op: DotGeneral) -> Picture:
        return Contraction()


class DotGeneralFindings(ProductFindings["DotGeneral"]):
    def ranks_read(self, op: DotGeneral, operands: Arrays, ranks: OperandRanks, results: Arrays) -> SeenRanks:
        """The greatest rank in a row of `lhs` and in a column of `rhs`, which are multiplied with each other."""
        return (op.worst_of_products(ranks),)

    def birth_cause(self, op: DotGeneral, operands: Arrays, result: Array, number: int, index: Shape) -> str:
        return product_cause(operands, result, index)


@dataclass(frozen=True)
class DotGeneral(Products):
    """Sums products of `lhs` and `rhs` over the contracting dimensions, for each index of the batching ones.

    `lhs` of [batching, free, contracting] and `rhs` of the same, dimensions in any order, give a result of
    [batching, free of lhs, free of rhs]. Floats below f32 are multiplied and summed in f32 and rounded once;
    integers are exact modulo the result's width; booleans give the or of ands. The result's element type may
    differ from the operands', and as on MLIR and XLA two floats may differ from each other (JAX multiplies f8E4M3FN
    by f8E5M2), floats may be multiplied by integers for a result of floats (JAX does for TPUs), and booleans, which
    are 0 and 1, by numbers for a result of numbers: C13 asks the same of all others. Specification: dot_general.
    """

    name = "stablehlo.dot_general"
    findings = DotGeneralFindings()
    short_form = "custom dot_general"
    hlo = HloSpelling(
        "dot",
        "DotGeneral",
        note="Lists of dimensions that are left out are empty: without `lhs_contracting_dims` it is an outer "
        "product.",
        is_lenient=True,
    )
    section = Section(
        input_labels=numbered(
            "lhs rhs lhs_batching_dimensions rhs_batching_dimensions "
            "lhs_contracting_dimensions rhs_contracting_dimensions precision_config "
            "lhs_precision_type rhs_precision_type accumulation_type lhs_component_count "
            "rhs_component_count num_primitive_operations allow_imprecise_accumulation"
        ),
        result_labels={"shape": "C12"},
    )
    rounding = DotGeneralRounding()
    explanation = Explanation(form=Form.PRODUCTS)
    drawing = DotGeneralDrawing()

    lhs: TensorType
    rhs: TensorType
    dot_dimension_numbers: DotDimensionNumbers
    precision_config: tuple[Precision, ...] | None = None
    algorithm: DotAlgorithm | None = None
    result: TensorType | None = None

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "lhs", self.lhs, TENSOR_OR_PER_TENSOR)
        yield holds("I2", "rhs", self.rhs, ANY)
        yield from self._dimension_constraints()
        yield from self._size_constraints()
        config = self.precision_config or ()
        yield "C11", len(config) <= 2, f"precision_config needs 2 elements, not {len(config)}"
        if is_quantized(self.lhs) or is_quantized(self.rhs) or is_quantized(self.result):
            yield from self._quantization_constraints()
        else:
            left, right = self.lhs.element_type, self.rhs.element_type
            sentence = (
                f"lhs holds {left} and rhs {right}: they must hold the same, or what the result can hold"
            )
            yield "C13", left == right or self._is_mixed, sentence
        if self.algorithm is not None:
            yield from self._algorithm_constraints(self.algorithm)

    @property
    def _is_mixed(self) -> bool:
        """Whether the result can hold elements of either kind: booleans, integers, floats and complex numbers."""
        sides = self.lhs.element_type, self.rhs.element_type
        kinds = [_WIDTHS.get(found.kind) for found in (*sides, self.infer().element_type)]
        return None not in kinds and max(kinds[:2]) <= kinds[2]  # type: ignore[operator, type-var]

    def cautions(self) -> Iterator[Constraint]:
        yield one_precision("C11", self.precision_config)
        left, right = self.lhs.element_type, self.rhs.element_type
        sentence = f"lhs holds {left} and rhs {right}; their products are of {self.infer().element_type}"
        yield "C13", left == right or is_quantized(self.rhs), sentence

    def _dimension_constraints(self) -> Iterator[Constraint]:
        n = self.dot_dimension_numbers
        left, right = n.lhs_batching_dimensions, n.rhs_batching_dimensions
        sentence = f"lhs and rhs have different numbers of batching dimensions: {format_list(left)} and {format_list(right)}"
        yield "C1", len(left) == len(right), sentence
        left, right = n.lhs_contracting_dimensions, n.rhs_contracting_dimensions
        sentence = f"lhs and rhs have different numbers of contracting dimensions: {format_list(left)} and {format_list(right)}"
        yield "C2", len(left) == len(right), sentence
        sides = (
            ("lhs", "C3", n.lhs_batching_dimensions + n.lhs_contracting_dimensions),
            ("rhs", "C4", n.rhs_batching_dimensions + n.rhs_contracting_dimensions),
        )
        for side, label, dimensions in sides:
            yield named_once(label, f"{side} batching and contracting dimensions", dimensions)
        ranges = (
            ("C5", "lhs_batching_dimensions", n.lhs_batching_dimensions, self.lhs.rank),
            ("C6", "lhs_contracting_dimensions", n.lhs_contracting_dimensions, self.lhs.rank),
            ("C7", "rhs_batching_dimensions", n.rhs_batching_dimensions, self.rhs.rank),
            ("C8", "rhs_contracting_dimensions", n.rhs_contracting_dimensions, self.rhs.rank),
        )
        for label, name, dimensions, rank in ranges:
            yield inside_rank(label, name, dimensions, f"{name[:3]}'s ", rank)

    def _size_constraints(self) -> Iterator[Constraint]:
        n = self.dot_dimension_numbers
        groups = (
            ("C9", "batched", n.lhs_batching_dimensions, n.rhs_batching_dimensions),
            ("C10", "contracted", n.lhs_contracting_dimensions, n.rhs_contracting_dimensions),
        )
        for label, what, left, right in groups:
            for here, there in zip(left, right, strict=True):
                sizes = self.lhs.shape[here], self.rhs.shape[there]
                sentence = f"dimension {here} of lhs (size {sizes[0]}) and dimension {there} of rhs (size {sizes[1]}) are {what} but differ"
                yield label, agree(*sizes), sentence

    def _quantization_constraints(self) -> Iterator[Constraint]:
        left, right = self.lhs.element_type, self.rhs.element_type
        result = self.result.element_type if self.result else left
        yield quantized_sides("C14", left, right, result)
        assert isinstance(right, QuantizedType)
        yield (
            "C15",
            not any(right.zero_points),
            f"zero points of rhs must be 0, not {format_list(right.zero_points)}",
        )
        contracting = self.dot_dimension_numbers.rhs_contracting_dimensions
        axis = right.quantization_dimension
        sentence = f"rhs is quantized along dimension {axis}, which is contracted"
        yield "C16", axis is None or axis not in contracting, sentence
        yield from quantized_product(("C17", "C18", "C19", "C20"), left, right, result)

    def _algorithm_constraints(self, algorithm: DotAlgorithm) -> Iterator[Constraint]:
        precisions = (
            ("I8", "lhs_precision_type", algorithm.lhs_precision_type),
            ("I9", "rhs_precision_type", algorithm.rhs_precision_type),
            ("I10", "accumulation_type", algorithm.accumulation_type),
        )
        for label, name, attribute in precisions:
            found = attribute.type
            is_float = isinstance(found, ScalarType) and found.element_type.is_float
            yield label, is_float, f"{name} must be a floating-point type, not {found}"
        config = self.precision_config or ()
        sentence = f"with an algorithm, precision_config must be DEFAULT, not {format_list(config)}"
        yield "C21", all(found is Precision.DEFAULT for found in config), sentence
        counts = (
            ("C22", "lhs_component_count", algorithm.lhs_component_count),
            ("C23", "rhs_component_count", algorithm.rhs_component_count),
            ("C24", "num_primitive_operations", algorithm.num_primitive_operations),
        )
        for label, name, count in counts:
            yield label, count > 0, f"{name} must be positive, not {count}"
        yield "", algorithm.is_known, f"no hardware is known to have the algorithm {algorithm}"

    def infer(self) -> TensorType:
        n = self.dot_dimension_numbers
        shape = (
            *sizes_at(self.lhs, n.lhs_batching_dimensions),
            *sizes_at(self.lhs, self.lhs_free),
            *sizes_at(self.rhs, self.rhs_free),
        )
        return TensorType(shape, (self.result or self.lhs).element_type)

    @property
    def lhs_free(self) -> tuple[int, ...]:
        """Dimensions of `lhs` that are neither batched nor contracted."""
        n = self.dot_dimension_numbers
        return _other_dimensions(self.lhs.rank, n.lhs_batching_dimensions + n.lhs_contracting_dimensions)

    @property
    def rhs_free(self) -> tuple[int, ...]:
        """Dimensions of `rhs` that are neither batched nor contracted."""
        n = self.dot_dimension_numbers
        return _other_dimensions(self.rhs.rank, n.rhs_batching_dimensions + n.rhs_contracting_dimensions)

    def evaluate(self, *operands: Array) -> Array:
        lhs, rhs = operands
        (left_order, left_shape), (right_order, right_shape), sizes = self._layout
        if self._is_plain:
            return self.multiply_exactly(lhs, rhs, ())
        # `dequantize_op_quantize`, and `hybrid_dequantize_then_op` where only rhs is quantized.
        left = dequantize(lhs, self.lhs.element_type).transpose(left_order).reshape(left_shape)
        right = dequantize(rhs, self.rhs.element_type).transpose(right_order).reshape(right_shape)
        element_type = self.infer().element_type
        if isinstance(element_type, QuantizedType):
            product = matrix_product(left, right, element_type.expressed)
            return quantize(product.reshape(sizes), element_type)
        return matrix_product(left, right, element_type).reshape(sizes)

    def products_of_each(self) -> int:
        return prod(self.lhs.sizes[d] for d in self.dot_dimension_numbers.lhs_contracting_dimensions)

    def multiply_exactly(self, lhs: Array, rhs: Array, others: Arrays) -> Array:
        (left_order, left_shape), (right_order, right_shape), sizes = self._layout
        left = lhs.transpose(left_order).reshape(left_shape)
        return multiply_matrices(left, rhs.transpose(right_order).reshape(right_shape)).reshape(sizes)

    def worst_of_products(self, ranks: OperandRanks) -> Ranks:
        """For each element of the result the greatest rank in its row of `lhs` and in its column of `rhs`."""
        (left_order, left_shape), (right_order, right_shape), sizes = self._layout
        left, right = ranks
        rows = 0 if left is None else left.transpose(left_order).reshape(left_shape).max(-1, initial=0)
        columns = 0 if right is None else right.transpose(right_order).reshape(right_shape).max(-2, initial=0)
        by_row = rows if isinstance(rows, int) else rows[..., :, None]
        by_column = columns if isinstance(columns, int) else columns[..., None, :]
        shape = (*left_shape[:-1], right_shape[-1])
        return np.broadcast_to(np.maximum(by_row, by_column), shape).reshape(sizes)

    @cached_property
    def _is_plain(self) -> bool:
        """Whether NumPy's product alone is the result."""
        types = (self.lhs.element_type, self.rhs.element_type, self.infer().element_type)
        return len(set(types)) == 1 and types[0].name in ("f32", "f64", "complex<f64>")

    @cached_property
    def _layout(self) -> tuple[_Matrices, _Matrices, tuple[int, ...]]:
        """The matrices that each operand becomes, and the result's shape."""
        n = self.dot_dimension_numbers
        left = _matrices(self.lhs, n.lhs_batching_dimensions, self.lhs_free, n.lhs_contracting_dimensions)
        right = _matrices(self.rhs, n.rhs_batching_dimensions, n.rhs_contracting_dimensions, self.rhs_free)
        return left, right, self.infer().sizes

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return dot_general_maps(
            self.lhs.sizes, self.rhs.sizes, *self.dot_dimension_numbers.lists, inverse=inverse
        )

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """A multiplication and an addition for each contracted element; a wide copy of either operand."""
        lhs, rhs, result = (t for t in (*operand_types, *result_types) if isinstance(t, TensorType))
        copies = 8 * (lhs.element_count + rhs.element_count + result.element_count)
        return Cost(2 * result.element_count * self.products_of_each(), result.byte_count, copies)


def _other_dimensions(rank: int, taken: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(dimension for dimension in range(rank) if dimension not in taken)


def _matrices(
    value_type: TensorType, batching: tuple[int, ...], rows: tuple[int, ...], columns: tuple[int, ...]
) -> _Matrices:
    """The matrices that an operand becomes: [row, column], or stacked, [batch, row, column]."""
    groups = (batching, rows, columns) if batching else (rows, columns)
    shape = tuple(prod(value_type.sizes[dimension] for dimension in group) for group in groups)
    return (*batching, *rows, *columns), shape
