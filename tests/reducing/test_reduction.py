"""`hloscope reduce` and `hloscope.reduce` where no XLA is needed."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import hloscope
from hloscope.app.cli.main import main
from hloscope.app.comparing.reducing import reduction
from hloscope.app.comparing.reducing.checks import MakesNan
from hloscope.engine.errors import InputError

from ..reduction.searching import case

TEXT = """func.func @main(%x: tensor<6x4xf32>, %y: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %0 = stablehlo.sine %x : tensor<6x4xf32>
  %1 = stablehlo.subtract %0, %0 : tensor<6x4xf32>
  %2 = stablehlo.divide %1, %1 : tensor<6x4xf32>
  %3 = stablehlo.add %2, %y : tensor<6x4xf32>
  %4 = stablehlo.cosine %y : tensor<6x4xf32>
  return %3, %4 : tensor<6x4xf32>, tensor<6x4xf32>
}
"""
OF_TWO = """func.func @main() -> tensor<f32> {
  %%0 = stablehlo.constant dense<%s> : tensor<f32>
  %%1 = stablehlo.constant dense<%s> : tensor<f32>
  %%2 = stablehlo.%s %%0, %%1 : tensor<f32>
  return %%2 : tensor<f32>
}
"""
INFINITY = "0x7F800000"
INPUTS = [np.ones((6, 4), np.float32), np.full((6, 4), 2, np.float32)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "program.mlir"
    found.write_text(TEXT)
    return found


def test_a_nan_stays_the_same_fault() -> None:
    """The op and the reason stay; the numbers may change."""
    check = MakesNan()
    assert check.holds(case(OF_TWO % ("0.0", INFINITY, "multiply")))
    assert not check.holds(case(OF_TWO % ("0.0", "0.0", "divide")))
    assert not check.holds(case(OF_TWO % (INFINITY, INFINITY, "subtract")))
    assert check.holds(case(OF_TWO % ("-0.0", INFINITY, "multiply")))
    root = MakesNan()
    log = "func.func @main() -> tensor<f32> {\n  %%0 = stablehlo.constant dense<%s> : tensor<f32>\n  %%1 = stablehlo.log %%0 : tensor<f32>\n  return %%1 : tensor<f32>\n}"
    assert root.holds(case(log % "-2.0"))
    assert root.holds(case(log % "-1.0"))


def test_a_nan(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reduce", str(file), "--check", "nan", "--json", "--out", str(tmp_path / "out")]) == 0
    out, told = capsys.readouterr()
    found = json.loads(out)
    assert found["after"] == {"ops": 1, "inputs": 1, "elements": 1, "devices": 1}
    assert (found["ended"], found["deterministic"]) == ("done", True)
    assert "is NaN" in found["finding"]
    assert " s  ops: " in told
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "inputs.npz",
        "program.mlir",
        "report.json",
        "reproduce.py",
    ]
    program = (tmp_path / "out" / "program.mlir").read_text()
    assert "stablehlo.divide" in program
    assert (
        main(
            ["run", str(tmp_path / "out" / "program.mlir"), "--inputs", str(tmp_path / "out" / "inputs.npz")]
        )
        == 0
    )
    assert "np.zeros((1, 1), np.float32)" in (tmp_path / "out" / "reproduce.py").read_text()


def test_a_shell_command(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = 'grep -q cosine && grep -q cosine "$PROGRAM" && test -s "$INPUTS"'
    assert main(["reduce", str(file), "--shell", command]) == 0
    out, _ = capsys.readouterr()
    assert "5 ops, 2 inputs of 48 elements → 1 op, 1 input of 1 element" in out
    assert "stablehlo.cosine" in (file.with_suffix(".reduced") / "program.mlir").read_text()


def test_where_there_is_nothing_to_reduce(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reduce", str(file), "--shell", "false"]) == 1
    assert "nothing to reduce" in capsys.readouterr().err
    assert main(["reduce", str(file), "--check", "it is slow"]) == 2
    assert "'differs from xla'" in capsys.readouterr().err


def test_processes_with_inputs_of_their_own_are_refused() -> None:
    text = """module attributes {mhlo.num_replicas = 2 : i32} {
func.func @main(%x: tensor<ui32>) -> tensor<ui32> {
  %r = stablehlo.replica_id : tensor<ui32>
  %s = stablehlo.add %x, %r : tensor<ui32>
  return %s : tensor<ui32>
}}"""
    with pytest.raises(InputError, match="each of the 2 processes of the program has its own inputs"):
        hloscope.reduce(text, [1], lambda text, inputs: True)


def test_replicas_that_compute_the_same_become_one() -> None:
    text = "module attributes {mhlo.num_replicas = 2 : i32} {\n" + TEXT + "}"
    found = hloscope.reduce(text, INPUTS, lambda text, inputs: "stablehlo.subtract" in text)
    assert (found.before.devices, found.after.devices, found.after.ops) == (2, 1, 1)


def test_a_function() -> None:
    found = hloscope.reduce(TEXT, INPUTS, lambda text, inputs: "stablehlo.subtract" in text)
    assert (found.after.ops, len(found.inputs)) == (1, 1)
    assert found.is_deterministic


def test_the_time_ends_it_with_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = itertools.count()  # a second for each reading of the clock
    monkeypatch.setattr(reduction, "monotonic", lambda: next(ticks))
    found = hloscope.reduce(TEXT, INPUTS, lambda text, inputs: "stablehlo.divide" in text, seconds=5)
    assert found.ended == "time"
    assert found.after.ops <= found.before.ops
    assert "stablehlo.divide" in found.text


def test_ctrl_c_ends_it_with_the_best_so_far() -> None:
    asked = []

    def check(text: str, inputs: object) -> bool:
        asked.append(text)
        if len(asked) == 6:
            raise KeyboardInterrupt
        return "stablehlo.divide" in text

    found = hloscope.reduce(TEXT, INPUTS, check)
    assert found.ended == "interrupted"
    assert "stablehlo.divide" in found.text


def test_a_check_that_does_not_always_hold() -> None:
    asked = []

    def check(text: str, inputs: object) -> bool:
        asked.append(text)
        return "stablehlo.divide" in text and len(asked) % 2 == 1

    found = hloscope.reduce(TEXT, INPUTS, check)
    assert not found.is_deterministic
    assert found.held_at_first == (2, 3)
    assert found.after.ops == 1


def test_what_is_bound_becomes_an_input(tmp_path: Path) -> None:
    file = tmp_path / "call.mlir"
    file.write_text("""func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @mine(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = stablehlo.sine %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}""")
    assert main(["reduce", str(file), "--shell", "grep -q sine", "--bind", "@mine=ones"]) == 0
    assert "custom_call" not in (tmp_path / "call.reduced" / "program.mlir").read_text()


def test_without_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reduce", "no.mlir", "--check", "nan"]) == 2
    assert "no.mlir" in capsys.readouterr().err
