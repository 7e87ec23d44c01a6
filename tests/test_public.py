"""The module `hloscope`, as a notebook would use it."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import hloscope
from tests.each import for_each

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
    with pytest.raises(hloscope.ProgramError, match=r"tensor<2xf32> cannot take float64\[2\]"):
        hloscope.run(OUTSIDE, [[1, 2]], bindings={"%5": np.ones(2)})
    with pytest.raises(hloscope.ProgramError, match="is a value: only what gives nothing is skipped"):
        hloscope.run(OUTSIDE, [[1, 2]], bindings={"%5": None})
    with pytest.raises(hloscope.ProgramError, match="gives nothing: None skips it"):
        hloscope.run(OUTSIDE, [[1, 2]], bindings={"@log": 1})
    with pytest.raises(hloscope.ProgramError, match="no code outside the program makes '%6'"):
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


HEAVY = {
    "numpy", "ml_dtypes", "fastapi", "islpy", "scipy", "sqlalchemy", "pydantic", "starlette", "uvicorn", "jinja2", "markdown_it",
    "jax", "jaxlib", "torch", "tensorflow", "pygls", "anywidget", "asyncio", "multiprocessing",
}  # fmt: skip


def test_import_hloscope_loads_nothing_of_it() -> None:
    """What takes long to load is loaded when it is first used: notebooks and other tools import hloscope in passing."""
    loaded = "import sys, hloscope; print([name for name in sys.modules if name.split('.')[0] in {*NAMES}])"
    names = HEAVY
    command = [
        sys.executable,
        "-c",
        f"NAMES = {names!r}; {loaded}; print(hloscope.run, hloscope.__version__)",
    ]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert found[0] == "[]"
    assert found[1].startswith("<function run")


def test_functions_do_not_import_their_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Text is recorded where there is no JAX, and a function says what is missing."""
    monkeypatch.setitem(sys.modules, "jax", None)
    assert hloscope.run(ADD, [[1, 2, 3], 10])[0].tolist() == [11, 12, 13]
    with pytest.raises(hloscope.ProgramError, match="traced by JAX, which is not installed"):
        hloscope.run(lambda x: x, 1)


def test_what_is_no_program_is_said() -> None:
    for wrong in (7, None, [1], dict):
        with pytest.raises(hloscope.ProgramError, match="is not a program"):
            hloscope.record(wrong)
    with pytest.raises(hloscope.ProgramError, match="the inputs of a text are one list"):
        hloscope.run(ADD, [1, 2, 3], 10)


def test_programs_of_pytorch_need_torchax(monkeypatch: pytest.MonkeyPatch) -> None:
    exported = type("ExportedProgram", (), {"__module__": "torch.export.exported_program"})()
    for name in ("torchax", "torch"):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(hloscope.ProgramError, match="becomes StableHLO by torchax, and torch") as told:
            hloscope.record(exported)
        assert "is not installed" in str(told.value)
        assert "pip install torch==" in (told.value.hint or "")
    with pytest.raises(hloscope.ProgramError, match="and torch is not installed"):
        hloscope.torch_backend(None, ())
    with hloscope.torch_graphs() as graphs:
        assert graphs == []


class Function:
    """As TensorFlow's `tf.function(jit_compile=True)` answers: see `experimental_get_compiler_ir`."""

    __module__ = "tensorflow.python.eager.polymorphic_function"
    __name__ = "f"
    variables: tuple[Any, ...] = ()

    def __init__(self, captured: tuple[Any, ...] = ()) -> None:
        self.captured_inputs = captured

    def __call__(self, *arguments: Any) -> Any:
        raise AssertionError("it is not called")

    def experimental_get_compiler_ir(self, *_: Any) -> Any:
        if not self.captured_inputs:
            raise ValueError("not compiled\nand more")
        return lambda stage: ADD


class Tensor:
    """A tensor of TensorFlow's."""

    name, dtype = "bias", "<dtype: 'float32'>"

    def numpy(self) -> Any:
        return np.float32(10)


def test_functions_of_tensorflow() -> None:
    """Captured values are further arguments, at the end."""
    (result,) = hloscope.run(Function((Tensor(),)), np.ones(3, np.float32))
    assert result.tolist() == [11, 11, 11]
    with pytest.raises(hloscope.ProgramError, match="TensorFlow does not give the program: not compiled"):
        hloscope.run(Function(), np.ones(3, np.float32))
    with pytest.raises(hloscope.ProgramError, match="no program of the stage 'passes'"):
        hloscope.record(Function((Tensor(),)), 1, stage="passes")


def test_bytes_and_paths(tmp_path: Any) -> None:
    (tmp_path / "add.mlir").write_text(ADD)
    for given in (ADD.encode(), tmp_path / "add.mlir", str(tmp_path / "add.mlir")):
        assert hloscope.run(given, [[1, 2, 3], 10])[0].tolist() == [11, 12, 13]
        assert hloscope.check(given) == ()
    with pytest.raises(hloscope.ProgramError, match="cannot be read: no such file"):
        hloscope.run(tmp_path / "none.mlir")


def test_maps_of_a_text() -> None:
    assert [maps.op for maps in hloscope.maps(ADD)][:2] == ["%0", "%1"]
    (maps,) = hloscope.maps(ADD, op="%1", direction="both")
    assert "input to output" in str(maps)
    assert len(maps.json()) == 4
    with pytest.raises(hloscope.ProgramError, match="no op of the program computes %7"):
        hloscope.maps(ADD, op="%7")
    with pytest.raises(hloscope.ProgramError, match="no direction 'up'"):
        hloscope.maps(ADD, direction="up")
    with pytest.raises(hloscope.ProgramError, match="no style"):
        maps.text("mine")


def test_every_public_name_is_there() -> None:
    assert sorted(hloscope.__all__) == dir(hloscope)
    assert all(getattr(hloscope, name) is not None for name in hloscope.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = hloscope.nothing


TOKENS = """func.func @main(%t: !stablehlo.token, %x: tensor<2xf32>, %u: !stablehlo.token, %y: tensor<2xf32>)
    -> (!stablehlo.token, tensor<2xf32>) {
  %0 = stablehlo.subtract %x, %y : tensor<2xf32>
  return %t, %0 : !stablehlo.token, tensor<2xf32>
}
"""


def test_tokens_are_given_by_nobody() -> None:
    x, y = np.array([5, 7], np.float32), np.array([1, 2], np.float32)
    for inputs in ([x, y], [None, x, None, y]):
        assert hloscope.run(TOKENS, inputs)[1].tolist() == [4, 5]
    with pytest.raises(hloscope.ProgramError, match="@main takes 2 inputs, not 3"):
        hloscope.run(TOKENS, [x, y, x])


def test_tuples_are_given_as_tuples() -> None:
    text = """HloModule m
ENTRY main {
  p = (f32[2], token[], (s32[], f32[])) parameter(0)
  x = f32[2] get-tuple-element(p), index=0
  q = (s32[], f32[]) get-tuple-element(p), index=2
  n = s32[] get-tuple-element(q), index=0
  ROOT r = (f32[2], s32[]) tuple(x, n)
}
"""
    for given in (([1, 2], (3, 0.5)), [np.ones(2, np.float32), None, (np.int32(3), 0.5)]):
        x, n = hloscope.run(text, [given])
        assert (x.shape, n.tolist()) == ((2,), 3)
    with pytest.raises(hloscope.ProgramError, match="1 values are given for"):
        hloscope.run(text, [([1, 2],)])


def _passed(element_type: str, given: object, shape: str = "2x") -> np.ndarray[Any, Any]:
    type = f"tensor<{shape}{element_type}>"
    text = f"func.func @main(%x: {type}) -> {type} {{ return %x : {type} }}"
    (result,) = hloscope.run(text, [given])
    return result


@for_each(
    ("element_type", "given", "value"),
    [
        ("i4", np.array([-8, 7], np.int8), [-8, 7]),
        ("ui4", np.array([0, 15], np.uint8), [0, 15]),
        ("bf16", np.array([0x3F80, 0xC000], np.uint16), [1, -2]),
        ("f8E4M3FN", np.array([0x38, 0xB8], np.uint8), [1, -1]),
        ("f8E8M0FNU", np.array([127, 128], np.uint8), [1, 2]),
        ("i32", [1, 2], [1, 2]),
        ("i4", [-8, 7], [-8, 7]),
        ("f32", [1, 2.5], [1, 2.5]),
        ("bf16", [1, 2.5], [1, 2.5]),
        ("complex<f32>", [1, 2j], [1, 2j]),
        ("i1", [True, False], [True, False]),
        ("f32", 0.5, [0.5, 0.5]),
        ("i4", -3, [-3, -3]),
        ("ui64", [2**64 - 1, 0], [2**64 - 1, 0]),
        ("!quant.uniform<i8:f32, 0.5>", np.array([1, 2], np.int8), [1, 2]),
        ("!quant.uniform<i8:f32, 0.5>", [1, 2], [1, 2]),
    ],
)
def test_bits_lists_and_numbers_as_on_the_command_line(
    element_type: str, given: Any, value: list[Any]
) -> None:
    assert _passed(element_type, given).astype(object).tolist() == value


@pytest.mark.parametrize(
    ("element_type", "given", "said"),
    [
        ("i4", np.array([8, 0], np.int8), r"cannot take int8\[2\]"),
        ("bf16", np.ones(2, np.float32), "cannot take float32"),
        ("bf16", np.ones(2, np.int16), "cannot take int16"),
        ("i8", [300, 0], "cannot hold 300: i8 has -128 to 127"),
        ("i32", [1.5, 2], "i32 holds no such numbers"),
        ("f32", [1j, 0], "f32 holds no such numbers"),
        ("i1", [2, 0], "i1 holds 0 and 1, false and true"),
        ("f32", ["a", "b"], "f32 holds no such numbers"),
        ("f32", [[1], [2, 3]], "differ in length"),
        ("f32", [1, 2, 3], "its shape is 3, not 2"),
    ],
)
def test_what_a_type_does_not_hold_is_said(element_type: str, given: Any, said: str) -> None:
    with pytest.raises(hloscope.ProgramError, match=said):
        _passed(element_type, given)


def test_one_number_is_no_way_around_the_limits() -> None:
    with pytest.raises(hloscope.ProgramError, match="max_tensor_bytes"):
        _passed("f32", 1.0, "1000000x1000000x")
