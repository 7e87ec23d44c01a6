"""The syntax tree of a lesson's file, before any program has run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..wire.lessons import AskKind


class LessonError(Exception):
    """An error of a lesson, at a line of one of its files; `hint` suggests the fix."""

    def __init__(self, line: int, message: str, hint: str | None = None, file: str | None = None) -> None:
        super().__init__(message)
        self.line, self.message, self.hint, self.file = line, message, hint, file


@dataclass(frozen=True)
class Program:
    """A program of a lesson, with the inputs of its run; `number` counts from 1."""

    key: str
    number: int
    file: str
    text: str
    inputs: tuple[str, ...]
    grid: tuple[int, int] | None
    """Replicas and partitions."""
    entry: str | None
    line: int


@dataclass(frozen=True)
class At:
    """A position in a run, as a lesson states it.

    `word` is `start` or `end`; `value` a value that was just computed; `before` one that is computed next;
    `line` one whose op is next. `iteration` (of the innermost loop, from 0) and `occurrence` (from 1) select
    among several.
    """

    kind: str
    value: str = ""
    line: int = 0
    iteration: int | None = None
    occurrence: int | None = None
    process: int = 0

    def __str__(self) -> str:
        match self.kind:
            case "value":
                return self.value
            case "before":
                return f"before {self.value}"
            case "line":
                return f"line {self.line}"
        return self.kind


@dataclass(frozen=True)
class Text:
    """Markdown; `note`: set off from the text."""

    line: int
    source: str
    program: str
    note: bool = False


@dataclass(frozen=True)
class Look:
    """A target to look at."""

    line: int
    program: str
    at: At | None
    process: int
    tab: str | None
    value: str | None
    element: tuple[int, ...] | None
    playground: str | None
    label: str | None


@dataclass(frozen=True)
class Option:
    """An option of a choice, correct if its expression is true."""

    line: int
    expression: str
    text: str
    says: str


@dataclass(frozen=True)
class Wrong:
    """A wrong answer: a literal, or an expression or place in quotes."""

    line: int
    value: str
    quoted: bool
    text: str


@dataclass(frozen=True)
class Choice:
    """A part of an exercise's program, and the variants that may stand in its place, wherever it occurs."""

    line: int
    text: str
    variants: tuple[str, ...]


@dataclass(frozen=True)
class Replies:
    """The replies to answers, and what a reader may choose."""

    hints: tuple[str, ...] = ()
    right: str = ""
    wrong: tuple[Wrong, ...] = ()
    options: tuple[Option, ...] = ()
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True)
class Ask:
    """A question: `of`, `inside` (the attribute `in`) and `when` are its subject."""

    line: int
    kind: AskKind
    source: str
    program: str
    at: At | None
    process: int
    replies: Replies
    of: str = ""
    inside: str = ""
    when: str = ""
    digits: int | None = None


@dataclass(frozen=True)
class Change:
    """An exercise: change the program so that `passes` holds at the end of its run.

    `compares`: whether it must also return what the solution returns; `further`: the inputs of one more run, in place of
    inputs that are drawn.
    """

    line: int
    source: str
    program: str
    passes: str
    solution: str
    solution_text: str
    process: int
    replies: Replies
    compares: bool = True
    further: tuple[str, ...] = ()

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What readers without a server may change."""
        return self.replies.choices


Block = Text | Look | Ask | Change


@dataclass(frozen=True)
class Step:
    """A heading and the content after it."""

    id: str
    title: str
    line: int
    blocks: tuple[Block, ...]

    @property
    def change(self) -> Change | None:
        """The exercise; a step has at most one."""
        return next((block for block in self.blocks if isinstance(block, Change)), None)


@dataclass(frozen=True)
class Front:
    """The front matter, between the lines `---`."""

    title: str
    summary: str
    language: str
    minutes: int
    order: int | None
    group: str | None
    needs: tuple[str, ...]
    lines: Mapping[str, int] = field(default_factory=dict)
    """The line of each field."""


@dataclass(frozen=True)
class Lesson:
    """A lesson in one language."""

    name: str
    file: str
    front: Front
    programs: Mapping[str, Program]
    intro: tuple[Block, ...]
    steps: tuple[Step, ...]
    images: Mapping[str, str] = field(default_factory=dict)
    """The URLs of pictures beside the text, by their names."""

    @property
    def blocks(self) -> Sequence[Block]:
        """All blocks in order."""
        return [*self.intro, *(block for step in self.steps for block in step.blocks)]

    def texts(self) -> Iterator[tuple[int, str]]:
        """All Markdown of the lesson, with the line of each start."""
        for block in self.blocks:
            if isinstance(block, Look):
                continue
            yield block.line, block.source
            if isinstance(block, Ask | Change):
                replies = block.replies
                for text in (*replies.hints, replies.right):
                    yield block.line, text
                yield from ((each.line, each.text) for each in replies.wrong)
                yield from ((each.line, f"{each.text}\n\n{each.says}") for each in replies.options)
