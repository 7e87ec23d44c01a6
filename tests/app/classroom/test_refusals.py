"""What the server refuses, in the languages of lessons: a sentence for each kind of error that a page of a class can meet."""

from __future__ import annotations

import ast
from pathlib import Path

from hloscope.app.base.errors import over_limit
from hloscope.app.lessons.labels import LABELS, REFUSALS

CLASSROOM = Path(__file__).parents[3] / "app" / "classroom"
AT_THE_DOOR = {
    "ended", "full", "joins", "limit", "locked", "members", "moved", "owner", "stopped", "code", "guesses",
}  # fmt: skip
"""They close or refuse a connection, or come from the page that asks for a code: both have words of their own."""
OTHER_WORDS = {"answer"}
"""The page says by the kind of question what is no answer."""
OF_PROGRAMS = {"poll", "request", "not_found"}
"""Only clients that are no page send what these refuse."""
ELSEWHERE = {"token", "offline"}
"""Raised outside the classroom: by the guard, and by the page itself."""
MAKERS = {"ApiError": 1, "not_found": 1, "over_limit": 4}
"""The functions that make errors, with the place of the kind among their arguments."""


def _raised() -> dict[str, set[int]]:
    """The kinds of errors in the classroom, and how many parts each has."""
    found: dict[str, set[int]] = {}
    for path in CLASSROOM.glob("*.py"):
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
                continue
            if (place := MAKERS.get(call.func.id)) is None:
                continue
            kind = call.args[place] if place < len(call.args) else None
            named = "limit" if call.func.id == "over_limit" else "not_found"
            kind_name = kind.value if isinstance(kind, ast.Constant) else named
            parts = [each.value for each in call.keywords if each.arg == "parts"]
            count = len(parts[0].elts) if parts and isinstance(parts[0], ast.List) else len(parts)
            found.setdefault(str(kind_name), set()).add(1 if call.func.id == "over_limit" else count)
    return found


def test_every_refusal_that_a_page_meets_is_in_every_language() -> None:
    raised = _raised()
    assert raised.keys() >= AT_THE_DOOR | OTHER_WORDS | OF_PROGRAMS
    met = raised.keys() - AT_THE_DOOR - OTHER_WORDS - OF_PROGRAMS
    assert REFUSALS.keys() == LABELS.keys()
    for language, sentences in REFUSALS.items():
        assert sentences.keys() == met | ELSEWHERE, language
        for kind in met:
            assert raised[kind] == {sentences[kind].count("{}")}, (language, kind)


def test_a_limit_tells_its_value_apart() -> None:
    error = over_limit(429, "max_rooms", 1200, "This server has the maximum number of rooms.", "rooms")
    assert error.body()["error"] == {
        "message": "This server has the maximum number of rooms.",
        "kind": "rooms",
        "limit": "max_rooms",
        "hint": "The setting max_rooms is 1,200; /-/settings lists all of them.",
        "parts": ["1,200"],
    }
