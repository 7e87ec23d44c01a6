"""Interpreter of one process of a verified program: a flat loop over explicit frames.

Frames are data: `snapshot` copies the stack and shares the values, so a run can continue from any snapshot, in
this interpreter or another. The depth of a program causes no Python recursion.
"""

from __future__ import annotations

from array import array as column
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, prod
from operator import sub
from time import perf_counter
from typing import Any

from numpy import ndarray

from .entry import check_inputs, find_entry
from .errors import ProgramError, RunError, UnboundResults
from .events import FrameEntered, Iterated, Listener, Loops, LoopStart
from .executor import SIGNALS, Executor, Segment, Segments
from .findings.kinds import signalled_ops
from .frames import Frame, Lanes, Pending, Snapshot, Values, copy_frames
from .ir.types import TensorType
from .limits import DEFAULT_LIMITS, Limits
from .memory import SMALL, Ledger
from .ops.collectives.collective_rules import CollectiveOp
from .ops.control_flow.control_flow import Loop, While
from .ops.core.dynamic_op import DynamicOp
from .ops.core.exchanges import Exchange, ExecuteCollective, GridPosition, Where
from .ops.core.op import Array, Ask, AskingOp, CallFunction, Count, Keep, Note, Print, Recall, RunRegion
from .ops.core.process_groups import ALONE, ProcessId
from .ops.core.quiet import Flags, quiet
from .ops.core.values import freeze, read_only_view
from .ops.specialise import specialise_op
from .outside_results import Bindings, GivenResults
from .program import BoundBlock, BoundOperation, BoundProgram
from .remote_values import local
from .run_errors import attribute_error, check_cost, check_results, may_exceed, out_of_memory, too_deep
from .scalar_loops import ScalarLoop, carried, scalar_loop
from .shared_results import SharedResults

_MOST_SPECIALISED = 10_000
"""Maximum number of cached ops with determined sizes."""
_LEAST_TOGETHER, _MOST_TOGETHER = 3, 256
"""Minimum and maximum number of ops that run together."""
_MOST_BYTES = 1 << 14
"""Maximum bytes of the result of such an op: what they make is stored once all have run."""
Answer = Ask | Array | tuple[Array, ...]
"""The reply of an op: its results, or a request."""
StepRounding = Callable[[BoundOperation, tuple[Array, ...], tuple[Array, ...], int], tuple[Array, ...]]
"""A function of an op, its operands, its results and its step that returns other results."""
Rounding = Callable[[BoundOperation, tuple[Array, ...], tuple[Array, ...], int, int], tuple[Array, ...]]
"""The same for a run of several processes: the last argument is the number of the process."""
NOWHERE_ELSE = GridPosition(ProcessId(0, 0), ALONE)
"""The position of a single process."""


@dataclass
class SharedCaches:
    """Caches derived from a program, shared by all processes of a run."""

    specialised: dict[object, BoundOperation] = field(default_factory=dict)
    """Specialised operations by number, values of dynamic operands, and operand shapes."""
    scalar_loops: dict[int, ScalarLoop | None] = field(default_factory=dict)
    """Scalar loops by the number of their `while`; `None` for any other `while`."""
    segments: Segments | None = None
    """What an executor computes, if there is one."""


def counts_together(program: BoundProgram) -> tuple[column[int], ...]:
    """For each place of each block, the number of ops from there on that may run together."""
    return tuple(map(_counts_together, program.blocks))


def _counts_together(block: BoundBlock) -> column[int]:
    counts, count = column("I"), 0
    for bound in reversed(block.operations):
        count = count + 1 if bound.plain and len(bound.results) == 1 and bound.bytes <= _MOST_BYTES else 0
        counts.append(count)
    counts.reverse()
    return counts


class Interpreter:
    """Interpreter of one process; `run` executes ops and reports events to its listener.

    Where an op needs other processes, `run` returns and `waiting` has the request; `answer` continues.
    Interpreters of one run share a ledger.
    """

    def __init__(
        self,
        program: BoundProgram,
        inputs: Sequence[Array],
        limits: Limits = DEFAULT_LIMITS,
        entry: str | None = None,
        bindings: Bindings | None = None,
        place: GridPosition = NOWHERE_ELSE,
        ledger: Ledger | None = None,
        caches: SharedCaches | None = None,
        shared: SharedResults | None = None,
        flags: Flags | None = None,
        rounding: StepRounding | None = None,
        executor: Executor | None = None,
    ) -> None:
        """Set up a process; interpreters of one program may share `caches`.

        With `shared` results, this process reuses results that another one computed from the same arrays. The
        run's environment collects `flags`. `rounding` replaces the results of ops, without those of bodies.
        An `executor` computes segments in place of the engine.
        """
        self.program = program
        self.limits = limits
        self.step_count = 0
        self.frame_count = 0
        self.frames: list[Frame] = []
        self.place = place
        self.waiting: Pending | None = None
        """The request of the current op to other processes, while it waits."""
        self.ledger = ledger or Ledger()
        self._shared = shared
        self._flags = flags or Flags()
        self._rounding = rounding
        self.probes: Mapping[str, tuple[Array, ...]] = {}
        """Values recorded by probes, by name; replaced, never mutated."""
        self._counters: Mapping[str, int] = {}
        """Values of the program's counters by name; replaced, never mutated."""
        self.returned: tuple[Array, ...] = ()
        """The entry function's results; `None` before it returns."""
        self._caches = caches or SharedCaches()
        self._executor = executor
        self._kernels: Mapping[int, Segment] = {}
        self._signalled = program.derive(signalled_ops) if executor is not None else frozenset()
        if executor is not None and self._caches.segments is None:
            self._caches.segments = Segments(program, limits, bindings or (), is_strict=executor.is_strict)
        self._settled: dict[int, BoundOperation] = {}
        self._may_exceed = may_exceed(program, limits)
        self._is_alone = executor is None and shared is None and rounding is None and not self._may_exceed
        """Whether nothing but the ops themselves determines results."""
        self._together = program.derive(counts_together)
        self._stop, self._deadline = 0, inf
        if self._caches.segments is not None:
            self._kernels = self._caches.segments.kernels
        function = find_entry(program, entry)
        check_inputs(function, inputs)
        self._outside = GivenResults(program, bindings or {})
        arguments = tuple(read_only_view(array) for array in inputs)
        self.entered = self._push(program.blocks[function.block], {}, arguments)

    @property
    def finished(self) -> bool:
        """Whether the entry function has returned."""
        return not self.frames

    @property
    def is_ahead(self) -> bool:
        """Whether the executor has computed the results of the next op."""
        frame = self.frames[-1] if self.frames else None
        return frame is not None and bool(frame.ahead)

    def static_form(self, op: int) -> BoundOperation:
        """The op with the sizes of its latest execution, if any."""
        return self._settled.get(op, self.program.ops[op])

    def snapshot(self) -> Snapshot:
        """Take a snapshot; the run must be between two steps."""
        frames = copy_frames(self.frames)
        counts = self.step_count, self.frame_count
        return Snapshot(frames, *counts, self.probes, self._counters, self.waiting)

    def restore(self, snapshot: Snapshot, ledger: Ledger) -> None:
        """Restore `snapshot`; `ledger` is the run's ledger at that time."""
        self.frames = list(copy_frames(snapshot.frames))
        self.step_count, self.frame_count = snapshot.step_count, snapshot.frame_count
        self.ledger, self.probes = ledger, snapshot.probes
        self._counters, self.waiting = snapshot.counters, snapshot.waiting

    def run(self, listener: Listener, stop: int, deadline: float = inf) -> None:
        """Execute ops until `stop` have begun, one waits, the run ends, or `deadline` has passed.

        The deadline is in terms of `perf_counter()`. At least one op is executed. `RunError` and `LimitError`
        name the op at which they occur; the run cannot continue after them.
        """
        self._stop, self._deadline = stop, deadline
        seconds = listener.seconds
        with quiet():
            while self.frames:
                frame = self.frames[-1]
                count = self._together[frame.block.id][frame.next] if self._is_alone else 0
                is_done = count >= _LEAST_TOGETHER and self._run_together(frame, count, listener)
                begin = now = perf_counter()
                if not is_done:
                    self._step(listener)
                    now = perf_counter()
                    if seconds is not None:
                        seconds.append(now - begin)
                if self.step_count >= self._stop or now >= deadline:
                    break

    def answer(self, listener: Listener, answer: Any) -> None:
        """Pass the answer to the waiting op; for a `CallFunction`, call it and pass its results."""
        pending, self.waiting = self.waiting, None
        assert pending is not None
        bound, frame = pending.bound, self.frames[-1]
        if isinstance(answer, CallFunction):
            ask = Ask(pending.state, answer)
            listener.frame_entered(self._open(frame, bound, pending.step, ask))
            return
        # Faults of started results are checked where they arrive.
        started = answer == () and isinstance(pending.request, ExecuteCollective)
        begin = perf_counter()
        with quiet():
            found = self._resume_pending(pending, answer)
            if self._rounding is not None and not started and not isinstance(found, Ask):
                operands = tuple([frame.values[number] for number in bound.operands])
                found = self._rounding(bound, operands, found, pending.step)
            self._finish(frame, bound, pending.step, found, listener, started=started)
        listener.op_waited(pending.step, perf_counter() - begin)

    def _resume_pending(self, pending: Pending, answer: Any) -> Ask | tuple[Array, ...]:
        """The op's reply to an answer; placeholders for a collective op that is only started."""
        bound, request = pending.bound, pending.request
        if pending.started and answer == ():
            assert isinstance(request, ExecuteCollective)
            return request.placeholders
        assert isinstance(bound.op, AskingOp)
        try:
            return bound.op.resume(pending.state, answer)
        except MemoryError:
            raise out_of_memory(bound, self.limits) from None
        except ProgramError as error:
            raise attribute_error(error, bound) from None

    def _run_together(self, frame: Frame, count: int, listener: Listener) -> bool:
        """Execute up to `count` ops that need nothing but their operands, and tell the listener of all at once.

        Returns False if `_step` must execute the next op: it fails, its result is not an array, or memory is short.
        """
        if self.ledger.bytes + _MOST_TOGETHER * _MOST_BYTES > self.limits.session_memory_bytes:
            return False
        begin, place, values, clock = self.step_count, frame.next, frame.values, perf_counter
        flags, checked, glances = self._flags, self._flags.checked, self._flags.glances
        last = place + min(count, _MOST_TOGETHER, self._stop - begin)
        operations, releases = frame.block.operations[place:last], frame.block.releases[place:last]
        made, times = list[Array](), [now := clock()]
        for bound, released in zip(operations, releases, strict=True):
            numbers, quick = bound.operands, bound.quick
            operands: tuple[Array, ...]
            if len(numbers) == 2:  # as in most ops, where a comprehension takes as long as the function
                operands = values[numbers[0]], values[numbers[1]]
            else:
                operands = tuple([values[number] for number in numbers])
            try:
                if quick is not None and operands[0].base is None:
                    result = quick(*operands)
                else:
                    result = bound.op.evaluate(*operands)
            except (MemoryError, ProgramError):
                break
            if type(result) is not ndarray:
                break
            result.setflags(False)  # type: ignore[call-arg]  # by name takes three times as long
            op, number = bound.id, bound.results[0]
            if flags.raised or (op in checked and (op not in glances or glances[op](operands, result))):
                step = begin + len(made)
                listener.op_suspected(step, frame.number, bound, operands, (result,), flags.take())
                flags.raised = 0  # by looking
            made.append(result)
            if result.nbytes > SMALL or result.base is not None:
                self._hold(values, number, result)
            else:
                values[number] = result
            for number in released:
                gone = values.pop(number, None)
                if gone is not None and (gone.nbytes > SMALL or gone.base is not None):
                    self.ledger.remove(gone)
            times.append(now := clock())
            if now >= self._deadline:
                break
        frame.next, self.step_count = place + len(made), begin + len(made)
        if made:
            listener.ops_finished(operations[: len(made)], frame.number, len(self.frames) - 1, begin, made)
        if listener.seconds is not None:
            listener.seconds.extend(map(sub, times[1:], times))
        return len(made) == len(operations) or now >= self._deadline

    def _step(self, listener: Listener) -> None:
        frame = self.frames[-1]
        bound = frame.block.operations[frame.next]
        step = self.step_count
        self.step_count = step + 1
        listener.op_started(bound.id, frame.number, len(self.frames) - 1)
        values = frame.values
        op = bound.op
        if self._executor is not None and (found := self._executed(self._executor, frame, bound, step)):
            self._flags.raised |= SIGNALS if bound.id in self._signalled else 0
            self._finish(frame, bound, step, found, listener)
            return
        operands: tuple[Array, ...]
        numbers = bound.operands
        if len(numbers) == 2:  # as in most ops, where a comprehension takes as long as the function
            operands = values[numbers[0]], values[numbers[1]]
        else:
            operands = tuple([values[number] for number in numbers])
        if self._executor is not None:
            operands = self._fetched(frame, bound, operands)
        if not bound.plain and op.traits.is_terminator:
            listener.op_finished(step, ())
            self._return(operands, listener)
            return
        answer: Answer
        try:
            if bound.special:
                bound = self._specialise(bound, operands)
                op = bound.op
            if self._may_exceed:
                check_cost(bound, self.limits)
            if self._shared is not None and not bound.light:
                answer = self._evaluate_shared(self._shared, bound, operands)
            elif bound.plain:
                answer = op.evaluate(*operands)
            else:
                answer = op.begin(operands) if isinstance(op, AskingOp) else op.evaluate(*operands)
        except MemoryError:
            raise out_of_memory(bound, self.limits) from None
        except UnboundResults as error:
            given = self._outside.answer(bound, self.place, self._counters, operands, error)
            answer, self._counters = given
        except ProgramError as error:
            raise attribute_error(error, bound) from None
        if self._rounding is not None and not isinstance(answer, Ask):
            results = answer if isinstance(answer, tuple) else (answer,)
            answer = self._rounding(bound, operands, results, step)
        if isinstance(answer, Ask):
            self._finish(frame, bound, step, answer, listener)
        else:
            self._complete(frame, bound, step, operands, answer, listener)

    def _executed(
        self, executor: Executor, frame: Frame, bound: BoundOperation, step: int
    ) -> tuple[Array, ...]:
        """The results of an op by the executor; empty if the engine computes them."""
        segments = self._caches.segments
        if segments is None or frame.is_inside or bound.id not in segments:
            return ()
        if bound.id not in frame.ahead:
            segment = segments.beginning_at(bound.id)
            try:
                frame.ahead = dict(executor.execute(segment, frame.values, self.place, step))
            except ProgramError as error:
                raise attribute_error(error, bound) from None
        return frame.ahead.pop(bound.id, ())

    def _fetched(self, frame: Frame, bound: BoundOperation, operands: tuple[Array, ...]) -> tuple[Array, ...]:
        """The operands of an op that the engine computes; those that it only passes on may stay remote."""
        passer = frame.opener if bound.op.traits.is_terminator and frame.opener else bound
        op = passer.op.unpacked
        passes = op.explanation.passes_values and not isinstance(op, CollectiveOp)
        makes_tensors = all(isinstance(each, TensorType) for each in passer.operation.function_type.results)
        if passes and makes_tensors and not frame.is_inside:
            return operands
        try:
            return tuple(map(local, operands))
        except ProgramError as error:
            raise attribute_error(error, bound) from None

    def _evaluate_shared(
        self, shared: SharedResults, bound: BoundOperation, operands: tuple[Array, ...]
    ) -> Ask | tuple[Array, ...]:
        """The op's reply, reusing the results of a process with the same operands."""
        if (found := shared.find(bound, operands)) is not None:
            self._flags.raised |= found.raised
            return found.results
        op = bound.op
        answer = op.begin(operands) if isinstance(op, AskingOp) else op.evaluate(*operands)
        if isinstance(answer, Ask):
            return answer
        results = tuple(map(freeze, answer)) if isinstance(answer, tuple) else (freeze(answer),)
        shared.keep(bound, operands, results, self._flags.raised)
        return results

    def _specialise(self, bound: BoundOperation, operands: tuple[Array, ...]) -> BoundOperation:
        """Specialise an operation to actual types; raise `RunError` if it cannot run."""
        numbers = bound.op.numbers_in(operands) if isinstance(bound.op, DynamicOp) else None
        key = (bound.id, numbers, *[operand.shape for operand in operands])
        found = self._caches.specialised.get(key)
        if found is None:
            if reason := bound.op.unrunnable():
                raise RunError(reason)
            op = specialise_op(bound.op, operands) if bound.dynamic else bound.op
            inferred = op.infer() or bound.operation.function_type.results
            results = inferred if isinstance(inferred, tuple) else (inferred,)
            cost = op.cost(op.operand_types, results)
            if len(self._caches.specialised) >= _MOST_SPECIALISED:
                self._caches.specialised.clear()
            found = self._caches.specialised[key] = replace(bound, op=op, cost=cost)
        self._settled[bound.id] = found
        return found

    def _finish(
        self,
        frame: Frame,
        bound: BoundOperation,
        step: int,
        answer: Answer,
        listener: Listener,
        *,
        started: bool = False,
    ) -> None:
        """Finish the op with its results, open the frame that it requests, or wait."""
        while isinstance(answer, Ask):
            request = answer.request
            if isinstance(request, (CallFunction, RunRegion)):  # a union takes longer
                if isinstance(answer.state, Loop) and answer.state.testing:
                    answer = self._run_scalar_loop(frame, bound, step, answer, listener)
                listener.frame_entered(self._open(frame, bound, step, answer))
                return
            if isinstance(request, Exchange):
                self._wait(frame, bound, step, answer.state, request)
                return
            answer = self._answer_note(bound, step, answer.state, request, listener)
        operands = tuple([frame.values[number] for number in bound.operands])
        self._complete(frame, bound, step, operands, answer, listener, started)

    def _complete(
        self,
        frame: Frame,
        bound: BoundOperation,
        step: int,
        operands: tuple[Array, ...],
        answer: Array | tuple[Array, ...],
        listener: Listener,
        started: bool = False,
    ) -> None:
        """Finish the op with its results."""
        results = tuple(map(freeze, answer)) if isinstance(answer, tuple) else (freeze(answer),)
        if bound.dynamic:
            check_results(bound, results)
        values, flags = frame.values, self._flags
        if not started and (flags.raised or bound.id in flags.checked):
            listener.op_suspected(step, frame.number, bound, operands, results, flags.take())
            flags.raised = 0  # by looking
        for at, number in enumerate(bound.results):  # a strict `zip` takes as long as a small op
            if number in values or results[at].nbytes > SMALL or results[at].base is not None:
                self._hold(values, number, results[at])
            else:
                values[number] = results[at]
        for number in frame.block.releases[frame.next]:
            self._release(values, number)
        frame.next += 1
        if self.ledger.bytes > self.limits.session_memory_bytes:
            raise out_of_memory(bound, self.limits)
        listener.op_finished(step, results)

    def _wait(self, frame: Frame, bound: BoundOperation, step: int, state: Any, request: Exchange) -> None:
        started = False
        if frame.asynchronous and isinstance(request, ExecuteCollective) and not request.placeholders:
            assert isinstance(bound.op, CollectiveOp)
            if bound.op.deferrable:
                request, started = ExecuteCollective(request.values, bound.op.placeholders()), True
        self.waiting = Pending(bound, step, state, request, started)
        self._stop = self.step_count

    def _answer_note(
        self, bound: BoundOperation, step: int, state: Any, note: Note, listener: Listener
    ) -> Ask | tuple[Array, ...]:
        """The next reply of an op that requested a value of the run."""
        answer: Any = ()
        if isinstance(note, Print):
            listener.op_printed(step, note.text)
        elif isinstance(note, Keep):
            self.probes = {**self.probes, note.probe: (*self.probes.get(note.probe, ()), note.value)}
            self.ledger.add(note.value)
        elif isinstance(note, Count):
            self._counters, answer = note.advance(self._counters)
        elif isinstance(note, Recall):
            answer = self.probes.get(note.probe, ())
        else:
            assert isinstance(note, Where)
            answer = self.place
        assert isinstance(bound.op, AskingOp)
        try:
            return bound.op.resume(state, answer)
        except ProgramError as error:
            raise attribute_error(error, bound) from None

    def _run_scalar_loop(
        self, frame: Frame, bound: BoundOperation, step: int, ask: Ask, listener: Listener
    ) -> Ask:
        """Iterate a scalar loop as far as possible, unless the listener wants each step."""
        if listener.loops is Loops.STEP_BY_STEP or self._rounding is not None or self._executor is not None:
            return ask
        assert isinstance(bound.op, While)
        if bound.id not in self._caches.scalar_loops:
            condition, body = (self.program.blocks[number] for number in bound.regions)
            self._caches.scalar_loops[bound.id] = scalar_loop(condition, body, bound.op.operand)
        loop = self._caches.scalar_loops[bound.id]
        if loop is None:
            return ask
        outer = {number: frame.values[number] for number, _ in loop.outer}
        values, start = ask.state.values, LoopStart(ask.state.iteration, carried(ask.state.values))
        place = len(self.frames), frame.number, step
        while (most := self._iterations_left(loop, start, listener)) > 0:
            told = self._known_iterations(loop, start, outer, place, listener)
            if told is None:
                told = self._iterate(loop, values, start, outer, most, place, listener)
            if not told.iterations:
                break
            self._tell_iterations(told, listener)
            values, start = loop.values(told.end.values), told.end
            if told.iterations < most or perf_counter() >= self._deadline:
                break
        return bound.op.test(values, start.iteration)

    def _iterations_left(self, loop: ScalarLoop, start: LoopStart, listener: Listener) -> int:
        """The iterations before the run stops; for a listener, before the next batch, which begins in all runs alike."""
        left = max(0, self._stop - self.step_count) // len(loop.ops)
        batch = loop.batch - start.iteration % loop.batch
        return min(left, batch) if listener.loops is Loops.TOGETHER else left

    def _known_iterations(
        self,
        loop: ScalarLoop,
        start: LoopStart,
        outer: Values,
        place: tuple[int, int, int],
        listener: Listener,
    ) -> Iterated | None:
        """Iterations that the listener knows from an earlier recording, as far as the run goes."""
        last = start.iteration + max(0, self._stop - self.step_count) // len(loop.ops)
        known = listener.known_starts(place[2], start)
        known = [later for later in known if later.iteration <= last]
        if not known:
            return None
        starts = (start, *known[:-1])
        return Iterated(loop, starts, known[-1], outer, (), self.step_count, self.frame_count, *place)

    def _iterate(
        self,
        loop: ScalarLoop,
        values: tuple[Array, ...],
        start: LoopStart,
        outer: Values,
        most: int,
        place: tuple[int, int, int],
        listener: Listener,
    ) -> Iterated:
        keep = listener.loops is Loops.TOGETHER and not self._flags.in_loops.isdisjoint(loop.ops)
        outcome = loop.run(values, outer, most, self._deadline, keep=keep)
        end = LoopStart(start.iteration + outcome.iterations, outcome.scalars)
        return Iterated(loop, (start,), end, outer, outcome.rows, self.step_count, self.frame_count, *place)

    def _tell_iterations(self, told: Iterated, listener: Listener) -> None:
        listener.loop_iterated(told)
        if len(told.starts) == 1 and (
            self._flags.raised or not self._flags.in_loops.isdisjoint(told.loop.ops)
        ):
            listener.loop_suspected(told, self._flags.take())
            self._flags.raised = 0
        self.step_count += told.iterations * len(told.loop.ops)
        self.frame_count += told.iterations * 2

    def _open(self, frame: Frame, bound: BoundOperation, step: int, ask: Ask) -> FrameEntered:
        request, state = ask.request, ask.state
        values: Values = {}
        if isinstance(request, CallFunction):
            block = self.program.blocks[self.program.find_callee(frame.block, request.callee).block]
        else:
            assert isinstance(request, RunRegion)
            block = self.program.blocks[bound.regions[request.region]]
            if block.opener is not None:
                values = frame.values  # a function's body captures nothing
        if request.lanes is not None and not block.liftable:
            state = Lanes(ask)
            request = state.lane()
        return self._push(block, values, request.arguments, bound, step, state, request)

    def _push(
        self,
        block: BoundBlock,
        values: Values,
        arguments: tuple[Array, ...],
        opener: BoundOperation | None = None,
        step: int | None = None,
        state: Any = None,
        request: RunRegion | CallFunction | None = None,
    ) -> FrameEntered:
        if len(self.frames) >= self.limits.call_depth_limit:
            raise too_deep(opener or self.program.ops[0], self.limits)
        parent = self.frames[-1].number if self.frames else None
        asynchronous = isinstance(request, RunRegion) and request.asynchronous
        frame = Frame(self.frame_count, block, values, opener, step, state, asynchronous=asynchronous)
        if self._executor is not None and opener is not None:
            traits = opener.op.unpacked.traits
            frame.is_inside = (
                self.frames[-1].is_inside
                or opener.id in self._kernels
                or traits.computes_alone
                or (isinstance(opener.op, CollectiveOp) and not traits.is_isolated)
            )
        self.frame_count += 1
        self.frames.append(frame)
        given = tuple(map(freeze, arguments))
        for number, array in zip(block.arguments, given, strict=True):
            self._hold(values, number, array)
        iteration, lanes = (request.iteration, request.lanes) if request else (0, None)
        return FrameEntered(frame.number, block.id, parent, step, iteration, lanes, given)

    def _return(self, answer: tuple[Array, ...], listener: Listener) -> None:
        """Pop the top frame and pass its results to the op that opened it."""
        frame = self.frames.pop()
        # Everything else was released with its last reader.
        for number in frame.block.releases[-1]:
            self._release(frame.values, number)
        if frame.opener is None or frame.step is None:
            self.returned = answer
            listener.run_finished(answer)
            return
        try:
            following = self._resume(frame, answer)
            if self._executor is not None and frame.opener.id in self._kernels:
                values, kernel = self.frames[-1].values, self._kernels[frame.opener.id]
                found = self._executor.execute(kernel, values, self.place, frame.step)
                following = found.get(frame.opener.id, following)
        except MemoryError:
            raise out_of_memory(frame.opener, self.limits) from None
        except ProgramError as error:
            raise attribute_error(error, frame.opener) from None
        self._finish(self.frames[-1], frame.opener, frame.step, following, listener)

    def _resume(self, frame: Frame, answer: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        bound, state = frame.opener, frame.state
        assert bound is not None
        assert isinstance(bound.op, AskingOp)
        if isinstance(state, Lanes):
            return self._next_lane(bound.op, replace(state, answers=(*state.answers, answer)))
        return bound.op.resume(state, answer)

    def _next_lane(self, op: AskingOp, lanes: Lanes) -> Ask | tuple[Array, ...]:
        if len(lanes.answers) < prod(lanes.request.lanes or ()):
            return Ask(lanes, lanes.lane())
        return op.resume(lanes.ask.state, lanes.join())

    def _hold(self, values: Values, number: int, array: Array) -> None:
        if number in values:
            self._release(values, number)
        values[number] = array
        if array.nbytes > SMALL or array.base is not None:
            self.ledger.add(array)

    def _release(self, values: Values, number: int) -> None:
        array = values.pop(number, None)
        if array is not None and (array.nbytes > SMALL or array.base is not None):
            self.ledger.remove(array)
