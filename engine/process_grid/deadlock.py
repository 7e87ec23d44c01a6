"""Deadlock reports: the processes that wait, the ops they wait in, and the processes they wait for."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..errors import RunError
from ..program import BoundOperation
from ..run_errors import attribute_error
from .process_names import MAX_NAMES, ProcessNames
from .traffic import Arrival, Rendezvous, Traffic

# Waits: the waiting processes, their ops, and the processes they wait for.


WaitKind = Literal["meet", "send", "receive", "await"]
"""The reason for a wait; `await` is the completion of an op that the process started."""


@dataclass(frozen=True)
class Wait:
    """A waiting process."""

    process: int
    op: BoundOperation
    step: int
    channel: int
    group: tuple[int, ...]
    missing: tuple[int, ...]
    """The processes that have not arrived."""
    what: WaitKind
    any_of: bool = False
    """Whether any one of `missing` suffices, since it receives from any of them."""


def waits_of(traffic: Traffic) -> Iterator[Wait]:
    """All waits by process and step, including asynchronous ops that cannot complete."""
    found = [*_in_rendezvous(traffic), *_on_channels(traffic), *_on_host_queues(traffic)]
    return iter(sorted(found, key=lambda wait: (wait.process, wait.step)))


def _in_rendezvous(traffic: Traffic) -> Iterator[Wait]:
    for series in traffic.rendezvous.values():
        for rendezvous in series.unfinished.values():
            for arrival in rendezvous.arrivals.values():
                if arrival.process not in rendezvous.released:
                    yield _wait_in(rendezvous, arrival)


def _wait_in(rendezvous: Rendezvous, arrival: Arrival) -> Wait:
    missing = tuple(number for number in arrival.awaited if number not in rendezvous.arrivals)
    what: WaitKind = "meet" if arrival.future is None else "await"
    return Wait(
        arrival.process, arrival.bound, arrival.step, rendezvous.channel, rendezvous.group, missing, what
    )


def _on_channels(traffic: Traffic) -> Iterator[Wait]:
    for (_, channel, *_), state in traffic.channels.items():
        for message in state.waiting:
            if message.sent is not None:
                yield _wait_at_end(message.sent, channel, "send")
            if message.wanted is not None:
                yield _wait_at_end(message.wanted, channel, "receive")


def _on_host_queues(traffic: Traffic) -> Iterator[Wait]:
    for (_, channel), queue in traffic.host_queues.items():
        for message in queue.wanted:
            if message.wanted is not None:
                yield replace(_wait_at_end(message.wanted, channel, "receive"), any_of=True)


def _wait_at_end(arrival: Arrival, channel: int, what: WaitKind) -> Wait:
    missing = tuple(number for number in arrival.awaited if number != arrival.process)
    return Wait(arrival.process, arrival.bound, arrival.step, channel, arrival.awaited, missing, what)


DeadlockKind = Literal["deadlock", "ended", "unreceived", "groups", "mismatch", "overlap"]
_MAX_LINES = 16
"""Maximum number of waits described in sentences; `waits` has all of them."""


@dataclass(frozen=True)
class DeadlockReport:
    """The reason why no process can continue: the kind, a sentence, and the wait of each process."""

    kind: DeadlockKind
    sentence: str
    lines: tuple[str, ...]
    """Further sentences with details."""
    waits: tuple[Wait, ...]
    cycle: tuple[int, ...] = ()
    """Processes that each wait for the next, and the last for the first."""


class DeadlockError(RunError):
    """The processes of a grid cannot continue; `report` explains why."""

    kind = "deadlock"

    def __init__(self, report: DeadlockReport, bound: BoundOperation, hint: str | None = None) -> None:
        super().__init__("\n".join((report.sentence, *report.lines)), hint=hint)
        self.report = report
        attribute_error(self, bound)


# Errors of two arrivals


def mismatch_error(
    names: ProcessNames, first: Arrival, second: Arrival, channel: int, wrong: str
) -> DeadlockError:
    """The error of two processes whose ops differ in one rendezvous; `wrong` states the difference."""
    one, two = names.process(first.process), names.process(second.process)
    sentence = f"{one} and {two} meet{_on(channel)}, but their ops do not match: {wrong}"
    lines = tuple(
        f"{'here' if arrival is first else 'there'}: {names.process(arrival.process)} in {names.op(arrival.bound)}"
        for arrival in (first, second)
    )
    hint = "let all processes of a group run the same op, in the same order"
    return DeadlockError(
        DeadlockReport("mismatch", sentence, lines, _waits_of_both(first, second, channel)),
        second.bound,
        hint,
    )


def overlap_error(
    names: ProcessNames, first: Arrival, second: Arrival, channel: int, *, sends: bool
) -> DeadlockError:
    """The error of two sends, or two receives, that are pending on one channel at once."""
    verb, other = ("sends", "received") if sends else ("receives", "sent")
    sentence = (
        f"{names.process(second.process)} {verb} on channel {channel}, where what {names.process(first.process)} "
        f"{verb} has not been {other} yet"
    )
    lines = tuple(
        f"{names.process(arrival.process)} {verb} in {names.op(arrival.bound)}" for arrival in (first, second)
    )
    hint = "use a separate channel for each pending transfer"
    return DeadlockError(
        DeadlockReport("overlap", sentence, lines, _waits_of_both(first, second, channel)), second.bound, hint
    )


def _waits_of_both(first: Arrival, second: Arrival, channel: int) -> tuple[Wait, ...]:
    return tuple(
        Wait(arrival.process, arrival.bound, arrival.step, channel, arrival.awaited, (), "meet")
        for arrival in (first, second)
    )


def _on(channel: int) -> str:
    return f" on channel {channel}" if channel else ""


# No process can continue


def find_deadlock(names: ProcessNames, traffic: Traffic, ended: Collection[int]) -> DeadlockError | None:
    """The error of processes that wait forever; `None` if none waits. `ended` are the other processes."""
    waits = tuple(waits_of(traffic))
    if not waits:
        return None
    if found := _find_overlap(names, traffic):
        return found
    diagnosis = _Diagnosis(names, waits, ended)
    return diagnosis.groups() or diagnosis.unmatched_transfer() or diagnosis.early_end() or diagnosis.cycle()


def _find_overlap(names: ProcessNames, traffic: Traffic) -> DeadlockError | None:
    """Report two sends, or two receives, that wait on one channel."""
    for (_, channel, *_), state in traffic.channels.items():
        if both := state.overlap:
            sends = any(message.sent is both[1] for message in state.waiting)
            return overlap_error(names, *both, channel, sends=sends)
    return None


class _Diagnosis:
    """Searches `waits` for each kind of deadlock; each method returns the error of its kind, or `None`."""

    def __init__(self, names: ProcessNames, waits: tuple[Wait, ...], ended: Collection[int]) -> None:
        self._names, self._waits, self._ended = names, waits, ended
        self._blocked = dict(sorted({wait.process: wait for wait in reversed(waits)}.items()))
        self._lines = tuple(self._describe(wait) for wait in waits[:_MAX_LINES])

    def _error(
        self, kind: DeadlockKind, sentence: str, wait: Wait, hint: str, cycle: tuple[int, ...] = ()
    ) -> DeadlockError:
        more = len(self._waits) - len(self._lines)
        lines = (*self._lines, *([f"{more} more wait"] if more else []))
        return DeadlockError(DeadlockReport(kind, sentence, lines, self._waits, cycle), wait.op, hint)

    def groups(self) -> DeadlockError | None:
        """Two processes wait for each other on one channel, in different groups."""
        for wait in self._waits:
            for number in wait.missing:
                other = self._blocked.get(number)
                if other is None or {wait.what, other.what} - {"meet", "await"}:
                    continue
                differ = set(other.group) != set(wait.group) and wait.process in other.group
                if differ and other.channel == wait.channel:
                    name = self._names.process
                    sentence = (
                        f"{name(wait.process)} and {name(number)} wait for each other"
                        f"{_on(wait.channel)} in different groups: {self._group(wait)} and {self._group(other)}"
                    )
                    hint = "give all processes of a group the same replica_groups"
                    return self._error("groups", sentence, wait, hint)
        return None

    def unmatched_transfer(self) -> DeadlockError | None:
        """A send or receive without a process at the other end."""
        for wait in self._waits:
            if wait.what not in ("send", "receive"):
                continue
            if any(number not in self._ended for number in wait.missing):
                continue
            verb, other = ("sends", "receives") if wait.what == "send" else ("receives", "sends")
            partner = f"no {'other ' if wait.any_of else ''}process {other} there"
            who = self._ended_names(wait.missing) if wait.missing else partner
            sentence = f"{self._names.process(wait.process)} {verb} on channel {wait.channel}, but {who}"
            help = "put an item into its queue before the run" if wait.any_of else "leave the transfer out"
            hint = f"let a process {other.removesuffix('s')} on the channel, or {help}"
            return self._error("unreceived", sentence, wait, hint)
        return None

    def early_end(self) -> DeadlockError | None:
        """A process waits for one that has already returned."""
        for wait in self._waits:
            gone = [number for number in wait.missing if number in self._ended]
            if gone and not wait.any_of:
                sentence = (
                    f"{self._ended_names(gone)}, while {self._names.process(wait.process)} waits in "
                    f"{self._names.op(wait.op)}"
                )
                hint = "let every process of the group execute the op equally often"
                return self._error("ended", sentence, wait, hint)
        return None

    def cycle(self) -> DeadlockError:
        """Processes wait for each other in a cycle, or otherwise forever."""
        cycle = self._find_cycle()
        wait = self._blocked[cycle[0]] if cycle else self._waits[0]
        if not cycle:
            sentence = f"deadlock: no process can continue, and {len(self._waits)} wait"
        elif len(cycle) == 2:
            sentence = f"deadlock: {self._names.processes(cycle)} wait for each other"
        else:
            chain = ", which waits for ".join(
                self._names.process(number) for number in (*cycle[1:], cycle[0])
            )
            sentence = f"deadlock: {self._names.process(cycle[0])} waits for {chain}"
        return self._error(
            "deadlock", sentence, wait, "let all processes execute their collectives in the same order", cycle
        )

    def _find_cycle(self) -> tuple[int, ...]:
        for start in self._blocked:
            path: list[int] = []
            number: int | None = start
            while number is not None and number not in path:
                path.append(number)
                number = self._next_blocked(number)
            if number is not None:
                ring = path[path.index(number) :]
                least = ring.index(min(ring))
                return (*ring[least:], *ring[:least])
        return ()

    def _next_blocked(self, number: int) -> int | None:
        missing = self._blocked[number].missing
        return next((other for other in missing if other in self._blocked), None)

    def _ended_names(self, numbers: Sequence[int]) -> str:
        return f"{self._names.processes(numbers)} {'has' if len(numbers) == 1 else 'have'} ended"

    def _group(self, wait: Wait) -> str:
        return f"{{{self._names.processes(wait.group)}}}"

    def _describe(self, wait: Wait) -> str:
        does = {
            "meet": "waits",
            "send": "waits to send",
            "receive": "waits to receive",
            "await": "has started an op that never completes",
        }[wait.what]
        text = f"{self._names.process(wait.process)} {does} in {self._names.op(wait.op)}{_on(wait.channel)}"
        missing = [
            f"{self._names.process(number)}, {self._whereabouts(number)}"
            for number in wait.missing[:MAX_NAMES]
        ]
        if more := len(wait.missing) - len(missing):
            missing.append(f"{more} more")
        return f"{text}, for {'; '.join(missing)}" if missing else text

    def _whereabouts(self, number: int) -> str:
        if number in self._ended:
            return "which has ended"
        found = self._blocked.get(number)
        return f"which waits in {self._names.op(found.op)}" if found else "which has not arrived"
