"""`hloscope compare FILE --against xla`: real and planted faults are found, told apart and laid at the right door."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import hloscope
from hloscope.app.cli.main import main
from hloscope.app.comparing.comparing import compare_with_engine
from hloscope.app.comparing.divergence import Divergent, Locator
from hloscope.app.comparing.extra_results import intermediates
from hloscope.app.comparing.our_runs import run_ours
from hloscope.app.comparing.report import EngineComparison, as_json
from hloscope.app.runs.value_files import read_about
from hloscope.app.xla.engine import XlaEngine
from hloscope.engine.comparison.difference import Difference
from hloscope.engine.limits import Limits

from .faults import classes
from .planted import WrongFusion, WrongOp

pytestmark = pytest.mark.oracle

TANH_OF_EXP = """func.func @main(%a: tensor<40xf32>) -> tensor<40xf32> {
  %0 = stablehlo.exponential %a : tensor<40xf32>
  %1 = stablehlo.add %0, %a : tensor<40xf32>
  %2 = stablehlo.tanh %1 : tensor<40xf32>
  return %2 : tensor<40xf32>
}"""
LOOP = """func.func @main(%a: tensor<40xf32>) -> (tensor<40xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %x, %n = stablehlo.while(%x0 = %a, %n0 = %zero) : tensor<40xf32>, tensor<i32>
    cond { %three = stablehlo.constant dense<3> : tensor<i32>
      %go = stablehlo.compare LT, %n0, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1> }
    do { %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %n0, %one : tensor<i32>
      %e = stablehlo.exponential %x0 : tensor<40xf32>
      %t = stablehlo.tanh %e : tensor<40xf32>
      stablehlo.return %t, %next : tensor<40xf32>, tensor<i32> }
  return %x, %n : tensor<40xf32>, tensor<i32>
}"""
SETTLING = """func.func @main(%a: tensor<f32>) -> (tensor<f32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %x, %n = stablehlo.while(%x0 = %a, %n0 = %zero) : tensor<f32>, tensor<i32>
    cond { %most = stablehlo.constant dense<100> : tensor<i32>
      %c = stablehlo.cosine %x0 : tensor<f32>
      %d0 = stablehlo.subtract %c, %x0 : tensor<f32>
      %d = stablehlo.abs %d0 : tensor<f32>
      %eps = stablehlo.constant dense<2.0e-08> : tensor<f32>
      %far = stablehlo.compare GT, %d, %eps : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %left = stablehlo.compare LT, %n0, %most : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %go = stablehlo.and %far, %left : tensor<i1>
      stablehlo.return %go : tensor<i1> }
    do { %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %n0, %one : tensor<i32>
      %e = stablehlo.cosine %x0 : tensor<f32>
      stablehlo.return %e, %next : tensor<f32>, tensor<i32> }
  return %x, %n : tensor<f32>, tensor<i32>
}"""
NUMBERS = np.linspace(-2, 1, 40).astype(np.float32)


@pytest.fixture(scope="module")
def xla() -> Iterator[XlaEngine]:
    """XLA as it is."""
    with XlaEngine() as engine:
        yield engine


def test_a_flag_that_xla_does_not_have_is_a_mistake_of_the_user(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "f.mlir").write_text(TANH_OF_EXP)
    given = "xla:xla_nonsense=1"
    assert main(["compare", str(tmp_path / "f.mlir"), "--against", given]) == 2
    assert f"--against {given}: XLA has no flag xla_nonsense." in capsys.readouterr().err
    reduced = ["--check", "crashes xla", "--xla-flags=--xla_nonsense=1", "--out", str(tmp_path / "out")]
    assert main(["reduce", str(tmp_path / "f.mlir"), *reduced]) == 2
    assert "XLA has no flag --xla_nonsense=1." in capsys.readouterr().err


def compare(engine: XlaEngine, text: str) -> EngineComparison:
    """The whole inquiry on `NUMBERS`."""
    with engine:
        return compare_with_engine(engine, text, run_ours(text, [NUMBERS], Limits()), {}, Limits())


def test_a_planted_fault_of_code_generation() -> None:
    found = compare(WrongFusion(), TANH_OF_EXP)
    assert found.verdict == "wrong"
    assert found.attribution is not None
    assert found.attribution.culprit == "code generation"
    assert found.attribution.isolation is not None
    assert found.attribution.isolation.culprit is not None
    assert found.attribution.isolation.culprit.instruction.written.opcode == "fusion"
    assert found.attribution.lines == (2, 3, 4)
    assert [(trial.pass_name, trial.is_cured) for trial in found.attribution.switched_off] == [
        ("fusion", True)
    ]
    json.dumps(as_json(found), allow_nan=False)


def test_a_planted_fault_within_a_loop() -> None:
    found = compare(WrongFusion(), LOOP)
    assert found.attribution is not None
    assert found.attribution.isolation is not None
    assert found.attribution.isolation.culprit is not None
    assert found.attribution.lines == (9, 10)
    # Texts before copies are inserted share buffers wrongly: they are not taken for evidence.
    assert any("copy-insertion" in answer.problem for answer in found.attribution.answers)
    # XLA would hang on a text between the steps of copy-insertion, and without the pass.
    assert not any("did not answer" in answer.problem for answer in found.attribution.answers)
    assert [trial.pass_name for trial in found.attribution.switched_off] == ["fusion"]


def test_a_planted_fault_of_one_op_is_found_at_that_op() -> None:
    found = compare(WrongOp(), TANH_OF_EXP)
    assert found.located is not None
    assert found.located.first is not None
    assert (found.located.first.name, found.located.first.line) == ("%2", 4)
    assert not found.located.is_hidden


def test_each_class_of_difference_is_called_so(xla: XlaEngine) -> None:
    import jax

    for name, case in classes().items():
        text = str(jax.jit(case.function).lower(*case.inputs).as_text())
        found = compare_with_engine(xla, text, run_ours(text, case.inputs, Limits()), {}, Limits())
        assert found.verdict in case.verdicts, f"{name}: {found}"
        if found.verdict == "identity":
            assert found.attribution is not None
            assert found.attribution.suspect is not None
            assert found.attribution.suspect.stage.changed_by == "algsimp", name


def test_a_crash_is_laid_at_the_pass_that_made_the_text() -> None:
    found = hloscope.compare(
        lambda a, b: (a * b).sum(3), inputs=[np.ones((3, 1, 2, 2, 8, 8, 8), np.float32)] * 2, against="xla"
    )
    if found.is_fine:
        pytest.skip(f"{found.engine} does not have the fault of jax-ml/jax#40412")
    assert "SIGSEGV" in found.failure
    assert found.attribution is not None
    assert [(trial.pass_name, trial.is_cured) for trial in found.attribution.switched_off] == [
        ("dot-library-rewriter", True)
    ]


def test_a_loop_that_is_right_is_called_so(xla: XlaEngine) -> None:
    found = compare_with_engine(xla, LOOP, run_ours(LOOP, [NUMBERS], Limits()), {}, Limits())
    assert found.is_fine


def test_a_loop_that_rounding_ends_may_end_earlier() -> None:
    """Exact numbers settle after 38 iterations, and ours, each off by a rounding, never do."""
    run = run_ours(SETTLING, [np.float32(0.7)], Limits())
    count = next(value for value in intermediates(run) if value.value.name == "%n")
    assert run.recording.value(count.addresses[0]) == 100
    first = Divergent("%n", count.op, count.line, Difference("wrong"))
    for theirs, is_as_near in ((38, True), (10_000, False)):
        locator = Locator(XlaEngine(), run, {}, found={"%n": [np.array(theirs, np.int32)]})
        assert locator.is_as_near(first, Limits()) is is_as_near


def test_a_scheduled_text_goes_to_code_generation_as_it_is(xla: XlaEngine) -> None:
    text = xla.optimize(TANH_OF_EXP)
    assert compare_with_engine(xla, text, run_ours(text, [NUMBERS], Limits()), {}, Limits()).is_fine
    found = compare(WrongFusion(), text)
    assert found.verdict == "wrong"
    assert found.attribution is not None
    assert found.attribution.isolation is not None
    assert found.attribution.isolation.culprit is not None


def test_the_values_of_xla_are_a_run_to_compare_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "f.mlir").write_text(TANH_OF_EXP)
    values = tmp_path / "xla.npz"
    file, given = str(tmp_path / "f.mlir"), ["--input", "iota"]
    assert main(["compare", file, "--against", "xla", "--save-values", str(values), *given]) == 0
    with np.load(values) as found:
        assert {"%0", "%1", "%2", "out_0"} <= set(found)
        assert read_about(found)["engine"].startswith("XLA of jaxlib ")
    capsys.readouterr()
    assert main(["compare", file, str(values), "--json", *given]) == 0
    summary = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert summary["values"] >= 3
    assert summary["only_after"] == []
