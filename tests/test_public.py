"""The module `hloscope`, as a notebook would use it."""

import subprocess
import sys

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


OUTSIDE = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  stablehlo.custom_call @log(%x) {has_side_effect = true} : (tensor<2xf32>) -> ()
  %5 = stablehlo.custom_call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %6 = stablehlo.add %5, %x : tensor<2xf32>
  return %6 : tensor<2xf32>
}
"""


def test_run_takes_what_code_outside_of_the_program_makes() -> None:
    (result,) = hloscope.run(OUTSIDE, [[1, 2]], bindings={"%5": [10, 20], "@log": None})
    assert result.tolist() == [11, 22]
    (result,) = hloscope.run(OUTSIDE, [[1, 2]], bindings={"@f": np.ones(2, np.float32), "@log:3": None})
    assert result.tolist() == [2, 3]


def test_bindings_that_do_not_fit() -> None:
    with pytest.raises(hloscope.ProgramError, match="calls code outside of the program"):
        hloscope.run(OUTSIDE, [[1, 2]], bindings={"@log": None})
    with pytest.raises(hloscope.ProgramError, match=r"%5 is tensor<2xf32>, not float64\[2\]"):
        hloscope.run(OUTSIDE, [[1, 2]], bindings={"%5": np.ones(2)})
    with pytest.raises(hloscope.ProgramError, match="is a value: only what gives nothing is skipped"):
        hloscope.run(OUTSIDE, [[1, 2]], bindings={"%5": None})
    with pytest.raises(hloscope.ProgramError, match="gives nothing: None skips it"):
        hloscope.run(OUTSIDE, [[1, 2]], bindings={"@log": 1})
    with pytest.raises(hloscope.ProgramError, match="nothing outside of the program makes '%6'"):
        hloscope.run(OUTSIDE, [[1, 2]], bindings={"%6": 1})


def test_one_input_too_many_is_said_to_be_so() -> None:
    with pytest.raises(hloscope.ProgramError, match="takes 2 inputs, not 3"):
        hloscope.run(ADD, [[1, 2, 3], 10, 11])


def test_programs_are_built() -> None:
    b = hloscope.XlaBuilder("row_sums")
    b.reduce(b.parameter(0, "f32[2,3]"), 0.0, lambda x, y: x + y, [1])
    computation = b.build()
    rows = [[1, 2, 3], [4, 5, 6]]
    for program in (computation.program, computation.as_hlo_text(), computation.as_stablehlo_text()):
        (sums,) = hloscope.run(program, [rows])
        assert sums.tolist() == [6, 15]


def test_import_hloscope_loads_nothing_of_it() -> None:
    """What takes long to load is loaded when it is first used: notebooks and other tools import hloscope in passing."""
    loaded = "import sys, hloscope; print([name for name in sys.modules if name.split('.')[0] in {*NAMES}])"
    names = {"numpy", "ml_dtypes", "fastapi", "islpy", "scipy", "sqlalchemy"}
    command = [
        sys.executable,
        "-c",
        f"NAMES = {names!r}; {loaded}; print(hloscope.run, hloscope.__version__)",
    ]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert found[0] == "[]"
    assert found[1].startswith("<function run")


def test_every_public_name_is_there() -> None:
    assert sorted(hloscope.__all__) == dir(hloscope)
    assert all(getattr(hloscope, name) is not None for name in hloscope.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = hloscope.nothing
