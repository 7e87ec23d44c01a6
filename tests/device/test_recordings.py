"""The measurement of recordings: on XLA's CPU, and verdicts on values of a GPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hloscope
from hloscope.engine.ops.core.devices import CPU, NVIDIA

from .__main__ import main
from .recordings import judged
from .test_compare import write

F32 = np.float32
PRODUCT = """func.func @main(%a: tensor<8x64xf32>, %b: tensor<64x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, PRECISION]
    : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}"""
LGAMMA = """func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = chlo.lgamma %x : tensor<64xf32> -> tensor<64xf32>
  return %0 : tensor<64xf32>
}"""


def verdict(text: str, operands: list[Any], theirs: Any, device: Any) -> str:
    """The verdict on the value of the one op of a program."""
    recording = hloscope.record(text, operands)
    return judged(recording.program, 0, tuple(operands), recording.results() or (), (theirs,), device)


@pytest.mark.oracle
def test_a_recording_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path)
    assert main(["recordings", str(tmp_path), "--on", "cpu"]) == 0
    told = capsys.readouterr().out
    assert ", 0 beyond; findings same; planted NaN found" in told
    assert "1 of 1 programs recorded; results of " in told


@pytest.mark.parametrize(("precision", "device", "is_within"), [
    ("DEFAULT", NVIDIA, True), ("DEFAULT", CPU, False), ("HIGHEST", NVIDIA, False),
])  # fmt: skip
def test_a_product_of_tf32_is_within_the_rounding_of_a_gpu(
    precision: str, device: Any, is_within: bool
) -> None:
    random = np.random.default_rng(0)
    a, b = (random.normal(size=shape).astype(F32) for shape in ((8, 64), (64, 8)))
    narrow = [(value.view(np.uint32) + 0x1000 & 0xFFFFE000).view(F32) for value in (a, b)]
    found = verdict(PRODUCT.replace("PRECISION", precision), [a, b], narrow[0] @ narrow[1], device)
    assert (found == "within") == is_within
    assert is_within or " elements, first [" in found


def test_a_function_is_within_its_row() -> None:
    x = np.linspace(1.999, 2.001, 64, dtype=F32)
    ours = (hloscope.record(LGAMMA, [x]).results() or ())[0]
    assert verdict(LGAMMA, [x], ours, NVIDIA) == "same"
    assert verdict(LGAMMA, [x], ours + F32(4e-6), NVIDIA) == "within"
    assert verdict(LGAMMA, [x], ours + F32(1e-4), NVIDIA).startswith("64 of 64 elements, first [0]: ")
