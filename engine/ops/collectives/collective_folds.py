"""Common code of collective reductions: a group combines the values of its processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, TypeVar

import numpy as np

from ...ir.element_types import ElementType, QuantizedType
from ...ir.module import Region
from ...ir.types import TensorType, Type
from ..core.bodies import (
    UFUNCS,
    Combiner,
    any_outweighs,
    body_symbol,
    combiner_name,
    combiners,
    exact_folds,
    may_fold_wrap,
    operation_count,
    to_destination_type,
    with_element_types,
)
from ..core.causes import brought_cause
from ..core.exchanges import Array, Arrays, Box, PeerValues, Piece
from ..core.facets import ElementFormula, Explanation, Rounding, Tracing, Traffic
from ..core.facets.findings import ExactInteger, Findings
from ..core.field_plans import field_plans
from ..core.numeric import maximum, minimum, round_to, widen
from ..core.op import Ask, Constraint, Cost, RunRegion
from ..core.process_groups import Strategy, replicas_or_all
from ..core.quiet import quiet
from ..core.ranks import NAN, OperandRanks, SeenRanks, Shape, is_inexact, worst_rank, worst_ranks
from ..core.regions import region_type
from ..core.rounding import NO_ERROR, UNKNOWN, Error, Errors, greatest, is_exact, magnitude, sum_error
from ..core.rules import format_list, is_promotable
from .collective_rules import ChannelHandle, GroupedCollective, channel_id, cut, part_box, share, whole_box

_FUNCTIONS: Mapping[Combiner, Callable[[Array, Array], Any]] = {
    **UFUNCS,
    Combiner.MAXIMUM: maximum,
    Combiner.MINIMUM: minimum,
    Combiner.REPLACE: lambda _, last: last,
}


def computation_constraints(
    label: str, computation: Region, operands: Sequence[TensorType]
) -> Iterator[Constraint]:
    """`(tensor<E>, tensor<E>) -> tensor<E>`, where the elements of all operands are promotable to E."""
    found = region_type(computation)
    sentence = f"computation must take 2 arguments, not {len(found.inputs)}"
    yield label, len(found.inputs) == 2, sentence
    first, second = found.inputs
    scalar = isinstance(first, TensorType) and first.rank == 0
    yield label, scalar, f"computation must take tensors of rank 0, not {format_list(found.inputs)}"
    sentence = f"computation must take the same type twice, not {format_list(found.inputs)}"
    yield label, first == second, sentence
    yield (
        label,
        found.results == (first,),
        f"computation must return {first}, not {format_list(found.results)}",
    )
    target = computed_type(computation)
    for number, operand in enumerate(operands):
        source = operand.element_type
        sentence = f"operand {number} has elements of {source}, which are not promotable to {target}"
        yield label, is_promotable(source, target), sentence


def computed_type(computation: Region) -> ElementType:
    """E: the element type that the computation works in."""
    first = region_type(computation).inputs[0]
    assert isinstance(first, TensorType)
    return first.element_type


def fold(combiner: Combiner, values: Sequence[Array], element_type: ElementType) -> Array:
    """The values combined from the left, element by element, in a wide type and rounded once."""
    if len(values) == 1:
        return values[0]
    with quiet():
        total = widen(values[0])
        for value in values[1:]:
            total = np.asarray(_FUNCTIONS[combiner](total, widen(value)))
        return round_to(total, element_type)


def _fold_exactly(operands: Arrays, count: int, number: int, combiner: Combiner) -> Array:
    """Result `number` of `count` in f64, from the operands of all members, one member after the other."""
    return np.asarray(
        UFUNCS[combiner].reduce([value.astype(np.float64) for value in operands[number::count]])
    )


def combined_ranks(operands: Arrays, ranks: OperandRanks, results: Arrays) -> SeenRanks:
    """The greatest rank of each result's elements; `operands` has those of one member after the other."""
    if not operands:
        return (NAN,) * len(results)
    count = len(results)
    columns = (range(number, len(operands), count) for number in range(count))
    return tuple(
        worst_ranks([ranks[k] for k in column])
        if all(operands[k].shape == result.shape for k in column)
        else worst_rank([ranks[k] for k in column])
        for column, result in zip(columns, results, strict=True)
    )


@dataclass(frozen=True)
class _Folding:
    """The state of a fold by an unrecognised computation."""

    contributions: tuple[Arrays, ...]
    """For each operand, what each member brings."""
    done: Arrays = ()
    """The results of the first operands."""
    next: int = 1
    """The member whose turn it is."""


CombiningType = TypeVar("CombiningType", bound="Combining")


class CombiningFindings(Findings[CombiningType]):
    """The facet for rules of findings on ops that combine the values of a group's processes."""

    def outweighs(self, op: CombiningType) -> bool:
        return any_outweighs(op._folds[0])

    def may_wrap(self, op: CombiningType) -> bool:
        return may_fold_wrap(*op._folds)

    def exact_integers(self, op: CombiningType, operands: Arrays, results: Arrays) -> Iterator[ExactInteger]:
        if not operands or operands[0].shape != results[0].shape:
            return iter(())
        return exact_folds(
            *op._folds, partial(_fold_exactly, operands, len(results)), "what the processes bring"
        )

    def ranks_read(
        self, op: CombiningType, operands: Arrays, ranks: OperandRanks, results: Arrays
    ) -> SeenRanks:
        return combined_ranks(operands, ranks, results)


class CombiningExplanation(Explanation[CombiningType]):
    """The facet for provenance of ops that combine the values of a group's processes."""

    def combiner(self, op: CombiningType, result: int) -> str:
        return combiner_name(op._folds[0], result)


class Combining(GroupedCollective):
    """Each element of a result combines what all processes of a group bring for it."""

    explanation: ClassVar[Explanation[Any]] = CombiningExplanation(combines_processes=True)
    findings: ClassVar[Findings[Any]] = CombiningFindings(raises_flags=False)

    @property
    def _folds(self) -> tuple[Sequence[Combiner], Sequence[ElementType]]:
        """The combiner and the element type of each result; empty if no routine combines the elements."""
        raise NotImplementedError


class ReductionRounding(Rounding["Reduction"]):
    def error_bound(self, op: Reduction, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        """`operands` are those of all members of the group, one after the other."""
        count = len(results)
        return tuple(
            op._column_bound(operands[number::count], errors[number::count], result)
            for number, result in enumerate(results)
        )


class ReductionTracing(Tracing["Reduction"]):
    def over_body_types(self, op: Reduction) -> Reduction:
        """The op with operands of the element types that the computation takes."""
        types = [computed_type(op.computation)]
        changed: dict[str, TensorType | tuple[TensorType, ...]] = {}
        for plan in field_plans(type(op)):
            stated = getattr(op, plan.name)
            if plan.source == "operand" and isinstance(stated, TensorType):
                (changed[plan.name],) = with_element_types([stated], types)
            elif plan.source == "operands":
                changed[plan.name] = with_element_types(stated, types)
        return replace(op, **changed)  # type: ignore[type-var]


class ReductionExplanation(CombiningExplanation["Reduction"]):
    def formula(self, op: Reduction, reads: int) -> ElementFormula:
        return ElementFormula(op.name.rpartition(".")[2], symbol=body_symbol(op.computation))


class ReductionFindings(CombiningFindings["Reduction"]):
    def birth_cause(self, op: Reduction, operands: Arrays, result: Array, number: int, index: Shape) -> str:
        brought = operands[number :: len(op.operand_types)]
        alike = all(value.shape == result.shape for value in brought)
        return brought_cause(brought, result, index) if alike and op._combiner is Combiner.ADD else ""


class Reduction(Combining):
    """Common base of the ops with a computation."""

    rounding: ClassVar[Rounding[Any]] = ReductionRounding()
    tracing: ClassVar[Tracing[Any]] = ReductionTracing()
    explanation: ClassVar[Explanation[Any]] = ReductionExplanation(combines_processes=True)
    findings: ClassVar[Findings[Any]] = ReductionFindings(raises_flags=False)
    traffic: ClassVar[Traffic] = Traffic(operand_passes=2)

    computation: Region
    channel_handle: ChannelHandle | None
    use_global_device_ids: bool
    replicas_first: bool

    @property
    def strategy(self) -> Strategy:
        channel = channel_id(self.channel_handle)
        return replicas_or_all(channel, self.use_global_device_ids, self.replicas_first)

    @cached_property
    def _combiner(self) -> Combiner | None:
        # Computations over quantized values round after each op, so these are run as they are.
        quantized = isinstance(computed_type(self.computation), QuantizedType)
        found = None if quantized else combiners(self.computation)
        return found[0] if found else None

    @property
    def deferrable(self) -> bool:
        """Whether no region has to be run."""
        return self._combiner is not None

    @property
    def _folds(self) -> tuple[Sequence[Combiner], Sequence[ElementType]]:
        known = () if self._combiner is None else (self._combiner,)
        return known * len(self.operand_types), [computed_type(self.computation)] * len(self.operand_types)

    def _column_bound(self, values: Arrays, errors: Errors, result: Array) -> Error:
        if self._combiner not in (Combiner.ADD, Combiner.MAXIMUM, Combiner.MINIMUM):
            return NO_ERROR if is_exact(errors) and not is_inexact(result.dtype) else UNKNOWN
        if any(value.shape != result.shape for value in values):
            errors = tuple(greatest((error,)) for error in errors)
        if self._combiner is not Combiner.ADD:
            return np.asarray(np.max(np.broadcast_arrays(*errors), axis=0))
        sizes = [magnitude(value) for value in values]
        spread = (
            sum(sizes) if sizes[0].shape == result.shape else sum(size.max(initial=0.0) for size in sizes)
        )
        count = len(values)
        own = sum_error(result, np.asarray(spread), count, count) if is_inexact(result.dtype) else NO_ERROR
        return np.asarray(sum(errors, start=own))

    def convert_operands(self, peer_values: PeerValues) -> tuple[Arrays, ...]:
        """For each operand the values of all members, converted to E."""
        target = computed_type(self.computation)
        columns = zip(*peer_values.brought, strict=True)
        sources = (found.element_type for found in self.operand_types if isinstance(found, TensorType))
        return tuple(
            tuple(to_destination_type(value, source, target) for value in column)
            for column, source in zip(columns, sources, strict=True)
        )

    def contributions(self, peer_values: PeerValues) -> tuple[Arrays, ...] | None:
        """For each operand, what each member contributes to this process's result; `None` if it gets no result."""
        return self.convert_operands(peer_values)

    def combine(self, peer_values: PeerValues) -> Arrays:
        """The values of all members combined by a recognised computation, once for the whole group."""
        return peer_values.once(
            "combined",
            lambda: share([self._fold_column(column) for column in self.convert_operands(peer_values)]),
        )

    def _fold_column(self, values: Arrays) -> Array:
        assert self._combiner is not None
        return fold(self._combiner, values, computed_type(self.computation))

    def outputs(self, peer_values: PeerValues) -> Arrays:
        return self.combine(peer_values)

    def resume(self, state: Any, answer: Any) -> Ask | Arrays:
        if isinstance(state, _Folding):
            return self._fold(replace(state, next=state.next + 1), answer[0])
        if answer is None or self.deferrable:
            return super().resume(state, answer)
        contributions = self.contributions(answer)
        return (
            self.results_outside_groups()
            if contributions is None
            else self._fold_each(_Folding(contributions))
        )

    def _fold_each(self, state: _Folding) -> Ask | Arrays:
        """Goes on with the first operand that is not done."""
        if len(state.done) == len(state.contributions):
            return state.done
        return self._fold(state, state.contributions[len(state.done)][0])

    def _fold(self, state: _Folding, total: Array) -> Ask | Arrays:
        """Run the computation on `total`, the result of the first members, and the next member's values."""
        values = state.contributions[len(state.done)]
        lanes = values[0].shape
        total = np.broadcast_to(total, lanes)
        if state.next == len(values):
            return self._fold_each(replace(state, done=(*state.done, total), next=1))
        iteration = len(state.done) * (len(values) - 1) + state.next - 1
        return Ask(state, RunRegion(0, (total, values[state.next]), iteration, lanes))

    def pieces(self, peer_values: PeerValues) -> Iterator[Piece]:
        return combined_pieces(peer_values)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """One run of the computation for each element of each member, as far as their number is known."""
        found = super(GroupedCollective, self).cost(operand_types, result_types)
        return replace(found, flops=found.flops * operation_count(self.computation) * (self.members or 1))


def combined_pieces(peer_values: PeerValues) -> Iterator[Piece]:
    """The pieces of an all-reduce: all of each operand of each member, combined into all of a result."""
    for source, operands in enumerate(peer_values.brought):
        for number, value in enumerate(operands):
            yield Piece(source, number, whole_box(value), number, whole_box(value), combined=True)


class Scatter(Reduction):
    """Common base of reduce_scatter and its form with several operands."""

    traffic = Traffic(operand_passes=1)

    scatter_dimension: int

    def contributions(self, peer_values: PeerValues) -> tuple[Arrays, ...]:
        return tuple(
            tuple(cut(value, self._part(value, peer_values)) for value in column)
            for column in self.convert_operands(peer_values)
        )

    def outputs(self, peer_values: PeerValues) -> Arrays:
        return tuple(cut(value, self._part(value, peer_values)).copy() for value in self.combine(peer_values))

    def _part(self, value: Array, peer_values: PeerValues) -> Box:
        """The part of an operand that this process receives."""
        size = value.shape[self.scatter_dimension] // len(peer_values.brought)
        return part_box(value.shape, self.scatter_dimension, peer_values.position, size)

    def pieces(self, peer_values: PeerValues) -> Iterator[Piece]:
        for piece in combined_pieces(peer_values):
            read = self._part(peer_values.brought[piece.source][piece.operand], peer_values)
            yield replace(piece, read=read, written=Box((0,) * len(read.sizes), read.sizes))
