"""Dense literals: values, printed text, values typed by a user."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hloscope.engine.errors import ParseError
from hloscope.engine.ir.attributes import DenseAttribute
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType
from hloscope.engine.syntax import (
    parse_attribute,
    parse_dense_value,
    parse_type,
    print_attribute,
    print_dense,
)
from tests.each import for_each


def dense(text: str) -> DenseAttribute:
    found = parse_attribute(text)
    assert isinstance(found, DenseAttribute)
    return found


def tensor(text: str) -> TensorType:
    found = parse_type(text)
    assert isinstance(found, TensorType)
    return found


@for_each(
    ("text", "values"),
    [
        ("dense<[[1, -2], [0x7F, 4]]> : tensor<2x2xi8>", [[1, -2], [127, 4]]),
        ("dense<255> : tensor<i8>", -1),
        ("dense<[255, -128]> : tensor<2xi8>", [-1, -128]),
        ("dense<0xFFFFFFFFFFFFFFFF> : tensor<i64>", -1),
        ("dense<[18446744073709551615, 0]> : tensor<2xui64>", np.array([2**64 - 1, 0], np.uint64)),
        ("dense<[true, false, 1, 0]> : tensor<4xi1>", [True, False, True, False]),
        ("dense<[1, 2.5, -3.e2, +4]> : tensor<4xf32>", [1, 2.5, -300, 4]),
        ("dense<[0x7F800000, 0xFF800000, 1.0]> : tensor<3xf32>", [np.inf, -np.inf, 1]),
        ("dense<[(1, 2), (-3.0,0x40800000)]> : tensor<2xcomplex<f32>>", [1 + 2j, -3 + 4j]),
        ("dense<(1, 2)> : tensor<2xcomplex<f64>>", [1 + 2j, 1 + 2j]),
        ("dense<7> : tensor<2x0xi32>", np.zeros((2, 0))),
        ("dense<> : tensor<0x3xi32>", np.zeros((0, 3))),
        ("dense<[]> : tensor<0xi32>", np.zeros(0)),
        ("dense<[[], []]> : tensor<2x0xi32>", np.zeros((2, 0))),
        ('dense<"0x0100000002000000"> : tensor<2xi32>', [1, 2]),
        ('dense<"0x07000000"> : tensor<3xi32>', [7, 7, 7]),
        ('dense<"0x0000803F00000040"> : tensor<1xcomplex<f32>>', [1 + 2j]),
        ('dense<"0x010001"> : tensor<3xi1>', [True, False, True]),
        ('dense<"0x01"> : tensor<3xi1>', [True, True, True]),
        ('dense<"0xFF"> : tensor<3xi1>', [True, True, True]),
        (
            'dense<"0x0503"> : tensor<10xi1>',
            [True, False, True, False, False, False, False, False, True, True],
        ),
        ('dense<"0x0F01"> : tensor<2xi4>', [-1, 1]),
        ('dense<"0xFF01"> : tensor<2xui4>', [15, 1]),
        ("dense<[-8, 15]> : tensor<2xi4>", [-8, -1]),
        ("dense<[[1, // one\n 2]]> : tensor<1x2xi32>", [[1, 2]]),
        ("dense<[0, 3]> : tensor<2xindex>", [0, 3]),
        ("dense<[-3, 5]> : tensor<2x!quant.uniform<i8:f32, 2.0>>", [-3, 5]),
    ],
)
def test_a_literal_holds(text: str, values: object) -> None:
    attribute = dense(text)
    assert attribute.data.dtype == attribute.type.element_type.dtype
    assert attribute.data.shape == attribute.type.shape
    assert not attribute.data.flags.writeable
    assert attribute.data.tolist() == np.asarray(values).tolist()


def test_f8_without_zero_reads_the_smallest_value() -> None:
    assert float(dense("dense<0.0> : tensor<f8E8M0FNU>").data) == 2.0**-127


def test_equal_elements_are_kept_once() -> None:
    for text in (
        "dense<1.5> : tensor<1000x1000xf32>",
        "dense<[2, 2, 2]> : tensor<3xi32>",
        "dense<0x7FC00000> : tensor<2xf32>",
    ):
        assert dense(text).is_splat
    assert not dense("dense<[0.0, -0.0]> : tensor<2xf32>").is_splat


def test_a_huge_splat_takes_no_memory() -> None:
    assert dense("dense<0> : tensor<1000000x1000000xf32>").data.strides == (0, 0)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        (
            "dense<[1.0, 0.1, 1e-5, 0.333333343]> : tensor<4xf32>",
            "[1.000000e+00, 1.000000e-01, 9.99999974E-6, 0.333333343]",
        ),
        ("dense<[1.0, 0.79788458]> : tensor<2xf32>", "[1.000000e+00, 0.797884583]"),
        ("dense<1234567> : tensor<f32>", "0x4996B438"),
        ("dense<16777217.5> : tensor<f64>", "16777217.5"),
        ("dense<-0.0> : tensor<f16>", "-0.000000e+00"),
        ("dense<[3.140625, 1.0]> : tensor<2xbf16>", "[3.140630e+00, 1.000000e+00]"),
        ("dense<0xFF> : tensor<f8E5M2>", "0xFF"),
        ("dense<(1, 2)> : tensor<complex<f32>>", "(1.000000e+00,2.000000e+00)"),
        ("dense<[true, false]> : tensor<2xi1>", "[true, false]"),
        ("dense<[3, 3]> : tensor<2xi8>", "3"),
        ("dense<> : tensor<0xf32>", ""),
    ],
)
def test_a_literal_prints_as_mlir_prints_it(text: str, printed: str) -> None:
    attribute = dense(text)
    assert print_attribute(attribute) == f"dense<{printed}> : {attribute.type}"


def test_more_than_a_hundred_elements_print_as_bytes() -> None:
    many = ", ".join(map(str, range(101)))
    assert print_attribute(dense(f"dense<[{many}]> : tensor<101xi8>")).startswith('dense<"0x000102')


dtypes = st.sampled_from([name for name in ELEMENT_TYPES if name not in ("tf32", "index")])


@given(st.data())
def test_any_bits_print_and_read_back(data: st.DataObject) -> None:
    kind = ELEMENT_TYPES[data.draw(dtypes)]
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=3, max_side=6))
    size = kind.dtype.itemsize
    raw = data.draw(hnp.arrays(np.uint8, (*shape, size)))
    if kind.bits < 8:
        values = (raw & ((1 << kind.bits) - 1)).astype(np.int64)
        signed = np.where(values >> (kind.bits - 1), values - (1 << kind.bits), values)
        array = (
            signed.astype(kind.dtype) if kind.kind == "signed" else values.astype(np.uint8).astype(kind.dtype)
        )
        if kind.kind == "float":
            array = values.astype(np.uint8).view(kind.dtype)
    else:
        array = raw.view(kind.dtype)
    attribute = DenseAttribute(TensorType(shape, kind), array.reshape(shape))
    read_back = dense(print_attribute(attribute))
    assert read_back == attribute
    assert print_attribute(read_back) == print_attribute(attribute)


@given(st.floats(width=32), st.sampled_from(["f16", "f32", "f64", "bf16", "f8E4M3FN", "f8E5M2"]))
def test_any_float_attribute_reads_back(value: float, kind: str) -> None:
    attribute = parse_attribute(f"{value!r} : {kind}" if np.isfinite(value) else f"0x7F : {kind}")
    assert parse_attribute(print_attribute(attribute)) == attribute


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("dense<[1, 2]>", [1, 2]),
        ("dense<[1, 2]> : tensor<2xf32>", [1, 2]),
        ("[1, 2.5]", [1, 2.5]),
        ("  [ 1 ,\n 2 ] ", [1, 2]),
        ("3", [3, 3]),
        ("-inf", [-np.inf, -np.inf]),
        ("[Inf, 0x40000000]", [np.inf, 2]),
        ("dense<[inf, 1]>", [np.inf, 1]),
        ('dense<"0x0000803F00000040">', [1, 2]),
    ],
)
def test_values_typed_by_hand(text: str, values: list[float]) -> None:
    assert parse_dense_value(text, tensor("tensor<2xf32>")).tolist() == values


def test_python_booleans_and_nan_may_be_typed() -> None:
    assert parse_dense_value("[True, false]", tensor("tensor<2xi1>")).tolist() == [True, False]
    assert np.isnan(parse_dense_value("nan", tensor("tensor<f32>")))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "type a value of tensor<2xf32>"),
        ("[1]", "the literal has 1 element, tensor<2xf32> has 2"),
        ("[1, 2", "this '[' is never closed"),
        ("dense<[1, 2]> : tensor<2xf64>", "this is a tensor<2xf64>, the input is a tensor<2xf32>"),
        ("[a, 2]", "'a' is not a number, which f32 needs"),
        ("1, 2", "several values need brackets"),
        ("dense<1> 2", "expected the end of the text, found '2'"),
    ],
)
def test_values_typed_wrongly(text: str, message: str) -> None:
    with pytest.raises(ParseError) as raised:
        parse_dense_value(text, tensor("tensor<2xf32>"))
    assert raised.value.message == message


def test_a_shortened_value() -> None:
    shown = print_dense(tensor("tensor<3x4xi32>"), np.arange(12, dtype=np.int32).reshape(3, 4), 6)
    assert shown == "dense<[[0, 1, 2, 3], [4, 5, …], …]> : tensor<3x4xi32>"
    assert print_dense(tensor("tensor<3xi32>"), np.full(3, 7, np.int32), 1) == "dense<7> : tensor<3xi32>"
    whole = print_dense(tensor("tensor<2xf32>"), np.array([1, 2], np.float32), 2)
    assert whole == "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>"
