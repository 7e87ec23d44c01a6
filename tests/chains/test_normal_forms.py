"""Normal forms preserve the maps."""

from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
from hypothesis import given, note, settings
from hypothesis import strategies as st

from hloscope.engine.chains.joins import join_adjoining
from hloscope.engine.chains.leaves import Leaf
from hloscope.engine.chains.normal_forms import normalize, order_ranges
from hloscope.engine.chains.unions import Link, enclosure
from hloscope.engine.indexing import (
    Constant,
    Dim,
    Expression,
    IndexMap,
    Interval,
    Range,
    Runtime,
    RuntimeVariable,
    print_map,
)
from hloscope.engine.indexing.evaluation.bound_map import BoundMap

from ..indexing.map_parser import parse_map

SHAPE = (3, 4)
READ = (2, 3)
"""The shape of the tensors that runtime variables are read from."""
Pairs = set[tuple[tuple[int, ...], tuple[int, ...]]]


@st.composite
def terms(draw: st.DrawFn, variables: list[Expression]) -> Expression:
    """A sum of some variables, or a quotient or remainder of one."""
    found: Expression = Constant(draw(st.integers(-3, 3)))
    for variable in draw(st.lists(st.sampled_from(variables), max_size=3, unique=True)):
        found = found + variable * draw(st.sampled_from([1, 1, -1, 2]))
    kind = draw(st.sampled_from(["sum", "sum", "sum", "floordiv", "mod"]))
    return found // 2 if kind == "floordiv" else found % 3 if kind == "mod" else found


@st.composite
def maps(draw: st.DrawFn) -> IndexMap:
    """Maps with bounding, determined and unused ranges, and with runtime variables."""
    ranges = draw(st.lists(st.integers(1, 3), max_size=3))
    places: list[Expression] = [Dim(0), Dim(1), *map(Range, range(len(ranges)))]
    runtimes = [
        RuntimeVariable(
            Interval(0, draw(st.integers(0, 3))),
            draw(st.integers(0, 1)),
            IndexMap.of([draw(terms(places)) % size for size in READ], SHAPE, ranges),
            clamped=draw(st.booleans()),
        )
        for _ in range(draw(st.integers(0, 2)))
    ]
    everything = [*places, *map(Runtime, range(len(runtimes)))]
    results = draw(st.lists(terms(everything), min_size=1, max_size=2))
    ends = st.integers(-2, 4)
    # Often constraints that bound or determine a range.
    bounding = [
        Dim(0) * draw(st.integers(0, 2)) + sign * Range(k) for k in range(len(ranges)) for sign in (1, -1)
    ]
    stated = st.one_of(terms(everything), st.sampled_from(bounding)) if bounding else terms(everything)
    constraints = [
        (draw(stated), Interval(low, low + draw(st.sampled_from([0, 0, 1, 3]))))
        for low in draw(st.lists(ends, max_size=3))
    ]
    return IndexMap.of(results, SHAPE, ranges, runtimes, constraints)


def pairs(index_map: IndexMap, values: list[np.ndarray[tuple[int, ...], np.dtype[np.int64]]]) -> Pairs:
    bound = BoundMap(index_map, tuple(values))
    found: Pairs = set()
    for index in product(*map(range, SHAPE)):
        read = bound.elements(index)
        assert read.complete
        found |= {(index, tuple(element)) for element in read.indices.tolist()}
    return found


@given(maps(), st.integers(0, 1 << 30))
@settings(max_examples=200, deadline=None)
def test_tidied_maps_relate_the_same_pairs(index_map: IndexMap, seed: int) -> None:
    note(print_map(index_map))
    random = np.random.default_rng(seed)
    values = [random.integers(-2, 6, READ) for _ in range(2)]
    wanted = pairs(index_map, values)
    tidied = normalize(index_map)
    note(print_map(tidied))
    assert pairs(tidied, values) == wanted
    assert pairs(order_ranges(index_map), values) == wanted
    assert normalize(tidied) == tidied


@given(st.lists(maps(), min_size=1, max_size=3), st.integers(0, 1 << 30))
@settings(max_examples=50, deadline=None)
def test_an_enclosure_holds_the_union(found: list[IndexMap], seed: int) -> None:
    known = [each for each in found if not each.is_known_empty and len(each.results) == len(found[0].results)]
    if not known:
        return
    values = [np.random.default_rng(seed).integers(-2, 6, READ) for _ in range(2)]
    whole = pairs(enclosure(known), values)
    assert all(pairs(each, values) <= whole for each in known)


def test_ranges_that_others_determine_or_that_only_bound_are_gone() -> None:
    one = IndexMap.of([Range(0) + 1], (5,), [9], constraints=[(Dim(0) * 2 - Range(0), Interval(1, 1))])
    assert print_map(normalize(one)) == "(d0) -> (d0 * 2), domain: d0 in [1, 4]"
    other = IndexMap.of([Dim(0)], (9,), [3], constraints=[(Dim(0) - Range(0), Interval(1, 2))])
    assert print_map(normalize(other)) == "(d0) -> (d0), domain: d0 in [1, 4]"


def test_one_variable_for_what_is_read_twice() -> None:
    read = RuntimeVariable(Interval(0, 3), 0, IndexMap.scalar((5,)))
    twice = IndexMap.of([Runtime(0) + Runtime(1), Dim(0)], (5,), (), [read, read])
    assert print_map(normalize(twice)).startswith("(d0){rt0} -> (rt0 * 2, d0)")


@given(st.lists(maps(), min_size=2, max_size=4), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_fewer_maps_say_the_same(found: list[IndexMap], random: Random) -> None:
    """The maps include some that were cut in two along a dimension."""
    plain = [each for each in found if not each.runtimes and len(each.results) == 1]
    pieces = []
    for each in plain:
        at = random.randint(0, SHAPE[1])
        for low, high in ((0, at - 1), (at, SHAPE[1] - 1)):
            dimensions = (each.dimensions[0], each.dimensions[1].intersect(Interval(low, high)))
            pieces.append(Link(Leaf(0), normalize(replace(each, dimensions=dimensions))))
    links = [link for link in pieces if not link.map.is_known_empty]
    fewer = join_adjoining(links)
    said = [set().union(*(pairs(link.map, []) for link in each)) for each in (links, fewer)]
    assert said[0] == said[1]
    assert len(fewer) <= len(links)


def test_what_an_iteration_reads_and_what_those_before_it_read_is_one() -> None:
    texts = [
        "(d0) -> (d0), domain: d0 in [0, 7]",
        "(d0)[s0] -> (s0 - 1), domain: d0 in [0, 7], s0 in [1, 8], d0 - s0 in [0, 6]",
    ]
    (link,) = join_adjoining([Link(Leaf(0), normalize(parse_map(text))) for text in texts])
    assert print_map(link.map) == "(d0)[s0] -> (s0), domain: d0 in [0, 7], s0 in [0, 7], -s0 + d0 in [0, 7]"


def test_boxes_side_by_side_are_one() -> None:
    texts = [
        "(d0)[s0] -> (d0, s0), domain: d0 in [0, 2], s0 in [0, 3]",
        "(d0)[s0] -> (d0, s0 + 4), domain: d0 in [0, 2], s0 in [0, 3]",
        "(d0)[s0] -> (d0, s0 + 9), domain: d0 in [0, 2], s0 in [0, 3]",
    ]
    found = join_adjoining([Link(Leaf(0), normalize(parse_map(text))) for text in texts])
    assert [link.map.ranges for link in found] == [(Interval(0, 7),), (Interval(9, 12),)]
