"""Several runs of a second engine: what changes from run to run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hloscope
from hloscope.app.cli.main import main
from hloscope.app.comparing.repeated import find_varying, lines_of_repeated, repeated_json


def f32(*numbers: float) -> Any:
    return np.array(numbers, np.float32)


def test_a_result_that_changes_names_its_elements_and_values() -> None:
    runs = [[f32(1, 2), f32(3, 4, 5)], [f32(1, 2), f32(3, 4.5, 6)], [f32(1, 2), f32(3, 4, 5)]]
    found = find_varying(runs, ["result 0", "result 1 of process (0, 3)"])
    assert list(lines_of_repeated(found)) == [
        "1 of 2 results changed between 3 runs of the same code:",
        "  result 1 of process (0, 3): 2 of 3 elements; element [1] was 4.0, 4.5",
    ]
    assert repeated_json(found) == {
        "runs": 3,
        "varying": [
            {
                "result": "result 1 of process (0, 3)",
                "size": 3,
                "differ": 2,
                "index": [1],
                "values": [4.0, 4.5],
            }
        ],
    }


@pytest.mark.parametrize("runs", [[[f32(1)], [f32(1)]], [[f32(np.nan)], [f32(np.nan)]]])
def test_nothing_changes(runs: Sequence[Sequence[Any]]) -> None:
    assert list(lines_of_repeated(find_varying(runs, ["result 0"]))) == ["2 runs gave the same bits"]


def test_repeating_needs_an_engine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f.mlir"
    file.write_text("func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }")
    assert main(["compare", str(file), str(file), "--repeat", "3"]) == 2
    assert "--repeat runs an engine again: name one with --against" in capsys.readouterr().err


@pytest.mark.oracle
def test_xla_repeats_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f.mlir"
    file.write_text(
        "func.func @main(%x: tensor<9xf32>) -> tensor<9xf32> {\n"
        "  %0 = stablehlo.tanh %x : tensor<9xf32>\n  return %0 : tensor<9xf32>\n}\n"
    )
    assert main(["compare", str(file), "--against", "xla", "--repeat", "3"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "3 runs gave the same bits"


@pytest.mark.oracle
def test_xla_repeats_itself_in_python() -> None:
    text = "func.func @main(%x: tensor<9xf32>) -> tensor<9xf32> { return %x : tensor<9xf32> }"
    found = hloscope.compare(text, inputs=[np.ones(9, np.float32)], against="xla", repeat=3)
    assert found.repeated is not None
    assert (found.repeated.runs, found.repeated.varying) == (3, ())


def test_repeating_needs_an_engine_in_python() -> None:
    text = "func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }"
    with pytest.raises(hloscope.ProgramError, match="repeat runs an engine again"):
        hloscope.compare(text, text, [np.float32(1)], repeat=3)
