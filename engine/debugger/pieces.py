"""What moved where in a meeting: boxes of recorded values, from the process that brought them to one that got them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..ir.types import TensorType, TupleType
from ..ops.collectives.collective_rules import Meeting
from ..ops.collectives.point_to_point import PointToPoint
from ..ops.core.exchanges import Array, Box, Met, Piece
from ..program import BoundOperation
from .address import Address
from .grid_record import MeetingRecord
from .origins import address_of
from .recording import Recording

MOST_PIECES = 4096
"""Pieces of one process that are told."""


@dataclass(frozen=True)
class MovedPiece:
    """A piece, the process that it came from, and the values that it was read of and written to."""

    piece: Piece
    source: int
    """The number of the process."""
    read: Address | None
    written: Address | None
    """`None` where the result is not there yet at the step that came to the meeting: it was only started."""


def moved_pieces(recording: Recording, meeting: MeetingRecord, process: int) -> list[MovedPiece]:
    """What a process got in a meeting; nothing before it did. `KeyError` if it never came there."""
    if process not in meeting.arrivals:
        raise KeyError(process)
    if process not in meeting.released:
        return []
    if meeting.is_message:
        return list(_message(recording, meeting, process))
    awaited = meeting.awaited[process]
    bound = recording.program.ops[meeting.ops[process]]
    if not isinstance(bound.op, Meeting):
        return []
    brought = {source: _brought_values(recording, meeting, source) for source in awaited}
    pieces = bound.op.pieces(met_in(recording, meeting, process))
    found = []
    for piece, _ in zip(pieces, range(MOST_PIECES), strict=False):
        source = awaited[piece.source]
        written = _written_value(bound, process, meeting.arrivals[process][0], piece.result)
        found.append(MovedPiece(piece, source, brought[source][piece.operand], written))
    return found


def met_in(recording: Recording, meeting: MeetingRecord, process: int) -> Met:
    """What a process met in a rendezvous that is complete; `KeyError` if it never arrived there."""
    awaited = meeting.awaited[process]
    brought = (_brought_values(recording, meeting, source) for source in awaited)
    values = (tuple(_value(recording, found) for found in addresses) for addresses in brought)
    return Met(tuple(values), awaited.index(process))


def _brought_values(recording: Recording, meeting: MeetingRecord, process: int) -> list[Address | None]:
    """The values with which a process came: the op's operands, or what the op's body gave."""
    track, program = recording.tracks[process], recording.program
    step, tick = meeting.arrivals[process]
    bound = program.ops[meeting.ops[process]]
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


def _message(recording: Recording, meeting: MeetingRecord, process: int) -> Iterator[MovedPiece]:
    """One piece for each value of a message, all of it, for the process that has received it."""
    sent_at, received_at = end_of(recording, meeting, sends=True), end_of(recording, meeting, sends=False)
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


def end_of(recording: Recording, meeting: MeetingRecord, *, sends: bool) -> tuple[int, int, int] | None:
    """The process at one end of a message, its step and its op; a process may be at both ends."""
    ends = ((visit, recording.program.ops[visit[2]].op) for visit in meeting.visits)
    return next((visit for visit, op in ends if isinstance(op, PointToPoint) and op.sends is sends), None)


def _received_address(recording: Recording, op: int, process: int, step: int, number: int) -> Address | None:
    """The address of a received value; `None` where the op has only started to receive it."""
    results = recording.program.ops[op].operation.results
    if len(results) == 1 and isinstance(results[0].type, TupleType):
        return None
    return Address(process, "s", step, number)
