"""A run, kept: what happened in order, as columns, and every value, as long as the budget allows.

The recording goes on only as far as it is asked to. A value that was dropped is computed again from
the nearest checkpoint; execution is deterministic, so it comes out the same, bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import inf
from time import perf_counter
from typing import Literal

from ..errors import Diagnostic, ProgramError
from ..events import Listener
from ..findings import checked_ops, start_log
from ..ir.types import FutureType, TupleType, Type
from ..limits import DEFAULT_LIMITS, Limits
from ..ops.core.op import Array
from ..ops.core.process_groups import Grid
from ..ops.core.quiet import Flags
from ..ops.core.scalars import as_tensor
from ..ops.core.values import is_tuple
from ..outside_results import Answers, Bindings
from ..process_grid import DeadlockError, DeadlockReport, GridRun, Launch, QueueKey
from ..process_grid.grid_events import ArrivalEvent, Team
from ..process_grid.grid_run import GridSnapshot, Schedule
from ..program import BoundOperation, BoundProgram
from ..source import Source
from .address import Address
from .grid_record import GridRecord, MeetingRecord, QueueRecord
from .origins import address_of
from .replay import Replay
from .track import NONE, Track, TrackState
from .value_store import ValueStore

__all__ = ["NONE", "Recording", "State", "Track"]
_CHECKPOINTS = 16
_CHECKPOINT_SECONDS = 0.25
_CHECKPOINT_STEPS = 4096
_CHECKPOINT_STEPS_OF_EACH = 16
"""Of each process: a checkpoint copies the frames of all."""
_CHECKPOINT_SHARE = 1 / 8
"""Of the time of a run, what goes into checkpoints at most: those of many processes take long."""


@dataclass(frozen=True)
class State:
    """How far a recording is; if it does not go on, why, as a sentence."""

    kind: Literal["recording", "paused", "done", "failed"]
    reason: str
    diagnostic: Diagnostic | None = None

    def describe(self, source: Source) -> str:
        """Why it does not go on, with the place in the program's text where there is one: `file:line:column: error: …`."""
        return self.diagnostic.format(source) if self.diagnostic else f"{source.name}: {self.reason}"


class Recording:
    """One run of `program`; `record` makes it longer, everything else only reads.

    `inputs` are those of a run of one process, or a `Launch` says what each process of a grid is given.
    """

    def __init__(
        self,
        program: BoundProgram,
        inputs: Sequence[Array] | Launch,
        limits: Limits = DEFAULT_LIMITS,
        entry: str | None = None,
        bindings: Bindings | None = None,
        schedule: Schedule | None = None,
    ) -> None:
        """`schedule` says in which order processes are run, for tests: values do not depend on it."""
        self.program = program
        self.limits = limits
        self.state = State("recording", "ready to run")
        self.launch = inputs if isinstance(inputs, Launch) else Launch.single_process(inputs)
        self.tracks: list[Track] = []
        """What each process did, by its number."""
        self.deadlock: DeadlockReport | None = None
        """Why the processes cannot go on together, where that has stopped the run."""
        self._arguments = (entry, bindings, schedule)
        self._record = GridRecord()
        bound = (given for given in (bindings or {}).values() if not isinstance(given, Answers))
        outside = chain.from_iterable(bound)
        fed = chain.from_iterable(item for items in self.launch.feeds.values() for item in items)
        given = (*chain.from_iterable(self.launch.inputs), *outside, *fed)
        self._store = ValueStore(limits.recording_bytes, given)
        flags = Flags(program.derive(checked_ops))
        self.log = start_log(program, given, flags.checked)
        """What ops have done wrong so far."""
        self._run = GridRun(program, self.launch, self, limits, entry, bindings, schedule, flags)
        self._seconds = 0.0
        self._checkpoints: list[GridSnapshot] = [self._run.snapshot()]
        self._checkpoint_due = _CHECKPOINT_SECONDS
        """The second of the run from which on the next one is taken."""

    @property
    def entry(self) -> str | None:
        """The function that it was started with; `None` for the program's own."""
        return self._arguments[0]

    @property
    def bindings(self) -> Bindings:
        """What it was given for results that are made outside of the program."""
        return self._arguments[1] or {}

    @property
    def grid(self) -> Grid:
        """How many processes the run was started with."""
        return self.launch.grid

    @property
    def current_track(self) -> Track:
        """The process that has the turn: what takes long takes long there."""
        return self.tracks[self._run.current]

    @property
    def step_count(self) -> int:
        """Steps of all processes recorded so far."""
        return self._run.step_count

    @property
    def frame_count(self) -> int:
        """Frames of all processes entered so far."""
        return sum(track.frame_count for track in self.tracks)

    @property
    def finding_count(self) -> int:
        """A number that grows when there may be something new to ask for: what ops did wrong, and at the end of a run of
        several processes what differs between them.
        """
        is_over = self.state.kind in ("done", "failed")
        return self.log.count + (is_over and len(self.tracks) > 1)

    @property
    def print_count(self) -> int:
        """How often any process has printed something."""
        return sum(track.print_count for track in self.tracks)

    @property
    def end_tick(self) -> int:
        """The tick behind the last step of any process."""
        return max(track.end_tick for track in self.tracks)

    @property
    def teams(self) -> Sequence[Team]:
        """The grids: that of the run, and those that `interpreter.run_parallel` has opened."""
        return self._record.teams

    @property
    def meetings(self) -> Sequence[MeetingRecord]:
        """Rendezvous and messages, in the order in which the first came to each."""
        return self._record.meetings

    @property
    def queues(self) -> Mapping[QueueKey, QueueRecord]:
        """What has gone through the user's queues."""
        return self._record.queues

    @property
    def pending_items(self) -> Mapping[QueueKey, Sequence[tuple[Array, ...]]]:
        """What the user has put into queues and nobody has taken yet."""
        taken = self._record.queues
        return {
            key: items[len(taken[key].moves) if key in taken else 0 :]
            for key, items in self._run.queues.items.items()
        }

    @property
    def fed_items(self) -> Mapping[QueueKey, Sequence[tuple[Array, ...]]]:
        """All that the user has put into queues, taken or not."""
        return self._run.queues.items

    @property
    def awaited_queues(self) -> Mapping[int, QueueKey]:
        """The processes that wait for the user to fill a queue."""
        return self._run.awaited_queues

    @property
    def probes(self) -> Mapping[str, tuple[Array, ...]]:
        """What `interpreter.probe` has kept so far, by its names, process after process."""
        found: dict[str, tuple[Array, ...]] = {}
        for process in self._run.processes:
            for name, values in process.interpreter.probes.items():
                found[name] = (*found.get(name, ()), *values)
        return found

    @property
    def kept_bytes(self) -> int:
        """Bytes of the values kept."""
        return self._store.bytes

    @property
    def has_dropped(self) -> bool:
        """Whether values have gone that were recorded, so that they have to be computed again."""
        return self._store.has_dropped

    def process_name(self, number: int) -> str:
        """`(0, 1)`: a process by its place in its grid."""
        return self._run.names.process(number)

    def results(self) -> tuple[Array, ...] | None:
        """What the entry function returned in process (0, 0), once it has."""
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
        """Goes on for at most `steps` more steps and about `seconds`; `None` is as far as the limits let."""
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
            self._advance(
                min(last, self._checkpoints[-1].step_count + self._checkpoint_steps),
                min(deadline, checkpoint),
            )
            self._consider_checkpoint(self._seconds + perf_counter() - begin)
        self._seconds += perf_counter() - begin
        self._explain()
        return self.state

    def feed(self, queue: QueueKey, items: Sequence[tuple[Array, ...]]) -> None:
        """Puts `items` behind what the user has put into a queue before; a run that waits for it may go on."""
        self._run.feed(queue, items)
        if self.state.kind == "paused" and not self._run.awaited_queues:
            self.state = State("recording", f"recorded {self.step_count:,} steps so far")

    def check_feed(self, queue: QueueKey) -> None:
        """`InputError` if nothing can be put into a queue any more, since the program fills it itself."""
        self._run.check_feed(queue)

    def value(self, address: Address) -> Array:
        """The array at `address`, computed again if it was dropped; `KeyError` if it is not recorded."""
        track, key = self._track(address), self._key(address)
        found = self._store.get(key)
        if found is None:
            found = self._replay_until(track.number, key, track.creation_step(address.kind, address.number))
        try:
            return _inside(found[address.index], address)
        except IndexError:
            raise KeyError(str(address)) from None

    def keeps(self, address: Address) -> bool:
        """Whether the value is here, and need not be computed again."""
        key = self._track(address).base + 2 * address.number + (address.kind == "f")
        return self._store.get(key) is not None

    def brought_to(self, process: int, step: int) -> tuple[Array, ...]:
        """What each process has brought to the meeting that a process came to in a step, one after the other.

        Nothing, where something of it is not kept any more.
        """
        meeting = self._record.meeting_at(process, step)
        found: list[Array] = []
        for other, at, op in meeting.visits if meeting else ():
            for value in self.program.ops[op].operands:
                address = address_of(self.program, self.tracks[other], at, value)
                kept = address and self._store.get(self._key(address))
                if not address or not kept:
                    return ()
                found.append(_inside(kept[address.index], address))
        return tuple(found)

    def static_form(self, op: int) -> BoundOperation:
        """Op number `op`, with the sizes that the run has shown where the program leaves them open."""
        for process in self._run.processes:
            found = process.interpreter.static_form(op)
            if found is not self.program.ops[op]:
                return found
        return self.program.ops[op]

    def type_of(self, address: Address) -> Type:
        """The type that the program declares for the value; `KeyError` if there is none.

        Of a bare scalar (`index`) or a shape, the type of the tensor that the run keeps it as.
        """
        found = self.program.values[self.value_number(address)].type
        for number in address.path:
            if not isinstance(found, TupleType | FutureType) or number >= len(found.types):
                raise KeyError(str(address))
            found = found.types[number]
        return as_tensor(found)

    def value_number(self, address: Address) -> int:
        """The value of the program that is at `address`, or that holds it; `KeyError` if there is none."""
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
        return self.state.kind not in ("done", "failed") and not self._run.awaited_queues

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
        else:
            self.state = State("recording", f"recorded {self.step_count:,} steps so far")

    def _queue_message(self) -> str:
        number, queue = next(iter(self._run.awaited_queues.items()))
        who = f"process {self._run.names.process(number)} waits" if len(self.tracks) > 1 else "the run waits"
        return f"{who} for the {queue}, which is empty"

    def _advance(self, stop: int, deadline: float) -> None:
        try:
            self._run.run(stop, deadline)
            if self._run.finished:
                self._run.run()  # raises where something is left undone
                self.state = State("done", "the program has ended")
        except ProgramError as error:
            self.deadlock = error.report if isinstance(error, DeadlockError) else None
            self.state = State("failed", f"stopped: {error.diagnostic().text}", error.diagnostic())

    # What the run tells

    def team_began(self, team: Team) -> None:
        """Records the processes that a `run_parallel` starts."""
        self._record.teams.append(team)

    def process_began(self, number: int, team: Team) -> Listener:
        """Adds a track for a process; what happens in it is reported to that."""
        track = Track(number, team, self.program, self._store, self.log, self.brought_to)
        self.tracks.append(track)
        return track

    def process_arrived(self, arrival: ArrivalEvent) -> None:
        """Records that a process has arrived at a meeting."""
        self._record.process_arrived(arrival)

    def process_released(self, meeting: int, process: int, tick: int) -> None:
        """Records the tick from which a process has the results of a meeting."""
        self._record.process_released(meeting, process, tick)

    def outcome_collected(self, process: int, start: int, outcome: tuple[Array, ...]) -> None:
        """Keeps which step began what another one of the process gives."""
        self.tracks[process].outcomes.collect(start, outcome)

    def clock_advanced(self, process: int, step: int, tick: int) -> None:
        """Records that a process has waited: its step begins at a later tick."""
        self.tracks[process].clock_advanced(step, tick)

    def item_moved(
        self, queue: QueueKey, process: int, step: int, tick: int, values: tuple[Array, ...]
    ) -> None:
        """Records an item that went through a queue of the user's."""
        self._record.item_moved(queue, process, step, tick, values)

    @property
    def _checkpoint_steps(self) -> int:
        return max(_CHECKPOINT_STEPS, _CHECKPOINT_STEPS_OF_EACH * len(self.tracks))

    def _consider_checkpoint(self, now: float) -> None:
        last = self._checkpoints[-1].step_count
        due = self.step_count - last >= self._checkpoint_steps or now >= self._checkpoint_due
        if not due or self.step_count == last or self.state.kind != "recording":
            return
        begin = perf_counter()
        self._checkpoints.append(self._run.snapshot())
        taken = perf_counter() - begin
        self._checkpoint_due = now + taken + max(_CHECKPOINT_SECONDS, taken / _CHECKPOINT_SHARE)
        if len(self._checkpoints) > _CHECKPOINTS:
            # Every second one of the older half goes: replays stay short near the end, bounded elsewhere.
            half = _CHECKPOINTS // 2
            self._checkpoints[1:half] = self._checkpoints[2:half:2]

    def _replay_until(self, process: int, key: int, made: int) -> tuple[Array, ...]:
        """Runs again from the nearest checkpoint until `key` is made, and keeps all values on the way."""
        entry, bindings, schedule = self._arguments
        feeds = {queue: tuple(items) for queue, items in self._run.queues.items.items()}
        launch = Launch(self.launch.grid, self.launch.inputs, feeds)
        replay = Replay(self._store, key)
        run = GridRun(self.program, launch, replay, self.limits, entry, bindings, schedule)
        start = max(
            (snapshot for snapshot in self._checkpoints if snapshot.steps_of(process) <= made),
            key=lambda snapshot: snapshot.step_count,
        )
        run.restore(start)
        while replay.found is None and not run.finished:
            before = run.step_count
            run.run(before + max(1, made + 1 - run.steps_of(process)))
            if run.step_count == before:
                break
        if replay.found is None:
            raise KeyError(key)
        return replay.found


def _inside(value: Array, address: Address) -> Array:
    """What `address` means of a result: the result itself, or something in its tuples."""
    for number in address.path:
        if not is_tuple(value):
            raise KeyError(str(address))
        value = value[number]
    return value
