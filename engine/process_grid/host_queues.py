"""First-in-first-out host queues between the processes of a launch group.

A send does not wait. A process receives its own item only if no process can continue: until then another
receiver on the channel takes it, as in StableHLO's reference interpreter, where a send waits for its receive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..errors import ProgramError
from ..memory import Ledger
from ..ops.collectives.point_to_point import PointToPoint
from ..ops.core.exchanges import GridPosition, Receive, Send
from ..ops.core.process_groups import ALONE, ProcessId
from ..ops.dialects.interpreter_dialect import RunParallel
from ..program import BoundFunction, BoundProgram
from .deadlock import mismatch_error
from .grid_events import MESSAGE, ArrivalEvent, GridListener
from .process_names import ProcessNames
from .rendezvous import Caller, Coordinator, Numbers
from .traffic import Arrival, HostQueue, Message

Key = tuple[int, int]
"""Launch group and channel."""


class HostQueues:
    """The host queues of launch groups; they store items until a process receives them."""

    def __init__(
        self, names: ProcessNames, coordinator: Coordinator, listener: GridListener, ledger: Ledger
    ) -> None:
        self.ledger = ledger
        self._names, self._coordinator, self._listener = names, coordinator, listener

    def send(self, caller: Caller, request: Send, channel: int) -> None:
        """Send to the receive that has waited longest for another process's item, or else into the queue."""
        key, arrival = (caller.launch_group.number, channel), caller.arrival(request.values)
        queue = self._queue(key)
        self._coordinator.answer_now(caller, request.placeholders, ())
        found = queue.reader(arrival.process)
        number = (
            self._coordinator.traffic.next_number() if found is None or found.number < 0 else found.number
        )
        self._report(key, Message(number, arrival, found.wanted if found else None), arrival)
        self._listener.process_released(number, caller.number, caller.tick + 1)
        sent = Message(number, arrival)
        if found is not None:
            self._keep(key, queue.remove(found))
            self._deliver(key, sent, found)
            return
        for value in arrival.values:
            self.ledger.add(value)
        self._keep(key, replace(queue, sent=(*queue.sent, sent)))

    def receive(self, caller: Caller, request: Receive, channel: int, senders: Numbers) -> None:
        """Receive the first item of another process, or wait until one of `senders` sends."""
        key = caller.launch_group.number, channel
        awaited = tuple(sorted({caller.number, *senders}))
        arrival = self._coordinator.start(caller.arrival((), awaited), request.placeholders)
        queue = self._queue(key)
        found = queue.item(arrival)
        if found is not None:
            self._remove(key, found, Message(-1, wanted=arrival))
            return
        # If the queue has an item of the same process, the message to take is not yet determined.
        own = any(sent.sent and sent.sent.process == arrival.process for sent in queue.sent)
        wanted = Message(-1 if own else self._coordinator.traffic.next_number(), wanted=arrival)
        if not own:
            self._report(key, wanted, arrival)
        self._keep(key, replace(queue, wanted=(*queue.wanted, wanted)))

    def return_item(self) -> bool:
        """Let one waiting process receive its own item, when no process can continue; returns success."""
        for key, queue in self._coordinator.traffic.host_queues.items():
            if queue.sent and queue.wanted:
                wanted = queue.wanted[0]
                self._keep(key, queue.remove(wanted))
                self._remove(key, queue.sent[0], wanted)
                return True
        return False

    def _remove(self, key: Key, sent: Message, wanted: Message) -> None:
        """Remove the item of `sent` from the queue, and deliver it to `wanted`."""
        assert sent.sent is not None
        for value in sent.sent.values:
            self.ledger.remove(value)
        self._keep(key, self._queue(key).remove(sent))
        self._deliver(key, sent, wanted)

    def _deliver(self, key: Key, from_: Message, to: Message) -> None:
        sent, wanted = from_.sent, to.wanted
        assert sent is not None
        assert wanted is not None
        sender, receiver = sent.bound.op, wanted.bound.op
        assert isinstance(sender, PointToPoint)
        assert isinstance(receiver, PointToPoint)
        if to.number < 0:
            self._report(key, Message(from_.number, sent, wanted), wanted)
        if wrong := sender.mismatch(receiver):
            raise mismatch_error(self._names, sent, wanted, key[1], wrong)
        self._coordinator.complete(from_.number, wanted, sent.values, 1 + max(sent.tick, wanted.tick))

    def _queue(self, key: Key) -> HostQueue:
        return self._coordinator.traffic.host_queues.get(key, HostQueue())

    def _keep(self, key: Key, queue: HostQueue) -> None:
        self._coordinator.traffic.host_queues[key] = queue

    def _report(self, key: Key, message: Message, arrival: Arrival) -> None:
        launch_group, channel = key
        ends = tuple(found.process for found in (message.sent, message.wanted) if found)
        about = message.number, MESSAGE, arrival.bound.id, launch_group, channel, ends, arrival.awaited
        self._listener.process_arrived(ArrivalEvent(*about, arrival.process, arrival.step, arrival.tick))


Channels = Mapping[int, tuple[int, ...]]
"""For each channel, the numbers of the processes that may send on it."""


def host_channels(
    program: BoundProgram, functions: Sequence[BoundFunction], infeed: Iterable[BoundFunction], first: int
) -> Channels:
    """The host channels of a launch group whose processes, from number `first`, run `functions`.

    Any process may also run one of `infeed`.
    """
    ends = {found.block: _ends(program, found) for found in (*functions, *infeed)}
    received = {channel for found in ends.values() for channel, sends in found if not sends}
    anyone = frozenset().union(*(ends[found.block] for found in infeed))
    senders: dict[int, list[int]] = {}
    for number, function in enumerate(functions, first):
        for channel in sorted({channel for channel, sends in ends[function.block] | anyone if sends}):
            senders.setdefault(channel, []).append(number)
    return {channel: tuple(found) for channel, found in senders.items() if channel in received}


def _ends(program: BoundProgram, function: BoundFunction) -> frozenset[tuple[int, bool]]:
    """The host channels that a function uses, and whether it sends; nested launch groups have their own."""
    reached = (program.ops[number].op for number in program.reachable_ops(function, beyond=RunParallel))
    return frozenset(
        (op.channel, op.sends) for op in reached if isinstance(op, PointToPoint) and _leads_to_host(op)
    )


def _leads_to_host(op: PointToPoint) -> bool:
    try:
        route = op.route(GridPosition(ProcessId(0, 0), ALONE))
    except ProgramError:  # pairs of processes are checked when they run
        return False
    return route is not None and route.kind == "host"
