"""The choices of exercises: what a saved page has of each combination is what the server answers."""

from __future__ import annotations

from pathlib import Path

from hloscope.app.export.one_file.lesson_page import for_file
from hloscope.app.lessons.choices import chosen_programs, lines_with, results_of_choices
from hloscope.app.lessons.runs import Bounds
from hloscope.app.lessons.shipped import shipped_files
from hloscope.app.lessons.sources import parse_source, read_source
from hloscope.app.lessons.tree import Choice
from tests.app.lessons.texts import ASK, SETTINGS, STEP, resolved, write

BOUNDS = Bounds.of_trial(SETTINGS)
CHANGE = """\
:::change passes="all(%1 == -%0)" solution=solved.mlir
Negate.
- vary "sqrt": abs | negate
- vary "add": multiply
- hint: One op.
:::
"""


def test_the_last_choice_varies_fastest() -> None:
    choices = (Choice(1, "a", ("b",)), Choice(1, "x", ("y", "z")))
    assert [*chosen_programs("ax a", choices)] == ["ax a", "ay a", "az a", "bx b", "by b", "bz b"]


def test_lines_are_those_where_a_text_begins() -> None:
    assert lines_with("a b\nb\n\nb a", "b") == [1, 2, 4]
    assert lines_with("a", "b") == []


def test_a_saved_lesson_has_the_verdict_of_each_combination(tmp_path: Path) -> None:
    path = write(tmp_path, STEP + ASK + CHANGE)
    results = results_of_choices(parse_source(read_source(path)), BOUNDS)
    info = for_file(resolved(path).info, None, results)
    (block,) = (block for step in info["steps"] for block in step["blocks"] if block["kind"] == "change")
    assert [choice["variants"] for choice in block["choices"]] == [
        ["sqrt", "abs", "negate"],
        ["add", "multiply"],
    ]
    assert [choice["lines"] for choice in block["choices"]] == [[3], [2]]
    # `multiply` passes the check, but returns something other than the solution.
    assert [result["passed"] for result in block["results"]] == [False] * 4 + [True, False]
    wrong = block["results"][0]["returned"][0]
    assert wrong["expected"] is not None
    assert wrong["given"]["elements"][1] == "1.4142135"
    assert wrong["expected"]["elements"][1] == "-2"
    assert wrong["differs"] == [1, 2, 3, 4, 5]


def test_one_combination_of_each_shipped_lesson_passes_and_the_original_does_not() -> None:
    for path in shipped_files():
        for found in results_of_choices(parse_source(read_source(path)), BOUNDS).values():
            assert not found[0]["passed"], path
            assert sum(result["passed"] for result in found) == 1, path
