"""Values that the program states to be copies in several processes, and that differ."""

from __future__ import annotations

import numpy as np
import pytest

from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.findings import Finding
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.process_grid import Launch
from hloscope.engine.sharded_runs.shown_shardings import ShownSharding
from hloscope.engine.sharding.notation.tilings import Tiling
from tests.debugger.programs import recorded
from tests.programs import load_program


def found(
    text: str, file: str, grid: Grid, *inputs: np.ndarray[tuple[int, ...], np.dtype[np.float32]]
) -> list[Finding]:
    """The differences found between processes with the same inputs."""
    program = load_program(text, file)
    recording = recorded(program, Launch.same_inputs(grid, inputs))
    return [each for each in FindingReport(recording).findings if each.kind == "divergence"]


@pytest.mark.parametrize(
    ("tiling", "grid", "groups"),
    [
        (Tiling(), Grid(1, 3), ((0, 1, 2),)),
        # Replicas go their own way.
        (Tiling(), Grid(2, 2), ((0, 1), (2, 3))),
        (Tiling((2, 1), (0, 1, 2, 3)), Grid(1, 4), ((0, 1), (2, 3))),
        (Tiling((2, 1), (0, 2, 1, 3)), Grid(1, 4), ((0, 2), (1, 3))),
        (Tiling((1,), (0, 1)), Grid(2, 2), ((0, 1), (2, 3))),
        (Tiling((1,), (0, 1, 2, 3)), Grid(2, 2), ((0, 1, 2, 3),)),
        (Tiling((1,), (0, 1), 2), Grid(1, 2), ()),
        (Tiling(is_manual=True), Grid(1, 2), ()),
        (Tiling((2,), (0, 1)), Grid(1, 3), ()),
    ],
)
def test_copies_are_those_of_one_tile(
    tiling: Tiling, grid: Grid, groups: tuple[tuple[int, ...], ...]
) -> None:
    assert ShownSharding((tiling,), True).copies(grid) == groups
    assert ShownSharding((tiling,), False).copies(grid) == ()


PARTITIONED = """HloModule numbers, num_partitions=4
ENTRY %main_spmd (x: f32[2]) -> f32[2] {{
  %x = f32[2]{{0}} parameter(0)
  %number = u32[] partition-id()
  %half = u32[] constant(2)
  %group = u32[] divide(%number, %half)
  %own = f32[] convert(%group)
  %owns = f32[2]{{0}} broadcast(%own), dimensions={{}}
  ROOT %sum = f32[2]{{0}} add(%x, %owns), sharding={}
}}
"""


@pytest.mark.parametrize(
    ("sharding", "count"),
    [
        ("{replicated}", 1),
        ("{devices=[4]0,1,2,3}", 0),
        ("{devices=[2,2]0,1,2,3 last_tile_dim_replicate}", 0),
        ("{devices=[2,2]0,2,1,3 last_tile_dim_replicate}", 1),
        ("{manual}", 0),
    ],
)
def test_copies_of_a_tile_must_be_equal_and_other_tiles_may_differ(sharding: str, count: int) -> None:
    findings = found(PARTITIONED.format(sharding), "text.hlo", Grid(1, 4), np.ones(2, np.float32))
    assert [finding.grade for finding in findings] == ["harmful"] * count
    for finding in findings:
        assert finding.first.fault.elements == 2
        assert finding.sentence.endswith("it is stated to be the same in processes (0, 0) and (0, 2)")


MIXED = """HloModule step, num_partitions=2
ENTRY %main_spmd (w: f32[2], x: f32[2]) -> f32[2] {{
  %w = f32[2]{{0}} parameter(0)
  %x = f32[2]{{0}} parameter(1)
  %number = u32[] partition-id()
  %own = f32[] convert(%number)
  %owns = f32[2]{{0}} broadcast(%own), dimensions={{}}
  %same = f32[2]{{0}} add(%w, %w)
  %noisy = f32[2]{{0}} multiply({}, %owns)
  %half = f32[2]{{0}} negate(%noisy)
  ROOT %next = f32[2]{{0}} subtract(%w, %half), sharding={{replicated}}
}}
"""


@pytest.mark.parametrize(("factor", "op"), [("%same", "multiply"), ("%owns", "subtract"), ("%x", "subtract")])
def test_the_op_is_named_where_the_number_of_a_process_is_mixed_with_what_all_have(
    factor: str, op: str
) -> None:
    """But not where processes have data of their own, to which the process id may belong."""
    program = load_program(MIXED.format(factor), "text.hlo")
    weights, data = np.ones(2, np.float32), (np.ones(2, np.float32), np.zeros(2, np.float32) + 3)
    recording = recorded(program, Launch(Grid(1, 2), tuple((weights, own) for own in data)))
    (finding,) = FindingReport(recording).findings
    assert program.ops[finding.op].operation.name.endswith(op)


MANUAL = """module attributes {{mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32}} {{
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
    %r = sdy.manual_computation(%x) in_shardings=[<@mesh, [{{{}}}]>] out_shardings=[<@mesh, [{{}}]>] manual_axes={{{}}} (%p: tensor<{}xf32>) {{
      %start = stablehlo.constant dense<0.0> : tensor<f32>
      %s = stablehlo.reduce(%p init: %start) applies stablehlo.add across dimensions = [0] : (tensor<{}xf32>, tensor<f32>) -> tensor<f32>
      %all = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4xf32>
      sdy.return %all : tensor<4xf32>
    }} : (tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }}
}}
"""


@pytest.mark.parametrize(
    ("cut", "axes", "size", "count"),
    [('"a"', '"a", "b"', 2, 1), ("", '"a", "b"', 4, 0), ('"a"', '"a"', 2, 0)],
)
def test_parts_that_leave_a_manual_computation(cut: str, axes: str, size: int, count: int) -> None:
    """Nothing is found where other axes of the mesh are not manual."""
    text = MANUAL.format(cut, axes, size, size)
    findings = found(text, "text.mlir", Grid(1, 4), np.arange(4, dtype=np.float32))
    assert len(findings) == count


CALLED = """HloModule step, num_partitions=2

sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}

body (w: f32[2], x: f32[2]) -> f32[2] {
  %w = f32[2]{0} parameter(0)
  %x = f32[2]{0} parameter(1)
  %all = f32[2]{0} all-reduce(%x), channel_id=1, replica_groups={{0},{1}}, use_global_device_ids=true, to_apply=sum
  ROOT %next = f32[2]{0} subtract(%w, %all)
}

ENTRY %main_spmd (w: f32[2], x: f32[2]) -> f32[2] {
  %w = f32[2]{0} parameter(0)
  %x = f32[2]{0} parameter(1)
  ROOT %step = f32[2]{0} call(%w, %x), to_apply=body, sharding={replicated}
}
"""


def test_the_op_is_named_in_the_function_that_is_called() -> None:
    """XLA writes the body of a manual computation in this way."""
    program = load_program(CALLED, "text.hlo")
    weights, data = np.ones(2, np.float32), (np.ones(2, np.float32), np.zeros(2, np.float32))
    recording = recorded(program, Launch(Grid(1, 2), tuple((weights, own) for own in data)))
    (finding,) = FindingReport(recording).findings
    assert program.ops[finding.op].operation.name.endswith("all_reduce")
    assert "%step, computed from it, is stated to be the same" in finding.sentence
