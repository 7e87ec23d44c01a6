"""Lessons: their texts with positions, values and answers looked up in recordings, as the page has them.

How the page judges an answer, for each kind of question (docs/lessons.md has the same rules for those who write lessons):

- `number`: what is typed is trimmed; a `−` is a minus, and `,` or `_` between digits is no part of the number.
  `number_kind` "integer": it must be a whole number (`3`, `3.0`, `3e0`) equal to `truth` exactly (compare as BigInt).
  "truth": `true`, `yes` or `1`; `false`, `no` or `0`. "float": NaN only answers NaN (`nan`), an infinity only the same
  infinity (`inf`, `+inf`, `∞`, `-inf`); any other number is right if it is at most one unit away from `truth` in the
  last of `digits` significant digits, |typed - truth| <= 10 ** (floor(log10(|truth|)) - digits + 1), and where the truth
  is 0 at most 10 ** -digits away. A fraction `1/3` is computed first. Upper and lower case are the same.
- `choice`: the option that was chosen has `right`.
- `cell`: the element that was clicked is in `cells`, in the value at `address`.
- `shape`: the whole numbers in what is typed, in their order, are those of `truth`; `()`, `[]` and `scalar` are none.
  Anything but digits, `x`, `×`, `*`, commas, blanks, parentheses and brackets is no shape.
- `step`: the process is that of `place`, and the position is one of `truth`: the step before which the student stands.

What is typed and cannot be read as an answer is no wrong answer: the page says what it understands. A wrong answer is
judged against `wrong` by the same rule, each `value` in place of the truth; the first that fits says its `html`.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from .program import Diagnostic

AskKind: TypeAlias = Literal["number", "choice", "cell", "shape", "step"]
LessonAnswer: TypeAlias = str | list[int]
"""A number as text: digits, the shortest decimal, `NaN`, `+Inf`, `-Inf`, `true`, `false`. A shape. An element's index.
Positions, all of which are accepted."""


class LessonTitle(TypedDict):
    """A lesson in the list. `needs`: names of lessons to read before; `steps`: the ids of its steps."""

    name: str
    title: str
    summary: str
    minutes: int
    needs: list[str]
    language: str
    languages: list[str]
    version: str
    steps: list[str]


class LessonPlace(TypedDict):
    """Where to go and what to look at there.

    `step`: the position, before the step of this number; `value`: number of the program's value; `path`: of an element of
    a tuple; `address`: the value as it is seen from there. Null: as it happens to be.
    """

    run: int
    step: int
    process: int
    tab: str | None
    value: int | None
    path: list[int]
    element: list[int] | None
    address: str | None


class HiddenValue(TypedDict):
    """What would give an answer away until it is given: an element of a value, or all of it."""

    run: int
    process: int
    address: str
    element: list[int] | None


class TextBlock(TypedDict):
    """Text, as HTML without scripts and styles."""

    kind: Literal["text"]
    html: str


class NoteBlock(TypedDict):
    """An aside, set off from the text."""

    kind: Literal["note"]
    html: str


class LookBlock(TypedDict):
    """What to look at: a place, or a playground (its address on this server). `label` says it in a few words."""

    kind: Literal["look"]
    label: str
    place: LessonPlace | None
    playground: str | None


class LessonOption(TypedDict):
    """An option of a choice, and what is said to whoever takes it."""

    html: str
    says_html: str
    right: bool


class WrongAnswer(TypedDict):
    """A wrong answer that people give, and what is said about it."""

    value: LessonAnswer
    html: str


class AskBlock(TypedDict):
    """A question. See the module for how answers are judged.

    `id`: `<step id>.<number of the question in its step>`. `place`: where "Show me" leads once it is answered or given up.
    `run`, `process`, `address`, `value`, `element`: the value that is asked about, and of a cell the one to click in; null
    where it is about several. `hides`: what to cover until it is answered.
    """

    kind: Literal["ask"]
    id: str
    ask: AskKind
    html: str
    truth: LessonAnswer | None
    number_kind: Literal["integer", "float", "truth"] | None
    digits: int | None
    options: list[LessonOption]
    cells: list[list[int]] | None
    wrong: list[WrongAnswer]
    hints: list[str]
    right_html: str
    run: int
    process: int
    address: str | None
    value: int | None
    element: list[int] | None
    hides: list[HiddenValue]
    place: LessonPlace | None


class ChangeBlock(TypedDict):
    """An exercise: change the program so that its check passes. `text`: the program as it is given; its language is
    `mlir` or `hlo`; `passes`: the check as it is written in the lesson."""

    kind: Literal["change"]
    id: str
    html: str
    run: int
    text: str
    syntax: Literal["mlir", "hlo"]
    passes: str
    hints: list[str]
    right_html: str


LessonBlock: TypeAlias = TextBlock | NoteBlock | LookBlock | AskBlock | ChangeBlock


class LessonStep(TypedDict):
    """A step: its heading and what follows."""

    id: str
    title: str
    blocks: list[LessonBlock]


class LessonInfo(TypedDict):
    """A lesson in one language.

    `session`: the read-only link to its session, empty in an exported file; run `n` is its n-th program. `version` changes
    where programs, steps or questions change, not where a sentence does: progress is kept by it. `revision` is there only
    while a lesson is previewed: the page asks `GET /api/lessons/{name}/revision` and loads itself anew where that differs.
    `server`: in an exported file, where exercises can be done instead, null if nobody said.
    """

    name: str
    title: str
    summary: str
    language: str
    languages: list[str]
    minutes: int
    needs: list[str]
    version: str
    session: str
    programs: list[str]
    intro: list[LessonBlock]
    steps: list[LessonStep]
    revision: NotRequired[str]
    server: NotRequired[str | None]


class LessonRevision(TypedDict):
    """Of a lesson that is previewed: changes with each byte of its files."""

    revision: str


class ChangeResult(TypedDict):
    """Whether a changed program passes. `message` says in a sentence what came of it, `values` what the check read.

    `diagnostics` are there where the program is wrong or its run failed.
    """

    passed: bool
    message: str
    values: list[CheckedValue]
    diagnostics: list[Diagnostic]


class CheckedValue(TypedDict):
    """A part of a check and what it gave: `%2[1,0]`, `3`."""

    text: str
    value: str
