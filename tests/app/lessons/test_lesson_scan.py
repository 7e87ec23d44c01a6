"""The search of a page for answers finds planted ones, and takes nothing else for one."""

from __future__ import annotations

from pathlib import Path

from tests.app.lessons.texts import HEAD, STEP, resolved, write
from tests.browser.lesson_scan import find_answer, pictures_of, questions, units_of

ASKS = """\
:::ask number of="%0[1,2]"
What is it?
:::
:::ask shape of="%1"
Which shape?
:::
:::ask number of="%0[0,1]"
And here?
:::
:::ask choice
Which?
- option "%0[1,1] > 0": This one | Yes.
- option "%0[1,1] < 0": That one | No.
:::
:::ask step when="%1[1,2] > 0"
Go there.
:::
"""
INPUT = HEAD.replace("iota", '"[[0, 1, 2], [300, 400, 500]]"')


PLANTED = [
    ("one.1", "tensor span", "1000", True),  # anywhere: nothing else on the page has this number
    ("one.1", "page @title", "%0: f32[2,3] 0 … 1,000", True),
    ("one.1", "program line", "%0 = stablehlo.add %x, %x // 1e3", True),
    ("one.1", "tensor span", "500 of 1001 at step 1", False),
    ("one.1", "index row", "%0[1, 2] reads %x[1, 2]", False),
    ("one.2", "op dd", "%1 tensor<2x3xf32>", True),
    ("one.2", "variables row", "%1 f32[2,3]", True),
    ("one.2", "variables row", "%1 2x3xf32", True),
    ("one.2", "variables row", "%x f32[2,3]", False),  # another value of this shape
    ("one.2", "op dd", "%1 tensor<2x3x4xf32> and 2x3", False),
    ("one.3", "variables row", "%0 f32[2,3] 0 … 2", True),  # a small number beside the name of the value
    ("one.3", "steps row", "step 2 of 4", False),
    ("one.3", "variables row", "%x f32[2,3] 0 … 2", False),
    (
        "one.3",
        "program line",
        "%0 = stablehlo.constant dense<2> : f32",
        False,
    ),  # the text of the program is given
    ("one.4", "tensor text", "600", True),
    ("one.4", "tensor text", "400", False),
    ("one.5", "timeline @title", "step 1: first NaN", True),
    ("one.5", "findings li", "harmful, at step 1 of 3", True),
    ("one.5", "timeline @title", "step 2: first NaN", False),
    ("one.5", "lesson p", "You are at step 1", False),
]


def test_planted_answers_are_found_and_nothing_else(tmp_path: Path) -> None:
    asked = questions(resolved(write(tmp_path, STEP + ASKS, INPUT)))
    for id, place, text, is_told in PLANTED:
        found = find_answer(units_of([[place, text]]), asked[id], 1)
        assert bool(found) == is_told, (id, text)
    assert find_answer(units_of([["variables row", "%0 0 … 2"]]), asked["one.3"], 2) == []  # of another run


def test_pictures_are_known_by_the_name_beside_them() -> None:
    pictures = [["program %0", "data:a"], ["variables %01", "data:b"], ["tensor", "data:c"]]
    assert pictures_of(pictures, {"%0"}) == {"data:a"}
