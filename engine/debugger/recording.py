"""A recorded run: its events as columns, and its values under a memory budget.

The recording grows only on request. A dropped value is recomputed from the nearest checkpoint; execution is
deterministic, so it is the same, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import inf
from time import perf_counter
from typing import Literal
from weakref import proxy

import numpy as np
from numpy.typing import NDArray

from ..errors import Diagnostic, ProgramError
from ..events import Listener
from ..executor import Executor
from ..findings import checked_ops, glances, ops_checked_in_loops, start_log
from ..interpreter import Rounding
from ..ir.types import Type, type_at
from ..limits import DEFAULT_LIMITS, Limits
from ..ops.core.op import Array
from ..ops.core.process_groups import Grid
from ..ops.core.quiet import Flags
from ..ops.core.scalars import as_tensor
from ..ops.core.values import value_at
from ..outside_results import Answers, Bindings
from ..process_grid import DeadlockError, DeadlockReport, GridRun, Launch, QueueKey
from ..process_grid.grid_events import ArrivalEvent, GridListener, LaunchGroup
from ..process_grid.grid_run import Schedule
from ..program import BoundOperation, BoundProgram
from ..remote_values import LostValue, is_remote, local
from ..source import Source
from ..value_facts import ValueFacts
from .address import Address
from .grid_record import CollectiveExecution, GridRecord, QueueRecord
from .loop_values import LoopValues
from .origins import address_of
from .replay import Checkpoints, Replay
from .resuming import KnownStarts
from .track import NONE, Track, TrackState
from .value_store import ValueStore

__all__ = ["NONE", "Recording", "State", "Track"]
LEAST_STEP_BYTES = 64 << 20
"""Bytes that the steps of a recording may take, however few its values may."""
_CHECKPOINT_SECONDS = 0.25
_CHECKPOINT_STEPS = 4096
_CHECKPOINT_STEPS_OF_EACH = 16
"""Steps per process between checkpoints, which copy the frames of all processes."""
_CHECKPOINT_SHARE = 1 / 8
"""Maximum share of the run time spent on checkpoints, which are slow for many processes."""


@dataclass(frozen=True)
class State:
    """The state of a recording, and the reason if it cannot continue."""

    kind: Literal["recording", "paused", "done", "failed"]
    reason: str
    diagnostic: Diagnostic | None = None

    def describe(self, source: Source) -> str:
        """The reason why it stopped, with its location: `file:line:column: error: …`."""
        return self.diagnostic.format(source) if self.diagnostic else f"{source.name}: {self.reason}"


class Recording(GridListener):
    """One run of `program`; `record` extends it, and all other methods only read.

    `inputs` are those of one process, or a `Launch` states the inputs of each process of a grid.
    """

    def __init__(
        self,
        program: BoundProgram,
        inputs: Sequence[Array] | Launch,
        limits: Limits = DEFAULT_LIMITS,
        entry: str | None = None,
        bindings: Bindings | None = None,
        schedule: Schedule | None = None,
        rounding: Rounding | None = None,
        executor: Executor | None = None,
    ) -> None:
        """Start a run; `schedule` sets the order of processes in tests and does not affect values.

        `rounding` replaces the results of ops, and `executor` computes segments in place of the engine, in the same way
        whenever a step is repeated.
        """
        self.program = program
        self.limits = limits
        self.state = State("recording", "ready to run")
        self.launch = inputs if isinstance(inputs, Launch) else Launch.single_process(inputs)
        self.tracks: list[Track] = []
        """The tracks of the processes, by number."""
        self.deadlock: DeadlockReport | None = None
        """The deadlock report, if the processes cannot continue."""
        self._arguments = (entry, bindings, schedule)
        self._rounding, self.executor = rounding, executor
        self._record = GridRecord()
        self.known_starts = KnownStarts()
        """Starts of loops in an earlier recording of the run; loops are not iterated again up to the last one."""
        bound = (given for given in (bindings or {}).values() if not isinstance(given, Answers))
        outside = chain.from_iterable(bound)
        fed = chain.from_iterable(item for items in self.launch.feeds.values() for item in items)
        given = (*chain.from_iterable(self.launch.inputs), *outside, *fed)
        self._store = ValueStore(limits.recording_bytes, given)
        in_loops = program.derive(ops_checked_in_loops)
        flags = Flags(program.derive(checked_ops), in_loops, program.derive(glances))
        self.log = start_log(program, given, flags.checked)
        """Faults of ops so far, found during the run."""
        self._store.may_be_remote = self.log.may_be_remote = executor is not None
        # Neither the run nor a track keeps the recording alive, so that its values are freed with it.
        self._run = GridRun(
            *(program, self.launch, proxy(self), limits, entry, bindings, schedule, flags, rounding, executor)
        )
        self._brought: tuple[tuple[int, int], tuple[Array, ...]] = ((-1, 0), ())
        """The contributions to the latest collective that was checked: its number and its visits so far."""
        self._is_full = False
        """Whether the steps take as much memory as they may."""
        self._seconds = 0.0
        self._checkpoints = Checkpoints(self._run.snapshot(), limits.recording_bytes)
        self._checkpoint_due = _CHECKPOINT_SECONDS
        """Run time in seconds at which the next checkpoint is due."""

    @property
    def entry(self) -> str | None:
        """The function in which the run started; `None` for the program's own entry."""
        return self._arguments[0]

    @property
    def bindings(self) -> Bindings:
        """Values bound to results from outside the program."""
        return self._arguments[1] or {}

    @property
    def grid(self) -> Grid:
        """The process grid with which the run started."""
        return self.launch.grid

    @property
    def current_track(self) -> Track:
        """The track of the running process, which explains a long run."""
        return self.tracks[self._run.current]

    @property
    def step_count(self) -> int:
        """Number of recorded steps in all processes."""
        return self._run.step_count

    @property
    def frame_count(self) -> int:
        """Number of entered frames in all processes."""
        return sum(track.frame_count for track in self.tracks)

    @property
    def finding_count(self) -> int:
        """A counter that grows when there may be new findings.

        At the end of a run of several processes, differences between them are findings too.
        """
        is_over = self.state.kind in ("done", "failed")
        return self.log.count + (is_over and len(self.tracks) > 1)

    @property
    def print_count(self) -> int:
        """Number of prints in all processes."""
        return sum(track.print_count for track in self.tracks)

    @property
    def end_tick(self) -> int:
        """The tick after the last step of any process."""
        return max(track.end_tick for track in self.tracks)

    @property
    def launch_groups(self) -> Sequence[LaunchGroup]:
        """The launch groups: that of the run, and those of `interpreter.run_parallel`."""
        return self._record.launch_groups

    @property
    def collective_executions(self) -> Sequence[CollectiveExecution]:
        """Collective executions and messages, in the order of their first arrival."""
        return self._record.collective_executions

    @property
    def queues(self) -> Mapping[QueueKey, QueueRecord]:
        """Transfers through the host queues."""
        return self._record.queues

    @property
    def pending_items(self) -> Mapping[QueueKey, Sequence[tuple[Array, ...]]]:
        """Items in host queues that no process has read yet."""
        taken = self._record.queues
        return {
            key: items[len(taken[key].moves) if key in taken else 0 :]
            for key, items in self._run.queues.items.items()
        }

    @property
    def fed_items(self) -> Mapping[QueueKey, Sequence[tuple[Array, ...]]]:
        """All items that the host has added to queues."""
        return self._run.queues.items

    @property
    def awaited_queues(self) -> Mapping[int, QueueKey]:
        """The processes that wait for an item in a host queue."""
        return self._run.awaited_queues

    @property
    def probes(self) -> Mapping[str, tuple[Array, ...]]:
        """Values recorded by `interpreter.probe` so far, by name, process by process."""
        found: dict[str, tuple[Array, ...]] = {}
        for process in self._run.processes:
            for name, values in process.interpreter.probes.items():
                found[name] = (*found.get(name, ()), *values)
        return found

    @property
    def kept_bytes(self) -> int:
        """Bytes of all stored values."""
        return self._store.bytes

    @property
    def step_bytes(self) -> int:
        """Bytes of the steps and frames themselves, beside their values."""
        return sum(track.nbytes for track in self.tracks)

    @property
    def has_dropped(self) -> bool:
        """Whether recorded values were dropped and would be recomputed."""
        return self._store.has_dropped

    def process_name(self, number: int) -> str:
        """`(0, 1)`: the name of a process, its position in the grid."""
        return self._run.names.process(number)

    def results(self) -> tuple[Array, ...] | None:
        """The entry function's results in process (0, 0); `None` before it returns."""
        return self.tracks[0].results()

    def state_of(self, number: int) -> TrackState:
        """The state of one process: running, waiting, ended or failed."""
        process = self._run.processes[number]
        if process.ended:
            return "done"
        if self._run.failed == number:
            return "failed"
        if process.awaited_queue is not None:
            return "awaiting_item"
        if process.waits and not process.answered:
            return "waiting"
        return "running" if process.interpreter.step_count else "ready"

    def record(self, steps: int | None = None, seconds: float | None = None) -> State:
        """Record at most `steps` more steps for about `seconds`; `None` means up to the limits."""
        begin = perf_counter()
        limits = self.limits
        last = limits.run_step_limit
        if steps is not None:
            last = min(last, self.step_count + steps)
        deadline = min(
            begin + limits.run_seconds - self._seconds, inf if seconds is None else begin + seconds
        )
        while self._may_go_on() and self.step_count < last and perf_counter() < deadline:
            checkpoint = begin - self._seconds + self._checkpoint_due
            # A loop that is known already is passed over in one event.
            near = inf if self.known_starts else self._checkpoints.last.step_count + self._checkpoint_steps
            self._advance(
                min(last, near),
                min(deadline, checkpoint),
            )
            self._consider_checkpoint(self._seconds + perf_counter() - begin)
            self._is_full = self.step_bytes > max(limits.recording_bytes, LEAST_STEP_BYTES)
        self._seconds += perf_counter() - begin
        self._explain()
        return self.state

    def feed(self, queue: QueueKey, items: Sequence[tuple[Array, ...]]) -> None:
        """Append items to a host queue; a run that waits for it may then continue."""
        self._run.feed(queue, items)
        if self.state.kind == "paused" and not self._run.awaited_queues:
            self.state = State("recording", f"recorded {self.step_count:,} steps so far")

    def check_feed(self, queue: QueueKey) -> None:
        """Raise `InputError` if the program itself fills the queue, so that you cannot add items."""
        self._run.check_feed(queue)

    def value(self, address: Address) -> Array:
        """The array at `address`, fetched if remote and recomputed if dropped; `KeyError` if it is not recorded."""
        try:
            return local(self._found(address))
        except LostValue:
            # What was kept on the executor's side is lost with its process; only the start is independent of it.
            self._store.lose()
            self._checkpoints.keep_start()
            return local(self._found(address))

    def _found(self, address: Address) -> Array:
        track, key = self._track(address), self._key(address)
        found = self._store.get(key)
        if found is None:
            self.value_number(address)  # a step without results would be replayed in vain
            found = self._replay_until(track.number, key, track.creation_step(address.kind, address.number))
        try:
            return value_at(found[address.index], address.path)
        except IndexError:
            raise KeyError(str(address)) from None

    def facts(self, address: Address) -> ValueFacts | None:
        """What is known of a value that would have to be fetched; `None` if it would not, or nothing is known."""
        found = self._store.facts(self._key(address))
        return found[address.index] if address.index < len(found) and not address.path else None

    def keeps(self, address: Address) -> bool:
        """Whether the value is stored, so that it need not be recomputed."""
        found = self._store.get(self._key(address))
        return found is not None and not any(map(is_remote, found))

    def loop_scalars(
        self, process: int, steps: NDArray[np.intp], op: int
    ) -> Iterator[tuple[Array, NDArray[np.intp]]]:
        """The stored scalars that an op of a loop made in some of these steps, and which steps those are."""
        for loop in self._loops_of(process):
            yield from loop.scalars(steps, op)

    def loop_arguments(
        self, process: int, frames: NDArray[np.intp], index: int
    ) -> Iterator[tuple[Array, NDArray[np.intp]]]:
        """The stored scalars that are an argument of some of these frames of a loop, and which frames those are."""
        for loop in self._loops_of(process):
            yield from loop.argument_scalars(frames, index)

    def _loops_of(self, process: int) -> Iterable[LoopValues]:
        return self._store.loops_of(self.tracks[process].base)

    def brought_to(self, process: int, step: int) -> tuple[Array, ...]:
        """The contributions of all participants to the collective of a step.

        Empty if a part of them is no longer stored.
        """
        execution = self._record.execution_at(process, step)
        if execution is None:
            return ()
        # All participants ask in turn.
        key = execution.number, len(execution.visits)
        if self._brought[0] != key:
            self._brought = key, self._contributions(execution)
        return self._brought[1]

    def _contributions(self, execution: CollectiveExecution) -> tuple[Array, ...]:
        found: list[Array] = []
        for other, at, op in execution.visits:
            for value in self.program.ops[op].operands:
                address = address_of(self.program, self.tracks[other], at, value)
                kept = address and self._store.get(self._key(address))
                if not address or not kept:
                    return ()
                found.append(value_at(kept[address.index], address.path))
        try:
            return tuple(map(local, found))
        except LostValue:
            return ()

    def static_form(self, op: int) -> BoundOperation:
        """An op with the sizes that the run has determined for dynamic dimensions."""
        for process in self._run.processes:
            found = process.interpreter.static_form(op)
            if found is not self.program.ops[op]:
                return found
        return self.program.ops[op]

    def type_of(self, address: Address) -> Type:
        """The declared type of the value; `KeyError` if there is none.

        For a bare scalar (`index`) or a shape, the type of the tensor that represents it.
        """
        return as_tensor(type_at(self.program.values[self.value_number(address)].type, address.path))

    def value_number(self, address: Address) -> int:
        """The program value at `address` or containing it; `KeyError` if there is none."""
        track = self._track(address)
        try:
            if address.kind == "s":
                return self.program.ops[track.op_of(address.number)].results[address.index]
            return self.program.blocks[track.block_of(address.number)].arguments[address.index]
        except IndexError:
            raise KeyError(str(address)) from None

    def _key(self, address: Address) -> int:
        return self._track(address).base + 2 * address.number + (address.kind == "f")

    def _track(self, address: Address) -> Track:
        try:
            return self.tracks[address.process]
        except IndexError:
            raise KeyError(str(address)) from None

    def _may_go_on(self) -> bool:
        is_over = self.state.kind in ("done", "failed")
        return not is_over and not self._run.awaited_queues and not self._is_full

    def _explain(self) -> None:
        """The state after recording stopped without an end or an error."""
        if self.state.kind in ("done", "failed"):
            return
        limits = self.limits
        if self._run.awaited_queues:
            self.state = State("paused", self._queue_message())
        elif self.step_count >= limits.run_step_limit:
            self.state = State(
                "paused", f"paused at the limit run_step_limit = {limits.run_step_limit:,} steps"
            )
        elif self._seconds >= limits.run_seconds:
            self.state = State("paused", f"paused at the limit run_seconds = {limits.run_seconds:g} s")
        elif self._is_full:
            limit = f"recording_bytes = {limits.recording_bytes:,} bytes"
            self.state = State("paused", f"paused at the limit {limit}: its steps alone take more")
        else:
            self.state = State("recording", f"recorded {self.step_count:,} steps so far")

    def _queue_message(self) -> str:
        number, queue = next(iter(self._run.awaited_queues.items()))
        who = f"process {self._run.names.process(number)} waits" if len(self.tracks) > 1 else "the run waits"
        return f"{who} for the {queue}, which is empty"

    def _advance(self, stop: float, deadline: float) -> None:
        try:
            self._run.run(stop, deadline)
            if self._run.finished:
                self._run.run()  # raises if something remains unfinished
                self.state = State("done", "the program has ended")
        except ProgramError as error:
            self.deadlock = error.report if isinstance(error, DeadlockError) else None
            self.state = State("failed", f"stopped: {error.diagnostic().text}", error.diagnostic())

    # Events of the run

    def launch_group_began(self, launch_group: LaunchGroup) -> None:
        """Record the processes that a `run_parallel` starts."""
        self._record.launch_groups.append(launch_group)

    def process_began(self, number: int, launch_group: LaunchGroup) -> Listener:
        """Add a track for a process, which listens to its events."""
        recording = proxy(self)

        def brought(process: int, step: int) -> tuple[Array, ...]:
            found: tuple[Array, ...] = recording.brought_to(process, step)
            return found

        track = Track(number, launch_group, self.program, self._store, self.log, brought, self.known_starts)
        self.tracks.append(track)
        return track

    def process_arrived(self, arrival: ArrivalEvent) -> None:
        """Record an arrival at a collective."""
        self._record.process_arrived(arrival)

    def process_released(self, execution: int, process: int, tick: int) -> None:
        """Records the tick from which a process has the results of a collective execution."""
        self._record.process_released(execution, process, tick)

    def outcome_collected(self, process: int, start: int, outcome: tuple[Array, ...]) -> None:
        """Record which step started the results that another step receives."""
        self.tracks[process].outcomes.collect(start, outcome)

    def clock_advanced(self, process: int, step: int, tick: int) -> None:
        """Record that a process has waited: its step begins at a later tick."""
        self.tracks[process].clock_advanced(step, tick)

    def item_moved(
        self, queue: QueueKey, process: int, step: int, tick: int, values: tuple[Array, ...]
    ) -> None:
        """Record a transfer through a host queue."""
        self._record.item_moved(queue, process, step, tick, values)

    @property
    def _checkpoint_steps(self) -> int:
        return max(_CHECKPOINT_STEPS, _CHECKPOINT_STEPS_OF_EACH * len(self.tracks))

    def _consider_checkpoint(self, now: float) -> None:
        last = self._checkpoints.last.step_count
        due = self.step_count - last >= self._checkpoint_steps or now >= self._checkpoint_due
        if not due or self.step_count == last or self.state.kind != "recording":
            return
        begin = perf_counter()
        self._checkpoints.add(self._run.snapshot())
        taken = perf_counter() - begin
        self._checkpoint_due = now + taken + max(_CHECKPOINT_SECONDS, taken / _CHECKPOINT_SHARE)

    def _replay_until(self, process: int, key: int, made: int) -> tuple[Array, ...]:
        """Replay from the nearest checkpoint until `key` is made, and store all values on the way."""
        entry, bindings, schedule = self._arguments
        feeds = {queue: tuple(items) for queue, items in self._run.queues.items.items()}
        launch = Launch(self.launch.grid, self.launch.inputs, feeds)
        replay = Replay(self._store, self.tracks, key)
        run = GridRun(
            *(self.program, launch, replay, self.limits, entry, bindings, schedule, None, self._rounding),
            executor=self.executor,
        )
        run.restore(self._checkpoints.before(process, made))
        while replay.found is None and not run.finished:
            before = run.step_count
            run.run(before + max(1, made + 1 - run.steps_of(process)))
            if run.step_count == before:
                break
        if replay.found is None:
            raise KeyError(key)
        if any(map(is_remote, replay.found)):
            run.finish_ahead(process)
        return replay.found
