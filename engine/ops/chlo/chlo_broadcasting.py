"""CHLO's ops that broadcast their operands to one shape and then do what another op does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ...indexing import OperandMap, broadcast_in_dim_maps
from ...ir.element_types import I1
from ...ir.types import Dimension, TensorType
from ..checking import first_broken_constraint
from ..core.bases import Selecting
from ..core.facets import Rounding, Section, Traits
from ..core.facets.findings import Findings
from ..core.facets.rounding import full_error
from ..core.integer_folding import ComparisonDirection
from ..core.kinds import ANY, FLOAT, Kinds, holds, same_baseline
from ..core.op import Array, Constraint, Op
from ..core.ranks import Arrays, OperandRanks, SeenRanks
from ..core.rounding import Errors
from ..core.rules import format_list, within
from ..elementwise import arithmetic, bits, complex_parts
from ..elementwise.comparisons import Compare, CompareType, Select
from ..elementwise.elementwise import BITS, list_types
from . import chlo_functions


class BroadcastingRounding(Rounding["Broadcasting"]):
    def error_bound(self, op: Broadcasting, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        pairs = zip(errors, operands, strict=True)
        full = op._broadcast_all(tuple(full_error(value, error) for error, value in pairs))
        return op._op.rounding.error_bound(op._op, op._broadcast_all(operands), full, results)


class BroadcastingFindings(Findings["Broadcasting"]):
    def checked_op(self, op: Broadcasting) -> Op:
        return op._op

    def checked_values(self, op: Broadcasting, operands: Arrays, results: Arrays) -> tuple[Arrays, Arrays]:
        return op._broadcast_all(operands), results

    def may_wrap(self, op: Broadcasting) -> bool:
        return op._op.findings.may_wrap(op._op)

    def ranks_read(
        self, op: Broadcasting, operands: Arrays, ranks: OperandRanks, results: Arrays
    ) -> SeenRanks:
        full = tuple(np.zeros((), np.uint8) if rank is None else rank for rank in ranks)
        broadcast = op._op, op._broadcast_all(operands), op._broadcast_all(full)
        return op._op.findings.ranks_read(*broadcast, results)


@dataclass(frozen=True)
class Broadcasting(Op):
    """Operands in one shape, as NumPy finds it: dimensions are matched from the last one, of size 1 are repeated."""

    findings: ClassVar[Findings[Any]] = BroadcastingFindings()
    short_form = "operands attr-dict : functional-type"
    traits = Traits(is_elementwise=True)
    section = Section(result_is_requantized=True)
    rounding = BroadcastingRounding()
    kinds: ClassVar[Kinds] = ANY

    def constraints(self) -> Iterator[Constraint]:
        yield from self._element_constraints()
        yield from self._dimension_constraints()
        shape = self._shape
        sentence = f"shapes {', '.join(format_list(found.shape) for found in self.inputs)} do not fit"
        for dimension in range(len(shape)):
            sizes = {size for size in self._sizes_at(dimension) if size not in (1, None)}
            yield (
                "",
                len(sizes) < 2,
                f"{sentence}: dimension {dimension} has sizes {format_list(sorted(sizes))}",
            )

    def _element_constraints(self) -> Iterator[Constraint]:
        """The rules for what the operands hold."""
        raise NotImplementedError

    def _dimension_constraints(self) -> Iterator[Constraint]:
        """The rules for where the operands' dimensions go."""
        return iter(())

    @property
    def inputs(self) -> tuple[TensorType, ...]:
        """The operands' types."""
        return tuple(found for found in self.operand_types if isinstance(found, TensorType))

    def _broadcast_op(self, *inputs: TensorType) -> Op:
        """The operation on operands of the types `inputs`, which have one shape."""
        raise NotImplementedError

    @cached_property
    def _op(self) -> Op:
        return self._broadcast_op(*(found.with_shape(self._shape) for found in self.inputs))

    @cached_property
    def _places(self) -> tuple[tuple[int, ...], ...]:
        """For each operand, the dimension of the result that each of its own is."""
        rank = self._rank
        return tuple(tuple(range(rank - found.rank, rank)) for found in self.inputs)

    @property
    def _rank(self) -> int:
        return max(found.rank for found in self.inputs)

    def _sizes_at(self, dimension: int) -> list[Dimension]:
        pairs = zip(self.inputs, self._places, strict=True)
        return [found.shape[places.index(dimension)] for found, places in pairs if dimension in places]

    @property
    def _shape(self) -> tuple[Dimension, ...]:
        return tuple(_broadcast_size(self._sizes_at(dimension)) for dimension in range(self._rank))

    def infer(self) -> TensorType:
        inferred = self._op.infer()
        assert isinstance(inferred, TensorType)
        return inferred

    def evaluate(self, *operands: Array) -> Any:
        return self._op.evaluate(*self._broadcast_all(operands))

    def _broadcast_all(self, operands: tuple[Array, ...]) -> tuple[Array, ...]:
        """The operands, all of one shape."""
        if len({found.shape for found in self.inputs}) == 1:
            return operands
        shape = self.infer().sizes
        pairs = zip(operands, self._places, strict=True)
        return tuple(_broadcast(operand, places, shape) for operand, places in pairs)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        for number, (found, places) in enumerate(zip(self.inputs, self._places, strict=True)):
            for each in broadcast_in_dim_maps(found.sizes, places, self.infer().sizes, inverse=inverse):
                yield replace(each, operand=number)

    def unrunnable(self) -> str | None:
        """MLIR takes any element type here; the op that is meant may not."""
        broken = first_broken_constraint(self._op)
        return f"it stands for {self._op.name}, whose {broken[1]}" if broken else self._op.unrunnable()


def _broadcast_size(sizes: list[Dimension]) -> Dimension:
    """The size that is not 1, if any is known; otherwise any may be."""
    larger = [size for size in sizes if size not in (1, None)]
    if larger:
        return larger[0]
    return None if None in sizes else 1


def _broadcast(operand: Array, places: tuple[int, ...], shape: tuple[int, ...]) -> Array:
    if operand.ndim == 0:
        return operand
    spread = [1] * len(shape)
    for size, place in zip(operand.shape, places, strict=True):
        spread[place] = size
    return np.broadcast_to(operand.reshape(spread), shape)


@dataclass(frozen=True)
class BroadcastingBinary(Broadcasting):
    """Two operands of one element type. `broadcast_dimensions` says where those of the lower rank go."""

    stands_for: ClassVar[type[Any]]

    lhs: TensorType
    rhs: TensorType
    broadcast_dimensions: tuple[int, ...] | None = None
    result: TensorType | None = None

    def _element_constraints(self) -> Iterator[Constraint]:
        yield holds("", "lhs", self.lhs, self.kinds)
        yield holds("", "rhs", self.rhs, self.kinds)
        same = same_baseline(self.lhs.element_type, self.rhs.element_type)
        yield "", same, f"{list_types(lhs=self.lhs, rhs=self.rhs)}: their element types must be equal"

    def _dimension_constraints(self) -> Iterator[Constraint]:
        dimensions = self.broadcast_dimensions
        if dimensions is None:
            return
        low, high = sorted((self.lhs.rank, self.rhs.rank))
        spelled = f"broadcast_dimensions {format_list(dimensions)}"
        yield "", len(dimensions) == low, f"{spelled} must be {low}, one for each dimension of the lower rank"
        yield "", within(dimensions, high), f"{spelled} go outside rank {high}"
        increasing = list(dimensions) == sorted(set(dimensions))
        yield "", increasing, f"{spelled} must increase"

    @cached_property
    def _places(self) -> tuple[tuple[int, ...], ...]:
        if self.broadcast_dimensions is None:
            return super()._places
        rank = self._rank
        return tuple(
            tuple(range(rank)) if found.rank == rank else self.broadcast_dimensions for found in self.inputs
        )

    def _broadcast_op(self, *inputs: TensorType) -> Op:
        op: Op = self.stands_for(*inputs, result=self._stated)
        return op

    @property
    def _stated(self) -> TensorType | None:
        """The stated result, whose scales count; its shape is checked against what is inferred."""
        return None if self.result is None else self.result.with_shape(self._shape)


def _broadcasting(op: type[Op], kinds: Kinds = ANY) -> type[BroadcastingBinary]:
    """The op that broadcasts its operands and then does what `op` does."""
    word = op.name.partition(".")[2]
    summary = f"`{word}` of operands that are broadcast."
    members = {"__doc__": summary, "name": f"chlo.broadcast_{word}", "stands_for": op, "kinds": kinds}
    return type(f"Broadcast{op.__name__}", (BroadcastingBinary,), members)


class BroadcastComplex(BroadcastingBinary):
    """`complex` of operands that are broadcast."""

    name = "chlo.broadcast_complex"
    kinds = FLOAT

    def _broadcast_op(self, *inputs: TensorType) -> Op:
        return complex_parts.Complex(*inputs)


@dataclass(frozen=True)
class BroadcastCompare(BroadcastingBinary):
    """`compare` of operands that are broadcast."""

    name = "chlo.broadcast_compare"

    comparison_direction: ComparisonDirection = field(kw_only=True)
    compare_type: CompareType | None = None

    def _broadcast_op(self, *inputs: TensorType) -> Op:
        lhs, rhs = inputs
        return Compare(lhs, rhs, self.comparison_direction, self.compare_type)


class BroadcastSelectFindings(BroadcastingFindings):
    def deciding_operands(self, op: Broadcasting) -> Iterable[int]:
        return (0,)


@dataclass(frozen=True)
class BroadcastSelect(Selecting, Broadcasting):
    """`select` of operands that are broadcast."""

    name = "chlo.broadcast_select"
    findings = BroadcastSelectFindings()

    pred: TensorType
    on_true: TensorType
    on_false: TensorType

    def _element_constraints(self) -> Iterator[Constraint]:
        is_pred = self.pred.element_type == I1
        yield "", is_pred, f"pred must hold boolean elements, not {self.pred.element_type}"
        same = same_baseline(self.on_true.element_type, self.on_false.element_type)
        both = list_types(on_true=self.on_true, on_false=self.on_false)
        yield "", same, f"{both}: their element types must be equal"

    def _broadcast_op(self, *inputs: TensorType) -> Op:
        return Select(*inputs)


BROADCASTING: tuple[type[Op], ...] = (
    _broadcasting(arithmetic.Add),
    _broadcasting(arithmetic.Subtract),
    _broadcasting(arithmetic.Multiply),
    _broadcasting(arithmetic.Divide),
    _broadcasting(arithmetic.Remainder),
    _broadcasting(arithmetic.Power),
    _broadcasting(arithmetic.Maximum),
    _broadcasting(arithmetic.Minimum),
    _broadcasting(arithmetic.Atan2),
    _broadcasting(arithmetic.And, BITS),
    _broadcasting(arithmetic.Or, BITS),
    _broadcasting(arithmetic.Xor, BITS),
    _broadcasting(bits.ShiftLeft),
    _broadcasting(bits.ShiftRightArithmetic),
    _broadcasting(bits.ShiftRightLogical),
    _broadcasting(chlo_functions.NextAfter),
    _broadcasting(chlo_functions.Polygamma),
    _broadcasting(chlo_functions.Zeta, FLOAT),
    BroadcastComplex,
    BroadcastCompare,
    BroadcastSelect,
)
