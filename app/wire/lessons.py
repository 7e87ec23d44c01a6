"""Lessons in the page's format: texts with positions, values and answers from recordings.

The page judges an answer by the kind of its question. docs/lessons.md states the same rules for authors.

- `number`: the page trims the answer, reads `−` as a minus, and ignores `,` and `_` before groups of three digits.
  `number_kind` "integer": a whole number (`3`, `3.0`, `3e0`) that equals `truth` exactly (compared as BigInt).
  "truth": `true`, `yes` or `1`; `false`, `no` or `0`. "float": only NaN (`nan`) matches NaN, only the same infinity
  (`inf`, `+inf`, `∞`, `-inf`) matches an infinity; any other number is right within one unit of the last of `digits`
  significant digits of `truth`, |answer - truth| <= 10 ** (floor(log10(|truth|)) - digits + 1), or within
  10 ** -digits of a truth of 0. With 15 `digits` the number must match exactly, and the page does not mention digits.
  A fraction `1/3` is computed first. Case is ignored.
- `choice`: the chosen option has `right`.
- `cell`: `cells` contains the clicked element, of the value at `address`.
- `shape`: the whole numbers in the answer, in order, equal `truth`; `()`, `[]` and `scalar` have none. A shape consists
  of digits, `x`, `×`, `*`, commas, blanks, parentheses and brackets.
- `step`: the process is that of `place`, and `truth` contains the position: the number of the next step.

A text that does not parse as an answer is not a wrong answer: the page describes the expected form. The page compares a
wrong answer with each `value` of `wrong` by the same rule, and shows the `html` of the first match.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from .program import Diagnostic, GridSize
from .sessions import InputSpec

AskKind: TypeAlias = Literal["number", "choice", "cell", "shape", "step"]
LessonAnswer: TypeAlias = str | list[int]
"""A number as text (digits, the shortest decimal, `NaN`, `+Inf`, `-Inf`, `true`, `false`), a shape, the index of an
element, or a list of accepted positions."""


class LessonTitle(TypedDict):
    """A lesson in the list. `needs`: names of lessons to read first; `steps`: the ids of its steps.

    `group`: the heading under which it stands; null for lessons without one.
    """

    name: str
    title: str
    summary: str
    minutes: int
    group: str | None
    needs: list[str]
    language: str
    languages: list[str]
    version: str
    steps: list[str]


class LinkedLesson(TypedDict):
    """A lesson that another one links to."""

    name: str
    title: str
    language: str


class LessonPlace(TypedDict):
    """A position in a run, and the value shown there.

    `step`: the number of the next step; `value`: the number of a value of the program; `path`: of an element of a tuple;
    `address`: the value at this position. Null leaves the page's selection unchanged.
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
    """A value, or an element of one, that the page hides until its question is answered.

    `beyond`: also in the other steps, as no earlier step shows it or asks about it.
    """

    run: int
    process: int
    address: str
    element: list[int] | None
    beyond: bool


class TextBlock(TypedDict):
    """Text as HTML without scripts and styles."""

    kind: Literal["text"]
    html: str


class NoteBlock(TypedDict):
    """An aside, set off from the text."""

    kind: Literal["note"]
    html: str


class LookBlock(TypedDict):
    """A link to a position, or to a playground (its path on this server). `label`: the text of its button."""

    kind: Literal["look"]
    label: str
    place: LessonPlace | None
    playground: str | None


class LessonOption(TypedDict):
    """An option of a choice, and the reply to it."""

    html: str
    says_html: str
    right: bool


class WrongAnswer(TypedDict):
    """A common wrong answer, and the reply to it."""

    value: LessonAnswer
    html: str


class AskBlock(TypedDict):
    """A question; the module states how the page judges answers.

    `id`: `<step id>.<number of the question in its step>`. `place`: the target of "Show me", available after the answer.
    `run`, `process`, `address`, `value`, `element`: the subject of the question, or for a cell the value to click in; null
    for several subjects. `hides`: the values that the page hides until the answer.
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
    """An exercise: change the program so that its check passes.

    `id` is that of its step. `text`, `name`, `entry`, `inputs`, `grid`: the original program, and the parameters for
    `POST /api/sessions`, also for the student's text. `run` and `place`, the start of that run, are null if the original program
    does not run. `passes`: the check as the lesson states it. `choices`: what readers of an exported file may change, and
    there `results` has the outcome of each combination, that of the first variants first and the last choice varying fastest.
    """

    kind: Literal["change"]
    id: str
    html: str
    run: int | None
    place: LessonPlace | None
    name: str
    text: str
    entry: str | None
    inputs: list[InputSpec | None]
    grid: GridSize | None
    syntax: Literal["mlir", "hlo"]
    passes: str
    choices: list[ChangeChoice]
    hints: list[str]
    right_html: str
    results: NotRequired[list[ChangeResult]]


class ChangeChoice(TypedDict):
    """Texts of which one stands in the program, the original first; `lines`: where that begins."""

    lines: list[int]
    variants: list[str]


LessonBlock: TypeAlias = TextBlock | NoteBlock | LookBlock | AskBlock | ChangeBlock


class LessonStep(TypedDict):
    """A step: its heading and its content."""

    id: str
    title: str
    blocks: list[LessonBlock]


class LessonInfo(TypedDict):
    """A lesson in one language.

    `session`: the read-only link to its session, empty in an exported file; run `n` belongs to the n-th of `programs`.
    `version` changes with programs, steps and questions, but not with the wording: it is the key of saved progress. Only a
    previewed lesson has a `revision`: the page polls `GET /api/lessons/{name}/revision` and reloads when it changes.
    `labels`: those of the panel, by their names in words.js, unless they are English. `needs`, the lessons to read first, and
    `next` are in the list of the server: rooms and files do without. `server`: in an exported file, the server that runs
    exercises; null if unknown.
    """

    name: str
    title: str
    summary: str
    language: str
    languages: list[str]
    minutes: int
    version: str
    session: str
    programs: list[str]
    intro: list[LessonBlock]
    steps: list[LessonStep]
    labels: NotRequired[dict[str, str]]
    revision: NotRequired[str]
    needs: NotRequired[list[LinkedLesson]]
    next: NotRequired[LinkedLesson | None]
    server: NotRequired[str | None]


class LessonSource(TypedDict):
    """The files of a lesson: its text, programs by name, pictures as data URLs, and the text of its original.

    `languages`: all languages of the lesson, the original first.
    """

    name: str
    file: str
    text: str
    programs: dict[str, str]
    images: dict[str, str]
    original: str | None
    original_file: str | None
    languages: list[str]


class LessonRevision(TypedDict):
    """A hash of all bytes of a lesson's files."""

    revision: str


class LessonProblem(TypedDict):
    """An error of a lesson in preparation."""

    file: str
    line: int
    message: str
    hint: str | None


class LessonRun(TypedDict):
    """The parameters of a run of a lesson's session."""

    name: str
    text: str
    entry: str | None
    inputs: list[InputSpec | None]
    grid: GridSize | None


class ResolvedLesson(TypedDict):
    """A resolved lesson and the runs of its session, in order; or the errors of the lesson."""

    lesson: LessonInfo | None
    runs: list[LessonRun]
    problems: list[LessonProblem]


class ChangeResult(TypedDict):
    """Whether a changed program passes. `message`: the outcome in a sentence; `values`: those that the check reads.

    `diagnostics`: of an invalid program or a failed run. `returned`: the small results of a program that ran.
    """

    passed: bool
    message: str
    values: list[CheckedValue]
    diagnostics: list[Diagnostic]
    returned: NotRequired[list[ReturnedValue]]


class ReturnedValue(TypedDict):
    """A result beside that of the solution, with the lesson's inputs; `differs`: elements, in row-major order."""

    given: PicturedValue
    expected: PicturedValue | None
    differs: list[int]


class PicturedValue(TypedDict):
    """A small value: its elements as the page prints them, in row-major order."""

    type: str
    shape: list[int]
    elements: list[str]


Outcome: TypeAlias = Literal["right", "wrong", "none"]


class LessonResult(TypedDict):
    """A student's result in a lesson. `outcomes`: of each question and exercise; `none`: not answered by the student.

    `signed_at`: in UTC; `signature`: of all the rest, by the server, see `hloscope lesson verify`.
    """

    format: int
    lesson: str
    version: str
    title: str
    student: str
    signed_at: str
    right: int
    of: int
    outcomes: dict[str, Outcome]
    signature: str


class CheckedValue(TypedDict):
    """A part of a check, and its value: `%2[1,0]`, `3`; `expected`: the solution's, of a result that differs."""

    text: str
    value: str
    expected: str | None
