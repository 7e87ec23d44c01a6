"""Frames whose arguments and results are values of the op that opened them: calls, loops, branches, computations."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ...ir.types import TupleType
from ...ops.asynchronous import AsyncStart
from ...ops.composite import Composite
from ...ops.control_flow import BODY, CONDITION, Branching, While
from ...ops.custom_calls.custom_call import CustomCall
from ...ops.functions import Call
from ...ops.hlo.asynchronous import AsyncStart as HloAsyncStart
from ...ops.hlo.computations import Conditional, Fusion
from ...ops.hlo.starting import GIVEN, OUTPUT
from ...ops.hlo.transfers import Infeed as HloInfeed
from ...ops.interpreter_dialect import RunParallel
from ...ops.manual_computation import ManualComputation, NamedComputation
from ...ops.op import Op
from ...ops.point_to_point import Infeed
from ...ops.shape_witnesses import Assuming
from ...program import BoundOperation
from ..address import Address
from .relations import Operands
from .run import Leaf, RecordedRun, bare

Numbers = NDArray[np.int64]
Reader = Callable[[], Operands]
_CALLS = (Call, Fusion, Composite)
_HANDING = (*_CALLS, NamedComputation, While, Branching, Assuming, AsyncStart, HloAsyncStart)


def calls(op: Op) -> bool:
    """Whether it runs a function and does nothing else."""
    return isinstance(op, _CALLS)


def is_handing(op: Op) -> bool:
    """Whether its frames take values of the op as they are."""
    return isinstance(op, _HANDING)


def runs_bodies(run: RecordedRun, process: int, step: int) -> bool:
    """Whether a step has run bodies that saw elements of its operands."""
    bound = run.bound(process, step)
    op = bare(bound.op)
    if not (bound.regions or isinstance(op, CustomCall)):
        return False
    others = (*_HANDING, Infeed, HloInfeed, ManualComputation, RunParallel)
    return not isinstance(op, others) and len(run.steps(process).opened_by(step)) > 0


def gives_what_frames_return(op: Op, bound: BoundOperation, has_frames: bool) -> bool:
    """Whether the op's results are what its last frame returned."""
    if isinstance(op, Infeed | HloInfeed):
        return has_frames
    return is_handing(op) and (has_frames or not calls(op))


def argument_source(run: RecordedRun, address: Address, opener: int, op: Op) -> Address | None:
    """Where an argument of a frame comes from."""
    process, steps = address.process, run.steps(address.process)
    leaf: Leaf = (address.index, address.path)
    if isinstance(op, Conditional):
        region = run.bound(process, opener).regions.index(int(steps.blocks[address.number]))
        return run.operand_leaf(process, opener, (_taken(run, process, opener, region), address.path))
    iteration = int(steps.iterations[address.number])
    if isinstance(op, While) and iteration > 0:
        before = body_frame(run, process, opener, iteration - 1)
        return None if before is None else run.returned(process, before, leaf)
    return run.operand_leaf(process, opener, leaf)


def argument_decider(run: RecordedRun, address: Address, opener: int, op: Op) -> Address | None:
    """The index of an HLO conditional, where it says which operand a function is given: it is several branches."""
    block = int(run.steps(address.process).blocks[address.number])
    if not isinstance(op, Conditional) or run.bound(address.process, opener).regions.count(block) == 1:
        return None
    return run.operand_leaf(address.process, opener, (0, ()))


def _taken(run: RecordedRun, process: int, opener: int, region: int) -> int:
    """The operand of an HLO conditional that the branch took."""
    regions = run.bound(process, opener).regions
    if regions.count(regions[region]) == 1:
        return 1 + region
    index = run.recording.value(run.operand_leaf(process, opener, (0, ())))
    if index.dtype == np.bool_:
        return 1 if index else 2
    return 1 + (int(index) if 0 <= index < len(regions) else len(regions) - 1)


def body_frame(run: RecordedRun, process: int, opener: int, iteration: int) -> int | None:
    """The frame of a loop's body in an iteration: condition and body take turns."""
    opened = run.steps(process).opened_by(opener)
    place = 2 * iteration + BODY
    return int(opened[place]) if place < len(opened) else None


def result_source(run: RecordedRun, address: Address, op: Op, opened: Numbers) -> Address | None:
    """Where a result of an op comes from that gives what its last frame returned."""
    process, step = address.process, address.number
    leaf: Leaf = (address.index, address.path)
    if isinstance(op, While):
        if len(opened) < 3:
            return run.operand_leaf(process, step, leaf)
        return run.returned(process, int(opened[-2]), leaf)
    if isinstance(op, AsyncStart):
        leaf = (address.path[0], address.path[1:])
    elif isinstance(op, HloAsyncStart):
        return _started(run, address, op, opened)
    elif isinstance(op, HloInfeed):
        leaf = (address.path[1], ()) if len(address.path) > 1 else (0, ())
    return run.returned(process, int(opened[-1]), leaf) if len(opened) else None


def _started(run: RecordedRun, address: Address, op: HloAsyncStart, opened: Numbers) -> Address | None:
    """Of what async-start gives: what was given to it, or what the computation gave."""
    place, path = address.path[0], address.path[1:]
    if place == GIVEN:
        bundled = isinstance(op.result.types[GIVEN], TupleType) and _is_bundle(op)
        leaf = (path[0], path[1:]) if bundled else (0, path)
        return run.operand_leaf(address.process, address.number, leaf)
    if place != OUTPUT or not len(opened):
        return None
    frame = int(opened[-1])
    end = run.steps(address.process).end_of(frame)
    if end is None:
        return None
    (value,) = run.bound(address.process, end).operands
    given = run.leaves_of(value)
    inside = path if path in given else path[1:]
    return run.operand_leaf(address.process, end, (0, inside))


def _is_bundle(op: HloAsyncStart) -> bool:
    stated = op.result.types[GIVEN]
    return isinstance(stated, TupleType) and (len(op.operands) != 1 or len(stated.types) == 1)


def deciders(
    run: RecordedRun, address: Address, op: Op, opened: Numbers
) -> Iterator[tuple[Address, int | None, str]]:
    """The values that decided which frames there were: each with the operand that it is, and in words."""
    process, step = address.process, address.number
    if isinstance(op, Branching):
        yield run.operand_leaf(process, step, (0, ())), 0, "decides which branch runs"
    elif isinstance(op, While):
        for number, frame in enumerate(opened[CONDITION::2]):
            found = run.returned(process, int(frame), (0, ()))
            if found is not None:
                yield found, None, f"decides whether iteration {number} runs"
