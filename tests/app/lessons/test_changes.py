"""Exercises: what is said to a program that a student has written."""

from __future__ import annotations

import pytest

from hloscope.app.lessons.changes import check_change
from hloscope.app.lessons.runs import Bounds
from hloscope.app.lessons.tree import Program
from tests.app.lessons.texts import PROGRAM, SETTINGS

BOUNDS = Bounds.of_trial(SETTINGS)
ROOTS = Program("roots", 1, "roots.mlir", PROGRAM, ("iota",), None, None, 1)
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
    found = check_change(ROOTS, text, passes, 0, BOUNDS)
    assert found["passed"] is passed
    assert said in found["message"]


def test_the_values_that_a_check_reads_are_told() -> None:
    found = check_change(ROOTS, PROGRAM, "%1[0,2] == 3 and sum(%0) == 30", 0, BOUNDS)
    assert found["values"] == [
        {"text": "%1[0,2]", "value": "2"},
        {"text": "%0", "value": "[[0, 2, 4], [6, 8, 10]]"},
    ]


def test_what_is_wrong_comes_with_its_place() -> None:
    found = check_change(ROOTS, PROGRAM.replace("sqrt", "sqr"), "runs", 0, BOUNDS)
    (first, *_) = found["diagnostics"]
    assert first["severity"] == "error"
    assert first["line"] == 3
