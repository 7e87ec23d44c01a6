"""map against the specification's formula, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hloscope
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.module import Region
from hloscope.engine.ops.reductions.map_op import Map

from .running import BodyBuilder, asks, run, tensor, type_of


def product() -> Region:
    """`a * b`."""
    i64 = ELEMENT_TYPES["i64"]
    build = BodyBuilder(i64, i64)
    return build.returning(build.op("stablehlo.multiply", *build.arguments))


@given(st.lists(st.integers(0, 3), max_size=3), st.data())
def test_any_map_follows_the_formula(sizes: list[int], data: Any) -> None:
    count = int(np.prod(sizes))
    numbers = st.lists(st.integers(-9, 9), min_size=count, max_size=count)
    a, b = (np.array(data.draw(numbers), np.int64).reshape(sizes) for _ in "ab")
    i64 = ELEMENT_TYPES["i64"]
    build = BodyBuilder(i64, i64)
    x, y = build.arguments
    larger = build.compare("GT", x, build.op("stablehlo.multiply", y, y))
    op = Map((type_of(a), type_of(b)), tuple(range(len(sizes))), build.returning(larger))
    (found,) = run(op, a, b)
    assert found.dtype == op.infer().element_type.dtype == np.bool_
    assert found.tolist() == (a > b * b).tolist()


def test_the_computation_runs_once_for_all_elements_and_not_for_none() -> None:
    full, empty = np.ones((2, 3), np.int64), np.ones((2, 0), np.int64)
    (request,) = asks(Map((type_of(full),) * 2, (0, 1), product()), full, full)
    assert request.lanes == (2, 3)
    assert not asks(Map((type_of(empty),) * 2, (0, 1), product()), empty, empty)


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


def test_a_map_of_a_scalar() -> None:
    two = np.array(2)
    (found,) = run(Map((tensor((), "i64"),) * 2, (), product()), two, two)
    assert (found.shape, int(found)) == ((), 4)
