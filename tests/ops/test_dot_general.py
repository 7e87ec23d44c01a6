"""dot_general: exact integers, precision, quantized and lazy operands."""

from __future__ import annotations

from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest

from hloscope.engine.frontend import load
from hloscope.engine.ir.attributes import TypeAttribute
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import ScalarType
from hloscope.engine.ops.contractions.dot_general import DotDimensionNumbers, DotGeneral, Precision
from hloscope.engine.ops.core import binding
from hloscope.engine.source import Source
from tests.programs import known_example

from .quantized import PER_TENSOR, quantized
from .running import broken, run, tensor

TF32, FLOAT32 = (TypeAttribute(ScalarType(ELEMENT_TYPES[name])) for name in ("tf32", "f32"))
DEFAULT = (Precision.DEFAULT, Precision.DEFAULT)


def matrix_product(lhs: str, result: str, m: int, k: int, n: int, rhs: str | None = None) -> DotGeneral:
    """[m, k] times [k, n]."""
    numbers = DotDimensionNumbers((), (), (1,), (0,))
    return DotGeneral(tensor((m, k), lhs), tensor((k, n), rhs or lhs), numbers, result=tensor((m, n), result))


@pytest.mark.parametrize(
    ("operands", "result"),
    [("i8", "i8"), ("i8", "i32"), ("ui8", "ui32"), ("i32", "i32"), ("i32", "i64"), ("i64", "i64"), ("ui64", "ui64"), ("i32", "i16")],
)  # fmt: skip
def test_integers_are_exact_and_wrap_in_the_result_s_type(operands: str, result: str) -> None:
    dtype, to = ELEMENT_TYPES[operands].dtype, ELEMENT_TYPES[result].dtype
    random = np.random.default_rng(0)
    limits = np.iinfo(dtype)
    lhs, rhs = (
        random.integers(limits.min, limits.max, shape, dtype, endpoint=True) for shape in ((3, 40), (40, 2))
    )
    (found,) = run(matrix_product(operands, result, 3, 40, 2), lhs, rhs)
    exact = (lhs.astype(object) @ rhs.astype(object)) % (1 << 8 * to.itemsize)
    assert found.dtype == to
    assert (found.astype(object) % (1 << 8 * to.itemsize)).tolist() == exact.tolist()


def test_the_least_and_greatest_i32() -> None:
    least = np.full((1, 3), -(2**31), np.int32)
    assert run(matrix_product("i32", "i64", 1, 3, 1), least, least.T)[0].tolist() == [[3 * 2**62 - 2**64]]


def test_small_integers_wrap() -> None:
    lhs = np.full((1, 2), 7, ml_dtypes.int4)
    (found,) = run(matrix_product("i4", "i4", 1, 2, 1), lhs, lhs.T)
    assert found.dtype == ml_dtypes.int4
    assert found.astype(int).tolist() == [[2]]  # 98 modulo 16


def test_booleans_are_the_or_of_ands() -> None:
    lhs, rhs = np.array([[True, True], [True, False]]), np.array([[True, False], [True, False]])
    assert run(matrix_product("i1", "i1", 2, 2, 2), lhs, rhs)[0].tolist() == [[True, False], [True, False]]


def test_small_floats_are_summed_wide_and_rounded_once() -> None:
    ones = np.ones((1, 1024), ml_dtypes.bfloat16)
    (found,) = run(matrix_product("bf16", "bf16", 1, 1024, 1), ones, ones.T)
    assert (found.dtype, float(found[0, 0])) == (ml_dtypes.bfloat16, 1024.0)
    odd = np.full((1, 257), 1, ml_dtypes.bfloat16)
    assert run(matrix_product("bf16", "f32", 1, 257, 1), odd, odd.T)[0].tolist() == [[257.0]]


def test_floats_times_integers() -> None:
    """As JAX writes it for TPUs; the integers are not rounded on the way."""
    floats, whole = np.array([[0.5, -2.0]], np.float32), np.array([[1 << 24], [(1 << 23) + 1]], np.int32)
    assert run(matrix_product("f32", "f32", 1, 2, 1, "i32"), floats, whole)[0].tolist() == [[-(2.0**23) - 2]]
    assert run(matrix_product("i32", "f32", 1, 2, 1, "f32"), whole.T, floats.T)[0].tolist() == [
        [-(2.0**23) - 2]
    ]


def test_complex_numbers_and_infinities() -> None:
    values = np.array([[1 + 2j, 3j]], np.complex64)
    assert run(matrix_product("complex<f32>", "complex<f32>", 1, 2, 1), values, values.T)[0].tolist() == [
        [-12 + 4j]
    ]
    big = np.array([[3e38, np.inf]], np.float32)
    assert np.isnan(
        run(matrix_product("f32", "f32", 1, 2, 1), big, np.array([[2], [0]], np.float32))[0]
    ).all()


def test_lazy_operands_give_what_copies_give() -> None:
    splat = np.broadcast_to(np.float32(0.5), (4, 6))
    (found,) = run(matrix_product("f32", "f32", 4, 6, 4), splat, splat.T)
    assert found.tolist() == [[1.5] * 4] * 4


def test_quantized_operands_are_dequantized_and_the_result_quantized() -> None:
    result = quantized((0.25,), (1,))
    numbers = DotDimensionNumbers((), (), (1,), (0,))
    op = DotGeneral(
        tensor((1, 2), PER_TENSOR), tensor((2, 1), PER_TENSOR), numbers, result=tensor((1, 1), result)
    )
    assert broken(op, tensor((1, 1), result)) is None
    (found,) = run(op, np.array([[2, 4]], np.int8), np.array([[1], [3]], np.int8))
    assert (found.dtype, found.tolist()) == (np.dtype(np.int8), [[int((1 * 0.5 + 2 * 1.5) / 0.25) + 1]])
    hybrid = replace(op, lhs=tensor((1, 2)), result=tensor((1, 1)))
    assert broken(hybrid, tensor((1, 1))) is None
    assert run(hybrid, np.array([[2, 4]], np.float32), np.array([[1], [3]], np.int8))[0].tolist() == [[7.0]]


def test_floats_of_two_types_are_multiplied_wide() -> None:
    """As JAX trains with f8: gradients have other ranges than weights."""
    lhs = np.array([[1.5, -2.0]]).astype(ml_dtypes.float8_e4m3fn)
    rhs = np.array([[0.25], [57344.0]]).astype(ml_dtypes.float8_e5m2)
    numbers = DotDimensionNumbers((), (), (1,), (0,))
    op = DotGeneral(
        tensor((1, 2), "f8E4M3FN"), tensor((2, 1), "f8E5M2"), numbers, result=tensor((1, 1), "f32")
    )
    assert broken(op) is None
    assert run(op, lhs, rhs)[0].tolist() == [[0.375 - 114688.0]]


def test_the_types_of_its_numbers_are_found_once() -> None:
    source = Source(known_example("mlp").text)
    load(source)
    before = binding._hints.cache_info()
    assert load(source).program is not None
    after = binding._hints.cache_info()
    assert (after.misses, after.hits) == (before.misses, before.hits + 3)
