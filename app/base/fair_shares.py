"""Fair shares of limited resources, and the principals that share them.

Every visitor counts as a principal, and a principal belongs to a group: the visitors of one network, or those of it who
have the token. Groups share first, and then the principals of each: one machine gains nothing by pretending to be many,
and a class behind one address shares what one network gets. Without competition, one principal may have everything.
"""

import asyncio
import ipaddress
from collections import defaultdict
from collections.abc import AsyncIterator, Hashable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from .cache import Cache
from .errors import over_limit

T = TypeVar("T", bound=Hashable)
MOST_KNOWN = 10_000
"""Maximum number of principals whose last turn is known."""
IPV6_NETWORK = 64
"""Bits of an IPv6 address that name a network; one machine may have all addresses of it."""


@dataclass(frozen=True)
class Principal:
    """The visitor that a request is charged to."""

    group: str
    name: str = ""
    """What distinguishes it from others of its group: a link, a copy, a room."""
    is_trusted: bool = False
    """Whether it has the token."""


LOCAL = Principal("local", is_trusted=True)
"""The user who started the server."""
_CURRENT = ContextVar("principal", default=LOCAL)


def current_principal() -> Principal:
    """The principal of the running task, which tasks that it starts inherit; without a request, the local user."""
    return _CURRENT.get()


def act_for(principal: Principal) -> None:
    """Charge the work of the running task to `principal`."""
    _CURRENT.set(principal)


@lru_cache(MOST_KNOWN)
def network_of(address: str) -> str:
    """The network of an address, which counts as one visitor."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return address
    mapped = found.ipv4_mapped
    return str(mapped or ipaddress.ip_network((found, IPV6_NETWORK), strict=False))


class Full(Exception):
    """All places are taken, and no principal holds more than its fair share."""


class Shares(Generic[T]):
    """Items of principals, at most `most`; beyond that, the principal with the most items loses one."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.changes = 0
        """Number of changes so far."""
        self._principals: dict[T, Principal] = {}
        self._groups: defaultdict[str, defaultdict[Principal, dict[T, None]]] = defaultdict(
            lambda: defaultdict(dict)
        )

    def __len__(self) -> int:
        return len(self._principals)

    def __contains__(self, item: object) -> bool:
        return item in self._principals

    def __iter__(self) -> Iterator[T]:
        return iter(self._principals)

    def principal(self, item: T) -> Principal:
        """The principal that holds an item."""
        return self._principals[item]

    def add(self, item: T, principal: Principal) -> None:
        """Add an item of a principal; an item that is already there passes from a principal without the token to one with it."""
        before = self._principals.get(item)
        if before is not None and (before.is_trusted or not principal.is_trusted):
            return
        self.remove(item)
        self.changes += 1
        self._principals[item] = principal
        self._groups[principal.group][principal][item] = None

    def remove(self, item: T) -> None:
        """Remove an item, if it is there."""
        principal = self._principals.pop(item, None)
        if principal is None:
            return
        self.changes += 1
        members = self._groups[principal.group]
        del members[principal][item]
        if not members[principal]:
            del members[principal]
        if not members:
            del self._groups[principal.group]

    def admit(self, item: T, principal: Principal) -> T | None:
        """Add an item; returns the one that gives way for it. `Full` if all are shared fairly already."""
        leaves = None
        if len(self) >= self.most and item not in self:
            leaves = next(iter(self.in_excess(principal)), None)
            if leaves is None:
                raise Full
            self.remove(leaves)
        self.add(item, principal)
        return leaves

    def counts(self, principal: Principal) -> tuple[int, int]:
        """The items of the principal's group, and its own."""
        members: Mapping[Principal, dict[T, None]] = self._groups.get(principal.group, {})
        return sum(map(len, members.values())), len(members.get(principal, ()))

    def in_excess(self, principal: Principal) -> list[T]:
        """Items that may give way to one more of `principal`, in order: their owner still holds no fewer than it afterwards."""
        ours, own = self.counts(principal)
        sizes = {group: sum(map(len, members.values())) for group, members in self._groups.items()}
        largest = max(sizes, key=lambda name: sizes[name], default="")
        if sizes.get(largest, 0) > ours + 1:
            held = list(self._groups[largest].values())
        else:
            held = [items for items in self._groups.get(principal.group, {}).values() if len(items) > own + 1]
        return [item for items in sorted(held, key=len)[::-1] for item in reversed(items)]


class FairQueue(Generic[T]):
    """A queue for places, at most `most` long; the principal with the fewest places is served next."""

    def __init__(self, places: Shares[Any], most: int) -> None:
        self._places, self._waiting = places, Shares[T](most)
        self._last = Cache[Hashable, int](MOST_KNOWN)
        """The number of the last turn of a group or a principal."""
        self._turns = 0
        self._order: tuple[tuple[int, int], list[T]] = (0, 0), []
        """The order, and the numbers of changes of places and of waiting items for which it holds."""

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, item: object) -> bool:
        return item in self._waiting

    def join(self, item: T, principal: Principal) -> T | None:
        """Wait; returns the one that gives way, or raises `Full`."""
        return self._waiting.admit(item, principal)

    def leave(self, item: T) -> None:
        """Wait no longer."""
        self._waiting.remove(item)

    def serve(self, item: T) -> Principal:
        """Remove the one whose turn it is; returns its principal."""
        principal = self._waiting.principal(item)
        self._turns += 1
        self._last[principal] = self._last[principal.group] = self._turns
        self._waiting.remove(item)
        return principal

    def principal(self, item: T) -> Principal:
        """The principal that waits with an item."""
        return self._waiting.principal(item)

    def order(self) -> list[T]:
        """All waiting items, the next one first: groups take turns, and so do the principals of each."""
        state = self._places.changes, self._waiting.changes
        if self._order[0] != state:
            self._order = state, self._made_order()
        return list(self._order[1])

    def _made_order(self) -> list[T]:
        groups: defaultdict[str, list[tuple[int, int, int, T]]] = defaultdict(list)
        before: defaultdict[Principal, int] = defaultdict(int)
        for arrival, item in enumerate(self._waiting):
            principal = self._waiting.principal(item)
            rank = self._places.counts(principal)[1] + before[principal]
            groups[principal.group].append((rank, self._last.get(principal) or 0, arrival, item))
            before[principal] += 1
        ranked = []
        for group, members in groups.items():
            held, last = self._places.counts(Principal(group))[0], self._last.get(group) or 0
            for place, (_, _, arrival, item) in enumerate(sorted(members, key=lambda member: member[:3])):
                ranked.append((held + place, last, arrival, item))
        return [item for *_, item in sorted(ranked, key=lambda one: one[:3])]


class Turns(Generic[T]):
    """Places that principals take in fair turns, one each at a time; of several, strangers of one network leave one."""

    def __init__(
        self, places: Iterable[T], most_waiting: int, what: str = "programs wait to be read"
    ) -> None:
        """At most `most_waiting` wait, the setting `max_waiting`; `what` says so in the error."""
        self._what = what
        self._free = list(places)[::-1]
        self._held = Shares[T](len(self._free))
        self._queue = FairQueue[asyncio.Future[T]](self._held, most_waiting)
        self._most_waiting, self._most_of_strangers = most_waiting, max(1, len(self._free) - 1)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[T]:
        """A place until the end of the block; `ApiError` if too many wait."""
        place = await self._take(current_principal())
        try:
            yield place
        finally:
            self._give_back(place)

    async def _take(self, principal: Principal) -> T:
        turn: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        try:
            late = self._queue.join(turn, principal)
        except Full:
            raise self._too_many() from None
        if late is not None and not late.done():
            late.set_exception(self._too_many())
        self._hand_out()
        try:
            return await turn
        except asyncio.CancelledError:
            self._queue.leave(turn)
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._give_back(turn.result())
            raise

    def _give_back(self, place: T) -> None:
        self._held.remove(place)
        self._free.append(place)
        self._hand_out()

    def _hand_out(self) -> None:
        while self._free:
            turn = next((one for one in self._queue.order() if self._may_have(one)), None)
            if turn is None:
                return
            principal, place = self._queue.serve(turn), self._free.pop()
            self._held.add(place, principal)
            turn.set_result(place)

    def _may_have(self, turn: asyncio.Future[T]) -> bool:
        if turn.done():  # cancelled, and about to leave
            return False
        principal = self._queue.principal(turn)
        return principal.is_trusted or self._held.counts(principal)[0] < self._most_of_strangers

    def _too_many(self) -> Exception:
        return over_limit(
            503, "max_waiting", self._most_waiting, f"Too many {self._what}; try again in a minute."
        )
