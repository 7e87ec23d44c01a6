"""What a lesson says of its recordings: places, answers, values; and what is wrong where they are not there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from hloscope.app.lessons.format import LessonErrors
from tests.app.lessons.texts import ASK, EVERY_KIND, HEAD, STEP, problems, resolved, write

JSON = dict[str, Any]


@pytest.fixture(scope="module")
def blocks() -> dict[str, list[Any]]:
    """The blocks of each step of the lesson with every kind."""
    info = resolved(EVERY_KIND).info
    return {step["id"]: list(step["blocks"]) for step in info["steps"]} | {"": list(info["intro"])}


def _place(block: JSON) -> list[Any]:
    place = block["place"]
    return [place[name] for name in ("run", "process", "step", "tab", "value", "element", "address")]


def test_values_stand_in_texts_as_the_page_prints_them(blocks: dict[str, list[Any]]) -> None:
    html = blocks[""][0]["html"]
    found = re.findall(r'<span class="lesson-value" title="([^"]+)">([^<]*)</span>', html)
    assert found[:2] == [("%table", "[[0, 1], [2, 3], [4, 5], [6, 7]]"), ("%table[2]", "[4, 5]")]
    assert '<img src="data:image/svg+xml;base64,' in html
    assert '<code class="language-text">## No step\n:::ask nothing\n</code>' in html
    text = next(block["html"] for block in blocks["loop"] if block["kind"] == "text")
    assert re.findall(r">(\d)</span>", text) == ["5", "0"]


def test_places_are_positions_of_the_run(blocks: dict[str, list[Any]]) -> None:
    window, loop, processes = blocks["window"], blocks["loop"], blocks["processes"]
    assert _place(window[0]) == [1, 0, 3, "index", 4, [1, 0, 1], "0.s2.0"]
    assert _place(window[1]) == [1, 0, 0, "variables", None, None, None]
    assert (window[2]["place"], window[2]["playground"]) == (None, "/playground/gather")
    assert window[2]["label"] == "Try a gather"
    # A round of the loop is five steps from step 3 on: compare, return, subtract, add, return.
    assert _place(loop[0]) == [2, 0, 3 + 5 + 4, None, 9, None, "0.s11.0"]
    assert _place(loop[1]) == [2, 0, 3 + 5 + 2, "op", None, None, None]
    assert _place(loop[2])[2] == 3
    assert _place(loop[3])[2] == 21
    assert _place(processes[0])[:4] == [3, 1, 1, "grid"]


def test_truths_are_those_of_the_recording(blocks: dict[str, list[Any]]) -> None:
    asks = [block for each in blocks.values() for block in each if block["kind"] == "ask"]
    truths = {ask["id"]: ask["truth"] for ask in asks}
    assert truths == {
        "window.1": "1.8000001", "window.2": None, "window.3": [2, 1, 2], "loop.1": [11, 12], "loop.2": "false",
        "loop.3": None, "processes.1": None, "processes.2": "-Inf", "processes.3": "0.691406",
    }  # fmt: skip
    by_id = {ask["id"]: ask for ask in asks}
    assert by_id["window.1"]["digits"] == 2
    assert by_id["window.1"]["wrong"][1]["value"] == "0.3"
    assert by_id["window.2"]["cells"] == [[3, 0]]
    assert _place(by_id["window.2"]) == [1, 0, 3, "provenance", 4, [1, 0, 0], "0.s2.0"]
    assert by_id["window.2"]["address"] == "0.f0.0"
    assert by_id["processes.1"]["cells"] == [[1, 0]]
    assert by_id["processes.2"]["address"] == "1.s0.0"
    assert [option["right"] for option in by_id["loop.3"]["options"]] == [True, False]
    assert by_id["loop.1"]["wrong"][0]["value"] == [5]


def test_what_would_give_an_answer_away_is_named(blocks: dict[str, list[Any]]) -> None:
    asks = {
        block["id"]: block["hides"] for each in blocks.values() for block in each if block["kind"] == "ask"
    }
    assert asks["window.1"] == [
        {"run": 1, "process": 0, "address": "0.s2.0", "element": [1, 0, 0], "beyond": True}
    ]
    assert [each["address"] for each in asks["window.2"]] == ["0.s2.0"]
    # The same value in another process tells it too.
    assert {each["address"] for each in asks["processes.2"]} == {"1.s0.0", "0.s0.0"}
    assert asks["processes.1"] == [
        {"run": 3, "process": 0, "address": "0.s0.0", "element": None, "beyond": True}
    ]


def test_an_exercise_comes_with_what_opens_its_program(blocks: dict[str, list[Any]]) -> None:
    change, unfinished = blocks["window"][-1], blocks["mend"][0]
    assert (change["run"], change["id"], change["syntax"]) == (1, "window", "mlir")
    assert (change["place"]["run"], change["place"]["step"], change["place"]["value"]) == (1, 0, None)
    assert unfinished["run"] is unfinished["place"] is None
    assert [spec["kind"] for spec in change["inputs"]] == ["iota", "dense"]
    assert "tensor<3xf32>" in unfinished["text"]


def test_a_program_that_does_not_run_has_no_run(tmp_path: Path) -> None:
    del tmp_path
    info = resolved(EVERY_KIND).info
    assert info["programs"] == ["window", "countdown", "logs"]


def test_a_version_is_of_what_is_asked_and_not_of_words(tmp_path: Path) -> None:
    def version(body: str, **more: str) -> str:
        return resolved(write(tmp_path, body, **more)).info["version"]

    first = version(STEP + ASK)
    assert version("Welcome.\n" + STEP + ASK.replace("What is it?", "What will it be?")) == first
    assert version(STEP + ASK.replace("%0[1,2]", "%0[1,1]")) != first
    assert version(STEP.replace("#one", "#first") + ASK) != first
    assert version(STEP + ASK, head=HEAD.replace("[iota]", "[ones]")) != first


def _number(of: str, *items: str) -> str:
    return STEP + "\n".join([f':::ask number of="{of}"', "What?", *items, ":::", ""])


WRONG = {
    "a value that is not there": (_number("%5[0,0]"), "the program has no value %5"),
    "a tensor": (_number("%0"), "`%0` is a tensor of 6 elements, not one number | Write one element"),
    "a tuple of two numbers": (_number("%0[0]"), "is a tensor of 3 elements"),
    "an element that is not there": (_number("%0[2,0]"), "the value is 2×3"),
    "no expression": (_number("%0[0,"), "the expression ends"),
    "a word": (_number("%0.dtype"), "is a word, not one number"),
    "a right answer among the wrong": (_number("%0[1,2]", "- wrong 10: no"), "the wrong answer `10` is right"),
    "one by an expression": (
        _number("%0[1,2]", "- wrong '%x[1,2] * 2': no"), "`%x[1,2] * 2`, which is 10, is right"),
    "the same twice": (_number("%0[1,2]", "- wrong 3: no", "- wrong 3: no"), "`3` appears twice"),
    "no number": (_number("%0[1,2]", "- wrong three: no"), "`three` is not a number"),
    "digits of an integer": (
        STEP + ':::ask number of="%0.rank" digits=2\nWhat?\n:::\n', "`digits` is for floats"),
    "no option": (
        STEP + ':::ask choice\nWhat?\n- option "1 > 2": a\n- option "false": b\n:::\n', "no option is right"),
    "two options": (
        STEP + ':::ask choice\nWhat?\n- option "1 < 2": a\n- option "true": b\n:::\n', "2 options are right: `1 < 2`"),
    "an option of many": (
        STEP + ':::ask choice\nWhat?\n- option "%0 > 1": a\n- option "true": b\n:::\n', "Write any(…) or all(…)"),
    "no cell": (STEP + ':::ask cell in="%0" when="%0 > 99"\nWhich?\n:::\n', "no element of %0 answers"),
    "every cell": (STEP + ':::ask cell in="%0" when="%0 > -1"\nWhich?\n:::\n', "every element of %0 answers"),
    "cells that are numbers": (STEP + ':::ask cell in="%0" when="%0"\nWhich?\n:::\n', "gives numbers, not truths"),
    "cells of another shape": (STEP + ':::ask cell in="%0" when="%0[0] > 1"\nWhich?\n:::\n', "is 3, and %0 is 2×3"),
    "what is not read": (
        STEP + ':::ask cell of="%0[0,0]" in="%1"\nWhich?\n:::\n', "%0[0,0] reads no element of %1"),
    "no element read": (STEP + ':::ask cell of="%0[0,9]" in="%x"\nWhich?\n:::\n', "is not an element: the value is 2×3"),
    "no step": (STEP + ':::ask step when="%0[0,0] > 9"\nWhere?\n:::\n', "never holds in this run"),
    "no process": (STEP + "::look at=end process=2\n", "there is no process 2: the run has 1"),
    "no line": (STEP + '::look at="line 4000"\n', "no op starts on line 4000 | One starts on line 4"),
    "no iteration": (STEP + '::look at="%0" iteration=4\n', "has no iteration 4"),
    "no occurrence": (STEP + '::look at="%0" occurrence=2\n', "no occurrence 2: it is there once"),
    "not made yet": (STEP + '::look at="before %1" value="%1"\n', "%1 cannot be seen there"),
    "no such element": (STEP + '::look value="%1" element="0,3"\n', "no element [0, 3]: the value is 2×3"),
    "no grid": (STEP + "::look at=end tab=grid\n", "the run has one process"),
    "no op at the end": (STEP + "::look at=end tab=op\n", "at the end there is no op"),
    "a value in a text": ("It is {{ %9 }}.\n" + STEP + ASK, "`%9`: the program has no value %9"),
    "a place in a text": ("{{ %0 | att=end }}.\n" + STEP + ASK, "has no attribute `att`"),
    "an exercise before the steps": (
        ':::change passes="%1[0,1] < 0" solution=solved.mlir\nDo.\n:::\n' + STEP + ASK, "an exercise stands in a step"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "said"), WRONG.values(), ids=WRONG)
def test_what_the_run_does_not_have(tmp_path: Path, body: str, said: str) -> None:
    found = problems(write(tmp_path, body))
    assert any(said in each for each in found), found


PROGRAMS = {
    "two that are the same": (
        "  roots: {file: roots.mlir}\n  again: {file: roots.mlir}\n", "`roots` and `again` are the same run"),
    "one that nothing is about": (
        "  roots: {file: roots.mlir}\n  more: {file: roots.mlir, inputs: [ones]}\n", "nothing is about the program `more`"),
    "an argument that is not there": (
        "  roots: {file: roots.mlir, inputs: ['y=1']}\n", "does not run: the program has no argument y; it has x"),
    "an input of another shape": ("  roots: {file: roots.mlir, inputs: ['[1, 2]']}\n", "does not run"),
    "too many inputs": ("  roots: {file: roots.mlir, inputs: [ones, ones]}\n", "2 inputs are given"),
    "no such entry": ("  roots: {file: roots.mlir, entry: side}\n", "no function @side"),
}  # fmt: skip


@pytest.mark.parametrize(("programs", "said"), PROGRAMS.values(), ids=PROGRAMS)
def test_programs_that_make_no_lesson(tmp_path: Path, programs: str, said: str) -> None:
    head = HEAD.replace("  roots: {file: roots.mlir, inputs: [iota]}\n", programs)
    found = problems(write(tmp_path, head=head))
    assert any(said in each for each in found), found


def test_a_run_without_an_end_is_too_long(tmp_path: Path) -> None:
    path = write(tmp_path, STEP + "::look at=end\n")
    (tmp_path / "roots.mlir").write_text("""\
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.while(%i = %x) : tensor<i32>
   cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    stablehlo.return %i : tensor<i32>
  }
  return %0 : tensor<i32>
}
""")
    with pytest.raises(LessonErrors) as raised:
        resolved(path)
    assert "is too long for a lesson: it is not at its end after" in raised.value.found[0].message
