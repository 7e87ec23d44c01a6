"""Ops that take as operands what their static twins are told by attributes, or by the type of the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import ClassVar, Self

from ..indexing import UNDEFINED, IndexMap, OperandMap, Range
from ..ir.types import Dimension, TensorType, Type
from .dimension_roles import Roles, nameless
from .field_plans import field_plans
from .kinds import INTEGER, kind_of
from .op import Array, Constraint, Cost, Op, shapes_agree
from .rules import listed

MOST_ELEMENTS = 1 << 48
"""No array gets more, even one that repeats a few: NumPy has no addresses for them."""
_MOST_NUMBERS = 4096
"""Of a late operand no more are read: a tensor with that many dimensions is refused whatever they are."""
Numbers = tuple[int, ...]


@dataclass(frozen=True)
class Late(Op):
    """An op with operands that say what it is: its late operands.

    The verifier settles it where they are constants, the interpreter before each execution. Its constraints are
    checked before that as far as types tell them, then all of them.
    """

    late: ClassVar[tuple[str, ...]] = ()
    """The fields that are late operands."""

    numbers: tuple[Numbers, ...] | None = field(default=None, kw_only=True, metadata={"settled": True})
    """The numbers in the late operands, in row-major order; `None` before the op is settled."""

    @cached_property
    def late_operands(self) -> tuple[int, ...]:
        """The numbers of the late operands."""
        return tuple(number for number, name in enumerate(self.operand_names) if name in self.late)

    @cached_property
    def operand_names(self) -> list[str]:
        """The field of each operand."""
        names: list[str] = []
        for plan in field_plans(type(self)):
            if plan.source in ("operand", "operands"):
                names += [plan.name] * (1 if plan.source == "operand" else len(getattr(self, plan.name)))
        return names

    def shown(self, operands: Mapping[int, Array] | Sequence[Array]) -> tuple[Numbers, ...]:
        """The numbers in the late ones of `operands`; the others may be missing."""
        chosen = (operands[number].reshape(-1)[:_MOST_NUMBERS] for number in self.late_operands)
        return tuple(tuple(map(int, array.tolist())) for array in chosen)

    def likely(self) -> tuple[tuple[int | None, ...] | None, ...]:
        """For each late operand, numbers with which a run goes on; `None` where any size, or all of them, may do."""
        return (None,) * len(self.late_operands)

    def settled(self, operands: Mapping[int, Array] | Sequence[Array]) -> Self:
        """The op with the numbers that `operands` hold."""
        return replace(self, numbers=self.shown(operands))


@dataclass(frozen=True)
class LateOp(Late):
    """One that is its static twin once it is settled: semantics, cost, index maps and constraints are the twin's."""

    result: TensorType = field(kw_only=True)

    def made(self, *numbers: Numbers) -> Op:
        """The static twin, on the other operands; asks for numbers that break none of the op's own rules."""
        raise NotImplementedError(f"{self.name} has no static twin")

    def foreseen(self) -> tuple[Numbers, ...] | None:
        """The numbers that any run must show for the result to be of its type, if that says them all."""
        return None

    def likely(self) -> tuple[tuple[int | None, ...] | None, ...]:
        return self.foreseen() or super().likely()

    @cached_property
    def twin(self) -> Op:
        """The static twin; asks for a settled op."""
        assert self.numbers is not None
        return self.made(*self.numbers)

    @cached_property
    def _other_operands(self) -> tuple[int, ...]:
        return tuple(number for number, name in enumerate(self.operand_names) if name not in self.late)

    def infer(self) -> TensorType:
        if self.numbers is None:
            return self.result
        found = self.twin.infer()
        assert isinstance(found, TensorType)
        return found

    def evaluate(self, *operands: Array) -> Array | tuple[Array, ...]:
        op = self if self.numbers is not None else self.settled(operands)
        return op.twin.evaluate(*(operands[number] for number in self._other_operands))

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        if self.numbers is None:
            return Cost(0, 0)
        return self.twin.cost(self.twin.operand_types, (self.infer(),))

    def dimension_roles(self) -> Roles:
        """Those of the twin; the late operands' dimensions have none."""
        op = self.mapped
        if op is None:
            return super().dimension_roles()
        others, results = op.twin.dimension_roles()
        operands = list(nameless(*self.operand_types))
        for number, found in zip(self._other_operands, others, strict=True):
            operands[number] = found
        return tuple(operands), results

    def index_maps(self) -> Iterator[OperandMap]:
        """Those of the twin; every element reads all numbers of the late operands: it is there because of them."""
        return self._maps(inverse=False)

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        return self._maps(inverse=True)

    def _maps(self, inverse: bool) -> Iterator[OperandMap]:
        op = self.mapped
        if op is None:
            yield from self._late_maps(inverse)
            return
        places = dict(enumerate(self._other_operands))
        for found in op.twin.inverse_index_maps() if inverse else op.twin.index_maps():
            yield OperandMap(places[found.operand], found.map.with_operands(places), found.result)
        yield from self._number_maps(op.infer().sizes, inverse)

    def _late_maps(self, inverse: bool) -> Iterator[OperandMap]:
        """Of an op whose numbers nobody knows: maps that read them, where there is a formula."""
        yield from (OperandMap(number, UNDEFINED) for number in range(len(self.operand_names)))

    def _number_maps(self, result: tuple[int, ...], inverse: bool) -> Iterator[OperandMap]:
        for number, read in zip(self.late_operands, self._late_shapes, strict=True):
            yield OperandMap(number, _all_of(result, read) if inverse else _all_of(read, result))

    @property
    def mapped(self) -> LateOp | None:
        """The op with numbers, if the run has shown them or the types tell them."""
        numbers = self.foreseen() if self.numbers is None else self.numbers
        return None if numbers is None else replace(self, numbers=numbers)

    @property
    def _late_shapes(self) -> list[tuple[int, ...]]:
        return [self._tensor(name).sizes for name in self.late]

    def _tensor(self, name: str) -> TensorType:
        found = getattr(self, name)
        assert isinstance(found, TensorType)
        return found


def _all_of(read: Sequence[int], shape: Sequence[int]) -> IndexMap:
    """Each element of `shape` belongs to every element of `read`."""
    return IndexMap.of(map(Range, range(len(read))), shape, ranges=read)


def relabelled(constraints: Iterable[Constraint], labels: Mapping[str, str]) -> Iterator[Constraint]:
    """The rules of a twin under the labels that they have in the late op's section; some have none there."""
    for label, holds, sentence in constraints:
        yield labels.get(label, ""), holds, sentence


def numbers_of(label: str, name: str, value_type: TensorType) -> Iterator[Constraint]:
    """That a late operand is a list of integers."""
    kinds = (*INTEGER, "index")
    sentence = f"{name} must hold integer elements, not {value_type.element_type}"
    yield label, kind_of(value_type.element_type) in kinds, sentence
    yield label, value_type.rank == 1, f"{name} must have rank 1, not {value_type.rank}"


def counted(label: str, name: str, value_type: TensorType, what: str, rank: int) -> Constraint:
    """That a late operand has a number for each dimension of something."""
    count = value_type.shape[0]
    return label, count is None or count == rank, f"{name} has {count} elements, but {what} has rank {rank}"


def sizes_fit(label: str, name: str, sizes: Sequence[int], stated: TensorType) -> Iterator[Constraint]:
    """That the sizes that a run has shown are sizes, and those of the result's type."""
    yield label, all(size >= 0 for size in sizes), f"{name} {listed(sizes)} must not be negative"
    yield label, has_addresses(sizes), f"{name} {listed(sizes)} make more elements than there are addresses"
    sentence = f"{name} {listed(sizes)}, but the result is declared as {stated}"
    yield label, shapes_agree(tuple(sizes), stated.shape), sentence


def has_addresses(sizes: Sequence[Dimension]) -> bool:
    """Whether an array of such sizes can be made at all, if only by repeating; sizes of 0 count as 1."""
    return prod(max(1, size) for size in sizes if size is not None) <= MOST_ELEMENTS
