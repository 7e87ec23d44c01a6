"""Arrays as processes send them to each other."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.app.processes.arrays import Array, pack, unpack, unpack_all
from hloscope.app.processes.framing import MAX_BUFFERS, encode

DTYPES = (
    np.bool_, np.uint8, np.int64, np.float32, np.complex128, ml_dtypes.int4, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn,
)  # fmt: skip


@st.composite
def arrays(draw: st.DrawFn) -> Array:
    shape = draw(st.lists(st.integers(0, 4), max_size=3))
    numbers = np.arange(int(np.prod(shape)), dtype=np.float64).reshape(shape)
    return np.asarray((numbers % 7).astype(draw(st.sampled_from(DTYPES))))


def identity(array: Array | None) -> object:
    return None if array is None else (array.dtype, array.shape, array.tobytes())


@given(st.lists(st.none() | arrays(), max_size=6))
def test_what_is_packed_is_unpacked(packed: list[Array | None]) -> None:
    described, data = pack(packed)
    found = unpack(described, data)
    assert list(map(identity, found)) == list(map(identity, packed))
    assert all(array is None or not array.flags.writeable for array in found)


def test_elements_of_a_view_are_sent_in_its_order() -> None:
    described, data = pack([np.arange(6).reshape(2, 3).T[::-1]])
    assert unpack_all(described, data)[0].tolist() == [[2, 5], [1, 4], [0, 3]]


def test_bytes_that_are_too_few_or_too_many_are_refused() -> None:
    described, data = pack([np.arange(3)])
    with pytest.raises(ValueError, match="cut off"):
        unpack(described, data[:-1])
    with pytest.raises(ValueError, match="more bytes"):
        unpack(described, data + b"\0")


def test_more_arrays_than_a_frame_has_buffers() -> None:
    described, data = pack([np.full(2, number) for number in range(MAX_BUFFERS + 44)])
    assert encode({"arrays": described}, [data])
    assert [array[0] for array in unpack_all(described, data)] == list(range(MAX_BUFFERS + 44))
