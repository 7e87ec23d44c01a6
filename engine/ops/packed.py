"""Ops of HLO text that give one tuple where their StableHLO twins give several results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..indexing import OperandMap
from ..ir.module import Block, Module, Operation, Region, Value
from ..ir.types import TupleType, Type, parts
from .collectives.collective_rules import CollectiveOp
from .control_flow.functions import Return
from .control_flow.tuples import GetTupleElement, Tuple
from .core.binding import bind
from .core.exchanges import FetchPeers, GridPosition, Peers, PeerValues, Piece, no_peers
from .core.facets import Drawing, Rounding, RuntimeVariables
from .core.facets.findings import Findings
from .core.op import Array, Ask, AskingOp, Callee, Constraint, Cost, Op
from .core.process_groups import Grid
from .core.ranks import Arrays, OperandRanks, SeenRanks
from .core.rounding import Errors
from .core.values import is_tuple, read_only, tuple_of


class PackedRounding(Rounding["Packed"]):
    def error_bound(self, op: Packed, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        return (tuple_of(op.twin.rounding.error_bound(op.twin, operands, errors, unpack(results))),)

    def body_bound(
        self, op: Packed, operands: Arrays, errors: Errors, results: Arrays, answers: Arrays, answered: Errors
    ) -> Errors:
        found = op.twin.rounding.body_bound(
            op.twin, operands, errors, unpack(results), unpack(answers), unpack(answered)
        )
        return (tuple_of(found),)


class PackedDrawing(Drawing["Packed"]):
    def documented_maps(self, op: Packed) -> Iterator[OperandMap]:
        return op.twin.drawing.documented_maps(op.twin)


class PackedRuntimeVariables(RuntimeVariables["Packed"]):
    def map_operands(self, op: Packed, operands: tuple[Array, ...]) -> tuple[Array, ...]:
        return op.twin.runtime_variables.map_operands(op.twin, operands)

    def names_of(self, op: Packed) -> tuple[str, ...]:
        return op.twin.runtime_variables.names_of(op.twin)

    def process_values(
        self, op: Packed, place: GridPosition, fetch_peers: FetchPeers = no_peers
    ) -> tuple[Array | None, ...]:
        return op.twin.runtime_variables.process_values(op.twin, place, fetch_peers)


class PackedFindings(Findings["Packed"]):
    def checked_op(self, op: Packed) -> Op:
        return op.twin

    def checked_values(self, op: Packed, operands: Arrays, results: Arrays) -> tuple[Arrays, Arrays]:
        return operands, unpack(results)

    def deciding_operands(self, op: Packed) -> Iterable[int]:
        return op.twin.findings.deciding_operands(op.twin)

    def may_wrap(self, op: Packed) -> bool:
        return op.twin.findings.may_wrap(op.twin)

    def ranks_read(self, op: Packed, operands: Arrays, ranks: OperandRanks, results: Arrays) -> SeenRanks:
        return op.twin.findings.ranks_read(op.twin, operands, ranks, unpack(results))


@dataclass(frozen=True)
class Packed(AskingOp):
    """An op whose results are put into one tuple, and whose regions give tuples for several values."""

    rounding: ClassVar[Rounding[Any]] = PackedRounding()
    drawing: ClassVar[Drawing[Any]] = PackedDrawing()
    runtime_variables: ClassVar[RuntimeVariables[Any]] = PackedRuntimeVariables()
    findings = PackedFindings()

    twin: Op

    @property
    def unpacked(self) -> Op:
        return self.twin

    def constraints(self) -> Iterator[Constraint]:
        return self.twin.constraints()

    def infer(self) -> Type | None:
        found = self.twin.infer()
        return TupleType(found) if isinstance(found, tuple) else found

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        twin = self.twin
        return _pack_answer(twin.begin(operands) if isinstance(twin, AskingOp) else twin.evaluate(*operands))

    def resume(self, state: Any, answer: Any) -> Ask | tuple[Array, ...]:
        assert isinstance(self.twin, AskingOp)
        return _pack_answer(self.twin.resume(state, unpack(answer) if isinstance(answer, tuple) else answer))

    @property
    def operand_types(self) -> tuple[Type, ...]:
        return self.twin.operand_types

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """The maps of the twin: result number `k` is element `k` of the tuple."""
        return self.twin.inverse_index_maps() if inverse else self.twin.index_maps()

    def on_grid(self, grid: Grid) -> Packed:
        return replace(self, twin=self.twin.on_grid(grid))

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        return self.twin.cost(operand_types, _elements(result_types))

    def callees(self) -> tuple[Callee, ...]:
        return self.twin.callees()

    def link(self, module: Module) -> Packed:
        return replace(self, twin=self.twin.link(module))

    @property
    def outside(self) -> str | None:
        return self.twin.outside

    def unrunnable(self) -> str | None:
        return self.twin.unrunnable()


@dataclass(frozen=True)
class PackedCollective(Packed, CollectiveOp):
    """A collective op whose results are put into one tuple."""

    twin: CollectiveOp

    @property
    def channel(self) -> int:
        return self.twin.channel

    @property
    def deferrable(self) -> bool:
        return self.twin.deferrable

    @property
    def whole(self) -> Op:
        return self.twin.whole

    def peers(self, place: GridPosition) -> Peers | None:
        return self.twin.peers(place)

    def results_outside_groups(self) -> tuple[Array, ...]:
        return (_tuple(self.twin.results_outside_groups()),)

    def outputs(self, peer_values: PeerValues) -> tuple[Array, ...]:
        return (_tuple(self.twin.outputs(peer_values)),)

    def placeholders(self) -> tuple[Array, ...]:
        """One tuple of all results."""
        return (_tuple(self.twin.placeholders()),)

    def pieces(self, peer_values: PeerValues) -> Iterator[Piece]:
        """The pieces of the twin: result number `k` is element `k` of the tuple."""
        return self.twin.pieces(peer_values)


def bind_packed(op_class: type[Op], operation: Operation) -> Op:
    """The op that `operation` states: its twin, packed, where HLO text has a tuple for several results."""
    if not is_packed(op_class, operation):
        return bind(op_class, operation)
    return pack(bind(op_class, flatten(operation)))


def pack(twin: Op) -> Packed:
    """The op with its results in one tuple."""
    return PackedCollective(twin) if isinstance(twin, CollectiveOp) else Packed(twin)


def is_packed(op_class: type[Op], operation: Operation) -> bool:
    """Whether the one result of `operation` packs several of its op."""
    if not (op_class.hlo.packs_results and operation.opcode):
        return False
    return len(operation.results) == 1 and isinstance(operation.results[0].type, TupleType)


def flatten(operation: Operation) -> Operation:
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
        taken = [_tuple_element(given[0], number) for number in range(len(given[0].type.types))]
        parts, rest = tuple(op.results[0] for op in taken), [*rest, *taken]
    end = Operation(Return.name, parts, (), span=last.span, name_span=last.name_span)
    block = Block(region.block.arguments, (*rest, end), region.block.label, region.block.span)
    return Region((block,), region.span, region.function)


def _tuple_element(value: Value, number: int) -> Operation:
    assert isinstance(value.type, TupleType)
    result = Value(f"{value.name}#{number}", value.type.types[number], value.span)
    return Operation(GetTupleElement.name, (value,), (result,))


def unpack(answer: tuple[Array, ...]) -> tuple[Array, ...]:
    """The values of a region that gave them as one tuple."""
    return tuple(answer[0]) if len(answer) == 1 and is_tuple(answer[0]) else answer


def _pack_answer(answer: Ask | Array | tuple[Array, ...]) -> Ask | tuple[Array, ...]:
    if isinstance(answer, Ask):
        return answer
    return (_tuple(answer if isinstance(answer, tuple) else (answer,)),)


def _tuple(results: tuple[Array, ...]) -> Array:
    return tuple_of(list(map(read_only, results)))


def _elements(types: tuple[Type, ...]) -> tuple[Type, ...]:
    return parts(types[0]) if len(types) == 1 else types
