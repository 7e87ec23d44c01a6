"""Parse a lesson's file: Markdown with steps, and in them targets, questions and exercises.

    read_lesson(name, file, text, read)     the lesson; `LessonErrors` with all errors

Nothing is run here. docs/lessons.md has the format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .attributes import nearest
from .directives import Body, Directives
from .front_matter import ReadFile, read_head
from .tree import Block, Change, Lesson, LessonError, Program, Step, Text

_HEADING = re.compile(r"(#{1,2})\s+(.*?)\s*$")
INTRODUCTION = "introduction"
"""The page's name for the blocks before the first step."""
_ID = re.compile(r"(.*?)\s*\{#([^}]*)\}")
_ID_NAME = re.compile(r"[a-z][a-z0-9-]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_LEAF = re.compile(r"::(\w+)\b(.*)")
_CONTAINER = re.compile(r":::\s*(\w+)\b(.*)")
CONTAINERS = ("ask", "change", "note")
_Head = tuple[str, str, int]
"""The id of a step, its title and its line."""


class LessonErrors(Exception):
    """All errors of a lesson."""

    def __init__(self, found: Sequence[LessonError]) -> None:
        super().__init__(f"{len(found)} errors")
        self.found = found


def read_lesson(
    name: str,
    file: str,
    text: str,
    read: ReadFile,
    original: Lesson | None = None,
    images: Mapping[str, str] | None = None,
) -> Lesson:
    """Parse a lesson; `read` loads programs. `original`: the lesson that it translates."""
    text = text.replace("\r\n", "\n").removeprefix("\ufeff")
    try:
        head = read_head(text, read, original)
    except LessonError as error:
        raise LessonErrors([error]) from None
    if not head.programs:
        hint = "Write `programs:`, and below it `gather: {file: gather.mlir}`."
        raise LessonErrors([LessonError(1, "the lesson has no program", hint)])
    body = _Reader(text.split("\n"), head.first_line, head.programs, Directives(head.programs, read))
    intro, steps = body.read()
    if body.errors:
        raise LessonErrors(sorted(body.errors, key=lambda error: error.line))
    return Lesson(name, file, head.front, head.programs, intro, steps, images or {})


@dataclass
class _Reader:
    lines: Sequence[str]
    first: int
    programs: Mapping[str, Program]
    directives: Directives
    errors: list[LessonError] = field(default_factory=list)
    _blocks: list[Block] = field(default_factory=list)
    _text: list[str] = field(default_factory=list)
    _text_line: int = 0
    _intro: tuple[Block, ...] | None = None
    _steps: list[Step] = field(default_factory=list)
    _ids: set[str] = field(default_factory=set)

    def read(self) -> tuple[tuple[Block, ...], tuple[Step, ...]]:
        """The blocks before the first step, and the steps."""
        head: _Head | None = None
        numbered = _Lines(self.lines, self.first)
        for line, text in numbered:
            heading = None if numbered.is_code else _HEADING.fullmatch(text)
            if heading is None:
                self._line(line, text, numbered)
                continue
            self._close(head)
            head = self._head_of(heading, line)
        self._close(head)
        if not self._steps and not self.errors:
            self.errors.append(LessonError(self.first, "the lesson has no step", "Write `## Title {#id}`."))
        return self._intro or (), tuple(self._steps)

    def _close(self, head: _Head | None) -> None:
        """Assign the content since the last heading to it."""
        self._end_text()
        blocks, self._blocks = tuple(self._blocks), []
        if self._intro is None:
            self._intro = blocks
        elif head is not None:
            self._steps.append(Step(*head, blocks))

    def _head_of(self, found: re.Match[str], line: int) -> _Head | None:
        """The id, title and line of a heading; `None` if it is wrong, with the error recorded."""
        try:
            return self._head(found, line)
        except LessonError as error:
            self.errors.append(error)
            return None

    def _head(self, found: re.Match[str], line: int) -> _Head:
        if len(found[1]) != 2:
            raise LessonError(
                line,
                "a step's heading has two #, not one: the lesson's title is in its first lines",
                "Write `## Title {#id}`.",
            )
        named = _ID.fullmatch(found[2])
        if named is None or not _ID_NAME.fullmatch(named[2]):
            slug = re.sub(r"[^a-z0-9]+", "-", found[2].lower()).strip("-").lstrip("0123456789-") or "step"
            hint = f"Write `## {found[2].partition('{')[0].strip()} {{#{slug}}}`."
            raise LessonError(line, "a step needs an id of lowercase letters, digits and hyphens", hint)
        if named[2] == INTRODUCTION:
            hint = "Give the step another id; the introduction is the text before the first step."
            raise LessonError(line, f"the id `{INTRODUCTION}` belongs to the introduction", hint)
        if named[2] in self._ids:
            raise LessonError(line, f"two steps have the id `{named[2]}`")
        self._ids.add(named[2])
        return named[2], named[1], line

    def _line(self, line: int, text: str, numbered: _Lines) -> None:
        if numbered.is_code or not text.startswith("::"):
            self._text_line = self._text_line if self._text else line
            self._text.append(text)
            return
        try:
            if text.startswith(":::"):
                self._container(line, text, numbered)
            else:
                self._leaf(line, text)
        except LessonError as error:
            self.errors.append(error)

    def _container(self, line: int, text: str, numbered: _Lines) -> None:
        found = _CONTAINER.fullmatch(text.rstrip())
        if found is None:
            raise LessonError(
                line, "`:::` ends nothing here", "`:::ask …`, `:::change …` and `:::note` begin."
            )
        body = numbered.until_end(line, found[1])
        self._end_text()
        if found[1] not in CONTAINERS:
            raise LessonError(line, f"there is no `:::{found[1]}`", nearest(found[1], CONTAINERS))
        rest, content = found[2].strip(), Body(line, tuple(body))
        if found[1] == "note":
            self._blocks.append(self.directives.note(rest, content))
        elif found[1] == "ask":
            self._blocks.append(self.directives.ask(rest, content))
        else:
            if any(isinstance(block, Change) for block in self._blocks):
                raise LessonError(line, "a step can have only one exercise", "Begin another step.")
            self._blocks.append(self.directives.change(rest, content))

    def _leaf(self, line: int, text: str) -> None:
        found = _LEAF.fullmatch(text.rstrip())
        if found is None or found[1] != "look":
            hint = "`:::ask`, `:::change` and `:::note` have three colons." if found else None
            raise LessonError(
                line, f"`{text.split(maxsplit=1)[0]:.40}` is not a directive", hint or "There is `::look`."
            )
        self._end_text()
        self._blocks.append(self.directives.look(found[2], line))

    def _end_text(self) -> None:
        source = "\n".join(self._text)
        if source.strip():
            self._blocks.append(Text(self._text_line, source, self.directives.program))
        self._text = []


class _Lines:
    """The numbered lines of a text; `is_code`: whether the last one is in a code block."""

    def __init__(self, lines: Sequence[str], first: int) -> None:
        self._lines, self._at, self._fence = lines, first - 1, ""
        self.is_code = False

    def __iter__(self) -> Iterator[tuple[int, str]]:
        while self._at < len(self._lines):
            yield self._take()

    def _take(self) -> tuple[int, str]:
        text = self._lines[self._at]
        self._at += 1
        fence = _FENCE.match(text)
        self.is_code = bool(self._fence) or fence is not None
        if fence is not None and not self._fence:
            self._fence = fence[1]
        elif self._fence and text.strip().startswith(self._fence) and not text.strip().strip(self._fence[0]):
            self._fence = ""
        return self._at, text

    def until_end(self, line: int, name: str) -> Iterator[tuple[int, str]]:
        """The lines up to the closing `:::`."""
        found: list[tuple[int, str]] = []
        while self._at < len(self._lines):
            number, text = self._take()
            if not self.is_code and text.startswith(":::"):
                if text.strip() != ":::":
                    raise LessonError(
                        number, f"this is inside the `:::{name}` of line {line}", "End that with `:::`."
                    )
                return iter(found)
            found.append((number, text))
        raise LessonError(line, f"`:::{name}` has no end", "Write a line `:::` after it.")
