"""Host queues between the processes of a launch group, first in, first out, and transfers with the user.

A send does not wait. A process receives its own item only if no process can continue: until then another
receiver on the channel takes it, as in StableHLO's reference interpreter, where a send waits for its receive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..entry import is_of
from ..errors import ProgramError, RunError
from ..ir.types import Type
from ..memory import Ledger
from ..ops.collectives.point_to_point import PointToPoint
from ..ops.core.exchanges import Array, Arrays, Await, GridPosition, Receive, Route, Send
from ..ops.core.op import CallFunction
from ..ops.core.process_groups import ALONE, ProcessId
from ..ops.core.values import is_tuple
from ..ops.dialects.interpreter_dialect import RunParallel
from ..program import BoundFunction, BoundProgram
from .deadlock import mismatch_error
from .grid_events import MESSAGE, ArrivalEvent, GridListener
from .launch import QueueKey
from .process_names import ProcessNames
from .rendezvous import Caller, Coordinator, Release
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

    def receive(self, caller: Caller, request: Receive, channel: int, senders: tuple[int, ...]) -> None:
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


# Transfers with the user: items from infeed and the host, and items to outfeed and the host.
#
# If a host channel is also a queue of the launch group, the user's items are taken first.


class QueueTransfers:
    """Moves items between processes and the user's queues."""

    def __init__(
        self,
        queues: Queues,
        coordinator: Coordinator,
        hosts: HostQueues,
        listener: GridListener,
        release: Release,
    ) -> None:
        self._queues, self._coordinator, self._hosts = queues, coordinator, hosts
        self._listener, self._release = listener, release

    def serve(self, caller: Caller, request: Send | Receive, route: Route) -> QueueKey | None:
        """Execute the request, or return the queue that must be filled first."""
        senders = caller.launch_group.host_channels.get(route.channel) if route.kind == "host" else None
        if senders is not None and isinstance(request, Send):
            self._hosts.send(caller, request, route.channel)
            return None
        if isinstance(request, Send):
            queue = _queue(route, caller, sends=True)
            self._listener.item_moved(queue, caller.number, caller.pending.step, caller.tick, request.values)
            self._coordinator.answer_now(caller, request.placeholders, ())
            return None
        if route.kind == "feed" and caller.launch_group.infeed:
            self._call_infeed(caller)
            return None
        queue = self._queues.queue_for(_queue(route, caller, sends=False))
        if senders is not None and not self._has_item(queue, request):
            self._hosts.receive(caller, request, route.channel, senders)
            return None
        return self._take(caller, request, queue)

    def _has_item(self, queue: QueueKey, request: Receive) -> bool:
        """Whether the user's queue has an item, which precedes those of processes."""
        number = self._coordinator.traffic.taken.get(queue, 0)
        return self._queues.item(queue, number, request.types) is not None

    def _take(self, caller: Caller, request: Receive, queue: QueueKey) -> QueueKey | None:
        traffic = self._coordinator.traffic
        number = traffic.taken.get(queue, 0)
        item = self._queues.item(queue, number, request.types)
        if item is None and not request.placeholders:
            return queue
        traffic.taken[queue] = number + 1
        if item is not None:
            self._listener.item_moved(queue, caller.number, caller.pending.step, caller.tick, item)
        future = self._coordinator.answer_now(caller, request.placeholders, item)
        if future is not None and item is None:
            traffic.reserved[future] = (queue, number, request.types)
        return None

    def fetch(self, caller: Caller, request: Await) -> QueueKey | None:
        """Complete an earlier receive; returns its queue while the item is missing."""
        traffic = self._coordinator.traffic
        future = traffic.future_of(request.placeholder)
        if future is None or future not in traffic.reserved:
            return None
        queue, number, types = traffic.reserved[future]
        item = self._queues.item(queue, number, types)
        if item is None:
            return queue
        del traffic.reserved[future]
        self._listener.item_moved(queue, caller.number, caller.pending.step, caller.tick, item)
        self._coordinator.resolve(future, item, caller.tick + 1)
        return None

    def _call_infeed(self, caller: Caller) -> None:
        """Call the function of the program that supplies the item."""
        launch_group, taken = caller.launch_group, self._coordinator.traffic.taken
        queue = QueueKey("infeed", launch_group.number, launch_group.first)
        number = taken.get(queue, 0)
        if number >= len(launch_group.infeed):
            raise RunError(
                f"the infeed queue is empty: run_parallel names {len(launch_group.infeed)} functions that fill it",
                hint="name a function for each infeed",
            )
        taken[queue] = number + 1
        self._release(caller.number, CallFunction(launch_group.infeed[number], ()), caller.tick + 1)


def _queue(route: Route, caller: Caller, *, sends: bool) -> QueueKey:
    """The queue at the end of a route that leaves the grid."""
    if route.kind == "feed":
        return QueueKey("outfeed" if sends else "infeed", 0, caller.number)
    return QueueKey("to_host" if sends else "host", route.channel, caller.number)


class Queues:
    """Items that the user has put into queues; the run tracks which are taken."""

    def __init__(self, feeds: Mapping[QueueKey, Sequence[Arrays]]) -> None:
        self.items: dict[QueueKey, list[Arrays]] = {key: list(items) for key, items in feeds.items()}

    def add(self, queue: QueueKey, items: Sequence[Arrays]) -> None:
        """Append items to a queue."""
        self.items.setdefault(queue, []).extend(items)

    def queue_for(self, queue: QueueKey) -> QueueKey:
        """The queue that a process takes from: its own if it has one, else the shared one."""
        return queue if queue in self.items else replace(queue, process=None)

    def item(self, queue: QueueKey, number: int, types: Sequence[Type]) -> Arrays | None:
        """Item `number` of a queue, `None` if it is missing; `RunError` if it does not have `types`."""
        items = self.items.get(queue, [])
        if number >= len(items):
            return None
        item = items[number]
        fits = len(item) == len(types) and all(map(is_of, item, types))
        if not fits:
            found = ", ".join(map(_describe, item)) or "nothing"
            wanted = ", ".join(map(str, types)) or "nothing"
            raise RunError(f"item {number} of the {queue} is {found}, but {wanted} is taken from it")
        return item


def _describe(value: Array) -> str:
    if is_tuple(value):
        return "a tuple"
    return f"{value.dtype}{list(value.shape)}"
