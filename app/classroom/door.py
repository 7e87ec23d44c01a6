"""Admission to a room, where one machine may pose as a class.

A school may have one address, so the number of people at an address proves nothing. Pace does: a class comes once, before
its first poll; later, people come one after the other. Addresses are kept in memory only.
"""

from collections import Counter
from collections.abc import Iterable

from ..base.errors import ApiError
from ..base.recent import Recent
from .members import Member
from .outbox import Listener

JOINS_PER_MINUTE = 240
"""Maximum new members from an address in a minute: a class of 200, some of whom come twice."""
PACE, SHARE = 12, 4
"""New members of an address that count in a minute once the class is there: PACE, or one for each SHARE settled there."""
ELSEWHERE = 12
"""Number of settled members at other addresses above which the class counts as present before its first poll."""
SETTLED_SECONDS = 60.0
"""Time after which a member is settled."""
MOST_SCREENS = 10
"""Maximum screens of a room; if there are more, they are the first to yield."""


class Door:
    """The door of one room. Times are those of the room's clock."""

    def __init__(self, joins: Recent) -> None:
        self._joins = joins

    def admit(self, members: Iterable[Member], network: str, now: float, *, has_polled: bool) -> bool:
        """Count a new member; returns whether they came at the pace of people. `ApiError` 429 beyond the limit."""
        joined = self._joins.count(network)
        if joined >= JOINS_PER_MINUTE:
            message = (
                f"More than {JOINS_PER_MINUTE} people joined this room from one network within a minute."
            )
            raise ApiError(429, "joins", message, hint="Wait a minute, then try again.")
        self._joins.note(network)
        settled = Counter(member.network for member in members if _is_settled(member, now))
        here = settled[network]
        is_first_crowd = not has_polled and settled.total() - here <= max(here, ELSEWHERE)
        return is_first_crowd or joined < max(PACE, here // SHARE)


def _is_settled(member: Member, now: float) -> bool:
    return member.is_counted and member.is_here(now) and member.joined <= now - SETTLED_SECONDS


def yielding(listeners: Iterable[Listener], comer: Listener) -> Listener | None:
    """The connection that a new one replaces in a full room; None if all of them have priority over it.

    The first to yield are second windows, then members who came in a rush, those at an address with more connections than
    the newcomer's, those whose page has reported nothing, and those who came last. A member never yields to a newer one, so
    that two cannot take turns.
    """
    others = [listener for listener in listeners if listener.actor.role != "owner"]
    at = Counter(listener.network for listener in others)
    too_many = sum(listener.member is None for listener in others) > MOST_SCREENS

    def rank(listener: Listener) -> tuple[bool, bool, bool, bool, float]:
        member, is_crowded = listener.member, at[listener.network] > at[comer.network] + 1
        if member is None:
            return too_many and listener is not comer, False, is_crowded, True, float("inf")
        is_second = member.connections > (0 if listener is comer else 1)
        return is_second, not member.is_counted, is_crowded, member.is_silent, member.number

    last = max(others, key=rank, default=None)
    return last if last is not None and rank(last) > rank(comer) else None


def dispensable(members: Iterable[Member], needed: Iterable[str], now: float) -> list[Member]:
    """Members who have left and may be replaced: the room has no data of theirs, or they came in a rush.

    `needed`: hashes of members who have answered the poll, or have the chalk.
    """
    kept = set(needed)
    return [
        member
        for member in members
        if member.connections == 0
        and member.is_away(now)
        and not (member.is_counted and (member.has_said or member.hash in kept))
    ]
