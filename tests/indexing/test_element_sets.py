"""Element sets in every form equal sets of indices; images equal enumeration."""

from __future__ import annotations

from itertools import pairwise
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.indexing import (
    UNDEFINED,
    IndexMap,
    Interval,
    Range,
    dims,
    pad_maps,
    reduce_maps,
    reshape_maps,
    transpose_maps,
)
from hloscope.engine.indexing.elements.boxes import MAX_BOXES
from hloscope.engine.indexing.elements.element_sets import ElementSet, union_of
from hloscope.engine.indexing.elements.images import OutOfWork, Work, image
from hloscope.engine.indexing.elements.progressions import (
    TooManyParts,
    clip,
    combine,
    intersect,
    join,
    progression,
    subtract,
)
from hloscope.engine.indexing.evaluation.bound_map import BoundMap, IntArray

from .oracles import GatherCase
from .strategies import expressions, gathers

Indices = set[tuple[int, ...]]


@st.composite
def progressions(draw: st.DrawFn, size: int = 20) -> range:
    step = draw(st.integers(1, 5))
    first = draw(st.integers(0, size - 1))
    return progression(first, draw(st.integers(1, (size - 1 - first) // step + 1)), step)


@st.composite
def element_sets(draw: st.DrawFn, shape: tuple[int, ...]) -> ElementSet:
    if 0 in shape or draw(st.booleans()):
        mask = draw(st.lists(st.booleans(), min_size=prod(shape), max_size=prod(shape)))
        return ElementSet.of_mask(shape, np.array(mask, bool))
    boxes = st.tuples(*(progressions(size) for size in shape))
    return ElementSet.of_boxes(shape, draw(st.lists(boxes, max_size=3)))


shapes = st.sampled_from([(), (7,), (24,), (4, 6), (2, 3, 4), (3, 1, 2, 2), (0, 3), (5, 5)])
pairs = shapes.flatmap(lambda shape: st.tuples(element_sets(shape), element_sets(shape)))


def indices(found: ElementSet) -> Indices:
    listed = list(found)
    assert len(listed) == found.count == len(set(listed))
    assert listed == sorted(listed)
    assert all(index in found for index in listed)
    return set(listed)


@given(progressions(), progressions())
def test_progressions_are_sets_of_numbers(left: range, right: range) -> None:
    both = intersect(left, right)
    assert set(both) == set(left) & set(right)
    if both:
        try:
            assert sorted(n for part in subtract(left, both) for n in part) == sorted(set(left) - set(right))
        except TooManyParts:
            assert both.step > 8 * left.step
    together = None if both else join(left, right)
    assert together is None or set(together) == set(left) | set(right)


@given(progressions(), st.integers(-5, 25), st.integers(-5, 25))
def test_progressions_within_an_interval(numbers: range, lower: int, upper: int) -> None:
    assert list(clip(numbers, Interval(lower, upper))) == [n for n in numbers if lower <= n <= upper]


@given(
    st.lists(st.tuples(progressions(6), st.sampled_from([-6, -2, -1, 1, 2, 6, 7])), max_size=3),
    st.integers(-3, 3),
)
def test_sums_of_progressions(terms: list[tuple[range, int]], constant: int) -> None:
    sums = {constant}
    for numbers, factor in terms:
        sums = {known + factor * n for known in sums for n in numbers}
    found = combine(terms, constant)
    assert found is None or sorted(sums) == list(found)
    if len(terms) == 1:
        assert found is not None


@given(pairs)
def test_sets_of_elements_are_sets(pair: tuple[ElementSet, ElementSet]) -> None:
    left, right = pair
    a, b = indices(left), indices(right)
    assert indices(left.union(right)) == a | b == indices(union_of([left, right, left]))
    assert indices(left.intersection(right)) == a & b
    assert indices(left.difference(right)) == a - b
    assert left.issubset(right) == (a <= b)
    assert (left == right) == (a == b)
    assert bool(left) == bool(a)
    assert left.is_full == (len(a) == prod(left.shape))
    assert np.count_nonzero(left.to_mask()) == len(a)


@given(pairs, st.data())
def test_another_shape_has_the_same_positions(
    pair: tuple[ElementSet, ElementSet], data: st.DataObject
) -> None:
    left, _ = pair
    size = prod(left.shape)
    divisor = data.draw(st.sampled_from([d for d in range(1, 25) if size % d == 0]))
    rest = size // divisor
    for shape in ((size,), (divisor, rest), (rest, 1, divisor), (1, size)):
        found = left.reshape(shape)
        assert found.shape == shape
        assert np.array_equal(found.to_positions(), left.to_positions())
        assert found.reshape(left.shape) == left


@given(pairs)
def test_runs_are_neighbouring_positions(pair: tuple[ElementSet, ElementSet]) -> None:
    runs, complete = pair[0].runs(1000)
    assert complete
    assert [n for first, length in runs for n in range(first, first + length)] == pair[
        0
    ].to_positions().tolist()
    assert all(a + length < b for (a, length), (b, _) in pairwise(runs))
    assert pair[0].runs(0) == ([], not pair[0])


def test_many_boxes_become_something_else_and_one_box_is_found_again() -> None:
    shape = (100, 100)
    diagonal = ElementSet.of_boxes(shape, [(range(k, k + 1), range(k, k + 1)) for k in range(100)])
    assert diagonal.count == 100
    assert diagonal.boxes is None
    assert (
        len(ElementSet.of_boxes(shape, [(range(k, k + 1), range(k, k + 1)) for k in range(9)]).boxes or ())
        == 9
    )
    assert MAX_BOXES < 100
    rows = union_of([ElementSet.of_boxes(shape, [(range(k, k + 1), range(100))]) for k in range(100)])
    assert rows.boxes == ((range(100), range(100)),)


# Images


def enumerated(
    index_map: IndexMap, given: ElementSet, shape: tuple[int, ...], operands: list[IntArray | None]
) -> Indices:
    found = BoundMap(index_map, tuple(operands)).elements(given.to_indices())
    assert found.complete
    return {
        index
        for index in map(tuple, found.indices.tolist())
        if all(0 <= i < n for i, n in zip(index, shape, strict=True))
    }


@settings(max_examples=300, deadline=None)
@given(
    st.lists(expressions, min_size=1, max_size=3),
    st.lists(st.tuples(expressions, st.integers(-6, 6), st.integers(0, 9)), max_size=2),
    element_sets((4, 5)),
)
def test_the_image_is_what_enumeration_finds(results: list, constraints: list, given_set: ElementSet) -> None:  # type: ignore[type-arg]
    limits = [(expression, Interval(low, low + width)) for expression, low, width in constraints]
    index_map = IndexMap.of(results, (4, 5), [3], constraints=limits)
    shape = (9,) * len(results)
    found = image(BoundMap(index_map, ()), given_set, shape)
    assert found.shape == shape
    assert indices(found) == enumerated(index_map, given_set, shape, [])


@settings(max_examples=100, deadline=None)
@given(gathers(), st.data())
def test_the_image_under_a_gather_reads_real_indices(case: GatherCase, data: st.DataObject) -> None:
    operands: list[IntArray | None] = [None, case.indices]
    shape = tuple(case.gather.result_shape)
    result = data.draw(element_sets(shape))
    operand_shape = tuple(case.gather.operand_shape)
    for item in case.gather.index_maps():
        target = operand_shape if item.operand == 0 else tuple(case.indices.shape)
        found = image(BoundMap(item.map, tuple(operands)), result, target)
        assert indices(found) == enumerated(item.map, result, target, operands)
    read = data.draw(element_sets(operand_shape))
    back = next(item for item in case.gather.inverse_index_maps() if item.operand == 0)
    assert indices(image(BoundMap(back.map, tuple(operands)), read, shape)) == enumerated(
        back.map, read, shape, operands
    )


LARGE = 4096


@pytest.mark.parametrize(
    ("index_map", "elements", "shape", "boxes"),
    [
        (
            next(reduce_maps([(LARGE, LARGE)], (1,))).map,
            ElementSet.of_index((LARGE,), (7,)),
            (LARGE, LARGE),
            ((range(7, 8), range(LARGE)),),
        ),
        (
            next(reduce_maps([(LARGE, LARGE)], (1,), inverse=True)).map,
            ElementSet.of_boxes((LARGE, LARGE), [(range(2, 5), range(LARGE))]),
            (LARGE,),
            ((range(2, 5),),),
        ),
        (
            next(reshape_maps((LARGE, LARGE), (LARGE * LARGE,))).map,
            ElementSet.of_boxes((LARGE * LARGE,), [(range(LARGE, 3 * LARGE),)]),
            (LARGE, LARGE),
            ((range(1, 3), range(LARGE)),),
        ),
        (
            next(transpose_maps((LARGE, 2 * LARGE), (1, 0))).map,
            ElementSet.full((2 * LARGE, LARGE)),
            (LARGE, 2 * LARGE),
            ((range(LARGE), range(2 * LARGE)),),
        ),
    ],
)
def test_large_boxes_are_not_enumerated(
    index_map: IndexMap, elements: ElementSet, shape: tuple[int, ...], boxes: object
) -> None:
    found = image(BoundMap(index_map, ()), elements, shape, Work(0))
    assert found.boxes == boxes


def test_padding_belongs_to_nothing() -> None:
    padded, *values = pad_maps((3,), (1,), (1,), (1,))
    whole = ElementSet.full((7,))
    assert indices(image(BoundMap(padded.map, ()), whole, (3,))) == {(0,), (1,), (2,)}
    assert indices(image(BoundMap(padded.map, ()), ElementSet.of_index((7,), (2,)), (3,))) == set()
    hole = ElementSet.of_index((7,), (2,))
    assert union_of([image(BoundMap(each.map, ()), hole, ()) for each in values]).is_full


def test_what_would_take_too_long_is_not_begun() -> None:
    d0, d1 = dims(2)
    index_map = IndexMap.of([(d0 * 7 + d1 * 3 + Range(0)) % 11], (100, 100), [100])
    with pytest.raises(OutOfWork):
        image(BoundMap(index_map, ()), ElementSet.full((100, 100)), (11,), Work(1000))


def test_an_unknown_map_reads_everything() -> None:
    assert image(BoundMap(UNDEFINED, ()), ElementSet.of_index((2,), (0,)), (3,)).is_full
    assert not image(BoundMap(UNDEFINED, ()), ElementSet.empty((2,)), (3,))
