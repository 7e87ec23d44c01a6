"""The value that a fault is in."""

from __future__ import annotations

from ...findings import Occurrence
from ..address import Address
from ..origins import address_of
from ..outcome_addresses import leaf_address
from ..recording import Recording


def fault_address(recording: Recording, op: int, occurrence: Occurrence) -> Address:
    """The address of the value that `Fault.index` is in: a result of the op, or an operand where the fault names one."""
    bound, fault = recording.program.ops[op], occurrence.fault
    if fault.result is None and fault.operand is not None:
        track = recording.tracks[occurrence.process]
        found = address_of(recording.program, track, occurrence.step, bound.operands[fault.operand])
        if found is not None:
            return found
    number = fault.result or 0
    if bound.op.unpacked.awaits_outcomes:
        return leaf_address(recording, occurrence.process, occurrence.step, number)
    # An op of HLO text may have its results in one tuple.
    index, path = (number, ()) if bound.op.unpacked is bound.op else (0, (number,))
    return Address(occurrence.process, "s", occurrence.step, index, path)
