"""Later values that repeat an answer are covered with it, and nothing else is."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from hloscope.app.lessons.shipped import shipped_files
from hloscope.engine.debugger.address import Address
from tests.app.lessons.texts import STEP, report, resolved, write
from tests.browser.lesson_scan import Unit, find_answer, questions

FLOWS = """\
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<2x3xf32>
  %1 = stablehlo.reshape %0 : (tensor<2x3xf32>) -> tensor<6xf32>
  %2 = func.call @twice(%1) : (tensor<6xf32>) -> tensor<6xf32>
  %3 = stablehlo.subtract %0, %0 : tensor<2x3xf32>
  %4 = stablehlo.add %x, %0 : tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}
func.func private @twice(%own: tensor<6xf32>) -> tensor<6xf32> {
  %5 = stablehlo.add %own, %own : tensor<6xf32>
  return %5 : tensor<6xf32>
}
"""


def _hidden(folder: Path, ask: str) -> list[str]:
    path = write(folder, STEP + ask)
    (folder / "roots.mlir").write_text(FLOWS)
    assert report(path).errors == []
    lesson = resolved(path)
    recording = lesson.runs[0].recording
    assert recording is not None
    (block,) = (each for each in lesson.info["steps"][0]["blocks"] if each["kind"] == "ask")
    addresses = [Address.parse(each["address"]) for each in block["hides"]]
    return [recording.program.values[recording.value_number(each)].name for each in addresses]


@pytest.mark.parametrize(
    ("element", "covered"),
    [
        ("1,2", ["%0", "%1", "%own"]),  # 25, which no other value has
        ("0,2", ["%0", "%1", "%own"]),  # 4: %4, made of other elements, has none
        ("0,1", ["%0", "%1", "%own"]),  # 1, which the input has too
    ],
)
def test_an_answer_is_covered_where_it_flows(tmp_path: Path, element: str, covered: list[str]) -> None:
    ask = f':::ask number of="%0[{element}]"\nWhat is it?\n- hint: h\n- right: r\n:::\n'
    assert _hidden(tmp_path, ask) == covered


OLD = [
    ("sharding-an-mlp", "%sum[1,0]", "%sum[0,0]", "rows.2", "%y: 205 … 2,150"),
    ("ring-attention", "before %totals", "before %attention", "result.1", "%attention: 1.5 … 277.75"),
]
"""Texts of shipped lessons whose answer stood in a later or an inner value, and what the page said of it."""


@pytest.mark.parametrize(("name", "now", "before", "id", "said"), OLD, ids=[each[0] for each in OLD])
def test_values_made_from_the_asked_one_are_searched_and_covered(
    tmp_path: Path, name: str, now: str, before: str, id: str, said: str
) -> None:
    (shipped,) = (each for each in shipped_files() if each.stem == name)
    shutil.copytree(shipped.parents[2] / "programs", tmp_path / "programs")
    path = tmp_path / shipped.name
    path.write_text(shipped.read_text("utf-8").replace(now, before), "utf-8")
    lesson = resolved(path)
    asked = questions(lesson)
    (question,) = (each for each in asked.values() if each.ask["id"] == id)
    echo = said.partition(":")[0]
    assert echo in question.names  # the page covers it
    uncovered = replace(question, names=question.names - {echo})
    assert find_answer(
        [Unit("variables row", said)], uncovered, question.ask["run"]
    )  # and the search would find it
