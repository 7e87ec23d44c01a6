"""All types of the specification."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.errors import ConstraintError, ParseError
from hloscope.engine.ir.element_types import ELEMENT_TYPES, ONLY_IN_HLO, QuantizedType
from hloscope.engine.ir.types import MemrefType, ScalarType, TensorType, TokenType, Type
from hloscope.engine.syntax import parse_type
from tests.each import for_each

AS_WRITTEN = (
    "tensor<f32>",
    "tensor<2x3xf32>",
    "tensor<?x4xbf16>",
    "tensor<0x3xi1>",
    "tensor<2xcomplex<f64>>",
    "tensor<*xf32>",
    "tensor<?x4xf32, #stablehlo.bounds<8, ?>>",
    "tensor<4xf32, #foo.bar<1>>",
    "tensor<4xindex>",
    "memref<2xf32>",
    "memref<2x?xf32, strided<[1, ?]>, 1>",
    "memref<*xf32>",
    "tuple<>",
    "tuple<tensor<f32>, tuple<tensor<2xi32>>>",
    "!stablehlo.token",
    "() -> ()",
    "(tensor<f32>, i1) -> tensor<f32>",
    "() -> (i1, i2)",
    "() -> (() -> i1)",
    "i32",
    "ui8",
    "si7",
    "i24",
    "index",
    "none",
    "complex<f32>",
    "f80",
    "vector<4xf32>",
    "!foo.bar",
    '!foo.bar<"x", [1, {a -> b}]>',
    "!foo<bar>",
    "!quant.uniform<i8:f32, 2.000000e+00>",
    "tensor<2x!quant.uniform<i8:f32, 2.000000e+00:15>>",
    "tensor<2x!quant.uniform<u8<1:200>:f32:0, {1.000000e-01:3,5.000000e-01}>>",
    "tensor<2x!quant.uniform<i4<-7:7>:bf16, 1.500000e+00:-3>>",
)


@for_each("text", AS_WRITTEN)
def test_a_type_prints_as_it_is_written(text: str) -> None:
    assert str(parse_type(text)) == text


@for_each("name", ELEMENT_TYPES)
def test_every_element_type_has_a_tensor(name: str) -> None:
    found = parse_type(f"tensor<3x{name}>")
    assert found == TensorType((3,), ELEMENT_TYPES[name])


@pytest.mark.parametrize("name", ONLY_IN_HLO)
def test_mlir_has_no_integers_of_one_bit(name: str) -> None:
    with pytest.raises(ParseError, match=f"'{name}' is not an element type"):
        parse_type(f"tensor<3x{name}>")


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("tensor<2xsi32>", "tensor<2xi32>"),
        ("token", "!stablehlo.token"),
        ("tensor< 2 x 3 x f32 >", "tensor<2x3xf32>"),
        ("tensor<?xf32, #stablehlo.type_extensions<bounds = [4]>>", "tensor<?xf32, #stablehlo.bounds<4>>"),
        ("tensor<2x!quant.uniform<ui8:f32, 0.5>>", "tensor<2x!quant.uniform<u8:f32, 5.000000e-01>>"),
        ("tensor<2x!quant.uniform<si8:f32, 0.5:0>>", "tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>"),
        ("() -> (i1)", "() -> i1"),
    ],
)
def test_other_spellings(text: str, meaning: str) -> None:
    assert str(parse_type(text)) == meaning


def test_a_quantized_type_knows_its_parameters() -> None:
    found = parse_type("tensor<2x3x!quant.uniform<i8<-8:7>:f32:1, {0.1:1, 0.2, 0.3:-2}>>")
    assert isinstance(found, TensorType)
    quantized = found.element_type
    assert isinstance(quantized, QuantizedType)
    assert (quantized.storage.name, quantized.expressed.name) == ("i8", "f32")
    assert (quantized.storage_min, quantized.storage_max) == (-8, 7)
    assert quantized.quantization_dimension == 1
    assert quantized.scales == (0.1, 0.2, 0.3)
    assert quantized.zero_points == (1, 0, -2)


def test_blocks_have_scales_in_nested_lists() -> None:
    text = "tensor<4x2x!quant.uniform<i8:f32:{0:2, 1:1}, {{5.000000e-01:1, 1.000000e+00}, {2.000000e+00, 3.000000e+00}}>>"
    found = parse_type(text)
    assert str(found) == text
    assert isinstance(found, TensorType)
    assert isinstance(found.element_type, QuantizedType)
    assert found.element_type.block_sizes == ((0, 2), (1, 1))
    assert found.element_type.scales == (0.5, 1.0, 2.0, 3.0)
    assert found.element_type.zero_points == (1, 0, 0, 0)
    assert found.element_type.parameters_shape == (2, 2)


@for_each(
    ("text", "label"),
    [
        ("!quant.uniform<i8<-129:0>:f32, 1.0>", "C3"),
        ("!quant.uniform<u8<-1:0>:f32, 1.0>", "C3"),
        ("!quant.uniform<i8<3:2>:f32, 1.0>", "C3"),
        ("!quant.uniform<i8:f32, -1.0>", "C5"),
        ("!quant.uniform<i8:f16, 1.0e-30>", "C5"),
        ("!quant.uniform<i8:f16, 1.0e30>", "C6"),
        ("!quant.uniform<i8:f16, 3.0e-8>", "C5"),
        ("!quant.uniform<i8:f16, 65505.0>", "C6"),
        ("!quant.uniform<i8:f8E4M3FN, 449.0>", "C6"),
        ("!quant.uniform<i8<-3:3>:f32, 1.0:4>", "C7"),
        ("!quant.uniform<i8:f32:-1, {1.0}>", "C11"),
        ("tensor<2x!quant.uniform<i8:f32:1, {1.0}>>", "C12"),
        ("tensor<2x!quant.uniform<i8:f32:0, {1.0}>>", "C13"),
    ],
)
def test_constraints_of_quantized_types(text: str, label: str) -> None:
    with pytest.raises(ConstraintError) as raised:
        parse_type(text)
    assert raised.value.label == label


def test_kinds_of_types() -> None:
    assert isinstance(parse_type("memref<?x2xi8>"), MemrefType)
    assert isinstance(parse_type("!mhlo.token"), TokenType)
    assert isinstance(parse_type("f16"), ScalarType)


sizes = st.one_of(st.none(), st.integers(0, 2**40))


@st.composite
def tensors(draw: st.DrawFn) -> Type:
    shape = tuple(draw(st.lists(sizes, max_size=6)))
    bounds = None
    if None in shape and draw(st.booleans()):
        bounds = tuple(draw(st.integers(0, 99)) if size is None else None for size in shape)
    return TensorType(shape, draw(st.sampled_from(list(ELEMENT_TYPES.values()))), bounds)


@given(tensors())
def test_any_tensor_type_reads_back(tensor: Type) -> None:
    assert parse_type(str(tensor)) == tensor


@pytest.mark.parametrize(
    "text",
    [
        *("", "tensor", "tensor<", "tensor<>", "tensor<2x>", "tensor<xf32>", "f32 f32", "(i1"),
        *("tuple<i1", "memref<2>", "!"),
    ],
)
def test_half_a_type_is_a_parse_error(text: str) -> None:
    with pytest.raises(ParseError):
        parse_type(text)
