"""The elements that were born in a step, found again from what the op read and gave."""

from __future__ import annotations

from ...findings import Occurrence
from ...indexing.elements.element_sets import ElementSet
from ...ops.core.quiet import quiet
from ...ops.core.ranks import INFINITE, NAN, ranks_of
from ..provenance import RecordedRun
from .places import fault_address


def born_elements(run: RecordedRun, op: int, occurrence: Occurrence) -> ElementSet:
    """The elements of the value at fault that are of the fault's kind, and worse than all that they were computed from."""
    recording, fault = run.recording, occurrence.fault
    process, step, number = occurrence.process, occurrence.step, fault.result or 0
    bound = recording.program.ops[op]
    address = fault_address(recording, op, occurrence)
    made = ranks_of(recording.value(address))
    shape = run.shape(address)
    if made is None:
        return ElementSet.empty(shape)
    if bound.op.unpacked.combines_processes:
        operands = recording.brought_to(process, step)
    else:
        operands = tuple(recording.value(found) for found in run.operands(process, step))
    results = tuple(recording.value(address._replace(index=k, path=())) for k in range(len(bound.results)))
    with quiet():
        given = run.op_at(process, step).ranks_read(operands, tuple(map(ranks_of, operands)), results)[number]
    rank = NAN if fault.kind == "nan" else INFINITE
    return ElementSet.of_mask(shape, (made == rank) & (made > given))
