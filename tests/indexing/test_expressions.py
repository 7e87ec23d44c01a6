"""Expressions, intervals and evaluation against Python's own integers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine import indexing as ix
from hloscope.engine.indexing import (
    INT64_MAX,
    INT64_MIN,
    Constant,
    Dim,
    Expression,
    IndexMap,
    Interval,
    Range,
)
from hloscope.engine.indexing.core.interval import NOTHING
from hloscope.engine.indexing.core.linearization import Bounds
from hloscope.engine.indexing.evaluation.bound_map import BoundMap
from hloscope.engine.indexing.relations.isl_maps import SetTooHard, relation_of

from .proofs import is_inverse
from .strategies import divisors, expressions

d0, d1 = ix.dims(2)
BOUNDS: Bounds = {d0: Interval(-3, 4), d1: Interval(0, 5), Range(0): Interval(0, 2)}
POINTS = list(product(range(-3, 5), range(6), range(3)))


def value(expression: Expression, point: tuple[int, int, int]) -> int:
    """Evaluate an expression independently of the engine."""
    match expression:
        case Constant(number):
            return number
        case Dim(number):
            return point[number]
        case Range(_):
            return point[2]
        case ix.FloorDivide(dividend, divisor):
            return value(dividend, point) // divisor
        case ix.CeilDivide(dividend, divisor):
            return -(-value(dividend, point) // divisor)
        case ix.Modulo(dividend, divisor):
            return value(dividend, point) % abs(divisor)
    parts = [value(child, point) for child in expression.children]
    match expression:
        case ix.Sum():
            return sum(parts)
        case ix.Product():
            return int(np.prod(parts))
        case ix.Minimum():
            return min(parts)
    return max(parts)


def values(expression: Expression) -> list[int]:
    index_map = IndexMap((expression,), (BOUNDS[d0], BOUNDS[d1]), (BOUNDS[Range(0)],))
    points = np.array(POINTS)
    results, mask = ix.evaluate(index_map, points[:, :2], points[:, 2:])
    assert mask.all()
    found: list[int] = results[:, 0].tolist()
    return found


@settings(deadline=None)
@given(expressions)
def test_evaluation_and_interval(expression: Expression) -> None:
    expected = [value(expression, point) for point in POINTS]
    assert values(expression) == expected
    assert ix.interval_of(expression, BOUNDS).covers(Interval(min(expected), max(expected)))


@settings(deadline=None)
@given(expressions, expressions, divisors)
def test_operators_mean_what_they_say(left: Expression, right: Expression, divisor: int) -> None:
    for point in POINTS[::7]:
        a, b = value(left, point), value(right, point)
        assert value(left + right, point) == a + b
        assert value(left - right, point) == a - b
        assert value(3 - left, point) == 3 - a
        assert value(left * divisor, point) == a * divisor
        assert value(left // divisor, point) == a // divisor
        assert value(left % divisor, point) == a % abs(divisor)
        assert value(ix.ceil_divide(left, divisor), point) == -(-a // divisor)


@settings(deadline=None)
@given(expressions, st.integers(1, 12))
def test_divide_and_remainder_use_bounds_soundly(expression: Expression, divisor: int) -> None:
    quotient = ix.divide(expression, divisor, BOUNDS)
    rest = ix.remainder(expression, divisor, BOUNDS)
    for point in POINTS:
        assert value(quotient, point) == value(expression, point) // divisor
        assert value(rest, point) == value(expression, point) % divisor


def test_light_canonical_form() -> None:
    assert d0 + 0 == d0 * 1 == d0 // 1 == d0
    assert d0 * 0 == d0 - d0 == d0 % 1 == Constant(0)
    assert (d0 + 5) * 2 - 10 == d0 * 2
    assert 2 + d0 + 3 == d0 + 5
    assert ix.substitute(d0 + d1, {d0: d1, d1: d0}) == d1 + d0
    assert ix.ceil_divide(d0, 1) == d0
    assert ix.ceil_divide(-7, 2) == Constant(-3)
    for divide in (ix.floor_divide, ix.ceil_divide, ix.modulo):
        with pytest.raises(ZeroDivisionError):
            divide(d0, 0)
    with pytest.raises(ZeroDivisionError):
        d0 // 0
    with pytest.raises(ZeroDivisionError):
        d0 % 0


def test_intervals_saturate() -> None:
    everything = ix.EVERYTHING
    assert Interval(0, INT64_MAX) + Interval(5, 5) == Interval(5, INT64_MAX)
    assert -everything == everything
    assert Interval(2**40, 2**40) * Interval(2**40, 2**40) == Interval(INT64_MAX, INT64_MAX)
    assert Interval(INT64_MIN, 7).floor_divide(-2) == Interval(-4, INT64_MAX)
    assert Interval(INT64_MIN, 7).ceil_divide(-2) == Interval(-3, INT64_MAX)
    assert Interval(-5, 7).ceil_divide(4) == Interval(-1, 2)
    assert Interval(-5, -1).modulo(5) == Interval(0, 4)
    assert Interval(5, 7).modulo(-5) == Interval(0, 2)


def test_constraints_settle_at_construction() -> None:
    shape = (9, 9)
    tightened = IndexMap.of((d0,), shape, constraints=[(d0, Interval(2, 30))])
    assert tightened.dimensions[0] == Interval(2, 8)
    assert not tightened.constraints
    always = IndexMap.of((d0,), shape, constraints=[(d0 + d1, Interval(0, 16))])
    assert always == IndexMap.of((d0,), shape)
    merged = IndexMap.of((d0,), shape, constraints=[(d0 + d1, Interval(0, 9)), (d0 + d1, Interval(3, 16))])
    assert merged.constraints == ((d0 + d1, Interval(3, 9)),)
    never = IndexMap.of((d0, d1), shape, constraints=[(d0 % 8, Interval(45, 49))])
    assert never.is_known_empty
    assert never.results == (Constant(0), Constant(0))


def test_a_constraint_does_not_change_how_an_offset_is_clamped() -> None:
    first, *_ = ix.dynamic_slice_maps((10,), (4,))
    narrowed = IndexMap(
        first.map.results, first.map.dimensions, (), first.map.runtimes, ((ix.Runtime(0), Interval(0, 2)),)
    )
    assert narrowed.runtimes[0].interval == Interval(0, 6)
    assert len(BoundMap(narrowed, (None, np.array(5))).elements([0]).indices) == 0
    assert BoundMap(narrowed, (None, np.array(2))).elements([0]).indices.tolist() == [[2]]


def test_elements_stop_at_the_cap_and_at_the_work_limit() -> None:
    whole = IndexMap.everything((100, 100))
    capped = BoundMap(whole).elements(np.zeros(0), cap=10)
    assert (len(capped.indices), capped.complete) == (10, False)
    assert not BoundMap(whole).elements(np.zeros(0), work=50).complete
    assert BoundMap(whole).elements(np.zeros(0)).complete
    several = BoundMap(IndexMap.identity((4, 4))).elements([[0, 1], [3, 3], [4, 0]])
    assert several.indices.tolist() == [[0, 1], [3, 3]]


def test_an_operand_that_is_needed_is_named() -> None:
    first, *_ = ix.dynamic_slice_maps((10,), (4,))
    with pytest.raises(ValueError, match="operand 1 is needed"):
        BoundMap(first.map, ()).elements([0])
    with pytest.raises(ValueError, match="unknown map"):
        ix.evaluate(ix.UNDEFINED, [[0]])


@settings(deadline=None, max_examples=50)
@given(expressions, expressions, st.integers(-4, 4), st.integers(0, 3))
def test_isl_agrees_with_enumeration(
    result: Expression, constraint: Expression, low: int, width: int
) -> None:
    limits = (constraint, Interval(low, low + width))
    index_map = IndexMap((result,), (BOUNDS[d0], BOUNDS[d1]), (BOUNDS[Range(0)],), (), (limits,))
    indices = np.array(sorted({point[:2] for point in POINTS}))
    distinct = {
        (*index, *element)
        for index in indices.tolist()
        for element in BoundMap(index_map).elements(index).indices.tolist()
    }
    assert int(relation_of(index_map).wrap().count_val().to_str()) == len(distinct)


def test_isl_is_limited() -> None:
    shape = (64, 48, 36)
    (there,) = ix.reshape_maps(shape, (27, 4096))
    (back,) = ix.reshape_maps(shape, (27, 4096), inverse=True)
    assert is_inverse(there.map, back.map)
    with pytest.raises(SetTooHard):
        is_inverse(there.map, back.map, max_operations=100)


@given(
    st.integers(-20, 20), st.integers(0, 15), st.integers(-7, 7).filter(bool), st.integers(-9, 9), st.data()
)
def test_solving_for_a_factor(
    lower: int, width: int, factor: int, constant: int, data: st.DataObject
) -> None:
    interval = Interval(lower, lower + width)
    solved = interval.solve(factor, constant)
    assert [x for x in range(-60, 60) if factor * x + constant in interval] == [
        *range(solved.lower, solved.upper + 1)
    ]
    open_end = data.draw(st.sampled_from([Interval(ix.INT64_MIN, lower), Interval(lower, ix.INT64_MAX)]))
    solved = open_end.solve(factor, constant)
    assert [x for x in range(-60, 60) if factor * x + constant in open_end] == [
        x for x in range(-60, 60) if x in solved
    ]
    assert (solved.lower == ix.INT64_MIN) == ((open_end.lower == ix.INT64_MIN) == (factor > 0))
    assert (solved.upper == ix.INT64_MAX) == ((open_end.upper == ix.INT64_MAX) == (factor > 0))


def test_the_hull_of_intervals() -> None:
    assert Interval(0, 3).hull(Interval(7, 9)) == Interval(0, 9)
    assert Interval(0, 3).hull(NOTHING) == NOTHING.hull(Interval(0, 3)) == Interval(0, 3)
