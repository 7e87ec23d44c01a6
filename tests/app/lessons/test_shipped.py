"""Every lesson that comes with hloscope: checked, and each of its questions answered, rightly and wrongly, as the page judges."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hloscope.app.lessons.changes import check_change
from hloscope.app.lessons.check import Report, check_files
from hloscope.app.lessons.runs import Bounds, record
from hloscope.app.lessons.shipped import Shelf, shipped_files
from hloscope.app.lessons.tree import Change, Lesson, Look
from hloscope.engine.ops.core.op import Array
from tests.app.lessons.texts import EVERY_KIND, SETTINGS
from tests.app.present.test_index_map_evaluation import node

WALK = Path(__file__).parents[2] / "js" / "walk_lessons.mjs"
SHORTEST, LONGEST = 5, 15
"""Minutes that a lesson takes."""
PICTURES = ("tensor", "index", "provenance", "grid", "queues")
SUBJECTS = {
    "reading-a-program", "shapes-and-broadcasting", "dot-general", "transposes-reshapes-layouts", "gather-from-zero",
    "gather-in-the-wild", "scatter-from-zero", "reductions-and-windows", "convolution-as-windows", "loops-and-scan",
    "where-bf16-loses-it", "finding-a-nan", "what-fusion-did", "index-maps-as-formulas", "all-reduce-and-friends",
    "sharding-an-mlp", "ring-attention", "a-deadlock-and-its-cure",
    "sorting-and-top-k", "the-kv-cache", "vmap-and-batching", "reading-a-gradient", "random-keys", "narrow-formats",
    "a-pass-too-many",
}  # fmt: skip


@pytest.fixture(scope="module")
def reports() -> list[Report]:
    """What the check says of all lessons in all languages."""
    known = {path.stem for path in shipped_files()}
    return [report for path in shipped_files() for report in check_files(path, SETTINGS, known)]


def test_nothing_is_wrong_with_any(reports: list[Report]) -> None:
    assert len(reports) >= len(shipped_files()) > 0
    told = [f"{report.file}:{each.line}: {each.message}" for report in reports for each in report.errors]
    told += [f"{report.file}:{each.line}: {each.message}" for report in reports for each in report.warnings]
    assert told == []


def test_each_has_what_a_lesson_needs(reports: list[Report]) -> None:
    for report in reports:
        assert report.counts is not None
        assert report.lesson is not None
        assert report.counts.questions >= 2, report.file  # one is asked before it is seen, one afterwards
        assert report.counts.exercises >= 1, report.file
        for minutes in (report.lesson.front.minutes, report.counts.minutes):
            assert SHORTEST <= minutes <= LONGEST, report.file
        looks = [block for block in report.lesson.blocks if isinstance(block, Look)]
        assert any(look.tab in PICTURES or look.playground for look in looks), report.file


def test_all_subjects_of_a_course_are_there() -> None:
    assert {title["name"] for title in Shelf().titles(None)} >= SUBJECTS


def test_one_reads_first_what_a_lesson_needs() -> None:
    names: list[str] = []
    for title in Shelf().titles(None):
        assert set(title["needs"]) <= set(names), title["name"]
        names.append(title["name"])
    assert len(names) == len(shipped_files())


def _walked(lessons: list[Any]) -> Any:
    done = subprocess.run(
        [node(), str(WALK)],
        input=json.dumps(lessons),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_question_is_judged_as_it_should_be(reports: list[Report]) -> None:
    lessons = [report.info for report in [*reports, *check_files(EVERY_KIND, SETTINGS)]]
    found = _walked(lessons)
    assert found["failures"] == []
    questions = sum(report.counts.questions for report in reports if report.counts)
    assert found["judged"] > 3 * questions


RETURN = re.compile(r"^ *return .* : (.*)$", re.MULTILINE)
ROOT = re.compile(r"^ *ROOT (%\S+ = (\S+) .*)$", re.MULTILINE)


def with_constants(text: str, results: tuple[Array, ...]) -> str:
    """The program with constants as its results, in place of what it computes."""
    if (found := RETURN.search(text)) is None:
        *_, root = ROOT.finditer(text)  # of the entry computation, which comes last
        elements = str(results[0].tolist()).replace("[", "{").replace("]", "}")
        return text.replace(root[0], f"{root[1]}\n  ROOT %told = {root[2]} constant({elements})")
    types = re.findall(r"tensor<[^>]*>", found[1])
    names = [f"%told{number}" for number in range(len(results))]
    lines = [
        f"{name} = stablehlo.constant dense<{array.tolist()}> : {type}\n"
        for name, array, type in zip(names, results, types, strict=True)
    ]
    returned = f"{''.join(lines)}return {', '.join(names)} : {found[1]}"
    return text.replace(found[0], returned)


def test_no_exercise_passes_whose_results_are_constants(reports: list[Report]) -> None:
    for report in reports:
        assert report.lesson is not None
        for change in [block for block in report.lesson.blocks if isinstance(block, Change)]:
            assert _passes_by_constants(report.lesson, change) is False, (report.file, change.line)


def _passes_by_constants(lesson: Lesson, change: Change) -> bool:
    program, bounds = lesson.programs[change.program], Bounds.of_lesson(SETTINGS)
    solved = record(program, bounds, change.solution_text).recording
    assert solved is not None
    results = solved.results()
    assert results is not None
    text = with_constants(change.solution_text, results)
    return check_change(program, text, change, bounds)["passed"]


def test_the_walk_finds_what_is_wrong(reports: list[Report]) -> None:
    lesson: Any = json.loads(json.dumps(check_files(EVERY_KIND, SETTINGS)[0].info))
    ask = next(block for block in lesson["steps"][0]["blocks"] if block["kind"] == "ask")
    ask["wrong"].append({"value": ask["truth"], "html": "never said"})
    assert _walked([lesson])["failures"] == [
        "every-kind, window.1, 1.8000001: right is true",
        'every-kind, window.1, 1.8000001: html is ""',
    ]


def test_a_value_that_all_processes_have_is_hidden_in_each(reports: list[Report]) -> None:
    lesson: Any = next(report.info for report in reports if "all-reduce-and-friends" in report.file)
    (ask,) = [block for step in lesson["steps"] for block in step["blocks"] if block.get("id") == "grid.1"]
    assert {hidden["process"] for hidden in ask["hides"]} == {0, 1, 2, 3}
