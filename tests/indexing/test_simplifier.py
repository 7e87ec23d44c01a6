"""The simplifier: examples of XLA's document, each rule, and isl proofs on random maps."""

from __future__ import annotations

from itertools import pairwise
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine import indexing as ix
from hloscope.engine.indexing import (
    RULES,
    Dim,
    Expression,
    IndexMap,
    Interval,
    Range,
    Runtime,
    Style,
    compose,
    interval_of,
    print_map,
    print_rewrite,
    simplification,
    simplify,
)
from hloscope.engine.indexing.core.interval_analysis import Intervals
from hloscope.engine.indexing.simplifier.facts import Facts, Infeasible
from hloscope.engine.indexing.simplifier.rewriting import Rewriter
from tests.each import for_each

from .expression_parser import parse_expression
from .map_parser import parse_map
from .maps import expressions, intervals, maps
from .proofs import assert_simplifies_equal, points_of, symbols_to_dimensions
from .rule_examples import EXAMPLES

FEW, MANY = settings(max_examples=150), settings(max_examples=5_000)
"""Random maps whose simplification is proved, with four expressions each."""

SEED = [
    ("(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16)", (7, 15), "(d0, d1) -> (d0, d1)"),
    (
        "(d0, d1, d2) -> ((100d0 + 10d1 + d2) floorDiv 100, ((100d0 + 10d1 + d2) mod 100) floordiv 10, d2 mod 10)",
        (10, 10, 10),
        "(d0, d1, d2) -> (d0, d1, d2)",
    ),
    (
        "(d0, d1, d2) -> ((16d0 + 4d1 + d2) floordiv 8, (16d0 + 4d1 + d2) mod 8)",
        (10, 10, 10),
        "(d0, d1, d2) -> (d0 * 2 + (d1 * 4 + d2) floordiv 8, (d1 * 4 + d2) mod 8)",
    ),
    ("(d0, d1) -> (-(-11d0 - d1 + 109) floordiv 11 + 9)", (10, 11), "(d0, d1) -> (d0)"),
]


@pytest.mark.parametrize(("text", "shape", "simplified"), SEED)
def test_examples_of_the_document(text: str, shape: tuple[int, ...], simplified: str) -> None:
    index_map = IndexMap.of(parse_map(text).results, shape)
    found = assert_simplifies_equal(index_map)
    assert print_map(found, Style.XLA_2024).splitlines()[0] == simplified


def test_reshapes_that_cancel() -> None:
    cube, table = (10, 10, 10), (50, 20)
    ((there,), (back,)) = ix.reshape_maps(cube, table), ix.reshape_maps(table, cube)
    assert assert_simplifies_equal(compose(back.map, there.map)) == IndexMap.identity(cube)


@given(st.lists(st.permutations([2, 2, 3, 3, 5]), min_size=2, max_size=4), st.data())
def test_chains_of_reshapes_are_one_reshape(orders: list[list[int]], data: st.DataObject) -> None:
    """The intermediate shapes do not matter: the simplified map equals the direct one, term by term."""
    shapes = [_grouped(order, data.draw(st.sets(st.integers(1, 4)))) for order in orders]
    whole = IndexMap.identity(shapes[0])
    for before, after in pairwise(shapes):
        (step,) = ix.reshape_maps(before, after, inverse=True)
        whole = simplify(compose(whole, step.map))
    (direct,) = ix.reshape_maps(shapes[0], shapes[-1], inverse=True)
    assert whole == simplify(direct.map)


def _grouped(factors: list[int], cuts: set[int]) -> tuple[int, ...]:
    """The products of consecutive factors between the cuts."""
    ends = [0, *sorted(cuts), len(factors)]
    return tuple(prod(factors[start:end]) for start, end in pairwise(ends))


@for_each(("rule", "text", "simplified"), EXAMPLES)
def test_rules(rule: str, text: str, simplified: str) -> None:
    index_map = parse_map(text)
    found = assert_simplifies_equal(index_map)
    names = [rewrite.rule.name for rewrite in simplification(index_map).rewrites]
    assert rule in names
    assert print_map(found) == print_map(parse_map(simplified)) == simplified


def test_every_rule_has_an_example_and_a_sentence() -> None:
    assert {rule.name for rule in RULES} == {rule for rule, _, _ in EXAMPLES}
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert all(rule.sentence.endswith(".") for rule in RULES)


def test_results_use_constraints() -> None:
    """3.1 (3): an expression equal to a constraint's, or a multiple of it, also has its interval."""
    text = "(d0, d1) -> ((d0 + d1) / 8, (d0 * 3 + d1 * 3 + 1) / 32), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [8, 10]"
    assert assert_simplifies_equal(parse_map(text)).results == (ix.Constant(1), ix.Constant(0))


def test_each_step_leads_to_the_next() -> None:
    """A step's `whole` is the map after it; the last is the simplified map."""
    text = "(d0, d1, d2) -> (((d0 * 100 + d1 * 10 + d2) mod 100) / 10), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]"
    index_map = parse_map(text)
    found = simplification(index_map)
    wholes = [rewrite.whole for rewrite in found.rewrites]
    assert wholes[-1] == found.map.results[0]
    for whole in wholes:
        assert isinstance(whole, Expression)
        assert simplify(IndexMap((whole,), index_map.dimensions)).results == found.map.results
    assert {rewrite.where for rewrite in found.rewrites} == {"result 0"}
    assert print_rewrite(found.rewrites[0]) == (
        "(d0 * 100 + d1 * 10 + d2) mod 100",
        "(d1 * 10 + d2) mod 100",
    )


def test_steps_of_constraints_and_runtime_maps_are_named() -> None:
    text = (
        "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 8], rt0 in [0, 6], d0 / 2 in [1, 9]\n"
        "runtime variables:\n\nrt0: operand 1; (d0) -> (d0 mod 9), domain: d0 in [0, 8]"
    )
    found = simplification(parse_map(text))
    places = [rewrite.where for rewrite in found.rewrites]
    assert places[0] == "constraint 0"
    assert places[-1] == "the map of rt0: result 0"
    assert print_rewrite(found.rewrites[0]) == ("d0 / 2 in [1, 9]", "d0 in [2, 19]")
    assert found.map.runtimes[0].map.results == (Dim(0),)


READ_ONCE = "\nruntime variables:\n\nrt0: operand 1; (d0) -> (), domain: d0 in [0, 8]"


@pytest.mark.parametrize(
    ("text", "step"),
    [
        (
            "(d0){rt0} -> (), domain: d0 in [0, 8], rt0 in [0, 6], max(rt0, rt0 ceildiv 2) in [0, 0]"
            + READ_ONCE,
            ("constraints on one expression", ("rt0 in [0, 0]", "")),
        ),
        (
            "(d0)[s0] -> (), domain: d0 in [0, 8], s0 in [0, 9], d0 + s0 in [4, 6], d0 + s0 + 1 in [0, 9]",
            ("constraints on one expression", ("d0 + s0 in [0, 8]", "")),
        ),
        (
            "(d0)[s0] -> (), domain: d0 in [0, 8], s0 in [0, 9], d0 + s0 in [0, 9], d0 + s0 + 1 in [5, 7]",
            ("constraints on one expression", ("d0 + s0 in [0, 9]", "d0 + s0 in [4, 6]")),
        ),
        (
            "(d0)[s0] -> (), domain: d0 in [0, 8], s0 in [0, 9], (d0 + s0) mod 2 in [1, 1], (d0 + s0) mod 4 in [3, 3]",
            ("remainders merged", ("(d0 + s0) mod 2 in [1, 1]", "(d0 + s0) mod 4 in [3, 3]")),
        ),
        (
            "(d0)[s0] -> (), domain: d0 in [0, 8], s0 in [0, 9], (d0 + s0) mod 4 in [3, 3], (d0 + s0) mod 2 in [1, 1]",
            ("remainders merged", ("(d0 + s0) mod 2 in [1, 1]", "")),
        ),
    ],
)
def test_constraints_that_meet_are_steps_that_change_something(
    text: str, step: tuple[str, tuple[str, str]]
) -> None:
    """The weaker of two constraints is rewritten or dropped, in either order."""
    found = simplification(parse_map(text))
    assert step in [(rewrite.rule.name, print_rewrite(rewrite)) for rewrite in found.rewrites]
    assert all(rewrite.before != rewrite.after for rewrite in found.rewrites)


def test_special_maps_stay() -> None:
    empty = IndexMap.identity((2, 0))
    assert simplify(ix.UNDEFINED) is ix.UNDEFINED
    assert simplify(empty) is empty
    assert not simplification(empty).rewrites
    identity = IndexMap.identity((2, 3))
    assert simplify(identity) is identity


def test_points_can_be_kept() -> None:
    index_map = IndexMap.of((Dim(0), Dim(0) + Dim(1), Range(0)), (1, 4), (1,))
    assert simplify(index_map).results == (ix.Constant(0), Dim(1), ix.Constant(0))
    kept = assert_simplifies_equal(index_map, keep_points=True)
    assert kept.results == (Dim(0), Dim(0) + Dim(1), ix.Constant(0))


def test_a_clamped_runtime_variable_keeps_its_interval() -> None:
    """Its interval states the clamping; a constraint on it is kept separately."""
    text = (
        "(d0){rt0} -> (rt0 / 4), domain: d0 in [0, 8], rt0 in [0, 6], rt0 / 2 in [2, 9], rt0 mod 2 in [0, 0]\n"
        "runtime variables:\n\nrt0: operand 1; (d0) -> (), domain: d0 in [0, 8]"
    )
    found = assert_simplifies_equal(parse_map(text))
    assert found.runtimes[0].interval == Interval(0, 6)
    assert dict(found.constraints) == {Runtime(0): Interval(4, 6), Runtime(0) % 2: Interval(0, 0)}
    assert found.results == (ix.Constant(1),)


def test_unbounded_variables_are_not_taken_for_points() -> None:
    everything = IndexMap((Dim(0) // 2**40, Dim(0) % 7, Dim(0) // 2**63), (ix.EVERYTHING,))
    assert simplify(everything) == everything
    beyond = IndexMap((Dim(0) - 5,), (Interval(ix.INT64_MAX, ix.INT64_MAX),))
    assert simplify(beyond) == beyond


@pytest.mark.more
@FEW
@given(maps(results=4))
def test_simplified_maps_are_equal(index_map: IndexMap) -> None:
    check_results(index_map)


@pytest.mark.long
@MANY
@given(maps(results=4))
def test_many_simplified_maps_are_equal(index_map: IndexMap) -> None:
    check_results(index_map)


def check_results(index_map: IndexMap) -> None:
    """isl proves the domain and all four results equal, for all values of the variables."""
    for result in index_map.results:
        assert_simplifies_equal(_with_results(index_map, (result,)))


def _with_results(index_map: IndexMap, results: tuple[Expression, ...]) -> IndexMap:
    if index_map.is_known_empty:
        return index_map
    return IndexMap(
        results, index_map.dimensions, index_map.ranges, index_map.runtimes, index_map.constraints
    )


@given(maps(results=3), st.booleans())
def test_maps_are_equal_as_a_whole(index_map: IndexMap, keep_points: bool) -> None:
    found = assert_simplifies_equal(index_map, keep_points=keep_points)
    for rewrite in simplification(index_map, keep_points=keep_points).rewrites:
        assert rewrite.before != rewrite.after
    assert found == simplify(_with_results(found, found.results), keep_points=keep_points)


@given(expressions, intervals, intervals, intervals, intervals, st.integers(-6, 6), st.integers(0, 9))
def test_ranges_are_sound(
    expression: Expression, d0: Interval, d1: Interval, s0: Interval, rt0: Interval, lower: int, width: int
) -> None:
    """At every point of the domain the value is in its interval, before and after simplification."""
    bounds = {Dim(0): d0, Dim(1): d1, Range(0): s0, Runtime(0): rt0}
    places: dict[Expression, Expression] = {Range(0): Dim(2), Runtime(0): Dim(3)}
    key = Dim(0) + Dim(1)
    reach = interval_of(key, bounds)
    known = Interval(reach.lower + lower, reach.lower + lower + width)
    alone = IndexMap((ix.substitute(expression, places), key), (d0, d1, s0, rt0))
    values, _ = ix.evaluate(alone, points_of(alone))
    inside = (values[:, 1] >= known.lower) & (values[:, 1] <= known.upper)
    rewriter = Rewriter(Intervals(bounds), Facts([(key, known)]))
    try:
        found = rewriter.range_of(expression), rewriter.range_of(rewriter.simplify(expression))
    except Infeasible:
        assert not inside.any()
        return
    if inside.any():
        reached = Interval(int(values[inside, 0].min()), int(values[inside, 0].max()))
        assert all(interval.covers(reached) for interval in found)


@given(maps(results=1))
def test_construction_loses_no_point(index_map: IndexMap) -> None:
    """Construction preserves the domain, compared with its constraints evaluated one by one."""
    if index_map.is_known_empty or not index_map.constraints:
        return
    plain = IndexMap(
        tuple(expression for expression, _ in index_map.constraints),
        index_map.dimensions,
        index_map.ranges,
        index_map.runtimes,
    )
    flat, whole = symbols_to_dimensions(plain), symbols_to_dimensions(simplify(index_map))
    points = points_of(flat)
    values, inside = ix.evaluate(flat, points)
    for column, (_, interval) in zip(values.T, index_map.constraints, strict=True):
        inside &= (column >= interval.lower) & (column <= interval.upper)
    np.testing.assert_array_equal(ix.evaluate(whole, points)[1], inside)


def test_long_products_are_left_alone() -> None:
    product = parse_expression("*".join(f"({' + '.join(f'd{k}' for k in range(6))})" for _ in range(12)))
    index_map = IndexMap.of((product,), (3,) * 6)
    assert simplify(index_map).results
