"""top_k: the largest elements of each row, and where they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...indexing import IndexMap, Interval, OperandMap, Runtime, RuntimeVariable, dims, shared_dimensions_map
from ...ir.element_types import I32
from ...ir.types import TensorType, Type
from ..core.facets import Drawing, HloSpelling, Roles, Rounding, RuntimeVariables, Traits, name_dimensions
from ..core.facets.findings import Findings
from ..core.facets.rounding import full_error
from ..core.fold_bounds import order_bounds
from ..core.kinds import TENSOR_OR_PER_TENSOR, holds
from ..core.op import Array, Constraint, Cost, Op
from ..core.ranks import Arrays, OperandRanks, SeenRanks, worst_rank
from ..core.rounding import NO_ERROR, Errors, is_exact
from ..sorting.sort_keys import PLACE, order_key, with_places


class TopKRounding(Rounding["TopK"]):
    def error_bound(self, op: TopK, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        """The values are as far away as any of their row; an index is unknown where another element may take its place."""
        if is_exact(errors):
            return (NO_ERROR,) * len(results)
        (operand,) = operands
        places = op._choose_of(operand, operand.shape[-1])
        error = np.take_along_axis(np.array(full_error(operand, errors[0])), places, axis=-1)
        _, mixed = order_bounds(np.take_along_axis(operand, places, axis=-1), error, -1)
        worst = np.broadcast_to(errors[0], operand.shape).max(axis=-1, keepdims=True, initial=0.0)
        return worst, mixed[..., : op.k]


class TopKDrawing(Drawing["TopK"]):
    def dimension_roles(self, op: TopK) -> Roles:
        last = [op.operand.rank - 1]
        found = name_dimensions(op.operand.rank, {"k": last})
        return (name_dimensions(op.operand.rank, {"searched": last}),), (found, found)


class TopKRuntimeVariables(RuntimeVariables["TopK"]):
    def map_operands(self, op: TopK, operands: tuple[Array, ...]) -> tuple[Array, ...]:
        """The operands, the places that values come from, and the places that elements go to, -1 for none."""
        chosen = np.asarray(op._choose(operands[0])).astype(np.int64)
        targets = np.full(operands[0].shape, -1, np.int64)
        here = np.broadcast_to(np.arange(op.k), chosen.shape)
        np.put_along_axis(targets, chosen, here, axis=-1)
        return (*operands, chosen, targets)


class TopKFindings(Findings["TopK"]):
    def orders(self, op: TopK) -> bool:
        return True

    def ranks_read(self, op: TopK, operands: Arrays, ranks: OperandRanks, results: Arrays) -> SeenRanks:
        return (worst_rank(ranks),) * len(results)


@dataclass(frozen=True)
class TopK(Op):
    """The `k` largest elements along the last dimension, the largest first, and their indices.

    Of equal elements the one with the lower index comes first. As on XLA, floats have their total order: NaN is
    above infinity, -NaN below -infinity, 0 above -0.
    """

    name = "chlo.top_k"
    findings = TopKFindings(moves_elements=True)
    traits = Traits(category="reduction")
    rounding = TopKRounding()
    drawing = TopKDrawing()
    runtime_variables = TopKRuntimeVariables(names=("where each comes from", "where each goes to"))
    short_form: ClassVar[str | None] = "( operands , k = $k ) attr-dict : operand-type -> result-types"
    hlo = HloSpelling(
        "topk", "TopK", note="Values and indices are one tuple; `largest=false` takes the smallest ones."
    )

    operand: TensorType
    k: int

    @property
    def is_descending(self) -> bool:
        """Whether it is the largest elements that are wanted."""
        return True

    def constraints(self) -> Iterator[Constraint]:
        yield holds("", "operand", self.operand, TENSOR_OR_PER_TENSOR)
        yield "", self.operand.rank > 0, "operand has no dimension: its rank must be at least 1"
        size = self.operand.shape[-1]
        fits = self.k >= 0 and (size is None or self.k <= size)
        found = "?" if size is None else size
        yield "", fits, f"k is {self.k}: it must be from 0 to {found}, the size of the last dimension"

    def infer(self) -> tuple[TensorType, TensorType]:
        values = self.operand.with_shape((*self.operand.shape[:-1], self.k))
        return values, values.with_element_type(I32)

    def evaluate(self, *operands: Array) -> tuple[Array, Array]:
        (operand,) = operands
        chosen = self._choose(operand)
        return np.take_along_axis(operand, chosen, axis=-1), chosen.astype(np.int32)

    def _choose(self, operand: Array) -> Array:
        return self._choose_of(operand, self.k)

    def _choose_of(self, operand: Array, count: int) -> Array:
        key = order_key(operand)
        return _smallest(~key if self.is_descending else key, count)

    def value_maps(self, *, inverse: bool = False) -> Iterator[OperandMap]:
        """Maps of result 0, the values; the indices are not elements of the operand."""
        values, operand = self._shapes
        source, size = (operand, self.k) if inverse else (values, operand[-1])
        place = RuntimeVariable(
            Interval(0, size - 1), 2 if inverse else 1, IndexMap.identity(source), clamped=False
        )
        index = (*dims(len(source) - 1), Runtime(0))
        yield OperandMap(0, IndexMap.of(index, source, runtimes=[place]))

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return self._rows(*(reversed(self._shapes) if inverse else self._shapes))

    @property
    def _shapes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shape of either result, and the shape of the operand."""
        return self.infer()[0].sizes, self.operand.sizes

    def _rows(self, source: tuple[int, ...], target: tuple[int, ...]) -> Iterator[OperandMap]:
        """Every element of a row depends on every element of it; the only element has a place that does not."""
        row = {dimension: dimension for dimension in range(len(source) - 1)}
        for result in range(1 if self.operand.sizes[-1] == 1 else 2):
            yield OperandMap(0, shared_dimensions_map(source, target, row), result)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """Sorting keys of 8 bytes, of which there are two copies."""
        count = self.operand.element_count
        results = [found for found in result_types if isinstance(found, TensorType)]
        steps = max(1, self.operand.sizes[-1].bit_length())
        return Cost(count * steps, sum(found.byte_count for found in results), 24 * count)

    def unrunnable(self) -> str | None:
        if self.operand.element_type.is_complex:
            word = "largest" if self.is_descending else "smallest"
            return f"{self.operand.element_type} elements have no order to find the {word} by"
        return None


def _smallest(key: Array, count: int) -> Array:
    """The places of the `count` smallest keys of each row, in order; of equal keys the first."""
    size = key.shape[-1]
    if key.dtype.itemsize > 4 or size > 1 << 31:
        return np.argsort(key, axis=-1, kind="stable")[..., :count]
    joined = with_places(key, key.ndim - 1)
    if 0 < count < size:
        joined = np.partition(joined, count - 1, axis=-1)
    return np.sort(joined[..., :count], axis=-1) & PLACE
