"""Edge values of every elementwise op: as the reference interpreter and XLA have them, or there is a reason why not."""

from __future__ import annotations

import numpy as np
import pytest

import hloscope

from . import ours
from .cases import from_readable
from .client import Oracle
from .differences import INTERPRETER, XLA
from .edge_values import OPS, cases
from .test_ops import beyond_xla, check, xla_results

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("default::tests.oracle.client.OracleCrashWarning"),
]


@pytest.mark.parametrize("op", sorted(OPS))
def test_edge_values_are_those_of_the_oracles(op: str, oracle: Oracle) -> None:
    found = [(case, ours.run(case.program, case.operands)) for case in cases(op)]
    for case, mine in found:
        wanted = from_readable(case.results, oracle.interpret(case.literal_program))
        check(op, INTERPRETER, case, mine, wanted)
    found = [(case, mine) for case, mine in found if not beyond_xla(case)]
    for (case, mine), theirs in zip(found, xla_results(oracle, [case for case, _ in found]), strict=True):
        if theirs is not None:
            check(op, XLA, case, mine, theirs)


ONES = """func.func @main(%one: tensor<f32>) -> tensor<f32> {
  %narrow = stablehlo.convert %one : (tensor<f32>) -> tensor<bf16>
  %ones = stablehlo.broadcast_in_dim %narrow, dims = [] : (tensor<bf16>) -> tensor<1000xbf16>
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %sum = stablehlo.reduce(%ones init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1000xbf16>, tensor<bf16>) -> tensor<bf16>
  %wide = stablehlo.convert %sum : (tensor<bf16>) -> tensor<f32>
  return %wide : tensor<f32>
}"""


def test_a_sum_in_bf16_stops_growing_in_the_interpreter_alone(oracle: Oracle) -> None:
    one = np.ones((), np.float32)
    assert oracle.interpret(ONES, [one])[0] == 256
    assert oracle.xla(ONES, [one])[0] == 1000
    assert hloscope.run(ONES, [one])[0] == 1000
