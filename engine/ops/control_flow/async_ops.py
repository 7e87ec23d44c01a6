"""async_start and async_done: an op that is started at one place and waited for at another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...ir.module import Region
from ...ir.types import FutureType, TensorType, Type
from ..core.bases import Forwarding
from ..core.facets import Explanation, HloSpelling, Part, Section, Traits
from ..core.facets.findings import Findings
from ..core.kinds import TENSOR_OR_PER_TENSOR, holds
from ..core.op import Array, Ask, AskingOp, Constraint, RunRegion, no_cost
from ..core.regions import region_type, types_agree
from ..core.rules import format_list
from ..core.values import tuple_of
from .started_regions import collect, only_starts, resume_collect

STARTABLE = frozenset(
    f"stablehlo.{name}"
    for name in (
        *("all_gather", "all_reduce", "all_to_all", "collective_broadcast", "collective_permute"),
        *("reduce_scatter", "slice", "dynamic_slice", "dynamic_update_slice"),
    )
)
"""Ops that `async_start` may start: the collective ops and the slices."""


class AsyncStartExplanation(Explanation["AsyncStart"]):
    def returned_part(self, op: AsyncStart, result: int, path: tuple[int, ...] = ()) -> Part:
        return path[0], path[1:]


@dataclass(frozen=True)
class AsyncStart(AskingOp):
    """Starts the one op in `body` on `operands` and returns a future of its result.

    A collective op is only started: the process arrives and continues with ops that do not need the result;
    `async_done` waits for it. A slice is taken immediately. The body may hold one collective op or slice, uses
    its arguments only, and returns one value. The newest specification has it; this one does not.
    """

    name = "stablehlo.async_start"
    findings = Findings(moves_elements=True)
    explanation = AsyncStartExplanation(passes_values=True)
    hlo = HloSpelling("async-start", "AsyncStart")
    section = Section(input_labels={})
    traits = Traits(is_isolated=True)

    operands: tuple[TensorType, ...]
    body: Region

    def constraints(self) -> Iterator[Constraint]:
        for number, found in enumerate(self.operands):
            yield holds("", f"operand {number}", found, TENSOR_OR_PER_TENSOR)
        names = [operation.name for operation in self.body.block.operations] if self.body.blocks else []
        yield "", len(names) == 2, "body must hold one op and its return"
        startable = names[0] in STARTABLE
        yield "", startable, f"body must hold a collective op or a slice, not {names[0]}"
        body = region_type(self.body)
        sentence = f"body takes {format_list(body.inputs)}, the operands are {format_list(self.operands)}"
        yield "", types_agree(body.inputs, self.operands), sentence
        yield "", len(body.results) == 1, f"body must return one value, not {len(body.results)}"

    def infer(self) -> Type:
        return FutureType(region_type(self.body).results)

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(None, RunRegion(0, operands, asynchronous=only_starts(self.body)))

    def resume(self, state: Any, answer: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return (tuple_of(answer),)

    cost = no_cost


class AsyncDoneExplanation(Explanation["AsyncDone"]):
    def forwarded_operand(self, op: AsyncDone, result: int, path: tuple[int, ...] = ()) -> Part:
        return 0, (0, *path)


@dataclass(frozen=True)
class AsyncDone(Forwarding, AskingOp):
    """Waits for the op that `async_start` has started, and returns its result.

    The newest specification has it; this one does not.
    """

    name = "stablehlo.async_done"
    hlo = HloSpelling("async-done", "AsyncDone")
    findings = Findings(moves_elements=True, awaits_outcomes=True)
    section = Section(input_labels={})
    explanation = AsyncDoneExplanation()

    operand: FutureType

    def constraints(self) -> Iterator[Constraint]:
        count = len(self.operand.types)
        yield "", count == 1, f"operand must be a future of one tensor, not of {count}"
        (result,) = self.operand.types
        assert isinstance(result, TensorType), "a future holds tensors"
        yield holds("", "the result", result, TENSOR_OR_PER_TENSOR)

    def infer(self) -> Type:
        return self.operand.types[0]

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return collect(operands[0][0])

    def resume(self, state: Any, answer: Any) -> Ask | tuple[Array, ...]:
        found = resume_collect(state, answer)
        return found if isinstance(found, Ask) else (found,)
