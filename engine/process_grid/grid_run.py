"""Runs a program on a grid of processes: one process at a time until it waits, then the next; always in one order.

Each process has a clock that counts ticks. A step takes one; who has waited goes on at the tick after the arrival
of the last one that it waited for. So ticks say what could have happened at the same time, whatever the order in
which the processes were run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from math import inf
from time import perf_counter
from typing import Any

import numpy as np

from ..errors import InputError, LimitError, ProgramError
from ..events import Listener
from ..frames import Snapshot
from ..interpreter import Interpreter
from ..limits import DEFAULT_LIMITS, Limits
from ..memory import Ledger
from ..ops.blas import computing
from ..ops.exchanges import Array, Arrays, Await, Meet, Place, Receive, RunGrid, Send
from ..ops.point_to_point import PointToPoint
from ..outside import Bindings
from ..program import BoundProgram
from ..refusals import blamed
from ..shared_results import SharedResults
from .events import GridListener, Team
from .host_channels import host_channels
from .host_queues import HostQueues
from .launch import Launch, QueueKey
from .post_office import Caller, PostOffice
from .queue_desk import QueueDesk
from .queues import Queues
from .story import Teller, standstill
from .traffic import Traffic

TURN = 4096
"""Steps after which another process has its turn, if the first has not come to wait."""
Chooser = Callable[[Sequence[int]], tuple[int, int]]
"""Says which of the processes that can go on has the next turn, and for how many steps."""


@dataclass
class Process:
    """One process of the run."""

    number: int
    team: Team
    interpreter: Interpreter
    listener: Listener
    offset: int
    """How far the tick of its next step is ahead of the number of that step."""
    waits: bool = False
    hungry: QueueKey | None = None
    """The user's queue that it waits for something to be put into."""
    answered: bool = False
    """Whether what it has waited for is there, and it has not gone on yet."""
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
    """A run on a grid as it was between two steps. It shares its arrays with the run."""

    teams: tuple[Team, ...]
    processes: tuple[tuple[Process, Snapshot], ...]
    traffic: Traffic
    ledger: Ledger
    steps: int
    turn: tuple[int, int]
    outcomes: Mapping[int, Mapping[int, Arrays]]

    @property
    def step_count(self) -> int:
        """Steps of all processes together."""
        return self.steps

    def steps_of(self, process: int) -> int:
        """Steps of one process; -1 where there was no such process."""
        return self.processes[process][1].step_count if process < len(self.processes) else -1


class GridRun:
    """A run of `program`. `run` makes it longer and tells the listener what happens."""

    def __init__(
        self,
        program: BoundProgram,
        launch: Launch,
        listener: GridListener,
        limits: Limits = DEFAULT_LIMITS,
        entry: str | None = None,
        bindings: Bindings | None = None,
        chooser: Chooser | None = None,
    ) -> None:
        launch.check(limits)
        self.program, self.limits = program, limits
        self.teams: list[Team] = []
        self.processes: list[Process] = []
        self.queues = Queues(launch.feeds)
        self.ledger = Ledger()
        self.step_count = 0
        """Steps of all processes together."""
        self._listener, self._entry, self._bindings, self._chooser = listener, entry, bindings, chooser
        self._teller = Teller(program.module.source, self.teams)
        self._office = PostOffice(self._teller, listener, self._release)
        self._hosts = HostQueues(self._teller, self._office, listener, self.ledger)
        self._desk = QueueDesk(self.queues, self._office, self._hosts, listener, self._release)
        self._turn = (0, 0)
        self._outcomes: dict[int, dict[int, Arrays]] = {}
        """What the processes of a team have returned, as long as the team's opener waits for it."""
        self._failure: tuple[int, int, ProgramError] | None = None
        self._shared = SharedResults() if launch.is_alike else None
        names = (entry,) * launch.grid.num_processes
        inputs = launch.inputs
        if launch.is_alike:
            inputs = (tuple(map(_read_only_view, inputs[0])),) * len(inputs)
        self._begin(Team(0, launch.grid, 0, 0), names, inputs)

    @property
    def finished(self) -> bool:
        """Whether the run's own processes have returned."""
        return all(self.processes[number].ended for number in self.teams[0].numbers)

    @property
    def hungry(self) -> dict[int, QueueKey]:
        """The processes that wait for the user to fill a queue."""
        return {found.number: found.hungry for found in self.processes if found.hungry is not None}

    def steps_of(self, process: int) -> int:
        """Steps of one process; 0 where there is no such process."""
        return self.processes[process].interpreter.step_count if process < len(self.processes) else 0

    @property
    def failed(self) -> int | None:
        """The process in which something went wrong."""
        return self._failure[1] if self._failure else None

    @property
    def current(self) -> int:
        """The process whose turn it is."""
        return self._turn[0]

    @property
    def teller(self) -> Teller:
        """Names processes and ops as the user knows them."""
        return self._teller

    def run(self, stop: float = inf, deadline: float = inf) -> None:
        """Goes on until `stop` steps have begun in all, nobody can go on, or `perf_counter()` has passed `deadline`.

        What goes wrong is raised once every other process has come to the tick at which it went wrong, so that all
        of them are seen at one moment; the error is a `Standstill` where processes wait for what never comes.
        """
        with computing():
            while self.step_count < stop:
                process = self._next()
                if process is None:
                    if self._may_give_back and self._hosts.give_back():
                        continue
                    self._consider_end()
                    return
                self._take_turn(process, stop, deadline)
                if perf_counter() >= deadline:
                    return

    def feed(self, queue: QueueKey, items: Sequence[Arrays]) -> None:
        """Puts `items` behind what the user has put into a queue before; whoever waits for it goes on.

        `InputError` for a queue that `check_feed` refuses.
        """
        self.check_feed(queue)
        self.queues.add(queue, items)
        for process in self.processes:
            if process.hungry is not None:
                process.hungry = None
                self._serve(process)

    def check_feed(self, queue: QueueKey) -> None:
        """`InputError` for a queue of processes that have begun: what is in it may not hang on when the user acts."""
        if queue.kind == "host" and any(queue.channel in team.host_channels for team in self.teams):
            message = (
                f"the {queue} is filled by processes that have begun: they send on the channel themselves"
            )
            raise InputError(message, hint="Put items into it before the run starts: they come first.")

    def snapshot(self) -> GridSnapshot:
        """The run as it is now."""
        processes = tuple((replace(found), found.interpreter.snapshot()) for found in self.processes)
        outcomes = {team: dict(found) for team, found in self._outcomes.items()}
        traffic = self._office.traffic.copy()
        return GridSnapshot(
            *(
                tuple(self.teams),
                processes,
                traffic,
                self.ledger.copy(),
                self.step_count,
                self._turn,
                outcomes,
            )
        )

    def restore(self, snapshot: GridSnapshot) -> None:
        """Goes back, or on, to `snapshot`, which is one of this run or of one that is the same."""
        for team in snapshot.teams[len(self.teams) :]:
            self._add_team(team)
        del self.teams[len(snapshot.teams) :]
        self.ledger = snapshot.ledger.copy()
        for number, (then, inside) in enumerate(snapshot.processes):
            if number >= len(self.processes):
                self._add_process(replace(then, interpreter=copy(then.interpreter)))
                self.processes[number].listener.frame_entered(then.interpreter.entered)
            now = self.processes[number]
            now.interpreter.restore(inside, self.ledger)
            now.offset, now.waits, now.hungry = then.offset, then.waits, then.hungry
            now.answered, now.answer = then.answered, then.answer
        del self.processes[len(snapshot.processes) :]
        self._office.traffic, self._hosts.ledger = snapshot.traffic.copy(), self.ledger
        self.step_count, self._turn = snapshot.steps, snapshot.turn
        self._outcomes = {team: dict(found) for team, found in snapshot.outcomes.items()}

    # Teams

    def _begin(self, team: Team, names: Sequence[str | None], inputs: Sequence[Arrays]) -> None:
        self._add_team(team)
        for number, name, given in zip(team.numbers, names, inputs, strict=True):
            place = Place(team.process_of(number), team.grid)
            interpreter = Interpreter(
                *(self.program, given, self.limits, name, self._bindings, place, self.ledger, self._kin),
                self._shared,
            )
            process = Process(number, team, interpreter, None, team.begin)  # type: ignore[arg-type]
            self._add_process(process)
            process.listener.frame_entered(interpreter.entered)
            if team.begin:
                self._listener.jumped(number, 0, team.begin)

    @property
    def _kin(self) -> Interpreter | None:
        return self.processes[0].interpreter if self.processes else None

    def _add_team(self, team: Team) -> None:
        self.teams.append(team)
        self._listener.team_began(team)

    def _add_process(self, process: Process) -> None:
        process.listener = self._listener.process_began(process.number, process.team)
        self.processes.append(process)

    # Turns

    def _next(self) -> Process | None:
        """Whose turn it is: the one whose turn is not over, or else the next one that can go on."""
        if self._chooser:
            return self._chosen(self._chooser)
        number, end = self._turn
        current = self.processes[number]
        if self._can_go_on(current) and current.interpreter.step_count < end:
            return current
        count = len(self.processes)
        for distance in range(1, count + 1):
            process = self.processes[(number + distance) % count]
            if self._can_go_on(process):
                self._turn = (process.number, process.interpreter.step_count + TURN)
                return process
        return None

    def _chosen(self, chooser: Chooser) -> Process | None:
        able = [process.number for process in self.processes if self._can_go_on(process)]
        if not able:
            return None
        number, steps = chooser(able)
        self._turn = (number, self.processes[number].interpreter.step_count + max(1, steps))
        return self.processes[number]

    def _can_go_on(self, process: Process) -> bool:
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
                self._hand_over(process)
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
            self._end(process)

    def _hand_over(self, process: Process) -> None:
        answer = process.answer
        process.waits = process.answered = False
        process.answer = None
        process.interpreter.answer(process.listener, answer)

    def _fail(self, process: Process, error: ProgramError) -> None:
        process.waits = True
        failure = (process.next_tick - 1, process.number, error)
        if self._failure is None or failure[:2] < self._failure[:2]:
            self._failure = failure

    def _end(self, process: Process) -> None:
        opener = process.team.opener
        if opener is None:
            return
        outcomes = self._outcomes[process.team.number]
        outcomes[process.number] = process.interpreter.returned
        if len(outcomes) == process.team.grid.num_processes:
            results = tuple(value for number in process.team.numbers for value in outcomes[number])
            del self._outcomes[process.team.number]
            tick = max(self.processes[number].next_tick for number in process.team.numbers)
            self._release(opener[0], results, tick)

    @property
    def _may_give_back(self) -> bool:
        """Whether nobody goes on who could receive what is in a queue: nor once the user has filled another."""
        return self._failure is None and not self.hungry

    def _consider_end(self) -> None:
        """Nobody can go on: because all have ended, or one failed, or the user is waited for, or it is a standstill."""
        if self._failure:
            raise self._failure[2]
        if self.hungry:
            return
        ended = [found.number for found in self.processes if found.ended]
        if found := standstill(self._teller, self._office.traffic, ended):
            raise found

    # What processes ask for

    def _serve(self, process: Process) -> None:
        pending = process.interpreter.waiting
        assert pending is not None
        caller = Caller(process.number, process.team, process.next_tick - 1, pending)
        try:
            self._answer(caller, process)
        except ProgramError as error:
            self._fail(process, error if error.op else blamed(error, pending.bound))

    def _answer(self, caller: Caller, process: Process) -> None:
        match caller.pending.request:
            case Meet() as request:
                self._office.meet(caller, request)
            case Await() as request:
                process.hungry = self._desk.fetch(caller, request)
                if process.hungry is None:
                    self._office.collect(caller, request)
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
            self._office.transfer(caller, request, route)
        else:
            process.hungry = self._desk.serve(caller, request, route)

    def _open_team(self, caller: Caller, request: RunGrid) -> None:
        grid, first = request.grid, len(self.processes)
        limit = self.limits.max_processes
        if first + grid.num_processes > limit:
            message = (
                f"{first + grid.num_processes} processes are more than the limit max_processes = {limit}"
            )
            raise LimitError(message, label="max_processes", hint="run fewer processes, or raise the limit")
        block = self.processes[caller.number].interpreter.frames[-1].block
        found = [self.program.called(block, name) for row in request.programs for name in row]
        makers = [self.program.called(block, name) for name in request.infeed]
        channels = host_channels(self.program, found, makers, first)
        opener = (caller.number, caller.pending.step)
        team = Team(len(self.teams), grid, first, caller.tick + 1, opener, request.infeed, channels)
        self._outcomes[team.number] = {}
        inputs, at = [], 0
        for function in found:
            count = len(function.function.arguments)
            inputs.append(request.arguments[at : at + count])
            at += count
        self._begin(team, [function.function.name for function in found], inputs)

    def _release(self, number: int, answer: Any, tick: int) -> None:
        """A process has got what it waited for, and goes on at `tick`."""
        process = self.processes[number]
        process.answered, process.answer = True, answer
        step = process.interpreter.step_count
        if tick != step + process.offset:
            process.offset = tick - step
            self._listener.jumped(number, step, tick)


def _read_only_view(array: Array) -> Array:
    found = np.asarray(array).view()
    found.flags.writeable = False
    return found
