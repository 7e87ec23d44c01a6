"""Shapes of HLO text: reading, printing, errors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.errors import LimitError, ParseError, StructureError
from hloscope.engine.ir.element_types import ELEMENT_TYPES, ONLY_IN_HLO
from hloscope.engine.ir.layouts import Layout
from hloscope.engine.ir.types import BufferType, TensorType, TokenType, TupleType, Type, UnrankedTensorType
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.source import Source
from hloscope.engine.syntax.hlo.values.hlo_cursor import HloCursor
from hloscope.engine.syntax.hlo.values.print_shapes import (
    HLO_ELEMENT_TYPES,
    OPAQUE,
    element_type_name,
    hlo_element_type,
    print_shape,
)
from hloscope.engine.syntax.hlo.values.read_shapes import ShapeReader, looks_like_shape
from tests.each import for_each

from .shape_strategies import arrays, shapes

F32, S4 = ELEMENT_TYPES["f32"], ELEMENT_TYPES["i4"]


def cursor(text: str) -> HloCursor:
    return HloCursor(Source(text), DEFAULT_LIMITS)


def read(text: str) -> Type:
    reading = cursor(text)
    found = ShapeReader().read(reading)
    assert reading.at_end
    return found


def layout(text: str) -> Layout | None:
    found = read(text)
    assert isinstance(found, TensorType)
    return found.layout


AS_WRITTEN = (
    "f32[]",
    "f32[2,3]",
    "pred[2]{0}",
    "f32[2,3]{0,1}",
    "s4[2,<=8]{1,0:T(8,128)(2,1)E(4)S(1)}",
    "bf16[?,<=8,3]",
    "f32[]{:T(256)}",
    "f32[]{:S(5)}",
    "f32[2,3]{1,0:T(*,128)}",
    "f32[2,3]{1,0:T()}",
    "f32[2,3]{1,0:D(D+,C)T(8,128)(2,1)L(256)#(u32)*(u32)E(4)S(1)SC(0:1,2)(1:1)P((f32[2],s32[]))M(8)}",
    "u64[9223372036854775807]{0}",
    "()",
    "(f32[2]{0}, (s32[], ()), token[])",
    "(s2[1], s2[2], s2[3], s2[4], s2[5], /*index=5*/s2[6], s2[7])",
    "(s1[2]{0:E(1)}, u1[<=8])",
    "token[]",
    "opaque[]",
    "b(f32[2]{0:S(1)})",
    "(b(f32[2]), u32[])",
    "f8e4m3b11fnuz[1]",
    "c128[2]",
)


@for_each("text", AS_WRITTEN)
def test_a_shape_prints_as_it_was_written(text: str) -> None:
    assert print_shape(read(text)) == text


def test_what_a_shape_means() -> None:
    assert read("s4[2,<=8,?]") == TensorType((2, None, None), S4, bounds=(None, 8, None))
    assert read("(f32[2]{0}, token[], opaque[], b(f32[]))") == TupleType(
        (TensorType((2,), F32), TokenType(), OPAQUE, BufferType(TensorType((), F32)))
    )
    assert layout("f32[2,3]") is None
    assert layout("f32[2,3]{0,1}") == Layout((0, 1))
    assert layout("f32[2,3]{1,0:T(8,*)(2)S(1)M(2)E(4)L(3)}") == Layout(
        (1, 0), ((8, None), (2,)), 4, 1, ("L(3)", "M(2)")
    )


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("f32 [ 2 , 3 ] { 1,0 : T( 8 , 128 ) S(1) }", "f32[2,3]{1,0:T(8,128)S(1)}"),
        ("f32[2]/* row-major */{0}", "f32[2]{0}"),
        ("f32[2,3]{1,0:}", "f32[2,3]{1,0}"),
        ("f32[2,3]{1,0:S(0)E(0)L(1)M(0)}", "f32[2,3]{1,0}"),
        ("f32[2,3]{1,0:S(1)E(32)T(8)}", "f32[2,3]{1,0:T(8)E(32)S(1)}"),
        ("(f32[2],/*index=1*/s32[] )", "(f32[2], s32[])"),
        ("(f32[],// one\ns32[])", "(f32[], s32[])"),
        ("f32[01]", "f32[1]"),
    ],
)
def test_a_shape_may_be_written_in_other_ways(text: str, printed: str) -> None:
    assert print_shape(read(text)) == printed


@given(shapes())
def test_any_shape_that_is_printed_reads_as_itself(shape: Type) -> None:
    printed = print_shape(shape)
    assert read(printed) == shape
    assert print_shape(read(printed)) == printed
    assert read(print_shape(shape, layouts=False)) == shape


@given(st.lists(arrays(), max_size=4))
def test_the_same_text_gives_the_same_type(elements: list[TensorType]) -> None:
    shape = elements[0] if len(elements) == 1 else TupleType(tuple(elements))
    reader, reading = ShapeReader(), cursor(f"{print_shape(shape)} " * 2)
    first = reader.read(reading)
    assert reader.read(reading) is first
    assert reading.at_end


def test_a_layout_behind_blanks_is_read_although_the_shape_without_it_is_known() -> None:
    reader, reading = ShapeReader(), cursor("f32[2,3] f32[2,3] {0,1} f32[2,3] {")
    found = [reader.read(reading) for _ in range(3)]
    assert [print_shape(shape) for shape in found] == ["f32[2,3]", "f32[2,3]{0,1}", "f32[2,3]"]
    assert reading.peek("{")


@pytest.mark.parametrize("rest", ["{", "{}", "{\n  ROOT a = f32[] parameter(0)\n}", "{ /* 1 */ a"])
def test_a_brace_that_starts_no_layout_is_left_alone(rest: str) -> None:
    reading = cursor(f"f32[2] {rest}")
    ShapeReader().read(reading)
    assert reading.peek(rest)


@pytest.mark.parametrize(
    "text", ["f32[2] add(a)", "(f32[]) tuple(a)", "b(f32[2]) x", "()", "i99[", "f32 /**/ [2]"]
)
def test_what_looks_like_a_shape(text: str) -> None:
    assert looks_like_shape(cursor(text))


@pytest.mark.parametrize("text", ["add(a)", "%add", "b(x)", "b", "", "{0}", "f32", "a.1[", "while(f32[2] a)"])
def test_what_does_not_look_like_a_shape(text: str) -> None:
    assert not looks_like_shape(cursor(text))


@for_each(
    ("text", "message", "hint"),
    [
        ("f33[2]", "'f33' is not an element type", "did you mean 'f32'?"),
        ("F32[2]", "'F32' is not an element type", "did you mean 'f32'?"),
        ("ui8[2]", "'ui8' is not an element type", "in HLO it is called u8"),
        ("complex[2]", "'complex' is not an element type", "element types are pred"),
        ("s3[2]", "'s3' is not an element type", "did you mean 's32'?"),
        ("f32", "expected '[' and the sizes", None),
        ("f32[2,]", "expected a dimension's size, found ']'", "such as 8"),
        ("f32[-1]", "expected a dimension's size, found '-1'", "such as 8"),
        ("f32[2", "expected ',' or ']', found the end", "the '[' opened on line 1 is not closed"),
        ("f32[9223372036854775808]", "does not fit in 64 bits", None),
        (f"f32[{'9' * 10000}]", "does not fit in 64 bits", None),
        ("f32[2,3]{0}", "the layout of 2 dimensions names 0, 1 once each, the minor one first", None),
        ("f32[2,3]{0,0}", "the layout of 2 dimensions names 0, 1 once each, the minor one first", None),
        ("f32[]{0}", "the layout of 0 dimensions names no dimension", None),
        ("f32[2]{0:Q(1)}", "expected '}' or a part of the layout", None),
        ("f32[2]{0:S(1)S(1)}", "S(…) appears twice in the layout", None),
        ("f32[2]{0:T(-1)}", "expected the size of a tile, or '*'", None),
        ("f32[2]{0:L(0)}", "padded to a multiple of 1 or more", None),
        ("f32[2]{0:#(foo)}", "the indices of an array cannot be of type 'foo'", None),
        ("b(token[])", "a buffer holds one array", None),
        ("b((f32[]))", "expected the shape of one array", "a buffer holds no tuple"),
        ("(f32[]", "expected ',' or ')', found the end", "the '(' opened on line 1 is not closed"),
        ("(f32[],)", "expected a shape", None),
        ("token[2]", "expected ']'", None),
        ("f32[2]{0 /* minor", "this comment is never closed", "add */"),
    ],
)
def test_what_is_wrong_with_a_shape(text: str, message: str, hint: str | None) -> None:
    with pytest.raises(ParseError) as caught:
        read(text)
    assert message in caught.value.message
    assert hint is None or hint in str(caught.value.hint)
    assert caught.value.span.end <= len(text)


@pytest.mark.parametrize(
    "text", [f"f32[{','.join(['2'] * 5000)}]", "(" * 5000, "((" * 2500 + "f32[]" + "))" * 2500]
)
def test_a_shape_that_asks_for_too_much_meets_a_limit(text: str) -> None:
    with pytest.raises(LimitError):
        read(text)


def test_tuples_may_be_nested_as_deep_as_the_limit() -> None:
    depth = DEFAULT_LIMITS.max_nesting
    text = "(" * depth + ")" * depth
    assert print_shape(read(text)) == text


@given(st.text("fs(){}[],<=?3218:T*S b/", max_size=30))
def test_any_text_is_a_shape_or_an_error(text: str) -> None:
    try:
        ShapeReader().read(cursor(text))
    except (ParseError, LimitError) as error:
        assert 0 <= error.span.start <= error.span.end <= len(text)  # noqa: PT017 - both are right


def test_every_element_type_has_a_name_in_both_directions() -> None:
    assert len(HLO_ELEMENT_TYPES) == len(ELEMENT_TYPES) - 2 + len(ONLY_IN_HLO)
    for name, element_type in HLO_ELEMENT_TYPES.items():
        assert hlo_element_type(name) is element_type
        assert element_type_name(element_type) == name
    assert hlo_element_type("i32") is None


@pytest.mark.parametrize(
    "shape",
    [TensorType((), ELEMENT_TYPES["index"]), UnrankedTensorType(F32), TupleType((UnrankedTensorType(F32),))],
)
def test_what_hlo_cannot_say_is_not_printed(shape: Type) -> None:
    with pytest.raises(StructureError, match="HLO has no"):
        print_shape(shape)
