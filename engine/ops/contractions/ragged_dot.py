"""ragged_dot: products of matrices whose rows, or contracted elements, come in groups of computed sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import pairwise
from math import prod
from typing import ClassVar

import numpy as np

from ...errors import RunError
from ...indexing import OperandMap
from ...indexing.op_maps.contraction_maps import GROUP, SIZE, RaggedIndexing
from ...ir.element_types import F64, ElementType
from ...ir.types import TensorType, Type
from ..core.dynamic_op import relabel
from ..core.facets import DimensionNames, Drawing, HloSpelling, Roles, RuntimeVariables, Section
from ..core.kinds import INTEGER, TENSOR, holds
from ..core.numeric import widen
from ..core.op import Array, Constraint, Cost, shapes_agree
from ..core.ranks import Arrays
from ..core.rules import agree, drop_dimensions, format_list, sizes_at
from .dot_general import DotDimensionNumbers, DotGeneral, Precision
from .matrix_products import matrix_product
from .products import Products

Dimensions = tuple[int, ...]


@dataclass(frozen=True)
class RaggedDotDimensionNumbers:
    """`#chlo.ragged_dot<…>`: those of a dot_general, and which dimensions are ragged and of groups."""

    mnemonic: ClassVar[str] = "ragged_dot"
    dialect: ClassVar[str] = "chlo"

    lhs_batching_dimensions: Dimensions = ()
    rhs_batching_dimensions: Dimensions = ()
    lhs_contracting_dimensions: Dimensions = ()
    rhs_contracting_dimensions: Dimensions = ()
    lhs_ragged_dimensions: Dimensions = ()
    rhs_group_dimensions: Dimensions = ()

    @property
    def dot(self) -> DotDimensionNumbers:
        """The dimension numbers of the dot_general."""
        return DotDimensionNumbers(
            self.lhs_batching_dimensions,
            self.rhs_batching_dimensions,
            self.lhs_contracting_dimensions,
            self.rhs_contracting_dimensions,
        )


class Mode(Enum):
    """The role of the ragged dimension of lhs."""

    FREE = "free"
    CONTRACTING = "contracting"
    BATCHING = "batching"


class RaggedDrawing(Drawing["Ragged"]):
    def dimension_roles(self, op: Ragged) -> Roles:
        n = op.numbers
        (lhs, rhs), (result,) = n.dot.roles(op.lhs.rank, op.rhs.rank)
        lhs = _with_role(lhs, op._ragged, "lhs_ragged_dimensions")
        if op._mode is Mode.FREE:
            rhs, result = _with_role(rhs, n.rhs_group_dimensions[0], "rhs_group_dimensions"), result[:-1]
        elif op._mode is Mode.CONTRACTING:
            result = ("group", *result)
        prefix = [lhs[k] for k in op._prefix] if op.group_sizes.rank > 1 else []
        return (lhs, rhs, (*prefix, "group")), (result,)


class RaggedRuntimeVariables(RuntimeVariables["Ragged"]):
    def map_operands(self, op: Ragged, operands: tuple[Array, ...]) -> tuple[Array, ...]:
        """The operands, and the group of each index along the ragged dimension, for each index of the dimensions
        before it.
        """
        if op._mode is Mode.BATCHING:
            return operands
        prefix, size = [op.lhs.sizes[k] for k in op._prefix], op.lhs.sizes[op._ragged]
        ends = op._ends(operands[2])
        ends = ends.reshape(*prefix, 1, ends.shape[-1])
        return (*operands, np.count_nonzero(ends <= np.arange(size)[:, np.newaxis], axis=-1))


class Ragged(Products):
    """Common base of CHLO's op and HLO's, which differ in how they write their numbers."""

    hlo = HloSpelling("ragged-dot", "RaggedDot")
    drawing = RaggedDrawing()
    runtime_variables = RaggedRuntimeVariables(names=("which group each index is in",))

    lhs: TensorType
    rhs: TensorType
    group_sizes: TensorType
    precision_config: tuple[Precision, ...] | None
    result: TensorType | None

    @property
    def numbers(self) -> RaggedDotDimensionNumbers:
        """The op's dimension numbers."""
        raise NotImplementedError

    def constraints(self) -> Iterator[Constraint]:
        for name, found in (("lhs", self.lhs), ("rhs", self.rhs)):
            yield holds("", name, found, TENSOR)
        yield holds("", "group_sizes", self.group_sizes, INTEGER)
        yield from relabel(self._dot.constraints(), {})
        ragged, rank = self.numbers.lhs_ragged_dimensions, self.lhs.rank
        yield "", len(ragged) == 1, f"lhs needs one ragged dimension, not {format_list(ragged)}"
        yield "", 0 <= ragged[0] < rank, f"ragged dimension {ragged[0]} is outside lhs's rank {rank}"
        yield from self._group_constraints(self.numbers.rhs_group_dimensions)
        yield from self._size_constraints()

    def _group_constraints(self, groups: Dimensions) -> Iterator[Constraint]:
        if self._mode is not Mode.FREE:
            kind = "contracted" if self._mode is Mode.CONTRACTING else "a batching dimension"
            sentence = (
                f"rhs has no group dimension where the ragged dimension is {kind}, not {format_list(groups)}"
            )
            yield "", not groups, sentence
            return
        yield "", len(groups) == 1, f"rhs needs one group dimension, not {format_list(groups)}"
        rank = self.rhs.rank
        yield "", 0 <= groups[0] < rank, f"group dimension {groups[0]} is outside rhs's rank {rank}"
        sentence = f"group dimension {groups[0]} of rhs is batched or contracted: it must be neither"
        yield "", groups[0] in self._dot.rhs_free, sentence

    def _size_constraints(self) -> Iterator[Constraint]:
        shape = self.group_sizes.shape
        yield "", len(shape) > 0, "group_sizes must have rank 1 at least, not 0"
        wanted = sizes_at(self.lhs, self._prefix)
        sentence = f"group_sizes has shape {format_list(shape)}: all sizes but the last must be {format_list(wanted)}, or none"
        yield "", len(shape) == 1 or shapes_agree(shape[:-1], wanted), sentence
        if self._mode is Mode.FREE:
            (group,) = self.numbers.rhs_group_dimensions
            sizes = shape[-1], self.rhs.shape[group]
            sentence = f"group_sizes has {sizes[0]} groups, rhs {sizes[1]}"
            yield "", agree(*sizes), sentence

    @cached_property
    def _dot(self) -> DotGeneral:
        """The dot_general without groups."""
        numbers = self.numbers.dot
        return DotGeneral(self.lhs, self.rhs, numbers, self.precision_config, None, self.result)

    @property
    def _ragged(self) -> int:
        return self.numbers.lhs_ragged_dimensions[0]

    @cached_property
    def _mode(self) -> Mode:
        n = self.numbers
        if self._ragged in n.lhs_contracting_dimensions:
            return Mode.CONTRACTING
        return Mode.BATCHING if self._ragged in n.lhs_batching_dimensions else Mode.FREE

    @cached_property
    def _prefix(self) -> Dimensions:
        """Dimensions of lhs for each index of which there may be other group sizes."""
        n = self.numbers
        batching = n.lhs_batching_dimensions
        alike = {
            Mode.FREE: self._dot.lhs_free,
            Mode.CONTRACTING: n.lhs_contracting_dimensions,
            Mode.BATCHING: batching,
        }[self._mode]
        before = alike[: alike.index(self._ragged)]
        return before if self._mode is Mode.BATCHING else (*batching, *before)

    def infer(self) -> TensorType:
        found = self._dot.infer()
        if self._mode is Mode.CONTRACTING:
            return found.with_shape((self.group_sizes.shape[-1], *found.shape))
        if self._mode is Mode.BATCHING:
            return found
        (group,) = self.numbers.rhs_group_dimensions
        free = self._dot.rhs_free
        return found.with_shape(drop_dimensions(found.shape, found.rank - len(free) + free.index(group)))

    def evaluate(self, *operands: Array) -> Array:
        lhs, rhs, group_sizes = operands
        if self._mode is Mode.BATCHING:
            return self._dot.evaluate(lhs, rhs)
        least = int(group_sizes.min()) if group_sizes.size else 0
        if least < 0:
            raise RunError(f"group_sizes holds {least}: a group has 0 elements at least")
        return self._multiply(lhs, rhs, self._ends(group_sizes), self.infer().element_type)

    def products_of_each(self) -> int:
        return self._dot.products_of_each()

    def multiply_exactly(self, lhs: Array, rhs: Array, others: Arrays) -> Array:
        if self._mode is Mode.BATCHING:
            return self._dot.multiply_exactly(lhs, rhs, ())
        return self._multiply(lhs, rhs, self._ends(others[0]), F64)

    def _multiply(self, lhs: Array, rhs: Array, ends: Array, element_type: ElementType) -> Array:
        """The result, made of elements of this type."""
        find = self._by_rows if self._mode is Mode.FREE else self._by_sums
        return find(lhs, rhs, ends, element_type).reshape(self.infer().sizes)

    def _ends(self, group_sizes: Array) -> Array:
        """The ends of groups along the ragged dimension: [batching…, dimensions before the ragged one…, group]."""
        size = self.lhs.sizes[self._ragged]
        ends = np.minimum(np.cumsum(np.minimum(widen(group_sizes), size).astype(np.int64), axis=-1), size)
        batching = len(self.numbers.lhs_batching_dimensions)
        prefix = [self.lhs.sizes[k] for k in self._prefix]
        shape = prod(prefix[:batching]), prod(prefix[batching:]), ends.shape[-1]
        return np.broadcast_to(ends, (*prefix, ends.shape[-1])).reshape(shape)

    def _by_rows(self, lhs: Array, rhs: Array, ends: Array, element_type: ElementType) -> Array:
        """[batching, before, rows, behind, columns]: each group of rows times its part of rhs."""
        n, free = self.numbers, self._dot.lhs_free
        at = free.index(self._ragged)
        outer = (n.lhs_batching_dimensions, free[:at], free[at : at + 1], free[at + 1 :])
        left = _merge_dimensions(lhs, *outer, n.lhs_contracting_dimensions)
        inner = (n.rhs_contracting_dimensions, self._columns)
        right = _merge_dimensions(rhs, n.rhs_group_dimensions, n.rhs_batching_dimensions, *inner)
        result = np.zeros((*left.shape[:4], right.shape[-1]), element_type.dtype)
        for (batch, before), bounds in _group_ends(ends):
            for group, (start, end) in enumerate(pairwise((0, *bounds))):
                rows = left[batch, before, start:end]
                if rows.size:
                    matrices = rows.reshape(len(rows), -1, rows.shape[-1])
                    product = matrix_product(matrices, right[group, batch], element_type)
                    result[batch, before, start:end] = product.reshape(*rows.shape[:4], right.shape[-1])
        return result

    @cached_property
    def _columns(self) -> Dimensions:
        """The free dimensions of rhs that the result has."""
        groups = self.numbers.rhs_group_dimensions
        return tuple(k for k in self._dot.rhs_free if k not in groups)

    def _by_sums(self, lhs: Array, rhs: Array, ends: Array, element_type: ElementType) -> Array:
        """[groups, batching, rows, columns]: a sum over the elements of each group."""
        n, dot = self.numbers, self._dot
        at = n.lhs_contracting_dimensions.index(self._ragged)
        parts = [
            (dimensions[:at], dimensions[at : at + 1], dimensions[at + 1 :])
            for dimensions in (n.lhs_contracting_dimensions, n.rhs_contracting_dimensions)
        ]
        left = _merge_dimensions(lhs, n.lhs_batching_dimensions, dot.lhs_free, *parts[0])
        right = _merge_dimensions(rhs, n.rhs_batching_dimensions, *parts[1], dot.rhs_free)
        result = np.zeros((ends.shape[-1], *left.shape[:2], right.shape[-1]), element_type.dtype)
        for group, (some, others) in enumerate(_groups(left, right, ends)):
            depth = prod(some.shape[2:])
            rows = some.reshape(*left.shape[:2], depth)
            columns = others.reshape(len(right), depth, right.shape[-1])
            result[group] = matrix_product(rows, columns, element_type)
        return result

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return self._indexing.inverse_index_maps() if inverse else self._indexing.index_maps()

    @cached_property
    def _indexing(self) -> RaggedIndexing:
        """The index maps of the equivalent einsum: dimensions with one label have one index."""
        n, dot = self.numbers, self._dot
        of_lhs = _label_dimensions(
            b=n.lhs_batching_dimensions, k=n.lhs_contracting_dimensions, m=dot.lhs_free
        )
        of_rhs = _label_dimensions(
            b=n.rhs_batching_dimensions, k=n.rhs_contracting_dimensions, n=self._columns
        )
        of_rhs |= dict.fromkeys(n.rhs_group_dimensions, GROUP)
        operands = [[found[k] for k in sorted(found)] for found in (of_lhs, of_rhs)]
        before = [of_lhs[k] for k in self._prefix]
        at = [] if self._mode is Mode.BATCHING else [*before, of_lhs[self._ragged]]
        if at:
            operands.append([*(before if self.group_sizes.rank > 1 else []), SIZE])
        shapes = [self.lhs.sizes, self.rhs.sizes, self.group_sizes.sizes][: len(operands)]
        pairs = (pair for each in zip(operands, shapes, strict=True) for pair in zip(*each, strict=True))
        sizes: dict[str, int] = {GROUP: self.group_sizes.sizes[-1], SIZE: 0} | dict(pairs)
        result = [of_lhs[k] for k in (*n.lhs_batching_dimensions, *dot.lhs_free)]
        result += [of_rhs[k] for k in self._columns]
        if self._mode is Mode.CONTRACTING:
            result = [GROUP, *result]
        return RaggedIndexing(operands, result, sizes, at)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """A multiplication and an addition for each contracted element; wide copies of the operands."""
        depth, result = self.products_of_each(), self.infer()
        copies = 8 * (self.lhs.element_count + self.rhs.element_count + result.element_count)
        return Cost(2 * result.element_count * depth, result.byte_count, copies)


def _merge_dimensions(operand: Array, *groups: Sequence[int]) -> Array:
    """The operand with the dimensions of each group merged into one, in this order."""
    order = [k for group in groups for k in group]
    return operand.transpose(order).reshape([prod(operand.shape[k] for k in group) for group in groups])


def _group_ends(ends: Array) -> Iterator[tuple[tuple[slice, slice], list[int]]]:
    """The ends of groups and the indices that they hold for; one entry for all indices if they agree."""
    if _is_one(ends):
        yield (slice(None), slice(None)), ends[0, 0].tolist()
        return
    for batch, before in np.ndindex(*ends.shape[:2]):
        yield (slice(batch, batch + 1), slice(before, before + 1)), ends[batch, before].tolist()


def _groups(left: Array, right: Array, ends: Array) -> Iterator[tuple[Array, Array]]:
    """For each group its part of `left`, [batching, rows, before, elements, behind], and of `right`; 0 outside."""
    starts = np.concatenate([np.zeros_like(ends[..., :1]), ends[..., :-1]], axis=-1)
    if _is_one(ends):
        for start, end in zip(starts[0, 0].tolist(), ends[0, 0].tolist(), strict=True):
            yield left[:, :, :, start:end], right[:, :, start:end]
        return
    place = np.arange(right.shape[2])
    nothing = np.zeros((), left.dtype), np.zeros((), right.dtype)
    for group in range(ends.shape[-1]):
        inside = (starts[..., group, None] <= place) & (place < ends[..., group, None])
        some = np.where(inside[:, None, :, :, None], left, nothing[0])
        yield some, np.where(inside[..., None, None], right, nothing[1])


def _with_role(names: DimensionNames, dimension: int, name: str) -> DimensionNames:
    """A free dimension is no longer called so."""
    own = names[dimension]
    found = name if own.endswith("free") else f"{own}, {name}"
    return (*names[:dimension], found, *names[dimension + 1 :])


def _is_one(ends: Array) -> bool:
    """Whether groups end at the same places for all indices."""
    return ends.size > 0 and bool((ends == ends[0, 0]).all())


def _label_dimensions(**kinds: Dimensions) -> dict[int, str]:
    """A label for each dimension: its kind, and its place among its kind."""
    return {k: f"{kind}{number}" for kind, dimensions in kinds.items() for number, k in enumerate(dimensions)}


@dataclass(frozen=True)
class RaggedDot(Ragged):
    """A dot_general of groups: `group_sizes` says how many neighbours along the ragged dimension each has.

    Where the ragged dimension of `lhs` is free, group g of its rows is multiplied by part g of `rhs`, and rows of
    no group give 0: [b,m,k], [g,b,k,n], [b,g] to [b,m,n]. Where it is contracted, each group has a sum of its own:
    [b,m,k], [b,k,n], [b,g] to [g,b,m,n]. Where it is a batching dimension the groups change nothing, as in JAX.
    `group_sizes` may be [g] alone, or have the sizes of the batching dimensions and of those before the ragged one
    as well. Numbers are multiplied, summed and rounded as by dot_general. CHLO: ragged_dot.
    """

    name = "chlo.ragged_dot"
    section = Section(
        rules=(
            (
                "`lhs` and `rhs` have as many batching and as many contracting dimensions, each named once "
                "and within the rank; those in the same place have the same size."
            ),
            "`lhs` has one ragged dimension, within its rank.",
            (
                "If the ragged dimension is neither batching nor contracting, `rhs` has one group dimension, "
                "which is neither either; otherwise it has none."
            ),
            (
                "`group_sizes` holds integers, as many along its last dimension as `rhs` has groups. Its "
                "other dimensions are those of `lhs` before the ragged one, or there are none."
            ),
        ),
    )

    lhs: TensorType
    rhs: TensorType
    group_sizes: TensorType
    ragged_dot_dimension_numbers: RaggedDotDimensionNumbers
    precision_config: tuple[Precision, ...] | None = None
    result: TensorType | None = None

    @property
    def numbers(self) -> RaggedDotDimensionNumbers:
        return self.ragged_dot_dimension_numbers
