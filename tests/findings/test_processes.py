"""Births in programs of several processes, each attributed to the process in which it happened."""

from __future__ import annotations

import numpy as np

import hloscope
from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.process_grid import Launch
from tests.debugger.programs import recorded

SUM = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<3xf32>) -> tensor<3xf32>
  %1 = stablehlo.exponential %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}"""


def _found(*inputs: list[float]) -> list[tuple[int, str, int, list[int]]]:
    given = tuple((np.array(each, np.float32),) for each in inputs)
    recording = recorded(hloscope.parse(SUM), Launch(Grid(2, 1), given))
    return [
        (finding.op, finding.kind, finding.count, sorted(each.process for each in finding.occurrences))
        for finding in FindingReport(recording).findings
    ]


def test_a_sum_over_processes_that_overflows_is_born_in_each() -> None:
    assert _found([3e38, 1, 2], [3e38, 1, 2])[0] == (0, "inf", 2, [0, 1])


def test_what_another_process_brought_is_not_born_in_the_sum() -> None:
    assert not _found([np.inf, 1, np.nan], [0, 1, 2])


def test_infinities_that_two_processes_bring_become_a_nan() -> None:
    assert _found([np.inf, 1, 2], [-np.inf, 1, 2]) == [(0, "nan", 2, [0, 1])]


def test_results_that_are_shared_between_processes_are_found_in_each() -> None:
    assert [found[2:] for found in _found([100, 1, 2], [100, 1, 2])] == [(2, [0, 1])]
