"""Ops whose operands replace attributes, or the result type, of their static forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any, ClassVar, Self, TypeVar

from ...indexing import UNDEFINED, IndexMap, OperandMap, Range
from ...ir.types import Dimension, TensorType, Type
from .facets import Drawing, ElementFormula, Explanation, OpenSizes, Roles, no_names
from .facets.findings import Findings
from .field_plans import field_plans
from .kinds import INTEGER, kind_of
from .op import Array, Constraint, Cost, Op, shapes_agree
from .rules import format_list

MOST_ELEMENTS = 1 << 48
"""Maximum elements of an array, even of one that repeats a few: NumPy cannot address more."""
_MOST_NUMBERS = 4096
"""Maximum numbers read from a dynamic operand; a tensor with so many dimensions is always refused."""
Numbers = tuple[int, ...]


class DynamicOpOpenSizes(OpenSizes["DynamicOp"]):
    def stated(self, op: DynamicType) -> Iterator[tuple[int, tuple[int | None, ...] | None]]:
        return zip(op.dynamic_operands, op.likely(), strict=True)


DynamicType = TypeVar("DynamicType", bound="DynamicOp")


class DynamicFindings(Findings[DynamicType]):
    def deciding_operands(self, op: DynamicType) -> Iterable[int]:
        return op.dynamic_operands


@dataclass(frozen=True)
class DynamicOp(Op):
    """An op with dynamic operands: operands in the role of attributes.

    The verifier reads the numbers of constant operands, the interpreter reads them before each execution. Without the
    numbers, constraints are checked as far as types allow; with them, all are checked.
    """

    open_sizes: ClassVar[OpenSizes[Any]] = DynamicOpOpenSizes()
    findings: ClassVar[Findings[Any]] = DynamicFindings()
    dynamic_fields: ClassVar[tuple[str, ...]] = ()
    """The fields that are dynamic operands."""

    numbers: tuple[Numbers, ...] | None = field(default=None, kw_only=True, metadata={"settled": True})
    """The numbers in the dynamic operands, in row-major order; `None` while they are not known."""

    @cached_property
    def dynamic_operands(self) -> tuple[int, ...]:
        """The numbers of the dynamic operands."""
        return tuple(number for number, name in enumerate(self.operand_names) if name in self.dynamic_fields)

    @cached_property
    def operand_names(self) -> list[str]:
        """The names of the fields that hold the operands."""
        names: list[str] = []
        for plan in field_plans(type(self)):
            if plan.source in ("operand", "operands"):
                names += [plan.name] * (1 if plan.source == "operand" else len(getattr(self, plan.name)))
        return names

    def numbers_in(self, operands: Mapping[int, Array] | Sequence[Array]) -> tuple[Numbers, ...]:
        """The numbers in the dynamic operands among `operands`; the other operands may be missing."""
        chosen = (operands[number].reshape(-1)[:_MOST_NUMBERS] for number in self.dynamic_operands)
        return tuple(tuple(map(int, array.tolist())) for array in chosen)

    def likely(self) -> tuple[tuple[int | None, ...] | None, ...]:
        """For each dynamic operand numbers that a run accepts; `None` for a size, or an operand, that may be any."""
        return (None,) * len(self.dynamic_operands)

    def with_numbers(self, operands: Mapping[int, Array] | Sequence[Array]) -> Self:
        """The op with the numbers in `operands`."""
        return replace(self, numbers=self.numbers_in(operands))


class DynamicFormExplanation(Explanation["DynamicForm"]):
    def formula(self, op: DynamicForm, reads: int) -> ElementFormula:
        return (
            super().formula(op, reads) if op.numbers is None else op.twin.explanation.formula(op.twin, reads)
        )


DynamicFormType = TypeVar("DynamicFormType", bound="DynamicForm")


class DynamicFormDrawing(Drawing[DynamicFormType]):
    def dimension_roles(self, op: DynamicFormType) -> Roles:
        """The roles of the static form; the dimensions of dynamic operands have none."""
        known = op.with_known_numbers
        if known is None:
            return super().dimension_roles(op)
        others, results = known.twin.drawing.dimension_roles(known.twin)
        operands = list(no_names(*op.operand_types))
        for number, found in zip(op._other_operands, others, strict=True):
            operands[number] = found
        return tuple(operands), results


@dataclass(frozen=True)
class DynamicForm(DynamicOp):
    """The dynamic form of a static op; with known numbers it has that op's semantics, cost, maps and constraints."""

    explanation: ClassVar[Explanation[Any]] = DynamicFormExplanation()
    drawing: ClassVar[Drawing[Any]] = DynamicFormDrawing()

    result: TensorType = field(kw_only=True)

    def static_form(self, *numbers: Numbers) -> Op:
        """The static op on the other operands, for numbers that satisfy the op's own constraints."""
        raise NotImplementedError(f"{self.name} has no static form")

    def known_numbers(self) -> tuple[Numbers, ...] | None:
        """The numbers of every run, if the types determine all of them; otherwise `None`."""
        return None

    def likely(self) -> tuple[tuple[int | None, ...] | None, ...]:
        return self.known_numbers() or super().likely()

    @cached_property
    def twin(self) -> Op:
        """The static form with the op's numbers, which are known."""
        assert self.numbers is not None
        return self.static_form(*self.numbers)

    @cached_property
    def _other_operands(self) -> tuple[int, ...]:
        return tuple(
            number for number, name in enumerate(self.operand_names) if name not in self.dynamic_fields
        )

    def infer(self) -> TensorType:
        if self.numbers is None:
            return self.result
        found = self.twin.infer()
        assert isinstance(found, TensorType)
        return found

    def evaluate(self, *operands: Array) -> Array | tuple[Array, ...]:
        op = self if self.numbers is not None else self.with_numbers(operands)
        return op.twin.evaluate(*(operands[number] for number in self._other_operands))

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        if self.numbers is None:
            return Cost(0, 0)
        return self.twin.cost(self.twin.operand_types, (self.infer(),))

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """The maps of the static form; each element also reads all dynamic operands, which decide that it exists."""
        op = self.with_known_numbers
        if op is None:
            yield from self._symbolic_maps(inverse)
            return
        places = dict(enumerate(self._other_operands))
        for found in op.twin.inverse_index_maps() if inverse else op.twin.index_maps():
            yield OperandMap(places[found.operand], found.map.with_operands(places), found.result)
        yield from self._number_maps(op.infer().sizes, inverse)

    def _symbolic_maps(self, inverse: bool) -> Iterator[OperandMap]:
        """Maps with runtime variables in place of unknown numbers, where a formula exists."""
        yield from (OperandMap(number, UNDEFINED) for number in range(len(self.operand_names)))

    def _number_maps(self, result: tuple[int, ...], inverse: bool) -> Iterator[OperandMap]:
        for number, read in zip(self.dynamic_operands, self._dynamic_shapes, strict=True):
            yield OperandMap(number, _all_of(result, read) if inverse else _all_of(read, result))

    @property
    def with_known_numbers(self) -> DynamicForm | None:
        """The op with its numbers, if the run or the types determine them."""
        numbers = self.known_numbers() if self.numbers is None else self.numbers
        return None if numbers is None else replace(self, numbers=numbers)

    @property
    def _dynamic_shapes(self) -> list[tuple[int, ...]]:
        return [self._tensor(name).sizes for name in self.dynamic_fields]

    def _tensor(self, name: str) -> TensorType:
        found = getattr(self, name)
        assert isinstance(found, TensorType)
        return found


def _all_of(read: Sequence[int], shape: Sequence[int]) -> IndexMap:
    """Each element of `shape` belongs to every element of `read`."""
    return IndexMap.of(map(Range, range(len(read))), shape, ranges=read)


def relabel(constraints: Iterable[Constraint], labels: Mapping[str, str]) -> Iterator[Constraint]:
    """The constraints of a static form with the labels of the dynamic op's section; `""` if it has none."""
    for label, holds, sentence in constraints:
        yield labels.get(label, ""), holds, sentence


def numbers_of(label: str, name: str, value_type: TensorType) -> Iterator[Constraint]:
    """The constraints that a dynamic operand is a list of integers."""
    kinds = (*INTEGER, "index")
    sentence = f"{name} must hold integer elements, not {value_type.element_type}"
    yield label, kind_of(value_type.element_type) in kinds, sentence
    yield label, value_type.rank == 1, f"{name} must have rank 1, not {value_type.rank}"


def length_constraint(label: str, name: str, value_type: TensorType, what: str, rank: int) -> Constraint:
    """The constraint that a dynamic operand has one number for each of `rank` dimensions of `what`."""
    count = value_type.shape[0]
    return label, count is None or count == rank, f"{name} has {count} elements, but {what} has rank {rank}"


def sizes_fit(label: str, name: str, sizes: Sequence[int], stated: TensorType) -> Iterator[Constraint]:
    """The constraints that the sizes in a run are valid and agree with the result's type."""
    yield label, all(size >= 0 for size in sizes), f"{name} {format_list(sizes)} must not be negative"
    yield (
        label,
        has_addresses(sizes),
        f"{name} {format_list(sizes)} make more elements than there are addresses",
    )
    sentence = f"{name} {format_list(sizes)}, but the result is declared as {stated}"
    yield label, shapes_agree(tuple(sizes), stated.shape), sentence


def has_addresses(sizes: Sequence[Dimension]) -> bool:
    """Whether NumPy can address an array of these sizes, even one that repeats elements; a size of 0 counts as 1."""
    return prod(max(1, size) for size in sizes if size is not None) <= MOST_ELEMENTS
