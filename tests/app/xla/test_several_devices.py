"""Programs of several processes against XLA on as many devices of a CPU: results and values of each process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import hloscope
from hloscope.app.cli.main import main
from hloscope.app.comparing.comparing import compare_with_engine
from hloscope.app.comparing.our_runs import OurRun
from hloscope.app.comparing.report import EngineComparison
from hloscope.app.xla.engine import XlaEngine
from hloscope.engine.limits import Limits

from .planted import WrongFusion, WrongOp
from .sharded_faults import SLICE, UPDATE

pytestmark = pytest.mark.oracle

ADDING = """({^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32> })"""


def all_reduce(replicas: int, partitions: int) -> str:
    """Groups of two neighbours, after each process has made its value another one."""
    count = replicas * partitions
    groups = [[k, k + 1] for k in range(0, count, 2)]
    return f"""module attributes {{mhlo.num_replicas = {replicas} : i32, mhlo.num_partitions = {partitions} : i32}} {{
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {{
  %p = stablehlo.partition_id : tensor<ui32>
  %f = stablehlo.convert %p : (tensor<ui32>) -> tensor<f32>
  %w = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  %y = stablehlo.add %x, %w : tensor<2x3xf32>
  %r = "stablehlo.all_reduce"(%y) {ADDING} {{replica_groups = dense<{groups}> : tensor<{count // 2}x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %t = stablehlo.tanh %r : tensor<2x3xf32>
  return %t : tensor<2x3xf32>
}}}}"""


def shifted(partitions: int) -> str:
    """Each process sends its part on to the next, and then all have all of them."""
    pairs = [[k, (k + 1) % partitions] for k in range(partitions)]
    groups = [list(range(partitions))]
    return f"""module attributes {{mhlo.num_partitions = {partitions} : i32}} {{
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<{2 * partitions}xf32>) {{
  %n = "stablehlo.collective_permute"(%x) {{source_target_pairs = dense<{pairs}> : tensor<{partitions}x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}} : (tensor<2xf32>) -> tensor<2xf32>
  %a = "stablehlo.all_gather"(%n) {{all_gather_dim = 0 : i64, replica_groups = dense<{groups}> : tensor<1x{partitions}xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids}} : (tensor<2xf32>) -> tensor<{2 * partitions}xf32>
  %t = stablehlo.tanh %a : tensor<{2 * partitions}xf32>
  return %n, %t : tensor<2xf32>, tensor<{2 * partitions}xf32>
}}}}"""


MLP = """module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["batch"=2, "model"=2]>
  func.func @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"batch"}, {}]>},
                  %u: tensor<6x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
                  %v: tensor<10x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>})
      -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"batch"}, {}]>}) {
    %h = stablehlo.dot_general %x, %u, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x10xf32>) -> tensor<8x10xf32>
    %t = stablehlo.tanh %h : tensor<8x10xf32>
    %y = stablehlo.dot_general %t, %v, contracting_dims = [1] x [0] : (tensor<8x10xf32>, tensor<10x4xf32>) -> tensor<8x4xf32>
    return %y : tensor<8x4xf32>
  }
}"""


def random(*shape: int) -> NDArray[np.float32]:
    return np.random.default_rng(3).standard_normal(shape).astype(np.float32)


def recorded(text: str, *inputs: Any) -> OurRun:
    """Our run, on the grid that the program states."""
    return OurRun(hloscope.record(text, list(inputs)))


def compared(text: str, run: OurRun, engine: type[XlaEngine] = XlaEngine) -> EngineComparison:
    with engine(devices=len(run.processes)) as xla:
        return compare_with_engine(xla, text, run, {}, Limits())


@pytest.mark.parametrize("grid", [(1, 2), (2, 1), (2, 2), (1, 8), (4, 2)])
def test_an_all_reduce_has_the_same_result_in_each_process(grid: tuple[int, int]) -> None:
    text = all_reduce(*grid)
    run = recorded(text, random(2, 3))
    assert len(run.processes) == grid[0] * grid[1]
    found = compared(text, run)
    assert found.is_fine, str(found)
    assert len(found.results) == len(run.processes)


@pytest.mark.parametrize("count", [2, 3, 8])
def test_a_permutation_and_an_all_gather(count: int) -> None:
    text = shifted(count)
    run = recorded(text, hloscope.Each(list(random(count, 2))))
    assert not np.array_equal(run.results[0], run.results[2])
    found = compared(text, run)
    assert found.is_fine, str(found)
    assert len(found.results) == 2 * count


def test_a_sharded_program_takes_and_gives_whole_values() -> None:
    inputs = random(8, 6), random(6, 10), random(10, 4)
    run = recorded(MLP, *inputs)
    assert run.grid == (1, 4, True)
    assert len(run.arguments) == 3
    found = compared(MLP, run)
    assert found.is_fine, str(found)


@pytest.mark.parametrize("text", [MLP, shifted(4)])
def test_the_op_where_the_processes_part_is_named(text: str) -> None:
    run = recorded(text, *([random(8, 6), random(6, 10), random(10, 4)] if text is MLP else [random(2)]))
    found = compared(text, run, WrongOp)
    assert found.verdict == "wrong"
    assert found.located is not None
    assert found.located.first is not None
    assert (found.located.first.name, found.located.first.op) == ("%t", "stablehlo.tanh")
    assert found.attribution is not None
    assert (
        found.attribution.text_is_right
    )  # the fault is planted before the passes, which the dump does not have
    assert found.attribution.problem == ""


@pytest.mark.parametrize(
    ("text", "inputs", "guilty"),
    [
        (*UPDATE, "spmd-partitioning"),
        (*SLICE, "algsimp"),
    ],
)  # fmt: skip
def test_the_pass_that_changed_a_sharded_program_is_named(text: str, inputs: list[Any], guilty: str) -> None:
    found = compared(text, recorded(text, *inputs))
    if found.is_fine:
        pytest.skip(f"{found.engine} does not have this fault")
    assert found.attribution is not None
    assert found.attribution.culprit == "pass"
    assert found.attribution.suspect is not None
    assert found.attribution.suspect.stage.changed_by == guilty
    trial = found.attribution.switched_off[0]
    assert (trial.pass_name, trial.is_cured) == (guilty, True)
    texts = found.attribution.answers
    assert any(answer.is_wrong for answer in texts), "code generation has no results on a grid"


EXP_TANH = """module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %e = stablehlo.exponential %x : tensor<8xf32>
    %t = stablehlo.tanh %e : tensor<8xf32>
    return %t : tensor<8xf32>
  }
}"""


@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        (EXP_TANH, [random(8)]),
        (shifted(2).replace("stablehlo.tanh %a", "stablehlo.exponential %a").replace("return %n, %t", "%u = stablehlo.tanh %t : tensor<4xf32>\n  return %u, %n").replace("-> (tensor<2xf32>, tensor<4xf32>)", "-> (tensor<4xf32>, tensor<2xf32>)").replace(": tensor<2xf32>, tensor<4xf32>\n", ": tensor<4xf32>, tensor<2xf32>\n"), [random(2)]),
    ],
    ids=["whole values", "parts"],
)  # fmt: skip
def test_wrong_code_on_several_devices_is_found_at_its_instruction(text: str, inputs: list[Any]) -> None:
    found = compared(text, recorded(text, *inputs), WrongFusion)
    assert found.verdict == "wrong"
    assert found.attribution is not None
    assert found.attribution.culprit == "code generation"
    assert found.attribution.isolation is not None
    assert found.attribution.isolation.culprit is not None, str(found)
    assert found.attribution.isolation.culprit.instruction.written.opcode == "fusion"
    assert found.attribution.turned is not None


def test_the_command_says_which_process_is_worst(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.mlir"
    file.write_text(all_reduce(1, 4))
    assert main(["compare", str(file), "--against", "xla", "--tolerance", "0", "--json"]) in (0, 1)
    found = json.loads(capsys.readouterr().out)
    assert len(found["results"]) == 4
    assert "of process (0, " in found["sentence"] or found["verdict"] == "same_bits"


def test_a_function_is_refused_if_each_process_has_different_arguments() -> None:
    with pytest.raises(hloscope.ProgramError, match="each process with different arguments"):
        hloscope.compare(all_reduce(1, 2), inputs=[random(2, 3)], against=np.tanh)
