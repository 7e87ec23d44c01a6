"""Names, strings and whole values of HLO text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.errors import LimitError, ParseError
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.source import Source
from hloscope.engine.syntax.hlo.values.hlo_cursor import DIM_LABELS, DXD, PAD, HloCursor
from tests.each import for_each


def cursor(text: str) -> HloCursor:
    return HloCursor(Source(text), DEFAULT_LIMITS)


@pytest.mark.parametrize("text", [" \n\t a", "/* // */a", "// one /*\na", "/***/ /* a * / */ // \n/**/a"])
def test_blanks_and_comments_mean_nothing(text: str) -> None:
    assert cursor(text).name("a name") == "a"


@pytest.mark.parametrize("text", ["/* a", "a /* b", "/*/"])
def test_a_comment_that_is_not_closed_is_told_where_it_opens(text: str) -> None:
    with pytest.raises(ParseError, match="this comment is never closed") as caught:
        cursor(text).name("a name")
    assert caught.value.span.start == text.index("/*")
    assert caught.value.hint == "add */ where it ends"


@pytest.mark.parametrize(
    ("text", "name", "rest"),
    [
        ("%add.1", "add.1", ""),
        ("all-gather-start(", "all-gather-start", "("),
        ("%a->b", "a", "->b"),
        ("a-->b", "a-", "->b"),
        ("_=", "_", "="),
    ],
)
def test_a_name_never_takes_in_an_arrow(text: str, name: str, rest: str) -> None:
    reading = cursor(text)
    assert reading.peek_name() == name
    assert reading.name("a name") == name
    assert reading.peek(rest)


def test_what_is_no_name_is_shown() -> None:
    with pytest.raises(ParseError, match=r"expected a name, found '->'"):
        cursor("-> b").name("a name")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (DIM_LABELS, "b01f_01io->b01f"),
        (DIM_LABELS, "bf?_io?->bf?"),
        (DXD, "3x3"),
        (DXD, "7"),
        (PAD, "0_1x2_2"),
        (PAD, "-1_0_2x0_0_0"),
    ],
)
def test_the_patterns_of_windows(expression: re.Pattern[str], text: str) -> None:
    match = expression.match(f"{text} rest")
    assert match is not None
    assert match[0] == text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('"a"', "a"),
        ("'a\"b'", 'a"b'),
        (r'"\n\t\\\"\'\?"', "\n\t\\\"'?"),
        (r'"\303\251\x41\101"', "éAA"),
        (r'"\u00e9\U0001F600"', "é😀"),
        (r'"\377"', "\udcff"),
        ('"two\nlines"', "two\nlines"),
        ('"// /* é"', "// /* é"),
    ],
)
def test_strings_have_the_escapes_of_c(text: str, wanted: str) -> None:
    reading = cursor(f"{text},")
    assert reading.hlo_string() == wanted
    assert reading.peek(",")


@pytest.mark.parametrize("escape", [r"\q", r"\777", r"\xfff", r"\ud800", r"\u12", r"\U00110000"])
def test_other_escapes_are_told_with_their_place(escape: str) -> None:
    text = f'"é{escape} a"'
    with pytest.raises(ParseError, match="unknown escape in a string") as caught:
        cursor(text).hlo_string()
    assert escape.startswith(text[caught.value.span.start : caught.value.span.end])
    assert caught.value.span.start == 2


@pytest.mark.parametrize(
    ("text", "message"), [('"a', "not closed"), ("'a\"", "not closed"), ("a", "expected a string")]
)
def test_what_is_no_string(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        cursor(text).hlo_string()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{}", ()),
        ("{0}", (0,)),
        ("{ 1 , -2 }", (1, -2)),
        ("{/*a*/3,/*b*/18446744073709551615}", (3, 2**64 - 1)),
    ],
)
def test_integers_in_braces(text: str, wanted: tuple[int, ...]) -> None:
    assert cursor(text).braced_integers() == wanted


@pytest.mark.parametrize("text", ["{0,}", "{0 1}", "{a}", "0", "{99999999999999999999}", "{0"])
def test_what_is_no_list_of_integers(text: str) -> None:
    with pytest.raises(ParseError):
        cursor(text).braced_integers()


VALUES = (
    "true",
    "-inf",
    "1e-05",
    "kLoop",
    "%region_0.2",
    "b01f_01io->b01f",
    "0_1x2_2",
    "L.1@2:4",
    "f32[2]{0:T(8,128)}",
    '"a, b } \\" {"',
    "'a, \" }'",
    "{}",
    "{{0,2},{1,3}}",
    "[4,2]<=[2,4]T(1,0)",
    "[4,2] <= [2,4]T(1,0)",
    "mesh['axis_0'=2,'axis_1'=4] {'axis_0'}",
    "mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)) {'a'}",
    "{devices=[2,1,4]<=[2,4]T(1,0) last_tile_dim_replicate}",
    '{"fusion_config":{"kind":"}"},"x":[1,{"y":"\\\\"}]}',
    "{uplo = 76 : ui8}",
    '{op_name="it\'s" source_line=1}',
    "{ // }\n /* } */ a}",
    "{{}: (0, {}, may-alias)}",
    "{(f32[2]{0})->f32[2]{0}}",
)


@pytest.mark.parametrize("value", VALUES)
@for_each("rest", ["", ", metadata={}", "\n  ROOT b = f32[] add(a, a)", "}", ")", " /* c */ %b = f32[]"])
def test_a_value_is_passed_over_in_one_piece(value: str, rest: str) -> None:
    reading = cursor(value + rest)
    span = reading.skip_value()
    assert reading.text[span.start : span.end] == value
    assert reading.peek(rest.removeprefix(" /* c */").strip())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a value, found the end of the text"),
        (", a", "expected a value, found ','"),
        ("[2]<=,", "expected a value, found ','"),
        ("{a", "this '{' is never closed"),
        ("{(}", "'}' closes nothing"),
        ("{'a}", "this string is not closed"),
        ('{a="b', "this string is not closed"),
        ("{/* }", "this comment is never closed"),
        ('"a', "this string is not closed"),
    ],
)
def test_what_is_no_value(text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        cursor(text).skip_value()
    assert message in caught.value.message
    assert caught.value.span.end <= len(text)


def test_a_value_may_not_be_nested_too_deeply() -> None:
    cursor("{" * 200 + "}" * 200).skip_value()
    with pytest.raises(LimitError):
        cursor("{" * 100_000).skip_value()


@pytest.mark.parametrize(
    "text",
    [
        "{" + "{a,b}," * 100_000 + "}",
        "{" + "[(1),2]," * 100_000 + "}",
        "{" + "'a'" * 300_000 + "}",
        "{" + "a/" * 500_000 + "}",
        "[1]<=" * 50_000 + "[1]",
        '{"' + "\\\\" * 500_000 + '"}',
    ],
    ids=["lists", "mixed", "strings", "slashes", "iota", "escapes"],
)
def test_long_values_take_no_longer_than_they_are(text: str) -> None:
    span = cursor(text).skip_value()
    assert span.end == len(text)


@given(st.text("{}()[]<=>'\"\\/*,a1_->. \n", max_size=40))
def test_any_text_is_a_value_or_an_error(text: str) -> None:
    try:
        span = cursor(text).skip_value()
    except (ParseError, LimitError) as error:
        assert 0 <= error.span.start <= error.span.end <= len(text)  # noqa: PT017 - both are right
    else:
        assert span.start < span.end
