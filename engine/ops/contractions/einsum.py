"""einsum and unary_einsum: sums of products over labelled dimensions, which StableHLO deprecates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ...indexing import OperandMap, inverse_labelled_maps, labelled_maps
from ...ir.element_types import F64, ElementType, QuantizedType
from ...ir.types import Dimension, TensorType, Type, is_quantized
from ..core.facets import Drawing, Explanation, Form, Roles, Section
from ..core.facets.rounding import full_error
from ..core.kinds import TENSOR_OR_PER_TENSOR, holds
from ..core.op import Array, Constraint, Cost
from ..core.quantization import dequantize, quantize
from ..core.quiet import quiet
from ..core.ranks import Arrays, is_inexact
from ..core.rounding import Errors
from ..core.rules import agree, format_list
from .matrix_products import Arithmetic
from .products import Products, ProductsRounding

# The configurations of einsum: a letter for each dimension, `ab,bc->ac`.


Labels = tuple[str, ...]
Shape = tuple[Dimension, ...]

_PART = re.compile(r"[A-Za-z]*(?:\.\.\.)?[A-Za-z]*")


@dataclass(frozen=True)
class Equation:
    """A label for each dimension of each operand and of the result.

    `...` stands for the dimensions that have no letter; their labels count from the last, so that operands with
    more and with fewer of them agree. Without `->` the result has these and, in alphabetical order, the letters
    that occur once.
    """

    operands: tuple[Labels, ...]
    result: Labels

    @classmethod
    def read(cls, config: str, ranks: Sequence[int]) -> Equation:
        """Raise `ValueError` with a sentence if `config` does not fit operands of `ranks`."""
        left, arrow, right = config.partition("->")
        parts = left.split(",")
        if not all(map(_PART.fullmatch, [*parts, right])):
            raise ValueError(f"'{config}' is not letters, commas, '...' and one '->', like 'ab,bc->ac'")
        if len(parts) != len(ranks):
            count = "one operand" if len(parts) == 1 else f"{len(parts)} operands"
            raise ValueError(f"'{config}' has labels for {count}, not {len(ranks)}")
        unnamed = [_ellipsis_rank(part, rank) for part, rank in zip(parts, ranks, strict=True)]
        operands = tuple(_expand_ellipsis(part, count) for part, count in zip(parts, unnamed, strict=True))
        most = max(unnamed)
        result = _expand_ellipsis(right, most) if arrow else _implied_result(operands, most)
        if len(set(result)) < len(result):
            raise ValueError(f"'{config}' names a dimension of the result twice")
        unknown = sorted(set(result).difference(*operands))
        if unknown:
            raise ValueError(f"'{config}' has the label '{unknown[0]}' in the result but in no operand")
        return cls(operands, result)

    def sizes(self, shapes: Sequence[Shape]) -> dict[str, Dimension]:
        """The size of each label; `ValueError` where operands differ in it. A size of 1 is repeated."""
        found: dict[str, Dimension] = {}
        for labels, shape in zip(self.operands, shapes, strict=True):
            own: dict[str, Dimension] = {}
            for label, size in zip(labels, shape, strict=True):
                if not agree(own.get(label), size):
                    raise ValueError(_size_difference(label, own[label], size))
                own[label] = size if own.get(label) is None else own[label]
            for label, size in own.items():
                found[label] = _common(label, found[label], size) if label in found else size
        return found


def _common(label: str, left: Dimension, right: Dimension) -> Dimension:
    if left == 1 or right == 1:
        return right if left == 1 else left
    if not agree(left, right):
        raise ValueError(_size_difference(label, left, right))
    return right if left is None else left


def _size_difference(label: str, left: Dimension, right: Dimension) -> str:
    return f"dimensions with the label '{label}' have sizes {left} and {right}"


def _ellipsis_rank(part: str, rank: int) -> int:
    """The number of dimensions that `...` stands for."""
    letters = len(part.replace("...", ""))
    if rank < letters or (rank > letters and "..." not in part):
        raise ValueError(f"'{part}' has {letters} label{'s' * (letters != 1)} for rank {rank}")
    return rank - letters


def _expand_ellipsis(part: str, unnamed: int) -> Labels:
    before, dots, after = part.partition("...")
    return (*before, *(f"...{count}" for count in reversed(range(unnamed)) if dots), *after)


def _implied_result(operands: tuple[Labels, ...], unnamed: int) -> Labels:
    counts = Counter(label for labels in operands for label in labels if len(label) == 1)
    return (
        *_expand_ellipsis("...", unnamed),
        *sorted(label for label, count in counts.items() if count == 1),
    )


class EinsumOpRounding(ProductsRounding["EinsumOp"]):
    def error_bound(self, op: EinsumOp, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        """Elements of one operand that are not summed take their errors along."""
        if len(operands) == 1 and op.products_of_each() == 1 and is_inexact(results[0].dtype):
            return (op.multiply_exactly(full_error(operands[0], errors[0]), np.ones(()), ()),)
        return super().error_bound(op, operands, errors, results)


class EinsumOpDrawing(Drawing["EinsumOp"]):
    def dimension_roles(self, op: EinsumOp) -> Roles:
        """The letters of the equation."""
        equation = op._equation()
        return equation.operands, (equation.result,)


class EinsumOp(Products):
    """Common base of einsum and unary_einsum."""

    section = Section(input_labels={})
    rounding = EinsumOpRounding()
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
        return (
            (operands[0], operands[1])
            if len(operands) == 2
            else (operands[0], np.ones((), operands[0].dtype))
        )

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

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        maps = inverse_labelled_maps if inverse else labelled_maps
        return maps(*self._labelled_shapes())

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


def _error_message(function: Any) -> str | None:
    try:
        function()
    except ValueError as error:
        return str(error)
    return None
