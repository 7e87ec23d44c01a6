"""Data movement in collectives: boxes of values, from their sender to their receiver."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..ir.types import TensorType, TupleType
from ..ops.collectives.collective_rules import CollectiveOp
from ..ops.collectives.point_to_point import PointToPoint
from ..ops.core.exchanges import Array, Box, PeerValues, Piece
from ..program import BoundOperation
from .address import Address
from .grid_record import CollectiveExecution
from .origins import address_of
from .recording import Recording

MOST_PIECES = 4096
"""Maximum number of pieces reported for one process."""


@dataclass(frozen=True)
class MovedPiece:
    """A piece with its sender, and the values that it was read from and written to."""

    piece: Piece
    source: int
    """The sending process."""
    read: Address | None
    written: Address | None
    """`None` if the step only started the collective, so that its result is not there yet."""


def moved_pieces(recording: Recording, execution: CollectiveExecution, process: int) -> list[MovedPiece]:
    """The pieces that a process received; empty before it has. `KeyError` if it never arrived."""
    if process not in execution.arrivals:
        raise KeyError(process)
    if process not in execution.released:
        return []
    if execution.is_message:
        return list(_message(recording, execution, process))
    awaited = execution.awaited[process]
    bound = recording.program.ops[execution.ops[process]]
    if not isinstance(bound.op, CollectiveOp):
        return []
    brought = {source: _brought_values(recording, execution, source) for source in awaited}
    pieces = bound.op.pieces(peer_values(recording, execution, process))
    found = []
    for piece, _ in zip(pieces, range(MOST_PIECES), strict=False):
        source = awaited[piece.source]
        written = _written_value(bound, process, execution.arrivals[process][0], piece.result)
        found.append(MovedPiece(piece, source, brought[source][piece.operand], written))
    return found


def peer_values(recording: Recording, execution: CollectiveExecution, process: int) -> PeerValues:
    """The participants of a completed collective; `KeyError` if the process never arrived."""
    awaited = execution.awaited[process]
    brought = (_brought_values(recording, execution, source) for source in awaited)
    values = (tuple(_value(recording, found) for found in addresses) for addresses in brought)
    return PeerValues(tuple(values), awaited.index(process))


def _brought_values(
    recording: Recording, execution: CollectiveExecution, process: int
) -> list[Address | None]:
    """The values that a process contributes: the op's operands, or the results of its body."""
    track, program = recording.tracks[process], recording.program
    step, tick = execution.arrivals[process]
    bound = program.ops[execution.ops[process]]
    last = track.step_at(tick)
    if bound.regions and last > step and program.ops[track.op_of(last)].block in bound.regions:
        step, bound = last, program.ops[track.op_of(last)]
    return [address_of(program, track, step, value) for value in bound.operands]


def _value(recording: Recording, address: Address | None) -> Array:
    if address is None:
        raise KeyError(address)
    return recording.value(address)


def _written_value(bound: BoundOperation, process: int, step: int, result: int) -> Address | None:
    if bound.op.unpacked.explanation.gives_placeholders:
        return None
    if bound.op.unpacked is not bound.op:
        return Address(process, "s", step, 0, (result,))
    return Address(process, "s", step, result)


def _message(recording: Recording, execution: CollectiveExecution, process: int) -> Iterator[MovedPiece]:
    """The pieces of a message for the receiver: one whole piece for each value."""
    sent_at, received_at = end_of(recording, execution, sends=True), end_of(recording, execution, sends=False)
    if sent_at is None or received_at is None or received_at[0] != process:
        return
    (source, step, sender), (_, target, receiver) = sent_at, received_at
    operands, own = recording.program.ops[sender].operands, recording.program.ops[receiver].op
    assert isinstance(own, PointToPoint)
    sent = operands[: len(own.payload)]
    for number, (value, type) in enumerate(zip(sent, own.payload, strict=False)):
        if isinstance(type, TensorType):
            box = Box((0,) * type.rank, type.sizes)
            read = address_of(recording.program, recording.tracks[source], step, value)
            written = _received_address(recording, receiver, process, target, number)
            yield MovedPiece(Piece(0, number, box, number, box), source, read, written)


def end_of(
    recording: Recording, execution: CollectiveExecution, *, sends: bool
) -> tuple[int, int, int] | None:
    """Process, step and op at one end of a message; one process may be at both ends."""
    ends = ((visit, recording.program.ops[visit[2]].op) for visit in execution.visits)
    return next((visit for visit, op in ends if isinstance(op, PointToPoint) and op.sends is sends), None)


def _received_address(recording: Recording, op: int, process: int, step: int, number: int) -> Address | None:
    """The address of a received value; `None` if the op has only started to receive it."""
    results = recording.program.ops[op].operation.results
    if len(results) == 1 and isinstance(results[0].type, TupleType):
        return None
    return Address(process, "s", step, number)
