"""A printable lesson: steps with space for answers, then answers and their pictures."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import count
from urllib.parse import urlencode

from ..wire.lessons import AskBlock, LessonBlock, LessonInfo, LessonPlace, LookBlock

DRAWN = ("tensor", "index")
"""Tabs with a special picture; for other tabs, the value is drawn."""


@dataclass(frozen=True)
class Picture:
    """A picture of a step: its address on this server, and a short label."""

    address: str
    label: str


@dataclass(frozen=True)
class Answer:
    """The answer to a question, printed after the lesson."""

    number: int
    truths: tuple[str, ...]
    says_html: str


@dataclass(frozen=True)
class Part:
    """A part of a printed step; `kind` is text, note, question, exercise or picture."""

    kind: str
    html: str = ""
    number: int = 0
    options: tuple[str, ...] = ()
    picture: Picture | None = None
    program: str = ""


@dataclass
class Sheet:
    """A printed step."""

    title: str
    parts: list[Part] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    """Pictures that reveal an answer, printed after the lesson."""


def sheets_of(lesson: LessonInfo) -> list[Sheet]:
    """The introduction and the steps, with pictures as addresses of this server."""
    steps = [
        (lesson["title"], lesson["intro"]),
        *((step["title"], step["blocks"]) for step in lesson["steps"]),
    ]
    numbers = count(1)
    beyond = {value for _, blocks in steps for value in _hidden(blocks, beyond=True)}
    typed = {run for _, blocks in steps for block in blocks for run in _typed_run(block)}
    return [_sheet(title, blocks, beyond, typed, numbers, lesson["session"]) for title, blocks in steps]


def _typed_run(block: LessonBlock) -> Iterator[int]:
    """The run of a question for a shape, which the text of its program contains."""
    if block["kind"] == "ask" and block["ask"] == "shape" and block["hides"]:
        yield block["run"]


def _hidden(blocks: Sequence[LessonBlock], *, beyond: bool = False) -> Iterator[tuple[int, str]]:
    """The run and address of each value that questions hide; `beyond`: also in other steps."""
    for block in blocks:
        for hides in block["hides"] if block["kind"] == "ask" else ():
            if hides["beyond"] or not beyond:
                yield hides["run"], hides["address"]


def _sheet(
    title: str,
    blocks: Sequence[LessonBlock],
    beyond: Set[tuple[int, str]],
    typed: Set[int],
    numbers: Iterator[int],
    session: str,
) -> Sheet:
    """A printed step. `beyond`: the values that no step shows before their question; `typed`: runs whose text is left out."""
    sheet = Sheet(title.replace("`", ""))
    hidden = {*_hidden(blocks), *beyond}
    for block in blocks:
        match block["kind"]:
            case "text" | "note":
                sheet.parts.append(Part(block["kind"], block["html"]))
            case "look":
                place = block["place"]
                # A picture after a question, or of the question's value, reveals the answer.
                reveals = bool(sheet.answers) or (
                    place is not None and (place["run"], place["address"]) in hidden
                )
                has_lines = reveals or place is None or place["run"] not in typed
                picture = _picture(block, session, has_lines=has_lines)
                if picture is not None and reveals:
                    sheet.pictures.append(picture)
                elif picture is not None:
                    sheet.parts.append(Part("picture", picture=picture))
            case "ask":
                _ask(sheet, block, next(numbers))
            case "change":
                sheet.parts.append(Part("exercise", block["html"], program=block["text"]))
    return sheet


def _ask(sheet: Sheet, block: AskBlock, number: int) -> None:
    options = tuple(option["html"] for option in block["options"])
    sheet.parts.append(Part("question", block["html"], number, options))
    right = [f"<p>{option['html']}</p>" for option in block["options"] if option["right"]]
    sheet.answers.append(Answer(number, tuple(_truths(block)), "".join(right) + block["right_html"]))


def _truths(block: AskBlock) -> Iterator[str]:
    """The right answers in numbers; none where an option or the explanation is the answer."""
    truth = block["truth"]
    if block["ask"] == "cell":
        yield from (str(cell) for cell in block["cells"] or ())
    elif block["ask"] == "shape" and isinstance(truth, list):
        yield "x".join(map(str, truth)) or "()"
    elif block["ask"] == "number" and isinstance(truth, str):
        yield truth


def _picture(block: LookBlock, session: str, *, has_lines: bool) -> Picture | None:
    place = block["place"]
    if place is None:
        return None
    query = [*_query(place), *(() if has_lines else [("lines", "false")])]
    return Picture(f"/s/{session}/picture.svg?{urlencode(query)}", block["label"])


def _query(place: LessonPlace) -> Iterator[tuple[str, str | int]]:
    yield "run", place["run"]
    yield "step", place["step"]
    yield "process", place["process"]
    yield "tab", place["tab"] if place["tab"] in DRAWN else "tensor"
    if place["value"] is not None:
        yield "value", ".".join(map(str, (place["value"], *place["path"])))
    if place["element"] is not None:
        yield "element", ",".join(map(str, place["element"]))
