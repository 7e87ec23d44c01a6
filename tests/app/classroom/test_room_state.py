"""The reducer of rooms: whatever is said by whomever, what must hold of a room holds."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.app.base.errors import ApiError
from hloscope.app.classroom import credentials, members, polls, state
from hloscope.app.classroom.live_room import LiveRoom
from hloscope.app.classroom.members import Member
from hloscope.app.classroom.outbox import Listener
from hloscope.app.classroom.service import name_of
from hloscope.app.classroom.state import Actor, RoomData
from hloscope.app.classroom.truths import no_truth
from hloscope.app.present.typed_answers import NumberKind
from hloscope.app.wire import room_messages as said
from hloscope.app.wire.rooms import PastPoll, PollTruth, PollValue, RoomPoll
from tests.each import for_each

NAMES = [name_of("room", number) for number in range(1, 4)]


def poll_called(id: str) -> RoomPoll:
    target = {"run": 1, "process": 0, "address": "0.s0.0", "element": [0], "read_by": None}
    wanted = said.Poll.model_validate({"kind": "number", "question": "?", "target": target})
    return {**wanted.model_dump(), "id": id, "open": True, "revealed": False}  # type: ignore[typeddict-item]


@dataclass
class NoStore:
    """Keeps a room in memory, as the store does; it fails now and then."""

    kept: dict[str, Any] = field(default_factory=dict)
    answered: dict[tuple[str, str], Any] = field(default_factory=dict)
    versions: list[int] = field(default_factory=list)
    fails: bool = False

    async def write(self, version: int, data: dict[str, Any]) -> None:
        await asyncio.sleep(0)
        if self.fails:
            raise ApiError(503, "store", "The disk is full.")
        self.versions.append(version)
        self.kept = data

    def write_later(self) -> None:
        pass

    def note_said(self, member: str, words: dict[str, Any]) -> None:
        pass

    async def answer(self, poll: str, member: str, value: Any) -> None:
        await asyncio.sleep(0)
        self.answered[poll, member] = value

    async def answers(self, poll: str) -> dict[str, Any]:
        return {member: value for (other, member), value in self.answered.items() if other == poll}

    async def forget_other_answers(self, poll: str | None) -> None:
        self.answered = {key: value for key, value in self.answered.items() if key[0] == poll}

    async def forget_answers(self, members: Sequence[str]) -> None:
        self.answered = {key: value for key, value in self.answered.items() if key[1] not in members}

    async def keep_poll(self, past: PastPoll) -> None:
        await asyncio.sleep(0)

    async def forget_poll(self, poll: str) -> None:
        await asyncio.sleep(0)

    async def see_teacher(self) -> None:
        pass


ROLES = st.sampled_from(["owner", "screen", 0, 1, 2])
STEPS = st.integers(0, 5)
WORDS = st.one_of(
    st.builds(lambda step: said.Lead(type="state", position=said.Position(run=1, step=step)), STEPS),
    st.builds(lambda name: said.Chalk(type="chalk", to=name), st.sampled_from([None, *NAMES, "nobody"])),
    st.builds(lambda locked: said.SetRoom(type="settings", locked=locked), st.booleans()),
    st.builds(lambda up: said.Hand(type="hand", up=up), st.booleans()),
    st.builds(lambda following: said.Where(type="where", following=following, position=said.Position(run=1, step=1)), st.booleans()),
    st.builds(lambda value: ("answer", value), st.sampled_from(["1", "2.0", "x", 1, [0]])),
    st.sampled_from(["open", "reveal", "fail", said.ClosePoll(type="close_poll"), said.DiscardPoll(type="discard_poll")]),
)  # fmt: skip


@given(st.lists(st.tuples(ROLES, WORDS), max_size=40))
def test_what_must_hold_of_a_room_holds(story: list[tuple[Any, Any]]) -> None:
    asyncio.run(play(story))


async def play(story: list[tuple[Any, Any]]) -> None:
    store = NoStore()
    room = LiveRoom("title", "view-x", None, "CCCCCC", state.start(1), 0)
    room.kept = store  # type: ignore[assignment]
    for number, name in enumerate(NAMES):
        room.add_member(Member(f"hash {number}", number + 1, name))
    revealed: dict[str, Any] = {}
    for number, (role, words) in enumerate(story):
        actor = Actor("member", f"hash {role}") if isinstance(role, int) else Actor(role)
        before = room.data, room.version, dict(room.answers)
        try:
            await say(room, store, Listener(actor, "x", room.members.get(actor.member or "")), words, number)
            was_refused = False
        except ApiError:
            was_refused = True
        check(room, store, before, actor, words, was_refused=was_refused)
        check_revealed(room, revealed)
    if room._sending is not None:
        room._sending.cancel()


async def say(room: LiveRoom, store: NoStore, listener: Listener, words: Any, number: int) -> None:
    poll = room.data.poll
    match words:
        case "open":
            await room.open_poll(listener.actor, poll_called(f"poll {number}"), None)
        case "reveal":
            await room.close_to_reveal(listener.actor)
            truth = truth_shown("2", "integer")
            assert room.data.poll is not None
            await room.reveal(listener.actor, room.data.poll["id"], truth)
        case "fail":
            store.fails = not store.fails
        case ("answer", value):
            name = poll["id"] if poll else "none"
            await room.handle(listener, said.GiveAnswer(type="answer", poll=name, value=value))
        case _:
            await room.handle(listener, words)


def check(
    room: LiveRoom, store: NoStore, before: Any, actor: Actor, words: Any, *, was_refused: bool
) -> None:
    data, version, answers = before
    # A version belongs to one state, and versions grow; what is refused changes nothing, but for a poll that was closed to be revealed.
    assert room.version >= version
    assert (room.data == data) or room.version > version
    if was_refused and words != "reveal":
        assert (room.data, room.version) == (data, version)
    assert store.versions == sorted(set(store.versions))
    # One has the chalk at most, and it is a member.
    assert room.data.chalk is None or room.data.chalk in room.members
    # Only the teacher changes polls and settings; only who leads moves the class.
    if actor.role != "owner":
        assert (room.data.poll, room.data.locked) == (data.poll, data.locked)
    if actor.role == "screen":
        assert room.data == data
    if room.data.position != data.position:
        assert actor.member == data.chalk
        assert (actor.role == "owner") == (data.chalk is None)
    # One answer of each member, of members alone, and only while the poll is open.
    assert set(room.answers) <= set(room.members)
    if data.poll is not None and room.data.poll == data.poll and not data.poll["open"]:
        assert room.answers == answers
    # What decides something is kept before anybody knows it.
    if room.data.poll != data.poll:
        assert store.kept["poll"] == room.data.poll


def check_revealed(room: LiveRoom, revealed: dict[str, Any]) -> None:
    """What was revealed never changes."""
    if room.data.poll is not None and room.data.poll["revealed"]:
        now = (room.data.poll, room.data.truth, dict(room.answers), room._results())
        assert revealed.setdefault(room.data.poll["id"], now) == now
        assert not room.data.poll["open"]


def test_who_joins_while_a_poll_is_stored_is_told_of_it() -> None:
    asyncio.run(join_during_a_write())


async def join_during_a_write() -> None:
    room = LiveRoom("title", "view-x", None, "CCCCCC", state.start(1), 0)
    member = Member("hash 0", 1, NAMES[0])
    room.add_member(member)
    listener = Listener(Actor("member", member.hash), member.name, member)

    class Slow(NoStore):
        async def write(self, version: int, data: dict[str, Any]) -> None:
            room.join(listener)  # counts the members, which makes a version
            await super().write(version, data)

    room.kept = Slow()  # type: ignore[assignment]
    await room.open_poll(Actor("owner"), poll_called("a"), None)
    # Snapshots go to those whose welcome was of an earlier version.
    assert listener.version < room.version
    assert '"poll":{' in "".join(await listener.outbox.take())


@given(st.lists(st.tuples(ROLES, WORDS), max_size=20))
def test_a_state_comes_back_as_it_was_kept(story: list[tuple[Any, Any]]) -> None:
    data = state.start(2)
    for role, words in story:
        actor = Actor("member", f"hash {role}") if isinstance(role, int) else Actor(role)
        if isinstance(words, said.Lead) and actor.role == "owner" and data.chalk is None:
            data = state.lead(data, actor, words)
        elif words == "open" and actor.role == "owner" and not data.poll:
            data = state.open_poll(data, actor, poll_called("a"), [2, 3])
    assert state.of_json(state.to_json(data)) == data


@pytest.mark.parametrize(
    "kept", [None, {}, {"position": 1}, [], "x", {**state.to_json(state.start(1)), "poll": 3}]
)
def test_a_damaged_state_costs_the_place_and_not_the_room(kept: Any) -> None:
    assert state.of_json(kept) == RoomData(state.position_at(1))


# Parts.


def truth_shown(shown: str, kind: NumberKind) -> PollTruth:
    return {"shown": shown, "number_kind": kind, "digits": None, "options": [], "cells": [], "right": 0}


@for_each(
    ("typed", "label"),
    [
        ("3", "3"), (" +3 ", "3"), ("-0", "0"), ("\N{MINUS SIGN}2", "-2"), ("1,000", "1000"), ("1_0", "10"),
        ("3.0", "3"), ("1e3", "1000"), (".5", "0.5"), ("NaN", "NaN"), ("inf", "+Inf"), ("-Infinity", "-Inf"),
        ("1e999", "+Inf"), ("1/4", "0.25"), ("999999999999999", "999999999999999"), ("0.1234567", "0.123457"),
        ("1e-9", "1e-9"), ("2.5e30", "2.5e30"), ("", None), ("x", None), ("1 2", None), ("--1", None), ("1e", None),
        ("0x1", None), ("1e99999", None), ("true", None), ("1/0", None),
    ],
)  # fmt: skip
def test_numbers_are_counted_however_they_are_typed(typed: str, label: str | None) -> None:
    assert polls.label_of(typed, "float") == label


@pytest.mark.parametrize(("typed", "label"), [("True", "true"), ("yes", "true"), ("0", "false"), ("2", None)])
def test_truths_are_counted_however_they_are_typed(typed: str, label: str | None) -> None:
    assert polls.label_of(typed, "truth") == label


@for_each(
    ("answer", "shown", "kind", "right"),
    [
        ("18", "18", "integer", True), ("18.0", "18", "integer", True), ("17", "18", "integer", False),
        ("9007199254740993", "9007199254740993", "integer", True),
        ("9007199254740992", "9007199254740993", "integer", False),
        ("3.14", "3.1415927", "float", True), ("3.2", "3.1415927", "float", False), ("1/3", "0.33333334", "float", True),
        ("NaN", "NaN", "float", True), ("+Inf", "-Inf", "float", False), ("NaN", "1.5", "float", False),
        ("1", "true", "truth", True), ("false", "true", "truth", False),
    ],
)  # fmt: skip
def test_answers_are_judged_as_in_lessons(answer: str, shown: str, kind: NumberKind, right: bool) -> None:
    assert polls.is_right(answer, truth_shown(shown, kind)) is right


def test_a_histogram_has_twelve_bins_at_most() -> None:
    answers = {str(n): str(n % 20) for n in range(40)} | {"nan": "NaN"}
    found = polls.results(poll_called("a"), answers, None, 41)
    assert [item["label"] for item in found["histogram"]["bins"]] == [str(n) for n in range(12)]
    assert found["histogram"]["other"] == 41 - 24


def test_shapes_and_steps_are_counted_in_order() -> None:
    truth: PollTruth = {**no_truth(), "cells": [[0, 9], [0, 10]]}
    poll: RoomPoll = {**poll_called("a"), "kind": "step"}
    answers: dict[str, PollValue] = {"a": [0, 10], "b": [0, 9], "c": [1, 2], "d": [0, 10], "e": [0, 2]}
    bins = polls.results(poll, answers, truth, 5)["histogram"]["bins"]
    assert [(item["label"], item["count"], item["right"]) for item in bins] == [
        ("step 2", 1, False), ("step 9", 1, True), ("step 10", 2, True), ("step 2 of process 1", 1, False),
    ]  # fmt: skip
    shapes: RoomPoll = {**poll_called("a"), "kind": "shape"}
    sizes: dict[str, PollValue] = {"a": [3, 4], "b": [3, 4], "c": [12], "d": [], "e": [3, 4]}
    found = polls.results(shapes, sizes, None, 5)["histogram"]["bins"]
    assert [(item["label"], item["count"]) for item in found] == [("()", 1), ("(3, 4)", 3), ("(12)", 1)]


def test_few_answers_of_a_large_class_are_never_shown() -> None:
    poll, answers = poll_called("a"), {"a": "1", "b": "2"}
    assert "histogram" not in polls.results(poll, answers, None, 2)
    closed: RoomPoll = {**poll, "open": False, "revealed": True}
    assert "histogram" in polls.results(closed, answers, None, 4)
    assert "histogram" not in polls.results(closed, answers, None, 5)


def test_codes_are_read_as_they_are_typed() -> None:
    assert credentials.read_code("cdf 2-34") == "CDF234"
    assert credentials.read_code("sbu222") == "58V222"
    for wrong in ("", "CDF23", "CDF2345", "CDF23A", "CDF23é"):
        assert credentials.read_code(wrong) is None
    for _ in range(50):
        code = credentials.new_code()
        assert credentials.read_code(code.lower()) == code


def test_what_the_store_has_opens_nothing_by_itself() -> None:
    room, code = credentials.new_room(), credentials.new_code()
    sealed = credentials.seal("the token", code, room)
    assert credentials.unseal("the token", code, sealed) == room
    assert credentials.unseal("another", code, sealed) != room
    assert credentials.unsealed_code(room, credentials.sealed_code(room, code)) == code
    secret = credentials.new_secret()
    assert credentials.secret_hash(room, secret) != credentials.secret_hash(credentials.new_room(), secret)


def test_names_differ_and_say_nothing() -> None:
    names = [name_of("a room", number) for number in range(1, 1_000)]
    assert len(set(names)) == len(names)
    assert len({name.rpartition(" ")[0] for name in names[:200]}) > 150
    assert names[:20] != [name_of("another", number) for number in range(1, 21)]


def test_of_a_large_class_those_come_first_who_need_something() -> None:
    class_ = [Member(str(n), n, f"n {n}", heard=0.0, connections=1) for n in range(1, 321)]
    class_[150].hand, class_[170].lost = True, True
    class_[310].progress, class_[311].progress = {"one": True, "two": False}, {"one": True}
    class_[3].heard, class_[4].heard, class_[4].connections = -100.0, -1000.0, 0
    told = members.class_of(class_, 0.0)
    assert [item["name"] for item in told["members"][:3]] == ["n 151", "n 171", "n 311"]
    assert len(told["members"]) == members.MOST_LISTED
    assert told["counts"] == {
        "members": 319, "following": 318, "lost": 1, "hand": 1, "away": 1, "own": 0, "uncounted": 0,
    }  # fmt: skip


def test_a_slow_follower_gets_the_latest_alone() -> None:
    async def fall_behind() -> list[str]:
        listener = Listener(Actor("member"), "x")
        for version in range(10_000):
            listener.outbox.put("room", f"version {version}")
            listener.outbox.put("pointer", f"pointer {version}")
        assert listener.outbox.waiting == 2
        return await listener.outbox.take()

    assert asyncio.run(fall_behind()) == ["version 9999", "pointer 9999"]
