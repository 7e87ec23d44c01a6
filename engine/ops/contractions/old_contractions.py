"""Ops that StableHLO deprecates and old programs have: dot, torch_index_select, broadcast; `einsum.py` has its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...indexing import OperandMap, broadcast_in_dim_maps
from ...ir.types import TensorType, Type
from ..core.facets import (
    Contraction,
    Drawing,
    Explanation,
    Form,
    HloSpelling,
    Picture,
    Roles,
    Section,
    Traits,
    name_dimensions,
)
from ..core.facets.findings import Findings, OutsideStarts
from ..core.kinds import INTEGER, TENSOR_OR_PER_TENSOR, holds
from ..core.op import Array, Constraint, Cost, Op
from ..core.ranks import Arrays
from ..core.rounding import Errors
from ..core.rules import agree, at_most, format_list
from ..indexed.gather import Gather, GatherDimensionNumbers
from .dot_general import DotDimensionNumbers, DotGeneral, Precision
from .products import Products, ProductsRounding

_OF_STEPS = ("C15", "C16")
"""Labels of `dot_general` for a quantized rhs, which MLIR checks for that op alone."""


class DotRounding(ProductsRounding["Dot"]):
    def error_bound(self, op: Dot, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        return op._general.rounding.error_bound(op._general, operands, errors, results)


class DotDrawing(Drawing["Dot"]):
    def dimension_roles(self, op: Dot) -> Roles:
        return op._general.drawing.dimension_roles(op._general)

    def picture(self, op: Dot) -> Picture:
        return Contraction()


@dataclass(frozen=True)
class Dot(Products):
    """The product of two vectors, matrices, or one of each.

    `dot_general` over the last dimension of `lhs` and the first of `rhs`, with its arithmetic; StableHLO
    deprecates it.
    """

    name = "stablehlo.dot"
    short_form = "operands precision-config attr-dict : functional-type"
    hlo = HloSpelling("dot", "Dot", is_lenient=True)
    section = Section(input_labels={})
    rounding = DotRounding()
    explanation = Explanation(form=Form.PRODUCTS)
    drawing = DotDrawing()

    lhs: TensorType
    rhs: TensorType
    precision_config: tuple[Precision, ...] | None = None
    result: TensorType | None = None

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

    def infer(self) -> TensorType:
        return self._general.infer()

    def evaluate(self, *operands: Array) -> Array:
        return self._general.evaluate(*operands)

    def products_of_each(self) -> int:
        return self._general.products_of_each()

    def multiply_exactly(self, lhs: Array, rhs: Array, others: Arrays) -> Array:
        return self._general.multiply_exactly(lhs, rhs, others)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return self._general.inverse_index_maps() if inverse else self._general.index_maps()

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        return self._general.cost(operand_types, result_types)


class TorchIndexSelectDrawing(Drawing["TorchIndexSelect"]):
    def dimension_roles(self, op: TorchIndexSelect) -> Roles:
        dim, added = op._dim, op.index.rank - op._batch
        batch = {"batch_dims[]": range(op._batch)}
        operand = name_dimensions(op.operand.rank, {**batch, "dim": [dim]})
        index = name_dimensions(op.index.rank, batch, "index")
        result = name_dimensions(op.infer().rank, {**batch, "index": range(dim, dim + added)})
        return (operand, index), (result,)


class TorchIndexSelectFindings(Findings["TorchIndexSelect"]):
    def may_clamp(self, op: TorchIndexSelect) -> bool:
        return True

    def outside_starts(self, op: TorchIndexSelect, operands: Arrays) -> OutsideStarts | None:
        gather = op._gather
        return gather.findings.outside_starts(gather, operands)


@dataclass(frozen=True)
class TorchIndexSelect(Op):
    """Takes slices of `operand` along `dim`, at the places that `index` has.

    The result has the dimensions of `index`, without its first `batch_dims`, in the place of `dim`; these batch
    dimensions come first in both and belong together. Indices are clamped, as in `gather`, which it is a case of.
    Negative `dim` and `batch_dims` count from the last dimension of `operand` and of `index`, as they do in the
    op's lowering to gather. StableHLO deprecates it.
    """

    name = "stablehlo.torch_index_select"
    findings = TorchIndexSelectFindings(moves_elements=True, gathers=True, deciding=(1,))
    traits = Traits(category="movement")
    section = Section(input_labels={})
    drawing = TorchIndexSelectDrawing()

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

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return self._gather.inverse_index_maps() if inverse else self._gather.index_maps()


class BroadcastDrawing(Drawing["Broadcast"]):
    def dimension_roles(self, op: Broadcast) -> Roles:
        return (("",) * op.operand.rank,), (
            name_dimensions(op.infer().rank, {"broadcast_sizes": range(len(op.broadcast_sizes))}),
        )


@dataclass(frozen=True)
class Broadcast(Op):
    """Repeats `operand`: the result has dimensions of `broadcast_sizes` before the operand's.

    No data is copied. StableHLO deprecates it; `broadcast_in_dim` does more.
    """

    name = "stablehlo.broadcast"
    findings = Findings(moves_elements=True)
    traits = Traits(category="movement")
    short_form = "operands , sizes = $broadcast_sizes attr-dict : functional-type"
    hlo = HloSpelling("broadcast", "Broadcast")
    section = Section(input_labels={})
    drawing = BroadcastDrawing()

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

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return broadcast_in_dim_maps(
            self.operand.sizes, self._dimensions, self.infer().sizes, inverse=inverse
        )
