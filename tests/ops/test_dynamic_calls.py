"""Calls that JAX exports where operands state sizes: dynamic_top_k, dynamic_rng_bit_generator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hloscope.engine.errors import RunError

from .test_dynamic_shapes import ran

TOP = (
    "%r, %s = stablehlo.custom_call @stablehlo.dynamic_top_k(%a, %k) {api_version = 2 : i32} : "
    "(tensor<2x?xf32>, tensor<i32>) -> (tensor<2x?xf32>, tensor<2x?xi32>)",
    "%a: tensor<2x?xf32>, %k: tensor<i32>",
    "tensor<2x?xf32>",
)
BITS = (
    "%t, %r = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%a, %n) {api_version = 2 : i32, "
    "rng_algorithm = #stablehlo<rng_algorithm DEFAULT>} : (tensor<2xui64>, tensor<2xi32>) -> "
    "(tensor<2xui64>, tensor<?x?xui32>)",
    "%a: tensor<2xui64>, %n: tensor<2xi32>",
    "tensor<?x?xui32>",
)
STATIC = (
    "%t, %r = stablehlo.rng_bit_generator %a, algorithm = DEFAULT : (tensor<2xui64>) -> "
    "(tensor<2xui64>, tensor<3x5xui32>)",
    "%a: tensor<2xui64>",
    "tensor<3x5xui32>",
)
ROWS = np.array([[1, 3, 2], [np.nan, -1, 5]], np.float32)
STATE = np.array([7, 9], np.uint64)


def test_dynamic_top_k_takes_as_many_as_it_is_told() -> None:
    (found,) = ran(*TOP, ROWS, np.int32(2))
    assert np.array_equal(found, np.array([[3, 2], [np.nan, 5]]), equal_nan=True)
    assert ran(*TOP, ROWS, np.int32(0))[0].shape == (2, 0)


def test_dynamic_rng_bit_generator_makes_the_bits_of_the_static_op() -> None:
    (found,) = ran(*BITS, STATE, np.array([3, 5], np.int32))
    (wanted,) = ran(*STATIC, STATE)
    assert found.tolist() == wanted.tolist()


@pytest.mark.parametrize(
    ("program", "inputs", "message"),
    [
        (TOP, (ROWS, np.int32(4)), "k must be from 0 to 3"),
        (TOP, (ROWS, np.int32(-1)), "k must be from 0 to 3"),
        (BITS, (STATE, np.array([-1, 5], np.int32)), "are no sizes"),
        (BITS, (STATE, np.array([2**30, 2**30], np.int32)), "max_tensor_bytes"),
    ],
)
def test_sizes_that_cannot_be_end_the_run(
    program: tuple[str, str, str], inputs: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(RunError, match=message):
        ran(*program, *inputs)


@pytest.mark.parametrize(("stated", "message"), [("DEFAULT", ""), ("NONE", "must be one of")])
def test_the_algorithm_must_be_known(stated: str, message: str) -> None:
    program = BITS[0].replace("DEFAULT", stated), *BITS[1:]
    if not message:
        assert ran(*program, STATE, np.array([1, 1], np.int32))[0].shape == (1, 1)
        return
    with pytest.raises(RunError, match=message):
        ran(*program, STATE, np.array([1, 1], np.int32))
