"""Ops that StableHLO deprecates and old programs have: dot, einsum, unary_einsum, torch_index_select, broadcast."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, ClassVar

import numpy as np

from ...indexing import (
    OperandMap,
    broadcast_in_dim_maps,
    inverse_broadcast_in_dim_maps,
    inverse_labelled_maps,
    labelled_maps,
)
from ...ir.element_types import QuantizedType
from ...ir.types import TensorType, Type, is_quantized
from ..core.dimension_roles import Roles, name_dimensions
from ..core.element_formula import ElementFormula, Form
from ..core.faults import Fault, Signals, Watch
from ..core.kinds import INTEGER, TENSOR_OR_PER_TENSOR, holds
from ..core.op import Array, Constraint, Cost, Op
from ..core.pictures import Contraction, Picture
from ..core.quantization import dequantize, quantize
from ..core.quiet import quiet
from ..core.ranks import Arrays
from ..core.rounding import Errors
from ..core.rules import agree, at_most, format_list
from ..indexed.gather import Gather, GatherDimensionNumbers
from .dot_general import DotDimensionNumbers, DotGeneral, Precision
from .equations import Equation, Labels
from .matrix_products import Arithmetic

_OF_STEPS = ("C15", "C16")
"""Of `dot_general`: which quantized rhs is easy to compute. MLIR asks it of that op alone."""


@dataclass(frozen=True)
class Dot(Op):
    """The product of two vectors, matrices, or one of each.

    `dot_general` over the last dimension of `lhs` and the first of `rhs`, with its arithmetic; StableHLO
    deprecates it.
    """

    name = "stablehlo.dot"
    short_form = "operands precision-config attr-dict : functional-type"
    hlo_opcode = "dot"
    xla_name = "Dot"
    hlo_is_lenient = True
    input_labels: ClassVar = {}

    lhs: TensorType
    rhs: TensorType
    precision_config: tuple[Precision, ...] | None = None
    result: TensorType | None = None

    @property
    def outweighs(self) -> bool:
        return True

    def constraints(self) -> Iterator[Constraint]:
        ranks = self.lhs.rank, self.rhs.rank
        sentence = f"lhs and rhs must have rank 1 or 2, not {ranks[0]} and {ranks[1]}"
        yield "", all(rank in (1, 2) for rank in ranks), sentence
        rules = self._general.constraints()
        yield from (("", holds, sentence) for label, holds, sentence in rules if label not in _OF_STEPS)

    def cautions(self) -> Iterator[Constraint]:
        rules = (rule for rule in self._general.constraints() if rule[0] in _OF_STEPS)
        for label, fits, sentence in (*rules, *self._general.cautions()):
            yield label, fits, f"{sentence} (a rule of dot_general)"

    @cached_property
    def _general(self) -> DotGeneral:
        numbers = DotDimensionNumbers((), (), (self.lhs.rank - 1,), (0,))
        return DotGeneral(self.lhs, self.rhs, numbers, self.precision_config, result=self.result)

    def formula(self, reads: int) -> ElementFormula:
        return ElementFormula(self.name.rpartition(".")[2], Form.PRODUCTS)

    def infer(self) -> TensorType:
        return self._general.infer()

    def evaluate(self, *operands: Array) -> Array:
        return self._general.evaluate(*operands)

    def error_bound(self, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        return self._general.error_bound(operands, errors, results)

    def dimension_roles(self) -> Roles:
        return self._general.dimension_roles()

    def picture(self) -> Picture:
        return Contraction()

    def index_maps(self) -> Iterator[OperandMap]:
        return self._general.index_maps()

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        return self._general.inverse_index_maps()

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        return self._general.cost(operand_types, result_types)


class EinsumOp(Op):
    """What einsum and unary_einsum share."""

    input_labels: ClassVar = {}

    einsum_config: str
    result: TensorType | None

    @property
    def outweighs(self) -> bool:
        return True

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
        equation, stated = self._equation(), self._stated.element_type
        # `dequantize_op_quantize`, as dot_general has it.
        values = [dequantize(x, t.element_type) for x, t in zip(operands, self._inputs, strict=True)]
        element_type = stated.expressed if isinstance(stated, QuantizedType) else stated
        first, second = (values[0], values[-1]) if len(values) == 2 else (values[0], _one(values[0]))
        how = Arithmetic.of(first, second, element_type, self._depth)
        labels = [*equation.operands, ()][:2]
        terms = [
            _Term(how.prepare(x), own).spread(self._known_sizes)
            for x, own in zip((first, second), labels, strict=True)
        ]
        sums = _contract(how, terms[0], terms[1], equation.result)
        found = how.finish(sums)
        return quantize(found, stated) if isinstance(stated, QuantizedType) else found

    @property
    def _known_sizes(self) -> dict[str, int]:
        return {label: size for label, size in self._sizes().items() if size is not None}

    @property
    def _depth(self) -> int:
        result = self._equation().result
        return prod(size for label, size in self._known_sizes.items() if label not in result)

    def _labelled_shapes(self) -> tuple[Any, ...]:
        equation = self._equation()
        shapes = [found.sizes for found in self._inputs]
        return equation.operands, shapes, equation.result, self._known_sizes

    def dimension_roles(self) -> Roles:
        """The letters of the equation."""
        equation = self._equation()
        return equation.operands, (equation.result,)

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
        return Cost(2 * result.element_count * self._depth, result.byte_count, 48 * elements)


@dataclass(frozen=True)
class Einsum(EinsumOp):
    """Sums products of `lhs` and `rhs` over the labels of `einsum_config` that are not in its result, `ab,bc->ac`.

    A label that occurs twice in an operand is its diagonal; `...` stands for dimensions without a letter; a size
    of 1 is repeated; without `->` the labels that occur once are the result's. That is what XLA takes, but for
    labels that occur twice in the result. Arithmetic as in `dot_general`. StableHLO deprecates it.
    """

    name = "stablehlo.einsum"
    short_form = "operands , config = $einsum_config attr-dict : functional-type"

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
class TorchIndexSelect(Op):
    """Takes slices of `operand` along `dim`, at the places that `index` has.

    The result has the dimensions of `index`, without its first `batch_dims`, in the place of `dim`; these batch
    dimensions come first in both and belong together. Indices are clamped, as in `gather`, which it is a case of.
    Negative `dim` and `batch_dims` count from the last dimension of `operand` and of `index`, as they do in the
    op's lowering to gather. StableHLO deprecates it.
    """

    name = "stablehlo.torch_index_select"
    moves_elements = True
    category = "movement"
    input_labels: ClassVar = {}

    operand: TensorType
    index: TensorType
    dim: int
    batch_dims: int

    def constraints(self) -> Iterator[Constraint]:
        yield holds("", "operand", self.operand, TENSOR_OR_PER_TENSOR)
        yield holds("", "index", self.index, INTEGER)
        rank, batch = self.operand.rank, self._batch
        yield "", 0 <= self._dim < rank, f"dim {self.dim} is outside rank {rank}"
        sentence = f"batch_dims {self.batch_dims} must be at most dim {self._dim} and the index's rank {self.index.rank}"
        yield "", 0 <= batch <= min(self._dim, self.index.rank), sentence
        left, right = self.operand.shape[:batch], self.index.shape[:batch]
        sentence = (
            f"batch dimensions have sizes {format_list(left)} in operand, but {format_list(right)} in index"
        )
        yield "", all(map(agree, left, right)), sentence
        sentence = f"dimension {self._dim} of operand has size 0: there is nothing to select"
        yield "", at_most(1, self.operand.shape[self._dim]), sentence

    @property
    def _dim(self) -> int:
        return self.dim + self.operand.rank if self.dim < 0 else self.dim

    @property
    def _batch(self) -> int:
        return self.batch_dims + self.index.rank if self.batch_dims < 0 else self.batch_dims

    def infer(self) -> TensorType:
        shape, dim = self.operand.shape, self._dim
        return self.operand.with_shape((*shape[:dim], *self.index.shape[self._batch :], *shape[dim + 1 :]))

    @cached_property
    def _gather(self) -> Gather:
        dim, batch, added = self._dim, self._batch, self.index.rank - self._batch
        kept = [d for d in range(batch, self.operand.rank) if d != dim]
        numbers = GatherDimensionNumbers(
            tuple(d if d < dim else d + added - 1 for d in kept),
            (dim,),
            tuple(range(batch)),
            tuple(range(batch)),
            (dim,),
            self.index.rank,
        )
        sizes = tuple(size if d in kept else 1 for d, size in enumerate(self.operand.sizes))
        return Gather(self.operand, self.index, numbers, sizes)

    def evaluate(self, *operands: Array) -> Array:
        return self._gather.evaluate(*operands)

    def deciding_operands(self) -> Iterable[int]:
        return (1,)

    def watch(self, results: Sequence[Type]) -> Watch:
        return Watch.ALWAYS

    def faults(
        self, operands: tuple[Array, ...], results: tuple[Array, ...], signals: Signals
    ) -> Iterable[Fault]:
        return self._gather.faults(operands, results, signals)

    def dimension_roles(self) -> Roles:
        dim, added = self._dim, self.index.rank - self._batch
        batch = {"batch_dims[]": range(self._batch)}
        operand = name_dimensions(self.operand.rank, {**batch, "dim": [dim]})
        index = name_dimensions(self.index.rank, batch, "index")
        result = name_dimensions(self.infer().rank, {**batch, "index": range(dim, dim + added)})
        return (operand, index), (result,)

    def index_maps(self) -> Iterator[OperandMap]:
        return self._gather.index_maps()

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        return self._gather.inverse_index_maps()


@dataclass(frozen=True)
class Broadcast(Op):
    """Repeats `operand`: the result has dimensions of `broadcast_sizes` before the operand's.

    No data is copied. StableHLO deprecates it; `broadcast_in_dim` does more.
    """

    name = "stablehlo.broadcast"
    moves_elements = True
    category = "movement"
    short_form = "operands , sizes = $broadcast_sizes attr-dict : functional-type"
    hlo_opcode = "broadcast"
    xla_name = "Broadcast"
    input_labels: ClassVar = {}

    operand: TensorType
    broadcast_sizes: tuple[int, ...]

    def constraints(self) -> Iterator[Constraint]:
        yield holds("", "operand", self.operand, TENSOR_OR_PER_TENSOR)
        sentence = f"broadcast_sizes {format_list(self.broadcast_sizes)} must not be negative"
        yield "", all(size >= 0 for size in self.broadcast_sizes), sentence

    def infer(self) -> TensorType:
        return self.operand.with_shape((*self.broadcast_sizes, *self.operand.shape))

    def evaluate(self, *operands: Array) -> Array:
        return np.broadcast_to(operands[0], (*self.broadcast_sizes, *operands[0].shape))

    @property
    def _dimensions(self) -> range:
        return range(len(self.broadcast_sizes), len(self.broadcast_sizes) + self.operand.rank)

    def dimension_roles(self) -> Roles:
        return (("",) * self.operand.rank,), (
            name_dimensions(self.infer().rank, {"broadcast_sizes": range(len(self.broadcast_sizes))}),
        )

    def index_maps(self) -> Iterator[OperandMap]:
        return broadcast_in_dim_maps(self.operand.sizes, self._dimensions, self.infer().sizes)

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        return inverse_broadcast_in_dim_maps(self.operand.sizes, self._dimensions, self.infer().sizes)


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


OPS: tuple[type[Op], ...] = (Dot, Einsum, UnaryEinsum, TorchIndexSelect, Broadcast)
