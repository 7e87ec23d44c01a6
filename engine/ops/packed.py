"""Ops of HLO text that give one tuple where their StableHLO twins give several results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..indexing import OperandMap
from ..ir.module import Block, Module, Operation, Region, Value
from ..ir.types import TupleType, Type, parts
from .binding import bind
from .collective_rules import Meeting
from .exchanges import MeetPeers, Met, Peers, Piece, Place, nobody
from .functions import Return
from .op import Array, Ask, AskingOp, Callee, Constraint, Cost, Op
from .process_groups import Grid
from .tuples import GetTupleElement, Tuple
from .values import is_tuple, read_only, tuple_of


@dataclass(frozen=True)
class Packed(AskingOp):
    """An op whose results are put into one tuple, and whose regions give tuples for several values."""

    twin: Op

    def constraints(self) -> Iterator[Constraint]:
        return self.twin.constraints()

    def infer(self) -> Type | None:
        found = self.twin.infer()
        return TupleType(found) if isinstance(found, tuple) else found

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        twin = self.twin
        return _packed(twin.begin(operands) if isinstance(twin, AskingOp) else twin.evaluate(*operands))

    def resume(self, state: Any, answer: Any) -> Ask | tuple[Array, ...]:
        assert isinstance(self.twin, AskingOp)
        return _packed(self.twin.resume(state, unpacked(answer) if isinstance(answer, tuple) else answer))

    @property
    def operand_types(self) -> tuple[Type, ...]:
        return self.twin.operand_types

    def index_maps(self) -> Iterator[OperandMap]:
        """Those of the twin: result number `k` is element `k` of the tuple."""
        return self.twin.index_maps()

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        return self.twin.inverse_index_maps()

    def documented_maps(self) -> Iterator[OperandMap]:
        return self.twin.documented_maps()

    def map_operands(self, operands: tuple[Array, ...]) -> tuple[Array, ...]:
        return self.twin.map_operands(operands)

    @property
    def found_names(self) -> tuple[str, ...]:
        return self.twin.found_names

    def found_at(self, place: Place, meet: MeetPeers = nobody) -> tuple[Array | None, ...]:
        return self.twin.found_at(place, meet)

    def on_grid(self, grid: Grid) -> Packed:
        return replace(self, twin=self.twin.on_grid(grid))

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        return self.twin.cost(operand_types, _elements(result_types))

    def callees(self) -> tuple[Callee, ...]:
        return self.twin.callees()

    def linked(self, module: Module) -> Packed:
        return replace(self, twin=self.twin.linked(module))

    @property
    def outside(self) -> str | None:
        return self.twin.outside

    def unrunnable(self) -> str | None:
        return self.twin.unrunnable()


@dataclass(frozen=True)
class PackedMeeting(Packed, Meeting):
    """An op in which processes meet, and whose results are put into one tuple."""

    twin: Meeting

    @property
    def channel(self) -> int:
        return self.twin.channel

    @property
    def deferrable(self) -> bool:
        return self.twin.deferrable

    @property
    def whole(self) -> Op:
        return self.twin.whole

    def peers(self, place: Place) -> Peers | None:
        return self.twin.peers(place)

    def alone(self) -> tuple[Array, ...]:
        return (_tuple(self.twin.alone()),)

    def outputs(self, met: Met) -> tuple[Array, ...]:
        return (_tuple(self.twin.outputs(met)),)

    def placeholders(self) -> tuple[Array, ...]:
        """One tuple, which stands for all results."""
        return (_tuple(self.twin.placeholders()),)

    def pieces(self, met: Met) -> Iterator[Piece]:
        """Those of the twin: result number `k` is element `k` of the tuple."""
        return self.twin.pieces(met)


def bind_packed(op_class: type[Op], operation: Operation) -> Op:
    """The op that `operation` states: its twin, packed, where HLO text has a tuple for several results."""
    if not is_packed(op_class, operation):
        return bind(op_class, operation)
    return packed(bind(op_class, flattened(operation)))


def packed(twin: Op) -> Packed:
    """The op with its results in one tuple."""
    return PackedMeeting(twin) if isinstance(twin, Meeting) else Packed(twin)


def is_packed(op_class: type[Op], operation: Operation) -> bool:
    """Whether the one result of `operation` stands for several of its op."""
    if not (op_class.hlo_packs and operation.opcode):
        return False
    return len(operation.results) == 1 and isinstance(operation.results[0].type, TupleType)


def flattened(operation: Operation) -> Operation:
    """`operation` with a result for each element of its tuple, and regions that give several values."""
    (result,) = operation.results
    assert isinstance(result.type, TupleType)
    results = tuple(
        Value(f"{result.name}#{number}", found, result.span) for number, found in enumerate(result.type.types)
    )
    return replace(operation, results=results, regions=tuple(map(_flattened_region, operation.regions)))


def _flattened_region(region: Region) -> Region:
    if len(region.blocks) != 1 or not region.block.operations:
        return region
    *rest, last = region.block.operations
    given = last.operands
    if len(given) != 1 or not isinstance(given[0].type, TupleType):
        return region
    maker = next((op for op in rest if given[0] in op.results), None)
    if maker is not None and maker.name == Tuple.name:
        parts, rest = maker.operands, [op for op in rest if op is not maker]
    else:
        taken = [_taken(given[0], number) for number in range(len(given[0].type.types))]
        parts, rest = tuple(op.results[0] for op in taken), [*rest, *taken]
    end = Operation(Return.name, parts, (), span=last.span, name_span=last.name_span)
    block = Block(region.block.arguments, (*rest, end), region.block.label, region.block.span)
    return Region((block,), region.span, region.function)


def _taken(value: Value, number: int) -> Operation:
    assert isinstance(value.type, TupleType)
    result = Value(f"{value.name}#{number}", value.type.types[number], value.span)
    return Operation(GetTupleElement.name, (value,), (result,))


def unpacked(answer: tuple[Array, ...]) -> tuple[Array, ...]:
    """The values of a region that gave them as one tuple."""
    return tuple(answer[0]) if len(answer) == 1 and is_tuple(answer[0]) else answer


def _packed(answer: Ask | Array | tuple[Array, ...]) -> Ask | tuple[Array, ...]:
    if isinstance(answer, Ask):
        return answer
    return (_tuple(answer if isinstance(answer, tuple) else (answer,)),)


def _tuple(results: tuple[Array, ...]) -> Array:
    return tuple_of(list(map(read_only, results)))


def _elements(types: tuple[Type, ...]) -> tuple[Type, ...]:
    return parts(types[0]) if len(types) == 1 else types
