"""Each question of each lesson on the page of a student, alone and as a poll: nothing on the page tells its answer."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from hloscope.app.lessons.resolve import Resolved
from hloscope.app.lessons.shipped import shipped_files
from hloscope.app.wire.lessons import AskBlock, LessonStep
from tests.app.lessons.texts import resolved
from tests.browser.conftest import PATIENT, Complaints, NewPage
from tests.browser.lesson_scan import SCAN, Question, find_answer, pictures_of, questions, units_of
from tests.browser.settling import settle
from tests.server_process import Server, serving

LARGE = {"viewport": {"width": 2400, "height": 1400}}
COLUMNS = (
    ["lesson"], ["program", "op"], ["tensor", "grid"], ["index", "provenance"], ["graph", "steps"],
    ["variables", "findings", "microscope"],
)  # fmt: skip
"""The panels that draw or tell values, all of them at once."""
CLOSED = [
    "memory",
    "profile",
    "breakpoints",
    "console",
    "watch",
    "compare",
    "precision",
    "playground",
    "class",
    "source",
]
TEACH = """([url, owner]) => new Promise((resolve) => {
    window.teacher = new WebSocket(url);
    window.teacher.onopen = () => window.teacher.send(JSON.stringify({ type: "hello", owner }));
    window.teacher.heard = []; window.teacher.onmessage = (e) => { window.teacher.heard.push(e.data); resolve(); };
})"""
SAY = "(message) => window.teacher.send(JSON.stringify(message))"


def _layout() -> str:
    def group(panel: str) -> dict[str, Any]:
        return {"kind": "tabs", "tabs": [panel], "active": panel}

    def split(kind: str, children: Sequence[Any], last: int = 1) -> dict[str, Any]:
        return {"kind": kind, "sizes": [1] * (len(children) - 1) + [last], "children": children}

    row = split("row", [split("column", [group(panel) for panel in column]) for column in COLUMNS])
    tree = split("column", [row, group("timeline")], 0)
    return json.dumps(
        {
            "version": 2,
            "preset": "debug",
            "isOwn": True,
            "isWide": True,
            "tree": tree,
            "closed": CLOSED,
            "maximised": None,
        }
    )


class _Class:
    """A student's page, in which a second line of the room speaks for the teacher."""

    def __init__(self, page: Page, server: Server, lesson: str) -> None:
        with httpx.Client(
            base_url=server.origin, headers={"Cookie": server.cookie, "Origin": server.origin}
        ) as client:
            answer = client.post("/api/rooms", json={"lesson": lesson}, timeout=120)
            assert answer.status_code == 201, answer.text
            self.handout = client.get(f"/lessons/{lesson}/handout", timeout=120).text
        room = answer.json()
        self.page = page
        self.pictures = 0
        """Of asked values, drawn once their answers were shown: those that were looked for before."""
        self.found: set[str] = set()
        """The questions whose answer the search finds once it is shown, beside the lesson: those that could fail."""
        page.add_init_script(f"localStorage.setItem('hloscope.lesson-layout', {json.dumps(_layout())})")
        page.goto(f"{server.origin}/room/{room['id']}")
        expect(page.locator("#lesson-step")).to_be_visible()
        live = f"{server.origin}/api/rooms/{room['id']}/live".replace("http", "ws", 1)
        page.evaluate(TEACH, [live, room["owner"]])
        settle(page)

    def say(self, kind: str, **message: Any) -> None:
        """A message of the teacher."""
        self.page.evaluate(SAY, {"type": kind, **message})

    def go(self, step: LessonStep, ask: AskBlock) -> None:
        """Lead the class to a question, and to the place where its answer would be seen."""
        place = ask["place"]
        if place is not None:
            position = {
                name: place[name] for name in ("run", "step", "process", "tab", "value", "path", "element")
            }
            self.say("state", position=position, lesson_step=step["id"])
        # An answer is an act of the student's own, after which the page follows no more.
        settle(self.page)
        self._back()
        expect(self.page.locator("#lesson-step")).to_have_text(step["title"].replace("`", ""))
        settle(self.page)

    def scan_at_end(self) -> dict[str, Any]:
        """What the page shows at the end of the run, where what is made of the asked value is seen; then go back."""
        self.page.keyboard.press("F5")
        found = self.scan()
        self._back()
        settle(self.page)
        return found

    def _back(self) -> None:
        if (back := self.page.get_by_role("button", name="Back to the class")).is_visible():
            back.click()

    def scan(self) -> dict[str, Any]:
        """What the page shows."""
        settle(self.page)
        found: dict[str, Any] = self.page.evaluate(SCAN)
        return found


def _leaks(found: dict[str, Any], asked: Sequence[Question], run: int, where: str) -> list[str]:
    units = units_of(found["units"])
    return [
        f"{where}: {each.ask['id']} is {each.ask['truth']}: {unit.place}: {unit.text}"
        for each in asked
        for unit in find_answer(units, each, run)
    ]


SOONER = "all-reduce-and-friends"
"""The lesson on a grid, whose page has all panels. `make test-long` plays all lessons, which takes minutes."""


def _cases() -> Iterator[Any]:
    for path in shipped_files():
        yield pytest.param(path, id=path.stem, marks=() if path.stem == SOONER else pytest.mark.long)


@pytest.mark.parametrize("path", [*_cases()])
def test_no_answer_is_on_the_page_while_it_is_asked(
    path: Path, new_page: NewPage, server: Server, complaints: Complaints
) -> None:
    complaints.allow("404")  # of values that processes in a deadlock never make
    taught = _Class(new_page(**LARGE), server, path.stem)
    leaks = _search(taught, resolved(path))
    assert leaks == []
    assert taught.pictures > 0


PLANTED = Path(__file__).parent / "lessons" / "planted.md"


@pytest.fixture(scope="module")
def planted_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of a lesson with each kind of question."""
    command = ("lesson", "preview", str(PLANTED))
    with serving(tmp_path_factory.mktemp("data"), settings=PATIENT, command=command) as (running, _):
        yield running


@pytest.mark.more
def test_the_search_finds_the_answer_to_each_kind_of_question(
    new_page: NewPage, planted_server: Server, complaints: Complaints
) -> None:
    complaints.allow("401")  # of the lesson's changes, of which only its author is told
    lesson = resolved(PLANTED)
    asked = questions(lesson)
    assert {each.ask["ask"] for each in asked.values()} == {"number", "cell", "shape", "choice", "step"}
    taught = _Class(new_page(**LARGE), planted_server, "planted")
    assert _search(taught, lesson) == []
    assert taught.found == set(asked)


def _search(taught: _Class, lesson: Resolved) -> list[str]:
    """The answers of a lesson that its pages tell."""
    left = questions(lesson)
    assert left
    leaks = _leaks(taught.scan(), _beyond(left), 1, "introduction")
    paper = html.unescape(re.sub(r"<[^>]*>", "\n", taught.handout.partition('class="answers"')[0]))
    lines = [["handout", line.strip()] for line in paper.split("\n")]
    leaks += _leaks({"units": lines}, list(left.values()), 0, "handout")
    for step in lesson.info["steps"]:
        for ask in (block for block in step["blocks"] if block["kind"] == "ask"):
            taught.go(step, ask)
            leaks += _play(taught, ask, left)
    return leaks


def _beyond(asked: dict[str, Question]) -> list[Question]:
    """The questions that hide their values in all steps."""
    return [each for each in asked.values() if all(hidden["beyond"] for hidden in each.ask["hides"])]


def _play(taught: _Class, ask: AskBlock, left: dict[str, Question]) -> list[str]:
    """Look for answers while a question is open, give it up, and look again while the class is asked."""
    id, page = ask["id"], taught.page
    own = left.pop(id)
    covered = taught.scan()
    leaks = _leaks(covered, [own, *_beyond(left)], ask["run"], f"{id}, alone")
    # At the end a name may mean another round: only numbers that no other value has count.
    leaks += _leaks(
        taught.scan_at_end(), [replace(own, names=frozenset())], ask["run"], f"{id}, at the end of the run"
    )
    form = page.locator(".lesson-ask").nth(int(id.rpartition(".")[2]) - 1)
    form.get_by_role("button", name="Show the answer").click()
    shown = taught.scan()
    taught.say(
        "poll", poll={"kind": ask["ask"], "question": "", "options": [], "target": None, "lesson_ask": id}
    )
    expect(page.locator(".room-card")).to_be_visible()
    polled = taught.scan()
    # The question itself is no leak, although it may contain small numbers.
    said = " ".join(
        (page.locator(".lesson-question").nth(int(id.rpartition(".")[2]) - 1).text_content() or "").split()
    )
    polled["units"] = [unit for unit in polled["units"] if said not in unit[1]]
    leaks += _leaks(polled, [own], ask["run"], f"{id}, as a poll")
    taught.say("discard_poll")
    expect(page.locator(".room-card")).to_have_count(0)
    told = _pictures(shown, own)
    taught.pictures += len(told)
    beside = [unit for unit in shown["units"] if not unit[0].startswith("lesson ")]
    if told or _leaks({"units": beside}, [own], ask["run"], "shown"):
        taught.found.add(id)
    for where, found in (("alone", covered), ("as a poll", polled)):
        seen = {picture for _, picture in found["pictures"]}
        leaks += [f"{id}, {where}: its picture is there" for _ in told & seen]
    return leaks


def _pictures(shown: dict[str, Any], asked: Question) -> set[str]:
    """The pictures of the asked values, except those that other values have too."""
    named = {place.rpartition(" ")[2] for place, _ in shown["pictures"] if "%" in place}
    others = pictures_of(shown["pictures"], named - asked.names)
    return pictures_of(shown["pictures"], asked.names) - others
