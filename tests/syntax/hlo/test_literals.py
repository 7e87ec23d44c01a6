"""Literals of HLO text: values, printed text, errors."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hloscope.engine.errors import LimitError, ParseError, StructureError
from hloscope.engine.ir.attributes import (
    ArrayAttribute,
    Attribute,
    BoolAttribute,
    DenseAttribute,
    ResourceAttribute,
    UnitAttribute,
)
from hloscope.engine.ir.types import TensorType, Type
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.source import Source
from hloscope.engine.syntax.hlo.values.hlo_cursor import HloCursor
from hloscope.engine.syntax.hlo.values.print_literals import print_literal
from hloscope.engine.syntax.hlo.values.read_literals import read_literal
from hloscope.engine.syntax.hlo.values.read_shapes import ShapeReader
from tests.each import for_each

from .shape_strategies import SMALL_ARRAYS, any_bits, arrays


def shape(text: str) -> Type:
    return ShapeReader().read(HloCursor(Source(text), DEFAULT_LIMITS))


def literal(shape_text: str, text: str) -> Attribute:
    """The constant `shape_text constant(text)`."""
    cursor = HloCursor(Source(f"{text})"), DEFAULT_LIMITS)
    found = read_literal(cursor, shape(shape_text))
    cursor.expect(")")
    assert cursor.at_end
    return found


def values(shape_text: str, text: str) -> NDArray[Any]:
    found = literal(shape_text, text)
    assert isinstance(found, DenseAttribute)
    assert found.data.shape == found.type.shape
    assert found.data.dtype == found.type.element_type.dtype
    assert not found.data.flags.writeable
    return found.data


def bits(shape_text: str, text: str) -> list[int]:
    data = np.ascontiguousarray(values(shape_text, text)).reshape(-1)
    return data.view(f"u{data.itemsize}").tolist()


AS_XLA_PRINTS = (
    ("f32[]", "1"),
    ("f32[]", "0.333333343"),
    ("f32[]", "-3.40282347e+38"),
    ("f32[]", "1.4013e-45"),
    ("f32[]", "nan(0x400001)"),
    ("f32[]", "-nan"),
    ("f64[]", "0.30000000000000004"),
    ("f64[]", "4.94065645841247e-324"),
    ("f64[]", "-nan(0x8000000000001)"),
    ("f16[]", "0.099976"),
    ("bf16[]", "9.969e+37"),
    ("f8e5m2[3]", "{5.7e+04, nan(0x3), inf}"),
    ("f8e4m3b11fnuz[]", "-nan"),
    ("f8e8m0fnu[3]", "{1.2e-38, 1.7e+38, nan}"),
    ("f4e2m1fn[2]", "{0.5, -6}"),
    ("pred[]", "true"),
    ("pred[3]", "{1, 0, 1}"),
    ("u64[]", "18446744073709551615"),
    ("s64[2]", "{-9223372036854775808, 9223372036854775807}"),
    ("u64[2]", "{18446744073709551615, 0}"),
    ("s4[2]{0:E(4)}", "{-8, 7}"),
    ("s1[3]", "{-1, 0, -1}"),
    ("u1[2,2]", "{ { 0, 1 }, { 1, 1 } }"),
    ("c64[]", "(1, -2.5)"),
    ("c64[2,1]", "{ {(1, 2)}, {(nan, -inf)} }"),
    ("c128[2,2]", "{ { (1, 2), (3, 4) }, { (5, 6), (7, 8) } }"),
    ("f32[2,2]{0,1}", "{ { 1, 2 }, { 3, 4 } }"),
    ("f32[2,1]", "{ {1}, {2} }"),
    ("f32[1,1,1]", "{ { {1} } }"),
    ("f32[2,1,2]", "{ { { 1, 2 } }, { { 3, 4 } } }"),
    ("f32[1,2,2,2]", "{ { /*i0=0*/ { /*i1=0*/ { 1, 2 }, { 3, 4 } }, { /*i1=1*/ { 5, 6 }, { 7, 8 } } } }"),
    ("f32[1,1,1,1,2]", "{ { /*i0=0*/ { /*i1=0*/ { /*i2=0*/ { 1, 2 } } } } }"),
    ("f32[0]", "{}"),
    ("f32[2,0]", "{ {}, {} }"),
    ("f32[0,2,3]", "{  }"),
    ("f32[2,0,3]", "{ {  }, {  } }"),
    ("f32[1,0,2,2]", "{ { /*i0=0*/ } }"),
    ("f32[1,1,2,0]", "{ { /*i0=0*/ { /*i1=0*/ {}, {} } } }"),
    ("(f32[], s32[2])", "( 1, {2, 3} )"),
    ("((f32[], pred[]), s32[])", "( ( 1, true ), 3 )"),
    ("()", "(  )"),
    ("f32[1000000]", "{...}"),
    ("f32[]", "{...}"),
    ("(f32[], s32[2])", "( 1, {...} )"),
)


@for_each(("shape_text", "text"), AS_XLA_PRINTS)
def test_what_xla_prints_reads_and_prints_back(shape_text: str, text: str) -> None:
    assert print_literal(literal(shape_text, text)) == text


@for_each(
    ("shape_text", "text", "wanted"),
    [
        ("f32[2,3]{0,1}", "{ { 1, 2, 3 }, { 4, 5, 6 } }", [[1, 2, 3], [4, 5, 6]]),
        ("f32[2,3]", "{{1 2 3} {4,,5,6,}}", [[1, 2, 3], [4, 5, 6]]),
        ("f32[3]", "{1., 2.5e1, -25E-2}", [1, 25, -0.25]),
        ("f32[3]", "{ /*first*/ 1, // two\n 2, 3 }", [1, 2, 3]),
        ("f32[2,2]", "{ /*i0=0*/ { 1, 2 }, /*}}*/ { 3, 4 } }", [[1, 2], [3, 4]]),
        ("f32[2,2]", "f32[2,2] { { 1, 2 }, { 3, 4 } }", [[1, 2], [3, 4]]),
        ("f32[2,2]{0,1}", "f32[2,2]{1,0} { { 1, 2 }, { 3, 4 } }", [[1, 2], [3, 4]]),
        ("f32[2]", "f32[2] {1, 2}", [1, 2]),
        ("f32[1]", "f32[1]{0} {0}", [0]),
        ("s32[]", "s32[] 7", 7),
        ("pred[4]", "{true, false, 1, 0}", [True, False, True, False]),
        ("pred[2,2]", "{ { 1, 0 }, { 0, 1 } }", [[True, False], [False, True]]),
        ("pred[]", "-1", True),
        ("s32[3]", "{-2147483648\n,\t2147483647 , 007}", [-(2**31), 2**31 - 1, 7]),
        ("b(f32[2])", "{1, 2}", [1, 2]),
        ("f32[2]", "{1,2}", [1, 2]),
        ("c64[2]", "{(1,2), (3.5,-4)}", [1 + 2j, 3.5 - 4j]),
        ("c64[2]", "{(1,2) (3.5,-4)}", [1 + 2j, 3.5 - 4j]),
        ("f32[2,0]", "{}", np.zeros((2, 0))),
        ("f32[1099511627776,0]", "{}", np.zeros((1 << 40, 0))),
    ],
)
def test_what_a_literal_holds(shape_text: str, text: str, wanted: Any) -> None:
    np.testing.assert_array_equal(values(shape_text, text), wanted)


@for_each(
    ("shape_text", "text", "wanted"),
    [
        ("f32[2]", "{-0, -0.0}", [1 << 31, 1 << 31]),
        ("f32[2]", "{-0, inf}", [1 << 31, 0x7F800000]),
        ("f32[]", "-0", [1 << 31]),
        ("f32[4]", "{nan, -nan, inf, -inf}", [0x7FC00000, 0xFFC00000, 0x7F800000, 0xFF800000]),
        ("f32[2]", "{nan(0x1), -nan(0x7fffff)}", [0x7F800001, 0xFFFFFFFF]),
        ("f64[1]", "{nan(0x1)}", [0x7FF0000000000001]),
        ("bf16[2]", "{nan, -nan(0x1)}", [0x7FC0, 0xFF81]),
        ("f16[2]", "{65519, -nan}", [0x7BFF, 0xFE00]),
        ("f8e4m3fn[3]", "{nan, -nan, 464}", [0x7F, 0xFF, 0x7E]),
        ("f8e4m3fnuz[2]", "{nan, -nan}", [0x80, 0x80]),
        ("f8e8m0fnu[5]", "{5.9e-39, 1.2e-38, 1, 2.5e38, nan}", [0, 1, 127, 254, 255]),
        ("f8e5m2[3]", "{14.999999999999998, 15, 15.000000000000002}", [0x4B, 0x4C, 0x4C]),
        ("f16[1]", "{1.00048828124999999}", [0x3C00]),
        ("f16[1]", "{1.0014648437499999}", [0x3C02]),
        ("f4e2m1fn[3]", "{0.3, -0.0, 100}", [1, 8, 7]),
    ],
)
def test_the_bits_of_numbers(shape_text: str, text: str, wanted: list[int]) -> None:
    assert bits(shape_text, text) == wanted


def test_equal_elements_take_the_room_of_one() -> None:
    found = literal("f32[1000]", f"{{{', '.join(['0.5'] * 1000)}}}")
    assert isinstance(found, DenseAttribute)
    assert found.is_splat


def test_tuples_and_what_was_not_printed() -> None:
    s32, pair = shape("s32[2]"), shape("(f32[], (s32[2], token[]))")
    assert isinstance(s32, TensorType)
    elided = ResourceAttribute("{...}", s32)
    assert literal("s32[2]", "{ ... }") == elided
    whole = literal("(f32[], (s32[2], token[]))", "{...}")
    assert isinstance(whole, ArrayAttribute)
    assert whole.elements[1] == ArrayAttribute((elided, UnitAttribute()))
    assert print_literal(whole) == "( {...}, ( {...}, token[] ) )"
    old = "(f32[], (s32[2], token[])) ( f32[] 2.5, ( s32[2] {1, 2}, token ) )"
    assert literal("(f32[], (s32[2], token[]))", old) == literal(
        "(f32[], (s32[2], token[]))", "(2.5 ({1, 2} token[]))"
    )
    assert pair == shape("(f32[], (s32[2], token[]))")


@for_each(
    ("shape_text", "text", "message", "at"),
    [
        ("f32[3]", "{1, 2}", "this list has 2 elements, f32[3] has 3 here", "{1, 2}"),
        ("f32[3]", "{1}", "this list has 1 element, f32[3] has 3 here", "{1}"),
        ("f32[2]", "{1, 2, 3}", "more than the 2 elements that f32[2] has here", "3"),
        ("f32[1,2]", "{ { 1, 2 }, { 3, 4 } }", "more than the 1 element that f32[1,2] has here", "{"),
        ("f32[2,2]", "{1, 2, 3, 4}", "found a value where f32[2,2] has a list", "1"),
        ("f32[2]", "{ { 1, 2 } }", "found a list where f32[2] has a value", "{"),
        ("f32[2]", "1", "expected '{' and the elements of f32[2], found '1'", "1"),
        ("f32[]", "{1}", "expected a value without braces, found '{'", "{"),
        ("f32[2]", "{1, 2", "found ')'", ")"),
        ("f32[2]", "{1, ;}", "found ';'", ";"),
        ("f32[2]", "{1, (2)}", "expected a value, found '('", "("),
        ("f32[2]", "f32[3] {1, 2, 3}", "the literal's shape is f32[3], the constant's f32[2]", "f32[3]"),
        ("f32[2]", "{1, 1e39}", "1e39 does not fit in f32", "1e39"),
        ("f64[2]", "{1, -1e309}", "-1e309 does not fit in f64", "-1e309"),
        ("f16[2]", "{65520, inf}", "65520 does not fit in f16", "65520"),
        ("f8e4m3fn[2]", "{1, inf}", "inf does not fit in f8e4m3fn", "inf"),
        ("f4e2m1fn[2]", "{nan, 1}", "nan does not fit in f4e2m1fn", "nan"),
        ("f8e8m0fnu[2]", "{1, 0}", "0 does not fit in f8e8m0fnu", "0"),
        ("f32[1]", "{nan(0x800000)}", "the payload of a NaN of f32 is 0x1 to 0x7fffff", "nan(0x800000)"),
        ("f32[1]", "{nan(0x0)}", "the payload of a NaN of f32 is 0x1 to 0x7fffff", "nan(0x0)"),
        ("f8e4m3fn[1]", "{nan(0x1)}", "a NaN of f8e4m3fn has no payload", "nan(0x1)"),
        ("f32[2]", "{1, 0x7FC00000}", "'0x7FC00000' is not a number, which f32 needs", "0x7FC00000"),
        ("f32[2]", "{1, true}", "'true' is not a number, which f32 needs", "true"),
        ("f32[]", "1_0", "'1_0' is not a number, which f32 needs", "1_0"),
        ("s8[2]", "{1, 128}", "128 does not fit in s8", "128"),
        ("u8[2]", "{-1, 1}", "-1 does not fit in u8", "-1"),
        ("s1[2]", "{-1, 1}", "1 does not fit in s1", "1"),
        ("u1[2]", "{1, 2}", "2 does not fit in u1", "2"),
        ("u1[]", "true", "'true' is not an integer, which u1 needs", "true"),
        ("s64[1]", "{9223372036854775808}", "9223372036854775808 does not fit in s64", "9223372036854775808"),
        ("u64[1]", "{18446744073709551616}", "does not fit in u64", "18446744073709551616"),
        ("s32[1]", "{1.5}", "'1.5' is not an integer, which s32 needs", "1.5"),
        ("s32[]", "true", "'true' is not an integer, which s32 needs", "true"),
        ("pred[2]", "{1, maybe}", "'maybe' is not a boolean", "maybe"),
        ("c64[1]", "{1}", "expected '(' and the real part of a complex element, found '1'", "1"),
        ("c64[]", "(1 2)", "expected ',' and the imaginary part, found '2'", "2"),
        ("c64[]", "(1, 1e39)", "1e39 does not fit in f32", "1e39"),
        ("(f32[], s32[])", "(1)", "expected element 1 of 2: s32[], found ')'", ")"),
        ("(f32[])", "(1, 2)", "expected ')': (f32[]) has 1 element, found '2'", "2"),
        ("(f32[])", "1", "expected '(' and the elements of (f32[]), found '1'", "1"),
        ("f32[<=3]", "{1, 2}", "the sizes of f32[<=3] are not known", "{"),
        ("opaque[]", "1", "opaque[] has no constants", "1"),
        ("f32[2]", "{1, 2 /* two }", "this comment is never closed", "/*"),
    ],
)
def test_what_is_wrong_with_a_literal(shape_text: str, text: str, message: str, at: str) -> None:
    with pytest.raises(ParseError) as caught:
        literal(shape_text, text)
    span = caught.value.span
    assert message in caught.value.message
    assert f"{text})"[span.start : span.end] == at


def test_a_literal_larger_than_any_memory_meets_a_limit() -> None:
    with pytest.raises(LimitError, match="larger than any memory"):
        literal("f32[4611686018427387904,4611686018427387904,0]", "{}")


def test_a_short_literal_of_a_huge_shape_is_wrong_at_once() -> None:
    with pytest.raises(ParseError, match="this list has 1 element"):
        literal("f32[1000000000000]", "{1}")


def test_an_attribute_that_is_no_constant_is_not_printed() -> None:
    with pytest.raises(StructureError, match="not a constant"):
        print_literal(BoolAttribute(True))


@given(SMALL_ARRAYS.flatmap(lambda kind: st.tuples(st.just(kind), any_bits(kind))))
def test_all_bit_patterns_read_back_as_they_were_printed(drawn: tuple[TensorType, NDArray[Any]]) -> None:
    attribute = DenseAttribute(*drawn)
    text = print_literal(attribute)
    cursor = HloCursor(Source(text), DEFAULT_LIMITS)
    assert read_literal(cursor, attribute.type) == attribute
    assert cursor.at_end


@given(SMALL_ARRAYS.flatmap(lambda kind: st.tuples(st.just(kind), any_bits(kind))), st.randoms())
def test_blanks_commas_and_comments_do_not_matter(
    drawn: tuple[TensorType, NDArray[Any]], random: Any
) -> None:
    attribute = DenseAttribute(*drawn)
    fillings = [", ", " ", "\n,", ",/* , } */ ", ", // }\n", ",,"]
    if attribute.type.element_type.is_complex:
        fillings = [", ", "\n,", ",/* , } */ ", ", // }\n"]
    text = re.sub(", ", lambda _: random.choice(fillings), print_literal(attribute))
    assert read_literal(HloCursor(Source(text), DEFAULT_LIMITS), attribute.type) == attribute


@given(
    arrays(max_size=3, max_rank=3, dynamic=False), st.text("{}(),.-+0123456789einfatrueb /*x", max_size=40)
)
def test_any_text_is_a_literal_or_an_error(kind: TensorType, text: str) -> None:
    try:
        read_literal(HloCursor(Source(text), DEFAULT_LIMITS), kind)
    except ParseError as error:
        assert 0 <= error.span.start <= error.span.end <= len(text)  # noqa: PT017 - both are right


NUMBERS = st.floats(allow_nan=False).map(repr) | st.integers(-(10**20), 10**20).map(str)
DECIMALS = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "-"]),
    st.integers(0, 10**20),
    st.sampled_from(["", "."]) | st.integers(0, 10**12).map(lambda digits: f".{digits:013}"),
    st.sampled_from(["", "e0"]) | st.integers(-320, 280).map(lambda power: f"E{power:+03}"),
)


@given(st.lists(NUMBERS | DECIMALS, min_size=1, max_size=30))
def test_decimals_are_rounded_correctly(texts: list[str]) -> None:
    wanted = np.array([float(text) for text in texts])
    found = values(f"f64[{len(texts)}]", f"{{{', '.join(texts)}}}")
    assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_many_numbers_are_printed_as_their_own_type_rounds_them(name: str) -> None:
    data = np.random.default_rng(1).standard_normal(5000).astype(getattr(ml_dtypes, name))
    hlo = {"bfloat16": "bf16", "float8_e4m3fn": "f8e4m3fn", "float8_e5m2": "f8e5m2"}[name]
    kind = shape(f"{hlo}[5000]")
    assert isinstance(kind, TensorType)
    text = print_literal(DenseAttribute(kind, data))
    assert values(f"{hlo}[5000]", text).tobytes() == data.tobytes()
