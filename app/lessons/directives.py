"""Parse the directives of a lesson: `::look`, `:::ask`, `:::change`, `:::note`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import get_args

from ..wire.lessons import AskKind
from .attributes import PLACE, nearest, read_attributes, read_index, read_place, read_value, whole
from .front_matter import ReadFile, read_text
from .tree import Ask, Change, Choice, LessonError, Look, Option, Program, Replies, Text, Wrong

TABS = (
    *("program", "tensor", "index", "provenance", "grid", "queues", "op", "source", "variables", "steps"),
    *("findings", "frames"),
)
"""Panels that a lesson may open."""
KINDS: tuple[AskKind, ...] = get_args(AskKind)
_NEEDS: Mapping[str, Sequence[tuple[str, ...]]] = {
    "number": [("of",)],
    "choice": [()],
    "cell": [("of", "in"), ("in", "when")],
    "shape": [("of",)],
    "step": [("when",)],
}
"""For each kind of question, the sets of attributes, of which it requires one."""
_ITEM = re.compile(r"- (wrong|hint|right|option|vary)\b\s*(.*)")
_ANY_ITEM = re.compile(r"- (\w+)(?: [^:]{1,40})?:")
_ITEMS = ("wrong", "hint", "right", "option", "vary")
_SAID = re.compile(r"""(?:"([^"]*)"|'([^']*)'|([^:]*?))\s*:\s*(.*)""", re.DOTALL)
MOST_DIGITS = 15


@dataclass(frozen=True)
class Body:
    """The lines between the first and the last of a directive."""

    line: int
    lines: Sequence[tuple[int, str]]


@dataclass
class _Item:
    line: int
    word: str
    text: str


class Directives:
    """Parser of directives; `program` is the current one."""

    def __init__(self, programs: Mapping[str, Program], read: ReadFile) -> None:
        self.programs, self._read = programs, read
        self.program = next(iter(programs))

    def _choose(self, found: Mapping[str, str], line: int) -> str:
        name = found.get("program", self.program)
        if name not in self.programs:
            raise LessonError(line, f"the lesson has no program `{name:.60}`", nearest(name, self.programs))
        self.program = name
        return name

    def note(self, rest: str, body: Body) -> Text:
        """Parse an aside."""
        read_attributes(rest, body.line, "`:::note`", ())
        source = "\n".join(text for _, text in body.lines)
        if not source.strip():
            raise LessonError(body.line, "`:::note` says nothing")
        return Text(body.line, source, self.program, note=True)

    def look(self, rest: str, line: int) -> Look:
        """Parse a target to look at."""
        known = ("program", *PLACE, "tab", "value", "element", "playground", "label")
        found = read_attributes(rest, line, "`::look`", known)
        playground = found.get("playground")
        if playground is not None:
            if others := [name for name in found if name not in ("playground", "label")]:
                raise LessonError(line, f"a playground has no `{others[0]}`: it has no run")
            return Look(line, self.program, None, 0, None, None, None, playground, found.get("label"))
        if not found:
            raise LessonError(line, "`::look` does not say at what", 'Write at="%2" tab=tensor value="%2".')
        tab = found.get("tab")
        if tab is not None and tab not in TABS:
            raise LessonError(line, f"there is no tab `{tab:.40}`", nearest(tab, TABS))
        value, element = found.get("value"), found.get("element")
        if element is not None and value is None:
            raise LessonError(line, "`element` is of a value", 'Write value="%2" too.')
        return Look(
            line,
            self._choose(found, line),
            read_place(found, line),
            whole(found, "process", line) or 0,
            tab,
            None if value is None else read_value(value, line, "value"),
            None if element is None else read_index(element, line, "element"),
            None,
            found.get("label"),
        )

    def ask(self, rest: str, body: Body) -> Ask:
        """Parse a question."""
        line = body.line
        word, _, more = rest.partition(" ")
        kind = next((kind for kind in KINDS if kind == word), None)
        if kind is None:
            said = (
                f"there is no question of the kind `{word:.40}`"
                if word
                else "`:::ask` needs the kind of question"
            )
            raise LessonError(line, said, nearest(word, KINDS))
        found = read_attributes(more, line, f"`:::ask {kind}`", _known(kind))
        names = {name for name in found if name in ("of", "in", "when")}
        if all(names != set(needed) for needed in _NEEDS[kind]):
            ways = " or ".join(" and ".join(f'{name}="…"' for name in needed) for needed in _NEEDS[kind])
            raise LessonError(line, f"a question of the kind {kind} has {ways}")
        digits = whole(found, "digits", line, 1)
        if digits is not None and digits > MOST_DIGITS:
            raise LessonError(line, f"`digits` is at most {MOST_DIGITS}")
        program = self._choose(found, line)
        source, items = _parts(body)
        replies = _replies(items, kind)
        _check_replies(kind, source, replies, line)
        return Ask(
            line, kind, source, program, read_place(found, line), whole(found, "process", line) or 0, replies,
            found.get("of", ""), found.get("in", ""), found.get("when", ""), digits,
        )  # fmt: skip

    def change(self, rest: str, body: Body) -> Change:
        """Parse an exercise."""
        line = body.line
        found = read_attributes(rest, line, "`:::change`", CHANGE)
        for name, hint in (("passes", 'passes="%2[1,0] == 3"'), ("solution", "solution=solved.mlir")):
            if name not in found:
                raise LessonError(line, f"`:::change` has no `{name}`", f"Write {hint}.")
        if (returns := found.get("returns", "solution")) not in ("solution", "any"):
            raise LessonError(line, f'returns="{returns}" is neither "solution" nor "any"')
        program = self._choose(found, line)
        source, items = _parts(body)
        replies = _replies(items, "change")
        if not source.strip():
            raise LessonError(line, "the exercise has no text")
        return Change(
            line, source, program, found["passes"], found["solution"],
            read_text(found["solution"], line, self._read), whole(found, "process", line) or 0, replies,
            returns == "solution",
            tuple(found["further"].split(";")) if "further" in found else (),
        )  # fmt: skip


CHANGE = ("program", "passes", "solution", "process", "returns", "further")
"""The attributes of an exercise."""


def _known(kind: AskKind) -> tuple[str, ...]:
    names = dict.fromkeys(name for row in _NEEDS[kind] for name in row)
    place = ("process",) if kind == "step" else PLACE
    return (*names, "program", *place, *(("digits",) if kind == "number" else ()))


def _check_replies(kind: AskKind, source: str, replies: Replies, line: int) -> None:
    if not source.strip():
        raise LessonError(line, "the question has no text")
    if kind == "choice" and len(replies.options) < 2:
        raise LessonError(line, "a choice needs at least two options", 'Write `- option "%2[0] > 1": text`.')


def _parts(body: Body) -> tuple[str, list[_Item]]:
    """The text of a directive, and the items after it."""
    text: list[str] = []
    items: list[_Item] = []
    for line, content in body.lines:
        found = _ITEM.fullmatch(content.rstrip())
        if found is not None:
            items.append(_Item(line, found[1], found[2]))
        elif items and (content.startswith("  ") or not content.strip()):
            items[-1].text += f"\n{content[2:]}"
        elif items:
            otherwise = "Begin it with `- hint:`, or indent it by two spaces if it belongs to the item above."
            raise LessonError(
                line, "this text after the items is not an item", _misspelled(content) or otherwise
            )
        else:
            if hint := _misspelled(content):
                raise LessonError(line, f"`{content:.40}` is not an item", hint)
            text.append(content)
    return "\n".join(text), items


def _misspelled(content: str) -> str | None:
    """A hint if a line looks like a misspelled item."""
    found = _ANY_ITEM.match(content)
    near = get_close_matches(found[1], _ITEMS, 1, 0.7) if found else []
    return f"Did you mean `- {near[0]}`?" if near else None


def _replies(items: Sequence[_Item], kind: str) -> Replies:
    hints: list[str] = []
    right: list[str] = []
    wrong: list[Wrong] = []
    options: list[Option] = []
    choices: list[Choice] = []
    for item in items:
        said = _SAID.fullmatch(item.text.strip())
        if said is None:
            raise LessonError(item.line, f"`- {item.word}` has no colon", f"Write `- {item.word}: text`.")
        quoted: str | None = said[1] if said[1] is not None else said[2]
        value = str(quoted if quoted is not None else said[3] or "").strip()
        _check_item(item, kind, value, quoted is not None, said[4])
        match item.word:
            case "hint":
                hints.append(said[4])
            case "right":
                right.append(said[4])
            case "wrong":
                wrong.append(Wrong(item.line, value, quoted is not None, said[4]))
            case "vary":
                choices.append(Choice(item.line, value, tuple(each.strip() for each in said[4].split(" | "))))
            case _:
                option, _, says = said[4].partition(" | ")
                options.append(Option(item.line, value, option.strip(), says.strip()))
    if len(right) > 1:
        last = [item.line for item in items if item.word == "right"][-1]
        raise LessonError(last, "`- right:` stands once")
    return Replies(tuple(hints), "".join(right), tuple(wrong), tuple(options), tuple(choices))


def _check_item(item: _Item, kind: str, value: str, quoted: bool, text: str) -> None:
    if not text.strip():
        raise LessonError(item.line, f"`- {item.word}` says nothing")
    if item.word in ("hint", "right"):
        if value:
            raise LessonError(item.line, f"`- {item.word}` has no value", f"Write `- {item.word}: text`.")
        return
    if item.word == "option":
        if kind != "choice":
            raise LessonError(item.line, "only a choice has options", "Write `:::ask choice`.")
        if not quoted:
            hint = 'Write `- option "%2[0] == 1": text`: an expression that says when it is right.'
            raise LessonError(item.line, "an option needs an expression in quotes", hint)
        return
    if item.word == "vary":
        _check_vary(item, kind, value, quoted)
        return
    if kind == "choice":
        hint = "Write the explanation of an option after its text: `text | explanation`."
        raise LessonError(item.line, "a choice has options, and no `- wrong`", hint)
    if kind == "change":
        raise LessonError(item.line, "an exercise has no `- wrong`: its check is an expression")
    if not value:
        raise LessonError(item.line, "`- wrong` has no answer", "Write `- wrong 0: text`.")


def _check_vary(item: _Item, kind: str, value: str, quoted: bool) -> None:
    if kind != "change":
        raise LessonError(item.line, "only an exercise has `- vary`")
    if not quoted or not value:
        hint = 'Write `- vary "dims = [1]": dims = [0] | dims = [2]`.'
        raise LessonError(item.line, "`- vary` needs a part of the program in quotes", hint)
