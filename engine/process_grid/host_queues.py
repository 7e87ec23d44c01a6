"""The queues of the host between the processes of a team: what one sends, another receives, the first first.

Who sends goes on at once. What a process has sent itself it gets back only where nobody can go on: till then whoever
else receives on the channel has it, as in StableHLO's reference interpreter, where who sends waits to be received.
"""

from __future__ import annotations

from dataclasses import replace

from ..memory import Ledger
from ..ops.exchanges import Arrays, Receive, Send
from ..ops.point_to_point import PointToPoint
from .events import MESSAGE, Arrival, GridListener
from .post_office import Caller, Numbers, PostOffice
from .story import Teller, differing
from .traffic import HostQueue, Message, Post

Key = tuple[int, int]
"""Team and channel."""


class HostQueues:
    """Keeps what is sent until somebody receives it."""

    def __init__(self, teller: Teller, office: PostOffice, listener: GridListener, ledger: Ledger) -> None:
        self.ledger = ledger
        self._teller, self._office, self._listener = teller, office, listener

    def send(self, caller: Caller, request: Send, channel: int) -> None:
        """A process sends: to who waits longest for what another sends, or into the queue."""
        key, post = (caller.team.number, channel), _post(caller, request.values)
        queue = self._queue(key)
        self._office.settle(caller, request.placeholders, ())
        found = queue.reader(post.process)
        number = self._office.traffic.next_number() if found is None or found.number < 0 else found.number
        self._tell(key, Message(number, post, found.wanted if found else None), post)
        self._listener.released(number, caller.number, caller.tick + 1)
        sent = Message(number, post)
        if found is not None:
            self._keep(key, queue.without(found))
            self._deliver(key, sent, found)
            return
        for value in post.values:
            self.ledger.add(value)
        self._keep(key, replace(queue, sent=(*queue.sent, sent)))

    def receive(self, caller: Caller, request: Receive, channel: int, senders: Numbers) -> None:
        """A process receives the first of what others have sent, or waits for it. Any of `senders` may send."""
        key = caller.team.number, channel
        awaited = tuple(sorted({caller.number, *senders}))
        post = self._office.started(_post(caller, (), awaited), request.placeholders)
        queue = self._queue(key)
        found = queue.item(post)
        if found is not None:
            self._take(key, found, Message(-1, wanted=post))
            return
        # With something of its own there, it is not known yet which message it comes for.
        own = any(sent.sent and sent.sent.process == post.process for sent in queue.sent)
        wanted = Message(-1 if own else self._office.traffic.next_number(), wanted=post)
        if not own:
            self._tell(key, wanted, post)
        self._keep(key, replace(queue, wanted=(*queue.wanted, wanted)))

    def give_back(self) -> bool:
        """Nobody can go on: who waits gets what it has sent itself. Says whether anybody does."""
        for key, queue in self._office.traffic.hosts.items():
            if queue.sent and queue.wanted:
                wanted = queue.wanted[0]
                self._keep(key, queue.without(wanted))
                self._take(key, queue.sent[0], wanted)
                return True
        return False

    def _take(self, key: Key, sent: Message, wanted: Message) -> None:
        """Something leaves the queue."""
        assert sent.sent is not None
        for value in sent.sent.values:
            self.ledger.remove(value)
        self._keep(key, self._queue(key).without(sent))
        self._deliver(key, sent, wanted)

    def _deliver(self, key: Key, from_: Message, to: Message) -> None:
        sent, wanted = from_.sent, to.wanted
        assert sent is not None
        assert wanted is not None
        sender, receiver = sent.bound.op, wanted.bound.op
        assert isinstance(sender, PointToPoint)
        assert isinstance(receiver, PointToPoint)
        if to.number < 0:
            self._tell(key, Message(from_.number, sent, wanted), wanted)
        if wrong := sender.mismatch(receiver):
            raise differing(self._teller, sent, wanted, key[1], wrong)
        self._office.bring(from_.number, wanted, sent.values, 1 + max(sent.tick, wanted.tick))

    def _queue(self, key: Key) -> HostQueue:
        return self._office.traffic.hosts.get(key, HostQueue())

    def _keep(self, key: Key, queue: HostQueue) -> None:
        self._office.traffic.hosts[key] = queue

    def _tell(self, key: Key, message: Message, post: Post) -> None:
        team, channel = key
        ends = tuple(found.process for found in (message.sent, message.wanted) if found)
        about = message.number, MESSAGE, post.bound.id, team, channel, ends, post.awaited
        self._listener.arrived(Arrival(*about, post.process, post.step, post.tick))


def _post(caller: Caller, values: Arrays, awaited: Numbers | None = None) -> Post:
    pending = caller.pending
    return Post(caller.number, pending.bound, pending.step, caller.tick, values, awaited or (caller.number,))
