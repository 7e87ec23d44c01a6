"""Factorizations and solves that fail: the finding names the matrix, not only where the NaN appears."""

from __future__ import annotations

from typing import Any

import numpy as np

from .finding import found, sentences

F32: Any = np.float32
CHOLESKY = """
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %f:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %ok = stablehlo.compare EQ, %f#1, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<2x2xf32>
  %all = stablehlo.broadcast_in_dim %ok, dims = [] : (tensor<i1>) -> tensor<2x2xi1>
  %r = stablehlo.select %all, %f#0, %nan : tensor<2x2xi1>, tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
"""
SOLVE = """
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %x = stablehlo.custom_call @lapack_strsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}} : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  return %x : tensor<2x1xf32>
}
"""


def test_a_cholesky_that_fails() -> None:
    (said,) = sentences(found(CHOLESKY, F32([[1, 2], [2, 1]])))
    assert said.startswith("neutral: first NaN: line 8, select, 4 of 4 elements")
    assert said.endswith("a NaN constant; custom_call, line 3, failed: %a is not positive definite")
    assert not found(CHOLESKY, F32([[2, 1], [1, 2]]))


def test_a_nan_constant_that_another_condition_takes() -> None:
    """A status of 0 is no failure."""
    other = CHOLESKY.replace("compare EQ, %f#1", "compare NE, %f#1")
    (said,) = sentences(found(other, F32([[2, 1], [1, 2]])))
    assert said.endswith("a NaN constant")


def test_a_singular_solve() -> None:
    (said,) = sentences(found(SOLVE, F32([[1, 1], [0, 0]]), F32([[1], [1]])))
    assert said.startswith("harmful: first -Inf: line 3, custom_call, 2 of 2 elements")
    assert said.endswith("where %a has a zero on its diagonal")
