"""`hloscope lesson check` beyond what a lesson needs to be shown: exercises, links, translations, how long it takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from hloscope.app.lessons import runs
from hloscope.app.lessons.check import check_files, count, link_problem
from hloscope.app.lessons.directives import TABS
from hloscope.app.lessons.markdown import count_words, to_html
from hloscope.app.lessons.sources import find_program, original_of, parse_source, read_source
from hloscope.app.lessons.tree import Program
from tests.app.lessons.texts import ASK, EVERY_KIND, HEAD, SETTINGS, STEP, report, write
from tests.each import for_each

CHANGE = ':::change passes="all(%1 == -%0)" solution=solved.mlir\nNegate.\n- hint: One op.\n:::\n'
ROOT = Path(__file__).parents[3]


def _errors(path: Path) -> list[str]:
    return [f"{each.message} | {each.hint}" for each in report(path).errors]


def test_a_lesson_with_every_kind_of_thing_is_well() -> None:
    found = report(EVERY_KIND)
    assert found.errors == []
    # This lesson is about parsing: it tells some answers.
    assert [each.message for each in found.warnings] == [
        *["line 23 shows %1 before the question about it"] * 3,
        "the text on line 64 tells the answer, false",
    ]
    assert found.counts is not None
    assert (found.counts.steps, found.counts.questions, found.counts.exercises) == (4, 9, 2)


EXERCISES = {
    "well": (CHANGE, None),
    "done before": (CHANGE.replace("all(%1 == -%0)", "%x[0,1] == 1"), "holds before anything is changed"),
    "not solved": (CHANGE.replace("-%0", "%0 + 1"), "the solution `solved.mlir` does not pass: Not yet"),
    "no truth": (
        CHANGE.replace("all(%1 == -%0)", "%1 == -%0"),
        "has more than one truth value: write all(…)",
    ),
    "no value": (CHANGE.replace("%1", "%7"), "the program has no value %7"),
    "another process": (CHANGE.replace("change ", "change process=1 "), "there is no process 1"),
}


@pytest.mark.parametrize(("change", "said"), EXERCISES.values(), ids=EXERCISES)
def test_an_exercise_fails_before_and_passes_after(tmp_path: Path, change: str, said: str | None) -> None:
    found = _errors(write(tmp_path, STEP + ASK + change))
    assert bool(found) == (said is not None), found
    assert said is None or any(said in each for each in found), found


CHOICES = {
    "well": ('- vary "sqrt": negate | abs\n', None),
    "not in the program": ('- vary "cosine": negate\n', "the program `roots.mlir` has no text `cosine`"),
    "twice": ('- vary "sqrt": negate | sqrt\n', "the variant `sqrt` occurs twice"),
    "none passes": ('- vary "sqrt": abs\n', "none of the programs that the choices make passes"),
    "too many": (
        "".join(
            f'- vary "{text}": {" | ".join(f"{text}{n}" for n in range(3))}\n'
            for text in ("%x, %x", "sqrt", "%0 :", "return")
        ),
        "the choices make 256 programs; an exercise can have 64",
    ),
    "one in the other": (
        '- vary "sqrt": negate\n- vary "negate": abs\n',
        "has no text `negate`",
    ),
    "one changes the other": (
        '- vary "add %x, %x": add %x, %0\n- vary "%0": %x\n- vary "sqrt": negate\n',
        "an earlier choice changes where `%0` stands",
    ),
    "no quotes": ("- vary sqrt: negate\n", "`- vary` needs a part of the program in quotes"),
    "says nothing": ('- vary "sqrt":\n', "`- vary` says nothing"),
}


@pytest.mark.parametrize(("choices", "said"), CHOICES.values(), ids=CHOICES)
def test_choices_are_parts_of_the_program_and_one_passes(
    tmp_path: Path, choices: str, said: str | None
) -> None:
    found = _errors(write(tmp_path, STEP + ASK + CHANGE.replace("Negate.\n", f"Negate.\n{choices}")))
    assert bool(found) == (said is not None), found
    assert said is None or any(said in each for each in found), found


def test_a_question_has_no_choices(tmp_path: Path) -> None:
    found = _errors(write(tmp_path, STEP + ASK.replace("- hint", '- vary "sqrt": abs\n- hint')))
    assert any("only an exercise has `- vary`" in each for each in found)


def test_a_solution_that_is_no_program_is_told(tmp_path: Path) -> None:
    path = write(tmp_path, STEP + CHANGE)
    (tmp_path / "solved.mlir").write_text("func.func @main() { return }}")
    (found,) = _errors(path)
    assert "does not pass: The program has errors" in found


LINKS = {
    "/help/glossary": True,
    "/help/lessons#ask": True,
    "/help/lessons#asking": False,
    "/help/nothing": False,
    "/help#tensor": True,
    "/help#tensors": False,
    "/ops/stablehlo.gather": True,
    "/ops/stablehlo.gathers": False,
    "/playground/gather": True,
    "/playground/gather?state=1": True,
    "/lessons/roots": True,
    "/lessons/root": False,
    "https://openxla.org": True,
    "elsewhere.html": False,
    "/s/view-1": False,
}


@for_each(("target", "leads"), LINKS.items(), ids=LINKS)
def test_links_lead_somewhere(target: str, leads: bool) -> None:
    assert (link_problem(target, {"roots"}) is None) == leads


def test_links_and_pictures_are_found_wherever_they_stand(tmp_path: Path) -> None:
    ask = ASK.replace("Twice.", "See [x](/help/no).").replace("That is", "[That](other.md) is")
    path = write(
        tmp_path,
        f"![](a.png)\n\n{STEP}{ask}:::note\n[y](/ops/no)\n:::\n",
        HEAD.replace("lang", "needs: [nope]\nlang"),
    )
    found = " ".join(_errors(path))
    assert "the picture `a.png` has no description" in found
    for target in ("/help/no", "/lessons/other", "/ops/no"):
        assert f"the link `{target}` leads nowhere" in found
    assert "`needs` names the lesson `nope`, which does not exist" in found


def test_no_reader_loads_a_picture_of_another_server(tmp_path: Path) -> None:
    (tmp_path / "dot.png").write_bytes(b"dot")
    ask = ASK.replace("Twice.", "![A dot](dot.png) ![Spy](//x.example/spy.png)")
    path = write(tmp_path, f"![Far away](https://x.example/far.png)\n\n{STEP}{ask}")
    found = _errors(path)
    assert [error.partition(" | ")[0] for error in found] == [
        f"the picture `{target}` is on another server and is left out: save it beside the lesson and name its file"
        for target in ("https://x.example/far.png", "//x.example/spy.png")
    ]
    near, far = (
        to_html("![A dot](dot.png)", 1, str, {"dot.png": "data:image/png;base64,"}),
        to_html("![<](//x.example/a.png)", 1, str),
    )
    assert near == '<p><img src="data:image/png;base64," alt="A dot" /></p>'
    assert far == "<p>&lt; (picture left out: //x.example/a.png)</p>"


def test_a_playground_is_of_an_op(tmp_path: Path) -> None:
    found = _errors(write(tmp_path, STEP + "::look playground=gathr\n" + ASK))
    assert found == ["there is no playground of `gathr` | None"]


def test_what_a_student_would_miss_is_warned_of(tmp_path: Path) -> None:
    bare = ':::ask number of="%0[1,2]"\nWhat?\n:::\n'
    choice = ':::ask choice\nWhich?\n- option "true": a\n- option "false": b | no\n:::\n'
    found = report(write(tmp_path, STEP + bare + choice + CHANGE.replace("- hint: One op.\n", "")))
    assert found.errors == []
    told = [warning.message for warning in found.warnings]
    assert told == [
        "`minutes` is 1, but the lesson takes about 3",
        "the right answer has no explanation",
        "the question has no hint",
        "this option has no explanation",
        "the exercise has no hint",
    ]


def test_how_long_it_takes_follows_from_words_questions_and_exercises(tmp_path: Path) -> None:
    words = "word " * 400
    path = write(tmp_path, f"{words}\n\n```text\n{words}\n```\n{STEP}{CHANGE}" + ASK * 2)
    counts = count(parse_source(read_source(path)))
    assert counts.minutes == pytest.approx((400 + 1 + 2 * 3) / 200 + 2 * 0.5 + 1.5)


def test_words_are_those_that_one_reads() -> None:
    assert count_words("A [link](https://a.b/c) and `%0[1, 2]`, *twice*.") == 7


# Translations.


def _translated(
    folder: Path, body: str, head: str = "---\ntitle: Wurzeln\nsummary: W.\nlang: de\n---\n"
) -> Path:
    original = write(folder / "texts" / "en")
    (folder / "texts" / "de").mkdir(exist_ok=True)
    (folder / "texts" / "de" / original.name).write_text(head + body, "utf-8")
    return original


def test_a_translation_has_other_words_alone(tmp_path: Path) -> None:
    german = STEP.replace("One", "Eins") + ASK.replace("What is it?", "Was ist das?").replace(
        "Twice", "Zweimal"
    )
    original = _translated(tmp_path, "Willkommen.\n" + german)
    first, second = check_files(original, SETTINGS)
    assert (first.errors, second.errors) == ([], [])
    assert first.info is not None
    assert second.info is not None
    assert second.info["steps"][0]["title"] == "Eins"
    assert first.info["languages"] == second.info["languages"] == ["en", "de"]
    assert first.info["version"] == second.info["version"]
    assert first.info.get("labels") is None
    assert second.info["labels"]["here"] == "Hier"
    assert [each.lesson for each in check_files(tmp_path / "texts" / "de" / "roots.md", SETTINGS)] == [
        second.lesson
    ]


def test_a_translation_may_link_to_a_lesson_that_has_none(tmp_path: Path) -> None:
    link = "[Anderes](/lessons/other)\n"
    original = _translated(tmp_path, link + STEP + ASK)
    (original.parent / "other.md").write_text("", "utf-8")
    (report,) = check_files(tmp_path / "texts" / "de" / original.name, SETTINGS)
    assert report.errors == []


DIFFERENT = {
    "another id": (STEP.replace("#one", "#eins") + ASK, "the steps are eins, but in the original one"),
    "a step more": (STEP + ASK + "## Two {#two}\n", "the steps are one, two, but in the original one"),
    "another question": (
        STEP + ASK.replace("%0[1,2]", "%0[1,1]"),
        "differs from the original beyond its text",
    ),
    "another wrong answer": (
        STEP + ASK.replace("wrong 5", "wrong 6"),
        "differs from the original beyond its text",
    ),
    "a hint less": (
        STEP + ASK.replace("- hint: Twice.\n", ""),
        "differs from the original beyond its text",
    ),
    "a question less": (STEP + "Nichts.\n", "the original has 1 directives here, but the translation 0"),
}


@pytest.mark.parametrize(("body", "said"), DIFFERENT.values(), ids=DIFFERENT)
def test_a_translation_asks_the_same(tmp_path: Path, body: str, said: str) -> None:
    original = _translated(tmp_path, body)
    first, second = check_files(original, SETTINGS)
    assert first.errors == []
    assert any(said in error.message for error in second.errors), second.errors


def test_a_translation_that_states_other_programs_is_wrong(tmp_path: Path) -> None:
    original = _translated(tmp_path, STEP + ASK, HEAD.replace("lang: en", "lang: de").replace("iota", "ones"))
    _, second = check_files(original, SETTINGS)
    assert [error.message for error in second.errors] == ["the programs differ from the original's"]


def test_a_folder_with_a_short_name_is_no_language(tmp_path: Path) -> None:
    path = write(tmp_path / "abc")
    write(tmp_path)
    assert original_of(path) is None
    assert read_source(path)["languages"] == ["en"]


def test_programs_lie_beside_a_lesson_or_in_a_folder_of_programs(tmp_path: Path) -> None:
    lesson = tmp_path / "texts" / "en" / "a.md"
    for folder in (
        tmp_path / "programs",
        tmp_path / "texts" / "programs",
        lesson.parent / "programs",
        lesson.parent,
    ):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "a.mlir").write_text("")
        assert find_program(lesson, "a.mlir") == folder / "a.mlir"
    for name in ("../../a.mlir", "/etc/hosts"):
        with pytest.raises(FileNotFoundError):
            find_program(lesson, name)


def test_the_tabs_of_lessons_are_panels() -> None:
    features = ROOT / "static" / "js" / "features"
    panels = "".join(path.read_text() for path in features.rglob("panel.js"))
    assert [tab for tab in TABS if f'id: "{tab}"' not in panels] == []


def test_each_program_is_recorded_once_for_all_questions_exercises_and_translations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded: list[tuple[str, object]] = []
    once = runs._record

    def record(program: Program, bounds: runs.Bounds, text: str) -> runs.Recorded:
        recorded.append((text, bounds))
        return once(program, bounds, text)

    monkeypatch.setattr(runs, "_record", record)
    change = ':::change passes="all(%1 < 1)" solution=solved.mlir\nLess.\n- hint: h\n:::\n'
    path = write(tmp_path, STEP + ASK + change)
    (tmp_path / "de").mkdir()
    (tmp_path / "de" / path.name).write_text(path.read_text().replace("lang: en", "lang: de"))
    assert [each.errors for each in check_files(path, SETTINGS)] == [[], []]
    assert (
        len(recorded) == len(set(recorded)) == 3
    )  # the lesson's program for readers and for trials, and the solution
