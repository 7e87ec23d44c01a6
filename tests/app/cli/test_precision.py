"""`hloscope precision`: the error of the results, the op to blame, and what has no counterpart in more digits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hloscope.app.cli.main import main

HYPOTENUSE = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.multiply %x, %x : tensor<f32>
  %1 = stablehlo.sqrt %0 : tensor<f32>
  return %1 : tensor<f32>
}
"""
BITS = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.exponential %x : tensor<2xf32>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2xf32>) -> tensor<2xi32>
  %2 = stablehlo.bitcast_convert %1 : (tensor<2xi32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
"""


def printed(text: str, given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], *more: str) -> Any:
    """What the command prints for a program."""
    file = tmp_path / "f.mlir"
    file.write_text(text)
    assert main(["precision", str(file), "--input", given, *more]) == 0
    out = capsys.readouterr().out
    return json.loads(out) if more else out.replace(f"{file}: ", "")


def test_an_overflow_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(HYPOTENUSE, "1e20", tmp_path, capsys) == (
        "The result has elements that are finite either here or in f64, but not in both.\n"
        "multiply on line 2 leaves the range of its type: the result is finite in only one of the two runs.\n"
        "line 2, multiply %0: all bits lost, 0.0 of 24 agree\n"
    )
    (found,) = [printed(HYPOTENUSE, "1e20", tmp_path, capsys, "--json")["precision"]]
    assert found["results"] == [{"process": 0, "number": 0, "error": None, "agreeingBits": 0.0, "bits": 24}]
    assert (found["losses"][0]["lostBits"], found["blame"]["alone"]) == (None, None)


def test_a_sound_program_blames_nobody_and_lists_what_it_takes_from_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert printed(BITS, "[1, 2]", tmp_path, capsys) == (
        "Every result agrees with the run in f64 to within a few roundings of its type.\n"
        "taken from the run, without a counterpart in f64: lines 3, 4\n"
    )


def test_what_the_results_would_be_in_another_type(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = printed(HYPOTENUSE, "30", tmp_path, capsys, "--json", "--what-if", "f8E4M3FN")["precision"]
    assert [(trial["op"], trial["line"], trial["error"]) for trial in found["trials"]] == [
        (None, 0, None),
        (0, 2, None),
        (1, 3, None),
    ]
    assert found["trials"][1]["sentence"] == (
        "the results are not finite where they should be; 1 of 3 rounded elements overflow"
    )


def test_without_floats_there_is_nothing_to_lose(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "func.func @main(%x: tensor<i32>) -> tensor<i32> {\n  return %x : tensor<i32>\n}\n"
    assert printed(text, "1", tmp_path, capsys) == "The program has no floating-point values.\n"
