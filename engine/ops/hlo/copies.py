"""copy-start and copy-done: a copy that is made while other ops run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...ir.types import TupleType
from ..collectives.collective_rules import blank_value
from ..core.facets import Explanation, HloSpelling, Part, Section, Storage
from ..core.op import Array, Constraint
from ..core.regions import type_agrees
from ..core.values import tuple_of
from .hlo_identities import Identity
from .starts_and_ends import U32, Taking

COPY, ORIGINAL = 0, 1
"""The elements of copy-start's result: unlike in other starts, the output comes first."""


class CopyStartExplanation(Explanation["CopyStart"]):
    def forwarded_operand(self, op: CopyStart, result: int, path: tuple[int, ...] = ()) -> Part | None:
        return (0, path[1:]) if path and path[0] in (COPY, ORIGINAL) else None


@dataclass(frozen=True)
class CopyStartStorage(Storage["CopyStart"]):
    def shared_part(self, op: CopyStart, result: int, path: tuple[int, ...] = ()) -> Part | None:
        return (0, path[1:]) if path and path[0] == ORIGINAL else None


@dataclass(frozen=True)
class CopyStart(Identity):
    """Starts to copy `operand`: returns the copy, `operand` itself, and a number by which XLA identifies the transfer.

    Here the copy exists immediately and the number is 0; `copy-done` returns the copy. `cross_program_prefetch_index`,
    the number of the prefetch across programs or -1, changes no value. XLA operation
    semantics: Copy.
    """

    name = "hlo.copy_start"
    hlo = HloSpelling("copy-start", "CopyStart")
    section = replace(
        Identity.section,
        rules=(
            "The result is a tuple of two values of the type of `operand`, whose layouts may differ, and "
            "a scalar of u32.",
        ),
    )
    explanation = CopyStartExplanation()
    storage = CopyStartStorage(is_copy=True)

    cross_program_prefetch_index: int = -1

    def infer(self) -> TupleType:
        return TupleType((self.operand, self.operand, U32))

    def evaluate(self, *operands: Array) -> Array:
        return tuple_of((operands[0], operands[0], blank_value(U32)))


@dataclass(frozen=True)
class CopyDone(Taking):
    """Waits for the copy that `copy-start` has started, and returns it. XLA operation semantics: Copy."""

    name = "hlo.copy_done"
    hlo = HloSpelling("copy-done", "CopyDone")
    place = COPY
    section = Section(
        rules=(
            "`operand` is a tuple of a copy and an original, of one type, and a scalar of u32.",
            "The result's type is that of the copy.",
        ),
    )

    def constraints(self) -> Iterator[Constraint]:
        types = self.operand.types
        fits = len(types) == 3 and type_agrees(types[COPY], types[ORIGINAL]) and types[2] == U32
        sentence = f"operand must be a tuple of the copy, the original and {U32}, not {self.operand}"
        yield "", fits, sentence
