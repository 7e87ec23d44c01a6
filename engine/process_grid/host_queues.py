"""The queues of the host between the processes of a team: what one sends, another receives, the first first.

A send does not wait. A process gets an item of its own back only where no process can go on: until then another
process that receives on the channel takes it, as in StableHLO's reference interpreter, where a send waits for its receive.
"""

from __future__ import annotations

from dataclasses import replace

from ..memory import Ledger
from ..ops.collectives.point_to_point import PointToPoint
from ..ops.core.exchanges import Receive, Send
from .deadlock import mismatch_error
from .grid_events import MESSAGE, ArrivalEvent, GridListener
from .process_names import ProcessNames
from .rendezvous import Caller, Coordinator, Numbers
from .traffic import Arrival, HostQueue, Message

Key = tuple[int, int]
"""Team and channel."""


class HostQueues:
    """The queues of the teams' host channels: keeps what is sent until a process receives it."""

    def __init__(
        self, names: ProcessNames, coordinator: Coordinator, listener: GridListener, ledger: Ledger
    ) -> None:
        self.ledger = ledger
        self._names, self._coordinator, self._listener = names, coordinator, listener

    def send(self, caller: Caller, request: Send, channel: int) -> None:
        """A process sends: to the receive that has waited longest for another's item, or else into the queue."""
        key, arrival = (caller.team.number, channel), caller.arrival(request.values)
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
        """A process takes the first item that another has sent, or waits until one of `senders` sends."""
        key = caller.team.number, channel
        awaited = tuple(sorted({caller.number, *senders}))
        arrival = self._coordinator.start(caller.arrival((), awaited), request.placeholders)
        queue = self._queue(key)
        found = queue.item(arrival)
        if found is not None:
            self._remove(key, found, Message(-1, wanted=arrival))
            return
        # With an item of its own in the queue it is not known yet which message it takes.
        own = any(sent.sent and sent.sent.process == arrival.process for sent in queue.sent)
        wanted = Message(-1 if own else self._coordinator.traffic.next_number(), wanted=arrival)
        if not own:
            self._report(key, wanted, arrival)
        self._keep(key, replace(queue, wanted=(*queue.wanted, wanted)))

    def give_back(self) -> bool:
        """Lets one waiting process take the item that it has sent itself, when no process can go on; whether one
        does.
        """
        for key, queue in self._coordinator.traffic.host_queues.items():
            if queue.sent and queue.wanted:
                wanted = queue.wanted[0]
                self._keep(key, queue.remove(wanted))
                self._remove(key, queue.sent[0], wanted)
                return True
        return False

    def _remove(self, key: Key, sent: Message, wanted: Message) -> None:
        """Removes the item of `sent` from the queue, and delivers it to `wanted`."""
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
        team, channel = key
        ends = tuple(found.process for found in (message.sent, message.wanted) if found)
        about = message.number, MESSAGE, arrival.bound.id, team, channel, ends, arrival.awaited
        self._listener.process_arrived(ArrivalEvent(*about, arrival.process, arrival.step, arrival.tick))
