"""Parsing printed maps in both styles, and errors in other texts."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine import indexing as ix
from hloscope.engine.errors import ParseError
from hloscope.engine.indexing import (
    Expression,
    IndexMap,
    Interval,
    Range,
    Runtime,
    RuntimeVariable,
    Style,
    print_expression,
    print_map,
    simplify,
)
from hloscope.engine.source import Source
from tests.each import for_each

from .expression_parser import parse_expression
from .map_parser import parse_map
from .maps import expressions, maps
from .proofs import assert_same_everywhere

d0, d1, d2 = ix.dims(3)
PROGRAMS = Path(__file__).parent / "xla_2024"
styles = st.sampled_from(Style)


@given(expressions, styles)
def test_expressions_are_read_as_they_are_printed(expression: Expression, style: Style) -> None:
    for found in (expression, simplify(IndexMap((expression,), ())).results[0]):
        text = print_expression(found, style, ranges=1)
        read = parse_expression(text, ranges=1)
        assert print_expression(read, style, ranges=1) == text
        assert style is Style.XLA_2024 or read == found


@given(maps(), styles)
def test_maps_are_read_as_they_are_printed(index_map: IndexMap, style: Style) -> None:
    for written in (index_map, simplify(index_map)):
        text = print_map(written, style)
        read = parse_map(text)
        assert print_map(read, style) == text
        if written.is_known_empty:  # nothing else is printed for an empty map
            assert read.is_known_empty
        elif style is Style.CURRENT:
            assert _in_order(read) == _in_order(written)
        else:
            assert_same_everywhere(read, written)
            assert [(v.operand, v.clamped) for v in read.runtimes] == [(1, index_map.runtimes[0].clamped)]


def _in_order(index_map: IndexMap) -> tuple[object, ...]:
    """A key without the order of constraints, which are printed in alphabetical order."""
    constraints = sorted(index_map.constraints, key=str)
    return index_map.results, index_map.dimensions, index_map.ranges, index_map.runtimes, constraints


@pytest.mark.parametrize("style", Style)
def test_runtime_variables_that_need_others(style: Style) -> None:
    inner = RuntimeVariable(Interval(0, 3), 7, IndexMap.of((d1,), (6, 7)), clamped=False)
    outer = RuntimeVariable(Interval(0, 5), 2, IndexMap.of((d0 + Runtime(0),), (6, 7), (), (inner,)))
    last = RuntimeVariable(Interval(0, 9), 3, IndexMap.of((Range(0),), (6, 7), (4,)))
    whole = IndexMap.of((d0 + Runtime(0), Runtime(1)), (6, 7), (4,), (outer, last))
    text = print_map(whole, style)
    assert parse_map(text) == whole
    assert print_map(parse_map(text), style) == text


def test_forms_of_the_document_of_2024() -> None:
    assert parse_expression("100d0 + 10d1 + d2") == d0 * 100 + d1 * 10 + d2
    assert parse_expression("(100d0 floorDiv 7) mod 3") == d0 * 100 // 7 % 3
    assert parse_expression("2(d0 + 1)") == d0 * 2 + 2
    assert parse_expression("d0 % 3 - d1 // 2") == d0 % 3 - d1 // 2
    assert parse_expression("-d1 + 16") == 16 - d1
    assert parse_expression("-(-11d0 - d1 + 109) floordiv 11 + 9") == -((d0 * -11 - d1 + 109) // 11) + 9
    assert parse_expression("d0 + s0 + s1", ranges=1) == d0 + Range(0) + Runtime(0)


def test_forms_of_today() -> None:
    assert parse_expression("-d0 / 2") == -d0 // 2
    assert parse_expression("-(d0 / 2)") == -(d0 // 2)
    assert parse_expression("-d0 mod 2") == (-d0) % 2
    assert parse_expression("d0 / 128 / 128") == d0 // 128 // 128
    assert parse_expression("d0 * -3 / -2") == d0 * -3 // -2
    assert parse_expression("d0 - -d1 mod 3") == d0 - (-d1) % 3
    assert parse_expression("min(d0, 3, max(d1, d2))") == ix.minimum(ix.minimum(d0, 3), ix.maximum(d1, d2))
    assert parse_expression("-d0 ceildiv 4 ceildiv 3") == ix.ceil_divide(ix.ceil_divide(-d0, 4), 3)
    assert parse_expression("-(d0 ceildiv 4) / 3") == -ix.ceil_divide(d0, 4) // 3
    lines = "(th, bl)[s]\n-> (th * 4 + s, bl),\ndomain:\nth in [0, 31],\nbl in [0, 7],\ns in [0, 3],\n"
    assert parse_map(lines) == IndexMap.of((d0 * 4 + Range(0), d1), (32, 8), (4,))


@for_each("file", sorted(PROGRAMS.glob("*.maps")), ids=lambda file: file.stem)
def test_the_documents_maps(file: Path) -> None:
    """All maps of XLA's document of 2024, as printed there."""
    for part in file.read_text().strip().split("\n\n"):
        for text in _maps_in(part.split("\n", 1)[1].strip()):
            sources: list[str] = []
            found = parse_map(text, partial(_number, sources))
            assert print_map(found, Style.XLA_2024, sources.__getitem__) == text


def _number(sources: list[str], source: str) -> int:
    if source not in sources:
        sources.append(source)
    return sources.index(source)


def _maps_in(text: str) -> list[str]:
    """The maps of a union, split at each signature that is followed by a domain."""
    found: list[list[str]] = []
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if lines[number + 1 : number + 2] == ["domain:"] or not found:
            found.append([])
        found[-1].append(line)
    return ["\n".join(item) for item in found]


def test_special_maps() -> None:
    assert parse_map("unknown indexing") is ix.UNDEFINED
    assert parse_map(" KNOWN EMPTY\n").is_known_empty
    assert parse_map("() -> ()") == IndexMap.scalar(())
    assert parse_map("() -> ()\ndomain:") == IndexMap.scalar(())
    assert parse_map("(d0) -> (d0)").dimensions == (ix.EVERYTHING,)
    assert parse_map("(d0) -> (d0), domain: d0 in [3, 2]").is_known_empty


@for_each(
    ("text", "place", "message"),
    [
        ("", (1, 1), "expected '(', found the end of the text"),
        ("(d0) -> d0", (1, 9), "expected '(', found 'd0'"),
        ("(d0 d1) -> (d0)", (1, 5), "expected ',', found 'd1'"),
        ("(d0, 3) -> (d0)", (1, 6), "expected the name of a variable, found '3'"),
        ("(d0) -> (d1)", (1, 10), "expected a variable of the map, found 'd1'"),
        ("(d0) -> (d0 +)", (1, 14), "expected a variable, a number or '(', found ')'"),
        ("(d0) -> (d0 mod d0)", (1, 17), "a divisor can only have numbers and symbols, not dimensions"),
        ("(d0) -> (d0 / 0)", (1, 15), "the divisor is 0"),
        ("(d0, d0) -> (d0)", (1, 1), "the variable d0 is declared twice"),
        ("(d0) -> (d0)\ndomain:\nd0 in [0 3]", (3, 10), "expected ',', found '3'"),
        ("(d0) -> (d0)\ndomain:\nd0 in 0", (3, 7), "expected '[', found '0'"),
        (
            "(d0, d1) -> (d0), domain: d0 in [0, 3]",
            (1, 39),
            "expected bounds of d1, found the end of the text",
        ),
        ("(d0) -> (d0), domain: d0 in [0, 3] and", (1, 36), "expected a variable of the map, found 'and'"),
        (f"(d0) -> (d0), domain: d0 in [0, 1{'0' * 30}]", (1, 33), "the number does not fit 64 bits"),
        ("(d0) -> (d0) (d0)", (1, 14), "expected the end of the map, found '('"),
        (
            "(){rt0} -> (rt0), domain: rt0 in [0, 3]\nruntime variables:\nrt0: operand 1",
            (3, 6),
            "expected an operand, ';' and a map, found 'operand'",
        ),
        (
            "(d0) -> (d0)\ndomain:\nhlo: p0",
            (3, 6),
            "expected a variable before 'hlo:', found 'p0'",
        ),
    ],
)
def test_what_is_said_of_other_texts(text: str, place: tuple[int, int], message: str) -> None:
    with pytest.raises(ParseError) as found:
        parse_map(text)
    diagnostic = found.value.diagnostic()
    assert diagnostic.message == message
    assert Source(text).line_and_column(diagnostic.span.start) == place


def test_a_formula_alone_may_have_runtime_variables() -> None:
    found = parse_map("(d0, d1){off, rt1} -> (d0 + off, d1 * rt1), domain: d0 in [0, 2], d1 in [0, 3], off in [0, 6], "
                      "rt1 in [1, 2]")  # fmt: skip
    assert print_map(found).partition("\n")[0] == (
        "(d0, d1){rt0, rt1} -> (d0 + rt0, d1 * rt1), domain: d0 in [0, 2], d1 in [0, 3], rt0 in [0, 6], rt1 in [1, 2]"
    )
    # Each is a separate scalar.
    assert [each.map for each in found.runtimes] == [IndexMap.scalar((3, 4))] * 2
    assert len({each.operand for each in found.runtimes}) == 2
    assert parse_map(print_map(found)) == found


def test_depth_is_limited() -> None:
    deep = parse_expression("(" * 100 + "d0" + ")" * 100)
    assert deep == d0
    for text in ("(" * 101 + "d0" + ")" * 101, "min(" * 500 + "d0", "-" * 5000 + "(" * 5000):
        with pytest.raises(ParseError, match="more than 100 nested parentheses"):
            parse_expression(text)


@given(st.text(alphabet="d0s1rt()[]{},:->+*/%-; \nmodinhloruntimevariables", max_size=60))
def test_any_text_is_a_map_or_a_parse_error(text: str) -> None:
    for read in (parse_map, parse_expression):
        with suppress(ParseError):
            read(text)
