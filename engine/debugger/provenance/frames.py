"""Frames that forward values of their op: calls, loops, branches and computations."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ...ops.collectives.point_to_point import PointToPoint
from ...ops.control_flow.control_flow import BODY, CONDITION, Branching, While
from ...ops.core.bases import Partitioned
from ...ops.core.op import AskingOp, Op
from ...ops.dialects.interpreter_dialect import RunParallel
from ..address import Address
from .relations import Operands
from .run import RecordedRun

Numbers = NDArray[np.int64]
Reader = Callable[[], Operands]


def runs_bodies(run: RecordedRun, process: int, step: int) -> bool:
    """Whether a step ran bodies on elements of its operands."""
    op = run.bound_operation(process, step).op.unpacked
    if op.explanation.passes_values or not isinstance(op, AskingOp):
        return False
    others = (PointToPoint, Partitioned, RunParallel)
    return not isinstance(op, others) and len(run.steps(process).opened_frames(step)) > 0


def results_are_returned(op: Op, has_frames: bool) -> bool:
    """Whether the op's results are those of its last frame."""
    if isinstance(op, PointToPoint):
        return has_frames  # of a function that feeds its queue
    return op.explanation.passes_values and (has_frames or not op.explanation.calls_function)


def argument_source(run: RecordedRun, address: Address, opener: int, op: Op) -> Address | None:
    """The source of a frame's argument: an operand leaf or, later in a loop, a body result."""
    process, steps = address.process, run.steps(address.process)
    iteration = int(steps.iterations[address.number])
    if isinstance(op, While) and iteration > 0:
        before = body_frame(run, process, opener, iteration - 1)
        return None if before is None else run.returned_value(process, before, (address.index, address.path))
    region = _branch(run, address, opener, op) if isinstance(op, Branching) else 0
    return run.operand_leaf(
        process, opener, op.explanation.argument_part(op, region, address.index, address.path)
    )


def argument_decider(run: RecordedRun, address: Address, opener: int, op: Op) -> Address | None:
    """The branch index, if several branches are one function, so that it selects the operand."""
    block = int(run.steps(address.process).blocks[address.number])
    if (
        not isinstance(op, Branching)
        or run.bound_operation(address.process, opener).regions.count(block) == 1
    ):
        return None
    return run.operand_leaf(address.process, opener, (0, ()))


def _branch(run: RecordedRun, address: Address, opener: int, op: Branching) -> int:
    """The branch of an argument's frame; several branches may be one function."""
    regions = run.bound_operation(address.process, opener).regions
    block = int(run.steps(address.process).blocks[address.number])
    if regions.count(block) == 1:
        return regions.index(block)
    return op.branch_number(run.recording.value(run.operand_leaf(address.process, opener, (0, ()))))


def body_frame(run: RecordedRun, process: int, opener: int, iteration: int) -> int | None:
    """The frame of a loop's body in an iteration; condition and body alternate."""
    opened = run.steps(process).opened_frames(opener)
    place = 2 * iteration + BODY
    return int(opened[place]) if place < len(opened) else None


def result_source(run: RecordedRun, address: Address, op: Op, opened: Numbers) -> Address | None:
    """The source of a result, for an op that returns the results of its last frame."""
    process, step = address.process, address.number
    if isinstance(op, While):
        leaf = (address.index, address.path)
        if len(opened) < 3:
            return run.operand_leaf(process, step, leaf)
        return run.returned_value(process, int(opened[-2]), leaf)
    part = op.explanation.returned_part(op, address.index, address.path)
    return None if part is None or not len(opened) else run.returned_value(process, int(opened[-1]), part)


def deciders(
    run: RecordedRun, address: Address, op: Op, opened: Numbers
) -> Iterator[tuple[Address, int | None, str]]:
    """Values that decided which frames ran, with their operands and descriptions."""
    process, step = address.process, address.number
    if isinstance(op, Branching):
        yield run.operand_leaf(process, step, (0, ())), 0, "decides which branch runs"
    elif isinstance(op, While):
        for number, frame in enumerate(opened[CONDITION::2]):
            found = run.returned_value(process, int(frame), (0, ()))
            if found is not None:
                yield found, None, f"decides whether iteration {number} runs"
