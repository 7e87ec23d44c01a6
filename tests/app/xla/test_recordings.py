"""Recordings whose values XLA computes: steps, values, findings, the unmodified program, and what XLA refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hloscope
from hloscope.app.cli.main import main
from hloscope.app.comparing.on_device import ResultDifference, UnmodifiedRun, executor_on
from hloscope.app.comparing.strict import strict_plan
from hloscope.app.processes.arrays import Array
from hloscope.app.runs.executed_values import KeptExecutor
from hloscope.app.runs.launching import RunPlan
from hloscope.app.xla.engine import ALONE, Grid, Overrides, Versions
from hloscope.app.xla.executor import XlaExecutor
from hloscope.app.xla.failures import XlaCrashed, XlaNoPlatform, XlaRefused, XlaTimedOut
from hloscope.engine.debugger.address import result
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import InputError
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.ops.core.process_groups import Grid as ProcessGrid
from hloscope.engine.ops.core.values import leaves
from tests.app.export.one_file.pages import parts_of
from tests.debugger.programs import recorded
from tests.debugger.test_executor import LAYERS, LOG, LOOP
from tests.programs import load_program

X = np.arange(4, dtype=np.float32)
SCATTER = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = stablehlo.constant dense<[[0], [0], [1], [1]]> : tensor<4x1xi32>
  %0 = "stablehlo.scatter"(%x, %i, %x) <{scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
REFUSED = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  %1 = stablehlo.custom_call @nowhere(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.negate %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
"""
MEAN_OF_TWO = """module attributes {mhlo.num_replicas = 2 : i32} {
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sine %x : tensor<4xf32>
  %1 = "stablehlo.all_reduce"(%0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.tanh %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
}
"""
MANUAL = """module attributes {mhlo.num_partitions = 2 : i32} {
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%y: tensor<2xf32>) {
    %1 = stablehlo.sine %y : tensor<2xf32>
    sdy.return %1 : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
}
"""
FUSED = """HloModule fused, is_scheduled=true

fused_computation {
  a = f32[4]{0} parameter(0)
  b = f32[4]{0} multiply(a, a)
  ROOT c = f32[4]{0} sine(b)
}

ENTRY main {
  x = f32[4]{0} parameter(0)
  ROOT f = f32[4]{0} fusion(x), kind=kLoop, calls=fused_computation
}
"""


class StandIn:
    """An engine that fails as told."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.requests = 0

    def versions(self) -> Versions:
        return Versions("1", "1", "cpu")

    def run(self, *_: Any, **__: Any) -> list[Array]:
        self.requests += 1
        raise self.failures[min(self.requests, len(self.failures)) - 1]

    def optimize(self, text: str, overrides: Overrides | None = None, grid: Grid = ALONE) -> str:
        return text


# Without XLA


@pytest.mark.parametrize("failure", [XlaCrashed(-11), XlaTimedOut(5)])
def test_a_failure_of_xla_names_the_operations(failure: Exception) -> None:
    recording = recorded(LAYERS, [X, X], executor=XlaExecutor(StandIn(failure)), ends="failed")
    found = recording.state.describe(recording.program.module.source)
    assert str(failure) in found
    assert "with the operations up to line 4" in found


def test_what_xla_refuses_is_computed_by_the_engine() -> None:
    executor = XlaExecutor(StandIn(XlaRefused("UNIMPLEMENTED: no\nfurther words")))
    recording = recorded(LAYERS, [X, X], executor=executor)
    plain = recorded(LAYERS, [X, X])
    assert recording.state.kind == "done"
    assert recording.value(result(1)).tobytes() == plain.value(result(1)).tobytes()
    assert set(executor.refused.values()) == {"UNIMPLEMENTED: no"}
    assert {recording.program.ops[op].operation.name for op in executor.refused} == {
        "stablehlo.multiply",
        "stablehlo.tanh",
    }


def test_a_refused_operation_is_tried_once() -> None:
    engine = StandIn(XlaRefused("UNIMPLEMENTED"))
    program = load_program(LOOP)
    executor = XlaExecutor(engine)
    Recording(program, [X], executor=executor).record()
    first = engine.requests
    Recording(program, [X], executor=executor).record()
    assert engine.requests == first


def test_results_that_a_device_adds_in_any_order_are_kept() -> None:
    class InAnyOrder(StandIn):
        def versions(self) -> Versions:
            return Versions("1", "1", "gpu", "NVIDIA H200")

        def run(self, *_: Any, **__: Any) -> list[Array]:
            self.requests += 1
            return [np.full(4, self.requests, np.float32)]

    limits = replace(DEFAULT_LIMITS, recording_bytes=1)
    program = load_program(SCATTER)
    recording = recorded(program, [X], limits, executor=XlaExecutor(InAnyOrder()))
    assert recording.has_dropped
    (returned,) = recording.results() or ()
    assert recording.value(result(1)).tolist() == returned.tolist()
    other = recorded(program, [X + 1], limits, executor=recording.executor)
    assert (other.results() or ())[0].tolist() != returned.tolist()


def test_differences_from_the_unmodified_program_are_said() -> None:
    assert "the same bits" in UnmodifiedRun().sentence
    found = UnmodifiedRun((ResultDifference(0, 3, 12, 2.0), ResultDifference(1, 1, 1, None))).sentence
    assert "result 0 in 3 of 12 elements, by at most 2 ULP; result 1 in 1 of 1 elements" in found
    many = tuple(ResultDifference(number, 1, 2, float(number)) for number in range(7))
    found = UnmodifiedRun((*many, ResultDifference(7, 1, 2, float("nan")))).sentence
    assert "has other bits in 8 results; the 5 furthest: result 7 in" in found
    assert found.endswith("result 3 in 1 of 2 elements, by at most 3 ULP")
    assert "one is NaN" in ResultDifference(0, 1, 2, float("nan")).sentence
    assert UnmodifiedRun(problem="no").sentence == "the unmodified program was not compared: no"


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(InputError, match="'mars' is not an engine"):
        executor_on("mars")


def test_a_recording_of_our_engine_says_so() -> None:
    recording = hloscope.record(LOG, [[1, 2, 3]])
    assert recording.computed_by == "hloscope"
    assert recording.unmodified is None
    assert repr(recording) == "<hloscope.Recording <text>: 4 steps, computed by hloscope>"


# With XLA


@pytest.mark.oracle
def test_a_recording_has_the_bits_of_the_unmodified_program() -> None:
    recording = hloscope.record(LOG, [[1.0, 2.0, -1.0]], on="cpu")
    assert recording.computed_by.startswith("XLA of jaxlib ")
    assert recording.computed_by in repr(recording)
    assert recording.unmodified is not None
    assert recording.unmodified.is_same
    (finding,) = recording.findings
    assert "log, 1 of 3 elements, where %0 is negative" in finding.sentence


@pytest.mark.oracle
@pytest.mark.parametrize("text", [LAYERS, LOOP])
def test_the_steps_are_ours_and_dropped_values_come_back(text: str) -> None:
    program = load_program(text)
    inputs = [X] * len(program.blocks[0].arguments)
    executor = executor_on("cpu")
    limits = replace(DEFAULT_LIMITS, recording_bytes=1)
    small = Recording(program, inputs, limits, executor=executor)
    small.record(steps=4)
    small.record()
    large = recorded(program, inputs, executor=executor)
    ours = recorded(text, inputs)
    assert large.tracks[0].op_column.tolist() == ours.tracks[0].op_column.tolist()
    assert small.has_dropped
    for step, op in enumerate(large.tracks[0].op_column.tolist()):
        if program.ops[op].results and large.tracks[0].finish_of(step) is not None:
            value = large.value(result(step))
            assert value.tobytes() == small.value(result(step)).tobytes()
            assert np.allclose(value, ours.value(result(step)), rtol=1e-5)
    assert not executor.repeated_differently


@pytest.mark.oracle
def test_code_that_xla_lacks_takes_bound_values() -> None:
    recording = hloscope.record(REFUSED, [X], bindings={"@nowhere": X}, on="cpu")
    assert recording.state.kind == "done"
    assert recording["%2"].numpy().tolist() == (-X).tolist()
    stopped = hloscope.record(REFUSED, [X], on="cpu")
    assert stopped.state.kind == "failed"
    assert "@nowhere calls code outside of the program" in stopped.state.reason


@pytest.mark.oracle
def test_processes_exchange_values_that_xla_computes() -> None:
    recording = hloscope.record(MEAN_OF_TWO, [hloscope.Each([X, 2 * X])], on="cpu")
    assert recording.state.kind == "done"
    expected = np.tanh(np.sin(X) + np.sin(2 * X))
    for track in recording.tracks:
        (found,) = track.results() or ()
        assert np.allclose(found, expected, rtol=1e-5)
    assert recording.unmodified is not None
    assert not recording.unmodified.problem


@pytest.mark.oracle
def test_bodies_of_manual_computations_run_on_the_device() -> None:
    recording = hloscope.record(MANUAL, [X], on="cpu")
    executor = recording.executor
    assert isinstance(executor, XlaExecutor)
    assert executor.executions == 2
    np.testing.assert_allclose(np.asarray((recording.tracks[1].results() or ())[0]), np.sin(X), 1e-6)


@pytest.mark.oracle
def test_a_fusion_of_optimised_text_is_a_frame() -> None:
    recording = hloscope.record(FUSED, [X], on="cpu")
    assert recording.tracks[0].frame_count == 2
    assert np.allclose(recording["%c"].numpy(), np.sin(X * X), rtol=1e-6)
    assert recording.unmodified is not None
    assert not recording.unmodified.problem


@pytest.mark.oracle
def test_a_function_of_jax_is_recorded_on_xla() -> None:
    jnp = pytest.importorskip("jax.numpy")
    recording = hloscope.record(lambda x: jnp.tanh(x @ x).sum(), jnp.ones((3, 3)), on="xla")
    assert recording.state.kind == "done"
    assert recording.name == "<lambda>"


@pytest.mark.oracle
def test_a_missing_platform_is_said() -> None:
    with pytest.raises(XlaNoPlatform, match="jax finds no tpu"):
        hloscope.record(LOG, [[1.0, 2.0, 3.0]], on="tpu")


@pytest.mark.oracle
def test_commands_record_on_xla(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "log.mlir"
    file.write_text(LOG)
    inputs = ["--input", "[1, 2, -1]", "--on", "xla"]
    assert main(["run", str(file), *inputs]) == 0
    told = capsys.readouterr()
    assert "%out_0" in told.out
    assert "computed by XLA of jaxlib" in told.err.splitlines()[0]
    assert "the same bits as those of the unmodified program" in told.err.splitlines()[0]
    assert main(["findings", str(file), "--json", *inputs]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["computed_by"].startswith("XLA of jaxlib ")
    assert found["findings"][0]["op"] == "stablehlo.log"
    assert main(["compare", str(file), *inputs]) == 0
    assert "values" in capsys.readouterr().out
    assert main(["run", str(file), "--on", "tpu"]) == 2
    assert "--on tpu: jax finds no tpu" in capsys.readouterr().err


@pytest.mark.oracle
@pytest.mark.parametrize("text", [LAYERS, LOOP])
def test_a_strict_recording_has_the_bits_of_the_unmodified_program(text: str) -> None:
    count = len(load_program(text).blocks[0].arguments)
    recording = hloscope.record(text, [X] * count, on="cpu", strict=True)
    assert recording.state.kind == "done"
    assert recording.program.module.language == "hlo"
    assert recording.unmodified is not None
    assert recording.unmodified.is_same, recording.unmodified.sentence
    executor = recording.executor
    assert isinstance(executor, XlaExecutor)
    assert executor.executions
    assert not executor.refused


@pytest.mark.oracle
def test_the_body_of_a_fusion_explains_its_result(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    recording = hloscope.record(FUSED, [X], on="cpu", strict=True)
    assert recording.tracks[0].frame_count == 2
    (fusion,) = recording.of_op("hlo.fusion")
    assert recording.provenance(fusion.results[0].address, (2,)).inputs
    file = tmp_path / "fused.hlo"
    file.write_text(FUSED)
    assert main(["run", str(file), "--input", "[1, 2, 3, 4]", "--strict"]) == 2
    assert "name where with --on cpu" in capsys.readouterr().err
    assert main(["compare", str(file), "--input", "[1, 2, 3, 4]", "--strict", "--on", "cpu"]) == 0
    assert capsys.readouterr().out == "All 4 values have the same bits.\n"


def test_strict_recordings_have_limits() -> None:
    executor = XlaExecutor(StandIn(XlaRefused("no")))
    program = load_program(MEAN_OF_TWO)
    assert program.entry is not None
    plan = RunPlan(program, program.entry, ProcessGrid(2, 1), (), {}, {}, DEFAULT_LIMITS)
    with pytest.raises(InputError, match="one process"):
        strict_plan(plan, executor)
    with pytest.raises(InputError, match="records what XLA compiles"):
        hloscope.record(LOG, [X[:3]], strict=True)


# Saved


@pytest.mark.oracle
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("text", [LOOP, LOG])
def test_a_saved_recording_opens_without_the_device(text: str, strict: bool, tmp_path: Path) -> None:
    recording = hloscope.record(text, [X if text is LOOP else X[:3] - 1], on="cpu", strict=strict)
    recording.save(tmp_path / "run.npz")
    opened = hloscope.load(tmp_path / "run.npz")
    assert opened.computed_by == recording.computed_by
    assert isinstance(opened.executor, KeptExecutor)
    assert recording.unmodified is not None
    assert opened.unmodified is not None
    assert opened.unmodified.sentence == recording.unmodified.sentence
    assert opened.tracks[0].op_column.tolist() == recording.tracks[0].op_column.tolist()
    for step, op in enumerate(recording.tracks[0].op_column.tolist()):
        for number in range(len(recording.program.ops[op].results)):
            pair = [[*leaves(run.value(result(step, number)))] for run in (recording, opened)]
            assert [leaf.tobytes() for leaf in pair[0]] == [leaf.tobytes() for leaf in pair[1]]
    sentences = [[finding.sentence for finding in run.findings] for run in (recording, opened)]
    assert sentences[0] == sentences[1]


@pytest.mark.oracle
def test_a_bundle_is_opened_by_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, bundle = tmp_path / "log.mlir", tmp_path / "run.npz"
    file.write_text(LOG)
    assert main(["bundle", str(file), "--input", "[1, 2, -1]", "--on", "xla", "-o", str(bundle)]) == 0
    assert "computed by XLA of jaxlib" in capsys.readouterr().err
    file.unlink()
    assert main(["findings", str(bundle), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["computed_by"].startswith("XLA of jaxlib ")
    assert "where %0 is negative" in found["findings"][0]["sentence"]
    assert main(["run", str(bundle)]) == 0
    told = capsys.readouterr()
    assert "%out_0" in told.out
    assert "computed by XLA" in told.err
    page = tmp_path / "run.html"
    assert main(["run", str(bundle), "--html", str(page)]) == 0
    start = json.loads(parts_of(page.read_bytes())["session"])["run"]["start"]
    assert start["by"] in capsys.readouterr().err
    assert start["note"] == "its results have the same bits as those of the unmodified program"
    assert main(["run", str(bundle), "--input", "[1, 2, 3]"]) == 2
    assert "a saved recording, which has its inputs" in capsys.readouterr().err
    for operands in ([str(bundle)] * 2, [str(file), str(bundle), "--input", "[1, 2, -1]"]):
        file.write_text(LOG)
        assert main(["compare", *operands]) == 0
        assert "4 values" in capsys.readouterr().out


@pytest.mark.oracle
def test_a_bundle_of_another_program_is_refused(tmp_path: Path) -> None:
    hloscope.record(LOG, [X[:3]], on="cpu").save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as arrays:
        changed = dict(arrays)
    changed["executed_values"] = changed["executed_values"][:-1]
    np.savez(tmp_path / "cut.npz", **changed)
    with pytest.raises(InputError, match="do not belong to its program"):
        hloscope.load(tmp_path / "cut.npz")


# NaN watches


@pytest.mark.oracle
def test_a_nan_watch_records_on_the_device() -> None:
    jax = pytest.importorskip("jax")
    jnp = jax.numpy

    f = jax.jit(lambda x: jnp.log(x) + 1)

    with hloscope.on_nan(open=False, on="cpu") as seen:
        f(np.array([1.0, -1.0], np.float32))
    assert seen.recording is not None
    assert seen.recording.computed_by.startswith("XLA of jaxlib ")
    assert seen.cause is not None
    assert "born in stablehlo.log" in seen.sentence

    watched = hloscope.watch(open=False, on="cpu")(f)
    watched(np.array([1.0, -1.0], np.float32))
    assert watched.nan_watch.recording is not None
    assert watched.nan_watch.recording.computed_by.startswith("XLA of jaxlib ")
