"""The module `hloscope`, as a notebook would use it."""

import numpy as np
import pytest

import hloscope

ADD = """
func.func @main(%x: tensor<3xf32>, %y: tensor<f32>) -> tensor<3xf32> {
  %0 = stablehlo.broadcast_in_dim %y, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %1 = stablehlo.add %x, %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}
"""


def test_run_takes_text_and_lists() -> None:
    (result,) = hloscope.run(ADD, [[1, 2, 3], 10])
    assert result.dtype == np.float32
    assert result.tolist() == [11, 12, 13]


def test_record_keeps_every_value() -> None:
    recording = hloscope.record(hloscope.parse(ADD), [np.ones(3, np.float32), np.float32(2)])
    assert recording.state.kind == "done"
    assert recording.value(hloscope.Address.parse("0.s0.0")).tolist() == [2, 2, 2]


def test_a_wrong_program_lists_its_mistakes() -> None:
    wrong = ADD.replace("-> tensor<3xf32>\n  %1", "-> tensor<4xf32>\n  %1")
    with pytest.raises(hloscope.WrongProgram, match=r"<text>:\d+:\d+: error"):
        hloscope.run(wrong, [])
    assert hloscope.check(wrong)
    assert not hloscope.check(ADD)


def test_an_array_of_another_dtype_is_refused() -> None:
    with pytest.raises(hloscope.ProgramError, match="float64"):
        hloscope.run(ADD, [np.ones(3), np.float32(2)])
