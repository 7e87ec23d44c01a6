"""cholesky and triangular_solve: bad matrices, precision, blocks, and sizes that are not known."""

from __future__ import annotations

import numpy as np
import pytest

from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.transforms.linear_algebra import Cholesky, Transpose, TriangularSolve

from .building import QUANTIZED
from .running import broken, run, tensor, type_of


def _normal(seed: int, shape: tuple[int, ...], dtype: type) -> Array:
    random = np.random.default_rng(seed)
    found = random.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        found = found + 1j * random.standard_normal(shape)
    return found.astype(dtype)


def test_a_matrix_that_is_not_positive_definite_is_nan_alone() -> None:
    good, bad = np.eye(2), -np.eye(2)
    edge = np.array([[1.0, 0.0], [1.0, 1.0]])  # a zero on the second factor's diagonal
    a = np.stack([good, bad, 4 * good, edge, np.full((2, 2), np.nan)])
    (found,) = run(Cholesky(type_of(a), True), a)
    assert np.isnan(found[[1, 3, 4]]).all()
    assert found[[0, 2]].tolist() == [np.eye(2).tolist(), (2 * np.eye(2)).tolist()]


def test_small_floats_are_rounded_once() -> None:
    a = np.array([[2, 0], [1, 3]], np.float32).astype(tensor((), "bf16").element_type.dtype)
    (found,) = run(Cholesky(type_of(a), True), a)
    root = np.sqrt(2)
    wanted = np.array([[root, 0], [1 / root, np.sqrt(3 - 0.5)]]).astype(a.dtype)
    assert found.tolist() == wanted.tolist()


@pytest.mark.parametrize("lower", [True, False])
def test_large_systems_are_solved_by_blocks(lower: bool) -> None:
    n = 150
    a = np.eye(n) + (np.tril if lower else np.triu)(_normal(3, (n, n), np.float64)) / n
    b = _normal(4, (n, 7), np.float64)
    op = TriangularSolve(type_of(a), type_of(b), True, lower, False, Transpose.NO_TRANSPOSE)
    np.testing.assert_allclose(a @ run(op, a, b)[0], b, atol=1e-12)


def test_zeros_on_the_diagonal_divide() -> None:
    a = np.array([[0, 0], [1, 1]], np.float32)
    b = np.array([[1, 0], [1, 1]], np.float32)
    op = TriangularSolve(type_of(a), type_of(b), True, True, False, Transpose.NO_TRANSPOSE)
    (found,) = run(op, a, b)
    assert found[:, 0].tolist() == [np.inf, -np.inf]
    assert np.isnan(found[:, 1]).all()


@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (2, 0, 0)])
def test_matrices_of_size_zero_and_one(shape: tuple[int, ...]) -> None:
    a, b = np.full(shape, 2.0), np.full((*shape[:-1], 3), 4.0)
    op = TriangularSolve(type_of(a), type_of(b), True, False, False, Transpose.ADJOINT)
    assert run(op, a, b)[0].tolist() == (b / 2).tolist()


def test_quantized_matrices_are_computed_as_floats() -> None:
    q8 = tensor((1, 1), QUANTIZED["q8"])
    other = tensor((1, 1), QUANTIZED["q8b"])
    assert broken(Cholesky(q8, True, other), other) is None
    assert run(Cholesky(q8, True, other), np.array([[8]], np.int8))[0].tolist() == [
        [11]
    ]  # sqrt(4) / 0.25 + 3
    op = TriangularSolve(q8, q8, True, True, False, Transpose.NO_TRANSPOSE, other)
    found = run(op, np.array([[4]], np.int8), np.array([[12]], np.int8))[0]
    assert found.tolist() == [[15]]  # 6 / 2 / 0.25 + 3


def test_sizes_that_are_not_known_yet() -> None:
    assert broken(Cholesky(tensor((None, 3)), True), tensor((3, 3))) is None
    assert Cholesky(tensor((None, 3)), True).infer() == tensor((3, 3))
    op = TriangularSolve(tensor((2, None, 3)), tensor((None, None, 4)), True, True, True, Transpose.TRANSPOSE)
    assert broken(op, tensor((2, 3, 4))) is None
    assert op.infer() == tensor((2, 3, 4))
