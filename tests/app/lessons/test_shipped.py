"""Every lesson that comes with hloscope: checked, and each of its questions answered, rightly and wrongly, as the page judges."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hloscope.app.lessons.check import Report, check_files
from hloscope.app.lessons.labels import (
    EXERCISE,
    HANDOUT,
    JOIN,
    LABELS,
    PREFIX,
    REFUSALS,
    join_words,
    labels_of,
)
from hloscope.app.lessons.places import PLACES
from hloscope.app.lessons.shipped import Shelf, shipped_files
from hloscope.app.lessons.tree import Look
from tests.app.lessons.texts import EVERY_KIND, SETTINGS
from tests.app.present.test_index_map_evaluation import node

WALK = Path(__file__).parents[2] / "js" / "walk_lessons.mjs"
LABELS_FILE = Path(__file__).parents[3] / "static" / "js" / "features" / "lesson" / "words.js"
SHORTEST, LONGEST = 5, 15
"""Minutes that a lesson takes."""
PICTURES = ("tensor", "index", "provenance", "grid", "queues")
SUBJECTS = {
    "reading-a-program", "shapes-and-broadcasting", "dot-general", "transposes-reshapes-layouts", "gather-from-zero",
    "gather-in-the-wild", "scatter-from-zero", "reductions-and-windows", "convolution-as-windows", "loops-and-scan",
    "where-bf16-loses-it", "finding-a-nan", "what-fusion-did", "index-maps-as-formulas", "all-reduce-and-friends",
    "sharding-an-mlp", "ring-attention", "a-deadlock-and-its-cure",
    "sorting-and-top-k", "the-kv-cache", "vmap-and-batching", "reading-a-gradient", "random-keys", "narrow-formats",
    "a-pass-too-many", "tiles-and-memory-traffic", "shardy-and-gspmd", "jaxpr-lowering-and-caching",
    "from-fusion-to-kernel", "donation",
}  # fmt: skip


@pytest.fixture(scope="module")
def reports() -> list[Report]:
    """What the check says of all lessons in all languages."""
    known = {path.stem for path in shipped_files()}
    return [report for path in shipped_files() for report in check_files(path, SETTINGS, known)]


@pytest.mark.more
def test_nothing_is_wrong_with_any(reports: list[Report]) -> None:
    assert len(reports) >= len(shipped_files()) > 0
    told = [f"{report.file}:{each.line}: {each.message}" for report in reports for each in report.errors]
    told += [f"{report.file}:{each.line}: {each.message}" for report in reports for each in report.warnings]
    assert told == []


@pytest.mark.more
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


@pytest.mark.more
def test_every_lesson_is_in_every_language_of_the_panel(reports: list[Report]) -> None:
    for report in reports:
        assert report.info is not None
        assert set(report.info["languages"]) == {"en", *LABELS}, report.file


def test_the_list_has_the_same_order_and_groups_in_every_language() -> None:
    english = Shelf().titles(None)
    for language in LABELS:
        titles = Shelf().titles(language)
        assert [each["name"] for each in titles] == [each["name"] for each in english]
        pairs = {(one["group"], other["group"]) for one, other in zip(english, titles, strict=True)}
        assert len(pairs) == len({group for group, _ in pairs}) == len({group for _, group in pairs})


def test_every_label_is_in_every_language() -> None:
    script = f"import {{ ENGLISH }} from '{LABELS_FILE.as_uri()}'; console.log(JSON.stringify(ENGLISH))"
    done = subprocess.run(
        [node(), "--input-type=module", "-e", script], capture_output=True, text=True, timeout=120, check=True
    )
    english = {key: label.count("{}") for key, label in json.loads(done.stdout).items()}
    assert PLACES.keys() == {"en", *LABELS}
    for language in LABELS:
        labels = labels_of(f"{language}-XX")
        named = {key: label for key, label in labels.items() if not key.startswith(PREFIX)}
        assert _placeholders(named) == english, language
        assert len(labels) - len(named) == len(REFUSALS[language])
        for words in (HANDOUT, JOIN, EXERCISE):
            assert _placeholders(words[language]) == _placeholders(words["en"])
    french = [
        *labels_of("fr").values(),
        *HANDOUT["fr"].values(),
        *JOIN["fr"].values(),
        *EXERCISE["fr"].values(),
    ]
    assert [label for label in french if re.search(r"(?<!\u00a0)[:;?!»](?!\d)", label)] == []


def _placeholders(words: Mapping[str, str]) -> dict[str, int]:
    return {key: label.count("{}") for key, label in words.items()}


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("fr-CH, fr;q=0.9, en;q=0.8", "fr"),
        ("en;q=0.3, de-AT", "de"),
        ("ja, de;q=x, fr;q=0.1", "fr"),
    ],
)
def test_the_join_page_has_the_language_that_the_browser_prefers(accepted: str, language: str) -> None:
    assert join_words(accepted) == (language, JOIN[language])


def test_all_subjects_of_a_course_are_there() -> None:
    assert {title["name"] for title in Shelf().titles(None)} >= SUBJECTS


def test_one_reads_first_what_a_lesson_needs() -> None:
    names: list[str] = []
    for title in Shelf().titles(None):
        assert set(title["needs"]) <= set(names), title["name"]
        names.append(title["name"])
    assert len(names) == len(shipped_files())


def test_a_lesson_names_those_around_it_by_their_titles() -> None:
    needs, after = Shelf().neighbours("shapes-and-broadcasting", None)
    assert [link["title"] for link in needs] == ["Reading a StableHLO program"]
    assert after == {
        "name": "dot-general",
        "title": "dot_general and its dimension numbers",
        "language": "en",
    }
    assert Shelf().neighbours("shardy-and-gspmd", None)[1] is None


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


@pytest.mark.more
def test_every_question_is_judged_as_it_should_be(reports: list[Report]) -> None:
    lessons = [report.info for report in [*reports, *check_files(EVERY_KIND, SETTINGS)]]
    found = _walked(lessons)
    assert found["failures"] == []
    questions = sum(report.counts.questions for report in reports if report.counts)
    assert found["judged"] > 3 * questions


@pytest.mark.more
def test_the_walk_finds_what_is_wrong(reports: list[Report]) -> None:
    lesson: Any = json.loads(json.dumps(check_files(EVERY_KIND, SETTINGS)[0].info))
    ask = next(block for block in lesson["steps"][0]["blocks"] if block["kind"] == "ask")
    ask["wrong"].append({"value": ask["truth"], "html": "never said"})
    assert _walked([lesson])["failures"] == [
        "every-kind, window.1, 1.8000001: right is true",
        'every-kind, window.1, 1.8000001: html is ""',
    ]


@pytest.mark.more
def test_a_value_that_all_processes_have_is_hidden_in_each(reports: list[Report]) -> None:
    lesson: Any = next(report.info for report in reports if "all-reduce-and-friends" in report.file)
    (ask,) = [block for step in lesson["steps"] for block in step["blocks"] if block.get("id") == "grid.1"]
    assert {hidden["process"] for hidden in ask["hides"]} == {0, 1, 2, 3}
