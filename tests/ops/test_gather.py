"""gather: clamped starts, empty slices, and element types that NumPy does not know."""

from __future__ import annotations

import numpy as np
import pytest

import hloscope
from hloscope.engine.ops.indexed.gather import Gather, GatherDimensionNumbers

from .running import run, tensor, type_of


@pytest.mark.parametrize(("start", "row"), [(-1, 0), (0, 0), (2, 2), (7, 2)])
def test_starts_are_clamped(start: int, row: int) -> None:
    operand = np.arange(9).reshape(3, 3)
    numbers = GatherDimensionNumbers((0,), (0,), start_index_map=(0,), index_vector_dim=0)
    op = Gather(type_of(operand), tensor((1,), "i64"), numbers, (1, 3))
    assert run(op, operand, [start])[0].tolist() == operand[row].tolist()


def test_an_unsigned_index_beyond_i64_is_clamped_to_the_end() -> None:
    op = Gather(
        tensor((3,), "i32"), tensor((1,), "ui64"), GatherDimensionNumbers((), (0,), (), (), (0,), 0), (1,)
    )
    assert run(op, np.array([1, 2, 3], np.int32), np.array([2**64 - 1], np.uint64))[0].tolist() == 3


def test_slices_without_elements_and_tensors_of_rank_0() -> None:
    numbers = GatherDimensionNumbers((1, 2), (), (), (), (0,), 1)
    op = Gather(tensor((4, 3)), tensor((5, 1), "i32"), numbers, (0, 3))
    assert run(op, np.zeros((4, 3), np.float32), np.zeros((5, 1), np.int32))[0].shape == (5, 0, 3)
    op = Gather(tensor(()), tensor((5, 0), "i32"), GatherDimensionNumbers(index_vector_dim=1), ())
    assert run(op, np.float32(2), np.zeros((5, 0), np.int32))[0].tolist() == [2.0] * 5


@pytest.mark.parametrize("name", ["f8E5M2", "f8E4M3FN", "i1", "i4", "bf16", "complex<f32>"])
def test_any_element_type_is_gathered(name: str) -> None:
    """NumPy's array interface, which windows are made through, does not know every dtype."""
    (result,) = hloscope.run(
        f"""func.func @main(%x: tensor<3x{name}>, %i: tensor<2x1xi32>) -> tensor<2x{name}> {{
          %0 = "stablehlo.gather"(%x, %i) <{{
            dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0],
              index_vector_dim = 1>, slice_sizes = array<i64: 1>}}>
            : (tensor<3x{name}>, tensor<2x1xi32>) -> tensor<2x{name}>
          return %0 : tensor<2x{name}> }}""",
        [[0, 1, 1], [[2], [0]]],
    )
    assert result.astype(np.complex64).tolist() == [1, 0]
