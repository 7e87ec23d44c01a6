"""A lesson as one page: its texts, the results of its exercises, and the recordings of all its programs.

Links to pages of hloscope lead to a server, or are plain text.

The page is that of the first program's recording (`writing.py`). The n-th run, from the second on, is the part `run-n`, and
the parts of its table begin with `run-n-`; its recording is called `file-n`. The part `lessons` has the lesson in each of its
languages: static/js/core/one_file/file_source.js reads them.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.entry import find_entry

from ...runs.run import Run
from ...wire.lessons import ChangeResult, LessonInfo
from ...wire.sessions import InputSpec, SessionInfo
from .collecting import collect
from .page import page_bytes
from .session import NAME, Inputs, session_of
from .table import DEFAULT_BUDGET, Table, deflate, json_bytes
from .writing import add_reference, answered, extent_of

Program = tuple[str, Recording, Sequence[InputSpec | None]]
"""The name of a run, its recording, and the sources of its arguments."""


def lesson_page(
    programs: Sequence[Program],
    lessons: Mapping[str, LessonInfo],
    budget: int = DEFAULT_BUDGET,
    script: str = "",
) -> bytes:
    """The page of a lesson in all its languages; the first is shown at first.

    `script` runs before the page's code. `budget` is the maximum of compressed bytes for responses about all programs together, at least one. Raises
    `PageError`.
    """
    first, *others = (_session(number, program, len(programs)) for number, program in enumerate(programs, 1))
    tables = [_table(program, session, budget // len(programs)) for program, session in
              zip(programs, [first, *others], strict=True)]  # fmt: skip
    shown = next(iter(lessons.values()))
    titles = [title for session in (first, *others) for title in session["runs"]]
    session = {**first, "name": shown["title"], "runs": titles}
    parts = {
        "session": _packed(session), "sources": _packed({}), "arrays": _packed({}), **tables[0].parts(),
        "lessons": _packed(dict(lessons)),
    }  # fmt: skip
    for number, (other, table) in enumerate(zip(others, tables[1:], strict=True), 2):
        mark = f"run-{number}"
        parts |= {mark: _packed(other["run"])}
        parts |= {f"{mark}-{name}": data for name, data in table.parts().items()}
    summary = f"{shown['title']}: {shown['summary']} Opening …"
    return page_bytes(f"{shown['title']} · hloscope", summary, parts, script)


def _session(number: int, program: Program, of: int) -> SessionInfo:
    """The session of one program, with its run under its number among all."""
    name, recording, specs = program
    entry = find_entry(recording.program, recording.entry)
    session = session_of(recording, entry, specs, Inputs())
    run = session["run"]
    assert run is not None
    key = NAME if number == 1 else f"{NAME}-{number}"
    title = session["runs"][0] | {"number": number, "title": name if of > 1 else f"Run 1: @{run['entry']}"}
    return {**session, "run": {**run, "number": number, "key": key}, "runs": [title]}


def _table(program: Program, session: SessionInfo, budget: int) -> Table:
    table = answered(Run(NAME, program[1]), collect(extent_of(session), budget))
    add_reference(table)
    return table


def _packed(value: Any) -> bytes:
    return deflate(json_bytes(value))


_LINK = re.compile(r'<a href="(/[^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
HTML = ("html", "says_html", "right_html", "hints")
"""Keys with HTML values."""


def for_file(info: LessonInfo, server: str | None, results: Mapping[str, list[ChangeResult]]) -> LessonInfo:
    """The lesson with links for a file; `server` is a base URL without a final slash.

    `results`: of the choices of exercises, by the id of the exercise.
    """
    found = cast(LessonInfo, _adapted(info, server, ""))
    found["session"], found["server"] = "", server
    for block in (block for step in found["steps"] for block in step["blocks"]):
        if block["kind"] == "change" and block["id"] in results:
            block["results"] = results[block["id"]]
    return found


def _adapted(value: Any, server: str | None, key: str) -> Any:
    if isinstance(value, dict):
        return {name: _adapted(each, server, name) for name, each in value.items()}
    if isinstance(value, list):
        return [_adapted(each, server, key) for each in value]
    return _relinked(value, server) if key in HTML and isinstance(value, str) else value


def _relinked(html: str, server: str | None) -> str:
    if server is None:
        return _LINK.sub(r"\3", html)
    return _LINK.sub(
        lambda found: f'<a href="{server}{found[1]}" target="_blank" rel="noopener">{found[3]}</a>', html
    )
