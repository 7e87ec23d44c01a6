"""Stored rooms with their members, answers and copies. Every method is one transaction.

Everything here is deleted with its room. Ids, codes and secrets are hashes, or sealed; times are those of the
`RunningClock`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Table, delete, func, insert, select, update

from .retention import delete_unused_programs
from .tables import room_answers, room_copies, room_members, room_polls, rooms, sessions, view_links
from .transactions import Contents, Database, upsert

MOST_POLLS = 200
"""Maximum polls in the history of a room; the oldest are deleted."""


@dataclass(frozen=True)
class RoomRecord:
    """A stored room; `state` may be `DAMAGED`."""

    id_hash: str
    code_hash: str
    sealed: str
    session: str
    link: str
    owner_hash: str
    version: int
    epoch: int
    state: Any
    created: float
    seen: float


@dataclass(frozen=True)
class MemberRecord:
    """A member: their number in the room, and the state they reported."""

    member: str
    number: int
    said: Any


class KeptRooms:
    """The tables of rooms."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self._database, self._now = database, now

    # Rooms.

    def add(self, room: RoomRecord) -> None:
        """Add a room, with the read-only link through which its members read the session."""
        now = self._now()
        values = {**vars(room), "created": now, "seen": now}
        with self._database.transaction() as connection:
            connection.execute(insert(rooms).values(**values))
            link = insert(view_links).values(link=room.link, session=room.session, created=time.time())
            connection.execute(link)

    def room(self, id_hash: str) -> RoomRecord | None:
        """The room, or None."""
        with self._database.read_transaction() as connection:
            return _record(connection.execute(select(rooms).where(rooms.c.id_hash == id_hash)).one_or_none())

    def of_code(self, code_hash: str) -> RoomRecord | None:
        """The room with this code, or None."""
        with self._database.read_transaction() as connection:
            found = connection.execute(select(rooms).where(rooms.c.code_hash == code_hash))
            return _record(found.one_or_none())

    def count(self) -> int:
        """The number of rooms."""
        with self._database.read_transaction() as connection:
            return int(connection.execute(select(func.count()).select_from(rooms)).scalar_one())

    def take(self, id_hash: str, versions: int) -> RoomRecord | None:
        """Take a room over: from now on, writes of earlier takers fail.

        Its version grows by `versions`, beyond any version that was sent but not stored.
        """
        with self._database.transaction() as connection:
            which = rooms.c.id_hash == id_hash
            connection.execute(
                update(rooms).where(which).values(epoch=rooms.c.epoch + 1, version=rooms.c.version + versions)
            )
            return _record(connection.execute(select(rooms).where(which)).one_or_none())

    def write(
        self, id_hash: str, epoch: int, version: int, state: Mapping[str, Any], said: Mapping[str, Any]
    ) -> bool:
        """Write the room's and the members' states; False if the room is taken over or deleted."""
        with self._database.transaction(of=id_hash, is_held=True) as connection:
            change = update(rooms).where(rooms.c.id_hash == id_hash, rooms.c.epoch == epoch)
            if not connection.execute(change.values(version=version, state=dict(state))).rowcount:
                return False
            for member, words in said.items():
                which = (room_members.c.room == id_hash) & (room_members.c.member == member)
                connection.execute(update(room_members).where(which).values(said=words))
        return True

    def see_teacher(self, id_hash: str) -> None:
        """Record the teacher's presence."""
        with self._database.transaction() as connection:
            connection.execute(update(rooms).where(rooms.c.id_hash == id_hash).values(seen=self._now()))

    def delete(self, id_hash: str) -> list[str]:
        """Delete a room with its data; returns the hashes of its members' sessions."""
        with self._database.transaction(contents=Contents.SWEPT) as connection:
            copies = select(room_copies.c.session).where(room_copies.c.room == id_hash)
            ended = list(connection.scalars(copies))
            link = select(rooms.c.link).where(rooms.c.id_hash == id_hash)
            connection.execute(delete(view_links).where(view_links.c.link.in_(link)))
            connection.execute(delete(sessions).where(sessions.c.id_hash.in_(ended)))
            connection.execute(delete(rooms).where(rooms.c.id_hash == id_hash))
            delete_unused_programs(connection)
            self._database.tell(connection, "room", id_hash)
            for session in ended:
                self._database.tell(connection, "session", session)
        return ended

    def older_than(self, seconds: float) -> list[str]:
        """The rooms that were opened at least `seconds` ago."""
        with self._database.read_transaction() as connection:
            old = select(rooms.c.id_hash).where(rooms.c.created <= self._now() - seconds)
            return list(connection.scalars(old))

    # Members.

    def members(self, room: str) -> list[MemberRecord]:
        """All members that have ever joined a room."""
        with self._database.read_transaction() as connection:
            found = connection.execute(select(room_members).where(room_members.c.room == room))
            return [MemberRecord(row.member, row.number, row.said) for row in found]

    def add_member(self, room: str, member: str, number: int, said: Mapping[str, Any]) -> None:
        """Add a member to a room."""
        with self._database.transaction(of=room, is_held=True) as connection:
            row = upsert(connection, room_members).values(
                room=room, member=member, number=number, said=dict(said)
            )
            connection.execute(row.on_conflict_do_nothing())

    def forget_members(self, room: str, members: Sequence[str]) -> None:
        """Delete members with their answers."""
        with self._database.transaction(of=room, is_held=True) as connection:
            for table in (room_members, room_answers):
                _forget(connection, table, room, members)

    def forget_answers(self, room: str, members: Sequence[str]) -> None:
        """Delete the answers of members."""
        with self._database.transaction(of=room, is_held=True) as connection:
            _forget(connection, room_answers, room, members)

    # Answers.

    def answer(self, room: str, poll: str, member: str, value: Any) -> None:
        """Store a member's answer, in place of an earlier one."""
        with self._database.transaction(of=room, is_held=True) as connection:
            row = upsert(connection, room_answers).values(room=room, poll=poll, member=member, answer=value)
            change = row.on_conflict_do_update(
                index_elements=["room", "poll", "member"], set_={"answer": value}
            )
            connection.execute(change)

    def answers(self, room: str, poll: str) -> dict[str, Any]:
        """The answers to a poll, by members' hashes."""
        which = (room_answers.c.room == room) & (room_answers.c.poll == poll)
        with self._database.read_transaction() as connection:
            return {row.member: row.answer for row in connection.execute(select(room_answers).where(which))}

    def forget_other_answers(self, room: str, poll: str | None) -> None:
        """Delete the answers to all other polls."""
        which = room_answers.c.room == room
        if poll is not None:
            which &= room_answers.c.poll != poll
        with self._database.transaction(of=room, is_held=True) as connection:
            connection.execute(delete(room_answers).where(which))

    # The history of polls.

    def keep_poll(self, room: str, poll: str, number: int, kept: Mapping[str, Any]) -> None:
        """Store a poll of the history, in place of its earlier state, and delete the oldest ones."""
        with self._database.transaction(of=room, is_held=True) as connection:
            row = upsert(connection, room_polls).values(room=room, poll=poll, number=number, kept=dict(kept))
            change = row.on_conflict_do_update(index_elements=["room", "poll"], set_={"kept": dict(kept)})
            connection.execute(change)
            old = (room_polls.c.room == room) & (room_polls.c.number <= number - MOST_POLLS)
            connection.execute(delete(room_polls).where(old))

    def forget_poll(self, room: str, poll: str) -> None:
        """Delete a discarded poll."""
        which = (room_polls.c.room == room) & (room_polls.c.poll == poll)
        with self._database.transaction(of=room, is_held=True) as connection:
            connection.execute(delete(room_polls).where(which))

    def polls(self, room: str) -> list[Any]:
        """The polls of a room, in their order; each may be `DAMAGED`."""
        with self._database.read_transaction() as connection:
            which = select(room_polls.c.kept).where(room_polls.c.room == room).order_by(room_polls.c.number)
            return list(connection.scalars(which))

    # Sessions made by members.

    def copies(self, room: str, member: str) -> int:
        """The number of sessions made by a member."""
        which = (room_copies.c.room == room) & (room_copies.c.member == member)
        with self._database.read_transaction() as connection:
            query = select(func.count()).select_from(room_copies).where(which)
            return int(connection.execute(query).scalar_one())

    def all_copies(self, room: str) -> int:
        """The number of sessions made by all members."""
        with self._database.read_transaction() as connection:
            query = select(func.count()).select_from(room_copies).where(room_copies.c.room == room)
            return int(connection.execute(query).scalar_one())

    def add_copy(self, room: str, member: str, session: str) -> None:
        """Add a session made by a member."""
        with self._database.transaction() as connection:
            connection.execute(insert(room_copies).values(room=room, member=member, session=session))


def _forget(connection: Connection, table: Table, room: str, members: Sequence[str]) -> None:
    for member in members:  # one by one: a statement takes no list of any length
        connection.execute(delete(table).where(table.c.room == room, table.c.member == member))


def _record(row: Row[Any] | None) -> RoomRecord | None:
    return None if row is None else RoomRecord(**row._mapping)
