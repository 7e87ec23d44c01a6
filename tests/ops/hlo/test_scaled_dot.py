"""scaled-dot: against products of scaled elements, one by one."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.indexing import print_operand_maps
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.contractions.dot_general import DotDimensionNumbers
from hloscope.engine.ops.core.rounding import NO_ERROR
from hloscope.engine.ops.hlo.scaled_dot import ScaledDot

from ..building import tensor
from .running import f32, results

NUMBERS = DotDimensionNumbers((), (), (1,), (0,))


def scaled(lhs: str, rhs: str, lhs_scale: str, rhs_scale: str, result: str) -> ScaledDot:
    operands = tensor(lhs), tensor(rhs), tensor(lhs_scale), tensor(rhs_scale)
    return ScaledDot(*operands, NUMBERS, None, tensor(result))


def program(lhs: str, rhs: str, lhs_scale: str, rhs_scale: str) -> str:
    return f"""
        ENTRY e {{
          p = {lhs} parameter(0)
          q = {rhs} parameter(1)
          s = {lhs_scale} parameter(2)
          t = {rhs_scale} parameter(3)
          ROOT r = f32[2,3] scaled-dot(p, q, s, t), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
        }}"""


@given(seed=st.integers(0, 1 << 32), blocks=st.tuples(*[st.sampled_from([1, 2, 4])] * 2))
def test_each_block_has_its_scale(seed: int, blocks: tuple[int, int]) -> None:
    rng = np.random.default_rng(seed)
    lhs, rhs = rng.integers(-9, 9, (2, 4)), rng.integers(-6, 6, (4, 3))
    counts = [4 // block for block in blocks]
    scales = [2.0 ** rng.integers(-3, 4, shape) for shape in ((2, counts[0]), (counts[1], 3))]
    text = program("f8e4m3fn[2,4]", "bf16[4,3]", f"f8e8m0fnu[2,{counts[0]}]", f"f8e8m0fnu[{counts[1]},3]")
    (found,) = results(
        text,
        lhs.astype(ml_dtypes.float8_e4m3fn),
        rhs.astype(ml_dtypes.bfloat16),
        *(scale.astype(ml_dtypes.float8_e8m0fnu) for scale in scales),
    )
    wanted = np.zeros((2, 3))
    for i, j, k in product(range(2), range(3), range(4)):
        left = lhs[i, k] * scales[0][i, k // blocks[0]]
        wanted[i, j] += left * rhs[k, j] * scales[1][k // blocks[1], j]
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, wanted)


def test_scales_of_ones_scale_nothing() -> None:
    text = program("f8e5m2[2,1]", "f8e5m2[1,3]", "bf16[1,1]", "f8e8m0fnu[1,1]")
    ones = np.ones((2, 1), ml_dtypes.float8_e5m2), np.ones((1, 3), ml_dtypes.float8_e5m2)
    scales = np.full((1, 1), 7, ml_dtypes.bfloat16), np.full((1, 1), 4, ml_dtypes.float8_e8m0fnu)
    (found,) = results(text, *ones, *scales)
    assert found.tolist() == [[1, 1, 1], [1, 1, 1]]


def test_what_is_scaled_is_rounded_to_bf16() -> None:
    op = scaled("1x2xf32", "2x1xf32", "1x2xf32", "1x1xf32", "1x1xf32")
    operands = [f32(values) for values in ([[257, 0]], [[1], [1]], [[3, 1]], [[1]])]
    assert op.evaluate(*operands).tolist() == [[772]]  # 771 has more digits than bf16


def test_maps_lead_to_the_scale_of_the_block() -> None:
    op = scaled("2x64xf8E4M3FN", "64x3xf8E4M3FN", "2x2xf8E8M0FNU", "1x1xf8E8M0FNU", "2x3xf32")
    printed = print_operand_maps(op.index_maps())
    assert "(d0, s0 / 32)" in printed
    assert {found.operand for found in op.index_maps()} == {0, 1, 2}


VALID = scaled("2x4xf8E4M3FN", "4x3xf8E4M3FN", "2x2xf8E8M0FNU", "4x3xf8E8M0FNU", "2x3xf32")
BROKEN = [
    (replace(VALID, lhs=tensor("2x4xi8")), "lhs must hold floating-point elements, not i8"),
    (replace(VALID, rhs_scale=tensor("4x3xi8")), "rhs_scale must hold floating-point elements, not i8"),
    (replace(VALID, lhs_scale=tensor("bf16")), "lhs has rank 2, lhs_scale 0: they must be equal"),
    (
        replace(VALID, lhs_scale=tensor("2x3xf8E8M0FNU")),
        "sizes [2, 4] of lhs must be multiples of [2, 3] of lhs_scale",
    ),
    (
        replace(VALID, rhs_scale=tensor("0x3xf8E8M0FNU")),
        "sizes [4, 3] of rhs must be multiples of [0, 3] of rhs_scale",
    ),
    (replace(VALID, result=tensor("2x3xi32")), "the result must hold floating-point elements, not i32"),
    (
        replace(VALID, dot_dimension_numbers=DotDimensionNumbers((), (), (1,), (1,))),
        "dimension 1 of lhs (size 4) and dimension 1 of rhs (size 3) are contracted but differ",
    ),
]


@pytest.mark.parametrize(("op", "message"), BROKEN, ids=[message for _, message in BROKEN])
def test_broken_rules_are_named(op: ScaledDot, message: str) -> None:
    assert first_broken_constraint(op) == ("", message)


def test_results_are_checked() -> None:
    assert first_broken_constraint(VALID, [tensor("2x3xf32")]) is None
    assert first_broken_constraint(VALID, [tensor("3x2xf32")]) == (
        "",
        "the result must have shape [2, 3], not [3, 2]",
    )
    assert replace(VALID, result=None).infer() == tensor("2x3xf8E4M3FN")


def test_bounds_contain_products_of_scaled_numbers_in_more_digits() -> None:
    random = np.random.default_rng(0)
    lhs, rhs = (random.normal(size=shape).astype(ml_dtypes.bfloat16) for shape in ((16, 64), (64, 16)))
    scales = [random.uniform(0.5, 2, shape).astype(np.float32) for shape in ((16, 4), (4, 16))]
    op = scaled("16x64xbf16", "64x16xbf16", "16x4xf32", "4x16xf32", "16x16xf32")
    wide = [value.astype(np.float64) for value in (lhs, rhs)]
    exact = (wide[0] * np.repeat(scales[0], 16, 1)) @ (wide[1] * np.repeat(scales[1], 16, 0))
    operands, result = (lhs, rhs, *scales), op.evaluate(lhs, rhs, *scales)
    (bound,) = op.rounding.error_bound(op, operands, (NO_ERROR,) * 4, (result,))
    assert np.linalg.norm(result - exact) < np.linalg.norm(bound)  # squares of errors add up
    assert bound.max() < 0.02 * np.abs(result).max()
    (moved,) = op.rounding.error_bound(op, operands, (NO_ERROR,) * 3 + (np.full((), 0.5),), (result,))
    changed = op.evaluate(lhs, rhs, scales[0], scales[1] + np.float32(0.5))
    assert np.linalg.norm(result - changed) < np.linalg.norm(moved) < 3 * np.linalg.norm(result - changed)


def test_bounds_of_exact_factors_are_those_of_their_sums() -> None:
    random = np.random.default_rng(0)
    lhs, rhs = (random.normal(size=shape).astype(ml_dtypes.float8_e4m3fn) for shape in ((16, 64), (64, 16)))
    scales = [np.full(shape, 2, ml_dtypes.float8_e8m0fnu) for shape in ((16, 2), (2, 16))]
    op = scaled("16x64xf8E4M3FN", "64x16xf8E4M3FN", "16x2xf8E8M0FNU", "2x16xf8E8M0FNU", "16x16xf32")
    result = op.evaluate(lhs, rhs, *scales)
    (bound,) = op.rounding.error_bound(op, (lhs, rhs, *scales), (NO_ERROR,) * 4, (result,))
    assert bound.max() < 1e-4 * np.abs(result).max()
