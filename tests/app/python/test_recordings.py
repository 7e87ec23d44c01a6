"""Recordings as Python code looks at them: values by name and place, steps, frames, and files."""

from __future__ import annotations

import doctest
from pathlib import Path

import numpy as np
import pytest

import hloscope
from hloscope.app.python import recording as python_recording

ROOT = Path(__file__).parents[3]
LOOP = """func.func @main(%x: tensor<2xf32> loc("params['w']")) -> tensor<2xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %c, %v = %x) : tensor<i32>, tensor<2xf32>
  cond {
    %three = stablehlo.constant dense<3> : tensor<i32>
    %go = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %double = stablehlo.add %v, %v : tensor<2xf32> loc("jit(f)/head/add"("/projects/me/train.py":12:4 to 13:9))
    stablehlo.return %next, %double : tensor<i32>, tensor<2xf32>
  }
  return %r#1 : tensor<2xf32>
}
"""


@pytest.fixture(scope="module")
def loop() -> hloscope.Recording:
    return hloscope.record(LOOP, [[1, 2]])


def test_docstrings_run() -> None:
    assert doctest.testmod(python_recording).failed == 0
    assert doctest.testmod(python_recording).attempted > 5


def test_a_name_that_was_computed_several_times(loop: hloscope.Recording) -> None:
    assert [value.numpy().tolist() for value in loop.values("%double")] == [[2, 4], [4, 8], [8, 16]]
    assert loop["%double"].numpy().tolist() == [8, 16]
    assert np.asarray(loop["double"], np.float64).dtype == np.float64
    assert loop["%r#1"].numpy().tolist() == [8, 16]
    assert [value.name for value in loop.values("r")] == [
        "%r#0",
    ]
    assert loop["params['w']"].numpy().tolist() == [1, 2]
    assert [value.numpy().tolist() for value in loop.values("%i")] != []


def test_an_argument_by_its_name_on_the_page() -> None:
    text = "func.func @main(%arg0: tensor<f32> loc(\"params['w']\")) -> tensor<f32> { return %arg0 : tensor<f32> }"
    recording = hloscope.record(text, [3.0])
    for name in ("%params.w", "params.w", "params['w']", "%arg0"):
        assert recording[name].numpy() == 3


def test_mistakes_are_told(loop: hloscope.Recording) -> None:
    with pytest.raises(hloscope.ProgramError, match=r"nothing/here\.mlir cannot be read: no such file"):
        hloscope.record("nothing/here.mlir")
    with pytest.raises(hloscope.ProgramError, match="the inputs of a text are one list, and 3 is given"):
        hloscope.run(LOOP, 3)
    with pytest.raises(hloscope.ProgramError, match="not grouped by 'ops'"):
        loop.profile(by="ops")  # type: ignore[arg-type]


def test_an_error_shows_its_hint() -> None:
    with pytest.raises(hloscope.ProgramError) as caught:
        hloscope.run(LOOP, [np.ones(2)])
    assert caught.value.__notes__ == ["hint: Convert it with array.astype(np.float32)."]


def test_a_name_that_is_not_there(loop: hloscope.Recording) -> None:
    with pytest.raises(hloscope.ProgramError, match="no value %doubel"):
        loop["%doubel"]
    with pytest.raises(IndexError):
        loop[1_000]


def test_steps_by_place(loop: hloscope.Recording) -> None:
    doubles = loop.values("%double")
    steps = [value.step for value in doubles]
    assert list(loop.on_line(11)) == steps
    assert list(loop.from_source("train.py:13")) == steps
    assert list(loop.from_source("me/train.py:12")) == steps
    assert loop.from_source("rain.py:12") == ()
    assert loop.from_source("train.py:14") == ()
    assert list(loop.in_scope("head")) == steps
    assert loop.in_scope("hea") == ()
    assert steps[0] in loop.of_op("add")
    assert loop.of_op("stablehlo.while")[0].line == 3
    assert steps[0] is not None
    assert (steps[0].source, steps[0].scope) == ("/projects/me/train.py:12:4", "jit(f)/head")


def test_iterations_of_a_loop(loop: hloscope.Recording) -> None:
    (step,) = loop.of_op("while")
    assert len(step.iterations) == 4
    body = step.iterations[1][1]
    assert [each.op for each in body][-2:] == ["stablehlo.add", "stablehlo.return"]
    assert body.arguments[1].numpy().tolist() == [2, 4]
    assert body.iteration == 1
    assert body.opener == step
    assert body.parent is not None
    assert body.parent.parent is None
    assert len(list(loop.frames())) == 8
    assert len(list(loop)) == len(loop)


def test_what_a_step_read_and_made(loop: hloscope.Recording) -> None:
    last = loop["%double"].step
    assert last is not None
    assert [value.numpy().tolist() for value in last.operands] == [[4, 8], [4, 8]]
    assert last.results == (loop["%double"],)
    assert last.text.startswith("%double = stablehlo.add")
    assert loop["%double"].shape == (2,)
    assert loop["%double"].dtype == np.float32
    assert loop["%double"].frame == last.frame


def test_positions(loop: hloscope.Recording) -> None:
    step = loop.step_at("%double")
    assert loop[step].op == "stablehlo.add"
    assert loop.step_at("train.py:12") == loop.values("%double")[0].address.number
    while_op = loop.of_op("while")[0]._bound.id
    assert loop.path_of(step) == [(while_op, 2)]
    assert loop.path_of(0) == []
    for wrong in ("train.py:99", 10_000):
        with pytest.raises(hloscope.ProgramError):
            loop.step_at(wrong)


def test_provenance(loop: hloscope.Recording) -> None:
    found = loop.provenance("%r#1", (1,))
    assert found.complete
    (given,) = [value for value in found.inputs if value.name == "%x"]
    assert found.elements[given.address].count == 1
    forward = loop.provenance(given, (0,), forward=True)
    assert loop["%r#1"] in forward.values
    with pytest.raises(hloscope.ProgramError, match="no element"):
        loop.provenance("%r#1", (2,))


EINSUM = """func.func @main(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32> loc("jit(f)/qd,kd->kq/dot_general")
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32> loc("jit(f)/qd,kd->kq/transpose")
  return %1 : tensor<4x2xf32>
}
"""


def test_dimensions_are_named_by_the_subscripts_of_einsum() -> None:
    recording = hloscope.record(EINSUM, [1.0, 2.0])
    assert recording["%1"].dims == ("k", "q")
    assert recording["%0"].dims is None
    assert recording["%x"].dims is None


SMALL = """func.func @main(%x: tensor<2xbf16>, %y: tensor<2xf8E4M3FN>, %t: !stablehlo.token) -> tensor<2xbf16> {
  %0 = stablehlo.custom_call @f(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  %1 = stablehlo.add %0, %x : tensor<2xbf16>
  return %1 : tensor<2xbf16>
}
"""


def test_a_recording_comes_back_from_its_file(tmp_path: Path, loop: hloscope.Recording) -> None:
    loop.save(tmp_path / "loop.hloscope")
    again = hloscope.load(tmp_path / "loop.hloscope")
    assert [step.op for step in again] == [step.op for step in loop]
    assert again["%r#1"].numpy().tolist() == [8, 16]
    small = hloscope.record(SMALL, [[1, 2], [3, 4]], bindings={"@f": [5, 6]})
    small.save(tmp_path / "small.hloscope")
    loaded = hloscope.load(tmp_path / "small.hloscope")
    assert loaded["%1"].dtype == small["%1"].dtype
    assert loaded["%1"].numpy().astype(float).tolist() == [6, 8]
    assert loaded["%y"].numpy().astype(float).tolist() == [3, 4]


GRID = """HloModule m, replica_count=2
ENTRY main {
  x = f32[2] parameter(0)
  ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply=add
}
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
"""


def test_a_run_of_several_processes_comes_back(tmp_path: Path) -> None:
    recording = hloscope.record(GRID, [hloscope.Each([[1, 2], [3, 4]])])
    assert recording.state.kind == "done", recording.state
    recording.save(tmp_path / "grid.hloscope")
    again = hloscope.load(tmp_path / "grid.hloscope")
    assert [value.numpy().tolist() for value in again.values("r")] == [[4, 6], [4, 6]]


def test_other_files_are_no_recordings(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", about=np.zeros(3, np.uint8), program=np.zeros(1, np.uint8))
    (tmp_path / "text").write_text("hello")
    for name in ("x.npz", "text"):
        with pytest.raises(hloscope.ProgramError):
            hloscope.load(tmp_path / name)


def test_maps_of_an_op(loop: hloscope.Recording) -> None:
    assert str(loop.map("%double")) == str(loop.map(loop.step_at("%double")))
    assert str(loop.map("%double")).startswith("operand id = 0 (d0) -> (d0)")
    assert len(loop.map("%double").maps) == len(loop.map("%double").inverse) == 2
    with pytest.raises(hloscope.ProgramError, match="reads nothing"):
        loop.map("%x")


def test_the_document_runs() -> None:
    found = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    assert (found.failed, found.attempted > 5) == (0, True)


def test_an_address_may_be_a_text(loop: hloscope.Recording) -> None:
    last = loop["%double"]
    assert loop[str(last.address)].numpy().tolist() == loop[last.address].numpy().tolist() == [8, 16]
    assert loop.step_at(str(last.address)) == loop.step_at(last.address)
    with pytest.raises(hloscope.ProgramError):
        loop["0.s99999.0"]
