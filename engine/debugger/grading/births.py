"""The elements that were born in a step, found again from what the op read and gave."""

from __future__ import annotations

from ...findings import Occurrence
from ...findings.stated_nans import choosing_ops, chosen_nans
from ...indexing.elements.element_sets import ElementSet
from ...ops.core.op import Array
from ...ops.core.quiet import quiet
from ...ops.core.ranks import INFINITE, NAN, Ranks, ranks_of
from ..outcome_addresses import leaf_address
from ..provenance import RecordedRun
from .places import fault_address


def born_elements(run: RecordedRun, op: int, occurrence: Occurrence) -> ElementSet:
    """The elements of the value at fault that are of the fault's kind, and worse than all that they were computed from."""
    address = fault_address(run.recording, op, occurrence)
    made = ranks_of(run.recording.value(address))
    shape = run.shape(address)
    if made is None:
        return ElementSet.empty(shape)
    if occurrence.fault.stated:
        return _chosen_elements(run, op, occurrence)
    with quiet():
        given = _ranks_read(run, op, occurrence)
    rank = NAN if occurrence.fault.kind == "nan" else INFINITE
    return ElementSet.of_mask(shape, (made == rank) & (made > given))


def _ranks_read(run: RecordedRun, op: int, occurrence: Occurrence) -> Ranks | int:
    """The greatest rank among the elements that each element of the value at fault reads."""
    recording, process = run.recording, occurrence.process
    step, number = occurrence.step, occurrence.fault.result or 0
    bound = recording.program.ops[op]
    if bound.op.unpacked.awaits_outcomes:
        step, number = recording.tracks[process].outcomes.starts[step, number]
        results = _outcome(run, process, step)
    else:
        address = fault_address(recording, op, occurrence)
        results = tuple(
            recording.value(address._replace(index=k, path=())) for k in range(len(bound.results))
        )
    if run.bound_operation(process, step).op.unpacked.explanation.combines_processes:
        operands = recording.brought_to(process, step)
    else:
        operands = tuple(recording.value(found) for found in run.operands(process, step))
    ran = run.op_at(process, step)
    if step != occurrence.step:
        ran = ran.unpacked  # its results are given one by one
    return ran.ranks_read(operands, tuple(map(ranks_of, operands)), results)[number]


def _outcome(run: RecordedRun, process: int, start: int) -> tuple[Array, ...]:
    """What a step had only started, from the step to which it came."""
    came = run.recording.tracks[process].outcomes.came
    leaves = sorted((number, place) for (step, number), place in came.items() if step == start)
    addresses = (leaf_address(run.recording, process, *place) for _, place in leaves)
    return tuple(map(run.recording.value, addresses))


def _chosen_elements(run: RecordedRun, op: int, occurrence: Occurrence) -> ElementSet:
    """The elements that are a NaN of the program, which the op has chosen."""
    sides = run.program.derive(choosing_ops)[op]
    operands = tuple(
        run.recording.value(found) for found in run.operands(occurrence.process, occurrence.step)
    )
    shape = run.shape(fault_address(run.recording, op, occurrence))
    return ElementSet.of_mask(shape, chosen_nans(operands, shape, sides))
