"""Runs one process of a verified program, one op at a time, as a flat loop over explicit frames.

Frames are data: `snapshot` copies the stack and shares the values, so a run goes on from any
snapshot, in this interpreter or another. No Python recursion follows a program's depth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .errors import InputError, LimitError, ProgramError
from .events import Event, FrameEntered, OpFinished, OpStarted, RunFinished
from .ir.types import TensorType
from .limits import DEFAULT_LIMITS, Limits
from .memory import Ledger
from .ops.op import Array, Ask, AskingOp, Op, RunRegion
from .program import BoundBlock, BoundFunction, BoundOperation, BoundProgram


@dataclass(slots=True)
class Activation:
    """The values of one activation of a function, its regions included, by number."""

    values: dict[int, Array] = field(default_factory=dict)


@dataclass(slots=True)
class Frame:
    """Where one block is in its run. `step` is the step that opened it, `state` what its op wants back."""

    number: int
    block: BoundBlock
    activation: Activation
    opener: BoundOperation | None = None
    step: int | None = None
    state: Any = None
    next: int = 0


@dataclass(frozen=True, slots=True)
class Lanes:
    """State of a region that cannot be lifted and so runs once a lane; answers are kept in order."""

    ask: Ask
    answers: tuple[tuple[Array, ...], ...] = ()

    @property
    def request(self) -> RunRegion:
        """The request for all lanes."""
        assert isinstance(self.ask.request, RunRegion)
        return self.ask.request

    def lane(self) -> RunRegion:
        """The request for the lane whose turn it is."""
        shape = self.request.lanes or ()
        index = np.unravel_index(len(self.answers), shape)
        arguments = tuple(np.asarray(argument[index]) for argument in self.request.arguments)
        return RunRegion(self.request.region, arguments, len(self.answers))

    def joined(self) -> tuple[Array, ...]:
        """The answers of all lanes as arrays of the lanes' shape."""
        shape = self.request.lanes or ()
        return tuple(np.stack(column).reshape(shape) for column in zip(*self.answers, strict=True))


@dataclass(frozen=True)
class Snapshot:
    """A run at a position. The arrays are shared with the run, which never writes to them."""

    frames: tuple[Frame, ...]
    step_count: int
    frame_count: int
    ledger: Ledger


class Interpreter:
    """One process. `step` executes one op and tells what happened."""

    def __init__(
        self,
        program: BoundProgram,
        inputs: Sequence[Array],
        limits: Limits = DEFAULT_LIMITS,
        entry: str | None = None,
    ) -> None:
        self.program = program
        self.limits = limits
        self.step_count = 0
        self.frame_count = 0
        self.finished = False
        self.frames: list[Frame] = []
        self.ledger = Ledger()
        function = find_entry(program, entry)
        check_inputs(function, inputs)
        arguments = tuple(_read_only(array) for array in inputs)
        self.entered = self._push(program.blocks[function.block], Activation(), arguments)

    def snapshot(self) -> Snapshot:
        """The run as it is now; asks for a run between two steps."""
        return Snapshot(_copied(self.frames), self.step_count, self.frame_count, self.ledger.copy())

    def restore(self, snapshot: Snapshot) -> None:
        """Goes back, or on, to `snapshot`."""
        self.frames = list(_copied(snapshot.frames))
        self.step_count, self.frame_count = snapshot.step_count, snapshot.frame_count
        self.ledger = snapshot.ledger.copy()
        self.finished = not self.frames

    def step(self) -> Iterator[Event]:
        """Executes the next op. `RunError` and `LimitError` name it; the run cannot go on after them."""
        frame = self.frames[-1]
        bound = frame.block.operations[frame.next]
        step = self.step_count
        self.step_count += 1
        yield OpStarted(step, bound.id, frame.number, len(self.frames) - 1)
        operands = tuple(frame.activation.values[number] for number in bound.operands)
        if bound.op.terminator:
            yield OpFinished(step, ())
            yield from self._leave(operands)
        else:
            yield from self._start(frame, bound, step, operands)

    def _start(
        self, frame: Frame, bound: BoundOperation, step: int, operands: tuple[Array, ...]
    ) -> Iterator[Event]:
        self._check_cost(bound)
        with self._blaming(bound):
            answer = _begun(bound.op, operands)
        yield from self._take(frame, bound, step, answer)

    @contextmanager
    def _blaming(self, bound: BoundOperation) -> Iterator[None]:
        """What goes wrong inside is the fault of `bound`, and says so."""
        try:
            yield
        except MemoryError:
            raise self._out_of_memory(bound) from None
        except ProgramError as error:
            error.op, error.span = bound.operation.name, bound.operation.name_span
            raise

    def _take(
        self, frame: Frame, bound: BoundOperation, step: int, answer: Ask | tuple[Array, ...]
    ) -> Iterator[Event]:
        """Finishes the op with its results, or opens the frame that it asks for."""
        if isinstance(answer, Ask):
            yield self._open(frame, bound, step, answer)
            return
        results = tuple(_read_only(array) for array in answer)
        for number, array in zip(bound.results, results, strict=True):
            self._hold(frame.activation, number, array)
        for number in frame.block.releases[frame.next]:
            self._release(frame.activation, number)
        frame.next += 1
        if self.ledger.bytes > self.limits.session_memory_bytes:
            raise self._out_of_memory(bound)
        yield OpFinished(step, results)

    def _open(self, frame: Frame, bound: BoundOperation, step: int, ask: Ask) -> FrameEntered:
        request, state = ask.request, ask.state
        if not isinstance(request, RunRegion):
            block = self.program.blocks[self.program.functions[request.callee].block]
            return self._push(block, Activation(), request.arguments, bound, step, state)
        block = self.program.blocks[bound.regions[request.region]]
        if request.lanes is not None and not block.liftable:
            state = Lanes(ask)
            request = state.lane()
        return self._push(block, frame.activation, request.arguments, bound, step, state, request)

    def _push(
        self,
        block: BoundBlock,
        activation: Activation,
        arguments: tuple[Array, ...],
        opener: BoundOperation | None = None,
        step: int | None = None,
        state: Any = None,
        request: RunRegion | None = None,
    ) -> FrameEntered:
        if len(self.frames) >= self.limits.call_depth_limit:
            raise self._too_deep(opener)
        parent = self.frames[-1].number if self.frames else None
        frame = Frame(self.frame_count, block, activation, opener, step, state)
        self.frame_count += 1
        self.frames.append(frame)
        values = tuple(_read_only(array) for array in arguments)
        for number, array in zip(block.arguments, values, strict=True):
            self._hold(activation, number, array)
        iteration, lanes = (request.iteration, request.lanes) if request else (0, None)
        return FrameEntered(frame.number, block.id, parent, step, iteration, lanes, values)

    def _leave(self, answer: tuple[Array, ...]) -> Iterator[Event]:
        """Takes the top frame off and hands its answer to the op that opened it."""
        frame = self.frames.pop()
        self._forget(frame)
        if frame.opener is None or frame.step is None:
            self.finished = True
            yield RunFinished(answer)
            return
        parent = self.frames[-1]
        yield from self._take(parent, frame.opener, frame.step, self._resume(frame, answer))

    def _resume(self, frame: Frame, answer: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        bound, state = frame.opener, frame.state
        assert bound is not None
        assert isinstance(bound.op, AskingOp)
        with self._blaming(bound):
            if isinstance(state, Lanes):
                return self._next_lane(bound.op, replace(state, answers=(*state.answers, answer)))
            return bound.op.resume(state, answer)

    def _next_lane(self, op: AskingOp, lanes: Lanes) -> Ask | tuple[Array, ...]:
        if len(lanes.answers) < int(np.prod(lanes.request.lanes or ())):
            return Ask(lanes, lanes.lane())
        return op.resume(lanes.ask.state, lanes.joined())

    def _hold(self, activation: Activation, number: int, array: Array) -> None:
        self._release(activation, number)
        activation.values[number] = array
        self.ledger.add(array)

    def _release(self, activation: Activation, number: int) -> None:
        array = activation.values.pop(number, None)
        if array is not None:
            self.ledger.remove(array)

    def _forget(self, frame: Frame) -> None:
        """Lets go of the values of a block that has ended."""
        for number in frame.block.arguments:
            self._release(frame.activation, number)
        for operation in frame.block.operations:
            for number in operation.results:
                self._release(frame.activation, number)

    def _check_cost(self, bound: BoundOperation) -> None:
        """Refuses, before anything is allocated, what types alone show to be too much."""
        cost, limits = bound.cost, self.limits
        if cost.flops > limits.op_flops:
            raise self._refused(bound, "op_flops", f"needs {cost.flops:,} scalar operations", limits.op_flops)
        size = max(cost.result_bytes, cost.scratch_bytes)
        if size > limits.max_tensor_bytes:
            raise self._refused(bound, "max_tensor_bytes", f"makes {size:,} bytes", limits.max_tensor_bytes)

    def _refused(self, bound: BoundOperation, limit: str, need: str, allowed: int) -> LimitError:
        return LimitError(
            f"{need}, more than the limit {limit} = {allowed:,}",
            bound.operation.name_span,
            op=bound.operation.name,
            label=limit,
            hint=f"use smaller tensors, or start hloscope with --set {limit}=… if this machine can bear it",
        )

    def _out_of_memory(self, bound: BoundOperation) -> LimitError:
        limit = self.limits.session_memory_bytes
        return self._refused(bound, "session_memory_bytes", "leaves the run with more live bytes", limit)

    def _too_deep(self, opener: BoundOperation | None) -> LimitError:
        limit = self.limits.call_depth_limit
        return LimitError(
            f"more than call_depth_limit = {limit} functions and regions are open in each other",
            opener.operation.name_span if opener else self.program.ops[0].operation.name_span,
            op=opener.operation.name if opener else None,
            label="call_depth_limit",
            hint="does a function call itself without end?",
        )


def _begun(op: Op, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
    if isinstance(op, AskingOp):
        return op.begin(operands)
    results = op.evaluate(*operands)
    return results if isinstance(results, tuple) else (results,)


def find_entry(program: BoundProgram, name: str | None) -> BoundFunction:
    """The function to run; `InputError` lists the functions if `name` is none of them."""
    found = program.functions.get(name.removeprefix("@")) if name else program.entry
    if found is None:
        names = ", ".join(f"@{function}" for function in program.functions)
        what = (
            f"there is no function @{name.removeprefix('@')}" if name else "no function is the obvious entry"
        )
        raise InputError(f"{what}; the program defines {names}", hint="name the entry function")
    return found


def check_inputs(function: BoundFunction, inputs: Sequence[Array]) -> None:
    """`InputError` unless there is one array of the right shape and dtype for each argument."""
    arguments = function.function.arguments
    if len(inputs) != len(arguments):
        raise InputError(f"@{function.function.name} takes {len(arguments)} inputs, not {len(inputs)}")
    for number, (argument, array) in enumerate(zip(arguments, inputs, strict=True)):
        wanted = argument.type
        if not isinstance(wanted, TensorType) or not wanted.is_static:
            message = (
                f"argument {number} ({argument.name}) has the type {wanted}, which cannot be an input yet"
            )
            raise InputError(message, argument.span, hint="give every dimension a size")
        if array.shape != wanted.shape or array.dtype != wanted.element_type.dtype:
            found = f"{array.dtype}{list(array.shape)}"
            raise InputError(f"argument {number} ({argument.name}) is {wanted}, not {found}", argument.span)


def _read_only(array: Array) -> Array:
    array = np.asarray(array)
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


def _copied(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """Frames with values of their own; those of one activation go on sharing them."""
    activations = {id(frame.activation): Activation(dict(frame.activation.values)) for frame in frames}
    return tuple(replace(frame, activation=activations[id(frame.activation)]) for frame in frames)
