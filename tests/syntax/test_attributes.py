"""Attributes of all kinds, aliases and locations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.ir.attributes import (
    ArrayAttribute,
    Attribute,
    DenseArrayAttribute,
    DictionaryAttribute,
    EnumAttribute,
    FloatAttribute,
    IntegerAttribute,
    OpaqueAttribute,
    StringAttribute,
    StructAttribute,
    SymbolAttribute,
    TypeAttribute,
    UnitAttribute,
)
from hloscope.engine.ir.element_types import ELEMENT_TYPES, I64
from hloscope.engine.ir.locations import (
    CallSiteLocation,
    FileLocation,
    FusedLocation,
    Location,
    NameLocation,
    OpaqueLocation,
    UnknownLocation,
)
from hloscope.engine.ir.types import ScalarType
from hloscope.engine.syntax import parse_attribute, print_attribute
from tests.each import for_each

from .reading import program, read, read_one

AS_WRITTEN = (
    "1 : i64",
    "-3 : i8",
    "200 : ui8",
    "3 : index",
    "7 : i24",
    "1.000000e+00 : f32",
    "0x7FC00000 : f32",
    "9.99999974E-6 : f32",
    "true",
    "unit",
    '"a \\22b\\22 \\\\ \\0A \\C3\\A9"',
    '"typed" : i8',
    "@f",
    '@"odd name"::@g',
    "tensor<2xf32>",
    "() -> ()",
    "[]",
    '[1, 2 : i32, 1.500000e+00, "s", [true]]',
    "{}",
    '{a, b.c = {d = [unit]}, "odd key" = 1 : i64}',
    "array<i64: 1, -2>",
    "array<i32>",
    "array<i1: true, false>",
    "array<f32: 1.000000e+00, -5.000000e-01>",
    "#stablehlo<comparison_direction LT>",
    "#chlo<comparison_type FLOAT>",
    "#stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [], start_index_map = [0, 1], index_vector_dim = 2>",
    "#stablehlo.channel_handle<handle = 1, type = 0>",
    "#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>",
    "#stablehlo.result_accuracy<atol = 1.000000e-01, ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>",
    "#stablehlo.dot_algorithm<lhs_precision_type = tf32, allow_imprecise_accumulation = false>",
    '#sdy.sharding<@mesh, [{"x", ?}, {}]>',
    "#foo.bar",
    "#foo<bar -> baz>",
    "affine_map<(d0) -> (d0)>",
    "dense_resource<x> : tensor<2xf32>",
    "dense<[1, 2]> : tensor<2xi64>",
    "dense<0> : tensor<1xi8>",
    "loc(unknown)",
)


@for_each("text", AS_WRITTEN)
def test_an_attribute_prints_as_it_is_written(text: str) -> None:
    assert print_attribute(parse_attribute(text)) == text
    assert parse_attribute(print_attribute(parse_attribute(text))) == parse_attribute(text)


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("5", IntegerAttribute(5, ScalarType(I64))),
        ("255 : i8", IntegerAttribute(-1, ScalarType(ELEMENT_TYPES["i8"]))),
        ("0x10 : i32", IntegerAttribute(16, ScalarType(ELEMENT_TYPES["i32"]))),
        ("+7 : si32", IntegerAttribute(7, ScalarType(ELEMENT_TYPES["i32"]))),
        ("1.5", FloatAttribute(0x3FF8000000000000, ScalarType(ELEMENT_TYPES["f64"]), 1.5)),
        ("1 : f32", FloatAttribute(0x3F800000, ScalarType(ELEMENT_TYPES["f32"]), 1.0)),
        (r'"\41\n\t"', StringAttribute("A\n\t")),
        (r'"\C3\A9"', StringAttribute("é")),
        (r'"\FF"', StringAttribute("\udcff")),
        (
            "#stablehlo.result_accuracy_mode<HIGHEST>",
            EnumAttribute("stablehlo", "result_accuracy_mode", "HIGHEST"),
        ),
        ('opaque<"a", "b">', OpaqueAttribute('opaque<"a", "b">')),
    ],
)
def test_other_spellings(text: str, attribute: Attribute) -> None:
    assert parse_attribute(text) == attribute
    assert parse_attribute(print_attribute(attribute)) == attribute


def test_a_struct_has_parameters() -> None:
    found = parse_attribute("#stablehlo.dot<lhs_batching_dimensions = [0], rhs_contracting_dimensions = []>")
    parameters = {
        "lhs_batching_dimensions": DenseArrayAttribute(I64, (0,)),
        "rhs_contracting_dimensions": DenseArrayAttribute(I64, ()),
    }
    assert found == StructAttribute("stablehlo", "dot", parameters)


def test_convolution_dimensions_that_are_no_permutation_print_raw() -> None:
    raw = (
        "#stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 0, input_spatial_dimensions = [1], "
        "kernel_input_feature_dimension = 0, kernel_output_feature_dimension = 1, kernel_spatial_dimensions = [2], "
        "output_batch_dimension = 0, output_feature_dimension = 1, output_spatial_dimensions = [2]>"
    )
    assert print_attribute(parse_attribute(raw)) == raw


names = st.text(min_size=1, max_size=5)
leaves = st.one_of(
    st.integers(-(2**63), 2**63 - 1).map(lambda value: IntegerAttribute(value, ScalarType(I64))),
    st.text(max_size=8).map(StringAttribute),
    st.booleans().map(lambda value: parse_attribute(str(value).lower())),
    names.map(SymbolAttribute),
    st.just(UnitAttribute()),
    st.just(TypeAttribute(ScalarType(I64))),
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=4).map(
        lambda values: DenseArrayAttribute(I64, tuple(values))
    ),
)
attributes = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda items: ArrayAttribute(tuple(items))),
        st.dictionaries(names, inner, max_size=4).map(DictionaryAttribute),
    ),
    max_leaves=12,
)


@given(attributes)
def test_any_attribute_reads_back(attribute: Attribute) -> None:
    assert parse_attribute(print_attribute(attribute)) == attribute


# Aliases


def test_aliases_may_be_defined_before_and_after() -> None:
    module = read(
        "#a = [#b]\nmodule attributes {x.y = #a, x.z = !t} {}\n#b = 1 : i8\n!t = tuple<!u>\n!u = i1"
    )
    assert print_attribute(module.attributes["x.y"]) == "[1 : i8]"
    assert print_attribute(module.attributes["x.z"]) == "tuple<i1>"


# Locations


@for_each(
    ("text", "location"),
    [
        ("loc(unknown)", UnknownLocation()),
        ('loc("a.py":1:2)', FileLocation("a.py", 1, 2)),
        ('loc("a.py":1:2 to :5)', FileLocation("a.py", 1, 2, 1, 5)),
        ('loc("a.py":1:2 to 3:5)', FileLocation("a.py", 1, 2, 3, 5)),
        ('loc("name")', NameLocation("name")),
        ('loc("name"("a.py":1:2))', NameLocation("name", FileLocation("a.py", 1, 2))),
        ('loc(callsite("f" at "g"))', CallSiteLocation(NameLocation("f"), NameLocation("g"))),
        ('loc(fused["f", unknown])', FusedLocation((NameLocation("f"), UnknownLocation()))),
        ('loc(fused<{a = [1]}>["f"])', FusedLocation((NameLocation("f"),), "{a = [1]}")),
        ('loc(loc("f"))', NameLocation("f")),
        ("loc(#odd.place<x>)", OpaqueLocation("#odd.place<x>")),
        ('loc("f":3)', FileLocation("f", 3, 0)),
    ],
)
def test_locations(text: str, location: Location) -> None:
    assert read_one(f"%0 = stablehlo.negate %a : tensor<2xf32> {text}").location == location


def test_locations_of_a_program() -> None:
    module = read(program("locations"))
    body = module.functions[0].body
    assert body is not None
    add, negate, _, reduce, *_ = body.block.operations
    assert add.location is not None
    assert list(add.location.files()) == [FileLocation("model.py", 30, 23, 31, 26)]
    assert negate.location is not None
    assert len(list(negate.location.files())) == 2
    assert isinstance(reduce.location, FusedLocation)
    assert body.block.arguments[0].location == NameLocation("x")
    assert reduce.regions[0].block.arguments[0].location == NameLocation("m")
    assert isinstance(module.location, UnknownLocation)
