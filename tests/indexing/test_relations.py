"""isl's results against brute force on small maps, and its limits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import islpy as isl
import numpy as np
from hypothesis import given, settings

from hloscope.engine.indexing import (
    Dim,
    IndexMap,
    Interval,
    ScatterIndexing,
    box,
    dot_general_maps,
    dynamic_update_slice_maps,
    slice_maps,
    transpose_maps,
)
from hloscope.engine.indexing.evaluation.factors import bind_cases, deciding_variables, factors_of
from hloscope.engine.indexing.relations.relation import Region, box_set, count_of, relation

from .oracles import GatherCase, Index, pairs_of
from .strategies import gathers, small_maps

FEW = settings(max_examples=60, deadline=None)


def indices_of(region: Region) -> set[Index]:
    found = product(*(range(side.lower, side.upper + 1) for side in region.box))
    return {index for index in found if holds(region, index)}


def holds(region: Region, index: Index) -> bool:
    point = isl.Set.read_from_str(region.set.get_ctx(), f"{{ [{', '.join(map(str, index))}] }}")
    return bool(point.is_subset(region.set))


@FEW
@given(small_maps(), small_maps())
def test_images_preimages_and_intersections(left: IndexMap, right: IndexMap) -> None:
    first, second = relation(left), relation(right)
    pairs, others = pairs_of(left), pairs_of(right)
    image, preimage = first.image(), first.preimage()
    assert image.exact
    assert indices_of(image) == {there for _, there in pairs}
    assert indices_of(preimage) == {here for here, _ in pairs}
    assert image.count.value == len({there for _, there in pairs})
    other = second.image()
    elements, theirs = ({there for _, there in each} for each in (pairs, others))
    assert indices_of(image.intersection(other)) == elements & theirs


@FEW
@given(small_maps())
def test_what_kind_of_map_it_is(index_map: IndexMap) -> None:
    pairs = pairs_of(index_map)
    indices, elements = {here for here, _ in pairs}, {there for _, there in pairs}
    found = relation(index_map)
    assert found.is_single_valued == (len(pairs) == len(indices))
    assert found.is_injective == (len(pairs) == len(elements))


# Runtime variables.


def test_the_hole_of_dynamic_update_slice() -> None:
    """Its position depends on the run, its size does not."""
    pieces = [item.map for item in dynamic_update_slice_maps((64, 32), (8, 4)) if item.operand == 0]
    kept = relation(pieces)
    image = kept.image()
    assert count_of(image.set, box_set(box((64, 32)), kept.pairs)) == 64 * 32 - 8 * 4
    assert image.count.value is None  # isl cannot decide it without the value
    placed = relation(pieces, (None, None, np.array(60), np.array(-3)))
    assert placed.image().count.value == 64 * 32 - 8 * 4
    hole = set(product(range(56, 64), range(4)))
    assert indices_of(placed.image()) == set(np.ndindex(64, 32)) - hole


def test_the_size_of_a_box_whose_place_follows_the_run() -> None:
    (update,) = (item.map for item in dynamic_update_slice_maps((64, 32), (8, 4)) if item.operand == 1)
    found = relation(update)
    assert found.preimage().count.value == 32
    assert found.image().count.value == 32
    assert found.is_injective is True


@FEW
@given(gathers())
def test_runtime_values_of_a_run(case: GatherCase) -> None:
    gather = case.gather
    read = next(item.map for item in gather.index_maps() if item.operand == 0)
    operands = (None, case.indices)
    pairs = pairs_of(read, operands)
    assert relation(read).image().exact == (not any(deciding_variables(v) for v in read.runtimes))
    found = relation(read, operands).image()
    assert indices_of(found) == {there for _, there in pairs}
    bound = bind_cases(read, operands, 1000)
    assert bound is not None
    assert set().union(*map(pairs_of, bound)) == pairs


def test_a_dropped_start_relates_nothing() -> None:
    scatter = ScatterIndexing((5,), (3, 1), (3,), (), (0,), (), (), (0,), 1)
    update = next(item.map for item in scatter.inverse_index_maps() if item.operand == 2)
    operands = (None, np.array([[1], [7], [1]]), None)
    assert relation(update, operands).image().count.value == 1
    assert relation(update, operands).preimage().count.value == 2


# Limits.


def test_beyond_the_limit_the_answer_is_the_box_around_it() -> None:
    (read,) = (item.map for item in slice_maps((40, 40), (3, 4), (40, 39), (3, 2)))
    for operations in (1, 10, 100):
        found = relation(read, max_operations=operations)
        image = found.image()
        assert image.box == (Interval(3, 39), Interval(4, 38))
        assert not image.exact
        assert (image.count.least, image.count.most) == (0, 37 * 35)
        assert found.is_injective is None
        assert image.intersection(image).exact is False
    assert relation(read).image().count.value == 13 * 18


def test_products_of_variables_are_beyond_isl() -> None:
    hard = IndexMap.of([Dim(0) * Dim(1)], (4, 5))
    found = relation(hard)
    assert not found.exact
    assert found.image().box == (Interval(0, 12),)
    assert found.preimage().box == (Interval(0, 3), Interval(0, 4))


# Factors.


@FEW
@given(small_maps())
def test_factors_multiply_to_the_whole(index_map: IndexMap) -> None:
    if index_map.is_known_empty:
        return
    found: list[tuple[dict[int, int], dict[int, int]]] = [({}, {})]
    for factor in factors_of(index_map):
        dims, results = factor.table()
        rows = [
            (dict(zip(factor.dimensions, d, strict=True)), dict(zip(factor.results, r, strict=True)))
            for d, r in zip(dims.tolist(), results.tolist(), strict=True)
        ]
        found = [(a | c, b | d) for a, b in found for c, d in rows]
    assert {(in_order(here), in_order(there)) for here, there in found} == pairs_of(index_map)


def in_order(index: dict[int, int]) -> Sequence[int]:
    return tuple(index[k] for k in sorted(index))


def test_factors_share_no_variable() -> None:
    (read,) = (item.map for item in transpose_maps((3, 4, 5), (2, 0, 1)))
    assert [factor.results for factor in factors_of(read)] == [(2,), (0,), (1,)]
    lhs, _ = (item.map for item in dot_general_maps((3, 4), (4, 5), [], [], [1], [0]))
    assert [(f.results, f.dimensions, f.ranges) for f in factors_of(lhs)] == [
        ((0,), (0,), ()),
        ((), (1,), ()),
        ((1,), (), (0,)),
    ]
