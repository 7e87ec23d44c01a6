"""Exercises: what is said to a program that a student has written."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hloscope.app.lessons.changes import check_change, returned_values
from hloscope.app.lessons.labels import ExerciseWords
from hloscope.app.lessons.runs import Bounds
from hloscope.app.lessons.tree import Change, Program, Replies
from tests.app.lessons.texts import PROGRAM, SETTINGS

BOUNDS = Bounds.of_trial(SETTINGS)
ROOTS = Program("roots", 1, "roots.mlir", PROGRAM, ("iota",), None, None, 1)


def exercise(passes: str, solution: str = PROGRAM) -> Change:
    return Change(1, "Change it.", "roots", passes, "solved.mlir", solution, 0, Replies())


FAILING = """\
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %1 = stablehlo.negate %x : tensor<2x3xf32>
  check.expect_eq %1, %x : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
"""
ENDLESS = """\
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %1 = stablehlo.while(%i = %x) : tensor<2x3xf32>
   cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    stablehlo.return %i : tensor<2x3xf32>
  }
  return %1 : tensor<2x3xf32>
}
"""
SAID = {
    "it passes": (PROGRAM, "%1[0,2] == 2", True, "Your program passes."),
    "not yet": (PROGRAM, "%1[0,2] == 3", False, "Not yet: the check is `%1[0,2] == 3`."),
    "no program": (PROGRAM.replace("sqrt", "sqr"), "%1[0,2] == 2", False, "The program has errors"),
    "a value less": (PROGRAM.replace("%1", "%root"), "%1[0,2] == 2", False, "the program has no value %1"),
    "another shape": (PROGRAM.replace("2x3", "3x2"), "%1[0,2] == 2", False, "cannot be computed"),
    "no end": (ENDLESS, "%1[0,2] == 2", False, "it is not at its end after 1,000 steps"),
    "it runs": (PROGRAM, "runs and %1[0,2] == 2", True, "Your program passes."),
    "it fails": (FAILING, "%1[0,2] == -2", False, "does not finish"),
    "it shall fail": (FAILING, "not runs", True, "Your program passes."),
    "it shall not fail": (FAILING, "runs", False, "does not finish"),
    "many truths": (PROGRAM, "%1 > 0", False, "write all(…) around it"),
}


@pytest.mark.parametrize(("text", "passes", "passed", "said"), SAID.values(), ids=SAID)
def test_a_program_is_judged_at_the_end_of_its_run(text: str, passes: str, passed: bool, said: str) -> None:
    found = check_change(ROOTS, text, exercise(passes, text), BOUNDS)
    assert found["passed"] is passed
    assert said in found["message"]


@pytest.mark.parametrize(
    ("language", "of", "said"),
    [
        ("de", "a value less", ": Das Programm hat keinen Wert %1."),
        ("fr-CH", "a value less", "\u00a0: le programme n'a pas de valeur %1."),
        (
            "de",
            "another shape",
            ": Index 2 liegt außerhalb von Dimension 1 der Größe 2; der Wert hat die Form 3×2.",
        ),
        ("nl", "a value less", ": the program has no value %1."),
    ],
)
def test_the_reason_of_the_engine_is_in_the_language_too(language: str, of: str, said: str) -> None:
    text, passes, *_ = SAID[of]
    found = check_change(ROOTS, text, exercise(passes, text), BOUNDS, ExerciseWords(language))
    assert found["message"].endswith(said)


@pytest.mark.parametrize(
    ("language", "said", "counted"),
    [
        ("de-AT", "Noch nicht: Das Programm gibt etwas anderes zurück", "Ergebnis 0"),
        ("fr", "Pas encore\u00a0: le programme renvoie autre chose", "résultat 0"),
        ("nl", "Not yet: the program returns something other", "result 0"),
    ],
)
def test_a_student_is_told_in_the_language_of_the_lesson(language: str, said: str, counted: str) -> None:
    wrong = PROGRAM.replace("return %1", "return %0")
    found = check_change(ROOTS, wrong, exercise("runs"), BOUNDS, ExerciseWords(language))
    assert found["message"].startswith(said)
    assert found["values"][0]["text"] == counted


def test_the_values_that_a_check_reads_are_told() -> None:
    found = check_change(ROOTS, PROGRAM, exercise("%1[0,2] == 3 and sum(%0) == 30"), BOUNDS)
    assert found["values"] == [
        {"text": "%1[0,2]", "value": "2", "expected": None},
        {"text": "%0", "value": "[[0, 2, 4], [6, 8, 10]]", "expected": None},
    ]


def test_what_is_wrong_comes_with_its_place() -> None:
    found = check_change(ROOTS, PROGRAM.replace("sqrt", "sqr"), exercise("runs"), BOUNDS)
    (first, *_) = found["diagnostics"]
    assert first["severity"] == "error"
    assert first["line"] == 3


RETURNS = {
    "what it should": (PROGRAM, True, "Your program passes."),
    "its argument": (PROGRAM.replace("return %1", "return %x"), False, "asks for."),
    "a constant": (
        PROGRAM.replace(
            "  return %1",
            "  %told = stablehlo.constant dense<[[0.0, 1.4142135, 2.0], [2.4494898, 2.828427, 3.1622777]]> : "
            "tensor<2x3xf32>\n  return %told",
        ),
        False,
        "asks for with other inputs.",
    ),
    "nothing": (
        PROGRAM.replace("return %1 : tensor<2x3xf32>", "return").replace(" -> tensor<2x3xf32>", ""),
        False,
        "asks for.",
    ),
    "of two arguments": (
        PROGRAM.replace("(%x: tensor<2x3xf32>)", "(%x: tensor<2x3xf32>, %y: tensor<f32>)"),
        False,
        "must take the arguments of the lesson's program",
    ),
}


@pytest.mark.parametrize(("text", "passed", "said"), RETURNS.values(), ids=RETURNS)
def test_a_program_returns_what_the_solution_returns(text: str, passed: bool, said: str) -> None:
    found = check_change(ROOTS, text, exercise("%1[0,2] == 2"), BOUNDS)
    assert found["passed"] is passed
    assert said in found["message"]


def test_with_hidden_inputs_they_and_what_was_returned_are_told_beside_what_was_expected() -> None:
    text, *_ = RETURNS["a constant"]
    argument, result = check_change(ROOTS, text, exercise("runs"), BOUNDS)["values"]
    assert (argument["text"], argument["expected"]) == ("argument 0", None)
    assert result["text"] == "result 0"
    assert result["value"] == "[[0, 1.4142135, 2], [2.4494898, 2.828427, 3.1622777]]"
    assert result["expected"] == "[[3.1622777, 2.4494898, 2.4494898], [1.4142135, 1.4142135, 0]]"


def test_a_lesson_may_state_further_inputs_or_compare_nothing() -> None:
    text, *_ = RETURNS["a constant"]
    same = replace(exercise("runs"), further=("iota",))
    assert check_change(ROOTS, text, same, BOUNDS)["passed"]
    assert not check_change(ROOTS, text, replace(same, further=("zeros",)), BOUNDS)["passed"]
    assert check_change(ROOTS, text, replace(exercise("runs"), compares=False), BOUNDS)["passed"]


def test_small_results_come_beside_the_expected_ones() -> None:
    change = exercise("runs")
    wrong = PROGRAM.replace("return %1", "return %x")
    (found,) = returned_values(ROOTS, wrong, change, BOUNDS)
    assert found["given"]["elements"] == ["0", "1", "2", "3", "4", "5"]
    assert found["expected"] is not None
    assert found["expected"]["type"] == found["given"]["type"] == "tensor<2x3xf32>"
    assert found["differs"] == [1, 3, 4, 5]
    (same,) = returned_values(ROOTS, PROGRAM, change, BOUNDS)
    assert same["given"] == same["expected"]
    assert same["differs"] == []
    (alone,) = returned_values(ROOTS, wrong, replace(exercise("runs"), compares=False), BOUNDS)
    assert alone["expected"] is None
    assert returned_values(ROOTS, PROGRAM.replace("sqrt", "sqr"), change, BOUNDS) == []
