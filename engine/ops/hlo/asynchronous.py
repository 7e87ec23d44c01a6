"""async-start, async-update and async-done: a computation that runs while other ops do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ...indexing import UNDEFINED, OperandMap
from ...ir.module import Region
from ...ir.types import TupleType, Type, leaf_count
from ..op import Array, Ask, AskingOp, Constraint, Cost, Op, RunRegion
from ..regions import region_type, types_agree
from ..rules import listed
from ..started import collect, collected, only_starts
from ..tuples import handed_on
from ..values import tuple_of
from .identities import Identity
from .starting import GIVEN, OUTPUT, Taking, Values, output_constraint, start_constraints, started


@dataclass(frozen=True)
class AsyncStart(AskingOp):
    """Starts `computation` on `operands`, and gives them and what it gives, as one tuple.

    The computation runs here, but where it does nothing with what its collective ops give than to give it, as
    one value or a tuple, they are only started: the process says that it has come, and goes on. `async-done` waits
    for them. Behind the two the tuple may have what XLA needs to wait for the end, which is 0. The names
    `<opcode>-start`, `-update` and `-done` mean the three ops around one op of that opcode. XLA operation
    semantics: AsyncStart.
    """

    name = "hlo.async_start"
    hlo_opcode, xla_name = "async-start", "AsyncStart"
    input_labels: ClassVar = {}

    operands: tuple[Type, ...]
    computation: Region
    result: TupleType

    def constraints(self) -> Iterator[Constraint]:
        yield from start_constraints((TupleType(self.operands),), self.result)
        found = region_type(self.computation)
        sentence = (
            f"the computation takes {listed(found.inputs)}, but the operands are {listed(self.operands)}"
        )
        yield "", types_agree(found.inputs, self.operands), sentence
        gives = len(found.results)
        yield "", gives == 1, f"the computation must give one value, not {gives}"
        yield output_constraint(found.results, self.result)

    def infer(self) -> Type:
        return self.result

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(operands, RunRegion(0, operands, asynchronous=only_starts(self.computation)))

    def resume(self, state: Any, answer: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        output = Values(region_type(self.computation).results, self.result.types[OUTPUT])
        return (started(tuple_of(state), output.packed(answer), self.result),)

    def index_maps(self) -> Iterator[OperandMap]:
        """Of what is given again. What comes out is unknown from here: the ops of the computation have maps of their own."""
        yield from handed_on(self.operands)
        behind = sum(map(leaf_count, self.operands))
        for result in range(leaf_count(self.result.types[OUTPUT])):
            for operand in range(behind):
                yield OperandMap(operand, UNDEFINED, behind + result)

    inverse_index_maps = index_maps

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """What it runs has a cost of its own."""
        return Cost(0, 0)


@dataclass(frozen=True)
class AsyncUpdate(Identity):
    """Gives `operand`, which `async-start` has given: a place at which XLA may let the computation go on.

    XLA operation semantics: AsyncUpdate.
    """

    name = "hlo.async_update"
    hlo_opcode, xla_name = "async-update", "AsyncUpdate"

    operand: TupleType

    def constraints(self) -> Iterator[Constraint]:
        yield is_started(self.operand)


@dataclass(frozen=True)
class AsyncDone(Taking, AskingOp):
    """Waits for the collective ops that `async-start` has started, and gives what the computation gives.

    XLA operation semantics: AsyncDone.
    """

    name = "hlo.async_done"
    hlo_opcode, xla_name = "async-done", "AsyncDone"

    def constraints(self) -> Iterator[Constraint]:
        yield is_started(self.operand)

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return collect(operands[0][OUTPUT])

    def resume(self, state: Any, answer: Any) -> Ask | tuple[Array, ...]:
        found = collected(state, answer)
        return found if isinstance(found, Ask) else (found,)


def is_started(found: TupleType) -> Constraint:
    """That a tuple is one that async-start gives."""
    fits = len(found.types) > OUTPUT and isinstance(found.types[GIVEN], TupleType)
    return "", fits, f"operand must be what async-start gives, ((operands), output, …), not {found}"


OPS: tuple[type[Op], ...] = (AsyncStart, AsyncUpdate, AsyncDone)
