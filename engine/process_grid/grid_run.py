"""Run a program on a grid of processes, one process at a time until it waits, in a fixed order.

Each process has a clock that counts ticks. A step takes one tick; a process that waited continues at the tick
after the last awaited arrival. So ticks tell which steps may be simultaneous, whatever the order of
execution.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from math import inf
from time import perf_counter
from typing import Any
from weakref import proxy

import numpy as np

from ..errors import InputError, LimitError, ProgramError
from ..events import Listener
from ..executor import Executor
from ..frames import Snapshot
from ..interpreter import Interpreter, Rounding, SharedCaches
from ..limits import DEFAULT_LIMITS, Limits
from ..memory import Ledger
from ..ops.collectives.point_to_point import PointToPoint
from ..ops.core.blas import run_environment
from ..ops.core.exchanges import Array, Arrays, Await, ExecuteCollective, GridPosition, Receive, RunGrid, Send
from ..ops.core.quiet import Flags
from ..outside_results import Bindings
from ..program import BoundOperation, BoundProgram
from ..run_errors import attribute_error
from ..shared_results import SharedResults
from .deadlock import find_deadlock
from .grid_events import GridListener, LaunchGroup
from .host_queues import HostQueues, Queues, QueueTransfers, host_channels
from .launch import Launch, QueueKey
from .process_names import ProcessNames
from .rendezvous import Caller, Coordinator
from .traffic import Traffic

TURN = 4096
"""Maximum number of steps before another process gets a turn."""
Schedule = Callable[[Sequence[int]], tuple[int, int]]
"""Chooses the next process among those that can continue, and the length of its turn in steps."""


@dataclass
class Process:
    """One process of the run."""

    number: int
    launch_group: LaunchGroup
    interpreter: Interpreter
    listener: Listener
    offset: int
    """Tick of its next step minus the number of that step."""
    waits: bool = False
    awaited_queue: QueueKey | None = None
    """The user's queue that it waits to be filled."""
    answered: bool = False
    """Whether its request is answered, and it has not continued yet."""
    answer: Any = None

    @property
    def next_tick(self) -> int:
        """The tick at which its next step begins."""
        return self.interpreter.step_count + self.offset

    @property
    def ended(self) -> bool:
        """Whether its function has returned."""
        return self.interpreter.finished


@dataclass(frozen=True)
class GridSnapshot:
    """The state of a grid run between two steps. Arrays are shared with the run."""

    launch_groups: tuple[LaunchGroup, ...]
    processes: tuple[tuple[Process, Snapshot], ...]
    traffic: Traffic
    ledger: Ledger
    steps: int
    turn: tuple[int, int]
    outcomes: Mapping[int, Mapping[int, Arrays]]

    @property
    def step_count(self) -> int:
        """Number of steps of all processes."""
        return self.steps

    def steps_of(self, process: int) -> int:
        """Number of steps of one process; -1 if there was no such process."""
        return self.processes[process][1].step_count if process < len(self.processes) else -1


class GridRun:
    """A run of `program`. `run` continues it and notifies the listener."""

    def __init__(
        self,
        program: BoundProgram,
        launch: Launch,
        listener: GridListener,
        limits: Limits = DEFAULT_LIMITS,
        entry: str | None = None,
        bindings: Bindings | None = None,
        schedule: Schedule | None = None,
        flags: Flags | None = None,
        rounding: Rounding | None = None,
        executor: Executor | None = None,
    ) -> None:
        """`flags` collects floating-point flags, so that listeners are notified of suspected ops.

        `rounding` replaces the results of ops, and `executor` computes segments (see `Interpreter`).
        """
        launch.check(limits)
        self.program, self.limits = program, limits
        self.launch_groups: list[LaunchGroup] = []
        self.processes: list[Process] = []
        self.queues = Queues(launch.feeds)
        self.ledger = Ledger()
        self.step_count = 0
        """Number of steps of all processes."""
        self._listener, self._entry, self._bindings, self._chooser = listener, entry, bindings, schedule
        self._names = ProcessNames(program.module.source, self.launch_groups)
        self._coordinator = self._make_coordinator(listener)
        self._hosts = HostQueues(self._names, self._coordinator, listener, self.ledger)
        self._queue_transfers = QueueTransfers(
            self.queues, self._coordinator, self._hosts, listener, self._weak_release()
        )
        self._turn = (0, 0)
        self._flags, self._rounding, self._executor = flags, rounding, executor
        self._outcomes: dict[int, dict[int, Arrays]] = {}
        """Results of the processes of a launch group, while its opener waits for them."""
        self._failure: tuple[int, int, ProgramError] | None = None
        self._caches, self._shared = SharedCaches(), SharedResults() if launch.has_same_inputs else None
        entries = (entry,) * launch.grid.num_processes
        self._begin(LaunchGroup(0, launch.grid, 0, 0), entries, _inputs_of(launch))

    @property
    def finished(self) -> bool:
        """Whether the run's own processes have returned."""
        return all(self.processes[number].ended for number in self.launch_groups[0].numbers)

    @property
    def awaited_queues(self) -> dict[int, QueueKey]:
        """Processes that wait for the user to fill a queue."""
        return {
            found.number: found.awaited_queue for found in self.processes if found.awaited_queue is not None
        }

    def steps_of(self, process: int) -> int:
        """Number of steps of one process; 0 if there is no such process."""
        return self.processes[process].interpreter.step_count if process < len(self.processes) else 0

    @property
    def failed(self) -> int | None:
        """The process that failed."""
        return self._failure[1] if self._failure else None

    @property
    def current(self) -> int:
        """The process whose turn it is."""
        return self._turn[0]

    @property
    def names(self) -> ProcessNames:
        """Names of processes and ops for messages."""
        return self._names

    def run(self, stop: float = inf, deadline: float = inf) -> None:
        """Continue until `stop` steps in total, `deadline`, or until no process can continue.

        `deadline` is a time of `perf_counter()`. An error is raised once every other process has reached the
        tick of the failure, so that all are seen at the same tick. It is a `DeadlockError` if processes wait
        forever.
        """
        with run_environment(self._flags):
            while self.step_count < stop:
                process = self._next_process()
                if process is None:
                    if self._can_return_items and self._hosts.return_item():
                        continue
                    self._check_end()
                    return
                self._take_turn(process, stop, deadline)
                if perf_counter() >= deadline:
                    return

    def finish_ahead(self, process: int) -> None:
        """Execute the ops of a process whose results its executor has computed already."""
        while self.processes[process].interpreter.is_ahead:
            before = self.step_count
            self.run(before + 1)
            if self.step_count == before:
                return

    def feed(self, queue: QueueKey, items: Sequence[Arrays]) -> None:
        """Append `items` to one of the user's queues and continue a process that waits for it.

        `InputError` for a queue that `check_feed` rejects.
        """
        self.check_feed(queue)
        self.queues.add(queue, items)
        for process in self.processes:
            if process.awaited_queue is not None:
                process.awaited_queue = None
                self._serve(process)

    def check_feed(self, queue: QueueKey) -> None:
        """`InputError` for a queue between running processes: its content must not depend on timing."""
        if queue.kind == "host" and any(
            queue.channel in launch_group.host_channels for launch_group in self.launch_groups
        ):
            message = (
                f"the {queue} is filled by processes that have begun: they send on the channel themselves"
            )
            raise InputError(message, hint="Put items into it before the run starts: they come first.")

    def snapshot(self) -> GridSnapshot:
        """The current state of the run."""
        processes = tuple((replace(found), found.interpreter.snapshot()) for found in self.processes)
        outcomes = {launch_group: dict(found) for launch_group, found in self._outcomes.items()}
        traffic = self._coordinator.traffic.copy()
        return GridSnapshot(
            *(
                tuple(self.launch_groups),
                processes,
                traffic,
                self.ledger.copy(),
                self.step_count,
                self._turn,
                outcomes,
            )
        )

    def restore(self, snapshot: GridSnapshot) -> None:
        """Restore `snapshot`, taken of this run or of an identical one."""
        for launch_group in snapshot.launch_groups[len(self.launch_groups) :]:
            self._add_team(launch_group)
        del self.launch_groups[len(snapshot.launch_groups) :]
        self.ledger = snapshot.ledger.copy()
        for number, (then, inside) in enumerate(snapshot.processes):
            if number >= len(self.processes):
                self._add_process(replace(then, interpreter=copy(then.interpreter)))
                self.processes[number].listener.frame_entered(then.interpreter.entered)
            now = self.processes[number]
            now.interpreter.restore(inside, self.ledger)
            now.offset, now.waits, now.awaited_queue = then.offset, then.waits, then.awaited_queue
            now.answered, now.answer = then.answered, then.answer
        del self.processes[len(snapshot.processes) :]
        self._coordinator.traffic, self._hosts.ledger = snapshot.traffic.copy(), self.ledger
        self.step_count, self._turn = snapshot.steps, snapshot.turn
        self._outcomes = {launch_group: dict(found) for launch_group, found in snapshot.outcomes.items()}

    # Launch groups

    def _begin(
        self, launch_group: LaunchGroup, names: Sequence[str | None], inputs: Sequence[Arrays]
    ) -> None:
        self._add_team(launch_group)
        for number, name, given in zip(launch_group.numbers, names, inputs, strict=True):
            place = GridPosition(launch_group.process_of(number), launch_group.grid)
            interpreter = self._make_interpreter(number, place, name, given)
            process = Process(number, launch_group, interpreter, None, launch_group.begin)  # type: ignore[arg-type]
            self._add_process(process)
            process.listener.frame_entered(interpreter.entered)
            if launch_group.begin:
                self._listener.clock_advanced(number, 0, launch_group.begin)

    def _make_interpreter(
        self, number: int, place: GridPosition, entry: str | None, inputs: Arrays
    ) -> Interpreter:
        rounding = self._rounding

        def rounded(bound: BoundOperation, operands: Arrays, results: Arrays, step: int) -> Arrays:
            assert rounding
            return rounding(bound, operands, results, step, number)

        return Interpreter(
            *(self.program, inputs, self.limits, entry, self._bindings, place, self.ledger, self._caches),
            *(self._shared, self._flags, rounded if rounding else None, self._executor),
        )

    def _make_coordinator(self, listener: GridListener) -> Coordinator:
        return Coordinator(self._names, listener, self._weak_release())

    def _weak_release(self) -> Callable[[int, Any, int], None]:
        """`_release` for the parts of the run, which must not keep it and its values alive."""
        run = proxy(self)

        def release(number: int, answer: Any, tick: int) -> None:
            run._release(number, answer, tick)

        return release

    def _add_team(self, launch_group: LaunchGroup) -> None:
        self.launch_groups.append(launch_group)
        self._listener.launch_group_began(launch_group)

    def _add_process(self, process: Process) -> None:
        process.listener = self._listener.process_began(process.number, process.launch_group)
        self.processes.append(process)

    # Turns

    def _next_process(self) -> Process | None:
        """The current process if its turn is not over, else the next that can continue."""
        if self._chooser:
            return self._pick(self._chooser)
        number, end = self._turn
        current = self.processes[number]
        if self._can_continue(current) and current.interpreter.step_count < end:
            return current
        count = len(self.processes)
        for distance in range(1, count + 1):
            process = self.processes[(number + distance) % count]
            if self._can_continue(process):
                self._turn = (process.number, process.interpreter.step_count + TURN)
                return process
        return None

    def _pick(self, schedule: Schedule) -> Process | None:
        able = [process.number for process in self.processes if self._can_continue(process)]
        if not able:
            return None
        number, steps = schedule(able)
        self._turn = (number, self.processes[number].interpreter.step_count + max(1, steps))
        return self.processes[number]

    def _can_continue(self, process: Process) -> bool:
        if process.ended or (process.waits and not process.answered):
            return False
        return self._failure is None or process.next_tick <= self._failure[0]

    def _take_turn(self, process: Process, stop: float, deadline: float) -> None:
        interpreter, before = process.interpreter, process.interpreter.step_count
        last: float = self._turn[1] if len(self.processes) > 1 else inf
        last = min(last, before + stop - self.step_count)
        if self._failure:
            last = min(last, before + self._failure[0] - process.next_tick + 1)
        try:
            if process.answered:
                self._deliver_answer(process)
            if not interpreter.waiting and not process.ended:
                interpreter.run(process.listener, int(min(last, 1 << 62)), deadline)
        except ProgramError as error:
            self._fail(process, error)
            return
        finally:
            self.step_count += interpreter.step_count - before
        if interpreter.waiting:
            process.waits = True
            self._serve(process)
        elif process.ended:
            self._finish_process(process)

    def _deliver_answer(self, process: Process) -> None:
        answer = process.answer
        process.waits = process.answered = False
        process.answer = None
        process.interpreter.answer(process.listener, answer)

    def _fail(self, process: Process, error: ProgramError) -> None:
        process.waits = True
        failure = (process.next_tick - 1, process.number, error)
        if self._failure is None or failure[:2] < self._failure[:2]:
            self._failure = failure

    def _finish_process(self, process: Process) -> None:
        opener = process.launch_group.opener
        if opener is None:
            return
        outcomes = self._outcomes[process.launch_group.number]
        outcomes[process.number] = process.interpreter.returned
        if len(outcomes) == process.launch_group.grid.num_processes:
            results = tuple(value for number in process.launch_group.numbers for value in outcomes[number])
            del self._outcomes[process.launch_group.number]
            tick = max(self.processes[number].next_tick for number in process.launch_group.numbers)
            self._release(opener[0], results, tick)

    @property
    def _can_return_items(self) -> bool:
        """Whether processes may receive what they sent themselves: no failure, no awaited user queue."""
        return self._failure is None and not self.awaited_queues

    def _check_end(self) -> None:
        """Raise the error if no process can continue because of a failure or a deadlock."""
        if self._failure:
            raise self._failure[2]
        if self.awaited_queues:
            return
        ended = [found.number for found in self.processes if found.ended]
        if found := find_deadlock(self._names, self._coordinator.traffic, ended):
            raise found

    # Requests of processes

    def _serve(self, process: Process) -> None:
        pending = process.interpreter.waiting
        assert pending is not None
        caller = Caller(process.number, process.launch_group, process.next_tick - 1, pending)
        try:
            self._answer(caller, process)
        except ProgramError as error:
            self._fail(process, error if error.op else attribute_error(error, pending.bound))

    def _answer(self, caller: Caller, process: Process) -> None:
        match caller.pending.request:
            case ExecuteCollective() as request:
                self._coordinator.meet(caller, request)
            case Await() as request:
                process.awaited_queue = self._queue_transfers.fetch(caller, request)
                if process.awaited_queue is None:
                    self._coordinator.collect(caller, request)
            case Send() | Receive() as request:
                self._transfer(caller, process, request)
            case RunGrid() as request:
                self._open_team(caller, request)

    def _transfer(self, caller: Caller, process: Process, request: Send | Receive) -> None:
        op = caller.pending.bound.op
        assert isinstance(op, PointToPoint)
        route = op.route(process.interpreter.place)
        if route is None:
            self._release(process.number, None, caller.tick + 1)
        elif route.kind == "channel":
            self._coordinator.transfer(caller, request, route)
        else:
            process.awaited_queue = self._queue_transfers.serve(caller, request, route)

    def _open_team(self, caller: Caller, request: RunGrid) -> None:
        grid, first = request.grid, len(self.processes)
        limit = self.limits.max_processes
        if first + grid.num_processes > limit:
            message = (
                f"{first + grid.num_processes} processes are more than the limit max_processes = {limit}"
            )
            raise LimitError(message, label="max_processes", hint="run fewer processes, or raise the limit")
        block = self.processes[caller.number].interpreter.frames[-1].block
        found = [self.program.find_callee(block, name) for row in request.programs for name in row]
        makers = [self.program.find_callee(block, name) for name in request.infeed]
        channels = host_channels(self.program, found, makers, first)
        opener = (caller.number, caller.pending.step)
        launch_group = LaunchGroup(
            len(self.launch_groups), grid, first, caller.tick + 1, opener, request.infeed, channels
        )
        self._outcomes[launch_group.number] = {}
        inputs, at = [], 0
        for function in found:
            count = len(function.function.arguments)
            inputs.append(request.arguments[at : at + count])
            at += count
        self._begin(launch_group, [function.function.name for function in found], inputs)

    def _release(self, number: int, answer: Any, tick: int) -> None:
        """Answer a process's request; it continues at `tick`."""
        process = self.processes[number]
        process.answered, process.answer = True, answer
        step = process.interpreter.step_count
        if tick != step + process.offset:
            process.offset = tick - step
            self._listener.clock_advanced(number, step, tick)


def _inputs_of(launch: Launch) -> Sequence[Arrays]:
    """The inputs of each process; read-only views if all are the same."""
    if launch.has_same_inputs:
        return (tuple(map(_read_only_view, launch.inputs[0])),) * len(launch.inputs)
    return launch.inputs


def _read_only_view(array: Array) -> Array:
    found = np.asarray(array).view()
    found.flags.writeable = False
    return found
