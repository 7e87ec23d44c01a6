"""pad and reverse: views, bits, sizes that are not known, and quantized elements."""

from __future__ import annotations

import numpy as np

from hloscope.engine.ops.data_movement.data_movement import Reverse
from hloscope.engine.ops.data_movement.pad import Pad

from .quantized import PER_TENSOR
from .running import broken, run, tensor

MATRIX, SCALAR = tensor((2, 3), "i32"), tensor((), "i32")
PADDED = Pad(MATRIX, SCALAR, (0, 1), (2, 1), (1, 2))


def test_nothing_is_copied_where_nothing_is_padded() -> None:
    operand = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert np.shares_memory(
        run(Pad(MATRIX, SCALAR, (0, -1), (0, 0), (0, 0)), operand, np.int32(7))[0], operand
    )
    assert np.shares_memory(run(Reverse(MATRIX, (0, 1)), operand)[0], operand)


def test_elements_of_one_byte_keep_their_bits() -> None:
    """f8E5M2 has no name in NumPy's array interface."""
    found = tensor((2,), "f8E5M2")
    operand = np.array([1, -2]).astype(found.element_type.dtype)
    (padded,) = run(Pad(found, tensor((), "f8E5M2"), (1,), (0,), (1,)), operand, operand[1])
    assert padded.astype(np.float32).tolist() == [-2, 1, -2, -2]
    assert run(Reverse(found, (0,)), operand)[0].astype(np.float32).tolist() == [-2, 1]


def test_sizes_that_are_not_known_yet() -> None:
    padded = Pad(tensor((None, 2)), tensor(()), (1, -1), (0, 0), (3, 0))
    assert broken(padded, tensor((7, 1))) is None
    assert padded.infer() == tensor((None, 1))
    assert broken(Reverse(tensor((None,)), (0,)), tensor((3,))) is None


def test_quantized_elements_are_moved_as_they_are() -> None:
    found = tensor((2,), PER_TENSOR)
    op = Pad(found, tensor((), PER_TENSOR), (0,), (1,), (0,))
    assert broken(op, tensor((3,), PER_TENSOR)) is None
    assert run(op, np.array([1, 2], np.int8), np.int8(3))[0].tolist() == [1, 2, 3]
