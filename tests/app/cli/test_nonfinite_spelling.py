"""What is not a number is spelled NaN, +Inf and -Inf wherever people read it.

Programs keep the spelling of their language (`nan`, `0x7F800000`), files of arrays that of NumPy. Numbers in answers of the
API that are for JavaScript are spelled as its `Number` reads them: NaN, Infinity, -Infinity.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import hloscope
from hloscope.app.cli.main import main
from tests.app.serving import JSON, new_session, settled
from tests.spelling import misspelled

PROGRAM = """\
func.func @main(%x: tensor<4xf32>, %y: tensor<f32>) -> (tensor<4xf32>, tensor<4xbf16>, tensor<f32>, tensor<4xcomplex<f32>>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.log %x : tensor<4xf32>
  %1 = stablehlo.convert %0 : (tensor<4xf32>) -> tensor<4xbf16>
  %2 = stablehlo.reduce(%0 init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.complex %0, %x : tensor<4xcomplex<f32>>
  %4 = stablehlo.subtract %2, %2 : tensor<f32>
  %5 = stablehlo.add %4, %y : tensor<f32>
  return %0, %1, %5, %3 : tensor<4xf32>, tensor<4xbf16>, tensor<f32>, tensor<4xcomplex<f32>>
}
"""
GIVEN = ("[1, 0, inf, nan]", "-inf")
ADDRESSES = ("0.f0.0", "0.f0.1", "0.s0.0", "0.s1.0", "0.s2.0", "0.s3.0", "0.s4.0", "0.s5.0", "0.s6.0")
VECTORS = {"0.f0.0", "0.s1.0", "0.s2.0", "0.s4.0"}

OF_JAVASCRIPT = {"NaN", "Infinity", "-Infinity"}
NAMES = {"kind"}
"""Fields whose texts are names for programs."""


def _texts(answer: Any, name: str = "") -> Iterator[str]:
    """All texts for people in an answer."""
    if isinstance(answer, dict):
        for key, value in answer.items():
            yield from _texts(value, key)
    elif isinstance(answer, list):
        for value in answer:
            yield from _texts(value, name)
    elif isinstance(answer, str) and answer not in OF_JAVASCRIPT and name not in NAMES:
        yield answer


@pytest.fixture(scope="module")
def run(client: TestClient) -> JSON:
    given = [{"kind": "dense", "text": text} for text in GIVEN]
    found = settled(client, new_session(client, PROGRAM, inputs=given))
    assert found["state"]["kind"] == "done", found
    return found


@pytest.mark.parametrize("text", ["nan", "1 to inf", "[-inf, 1]", "Infinity", "is Inf", "0+infi, -inf"])
def test_other_spellings_are_found(text: str) -> None:
    assert misspelled(text)
    assert not misspelled("NaN, +Inf, -Inf, NaN/Inf? information, nanoseconds, Infinite".replace("/Inf", ""))


def test_answers_of_the_api(client: TestClient, run: JSON) -> None:
    questions = ["findings", *(f"findings/origin?step={step}" for step in (-1, 1)), "search?find=nonfinite"]
    questions += [f"thumbnails?addresses={','.join(ADDRESSES)}", *(f"ops/{op}" for op in range(7))]
    for address in ADDRESSES:
        element = "&elements=@1&element=@1" if address in VECTORS else ""
        walk = f"provenance?address={address}{element}"
        questions += [f"values/{address}", f"values/{address}/nonfinite", walk, f"{walk}&reach=all"]
    for question in questions:
        answer = client.get(f"/api/recordings/{run['key']}/{question}")
        assert answer.status_code == 200, (question, answer.text)
        assert [bad for text in _texts(answer.json()) for bad in misspelled(text)] == [], question


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "values.mlir"
    path.write_text(PROGRAM)
    inputs = [f"--input={text}" for text in GIVEN]
    assert main(["findings", str(path), *inputs]) == 1
    assert misspelled(capsys.readouterr().out) == []
    assert main(["run", str(path), *inputs]) == 0
    assert misspelled(capsys.readouterr().err) == []


def test_sentences_in_python() -> None:
    recording = hloscope.record(PROGRAM, [[1, 0, float("inf"), float("nan")], float("-inf")])
    said = [each.sentence for each in recording.bad_inputs] + [each.sentence for each in recording.findings]
    assert said
    assert [bad for sentence in said for bad in misspelled(sentence)] == []
