"""copy, add-dependency and domain: values handed on as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ...indexing import IndexMap, OperandMap
from ...ir.types import TensorType, TokenType, Type
from ..op import Array, Cost, Op
from ..tuples import handed_on


@dataclass(frozen=True)
class Identity(Op):
    """Gives `operand`, a value of any type."""

    input_labels: ClassVar = {}

    operand: Type

    def infer(self) -> Type:
        return self.operand

    def evaluate(self, *operands: Array) -> Array:
        return operands[0]

    def index_maps(self) -> Iterator[OperandMap]:
        return handed_on((self.operand,))

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        return handed_on((self.operand,))

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """Nothing is copied."""
        return Cost(0, 0)


def identity_maps(found: Type, operand: int = 0, result: int = 0) -> Iterator[OperandMap]:
    """Each element is read by that of its own index, if the value is a tensor."""
    if isinstance(found, TensorType) and found.is_static:
        yield OperandMap(operand, IndexMap.identity(found.sizes), result)


@dataclass(frozen=True)
class Copy(Identity):
    """Gives `operand`, possibly laid out otherwise in memory: the elements are the same at the same indices.

    A value never changes here, so nothing has to be copied. XLA operation semantics: Copy.
    """

    name = "hlo.copy"
    hlo_opcode, xla_name = "copy", "Copy"


@dataclass(frozen=True)
class AddDependency(Identity):
    """Gives `operand` once `token` is there: a place in the order of things, and nothing else.

    XLA operation semantics: AddDependency.
    """

    name = "hlo.add_dependency"
    hlo_opcode, xla_name = "add-dependency", "AddDependency"

    token: TokenType


@dataclass(frozen=True)
class Domain(Identity):
    """Gives `operand`, on the border between two parts of a program that XLA keeps apart.

    What the parts are (two shardings, mostly) says the attribute `domain`, which changes no value. XLA operation
    semantics: Domain.
    """

    name = "hlo.domain"
    hlo_opcode, xla_name = "domain", "Domain"


OPS: tuple[type[Op], ...] = (Copy, AddDependency, Domain)
