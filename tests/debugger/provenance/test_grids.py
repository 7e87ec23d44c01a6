"""Provenance across processes: generated programs on four, and the ways that lead in and out of processes."""

from __future__ import annotations

import numpy as np

from hloscope.engine.debugger.address import result
from hloscope.engine.debugger.provenance import End, Kind, Links, RecordedRun, step_back, walk_back
from hloscope.engine.indexing.elements.element_sets import ElementSet
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.ops.core.values import leaves
from hloscope.engine.process_grid.launch import Launch
from hloscope.engine.process_grid.run_results import results_on_grid
from tests.debugger.programs import recorded
from tests.programs import load_program

from .matrices import PATIENT, Arrays, Ends, disturbed

PROCESSES = 4
GRID = Grid(PROCESSES, 1)


def _launch(inputs: Arrays) -> Launch:
    return Launch(GRID, tuple(tuple(inputs[2 * p : 2 * p + 2]) for p in range(PROCESSES)))


PARALLEL = """
func.func private @p0(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}>
    : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@p0], [@p0]]}
    : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
}
"""


def test_a_grid_that_a_step_has_opened_is_gone_through() -> None:
    recording = recorded(PARALLEL, [np.zeros(2, np.float32), np.ones(2, np.float32)])
    links = Links(RecordedRun(recording))
    walk = walk_back(links, result(0, 0), ElementSet.of_index((2,), (1,)), PATIENT)
    (found,) = walk.end_nodes(End.INPUT)
    assert (str(found.address), list(found.elements)) == ("0.f0.1", [(1,)])
    assert [str(node.address) for node in walk.nodes.values()] == [
        *("0.s0.0", "1.s0.0", "2.f0.0", "0.f0.1"),
    ]


SUM = """func.func @main(%a: tensor<4xf64>, %b: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
  %s = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %z = stablehlo.add %x, %y : tensor<f64>
    stablehlo.return %z : tensor<f64>
  }) : (tensor<4xf64>) -> tensor<4xf64>
  return %s, %a : tensor<4xf64>, tensor<4xf64>
}
"""


def test_one_step_back_from_a_sum_over_processes_is_an_element_of_each() -> None:
    recording = recorded(SUM, _launch([np.arange(4.0)] * (2 * PROCESSES)))
    links = Links(RecordedRun(recording))
    walk = step_back(links, result(0, process=2), ElementSet.of_index((4,), (3,)))
    read = [(str(edge.read), edge.kind, list(edge.elements)) for edge in walk.edges.values()]
    assert read == [(f"{p}.f0.0", Kind.COMBINED, [(3,)]) for p in range(PROCESSES)]


MANUAL_2D = """
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%w: tensor<4x4xf32>, %v: tensor<4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.sine %w : tensor<4x4xf32>
    %1 = sdy.manual_computation(%0, %v) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"y"}]>]
        out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"}
        (%part: tensor<2x2xf32>, %row: tensor<2xf32>) {
      %2 = stablehlo.broadcast_in_dim %row, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
      %3 = stablehlo.multiply %part, %2 : tensor<2x2xf32>
      %4 = stablehlo.reverse %3, dims = [0] : tensor<2x2xf32>
      sdy.return %4 : tensor<2x2xf32>
    } : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
}
"""


def test_parts_are_cut_and_joined() -> None:
    program = load_program(MANUAL_2D)
    numbers = np.random.default_rng(0)
    inputs = [
        numbers.uniform(0.5, 1.5, shape).astype(np.float32)
        for _ in range(PROCESSES)
        for shape in ((4, 4), (4,))
    ]
    grid = Grid(1, PROCESSES)

    def launched(given: list[Array]) -> Launch:
        return Launch(grid, tuple(tuple(given[2 * p : 2 * p + 2]) for p in range(PROCESSES)))

    recording = recorded(program, launched(list(inputs)))
    ends = Ends(recording)
    back = ends.back()
    assert np.array_equal(back, ends.forward())
    run = [found for results in results_on_grid(program, launched(list(inputs))) for found in results]
    assert len(run) == PROCESSES
    changed = disturbed(
        lambda given: [r for results in results_on_grid(program, launched(given)) for r in results], inputs
    )
    assert np.array_equal(back, changed)
    assert back.sum(axis=1).tolist() == [2] * (16 * PROCESSES)


STARTED = """
HloModule started, replica_count=2

largest {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] maximum(a, b)
}

ENTRY main {
  p = f32[2] parameter(0)
  q = f32[2] parameter(1)
  all = (f32[2], f32[4]) all-gather-start(p), dimensions={0}, replica_groups={{1,0}}
  most = f32[2] all-reduce-start(q), replica_groups={}, to_apply=largest
  moved = (f32[2], f32[2], u32[], u32[]) collective-permute-start(q), source_target_pairs={{0,1}}
  n = f32[2] negate(p)
  all.done = f32[4] all-gather-done(all)
  most.done = f32[2] all-reduce-done(most)
  moved.done = f32[2] collective-permute-done(moved)
  sum = f32[2] add(n, most.done)
  ROOT t = (f32[4], f32[2], f32[2]) tuple(all.done, sum, moved.done)
}
"""


def test_what_is_started_and_waited_for_comes_from_the_others() -> None:
    program = load_program(STARTED)
    inputs = [np.array(found, np.float32) for found in ([1, 2], [3, 8], [5, 6], [7, 4])]
    grid = Grid(2, 1)

    def run(given: list[Array]) -> list[Array]:
        launch = Launch(grid, (tuple(given[:2]), tuple(given[2:])))
        return [
            leaf
            for results in results_on_grid(program, launch)
            for value in results
            for leaf in leaves(value)
        ]

    recording = recorded(program, Launch(grid, (tuple(inputs[:2]), tuple(inputs[2:]))))
    ends = Ends(recording)
    back = ends.back()
    assert np.array_equal(back, ends.forward())
    changed = disturbed(run, inputs)
    assert np.array_equal(back, changed)
