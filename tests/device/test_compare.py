"""Verdicts on a folder of programs: stored results that agree, or do not, and planted faults."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from .__main__ import main

PROGRAM = """func.func @main(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> tensor<16x14xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = stablehlo.tanh %0 : tensor<16x16xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<16xf32>) -> tensor<16x16xf32>
  %4 = stablehlo.subtract %1, %3 : tensor<16x16xf32>
  %5 = stablehlo.slice %4 [0:16, 1:15] : (tensor<16x16xf32>) -> tensor<16x14xf32>
  return %5 : tensor<16x14xf32>
}
"""


def write(folder: Path, scale: float = 1.0) -> None:
    """The program with its inputs, and its results times a factor."""
    random = np.random.default_rng(0)
    x, w = (random.normal(size=(16, 16)).astype(np.float32) for _ in range(2))
    y = np.tanh(x @ w)
    result = ((y - y.sum(axis=1, keepdims=True))[:, 1:15] * scale).astype(np.float32)
    (folder / "tanh.mlir").write_text(PROGRAM)
    np.savez(folder / "tanh.npz", in_0=x, in_1=w, out_0=result)


@pytest.mark.oracle
@pytest.mark.parametrize("on", [["--on", "cpu"], ["--on", "cpu", "--stored"]])
def test_a_healthy_program_agrees_and_its_faults_are_found(
    on: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path)
    assert main(["compare", str(tmp_path), *on]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("tanh.mlir: a CPU agrees ")
    assert [line for line in lines if line.endswith("0 unknown, 0 missed")] == lines[-3:]
    assert lines[-3].startswith("wrong axis: ")
    assert not any(": 0 found" in line for line in lines[-3:])


@pytest.mark.oracle
def test_a_false_result_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, 1.01)
    assert main(["compare", str(tmp_path), "--on", "gpu", "--stored", "--faults", "0"]) == 1
    assert "tanh.mlir: an NVIDIA GPU is wrong" in capsys.readouterr().out


def test_a_program_that_cannot_run_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path)
    (tmp_path / "tanh.mlir").write_text("func.func @main(")
    assert main(["compare", str(tmp_path), "--stored"]) == 0
    assert "1 programs: 1 not run" in capsys.readouterr().out
