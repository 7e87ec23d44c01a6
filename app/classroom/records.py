"""What a room with records keeps of its members' answers, and the tables that its teacher downloads.

Cells that a spreadsheet could take for a formula begin with an apostrophe.
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import unescape
from typing import Any, cast

from ..wire.lessons import LessonInfo
from ..wire.rooms import AnswerRecord, PastPoll, PollResultsMessage, PollTruth, RoomPoll

MOST_RECORDS = 200
"""Maximum questions of a member whose answers are kept."""
LONGEST = 200
"""Maximum characters kept of an answer."""
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters of cells that spreadsheets compute."""
BYTE_ORDER_MARK = "\ufeff"
"""Tells spreadsheets that a file is UTF-8."""
MARKS = re.compile(r"<[^>]*>")
CLASS_COLUMNS = (
    "member", "name", "number", "step", "question", "kind", "tries", "first answer", "right", "seconds", "answered at",
)  # fmt: skip
POLL_COLUMNS = (
    "poll", "opened at", "question", "kind", "members", "answers", "right answers", "truth", "answer", "count", "right",
)  # fmt: skip


@dataclass
class MemberRecords:
    """A member's answers by question: `STEP.N` and `STEP` of a lesson, or `poll N`."""

    name: str = ""
    """The name that the member gave, if the room asks for names."""
    answers: dict[str, AnswerRecord] = field(default_factory=dict)
    arrived: dict[str, float] = field(default_factory=dict)
    """When the member was first at a step of the lesson, by the loop's clock, as in `_began`."""
    _began: dict[str, float] = field(default_factory=dict)
    """When a member began with each question."""

    def arrive(self, step: str | None, now: float) -> None:
        """Note that the member is at a step."""
        if step is not None and len(self.arrived) < MOST_RECORDS:
            self.arrived.setdefault(step, now)

    def note(self, question: str, said: str | None, right: bool | None, now: float, at: float) -> None:
        """Count an answer; `said` is None if the member asked for the right one instead.

        `at` is a date, which may jump between two answers; `now`, by the loop's clock, says how long they took.
        """
        known = self.answers.get(question)
        if known is None:
            if len(self.answers) >= MOST_RECORDS:
                return
            arrived = self.arrived.get(question.rpartition(".")[0] or question, now)
            began = at - (now - arrived)
            known = {"tries": 0, "first": "", "right": None, "shown": False, "began": began, "at": at}
            self.answers[question] = known
        took = now - self._began.setdefault(question, now - (at - known["began"]))
        known["right"], known["at"], known["began"] = right, at, at - took
        if said is None:
            known["shown"] = True
            return
        known["tries"] += 1
        if known["tries"] == 1:
            known["first"] = said[:LONGEST]

    def judge(self, question: str, right: bool) -> None:
        """Set whether the last answer was right, once a poll is revealed."""
        if question in self.answers:
            self.answers[question]["right"] = right

    def forget(self, question: str) -> None:
        """Delete an answer that was never judged: its poll was discarded."""
        if question in self.answers and self.answers[question]["right"] is None:
            del self.answers[question]
            self._began.pop(question, None)

    def kept(self) -> dict[str, Any]:
        """The stored form."""
        return {"name": self.name, "answers": self.answers}

    def restore(self, kept: Any) -> None:
        """Restore the stored form, except damaged parts."""
        if not isinstance(kept, dict) or not isinstance(kept.get("answers"), dict):
            return
        self.name = str(kept.get("name", ""))
        keys = AnswerRecord.__required_keys__
        self.answers = {
            str(question): cast(AnswerRecord, answer)
            for question, answer in kept["answers"].items()
            if isinstance(answer, dict) and answer.keys() == keys
        }


def name_typed(text: str) -> str:
    """A typed name without control characters and needless blanks."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


# Tables.


def class_table(members: Iterable[tuple[str, MemberRecords]], lesson: LessonInfo | None) -> str:
    """A row for each member and question of the lesson, answered or not, and for each answered poll."""
    asked = _questions(lesson) if lesson else {}
    rows = [
        _class_row(member, records, question, asked.get(question, _poll(question)))
        for member, records in members
        for question in dict.fromkeys([*asked, *records.answers])
    ]
    return _table(CLASS_COLUMNS, rows)


Asked = tuple[int | str, str, str]
"""The number and title of a question's step, and its kind."""


def _questions(lesson: LessonInfo) -> dict[str, Asked]:
    return {
        block["id"]: (number, step["title"], block["ask"] if block["kind"] == "ask" else "exercise")
        for number, step in enumerate(lesson["steps"], 1)
        for block in step["blocks"]
        if block["kind"] == "ask" or block["kind"] == "change"
    }


def _poll(question: str) -> Asked:
    return "", question, "poll"


def _class_row(member: str, records: MemberRecords, question: str, asked: Asked) -> list[Any]:
    number, step, kind = asked
    beginning = [member, records.name, number, step, question, kind]
    answer = records.answers.get(question)
    if answer is None:
        return [*beginning, 0, "", "", "", ""]
    right = "shown" if answer["shown"] else {True: "yes", False: "no", None: ""}[answer["right"]]
    seconds = max(0, round(answer["at"] - answer["began"]))
    return [*beginning, answer["tries"], answer["first"], right, seconds, _time(answer["at"])]


def questions_of(lesson: LessonInfo) -> dict[str, str]:
    """The texts of a lesson's questions without their marks, by id."""
    return {
        block["id"]: unescape(MARKS.sub("", block["html"])).strip()
        for step in lesson["steps"]
        for block in step["blocks"]
        if block["kind"] == "ask"
    }


def poll_table(polls: Iterable[PastPoll], questions: Mapping[str, str]) -> str:
    """A row for each answer to each poll, with how many gave it; `questions`: texts of the lesson's questions, by id."""
    return _table(POLL_COLUMNS, [row for poll in polls for row in _poll_rows(poll, questions)])


def _poll_rows(past: PastPoll, questions: Mapping[str, str]) -> list[list[Any]]:
    poll, results = past["poll"], past["results"]
    truth = results.get("truth") if results else None
    question = questions.get(poll["lesson_ask"] or "", poll["question"])
    beginning = [
        past["number"], _time(past["opened"]), question, poll["kind"], past["members"],
        results["count"] if results else 0, truth["right"] if truth else "", _truth(poll, truth),
    ]  # fmt: skip
    answers: Sequence[Sequence[Any]] = _answers(poll, results) if results else []
    return [[*beginning, *answer] for answer in answers or [("", "", "")]]


def _truth(poll: RoomPoll, truth: PollTruth | None) -> str:
    if truth is None:
        return ""
    if poll["kind"] == "choice":
        return "; ".join(poll["options"][option] for option in truth["options"])
    return truth["shown"] or "; ".join(str(cell) for cell in truth["cells"][:10])


def _answers(poll: RoomPoll, results: PollResultsMessage) -> list[tuple[str, int, str]]:
    """Each answer, how many gave it, and whether it is right; empty if too few answered."""
    truth = results.get("truth")
    words = {True: "yes", False: "no", None: ""}
    if "histogram" in results:
        bins = [(bar["label"], bar["count"], words[bar["right"]]) for bar in results["histogram"]["bins"]]
        other = results["histogram"]["other"]
        return [*bins, ("other answers", other, "")] if other else bins
    if "choices" in results:
        return [
            (text, count, words[None if truth is None else at in truth["options"]])
            for at, (text, count) in enumerate(zip(poll["options"], results["choices"], strict=True))
        ]
    return [
        (
            str(cell["element"]),
            cell["count"],
            words[None if truth is None else cell["element"] in truth["cells"]],
        )
        for cell in results.get("heat", [])
    ]


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    text.write(BYTE_ORDER_MARK)
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([cell(value) for value in row] for row in rows)
    return text.getvalue()


def cell(value: Any) -> Any:
    """A value as a cell that no spreadsheet computes."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
