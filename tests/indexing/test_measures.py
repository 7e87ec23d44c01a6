"""Counts of reads against brute force; starts and writers against loops; large shapes by formula."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.indexing import (
    UNDEFINED,
    Dim,
    GatherIndexing,
    IndexMap,
    Interval,
    OperandMap,
    Range,
    ScatterIndexing,
    WindowIndexing,
    concatenate_maps,
    dot_general_maps,
    dynamic_slice_maps,
    dynamic_update_slice_maps,
    elementwise_maps,
    reshape_maps,
    slice_maps,
    transpose_maps,
)
from hloscope.engine.indexing.evaluation.bound_map import BoundMap, Operands
from hloscope.engine.indexing.evaluation.counting import NOTHING_READ, Count, Tally
from hloscope.engine.indexing.evaluation.factors import factors_of
from hloscope.engine.indexing.measures import tallies as counted_by
from hloscope.engine.indexing.measures.measure import Measure, Tensor, measures, overlap
from hloscope.engine.indexing.measures.tallies import tally
from hloscope.engine.indexing.measures.writers import starts, writers

from .oracles import GatherCase, Index
from .strategies import gathers, small_maps

FEW = settings(max_examples=80, deadline=None)
ROOM = (400, 400)
"""A shape that exceeds all results of the maps drawn here."""


def reads_of(index_map: IndexMap, operands: Operands = ()) -> list[tuple[Index, Index]]:
    """All pairs (index, element), repeated for each value of the range variables."""
    found = []
    for index in np.ndindex(*(interval.upper + 1 for interval in index_map.dimensions)):
        if all(i in side for i, side in zip(index, index_map.dimensions, strict=True)):
            elements = BoundMap(index_map, tuple(operands)).elements(index).indices.tolist()
            found += [(index, tuple(element)) for element in elements]
    return found


def by_brute_force(reads: Sequence[tuple[Index, Index]]) -> Tally:
    pairs = set(reads)
    often = Counter(there for _, there in reads)
    if not reads:
        return NOTHING_READ
    readers = {here for here, _ in reads}
    numbers = (len(reads), len(pairs), len(often), len(readers))
    ends = min(often.values()), max(often.values())
    return Tally.exactly(numbers, ends, len(pairs) == len(readers), len(pairs) == len(often))


def holds(found: Tally, expected: Tally) -> bool:
    """Whether the computed tally, exact or bounded, agrees with the expected one."""
    counts = ("reads", "pairs", "elements", "readers", "fewest", "most")
    bounds = all(
        getattr(found, name).least <= getattr(expected, name).least
        and getattr(expected, name).most <= getattr(found, name).most
        for name in counts
    )
    return bounds and all(
        getattr(found, name) in (None, getattr(expected, name)) for name in ("single_valued", "injective")
    )


def domain_of(index_map: IndexMap) -> list[int]:
    return [interval.upper + 1 for interval in index_map.dimensions]


@FEW
@given(small_maps())
def test_small_maps_are_counted_exactly(index_map: IndexMap) -> None:
    expected = by_brute_force(reads_of(index_map))
    assert tally([index_map], ROOM, domain_of(index_map)) == expected


@FEW
@given(small_maps())
def test_formulas_and_isl_agree_with_numpy(index_map: IndexMap) -> None:
    if index_map.is_known_empty:
        return
    for factor in factors_of(index_map):
        expected = counted_by._by_numpy(factor, ())
        by_formula = counted_by._by_formula(factor)
        assert by_formula in (None, expected)
        assert holds(counted_by._bounds(factor), expected)
        by_isl = counted_by._by_isl([factor.map], factor.map.dimensions, None)
        assert by_isl is not None
        assert holds(by_isl, expected)
        assert by_isl.exact
        assert by_isl.reads == expected.reads


@FEW
@given(small_maps(), small_maps())
def test_unions(left: IndexMap, right: IndexMap) -> None:
    """The maps have disjoint indices, so no pair belongs to both."""
    beside = len(right.dimensions) and right.dimensions[0].upper + 1
    moved = IndexMap(
        tuple(
            IndexMap.of([result], ROOM).substitute({Dim(0): Dim(0) - beside})[0][0] for result in left.results
        ),
        (Interval(beside, beside + left.dimensions[0].upper), *left.dimensions[1:]),
        left.ranges,
        constraints=tuple(
            (IndexMap.of([e], ROOM).substitute({Dim(0): Dim(0) - beside})[0][0], i)
            for e, i in left.constraints
        ),
    )
    reads = reads_of(moved) + reads_of(right)
    shape = [max(a, b) for a, b in zip(domain_of(moved), domain_of(right), strict=True)]
    found = tally([moved, right], ROOM, shape)
    assert found == by_brute_force(reads)
    alive = [each for each in (moved, right) if not each.is_known_empty]
    if alive:
        joined = counted_by.join_tallies([counted_by.tally_map(each, None) for each in alive])
        assert holds(joined, by_brute_force(reads))


@FEW
@given(gathers())
def test_gathers_in_a_run_and_in_any_run(case: GatherCase) -> None:
    operands = (None, case.indices)
    for item in case.gather.index_maps():
        shape = case.operand_shape if item.operand == 0 else case.indices.shape
        expected = by_brute_force(reads_of(item.map, operands))
        assert tally([item.map], shape, case.gather.result_shape, operands) == expected
        assert holds(tally([item.map], shape, case.gather.result_shape), expected)


@FEW
@given(st.data())
def test_what_follows_no_value_is_known_without_a_run(data: st.DataObject) -> None:
    shape = data.draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    update = tuple(data.draw(st.integers(1, size)) for size in shape)
    at = [np.array(data.draw(st.integers(-2, 7))) for _ in shape]
    operands = (None, None, *at)
    for operand, elements in ((0, shape), (1, update)):
        maps = [item.map for item in dynamic_update_slice_maps(shape, update) if item.operand == operand]
        expected = by_brute_force([pair for each in maps for pair in reads_of(each, operands)])
        assert tally(maps, elements, shape, operands) == expected
        without = tally(maps, elements, shape)
        assert holds(without, expected)
        assert without.exact
    (read,) = (item.map for item in dynamic_slice_maps(shape, update) if item.operand == 0)
    assert tally([read], shape, update) == by_brute_force(reads_of(read, (None, *at)))


# Measures of ops


def measured(
    maps: Iterable[OperandMap],
    operands: Sequence[Sequence[int]],
    result: Sequence[int],
    inverse: Iterable[OperandMap] = (),
    bits: int = 32,
    values: Operands | None = None,
) -> list[Measure]:
    tensors = {k: Tensor(tuple(shape), bits) for k, shape in enumerate(operands)}
    return list(measures(maps, inverse, tensors, {0: Tensor(tuple(result), bits)}, values))


def test_a_large_dot() -> None:
    """Counted without a loop over elements."""
    n = 4096
    maps = list(dot_general_maps((n, n), (n, n), [], [], [1], [0]))
    back = list(dot_general_maps((n, n), (n, n), [], [], [1], [0], inverse=True))
    for found in measured(maps, [(n, n), (n, n)], (n, n), back):
        assert found.elements == Count.of(n * n)
        assert found.bytes == Count.of(4 * n * n)
        assert found.reads == Count.of(n**3)
        assert found.reuse == n
        assert found.utilisation == (1.0, 1.0)
        assert (found.covers, found.is_bijection) == (True, False)
        assert found.per_index == n
    lhs, rhs = measured(maps, [(n, n), (n, n)], (n, n))
    assert (lhs.shared, rhs.shared) == ((0, n), (n, 0))


def test_bijections() -> None:
    for maps, operand, result in (
        (elementwise_maps((4, 5), [(4, 5)]), (4, 5), (4, 5)),
        (transpose_maps((4, 5, 6), (2, 0, 1)), (4, 5, 6), (6, 4, 5)),
        (reshape_maps((4096, 4096), (64, 64, 4096)), (4096, 4096), (64, 64, 4096)),
        (reshape_maps((6, 35), (14, 15)), (6, 35), (14, 15)),
    ):
        (found,) = measured(maps, [operand], result)
        assert found.is_bijection is True
        assert found.reuse == 1.0
    (found,) = measured(slice_maps((9,), (1,), (9,), (3,)), [(9,)], (3,))
    assert found.is_bijection is False
    assert found.tally.injective is True
    assert found.covers is True
    assert found.utilisation == (3 / 9, 3 / 9)
    first, second = measured(concatenate_maps([(3, 2), (4, 2)], 0), [(3, 2), (4, 2)], (7, 2))
    assert (first.covers, second.covers) == (False, False)
    assert first.utilisation == second.utilisation == (1.0, 1.0)


def test_windows_share_elements_with_their_neighbours() -> None:
    windows = WindowIndexing((8, 9), (6, 4), (3, 3), (1, 2), (0, 0), (1, 1), (1, 1))
    (data, _) = measured(windows.reduce_window_maps(1), [(8, 9), ()], (6, 4))
    assert data.per_index == 9
    assert data.shared == (6, 3)
    assert data.tally.most == Count.of(3 * 2)


def test_elements_of_less_than_a_byte_are_packed() -> None:
    (found,) = measured(slice_maps((9,), (0,), (5,), (1,)), [(9,)], (5,), bits=4)
    assert found.bytes == Count.of(3)
    (found,) = measured(slice_maps((9,), (0,), (9,), (1,)), [(9,)], (9,), bits=1)
    assert found.bytes == Count.of(2)


def test_an_embedding_lookup_with_and_without_its_indices() -> None:
    gather = GatherIndexing((50_000, 768), (8, 128, 1), (2,), (0,), (), (), (0,), 2, (1, 768))
    maps, back = list(gather.index_maps()), list(gather.inverse_index_maps())
    shapes = [(50_000, 768), (8, 128, 1)]
    without, _ = measured(maps, shapes, gather.result_shape, back)
    assert without.reads == Count.of(8 * 128 * 768)
    assert without.elements == Count(768, 8 * 128 * 768)
    assert without.is_bijection is False  # it reads at most one row per index
    rows = np.arange(8 * 128).reshape(8, 128, 1) // 2
    bound, _ = measured(maps, shapes, gather.result_shape, back, values=(None, rows))
    assert bound.elements == Count.of(8 * 128 // 2 * 768)
    assert bound.reuse == 2.0
    assert (bound.tally.fewest, bound.tally.most) == (Count.of(2), Count.of(2))


def test_scatter_is_counted_from_the_side_of_its_updates() -> None:
    """Scatter is counted from its updates: from its result, each element would read every row of indices."""
    scatter = ScatterIndexing((50_000, 64), (4096, 1), (4096, 64), (1,), (0,), (), (), (0,), 1)
    rows = np.random.default_rng(1).integers(-5, 50_010, (4096, 1))
    shapes = [(50_000, 64), (4096, 1), (4096, 64)]
    found = measured(
        scatter.index_maps(), shapes, (50_000, 64), scatter.inverse_index_maps(), values=(None, rows, None)
    )
    inside = (rows >= 0) & (rows < 50_000)
    assert found[2].elements == Count.of(int(inside.sum()) * 64)
    assert found[2].covers is False
    assert found[1].elements == Count.of(4096)  # each could have sent its updates elsewhere


def test_places_are_coordinates() -> None:
    """(d0) -> (d0 mod 4) of process d0 floordiv 4."""
    item = OperandMap(0, IndexMap.of([Dim(0) % 4], (12,)), place=Dim(0) // 4)
    (found,) = measured([item], [(4,)], (12,))
    assert (found.places, found.size) == (3, 12)
    assert found.elements == Count.of(12)
    assert found.is_bijection is True
    (alone,) = measured([OperandMap(0, item.map)], [(4,)], (12,))
    assert alone.elements == Count.of(4)
    assert alone.is_bijection is False


def test_maps_of_the_same_and_of_other_processes_together() -> None:
    own = OperandMap(0, IndexMap.of([Dim(0)], (4,)))
    others = OperandMap(0, IndexMap.of([Dim(0)], (4,), [3]), place=Range(0))
    for items in ([own, others], [others, own]):
        (found,) = measured(items, [(4,)], (4,))
        assert (found.places, found.size) == (3, 12)
        assert found.elements == Count.of(12)
        assert found.is_bijection is False


def test_opaque_operands_have_no_numbers() -> None:
    assert measured([OperandMap(0, UNDEFINED)], [(4,)], (4,)) == []


def test_nothing_read_of_nothing() -> None:
    (found,) = measured(slice_maps((9,), (2,), (2,), (1,)), [(9,)], (0,))
    assert found.elements == found.reads == Count.of(0)
    assert found.reuse is None
    assert found.utilisation == (0.0, 0.0)
    (found,) = measured(elementwise_maps((0, 3), [(0, 3)]), [(0, 3)], (0, 3))
    assert found.is_bijection is True


def test_overlap_of_two_readers() -> None:
    (first,) = (item.map for item in slice_maps((20,), (0,), (12,), (1,)))
    (second,) = (item.map for item in slice_maps((20,), (6,), (20,), (2,)))
    assert overlap([first], [second], (20,)) == Count.of(3)
    (moving,) = (item.map for item in dynamic_slice_maps((20,), (4,)) if item.operand == 0)
    assert overlap([first], [moving], (20,), (None, np.array(10))) == Count.of(2)
    assert overlap([first], [moving], (20,)).exact is False


def test_hard_maps_have_bounds() -> None:
    """A product of variables, with more combinations than may be enumerated."""
    hard = IndexMap.of([Dim(0) * Dim(1) + Range(0)], (2000, 2000), [3000])
    found = tally([hard], (10**8,), (2000, 2000))
    assert found.reads == Count.of(2000 * 2000 * 3000)
    assert found.elements == Count(1, 1999 * 1999 + 3000)
    assert found.readers == Count.of(2000 * 2000)


@FEW
@given(small_maps(), small_maps())
def test_what_there_is_no_time_to_count_has_bounds(left: IndexMap, right: IndexMap) -> None:
    for maps in ([left], [left, right]):
        items = [OperandMap(0, each) for each in maps]
        shape = tuple(max(a, b) for a, b in zip(domain_of(left), domain_of(right), strict=True))
        tensors = {0: Tensor(ROOM, 32)}, {0: Tensor(shape, 32)}
        (hurried,) = measures(items, [], *tensors, seconds=-1.0)
        assert not hurried.in_time
        if len(maps) == 1:
            assert holds(hurried.tally, tally(maps, ROOM, shape))


# Starts and writers


def test_starts_out_of_bounds() -> None:
    maps = list(dynamic_slice_maps((10, 10), (4, 6)))
    found = starts(maps, (None, np.array(7), np.array(-2)))
    assert [(each.operand, each.of_result, each.of, each.dimension) for each in found] == [
        (1, False, 0, 0),
        (2, False, 0, 1),
    ]
    assert [(each.below, each.above) for each in found] == [(0, 1), (1, 0)]
    assert [each.interval for each in found] == [Interval(0, 6), Interval(0, 4)]
    assert [each.examples for each in found] == [(((), 7),), (((), -2),)]
    updates = starts(dynamic_update_slice_maps((10,), (4,)), (None, None, np.array(3)))
    assert [(each.of_result, each.dimension, each.below + each.above) for each in updates] == [(True, 0, 0)]


@FEW
@given(gathers())
def test_starts_of_gather_and_scatter(case: GatherCase) -> None:
    vector = case.index_vector_dim
    for maps in (case.gather.index_maps(), case.scatter(drops_whole_windows=True).index_maps()):
        for each in starts(maps, (None, case.indices, None)):
            number = case.start_index_map.index(each.dimension)
            own = case.indices if vector == case.indices.ndim else case.indices.take(number, axis=vector)
            limit = case.operand_shape[each.dimension] - case.slice_sizes[each.dimension]
            assert each.interval == Interval(0, limit)
            assert (each.below, each.above) == (int((own < 0).sum()), int((own > limit).sum()))
            assert each.count == own.size
            assert all(case.indices[place] == value for place, value in each.examples)


@FEW
@given(gathers(), st.booleans())
def test_writers(case: GatherCase, drops_whole_windows: bool) -> None:
    scatter = case.scatter(drops_whole_windows)
    writes: dict[Index, list[Index]] = {}
    total = dropped = 0
    for update, element, _, fits in case.placed(clamped=False):
        total += 1
        inside = all(0 <= i < size for i, size in zip(element, case.operand_shape, strict=True))
        if inside and (fits or not drops_whole_windows):
            writes.setdefault(element, []).append(update)
        else:
            dropped += 1
    found = writers(scatter.inverse_index_maps(), (None, case.indices, None))
    if not case.start_index_map:
        assert found == ()
        return
    (updates,) = (each for each in found if each.operand == 2)
    assert (updates.updates, updates.dropped) == (total, dropped)
    assert updates.written == len(writes)
    assert updates.several == sum(len(own) > 1 for own in writes.values())
    assert updates.most == max(map(len, writes.values()), default=0)
    for element, own in updates.examples:
        assert (
            set(own) == set(writes[element]) if len(writes[element]) <= 8 else set(own) < set(writes[element])
        )
        assert len(own) > 1
    assert bool(updates.examples) == (updates.several > 0)


def test_a_large_scatter_is_factored() -> None:
    scatter = ScatterIndexing((50_000, 768), (8192, 1), (8192, 768), (1,), (0,), (), (), (0,), 1)
    rows = np.zeros((8192, 1), np.int64)
    rows[:4] = [[7], [7], [-1], [50_000]]
    (found,) = (w for w in writers(scatter.inverse_index_maps(), (None, rows, None)) if w.operand == 2)
    assert (found.dropped, found.written, found.several) == (2 * 768, 2 * 768, 2 * 768)
    assert found.most == 8188
    assert found.examples[1] == ((7, 0), ((0, 0), (1, 0)))


def test_a_clamped_update_is_no_scatter() -> None:
    assert writers(dynamic_update_slice_maps((10,), (4,), inverse=True), (None, None, np.array(3))) == ()
