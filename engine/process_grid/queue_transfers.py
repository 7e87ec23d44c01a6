"""Transfers with the user: items from infeed and the host, and items to outfeed and the host.

If a host channel is also a queue of the launch group, the user's items are taken first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..entry import is_of
from ..errors import RunError
from ..ir.types import Type
from ..ops.core.exchanges import Array, Arrays, Await, Receive, Route, Send
from ..ops.core.op import CallFunction
from ..ops.core.values import is_tuple
from .grid_events import GridListener
from .host_queues import HostQueues
from .launch import QueueKey
from .rendezvous import Caller, Coordinator, Release


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
