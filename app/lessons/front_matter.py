"""The front matter of a lesson's file: YAML between two lines `---`."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from .attributes import nearest
from .tree import Front, Lesson, LessonError, Program

FIELDS = ("title", "summary", "minutes", "order", "group", "needs", "lang", "programs")
PROGRAM_FIELDS = ("file", "inputs", "grid", "entry")
_GRID = re.compile(r"(\d{1,5})\s*[x×]\s*(\d{1,5})")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})?")
_NAME = re.compile(r"[A-Za-z][\w-]*")
ReadFile = Callable[[str], str]
"""Reads a program's file by its name in the lesson; raises `FileNotFoundError`."""


@dataclass(frozen=True)
class Head:
    """The front matter, and the first line of the text."""

    front: Front
    programs: Mapping[str, Program]
    first_line: int


def read_head(text: str, read: ReadFile, original: Lesson | None) -> Head:
    """Parse the front matter; a translation omits the fields of `original`. `LessonError`."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        raise LessonError(
            1, "a lesson must begin with a line `---`", "`hloscope lesson new NAME` writes a complete lesson."
        )
    end = next((number for number, line in enumerate(lines) if number and line.rstrip() == "---"), None)
    if end is None:
        raise LessonError(1, "the `---` of the first line has no second `---`")
    found, places = _yaml("\n".join(lines[1:end]))
    for name in found:
        if name not in FIELDS:
            raise LessonError(places[name], f"a lesson has no field `{name}`", nearest(str(name), FIELDS))
    programs = _programs(found, places, read) if "programs" in found else None
    front = _front(found, places, original)
    return Head(front, _chosen(programs, original, places), end + 2)


def _yaml(text: str) -> tuple[dict[str, Any], dict[str, int]]:
    """The fields, and the line of each in the file."""
    try:
        found = yaml.safe_load(text)
        node = yaml.compose(text, yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        said = " ".join(str(part) for part in (error.context, error.problem) if part)
        hint = "Put quotes around a text with a colon."
        raise LessonError(mark.line + 2 if mark else 2, f"this is not YAML: {said}", hint) from None
    if not isinstance(found, dict) or not isinstance(node, yaml.MappingNode):
        raise LessonError(2, "a lesson begins with fields, such as `title: Gather from zero`")
    return found, {key.value: key.start_mark.line + 2 for key, _ in node.value}


def _front(found: Mapping[str, Any], places: Mapping[str, int], original: Lesson | None) -> Front:
    old = original.front if original else None
    for name in ("title", "summary", "lang"):
        if name not in found:
            raise LessonError(1, f"the lesson has no `{name}`", f"Write a line `{name}: …` at the top.")
    language = _text(found, places, "lang")
    if not _LANGUAGE.fullmatch(language):
        raise LessonError(places["lang"], f"`lang` must be a language such as en or de, not `{language:.40}`")
    for name in ("minutes", "order", "needs"):
        if old is not None and name in found and _plain(found[name]) != _plain(getattr(old, name)):
            raise LessonError(places[name], f"`{name}` differs from the original's", "Leave it out here.")
    if old is None and "minutes" not in found:
        raise LessonError(
            1, "the lesson has no `minutes`", "`hloscope lesson check` estimates the reading time."
        )
    return Front(
        _text(found, places, "title"),
        _text(found, places, "summary"),
        language,
        old.minutes if old else _number(found, places, "minutes") or 0,
        old.order if old else _number(found, places, "order"),
        _text(found, places, "group") if "group" in found else old.group if old else None,
        old.needs if old else _needs(found, places),
        places,
    )


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _text(found: Mapping[str, Any], places: Mapping[str, int], name: str) -> str:
    value = found[name]
    if isinstance(value, bool | list | dict) or value is None or not str(value).strip():
        hint = "Add quotes: no is a truth value in YAML." if isinstance(value, bool) else None
        raise LessonError(places[name], f"`{name}` is a text", hint)
    return str(value).strip()


def _number(found: Mapping[str, Any], places: Mapping[str, int], name: str) -> int | None:
    value = found.get(name)
    if value is None and name not in found:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value < 1000:
        raise LessonError(places[name], f"`{name}` is a whole number from 1 to 999, not `{value!s:.40}`")
    return value


def _needs(found: Mapping[str, Any], places: Mapping[str, int]) -> tuple[str, ...]:
    value = found.get("needs", [])
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise LessonError(places["needs"], "`needs` must be a list of lesson names", "Write [broadcasting].")
    return tuple(value)


def _chosen(
    own: Mapping[str, Program] | None, original: Lesson | None, places: Mapping[str, int]
) -> Mapping[str, Program]:
    """The programs of the file, or of the original; a translation may not change their meaning."""
    if original is None:
        return own or {}
    if own is not None and [_key(program) for program in own.values()] != [
        _key(program) for program in original.programs.values()
    ]:
        raise LessonError(
            places["programs"], "the programs differ from the original's", "Leave `programs` out."
        )
    return original.programs


def _key(program: Program) -> tuple[Any, ...]:
    return program.key, program.text, program.inputs, program.grid, program.entry


def _programs(found: Mapping[str, Any], places: Mapping[str, int], read: ReadFile) -> dict[str, Program]:
    line, value = places["programs"], found["programs"]
    if not isinstance(value, dict):
        raise LessonError(
            line, "`programs` has a line for each", "Write `gather: {file: gather.mlir}` below."
        )
    return {
        str(key): _program(str(key), number, given, line + number, read)
        for number, (key, given) in enumerate(value.items(), 1)
    }


def _program(key: str, number: int, given: Any, line: int, read: ReadFile) -> Program:
    if not _NAME.fullmatch(key):
        raise LessonError(
            line, f"a program's name has letters, digits, - and _, starting with a letter, unlike `{key:.40}`"
        )
    given = {"file": given} if isinstance(given, str) else given
    if not isinstance(given, dict) or not isinstance(given.get("file"), str):
        raise LessonError(line, f"the program `{key}` has no file", f"Write `{key}: {{file: {key}.mlir}}`.")
    for name in given:
        if name not in PROGRAM_FIELDS:
            raise LessonError(line, f"a program has no `{name}`", nearest(str(name), PROGRAM_FIELDS))
    entry = given.get("entry")
    if entry is not None and not isinstance(entry, str):
        raise LessonError(line, "`entry` is the name of a function")
    return Program(
        key,
        number,
        given["file"],
        read_text(given["file"], line, read),
        _inputs(given.get("inputs", []), line),
        _grid(given.get("grid"), line),
        entry.removeprefix("@") if entry else None,
        line,
    )


def read_text(file: str, line: int, read: ReadFile) -> str:
    """The text of a program's file; `LessonError` if it cannot be read."""
    try:
        return read(file)
    except FileNotFoundError:
        hint = "Put it beside the lesson, or in the folder `programs` beside the lesson's folder."
        raise LessonError(line, f"there is no file `{file:.200}`", hint) from None
    except (OSError, UnicodeDecodeError) as error:
        raise LessonError(line, f"`{file:.200}` cannot be read: {error}") from None


def _inputs(given: Any, line: int) -> tuple[str, ...]:
    values: Sequence[Any] = given if isinstance(given, list) else [given]
    if isinstance(given, dict):
        values = [f"{name}={value}" for name, value in given.items()]
    for value in values:
        if not isinstance(value, str | int | float | list):
            raise LessonError(
                line, f"an input must be a text such as iota or [[0], [9]], not `{value!s:.60}`"
            )
    return tuple(str(value).lower() if isinstance(value, bool) else str(value) for value in values)


def _grid(given: Any, line: int) -> tuple[int, int] | None:
    if given is None:
        return None
    found = _GRID.fullmatch(str(given).strip())
    if found is None or 0 in (sizes := (int(found[1]), int(found[2]))):
        raise LessonError(
            line,
            f"`grid` must be replicas times partitions, such as 1x4, not `{given!s:.40}`",
            "Write grid: 1x4.",
        )
    return sizes
