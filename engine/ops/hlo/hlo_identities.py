"""copy, add-dependency and domain: values forwarded unchanged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ...ir.types import TokenType, Type
from ..core.bases import Forwarding
from ..core.facets import Explanation, HloSpelling, Part, Section, Storage, Traits
from ..core.op import Array


class IdentityExplanation(Explanation["Identity"]):
    def forwarded_operand(self, op: Identity, result: int, path: tuple[int, ...] = ()) -> Part | None:
        return 0, path


@dataclass(frozen=True)
class Identity(Forwarding):
    """Gives `operand`, a value of any type."""

    section = Section(rules=("The result's type is that of `operand`.",))
    explanation: ClassVar[Explanation[Any]] = IdentityExplanation()

    operand: Type

    def infer(self) -> Type:
        return self.operand

    def evaluate(self, *operands: Array) -> Array:
        return operands[0]


@dataclass(frozen=True)
class Copy(Identity):
    """Gives `operand`, possibly laid out otherwise in memory: the elements are the same at the same indices.

    A value never changes here, so nothing has to be copied. XLA operation semantics: Copy.
    """

    name = "hlo.copy"
    traits = Traits(category="movement")
    storage = Storage(is_copy=True)
    hlo = HloSpelling("copy", "Copy")
    section = replace(
        Identity.section, rules=("The result's type is that of `operand`; their layouts may differ.",)
    )


@dataclass(frozen=True)
class AddDependency(Identity):
    """Gives `operand` once `token` is there: a place in the order of things, and nothing else.

    XLA operation semantics: AddDependency.
    """

    name = "hlo.add_dependency"
    hlo = HloSpelling("add-dependency", "AddDependency")

    token: TokenType


@dataclass(frozen=True)
class Domain(Identity):
    """Gives `operand`, on the border between two parts of a program that XLA keeps apart.

    What the parts are (two shardings, mostly) says the attribute `domain`, which changes no value. XLA operation
    semantics: Domain.
    """

    name = "hlo.domain"
    hlo = HloSpelling("domain", "Domain")
