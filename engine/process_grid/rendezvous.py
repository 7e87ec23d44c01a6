"""Answer requests between processes: rendezvous, transfers over channels, and asynchronous results."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ..errors import ProgramError
from ..frames import Pending
from ..ops.collectives.collective_rules import CollectiveOp
from ..ops.collectives.point_to_point import PointToPoint
from ..ops.core.exchanges import (
    Arrays,
    Arrived,
    Await,
    ExecuteCollective,
    GridPosition,
    Peers,
    PeerValues,
    Receive,
    Route,
    Send,
)
from ..program import BoundOperation
from ..run_errors import attribute_error
from .deadlock import mismatch_error, overlap_error
from .grid_events import MESSAGE, ArrivalEvent, GridListener, LaunchGroup
from .process_names import ProcessNames
from .traffic import Arrival, Channel, Message, Numbers, Rendezvous, RendezvousKey, RendezvousSeries, Traffic


@dataclass(frozen=True)
class Caller:
    """A process whose current op made a request, and the tick of the request."""

    number: int
    launch_group: LaunchGroup
    tick: int
    pending: Pending

    @property
    def name(self) -> str:
        """The op's name without the dialect."""
        return self.pending.bound.operation.name.rpartition(".")[2]

    @property
    def place(self) -> GridPosition:
        """Its process id and grid."""
        return GridPosition(self.launch_group.process_of(self.number), self.launch_group.grid)

    def arrival(self, values: Arrays, awaited: tuple[int, ...] | None = None) -> Arrival:
        """Its arrival with operands `values`; by default it waits for no other process."""
        bound, step = self.pending.bound, self.pending.step
        return Arrival(self.number, bound, step, self.tick, values, awaited or (self.number,))


_MAX_GROUPS = 10_000
Release = Callable[[int, Any, int], None]
"""Takes the number of a process, the answer to its request, and the tick at which it continues."""


class Coordinator:
    """Matches processes in rendezvous and transfers, and releases those whose answer is available."""

    def __init__(self, names: ProcessNames, listener: GridListener, release: Release) -> None:
        self.traffic = Traffic()
        self._names = names
        self._listener = listener
        self._release = release
        self._groups: dict[tuple[int, int], tuple[Peers, Numbers, Numbers, Numbers]] = {}

    # Rendezvous

    def meet(self, caller: Caller, request: ExecuteCollective) -> None:
        """Handle the arrival of a process at a collective; `DeadlockError` if its op does not match."""
        op, launch_group = caller.pending.bound.op, caller.launch_group
        assert isinstance(op, CollectiveOp)
        peers = op.peers(caller.place)
        if peers is None:
            self._release(caller.number, None, caller.tick + 1)
            return
        group, awaited, members = self._numbers(launch_group, peers)
        arrival = caller.arrival(request.values, awaited)
        found = self._rendezvous((launch_group.number, op.channel, members), caller.number, group)
        self._report(caller, found.number, op.channel, group, awaited)
        first = next(iter(found.arrivals.values()), None)
        wrong = _mismatch(first, arrival, found.group, group) if first else None
        if first and wrong:
            raise mismatch_error(self._names, first, arrival, op.channel, wrong)
        # A process that waits for no other gets its results immediately, even if the op only starts.
        placeholders = request.placeholders if len(awaited) > 1 else ()
        self._join(found, self.start(arrival, placeholders))

    def _numbers(self, launch_group: LaunchGroup, peers: Peers) -> tuple[Numbers, Numbers, Numbers]:
        """Group, awaited processes, and sorted group; cached, since members mostly share `peers`."""
        key = (launch_group.number, id(peers))
        if key not in self._groups:
            if len(self._groups) >= _MAX_GROUPS:
                self._groups.clear()
            group = Numbers(map(launch_group.number_of, peers.group))
            same = peers.awaited == peers.group
            awaited = group if same else Numbers(map(launch_group.number_of, peers.awaited))
            self._groups[key] = (peers, group, awaited, Numbers(sorted(group)))
        return self._groups[key][1:]

    def _rendezvous(self, key: RendezvousKey, process: int, group: Numbers) -> Rendezvous:
        series = self.traffic.rendezvous.setdefault(key, RendezvousSeries())
        sequence = series.counts.get(process, 0)
        series.counts[process] = sequence + 1
        if sequence not in series.unfinished:
            series.unfinished[sequence] = Rendezvous(self.traffic.next_number(), key, sequence, group)
        return series.unfinished[sequence]

    def start(self, arrival: Arrival, placeholders: Arrays) -> Arrival:
        """Register the arrival; with `placeholders` the process continues, and a future gets the outcome."""
        if not placeholders:
            return arrival
        self._release(arrival.process, (), arrival.tick + 1)
        return self.traffic.open_future(arrival, placeholders)

    def _join(self, rendezvous: Rendezvous, arrival: Arrival) -> None:
        for each in rendezvous.add(arrival):
            self.complete(rendezvous.number, each, *rendezvous.outcome(each))
        if rendezvous.is_over:
            del self.traffic.rendezvous[rendezvous.key].unfinished[rendezvous.sequence]

    def complete(self, number: int, arrival: Arrival, outcome: PeerValues | Arrays, tick: int) -> None:
        """Deliver the outcome to a process, which continues at `tick`, or to its future."""
        self._listener.process_released(number, arrival.process, tick)
        if arrival.future is None:
            self._release(arrival.process, outcome, tick)
            return
        future = replace(self.traffic.futures[arrival.future], outcome=outcome, tick=tick)
        self.traffic.futures[arrival.future] = future
        if future.waiter is not None:
            self._resolve(arrival.future, future.waiter, future.waiter_tick)

    # Futures

    def collect(self, caller: Caller, request: Await) -> None:
        """Handle the wait of a process for an op that it started."""
        number = self.traffic.future_of(request.placeholder)
        if number is None:
            self._release(caller.number, Arrived(None), caller.tick + 1)
            return
        future = replace(self.traffic.futures[number], waiter=caller.number, waiter_tick=caller.tick)
        self.traffic.futures[number] = future
        if future.outcome is not None:
            self._resolve(number, caller.number, caller.tick)

    def _resolve(self, number: int, process: int, tick: int) -> None:
        future = self.traffic.close_future(number)
        outcome, bound = future.outcome, future.arrival.bound
        if isinstance(outcome, PeerValues):
            try:
                outcome = self._outputs(bound, outcome)
            except ProgramError as error:
                raise attribute_error(error, bound) from None
            self._listener.outcome_collected(process, future.arrival.step, outcome)
        self._release(process, Arrived(outcome), max(tick + 1, future.tick))

    def _outputs(self, bound: BoundOperation, peer_values: PeerValues) -> Arrays:
        assert isinstance(bound.op, CollectiveOp)
        return bound.op.outputs(peer_values)

    # Channels

    def answer_now(self, caller: Caller, placeholders: Arrays, outcome: Arrays | None) -> int | None:
        """Answer a transfer with a queue; `outcome` is `None` while the item is missing.

        Returns the number of the future for the placeholders, `None` without placeholders.
        """
        if not placeholders:
            self._release(caller.number, outcome, caller.tick + 1)
            return None
        future = self.start(caller.arrival(()), placeholders).future
        assert future is not None
        if outcome is not None:
            self.resolve(future, outcome, caller.tick + 1)
        return future

    def resolve(self, future: int, outcome: Arrays, tick: int) -> None:
        """Set the outcome of a future, available from `tick`."""
        found = self.traffic.futures[future]
        self.traffic.futures[future] = replace(found, outcome=outcome, tick=tick)

    def transfer(self, caller: Caller, request: Send | Receive, route: Route) -> None:
        """Handle a send or receive over a channel."""
        launch_group = caller.launch_group
        ends = tuple(
            None if end is None else launch_group.number_of(end) for end in (route.source, route.target)
        )
        is_send = isinstance(request, Send)
        key = (launch_group.number, route.channel, *_known_ends(ends))
        pending = self.traffic.channels.get(key, Channel())
        place = pending.place(sends=is_send)
        new = place == len(pending.waiting)
        message = Message(self.traffic.next_number()) if new else pending.waiting[place]
        values = request.values if isinstance(request, Send) else ()
        awaited = tuple(end for end in ends if end is not None)
        arrival = caller.arrival(values, awaited)
        self._report(caller, message.number, route.channel, awaited, awaited, MESSAGE)
        arrival = self.start(arrival, request.placeholders)
        message = replace(message, sent=arrival) if is_send else replace(message, wanted=arrival)
        pending = replace(pending, waiting=(*pending.waiting[:place], message, *pending.waiting[place + 1 :]))
        self.traffic.channels[key] = self._deliver(pending, route.channel)

    def _deliver(self, pending: Channel, channel: int) -> Channel:
        """Deliver the first message of the channel, if both ends have arrived; returns the channel."""
        message = pending.waiting[0]
        sent, wanted = message.sent, message.wanted
        if sent is None or wanted is None:
            return pending
        if pending.last and (both := pending.overlap):
            raise overlap_error(self._names, *both, channel, sends=both[1] is sent)
        sender, receiver = sent.bound.op, wanted.bound.op
        assert isinstance(sender, PointToPoint)
        assert isinstance(receiver, PointToPoint)
        if wrong := sender.mismatch(receiver):
            raise mismatch_error(self._names, sent, wanted, channel, wrong)
        tick = 1 + max(sent.tick, wanted.tick)
        self.complete(message.number, sent, (), tick)
        self.complete(message.number, wanted, sent.values, tick)
        return Channel(pending.waiting[1:], replace(message, sent=replace(sent, values=())))

    def _report(
        self,
        caller: Caller,
        number: int,
        channel: int,
        group: tuple[int, ...],
        awaited: tuple[int, ...],
        kind: str = "",
    ) -> None:
        pending = caller.pending
        arrival = ArrivalEvent(
            *(
                number,
                kind or caller.name,
                pending.bound.id,
                caller.launch_group.number,
                channel,
                group,
                awaited,
            ),
            *(caller.number, pending.step, caller.tick),
        )
        self._listener.process_arrived(arrival)


def _known_ends(ends: tuple[int | None, ...]) -> tuple[int | None, int | None]:
    """Both ends of a channel, if both sides know them; otherwise neither."""
    source, target = ends
    return (None, None) if source is None or target is None else (source, target)


def _mismatch(first: Arrival, second: Arrival, group: tuple[int, ...], other: tuple[int, ...]) -> str | None:
    """The difference between the ops of two participants; `None` if they match."""
    one, two = first.bound.op, second.bound.op
    assert isinstance(one, CollectiveOp)
    assert isinstance(two, CollectiveOp)
    if one is not two and (wrong := one.mismatch(two)):
        return wrong
    if group is not other and group != other:
        return f"the order of the group is {list(group)} here and {list(other)} there"
    return None
