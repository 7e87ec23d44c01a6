"""async-start, async-update and async-done: a computation that runs while other ops do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ...indexing import UNDEFINED, OperandMap
from ...ir.module import Region
from ...ir.types import TupleType, Type, leaf_count
from ..control_flow.started_regions import collect, only_starts, resume_collect
from ..core.bases import identity_maps
from ..core.facets import Explanation, HloSpelling, Part, Section
from ..core.facets.findings import Findings
from ..core.op import Array, Ask, AskingOp, Constraint, RunRegion, no_cost
from ..core.regions import region_type, types_agree
from ..core.rules import format_list
from ..core.values import tuple_of
from .hlo_identities import Identity
from .starts_and_ends import (
    GIVEN,
    OUTPUT,
    START_RULE,
    Taking,
    Values,
    output_constraint,
    start_constraints,
    start_tuple,
)


class AsyncStartExplanation(Explanation["AsyncStart"]):
    def forwarded_operand(self, op: AsyncStart, result: int, path: tuple[int, ...] = ()) -> Part | None:
        return (path[1], path[2:]) if len(path) > 1 and path[0] == GIVEN else None

    def returned_part(self, op: AsyncStart, result: int, path: tuple[int, ...] = ()) -> Part | None:
        """The part of `path[0]`, the outputs, that a returned value is; several values are a tuple there."""
        if path[:1] != (OUTPUT,):
            return None
        if not op._output.is_tuple:
            return 0, path[1:]
        return (path[1], path[2:]) if len(path) > 1 else None


@dataclass(frozen=True)
class AsyncStart(AskingOp):
    """Starts `computation` on `operands`, and returns the operands and the output, as one tuple.

    The computation runs here. But if it only returns the results of its collective ops, as one value or a tuple,
    these ops are only started: the process arrives and continues, and `async-done` waits for the results. After
    the operands and the output, the tuple may have the values by which XLA waits for the end; they are 0. The names
    `<opcode>-start`, `-update` and `-done` mean the three ops around one op of that opcode. XLA operation
    semantics: AsyncStart.
    """

    name = "hlo.async_start"
    findings = Findings(moves_elements=True)
    hlo = HloSpelling("async-start", "AsyncStart")
    explanation = AsyncStartExplanation(passes_values=True)
    section = Section(
        rules=(START_RULE, "`computation` takes values of the types of `operands`, and returns the output.")
    )

    operands: tuple[Type, ...]
    computation: Region
    result: TupleType

    def constraints(self) -> Iterator[Constraint]:
        yield from start_constraints((TupleType(self.operands),), self.result)
        found = region_type(self.computation)
        sentence = f"the computation takes {format_list(found.inputs)}, but the operands are {format_list(self.operands)}"
        yield "", types_agree(found.inputs, self.operands), sentence
        count = len(found.results)
        yield "", count == 1, f"the computation must return one value, not {count}"
        yield output_constraint(found.results, self.result)

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(operands, RunRegion(0, operands, asynchronous=only_starts(self.computation)))

    def resume(self, state: Any, answer: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return (start_tuple(tuple_of(state), self._output.pack(answer), self.result),)

    @property
    def _output(self) -> Values:
        return Values(region_type(self.computation).results, self.result.types[OUTPUT])

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """Maps of the operands that are returned. Outputs are undefined here: the computation's ops have their
        own maps.
        """
        yield from identity_maps(self.operands)
        first_output = sum(map(leaf_count, self.operands))
        for result in range(leaf_count(self.result.types[OUTPUT])):
            for operand in range(first_output):
                yield OperandMap(operand, UNDEFINED, first_output + result)

    cost = no_cost


@dataclass(frozen=True)
class AsyncUpdate(Identity):
    """Returns `operand`, the result of `async-start`: a point at which XLA may let the computation continue.

    XLA operation semantics: AsyncUpdate.
    """

    name = "hlo.async_update"
    hlo = HloSpelling("async-update", "AsyncUpdate")
    section = replace(
        Identity.section,
        rules=(
            "`operand` is a result of `async-start`: `((operands), output, …)`.",
            "The result's type is that of `operand`.",
        ),
    )

    operand: TupleType

    def constraints(self) -> Iterator[Constraint]:
        yield is_started(self.operand)


@dataclass(frozen=True)
class AsyncDone(Taking, AskingOp):
    """Waits for the collective ops that `async-start` has started, and returns the result of the computation.

    XLA operation semantics: AsyncDone.
    """

    name = "hlo.async_done"
    hlo = HloSpelling("async-done", "AsyncDone")
    findings = Findings(moves_elements=True, awaits_outcomes=True)
    section = Section(
        rules=(
            "`operand` is a result of `async-start`: `((operands), output, …)`.",
            "The result's type is that of its element 1.",
        )
    )

    def constraints(self) -> Iterator[Constraint]:
        yield is_started(self.operand)

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return collect(operands[0][OUTPUT])

    def resume(self, state: Any, answer: Any) -> Ask | tuple[Array, ...]:
        found = resume_collect(state, answer)
        return found if isinstance(found, Ask) else (found,)


def is_started(found: TupleType) -> Constraint:
    """The constraint that a tuple is a result of async-start."""
    fits = len(found.types) > OUTPUT and isinstance(found.types[GIVEN], TupleType)
    return "", fits, f"operand must be a result of async-start, ((operands), output, …), not {found}"
