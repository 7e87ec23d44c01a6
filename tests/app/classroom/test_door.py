"""One machine that comes as if it were a class: it adds no votes, takes no place, uses up no members and locks nobody out."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from starlette.testclient import TestClient

from hloscope.app.base.errors import ApiError
from hloscope.app.classroom.door import JOINS_PER_MINUTE, PACE, SETTLED_SECONDS
from hloscope.app.classroom.live_room import LiveRoom
from hloscope.app.classroom.outbox import Listener
from hloscope.app.classroom.service import MOST_KEPT, Rooms
from hloscope.app.classroom.state import Actor
from hloscope.app.classroom.visitors import WRONG_PER_MINUTE
from hloscope.app.wire import room_messages as said
from tests.app.classroom.classroom import Room, open_room
from tests.app.serving import serving

SCHOOL, MACHINE, HOME = "192.0.2.1", "203.0.113.9", "198.51.100.3"
TEACHER = Actor("owner")
CHOICE = {"kind": "choice", "question": "Which?", "options": ["this", "that"]}
T = TypeVar("T")


class Crowd:
    """A room whose visitors come from the addresses that a test names, at the times that it names."""

    def __init__(self, client: TestClient, room: Room) -> None:
        self.client, self.id, self.code = client, room.id, str(room.told["code"])
        self.rooms: Rooms = client.app.app.state.rooms  # type: ignore[attr-defined]
        self.now = 1000.0
        self.live: LiveRoom = self.run(self.rooms.live(room.id))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something in the server's loop."""

        async def done() -> T:
            return await work

        assert self.client.portal is not None
        return self.client.portal.call(done)

    def come(self, address: str, secret: str | None = None) -> Listener:
        """Somebody's page opens its socket; `ApiError` if the room refuses it."""

        async def enter() -> Listener:
            hello = said.Hello(type="hello", member=secret)
            live, listener = await self.rooms.enter(self.id, hello, address)
            live.join(listener)
            return listener

        return self.run(enter())

    def leave(self, listener: Listener) -> None:
        """The page closes its socket."""

        async def left() -> None:
            self.live.leave(listener)

        self.run(left())

    def say(self, listener: Listener, message: said.Message) -> None:
        """A page's message."""
        self.run(self.rooms.handle(self.live, listener, message))

    def pass_minute(self) -> None:
        """All pages that are open send heartbeats for more than a minute."""
        self.now += SETTLED_SECONDS + 1
        for listener in self.live.listeners:
            self.say(listener, said.Ping(type="ping"))

    def ask(self) -> str:
        """The teacher opens a poll."""
        message = said.OpenPoll(type="poll", poll=said.Poll.model_validate(CHOICE))
        self.say(Listener(TEACHER, "teacher"), message)
        assert self.live.data.poll is not None
        return self.live.data.poll["id"]

    def answer(self, listeners: list[Listener], poll: str, option: int) -> None:
        for listener in listeners:
            self.say(listener, said.GiveAnswer(type="answer", poll=poll, value=option))

    def votes(self) -> list[int]:
        """What the teacher sees of the poll."""
        assert self.live.data.poll is not None
        return self.live._results_of(self.live.data.poll).get("choices", [0, 0])


@pytest.fixture
def crowd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Crowd]:
    with serving(tmp_path, signed_in=False, max_room_members=40) as client:
        crowd = Crowd(client, open_room(client))
        monkeypatch.setattr(crowd.live, "_now", lambda: crowd.now)
        monkeypatch.setattr(crowd.live.door._joins, "_clock", lambda: crowd.now)
        yield crowd


@pytest.mark.parametrize("address", [MACHINE, SCHOOL], ids=["from elsewhere", "from the school"])
def test_one_machine_adds_no_votes_beside_a_class(crowd: Crowd, address: str) -> None:
    students = [crowd.come(SCHOOL) for _ in range(20)]
    crowd.pass_minute()
    poll = crowd.ask()
    crowd.answer(students, poll, 0)
    false = [crowd.come(address) for _ in range(20)]
    crowd.answer(false, poll, 1)
    people = PACE
    assert crowd.votes() == [20, people]
    assert crowd.live._class()["counts"]["uncounted"] == 20 - people
    # The next poll does not count them either, unless the teacher does.
    crowd.say(Listener(TEACHER, "teacher"), said.DiscardPoll(type="discard_poll"))
    crowd.pass_minute()
    poll = crowd.ask()
    crowd.answer(students, poll, 0)
    crowd.answer(false, poll, 1)
    assert crowd.votes() == [20, people]
    with pytest.raises(ApiError, match="Only the teacher"):
        crowd.say(students[0], said.CountAll(type="count_all"))
    crowd.say(Listener(TEACHER, "teacher"), said.CountAll(type="count_all"))
    assert crowd.votes() == [20, 20]


def test_votes_of_a_rush_are_not_revealed_and_stay_uncounted_after_a_restart(crowd: Crowd) -> None:
    students = [crowd.come(SCHOOL) for _ in range(6)]
    poll = crowd.ask()
    crowd.answer(students, poll, 0)
    false = [crowd.come(MACHINE) for _ in range(30)]
    crowd.answer(false, poll, 1)
    crowd.say(Listener(TEACHER, "teacher"), said.RevealPoll(type="reveal_poll"))
    assert crowd.votes() == [6, PACE]
    crowd.say(Listener(TEACHER, "teacher"), said.CountAll(type="count_all"))
    assert crowd.votes() == [6, PACE], "what is revealed stays"

    async def start_again() -> LiveRoom:
        await crowd.live.kept.close()
        crowd.rooms._live.clear()
        return await crowd.rooms.live(crowd.id)

    late = [crowd.come(MACHINE) for _ in range(3)]
    again = crowd.run(start_again())
    assert again.members.keys() == crowd.live.members.keys()
    assert [again.members[one.member.hash].is_counted for one in late if one.member] == [False] * 3
    assert all(again.members[one.member.hash].is_counted for one in false if one.member)


def test_before_the_first_poll_a_class_is_known_by_those_who_are_there(crowd: Crowd) -> None:
    [crowd.come(SCHOOL) for _ in range(15)]
    crowd.pass_minute()
    false = [crowd.come(MACHINE) for _ in range(20)]
    assert sum(one.member is not None and one.member.is_counted for one in false) == PACE


def test_a_class_of_200_behind_one_address_comes_within_a_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(tmp_path, signed_in=False) as client:
        crowd = Crowd(client, open_room(client))
        monkeypatch.setattr(crowd.live, "_now", lambda: crowd.now)
        monkeypatch.setattr(crowd.live.door._joins, "_clock", lambda: crowd.now)
        students = [crowd.come(SCHOOL) for _ in range(200)]
        poll = crowd.ask()
        crowd.answer(students, poll, 0)
        assert crowd.votes() == [200, 0]
        # One who comes twice, and somebody at home, come too; a machine at the school does not come for ever.
        crowd.come(HOME)
        for _ in range(JOINS_PER_MINUTE - 200):
            crowd.come(SCHOOL)
        with pytest.raises(ApiError, match="within a minute"):
            crowd.come(SCHOOL)
        crowd.come(HOME)
        crowd.pass_minute()
        crowd.come(SCHOOL)


def where(listener: Listener) -> said.Where:
    position = said.Position(run=1, step=0)
    return said.Where(type="where", following=True, position=position, lesson_step=None, own=False)


def test_a_student_who_reloads_finds_a_place_in_a_full_room(crowd: Crowd) -> None:
    students = [crowd.come(SCHOOL) for _ in range(10)]
    for student in students:
        crowd.say(student, where(student))
    crowd.pass_minute()
    crowd.leave(students[0])
    filling = [crowd.come(MACHINE) for _ in range(31)]
    again = crowd.come(SCHOOL, students[0].secret)
    assert (again.name, again.outbox.closed) == (students[0].name, None)
    sent_away = [one for one in filling if one.outbox.closed is not None]
    assert len(sent_away) == 1
    assert all(student.outbox.closed is None for student in students[1:])
    # Somebody new comes too, since the machine has more connections than the class.
    assert crowd.come(SCHOOL).outbox.closed is None
    # But no newer member takes an older one's place, or the two would take turns.
    for one in [one for one in filling if one.outbox.closed is None]:
        crowd.leave(one)
    while sum(one.outbox.closed is None for one in crowd.live.listeners) < 40:
        newest = crowd.come(SCHOOL)
        crowd.say(newest, where(newest))
    with pytest.raises(ApiError, match="room is full"):
        crowd.come(SCHOOL)


def test_one_member_does_not_fill_a_room_with_windows(crowd: Crowd) -> None:
    first = crowd.come(SCHOOL)
    windows = [crowd.come(SCHOOL, first.secret) for _ in range(39)]
    assert crowd.come(SCHOOL).outbox.closed is None
    assert sum(window.outbox.closed is not None for window in [first, *windows]) == 1


def test_one_machine_does_not_use_up_the_members_of_a_room(crowd: Crowd) -> None:
    known = crowd.come(SCHOOL)
    crowd.say(known, said.Hand(type="hand", up=True))
    crowd.leave(known)
    for number in range(MOST_KEPT * 40 + 20):
        if number % JOINS_PER_MINUTE == JOINS_PER_MINUTE - 1:
            crowd.pass_minute()
        crowd.now += 0.1
        crowd.leave(crowd.come(MACHINE))
    assert len(crowd.live.members) <= MOST_KEPT * 40
    new = crowd.come(SCHOOL)
    again = crowd.come(SCHOOL, known.secret)
    assert again.name == known.name
    assert again.member is not None
    assert again.member.hand
    assert new.name != known.name
    stored = crowd.run(crowd.rooms._thread.call(crowd.rooms._store.members, crowd.live.kept._id))
    assert {one.member for one in stored} == crowd.live.members.keys()
    assert len({one.number for one in stored}) == len(stored)


def test_wrong_codes_lock_out_nobody_who_knows_the_room(crowd: Crowd) -> None:
    # The teacher has opened the room at the address of the test's client, and somebody is in it at school.
    crowd.come(SCHOOL)
    for address in (SCHOOL, MACHINE, "testclient"):
        for _ in range(WRONG_PER_MINUTE):
            with pytest.raises(ApiError, match="No room has this code"):
                crowd.run(crowd.rooms.join("CCCC-CCCC", address))
    for address in (SCHOOL, "testclient", HOME):
        assert crowd.run(crowd.rooms.join(crowd.code, address))["id"] == crowd.id
    # Where the room is unknown, the answer does not tell a right code from a wrong one.
    for code in (crowd.code, "CCCCCCCC"):
        with pytest.raises(ApiError, match="Too many wrong codes") as refused:
            crowd.run(crowd.rooms.join(code, MACHINE))
        assert refused.value.status == 429
