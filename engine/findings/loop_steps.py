"""What the ops of a loop over scalars did wrong, whose iterations were run at once and told in one event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from ..events import Iterated
from ..ops.core.faults import Fault, Signals
from ..ops.core.op import Array
from ..program import BoundOperation
from ..scalar_loops import Instruction


def steps_of_loop(
    ops: Iterable[BoundOperation], told: Iterated, signals: Signals
) -> Iterator[tuple[BoundOperation, int, int, Fault]]:
    """Each op with the step and the iteration in which it did something wrong.

    The ops are elementwise: each is asked once about all iterations, and only where it has something to say, one by one.
    """
    loop = told.loop
    instructions = {found[2]: found for found in (*loop.condition, *loop.body)}
    slots = list(zip(*told.outcome.rows, strict=True))
    columns: dict[int, Array] = {}
    for position, (bound, place) in enumerate(zip(ops, loop.result_places, strict=True)):
        instruction = instructions.get(place) if isinstance(place, int) else None
        if instruction is None:
            continue
        for slot in (*instruction[1], instruction[2]):
            columns.setdefault(slot, np.array(slots[slot]))
        for iteration, fault in _faults(bound, instruction, columns, signals):
            step = told.step + iteration * len(loop.ops) + position
            yield bound, step, told.iteration + iteration, fault


def _faults(
    bound: BoundOperation, instruction: Instruction, columns: Mapping[int, Array], signals: Signals
) -> Iterator[tuple[int, Fault]]:
    _, read, made = instruction
    if not any(
        True for _ in bound.op.faults(tuple(columns[slot] for slot in read), (columns[made],), signals)
    ):
        return
    for iteration in range(len(columns[made])):
        operands = tuple(np.asarray(columns[slot][iteration]) for slot in read)
        for fault in bound.op.faults(operands, (np.asarray(columns[made][iteration]),), signals):
            yield iteration, fault
