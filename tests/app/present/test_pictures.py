"""Windows and thumbnails: the cells are those of the value, and bins those of a loop over all elements."""

import base64
import io
import json
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.app.present.elements import wire_of
from hloscope.app.present.npy import npy_bytes
from hloscope.app.present.summary import thumbnail
from hloscope.app.present.value_windows import Window, WindowError, window_bytes
from hloscope.engine.colour_scales import LEVELS
from hloscope.engine.ir.element_types import ELEMENT_TYPES, of_dtype
from hloscope.engine.ir.types import TensorType
from hloscope.engine.small_pictures import MINUS_INFINITY, NOT_A_NUMBER, PLUS_INFINITY
from tests.each import for_each

DTYPES = {
    "f32": "<f4",
    "f64": "<f8",
    "u8": "u1",
    "i8": "i1",
    "i32": "<i4",
    "u32": "<u4",
    "i64": "<i8",
    "u64": "<u8",
}


def _type(array: Any) -> TensorType:
    element_type = of_dtype(array.dtype)
    assert element_type is not None
    return TensorType(array.shape, element_type)


def _window(array: Any, **parts: Any) -> tuple[dict[str, Any], list[Any]]:
    """The JSON and the planes of a window; by default the whole matrix."""
    whole = {"rows": 0, "columns": 1, "at": (0,) * array.ndim, "top": 0, "left": 0, "height": 99, "width": 99}
    data = window_bytes(array, _type(array), Window(**{**whole, **parts}))
    length = int.from_bytes(data[:4], "little")
    head = json.loads(data[4 : 4 + length])
    place = -(-(4 + length) // 8) * 8
    planes = []
    for plane in head["planes"]:
        components = head["wire"]["components"]
        shape = (head["height"], head["width"], components)[: 2 + (components == 2)]
        dtype = np.dtype("<u4" if plane in ("nonfinite", "mark") else DTYPES[head["wire"]["dtype"]])
        planes.append(np.frombuffer(data, dtype, int(np.prod(shape)), place).reshape(shape))
        place += planes[-1].nbytes
    assert place == len(data)
    return head, planes


def test_level_0_is_the_elements() -> None:
    array = np.arange(24, dtype=np.float32).reshape(4, 6)
    head, (plane,) = _window(array, top=1, left=2, height=2, width=3)
    assert (head["height"], head["width"], head["total"], head["planes"]) == (2, 3, [4, 6], ["value"])
    np.testing.assert_array_equal(plane, array[1:3, 2:5])


def test_a_window_is_cut_at_the_edges() -> None:
    array = np.arange(24).reshape(4, 6)
    head, (plane,) = _window(array, top=3, left=5)
    assert plane.tolist() == [[23]]
    head, _ = _window(array, top=9, left=9)
    assert (head["height"], head["width"]) == (0, 0)


@pytest.mark.parametrize(
    ("rows", "columns", "at", "expected"),
    [
        (0, 2, (9, 1, 9), lambda a: a[:, 1, :]),
        (2, 0, (9, 1, 9), lambda a: a[:, 1, :].T),
        (-1, 1, (1, 9, 2), lambda a: a[1, :, 2][None]),
        (1, -1, (1, 9, 2), lambda a: a[1, :, 2][:, None]),
        (-1, -1, (1, 2, 3), lambda a: a[1, 2, 3][None, None]),
    ],
)
def test_any_two_axes_can_be_shown(rows: int, columns: int, at: tuple[int, ...], expected: Any) -> None:
    array = np.arange(60).reshape(3, 4, 5)
    _, (plane,) = _window(array, rows=rows, columns=columns, at=at)
    np.testing.assert_array_equal(plane, expected(array))


@for_each("element_type", ELEMENT_TYPES.values(), ids=str)
def test_every_element_type_travels_exactly(element_type: Any) -> None:
    numbers = np.array([[0, 1], [1, 0]]).astype(element_type.dtype)
    data = window_bytes(numbers, TensorType((2, 2), element_type), Window(0, 1, (0, 0), 0, 0, 2, 2))
    wire = wire_of(element_type)
    values = np.frombuffer(data[-4 * wire.components * wire.dtype.itemsize :], wire.dtype)
    wanted = [0, 0, 1, 0, 1, 0, 0, 0] if wire.components == 2 else numbers.astype(np.float64).ravel()
    np.testing.assert_array_equal(values, wanted)


def _bins(array: Any, size: int) -> list[Any]:
    """Minimum, mean, maximum, non-finite count and mark of each bin, one by one; no marks if all are finite."""
    shape = tuple(-(-n // size) for n in array.shape)
    planes = [np.full(shape, np.nan) for _ in range(3)] + [np.zeros(shape), np.zeros(shape)]
    for place in np.ndindex(shape):
        block = array[tuple(slice(i * size, (i + 1) * size) for i in place)].astype(np.float64)
        finite = block[np.isfinite(block)]
        if finite.size:
            planes[0][place], planes[1][place], planes[2][place] = finite.min(), finite.mean(), finite.max()
        planes[3][place] = block.size - finite.size
        for mark, found in ((253, block == -np.inf), (254, block == np.inf), (255, np.isnan(block))):
            if found.any():
                planes[4][place] = mark
    return planes if planes[4].any() else planes[:4]


@given(
    st.integers(1, 20),
    st.integers(1, 20),
    st.integers(1, 5),
    st.sampled_from(["f4", "f8", "i1", "?"]),
    st.booleans(),
)
def test_levels_are_bins_of_elements(height: int, width: int, level: int, dtype: str, holes: bool) -> None:
    generator = np.random.default_rng(height * 100 + width)
    array = generator.integers(-9, 9, (height, width)).astype(dtype)
    if holes and array.dtype.kind == "f":
        array[generator.random((height, width)) < 0.4] = np.nan
        array[generator.random((height, width)) < 0.2] = np.inf
    head, planes = _window(array, level=level)
    expected = _bins(array, 1 << level)
    assert head["total"] == list(expected[0].shape)
    for plane, wanted in zip(planes, expected, strict=True):
        np.testing.assert_allclose(plane, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize("number", [2.5, np.inf])
def test_axes_that_repeat_one_index_are_binned_once(axes: tuple[int, ...], number: float) -> None:
    shape = (21, 13)
    once = np.full(tuple(1 if axis in axes else shape[axis] for axis in range(2)), number, np.float32)
    once.flat[-1] = np.nan if once.size > 1 else number
    repeated = np.broadcast_to(once, shape)
    for plane, wanted in zip(_window(repeated, level=2)[1], _bins(repeated, 4), strict=True):
        np.testing.assert_array_equal(plane, wanted)


def test_a_splat_of_more_elements_than_can_be_read_has_a_picture() -> None:
    splat = np.broadcast_to(np.float32(1), (10**6, 10**6))
    _, (low, mean, high, nonfinite) = _window(splat, level=14)
    assert low.shape == (62, 62)
    assert (low == 1).all()
    assert (mean == 1).all()
    assert (high == 1).all()
    assert (nonfinite == 0).all()


def test_strips_and_offsets_make_no_difference() -> None:
    array = np.random.default_rng(0).normal(size=(3000, 1100)).astype(np.float32)
    expected = _bins(array, 64)
    for parts in ({}, {"top": 3, "left": 2, "height": 5, "width": 4}):
        _, planes = _window(array, level=6, **parts)
        top, left = parts.get("top", 0), parts.get("left", 0)
        for plane, wanted in zip(planes, expected, strict=True):
            rows, columns = plane.shape
            np.testing.assert_allclose(
                plane, wanted[top : top + rows, left : left + columns], rtol=1e-4, atol=1e-6
            )


def test_complex_bins_are_of_magnitudes() -> None:
    head, planes = _window(np.array([[3 + 4j, 0]]), level=1)
    assert head["wire"] == {"dtype": "f64", "components": 1}
    assert [float(plane[0, 0]) for plane in planes] == [0, 2.5, 5, 0]


@pytest.mark.parametrize(
    ("parts", "complaint"),
    [
        ({"rows": 0, "columns": 0}, "two of the 2 axes"),
        ({"rows": 2}, "two of the 2 axes"),
        ({"at": (0,)}, "an index for each"),
        ({"rows": -1, "at": (9, 0)}, "index 9 is outside axis 0 of size 4"),
        ({"level": 99}, "level is 0 to 40"),
        ({"top": -1}, "not negative"),
    ],
)
def test_windows_that_a_value_does_not_have(parts: dict[str, Any], complaint: str) -> None:
    with pytest.raises(WindowError, match=complaint):
        _window(np.zeros((4, 6), np.float32), **parts)


def test_a_window_has_a_size_that_can_be_sent() -> None:
    array = np.broadcast_to(np.float32(1), (10**6, 10**6))
    with pytest.raises(WindowError, match="at most 1,048,576 cells"):
        _window(array, height=2000, width=2000)


def test_a_query_is_parsed() -> None:
    assert Window.parse("0", "-1", "", "0,0", "1,2", "3") == Window(0, -1, (), 0, 0, 1, 2, 3)
    with pytest.raises(WindowError):
        Window.parse("0", "1", "0,x", "0,0", "1,2")


def _pixels(array: Any) -> tuple[Any, Any]:
    found = thumbnail(array, _type(array))
    pixels = np.frombuffer(base64.b64decode(found["pixels"]), np.uint8)
    return found, pixels.reshape(found["height"], found["width"])


@pytest.mark.parametrize(
    ("shape", "pixels"),
    [
        ((), (1, 1)),
        ((5,), (1, 5)),
        ((1000,), (1, 48)),
        ((7, 1), (7, 1)),
        ((32, 256), (16, 48)),
        ((784, 256), (16, 48)),
        ((100, 20), (16, 20)),
        ((2, 3, 4), (6, 4)),
        ((2, 0, 4), (0, 4)),
    ],
)
def test_thumbnails_have_a_pixel_for_each_element_as_far_as_they_go(
    shape: tuple[int, ...], pixels: tuple[int, int]
) -> None:
    found, _ = _pixels(np.zeros(shape, np.float32))
    assert (found["height"], found["width"]) == pixels


def test_pixels_show_the_elements_in_their_middle() -> None:
    array = np.random.default_rng(0).normal(size=(32, 96)).astype(np.float32)
    found, pixels = _pixels(array)
    assert (found["min"], found["max"]) == (array.min(), array.max())
    low, high = found["scale"]["low"], found["scale"]["high"]
    shown = low + pixels / LEVELS * (high - low)
    np.testing.assert_allclose(shown, np.clip(array[1::2, 1::2], low, high), atol=(high - low) / LEVELS)


def test_one_nan_shows_in_a_large_value() -> None:
    array = np.zeros((1000, 1000), np.float32)
    array[0, 0], array[999, 0], array[999, 999] = np.nan, np.inf, -np.inf
    found, pixels = _pixels(array)
    assert (pixels[0, 0], pixels[-1, 0], pixels[-1, -1]) == (NOT_A_NUMBER, PLUS_INFINITY, MINUS_INFINITY)
    assert found["nonfinite"]
    assert len(np.unique(pixels[1:-1])) == 1


def test_infinities_that_share_a_pixel_are_one_of_them() -> None:
    array = np.zeros((1, 1000), np.float32)
    array[0, :500] = -np.inf
    found, pixels = _pixels(array)
    assert set(pixels[0, : pixels.shape[1] // 2 - 1]) == {MINUS_INFINITY}
    assert (found["min"], found["max"]) == (0.0, 0.0)


def test_repeats_draw_like_copies() -> None:
    column = np.arange(10, dtype=np.float32)[:, None]
    for array in (np.broadcast_to(column, (10, 30)), np.broadcast_to(np.float32(3), (4, 5, 6))):
        np.testing.assert_array_equal(_pixels(array)[1], _pixels(array.copy())[1])


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.asfortranarray(np.arange(6).reshape(2, 3)), np.arange(6).reshape(2, 3)),
        (np.array(1.5, ml_dtypes.bfloat16), np.array(0x3FC0, np.uint16)),
        (np.array([-3], ml_dtypes.int4), np.array([-3], np.int8)),
        (np.array([-1, 0], ml_dtypes.int1), np.array([-1, 0], np.int8)),
        (np.array([1, 0], ml_dtypes.uint1), np.array([1, 0], np.uint8)),
        (np.broadcast_to(np.float32(2), (2, 2)), np.full((2, 2), 2, np.float32)),
    ],
)
def test_values_download_as_plain_npy(array: Any, expected: Any) -> None:
    found = np.load(io.BytesIO(npy_bytes(array)))
    np.testing.assert_array_equal(found, expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
