"""What `hloscope lesson check` warns of: each kind of leak, planted into a lesson that has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from hloscope.app.lessons.leaks import numbers_in
from tests.app.lessons.texts import ASK, HEAD, STEP, report, write

SHAPE = '## One {#one}\n:::ask shape of="%1"\nWhich shape?\n- hint: h\n- right: r\n:::\n'
SUMS = ASK.replace("%0[1,2]", "%1[1,2]")
TWO = "## Two {#two}\n"


def _leaks(folder: Path, body: str, program: tuple[str, str] = ("", ""), head: str = HEAD) -> list[str]:
    """The warnings about leaks; `program`: a part of the program, and what takes its place."""
    path = write(folder, body, head)
    text = (folder / "roots.mlir").read_text()
    (folder / "roots.mlir").write_text(text.replace(*program) if program[0] else text)
    found = report(path)
    assert found.errors == []
    words = ("tells", "shows", "opens")
    return [each.message for each in found.warnings if any(word in each.message for word in words)]


def test_a_sound_lesson_has_none(tmp_path: Path) -> None:
    looks = '::look at="before %0" tab=tensor value="%x"\n\n'
    later = '\n::look at="%0" tab=index value="%0"\n'
    assert _leaks(tmp_path, STEP + looks + ASK + later + TWO + "The table has 2 rows.\n") == []


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (STEP + "All become 10 here.\n" + ASK, "the text on line 10 tells the answer, 10"),
        (STEP + ASK + "So 1e1 it is.\n", "tells the answer, 10"),
        (STEP + ASK + '::look at="end" label="where the 10 is"\n', "tells the answer"),
        (STEP.replace("One", "The 10 in it") + ASK, "the title of the step tells the answer, 10"),
        (TWO + "At last there is 10.\n" + STEP + ASK, "of the previous step tells the answer"),
        (STEP + ASK + TWO + "That was 10.\n", "of the next step tells the answer"),
        (TWO + ASK.replace("0[1,2]", "0[1,1]").replace("Ten", "Next to 10") + STEP + ASK, "of the previous step"),
        (STEP + "It comes to {{ %0[1,2] }}.\n" + ASK, "the text on line 10 tells the answer, 10"),
        (STEP + '::look at="%0" value="%0"\n\n' + ASK, "line 10 shows %0 before the question"),
        (TWO + '::look at="%0" value="%0"\n' + STEP + ASK, "line 10 shows %0 before the question"),
        (STEP + "The root has the type `tensor<2x3xf32>`.\n" + SHAPE.split("\n", 1)[1], "tells the answer, 2x3"),
        (STEP + "`%1` is (2, 3).\n" + SHAPE.split("\n", 1)[1], "tells the answer, 2x3"),
    ],
)  # fmt: skip
def test_each_kind_in_the_texts_is_found(tmp_path: Path, body: str, told: str) -> None:
    found = _leaks(tmp_path, body)
    assert any(told in each for each in found), found


def test_a_name_tells_a_number_or_a_shape(tmp_path: Path) -> None:
    asked = STEP + ASK.replace("%0[", "%sum_10[")
    assert _leaks(tmp_path, asked, ("%0", "%sum_10")) == ["the name %sum_10 tells the answer, 10"]
    asked = SHAPE.replace("%1", "%root_2x3")
    assert _leaks(tmp_path, asked, ("%1", "%root_2x3")) == ["the name %root_2x3 tells the answer, 2x3"]


def test_another_value_contains_the_answer(tmp_path: Path) -> None:
    head = HEAD.replace("iota", '"[[111, 222, 333], [444, 555, 666]]"')
    twin = (
        "%1 = stablehlo.sqrt %0",
        "%more = stablehlo.add %x, %x : tensor<2x3xf32>\n  %1 = stablehlo.add %x, %x",
    )
    asked = STEP + SUMS.replace("Ten", "Much")
    assert _leaks(tmp_path, asked, twin, head) == [
        "%0, which the page shows, contains the answer too, 1332",
        "%more, which the page shows, contains the answer too, 1332",
    ]
    made = ("%1 = stablehlo.sqrt %0", "%1 = stablehlo.negate %0")
    assert _leaks(tmp_path / "made", asked, made, head) == []


def test_findings_are_opened_before_the_question(tmp_path: Path) -> None:
    head = HEAD.replace("iota", '"[[0, 1, 2], [3, 4, -1]]"')
    body = STEP + '::look at="end" tab=findings\n' + ASK.replace("%0", "%1").replace("Ten", "None")
    assert _leaks(tmp_path, body, head=head) == [
        "line 10 opens the findings, which are also about what is asked here"
    ]


def test_names_indices_and_what_only_counts_are_no_numbers() -> None:
    text = "Row 3 of %7[1, 2] and dimension 0, at step 12: 1,024 and -3.5e2, 2x3, %x.4 and NaN"
    assert numbers_in(text) == ["1,024", "-3.5e2", "NaN"]
    assert numbers_in("Zeile 3 und die Spalten 4 und 5, in Runde 0 von Bild 2: 7") == ["7"]
