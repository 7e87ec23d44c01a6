"""map: one run of any computation for all elements."""

from __future__ import annotations

import numpy as np
import pytest

import hloscope
from hloscope.engine.ops.reductions.map_op import Map

from .running import asks, body_of, type_of


def test_the_computation_runs_once_for_all_elements_and_not_for_none() -> None:
    full, empty = np.ones((2, 3), np.int64), np.ones((2, 0), np.int64)
    (request,) = asks(Map((type_of(full),) * 2, (0, 1), body_of("stablehlo.multiply", "i64")), full, full)
    assert request.lanes == (2, 3)
    assert not asks(Map((type_of(empty),) * 2, (0, 1), body_of("stablehlo.multiply", "i64")), empty, empty)


BODIES = {
    "a constant": ("%0 = stablehlo.constant dense<7> : tensor<i32>", [7, 7, 7]),
    "a value of the program": ("%0 = stablehlo.add %k, %k : tensor<i32>", [20, 20, 20]),
    "a loop": (
        """%one = stablehlo.constant dense<1> : tensor<i32>
           %0 = stablehlo.while(%v = %a) : tensor<i32>
             cond { %2 = stablehlo.compare LT, %v, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>
                    stablehlo.return %2 : tensor<i1> }
             do { %3 = stablehlo.add %v, %v : tensor<i32>
                  stablehlo.return %3 : tensor<i32> }""",
        [16, 12, 10],
    ),
}


@pytest.mark.parametrize("name", sorted(BODIES))
def test_any_computation_is_run(name: str) -> None:
    lines, wanted = BODIES[name]
    (found,) = hloscope.run(
        f"""func.func @main(%x: tensor<3xi32>, %k: tensor<i32>) -> tensor<3xi32> {{
          %r = "stablehlo.map"(%x) <{{dimensions = array<i64: 0>}}> ({{
          ^bb0(%a: tensor<i32>):
            {lines}
            stablehlo.return %0 : tensor<i32>
          }}) : (tensor<3xi32>) -> tensor<3xi32>
          return %r : tensor<3xi32> }}""",
        [[1, 3, 5], 10],
    )
    assert found.tolist() == wanted
