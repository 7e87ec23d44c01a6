"""Windows, dimension labels and padding: text, properties, errors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.ir.attributes import Attribute, DenseArrayAttribute, DenseAttribute, StructAttribute
from hloscope.engine.ir.element_types import ELEMENT_TYPES, I64
from hloscope.engine.ir.types import TensorType
from hloscope.engine.source import Source
from hloscope.engine.syntax import parse_module
from hloscope.engine.syntax.hlo.attributes.dim_labels import print_dim_labels, read_dim_labels
from hloscope.engine.syntax.hlo.attributes.window_fields import (
    POINT,
    Window,
    convolution_window,
    print_padding,
    print_window,
    read_padding,
    read_undilated_window,
    read_window,
    reduce_window_window,
    window_properties_of_convolution,
    window_properties_of_custom_call,
    window_properties_of_reduce_window,
)
from tests.each import for_each

from ..op_table import OP_TABLE
from .reading import read, refused

AS_WRITTEN = (
    "{}",
    "{size=3}",
    "{size=0x1}",
    "{size=2x2 stride=2x1}",
    "{size=2x2 pad=-1_1x1_2}",
    "{size=3x3 pad=1_1x-1_1 lhs_dilate=2x1 rhs_reversal=1x0}",
    "{size=3x3 stride=2x1 pad=0_1x2_2 lhs_dilate=1x2 rhs_dilate=1x2 rhs_reversal=1x0}",
)
NORMALISED = {
    "{pad=0_0x0_0 stride=2x1 size=2x2}": "{size=2x2 stride=2x1}",
    "{ size = 02x2 /*of two*/ lhs_dilate=1x1\n rhs_reversal=0x0 }": "{size=2x2}",
    "{size=2x2 stride=1x1 rhs_dilate=1x1}": "{size=2x2}",
}
NUMBERS = "'stride' with 'x' between them, such as 2x2"
WRONG = {
    "{size=2x2, stride=2x2}": ("expected a field of the window, such as size=2x2, or '}', found ','", ","),
    "{stride=2x2}": ("the window has no size", "{stride=2x2}"),
    "{stride=2 size=2x2}": ("'stride' has 1 dimension, but 'size' has 2", "2"),
    "{size=2x2 pad=0_0x0_0x0_0}": ("'pad' has 3 dimensions, but 'size' has 2", "0_0x0_0x0_0"),
    "{size=2x2 size=2x2}": ("'size' is given twice", "size"),
    "{size=2x2 foo=1x1}": ("a window has no field 'foo'", "foo"),
    "{size=2 stride=-1}": (f"expected numbers for {NUMBERS}, found '-1'", "-1"),
    "{size=2 stride=2x}": (f"expected numbers for {NUMBERS}, found '2x'", "2x"),
    "{size=2 stride=}": (f"expected numbers for {NUMBERS}, found '}}'", "}"),
    "{size=2 pad=1_1_0}": (
        "a window's padding is low_high for each dimension, with nothing in between",
        "1_1_0",
    ),
    "{size=2 pad=1}": ("expected low_high for each dimension of 'pad', such as 0_1x0_1, found '1'", "1"),
    "{size=2 rhs_reversal=2}": ("'rhs_reversal' is 0 or 1 for each dimension", "2"),
    "{size=9223372036854775808}": ("a number does not fit in 64 bits", "9223372036854775808"),
    "{size=99999999999999999999x2}": ("a number does not fit in 64 bits", "99999999999999999999x2"),
    "{size=2": ("expected a field of the window, such as size=2x2, or '}', found the end of the text", ""),
    "2x2": ("expected '{', which opens the window, found '2'", "2"),
}


@pytest.mark.parametrize("text", AS_WRITTEN)
def test_windows_print_as_they_are_written(text: str) -> None:
    assert print_window(read(read_window, text)) == text


@pytest.mark.parametrize("text", NORMALISED)
def test_windows_in_other_spellings(text: str) -> None:
    assert print_window(read(read_window, text)) == NORMALISED[text]


@for_each("text", WRONG)
def test_wrong_windows(text: str) -> None:
    assert refused(read_window, text) == WRONG[text]


def test_fields_of_a_window() -> None:
    found = read(read_window, "{size=3x1 stride=2x1 pad=0_1x-2_0 rhs_reversal=1x0}")
    assert found == Window((3, 1), (2, 1), ((0, 1), (-2, 0)), (1, 1), (1, 1), (True, False))


# Properties

CONVOLUTION = """func.func @f(%x: tensor<1x8x8x1xf32>, %k: tensor<3x2x1x1xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [2, 1], pad = [[0, 1], [-1, 0]], lhs_dilate = [1, 3], rhs_dilate = [2, 1],
              reverse = [true, false]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x8x8x1xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x20x1xf32>
  return
}"""
WINDOW = "{size=3x2 stride=2x1 pad=0_1x-1_0 lhs_dilate=1x3 rhs_dilate=2x1 rhs_reversal=1x0}"


def convolution() -> dict[str, Attribute]:
    """The properties of the same convolution in StableHLO text."""
    body = parse_module(Source(CONVOLUTION), OP_TABLE).functions[0].body
    assert body is not None
    return dict(body.block.operations[0].properties)


def test_a_window_is_the_properties_of_stablehlo_text() -> None:
    stated = convolution()
    properties = window_properties_of_convolution(read(read_window, WINDOW))
    assert properties == {name: stated[name] for name in properties}
    assert len(properties) == 5
    assert read(read_dim_labels, "b01f_01io->b01f") == stated["dimension_numbers"]
    assert print_window(convolution_window(stated, (3, 2))) == WINDOW


def test_defaults_are_no_properties() -> None:
    assert window_properties_of_convolution(None) == {}
    assert window_properties_of_convolution(Window.of((3, 3))) == {}
    sizes = DenseArrayAttribute(I64, (3, 3))
    assert window_properties_of_reduce_window(Window.of((3, 3))) == {"window_dimensions": sizes}
    assert window_properties_of_reduce_window(None) == {"window_dimensions": DenseArrayAttribute(I64, ())}


def test_windows_without_turning_or_dilations() -> None:
    turned = Window.of((2,), rhs_reversal=(True,))
    assert "window_reversal" not in window_properties_of_reduce_window(turned)
    message = "select-and-scatter has windows without lhs_dilate and rhs_dilate"
    text = "{size=2 rhs_dilate=2}"
    assert refused(read_undilated_window, text) == (message, text)
    assert read(read_undilated_window, "{size=2 stride=2}") == Window.of((2,), stride=(2,))


def test_properties_of_older_text_are_tensors() -> None:
    reversal = DenseAttribute(TensorType((2,), ELEMENT_TYPES["i1"]), np.array([False, True]))
    strides = DenseAttribute(TensorType((2,), I64), np.array([2, 1]))
    found = convolution_window({"window_reversal": reversal, "window_strides": strides}, (3, 3))
    assert print_window(found) == "{size=3x3 stride=2x1 rhs_reversal=0x1}"


SIZES = st.integers(0, 1 << 40)
STEPS = st.integers(1, 1 << 40)
PLACES = st.tuples(*[st.integers(-(1 << 63), (1 << 63) - 1)] * 2)


@st.composite
def windows(draw: st.DrawFn) -> Window:
    rank = draw(st.integers(0, 4))

    def row(values: st.SearchStrategy[int]) -> tuple[int, ...]:
        return tuple(draw(st.lists(values, min_size=rank, max_size=rank)))

    pad = draw(st.lists(PLACES | st.just((0, 0)), min_size=rank, max_size=rank))
    reversal = tuple(draw(st.lists(st.booleans(), min_size=rank, max_size=rank)))
    return Window(row(SIZES), row(STEPS), tuple(pad), row(STEPS), row(STEPS), reversal)


@given(windows())
def test_any_window(window: Window) -> None:
    assert read(read_window, print_window(window)) == window
    assert convolution_window(window_properties_of_convolution(window), window.size) == window
    properties = window_properties_of_custom_call(window)
    assert convolution_window(properties, window.size) == window
    straight = Window.of(window.size, window.stride, window.pad, window.lhs_dilate, window.rhs_dilate)
    assert reduce_window_window(window_properties_of_reduce_window(window)) == straight


# Dimension labels

LABELS = (
    *("b01f_01io->b01f", "bf01_oi01->bf01", "b10f_10io->b10f", "f01b_i01o->01bf", "b0f_0io->b0f"),
    *("bf_io->bf", "b01?f_01io->b01f", "bf_?io->bf", "b0123f_0123io->b0123f"),
)
EXPECTED = "expected labels of input, kernel and output without blanks, found"
WRONG_LABELS = {
    "bb1f_01io->b01f": ("lhs has the label 'b' twice", "b"),
    "b01f_01ii->b01f": ("rhs has the label 'i' twice", "i"),
    "b01f_01io->b01": ("output has no label 'f'", "b01"),
    "b02f_01io->b01f": ("lhs has no label '1'", "b02f"),
    "b01f_0io->b01f": ("rhs has 1 spatial dimension, but lhs has 2", "0io"),
    "b01f_01io->bf": ("output has 0 spatial dimensions, but lhs has 2", "bf"),
    "b01i_01io->b01f": ("lhs has no label 'i'; its labels are 'b', 'f', numbers and '?'", "i"),
    "b01f_01io-> b01f": (f"{EXPECTED} 'b01f_01io'", "b01f_01io"),
    "b01f": (f"{EXPECTED} 'b01f'", "b01f"),
}


@pytest.mark.parametrize("text", LABELS)
def test_labels_print_as_they_are_written(text: str) -> None:
    assert print_dim_labels(read(read_dim_labels, text)) == text


@pytest.mark.parametrize("text", WRONG_LABELS)
def test_wrong_labels(text: str) -> None:
    assert refused(read_dim_labels, text) == WRONG_LABELS[text]


def test_places_of_labels() -> None:
    found = read(read_dim_labels, "f01b_i01o->01bf").parameters
    places = {
        name: getattr(value, "values", None) or getattr(value, "value", ()) for name, value in found.items()
    }
    assert places == {
        "input_batch_dimension": 3,
        "input_feature_dimension": 0,
        "input_spatial_dimensions": (1, 2),
        "kernel_input_feature_dimension": 0,
        "kernel_output_feature_dimension": 3,
        "kernel_spatial_dimensions": (1, 2),
        "output_batch_dimension": 2,
        "output_feature_dimension": 3,
        "output_spatial_dimensions": (0, 1),
    }


@pytest.mark.parametrize("parameters", [{}, {"input_batch_dimension": DenseArrayAttribute(I64, ())}])
def test_what_has_no_labels(parameters: dict[str, Attribute]) -> None:
    with pytest.raises(ValueError, match="cannot be written"):
        print_dim_labels(StructAttribute("stablehlo", "conv", parameters))
    with pytest.raises(ValueError, match=r"expected #stablehlo\.conv"):
        print_dim_labels(DenseArrayAttribute(I64, ()))


@given(st.permutations("b0123f"), st.permutations("0123io"), st.permutations("b0123f"))
def test_any_labels(lhs: list[str], rhs: list[str], output: list[str]) -> None:
    text = f"{''.join(lhs)}_{''.join(rhs)}->{''.join(output)}"
    assert print_dim_labels(read(read_dim_labels, text)) == text


# Padding of the pad op

PADDED = {
    "0_0x1_1": "0_0x1_1",
    "0_1_2x0_0": "0_1_2x0_0_0",
    "0_0_0x0_0_0": "0_0x0_0",
    "-1_2": "-1_2",
    "": "",
}
A_DIMENSION = "expected low_high or low_high_interior for each dimension, such as 1_2_0x0_0_1, found"
WRONG_PADDING = {
    "0x0": (f"{A_DIMENSION} '0x0'", "0x0"),
    "0_0x": (f"{A_DIMENSION} '0_0x'", "0_0x"),
    "1_2_3_4": (f"{A_DIMENSION} '1_2_3_4'", "1_2_3_4"),
    "+1_0": (f"{A_DIMENSION} '+1_0'", "+1_0"),
    "0_0_-1": (f"{A_DIMENSION} '0_0_-1'", "0_0_-1"),
    "0_9223372036854775808": ("a number does not fit in 64 bits", "0_9223372036854775808"),
}


@pytest.mark.parametrize("text", PADDED)
def test_padding(text: str) -> None:
    assert print_padding(*read(read_padding, text)) == PADDED[text]


@pytest.mark.parametrize("text", WRONG_PADDING)
def test_wrong_padding(text: str) -> None:
    assert refused(read_padding, text) == WRONG_PADDING[text]


def test_padding_dimension_by_dimension() -> None:
    assert read(read_padding, "1_2_3x-4_5") == ((1, -4), (2, 5), (3, 0))


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9), st.integers(0, 2))))
def test_any_padding(rows: list[tuple[int, int, int]]) -> None:
    low, high, interior = (tuple(row[k] for row in rows) for k in range(3))
    assert read(read_padding, print_padding(low, high, interior)) == (low, high, interior)


def test_a_window_of_no_dimensions() -> None:
    assert read(read_window, "{}") == POINT
    assert print_window(POINT) == "{}"
