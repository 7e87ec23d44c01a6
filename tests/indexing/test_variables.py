"""Removing and converting variables, and substituting known runtime variables."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine import indexing as ix
from hloscope.engine.indexing import (
    Constant,
    Dim,
    Expression,
    IndexMap,
    Interval,
    Range,
    ReadValue,
    Runtime,
    RuntimeVariable,
    compose,
    fold_runtimes,
    print_map,
    ranges_to_dimensions,
    remove_unused_symbols,
    simplify,
)
from hloscope.engine.indexing.evaluation.bound_map import IntArray
from hloscope.engine.indexing.relations.isl_maps import SetTooHard

from .map_parser import parse_map
from .maps import maps
from .oracles import pairs_of
from .proofs import assert_simplifies_equal, is_equal, symbols_to_dimensions

d0, d1, d2 = ix.dims(3)
LINE = "\nruntime variables:\n\nrt0: operand 1; (d0) -> (), domain: d0 in [0, 9]"


def removed(text: str) -> str:
    return print_map(remove_unused_symbols(parse_map(text)))


def test_symbols_that_nothing_depends_on_go() -> None:
    assert removed("(d0)[s0, s1] -> (s1), domain: d0 in [0, 9], s0 in [0, 3], s1 in [0, 4]") == (
        "(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 4]"
    )
    assert removed("(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 3], s0 mod 2 in [0, 0]") == (
        "(d0) -> (d0), domain: d0 in [0, 9]"
    )
    assert removed("(d0){rt0} -> (d0), domain: d0 in [0, 9], rt0 in [0, 3]" + LINE) == (
        "(d0) -> (d0), domain: d0 in [0, 9]"
    )


def test_symbols_that_something_depends_on_stay() -> None:
    mixed = "(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 3], d0 + s0 in [2, 4]"
    assert removed(mixed) == mixed
    limited = "(d0){rt0} -> (d0), domain: d0 in [0, 9], rt0 in [0, 3], rt0 mod 2 in [0, 0]" + LINE
    assert removed(limited) == limited
    inside = ("(d0){rt0} -> (d0), domain: d0 in [0, 9], rt0 in [0, 3]" + LINE).replace(
        "1;", "1 (not clamped);"
    )
    assert removed(inside) == inside
    place = (
        "(d0)[s0]{rt0} -> (d0 + rt0), domain: d0 in [0, 9], s0 in [0, 3], rt0 in [0, 3]"
        "\nruntime variables:\n\nrt0: operand 1; (d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 3]"
    )
    assert removed(place) == place


def test_symbols_whose_constraints_cannot_all_hold_stay() -> None:
    """XLA drops them with their constraints, which makes an empty map non-empty."""
    text = "(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 9], s0 mod 4 in [0, 1], s0 mod 2 + (s0 / 2) mod 2 in [2, 2]"
    assert remove_unused_symbols(parse_map(text)) == parse_map(text)


@given(maps(results=1))
def test_removal_changes_no_pair(index_map: IndexMap) -> None:
    found = remove_unused_symbols(index_map)
    assert found.dimensions == index_map.dimensions
    assert remove_unused_symbols(found) == found
    with suppress(SetTooHard):
        assert is_equal([_without_parameters(found)], [_without_parameters(index_map)])
    assert found.runtimes or index_map.is_known_empty or index_map.runtimes[0].clamped


def _without_parameters(index_map: IndexMap) -> IndexMap:
    """Runtime variables as range variables: isl would compare parameters of the same name."""
    count = len(index_map.ranges)
    results, constraints = index_map.substitute(
        {Runtime(k): Range(count + k) for k in range(len(index_map.runtimes))}
    )
    ranges = (*index_map.ranges, *(variable.interval for variable in index_map.runtimes))
    return IndexMap(results, index_map.dimensions, ranges, (), constraints, index_map.kind)


def test_symbols_as_dimensions() -> None:
    text = "(d0)[s0, s1]{rt0} -> (d0 + s0 + rt0, s1), domain: d0 in [0, 9], s0 in [0, 3], s1 in [0, 4], rt0 in [0, 5]"
    index_map = parse_map(text + "\nruntime variables:\n\nrt0: operand 1; (d0)[s0, s1] -> (s1), domain: d0 in [0, 9], "
                                 "s0 in [0, 3], s1 in [0, 4]")  # fmt: skip
    assert print_map(symbols_to_dimensions(index_map)) == (
        "(d0, d1, d2, d3) -> (d0 + d1 + d3, d2), domain: d0 in [0, 9], d1 in [0, 3], d2 in [0, 4], d3 in [0, 5]"
    )
    assert print_map(ranges_to_dimensions(index_map, [1])).splitlines() == [
        "(d0, d1)[s0]{rt0} -> (d0 + s0 + rt0, d1), domain: d0 in [0, 9], d1 in [0, 4], s0 in [0, 3], rt0 in [0, 5]",
        "runtime variables:",
        "",
        "rt0: operand 1; (d0, d1)[s0] -> (d1), domain: d0 in [0, 9], d1 in [0, 4], s0 in [0, 3]",
    ]


def test_special_maps_go_through() -> None:
    empty = IndexMap.of((d0, Range(0)), (0, 2), (3,))
    for change in (
        *(remove_unused_symbols, symbols_to_dimensions),
        *(lambda found: ranges_to_dimensions(found, range(len(found.ranges))), simplify),
        lambda found: fold_runtimes(found, lambda _: Constant(0)),
    ):
        assert change(ix.UNDEFINED) is ix.UNDEFINED
        found = change(empty)
        assert found.is_known_empty
        assert len(found.results) == 2
    never = IndexMap((), (), kind=ix.Kind.KNOWN_EMPTY)
    assert compose(IndexMap.scalar((2,)), never).is_known_empty
    assert compose(empty, IndexMap.identity((4, 4))).is_known_empty
    assert compose(empty, ix.UNDEFINED).is_undefined


def test_runtime_variables_are_those_of_the_producer_first() -> None:
    """Each keeps its interval and operand; XLA lists them in the opposite order."""
    consumer, *_ = ix.dynamic_slice_maps((150,), (50,))
    producer, *_ = ix.dynamic_slice_maps((200,), (150,))
    both = compose(consumer.map, producer.map.with_operands({1: 9}))
    assert [(v.operand, v.interval) for v in both.runtimes] == [(9, Interval(0, 50)), (1, Interval(0, 100))]
    assert both.results == (d0 + Runtime(1) + Runtime(0),)


def test_a_runtime_variable_read_at_another() -> None:
    """After a map with range and runtime variables, nested maps are renumbered as well."""
    rows = RuntimeVariable(Interval(0, 5), 4, IndexMap.of((Range(0),), (6,), (3,)))
    read = RuntimeVariable(Interval(0, 9), 5, IndexMap.of((Runtime(0),), (6,), (3,), (rows,)))
    first = IndexMap.of((d0, Runtime(0)), (6,), (3,), (read,))
    both = compose(first, IndexMap.of((d0 + Range(0), d1), (6, 10), (2,)))
    operands: list[IntArray | None] = [None] * 4 + [np.array([4, 0, 2]), np.array([7, 1, 9, 3, 5, 0])]
    expected = {
        ((i,), (i + k, int([7, 1, 9, 3, 5, 0][[4, 0, 2][s]])))
        for i in range(6)
        for k in range(2)
        for s in range(3)
    }
    assert pairs_of(both, operands) == expected


ROWS, WIDTH = 33, 7


def gathered(clamped: bool) -> IndexMap:
    variable = RuntimeVariable(Interval(0, ROWS - 1), 1, IndexMap.of((d0, Constant(1)), (20, WIDTH)), clamped)
    return IndexMap.of((Runtime(0), d1), (20, WIDTH), (), (variable,))


def test_folding_of_an_iota_is_clamped() -> None:
    """XLA does not clamp here and reads rows that do not exist."""
    found = simplify(fold_runtimes(gathered(clamped=True), lambda _: Dim(0) * 2))
    assert print_map(found) == "(d0, d1) -> (min(d0 * 2, 32), d1), domain: d0 in [0, 19], d1 in [0, 6]"
    dropped = simplify(fold_runtimes(gathered(clamped=False), lambda _: Dim(0) * 2))
    assert print_map(dropped) == "(d0, d1) -> (d0 * 2, d1), domain: d0 in [0, 16], d1 in [0, 6]"
    literal = simplify(fold_runtimes(gathered(clamped=True), lambda _: Constant(99)))
    assert literal.results == (Constant(32), d1)
    assert fold_runtimes(gathered(clamped=True), lambda _: None) == gathered(clamped=True)


@given(st.booleans(), st.integers(-3, 3), st.integers(-40, 40), st.booleans(), st.integers(0, 2**32 - 1))
def test_folding_reads_what_the_run_reads(
    clamped: bool, scale: int, shift: int, behind: bool, seed: int
) -> None:
    """The indices are scale * p + shift of an operand p, or of an iota along their first dimension."""
    index_map = gathered(clamped)
    p = np.random.default_rng(seed).integers(-9, 40, (20, 2))
    iota = np.arange(20)[:, np.newaxis].repeat(2, axis=1)
    indices = (p if behind else iota) * scale + shift
    read = RuntimeVariable(ix.EVERYTHING, 2, IndexMap.identity((20, 2)))
    value: Expression | ReadValue = Dim(0) * scale + shift
    if behind:
        value = ReadValue(Runtime(0) * scale + shift, (read,))
    folded = fold_runtimes(index_map, lambda _: value)
    assert len(folded.runtimes) == behind
    expected = pairs_of(index_map, [None, indices])
    assert pairs_of(folded, [None, None, p]) == expected
    assert pairs_of(simplify(folded), [None, None, p]) == expected
    assert_simplifies_equal(folded)


def test_folding_inside_the_map_of_a_runtime_variable() -> None:
    inner = RuntimeVariable(Interval(0, 5), 3, IndexMap.of((d0,), (20, WIDTH)))
    outer = RuntimeVariable(
        Interval(0, 32), 1, IndexMap.of((Runtime(0), Constant(0)), (20, WIDTH), (), (inner,))
    )
    whole = IndexMap.of((Runtime(0), d1), (20, WIDTH), (), (outer,))
    found = simplify(fold_runtimes(whole, lambda variable: Dim(0) if variable.operand == 3 else None))
    assert found.runtimes[0].map == IndexMap.of((ix.minimum(d0, 5), Constant(0)), (20, WIDTH))
    through = fold_runtimes(whole, lambda variable: Dim(0) + 1 if variable.operand == 1 else None)
    assert [variable.operand for variable in through.runtimes] == [3]
    assert simplify(through).results == (Runtime(0) + 1, d1)
