"""Records: what a teacher downloads about a class is what the class did, as the server judged it."""

from __future__ import annotations

import asyncio
import csv
import io
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from hloscope.app.classroom.kept_room import KeptRoom
from hloscope.app.classroom.records import MOST_RECORDS, MemberRecords, cell, class_table, name_typed
from hloscope.app.store.rooms import MOST_POLLS
from tests.app.classroom.classroom import NUMBER, SIGNED_IN, Line, Room, open_room
from tests.app.classroom.test_rooms import LESSON, open_poll, settled_run
from tests.app.serving import ADD, JSON, serving

SETTINGS = {"max_rooms": 1000, "signed_in": False}


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))


def _table(room: Room, name: str) -> list[dict[str, str]]:
    answer = room.ask("GET", f"/{name}.csv", owner=room.told["owner"])
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/csv"), answer.text
    return _rows(answer.text)


def next_poll(teacher: Line, student: Line, poll: JSON) -> JSON:
    """The poll that replaces a closed one, once the student knows of it."""
    before = (student.room["poll"] or {}).get("id")
    teacher.say("poll", poll=poll)
    while (found := student.room["poll"] or {}).get("id") in (None, before):
        student.until()
    return dict(found)


def test_what_a_class_did_is_downloaded_and_survives_the_server(tmp_path: Path) -> None:
    solved = ADD.replace("multiply", "add")
    for name, text in (("a-row.md", LESSON), ("squares.mlir", ADD), ("squares_solved.mlir", solved)):
        (tmp_path / name).write_text(text)
    with serving(tmp_path / "data", lesson=tmp_path / "a-row.md", signed_in=False) as client:
        body = {"lesson": "a-row", "records": "named"}
        room = Room(client, "", client.post("/api/rooms", json=body, headers=SIGNED_IN).json())
        told = room.ask("GET", "").json()
        assert (told["records"], told["hours"]) == ("named", 168)
        with room.teacher() as teacher, room.line(name=" =cmd|'/c'!A1\n ") as ana, room.line() as bo:
            assert ana.room["records"] == "named"
            for line, said, right in ((ana, "17", True), (ana, "18", False), (bo, "18", True)):
                # What the page says about an answer does not count.
                line.say("progress", lesson_step="third", right=right, ask="third.1", said=said)
            ana.say("progress", lesson_step="third", right=False, ask="third.3", said="(4)")
            bo.say("progress", lesson_step="third", right=True, ask="third.3")
            ana.say("progress", lesson_step="third", right=True, ask="third.1", said="no number")
            assert (
                ana.refused("progress", lesson_step="third", right=True, ask="x.1", said="1")["kind"]
                == "no_question"
            )
            judged = room.ask("POST", "/changes/third", {"text": solved}, member=bo.you["member"])
            assert judged.json()["passed"]
            poll = open_poll(teacher, ana, {"lesson_ask": "third.4"})
            ana.say("answer", poll=poll["id"], value=[0, 2])
            ana.hear("answered")
            teacher.say("reveal_poll")
            ana.hear("results")
            names = [ana.you["name"], bo.you["name"]]
            rows = _table(room, "records")
    assert len(rows) == 10
    assert {row["member"]: row["name"] for row in rows} == {names[0]: "'=cmd|'/c'!A1", names[1]: ""}
    found = {(row["member"], row["question"]): row for row in rows}
    facts = ("tries", "first answer", "right")
    for member, question, wanted in (
        (0, "third.1", ("2", "17", "yes")), (1, "third.1", ("1", "18", "yes")), (0, "third.2", ("0", "", "")),
        (0, "third.3", ("1", "(4)", "yes")), (1, "third.3", ("0", "", "shown")), (0, "third.4", ("1", "0, 2", "yes")),
    ):  # fmt: skip
        assert tuple(found[names[member], question][fact] for fact in facts) == wanted, question
    solution = found[names[1], "third"]
    assert (solution["kind"], solution["tries"], solution["right"], solution["number"]) == (
        "exercise",
        "1",
        "yes",
        "1",
    )
    assert int(solution["seconds"]) >= 0
    assert solution["answered at"].endswith("+00:00")
    # Another server has all of it, until the room is ended.
    with serving(tmp_path / "data", lesson=tmp_path / "a-row.md", signed_in=False) as client:
        again = Room(client, "", room.told)
        assert _table(again, "records") == rows
        polls = _table(again, "polls")
        assert [(row["poll"], row["answers"], row["right answers"]) for row in polls] == [("1", "1", "1")]
        assert again.ask("DELETE", "", owner=room.told["owner"]).status_code == 204
        assert again.ask("GET", "/polls", owner=room.told["owner"]).status_code == 404


def test_all_polls_of_a_room_are_kept_with_their_results(client: TestClient) -> None:
    room = open_room(client)
    settled_run(room)
    owner = room.told["owner"]
    with room.teacher() as teacher, room.line() as ana:
        choice = {
            "kind": "choice",
            "question": "-1 or 1?",
            "options": ["=1", "two"],
            "target": None,
            "lesson_ask": None,
        }
        for wanted, value in ((NUMBER, "18"), (choice, 0), (NUMBER, "17")):
            poll = next_poll(teacher, ana, wanted)
            ana.say("answer", poll=poll["id"], value=value)
            ana.hear("answered")
            teacher.say("reveal_poll")
            ana.hear("results")
        teacher.say("discard_poll")  # with its results shown: the poll is over, and stays in the history
        ana.until(poll=None)
        discarded = next_poll(teacher, ana, NUMBER)
        teacher.say("discard_poll")
        ana.until(poll=None)
        next_poll(teacher, ana, NUMBER)
        history: list[JSON] = room.ask("GET", "/polls", owner=owner).json()
        assert [past["number"] for past in history] == [1, 2, 3, 4]
        assert discarded["id"] not in {past["poll"]["id"] for past in history}
        assert [past["results"] and past["results"]["count"] for past in history] == [1, 1, 1, None]
        rows = _table(room, "polls")
        assert [(row["poll"], row["truth"], row["answer"], row["count"], row["right"]) for row in rows] == [
            ("1", "18", "18", "1", "yes"), ("2", "", "'=1", "1", ""), ("2", "", "two", "0", ""),
            ("3", "18", "17", "1", "no"), ("4", "", "", "", ""),
        ]  # fmt: skip
        assert rows[1]["question"] == "'-1 or 1?"
        refused = room.ask("GET", "/records.csv", owner=owner)
        assert (refused.status_code, refused.json()["error"]["kind"]) == (409, "records")


def test_the_history_has_a_poll_as_soon_as_it_is_announced(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the store takes to delete the answers to others."""
    room = open_room(client)
    settled_run(room)
    assert client.portal is not None
    may_go_on, forget = asyncio.Event(), KeptRoom.forget_other_answers

    async def held(self: KeptRoom, poll: str | None) -> None:
        await may_go_on.wait()
        await forget(self, poll)

    def history() -> list[str]:
        return [past["poll"]["id"] for past in room.ask("GET", "/polls", owner=room.told["owner"]).json()]

    monkeypatch.setattr(KeptRoom, "forget_other_answers", held)
    with room.teacher() as teacher, room.line() as ana:
        poll = open_poll(teacher, ana, NUMBER)
        assert history() == [poll["id"]]
        client.portal.call(may_go_on.set)
        client.portal.call(may_go_on.clear)
        teacher.say("discard_poll")
        ana.until(poll=None)
        assert history() == []
        client.portal.call(may_go_on.set)


def test_records_are_bounded() -> None:
    records = MemberRecords()
    for number in range(MOST_RECORDS + 10):
        records.arrive(f"step {number}", 100.0)
        records.note(f"step {number}.1", "x" * 1000, True, 107.0, 1e9)
    assert len(records.answers) == len(records.arrived) == MOST_RECORDS
    assert len(records.answers["step 0.1"]["first"]) == 200
    again = MemberRecords()
    again.restore({**records.kept(), "answers": {**records.answers, "bad": {"tries": 1}}})
    assert again.answers == records.answers
    assert MOST_POLLS == 200
    first = _rows(class_table([("teal otter 1", records)], None))[0]
    assert (first["seconds"], first["kind"]) == ("7", "poll")


def test_the_seconds_of_an_answer_are_those_that_passed_however_the_clock_jumped() -> None:
    records, day = MemberRecords(), 86_400.0
    records.arrive("step", 100.0)
    for now, at in ((107.0, 9 * day + 7), (109.0, 10 * day + 9), (112.0, 8 * day + 12)):
        records.note("step.1", "18", True, now, at)
    again = MemberRecords()
    again.restore(records.kept())  # by a server that counts from another time
    again.note("step.1", "19", True, 5.0, 8 * day + 15)
    again.note("step.1", "20", True, 9.0, 9 * day)
    row = _rows(class_table([("teal otter 1", again)], None))[0]
    assert (row["seconds"], row["answered at"]) == ("19", "1970-01-10T00:00:00+00:00")


def test_no_cell_is_a_formula() -> None:
    for text in ("=1", "+1", "-1", "@x", "\t=1", "\r=1"):
        assert cell(text) == f"'{text}"
    assert [cell(value) for value in (-1, "a=1", "")] == [-1, "a=1", ""]
    assert name_typed("  A\u202e\n b\x00 ") == "A b"
