"""Inputs: generated numbers fit their type and repeat; given arrays fit the argument or are refused in a sentence."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.errors import InputError, LimitError
from hloscope.engine.inputs import GENERATED, InputSpec, make_input
from hloscope.engine.ir.element_types import ELEMENT_TYPES, ONLY_IN_HLO, QuantizedType
from hloscope.engine.ir.types import OpaqueType, TensorType, TokenType, TupleType
from hloscope.engine.limits import Limits
from tests.each import for_each

ELEMENTS = list(ELEMENT_TYPES.values())


def _tensor(element_type: str, *shape: int | None) -> TensorType:
    return TensorType(shape, ELEMENT_TYPES[element_type])


def _make(spec: str, element_type: str, *shape: int, argument: int = 0) -> Any:
    return make_input(InputSpec.parse(spec), _tensor(element_type, *shape), argument, "%x")


def _given(array: Any, element_type: str, *shape: int | None) -> Any:
    return make_input(InputSpec("array", array=np.asarray(array)), _tensor(element_type, *shape), 2, "%x")


@given(st.sampled_from(ELEMENTS), st.sampled_from(GENERATED), st.lists(st.integers(0, 5), max_size=3))
def test_generated_inputs_have_the_type_and_repeat(element_type: Any, kind: Any, shape: list[int]) -> None:
    wanted = TensorType(tuple(shape), element_type)
    first = make_input(InputSpec(kind, 3), wanted, 1)
    again = make_input(InputSpec(kind, 3), wanted, 1)
    assert (first.shape, first.dtype) == (wanted.shape, element_type.dtype)
    assert not first.flags.writeable
    assert first.tobytes() == again.tobytes()
    if element_type.is_float or element_type.is_complex:
        assert np.isfinite(first.astype(np.complex128)).all()


def test_seed_and_argument_number_both_change_the_numbers() -> None:
    draws = [_make(f"normal:{seed}", "f32", 8, argument=argument) for seed in (0, 1) for argument in (0, 1)]
    assert len({draw.tobytes() for draw in draws}) == 4


@for_each("element_type", [e.name for e in ELEMENTS if e.is_float])
def test_uniform_stays_below_one(element_type: str) -> None:
    values = _make("uniform", element_type, 4000).astype(np.float64)
    assert values.min() >= 0
    assert values.max() < 1
    assert len(set(values.tolist())) > 1


def test_normal_has_its_mean_and_deviation_and_can_be_scaled() -> None:
    for element_type in ("f32", "f64", "bf16", "f16", "tf32"):
        values = _make("normal", element_type, 40_000).astype(np.float64)
        assert abs(values.mean()) < 0.02
        assert abs(values.std() - 1) < 0.02
        scaled = _make("normal*0.5", element_type, 40_000).astype(np.float64)
        np.testing.assert_allclose(scaled, values / 2, rtol=1e-2, atol=1e-6)


def test_random_integers_are_digits_as_far_as_the_type_has_them() -> None:
    for element_type in (e for e in ELEMENTS if e.is_integer):
        values = _make("normal", element_type.name, 1000).astype(np.int64)
        assert set(values.tolist()) == set(range(min(10, int(ml_dtypes.iinfo(element_type.dtype).max) + 1)))
    assert set(_make("normal", "i1", 100).tolist()) == {False, True}


@pytest.mark.parametrize(
    ("element_type", "start"),
    [
        ("f32", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ("i2", [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]),
        ("ui2", [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]),
        ("i1", [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]),
        ("f4E2M1FN", [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]),
        ("f6E2M3FN", [0, 1, 2, 3, 4, 5, 6, 7, 0, 1]),
        ("f8E8M0FNU", [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]),
        ("complex<f32>", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
    ],
)
def test_iota_counts_row_major_as_far_as_the_type_counts(element_type: str, start: list[int]) -> None:
    assert _make("iota", element_type, 2, 5).astype(np.complex128).ravel().tolist() == start


def test_iota_of_bytes_starts_again() -> None:
    assert _make("iota", "i8", 130)[[0, 127, 128, 129]].tolist() == [0, 127, 0, 1]


def test_zeros_and_ones_are_one_element_however_large() -> None:
    for spec, value in (("zeros", 0), ("ones", 1)):
        array = _make(spec, "f32", 1000, 1000)
        assert array.strides == (0, 0)
        assert array[5, 5] == value
    assert float(_make("zeros", "f8E8M0FNU")) == 2.0**-127
    assert float(_make("ones", "f8E8M0FNU")) == 1


def test_quantized_tensors_get_values_of_their_storage() -> None:
    storage = ELEMENT_TYPES["i8"]
    element_type = QuantizedType("q", "quantized", 8, storage, ELEMENT_TYPES["f32"])
    assert make_input(InputSpec("iota"), TensorType((3,), element_type), 0).tolist() == [0, 1, 2]


@pytest.mark.parametrize("text", ["normal", "uniform:7", "normal:7*0.05", "iota", "[[1, 2], [3, 4]]", "1.5"])
def test_specifications_read_back_as_they_are_written(text: str) -> None:
    assert str(InputSpec.parse(text)) == text


def test_a_word_that_is_no_kind_is_a_literal_and_a_bad_factor_is_said() -> None:
    assert InputSpec.parse("zeros8").kind == "dense"
    assert InputSpec().kind == "normal"
    with pytest.raises(InputError, match="is not a factor"):
        InputSpec.parse("normal*1e999")


def test_literals() -> None:
    np.testing.assert_array_equal(_make("[[1, 2], [3, 4]]", "f32", 2, 2), [[1, 2], [3, 4]])
    np.testing.assert_array_equal(_make("dense<true>", "i1", 3), [True] * 3)
    with pytest.raises(
        InputError, match=r"argument 0 \(%x\) of type tensor<2xf32> cannot be '\[1, 2, 3\]': "
    ):
        _make("[1, 2, 3]", "f32", 2)


def test_arrays_are_copied_while_others_may_write_to_them() -> None:
    mine = np.arange(3, dtype=np.float32)
    value = _given(mine, "f32", 3)
    mine[0] = 9
    assert value.tolist() == [0, 1, 2]
    value.setflags(write=False)
    assert _given(value, "f32", 3).ctypes.data == value.ctypes.data


def test_bits_become_small_floats() -> None:
    numbers = np.array([1.5, -2], ml_dtypes.bfloat16)
    for bits in (numbers.view(np.uint16), numbers.view("V2"), numbers):
        np.testing.assert_array_equal(_given(bits, "bf16", 2), numbers)
    eight = np.array([0.5], ml_dtypes.float8_e4m3fn)
    np.testing.assert_array_equal(_given(eight.view(np.uint8), "f8E4M3FN", 1), eight)


def test_narrow_integers_come_by_value_or_by_bits() -> None:
    numbers = np.array([-3, 7], ml_dtypes.int4)
    assert _given(np.array([-3, 7], np.int8), "i4", 2).astype(int).tolist() == [-3, 7]
    assert _given(numbers.view("V1"), "i4", 2).astype(int).tolist() == [-3, 7]
    with pytest.raises(InputError):
        _given(np.array([8], np.int8), "i4", 1)


def test_bytes_without_a_sign_are_the_bits_of_narrow_integers() -> None:
    assert _given(np.array([7, 8, 13, 15, 0xFD], np.uint8), "i4", 5).tolist() == [7, -8, -3, -1, -3]
    assert _given(np.array([1, 2, 3], np.uint8), "i2", 3).tolist() == [1, -2, -1]
    assert _given(np.array([8, 15], np.uint8), "ui4", 2).tolist() == [8, 15]
    for wrong in (16, 0xF7):
        with pytest.raises(InputError, match="cannot take uint8"):
            _given(np.array([wrong], np.uint8), "i4", 1)


def test_integers_of_one_bit_are_its_two_values() -> None:
    for name, least in (("s1", -1), ("u1", 0)):
        wanted = TensorType((4,), ONLY_IN_HLO[name])
        made = {kind: make_input(InputSpec.parse(kind), wanted, 0).tolist() for kind in ("iota", "ones")}
        one = least or 1
        assert made == {"iota": [0, one, 0, one], "ones": [one] * 4}
        drawn = make_input(InputSpec("normal"), TensorType((100,), ONLY_IN_HLO[name]), 0)
        assert set(drawn.tolist()) == {0, one}
        given = np.array([0, one, one, 0], np.int8)
        for array in (given, given.astype(wanted.element_type.dtype), given.astype(bool).view("V1")):
            assert make_input(InputSpec("array", array=array), wanted, 0).tolist() == given.tolist()
        with pytest.raises(InputError, match="cannot take int8"):
            make_input(InputSpec("array", array=np.array([0, 0, 0, -one], np.int8)), wanted, 0)


def test_other_byte_orders_and_memory_orders_are_read() -> None:
    assert _given(np.arange(3, dtype=">i4"), "i32", 3).tolist() == [0, 1, 2]
    array = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    np.testing.assert_array_equal(_given(array, "f32", 2, 3), array)


@pytest.mark.parametrize(
    ("array", "element_type", "shape", "message", "hint"),
    [
        (
            np.zeros((2, 3), np.float64),
            "f32",
            (2, 3),
            "argument 2 (%x) of type tensor<2x3xf32> cannot take float64[2, 3]",
            "Convert it with array.astype(np.float32).",
        ),
        (
            np.zeros(2, np.uint32),
            "f32",
            (2,),
            "argument 2 (%x) of type tensor<2xf32> cannot take uint32[2]",
            "Convert it with array.astype(np.float32).",
        ),
        (
            np.zeros(2, np.float32),
            "bf16",
            (2,),
            "argument 2 (%x) of type tensor<2xbf16> cannot take float32[2]",
            "Convert it with array.astype(ml_dtypes.bfloat16), or give the bits as uint16.",
        ),
        (
            np.zeros((3, 2), np.float32),
            "f32",
            (2, 3),
            "argument 2 (%x) of type tensor<2x3xf32> cannot take float32[3, 2]: its shape is 3x2, not 2x3",
            None,
        ),
        (
            np.zeros(2, np.float32),
            "f32",
            (),
            "argument 2 (%x) of type tensor<f32> cannot take float32[2]: its shape is 2, not ()",
            None,
        ),
    ],
)
def test_arrays_that_do_not_fit(
    array: Any, element_type: str, shape: tuple[int, ...], message: str, hint: str | None
) -> None:
    with pytest.raises(InputError) as error:
        _given(array, element_type, *shape)
    assert (error.value.message, error.value.hint) == (message, hint)


def test_unknown_sizes_take_any_array() -> None:
    assert _given(np.zeros((5, 3), np.float32), "f32", None, 3).shape == (5, 3)


def test_what_cannot_be_given() -> None:
    with pytest.raises(InputError, match="only tensors, tokens and tuples"):
        make_input(InputSpec(), OpaqueType("!a.b"), 0)
    with pytest.raises(InputError, match="has no array"):
        make_input(InputSpec("array"), _tensor("f32"), 0)
    with pytest.raises(InputError, match="cannot take seed -1"):
        make_input(InputSpec("normal", -1), _tensor("f32"), 0)


PAIR = TupleType((TupleType((_tensor("i32", 2), TokenType())), _tensor("f32")))


def test_a_token_is_there_whatever_is_asked_for() -> None:
    for spec in (InputSpec(), InputSpec("dense", text=""), InputSpec("array")):
        found = make_input(spec, TokenType(), 0)
        assert found.shape == (0,)
        assert found.dtype == np.dtype(bool)


def test_each_element_of_a_tuple_has_numbers_of_its_own() -> None:
    same = TupleType((_tensor("f32", 3), _tensor("f32", 3)))
    first, second = make_input(InputSpec("normal", 7), same, 0)
    assert not np.array_equal(first, second)
    again, _ = make_input(InputSpec("normal", 7), same, 0)
    assert np.array_equal(first, again)
    assert not first.flags.writeable


def test_tuples_are_typed_in_parentheses() -> None:
    inner, scalar = make_input(InputSpec("dense", text=" (([1, -2]), 0.5) "), PAIR, 0)
    assert inner[0].tolist() == [1, -2]
    assert inner[1].shape == (0,)
    assert scalar.tolist() == 0.5
    (empty,) = make_input(InputSpec("dense", text="()"), TupleType((TokenType(),)), 0)
    assert empty.shape == (0,)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (InputSpec("dense", text="1"), "argument 0 of type .* is a tuple: write its 2 values in parentheses"),
        (
            InputSpec("dense", text="(1, 2)"),
            "argument 0, element 0, of type .* is a tuple: write its 1 values",
        ),
        (InputSpec("dense", text="((1), x)"), "argument 0, element 1, of type tensor<f32> cannot be 'x'"),
        (InputSpec("array", array=np.zeros(2)), "is a tuple, not one array"),
    ],
)
def test_what_is_no_tuple(spec: InputSpec, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_input(spec, PAIR, 0)


@pytest.mark.parametrize("kind", ["normal", "zeros", "dense"])
def test_size_is_checked_before_anything_is_made(kind: Any) -> None:
    with pytest.raises(LimitError) as error:
        make_input(InputSpec(kind, text="1.0"), _tensor("f32", 1 << 40, 1 << 20), 0, "%x", Limits())
    assert error.value.label == "max_tensor_bytes"


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("normal", (4, 3)),
        ("normal[5, 3]", (5, 3)),
        ("iota[0,3]:2*0.5", (0, 3)),
        ("[[1, 2, 3]]", (1, 3)),
        ("dense<[[1.5, 2, -3], [0x7FC00000, 5, 6]]>", (2, 3)),
        ("7", (4, 3)),
    ],
)
def test_unknown_sizes_are_stated_read_off_or_usual(text: str, shape: tuple[int, ...]) -> None:
    wanted = TensorType((None, 3), ELEMENT_TYPES["f32"])
    assert make_input(InputSpec.parse(text), wanted, 0).shape == shape


def test_a_stated_shape_must_fit_what_is_known() -> None:
    wanted = TensorType((None, 3), ELEMENT_TYPES["f32"])
    with pytest.raises(InputError, match=r"cannot have the shape \[5, 2\]"):
        make_input(InputSpec.parse("normal[5, 2]"), wanted, 0)
    assert str(InputSpec.parse("normal[5, 2]:3")) == "normal[5, 2]:3"
    bounded = TensorType((None,), ELEMENT_TYPES["f32"], bounds=(2,))
    assert make_input(InputSpec.parse("normal"), bounded, 0).shape == (2,)
