"""Quotients and remainders by symbols: parsed, printed, evaluated; results hold for all divisors."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.errors import ParseError
from hloscope.engine.indexing import (
    Constant,
    Dim,
    Expression,
    FloorDivide,
    IndexMap,
    Interval,
    Modulo,
    Product,
    QuotientBy,
    Range,
    RemainderBy,
    Runtime,
    RuntimeVariable,
    Style,
    Sum,
    evaluate,
    interval_of,
    print_expression,
    print_map,
    simplify,
    substitute,
)
from hloscope.engine.indexing.core.expressions import variable_divisors
from hloscope.engine.indexing.elements.element_sets import ElementSet
from hloscope.engine.indexing.elements.images import image
from hloscope.engine.indexing.evaluation.bound_map import BoundMap
from hloscope.engine.indexing.relations.isl_maps import SetTooHard, relation_of

from .expression_parser import parse_expression
from .map_parser import parse_map

styles = st.sampled_from(Style)
symbols = st.sampled_from([Range(0), Range(1)])
divisors = st.one_of(symbols, st.tuples(symbols, st.integers(-2, 2)).map(lambda p: p[0] * 2 + p[1]))
dividends = st.tuples(st.integers(-3, 3), st.integers(-4, 4)).map(lambda p: Dim(0) * p[0] + Range(0) + p[1])
divided = st.builds(
    lambda kind, *parts: kind(*parts), st.sampled_from([QuotientBy, RemainderBy]), dividends, divisors
)
nested = st.one_of(
    divided,
    st.tuples(divided, st.integers(-3, 3).filter(bool)).map(lambda p: p[0] // p[1]),
    st.tuples(divided, st.integers(-3, 3).filter(bool)).map(lambda p: p[0] % p[1] - Dim(0)),
    st.tuples(divided, divided).map(lambda p: p[0] * 2 - p[1]),
    st.builds(QuotientBy, divided, divisors),
)
BOUNDS = Interval(-4, 5), Interval(-2, 3), Interval(1, 4)
"""The bounds of d0, s0 and s1."""


def whole(expression: Expression) -> IndexMap:
    return IndexMap((expression,), BOUNDS[:1], BOUNDS[1:])


def rows() -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    return np.array(list(product(*(range(each.lower, each.upper + 1) for each in BOUNDS))), np.int64)


def valued(node: Expression, row: tuple[int, ...]) -> int:
    """The value by definition. Raises ZeroDivisionError."""
    match node:
        case Constant(value):
            return value
        case Sum(terms):
            return sum(valued(term, row) for term in terms)
        case Product(factors):
            return prod(valued(factor, row) for factor in factors)
        case QuotientBy(dividend, by):
            return valued(dividend, row) // valued(by, row)
        case RemainderBy(dividend, by):
            return valued(dividend, row) % abs(valued(by, row))
        case FloorDivide(dividend, divisor):
            return valued(dividend, row) // divisor
        case Modulo(dividend, divisor):
            return valued(dividend, row) % abs(divisor)
    return row[(Dim(0), Range(0), Range(1)).index(node)]


def value_at(expression: Expression, row: tuple[int, ...]) -> int | None:
    """The value, or None if a divisor is 0."""
    try:
        return valued(expression, row)
    except ZeroDivisionError:
        return None


@given(nested, styles)
def test_they_are_read_as_they_are_printed(expression: Expression, style: Style) -> None:
    text = print_expression(expression, style, 2)
    assert print_expression(parse_expression(text, ranges=2), style, 2) == text
    if style is Style.CURRENT:  # the document orders terms differently
        assert parse_expression(text) == expression
        assert parse_map(print_map(whole(expression), style)) == whole(expression)


@given(nested)
@settings(max_examples=30, deadline=None)
def test_values_are_those_of_the_definition(expression: Expression) -> None:
    table = rows()
    for index_map in (whole(expression), simplify(whole(expression))):
        found, mask = evaluate(index_map, table[:, :1], table[:, 1 : 1 + len(index_map.ranges)])
        for row, (value,), inside in zip(table.tolist(), found.tolist(), mask, strict=True):
            wanted = value_at(expression, tuple(row))
            if wanted is not None:
                assert inside
                assert value == wanted
                assert wanted in interval_of(expression, index_map.bounds)
            elif index_map == whole(expression):
                assert not inside


@given(nested)
@settings(max_examples=30, deadline=None)
def test_sets_are_enumerated_and_isl_says_that_it_cannot(expression: Expression) -> None:
    index_map = IndexMap((expression,), (Interval(0, 4),), BOUNDS[1:])
    if index_map.is_known_empty:
        return
    read = image(BoundMap(index_map, ()), ElementSet.full((5,)), (30,))
    wanted = {
        value
        for row in product(range(5), range(-2, 4), range(1, 5))
        if (value := value_at(expression, row)) is not None and 0 <= value < 30
    }
    assert set(read.to_positions().tolist()) == wanted
    if variable_divisors(expression):  # modulo 1 leaves no divisor
        with pytest.raises(SetTooHard, match="isl cannot divide by"):
            relation_of(index_map)


def test_as_xla_prints_them() -> None:
    d0, s0, rt0 = Dim(0), Range(0), Runtime(0)
    assert parse_expression("d0 floordiv s0") == QuotientBy(d0, s0)
    assert parse_expression("(d0 + 1) mod rt0") == RemainderBy(d0 + 1, rt0)
    assert parse_expression("d0 / s0 / 2 + d0 / (s0 + 1)") == QuotientBy(d0, s0) // 2 + QuotientBy(d0, s0 + 1)
    assert print_expression(QuotientBy(d0, s0) // 2) == "d0 / s0 / 2"
    assert print_expression(RemainderBy(d0, -s0), Style.XLA_2024) == "d0 mod (-s0)"
    assert parse_expression("d0 ceildiv s0") == -QuotientBy(-d0, s0)
    # A number for the symbol makes an ordinary division.
    assert substitute(QuotientBy(d0, s0), {s0: Constant(4)}) == d0 // 4
    assert substitute(RemainderBy(d0, s0), {s0: Constant(-3)}) == d0 % -3
    assert substitute(QuotientBy(d0, s0), {s0: Constant(0)}) == QuotientBy(d0, Constant(0))


def test_a_runtime_variable_divides() -> None:
    text = "(d0){rt0} -> (d0 / rt0, d0 mod rt0), domain: d0 in [0, 6], rt0 in [0, 3]"
    found = parse_map(text)
    assert isinstance(found.runtimes[0], RuntimeVariable)
    assert print_map(found).startswith(text)
    for value in range(4):
        results, mask = BoundMap(found, (np.array(value),)).evaluate(np.arange(7)[:, None])
        assert mask.all() == (value != 0)
        assert value == 0 or results.tolist() == [list(divmod(d, value)) for d in range(7)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("d0 / (s0 - s0)", "the divisor is 0"),
        ("d0 mod (d0 + s0)", "a divisor can only have numbers and symbols, not dimensions"),
        ("d0 / -s0", "expected a number to divide by, found 's0'"),
    ],
)
def test_what_cannot_divide(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        parse_expression(text)
