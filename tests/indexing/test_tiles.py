"""Tiles through maps against all elements that the maps read: random maps, families of ops, chains."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.indexing import (
    UNDEFINED,
    ConvolutionIndexing,
    Dim,
    Expression,
    GatherIndexing,
    IndexMap,
    OperandMap,
    Range,
    Runtime,
    WindowIndexing,
    broadcast_in_dim_maps,
    compose,
    concatenate_maps,
    dims,
    dot_general_maps,
    dynamic_slice_maps,
    dynamic_update_slice_maps,
    pad_maps,
    print_expression,
    reduce_maps,
    reshape_maps,
    reverse_maps,
    slice_maps,
    transpose_maps,
)
from hloscope.engine.indexing.evaluation.array_values import value_of as expression_value
from hloscope.engine.indexing.evaluation.bound_map import BoundMap, Operands, evaluate
from hloscope.engine.indexing.tiles.propagation import Propagated, Tile, propagate, propagate_all

from .oracles import GatherCase, Index
from .strategies import gathers, small_maps

FEW = settings(max_examples=40, deadline=None)


def elements(tile: Tile, numbers: Sequence[int] = (), runtimes: Sequence[int] = ()) -> set[Index]:
    """The indices in a tile, for given tile numbers and run-time values."""
    starts = []
    for side in tile.sides:
        here = IndexMap((side.offset,), tile.numbers)
        values = np.array([numbers], np.int64).reshape(1, -1)
        own = np.array([runtimes], np.int64).reshape(1, -1)
        starts.append(value_of(here, values, own))
    ranges = (
        range(at, at + side.size * side.stride, side.stride)
        for at, side in zip(starts, tile.sides, strict=True)
    )
    return set(product(*ranges))


def value_of(here: IndexMap, numbers: np.ndarray, runtimes: np.ndarray) -> int:
    (result,) = here.results
    values: dict[Expression, np.ndarray] = {Dim(k): column for k, column in enumerate(numbers.T)}
    values |= {Runtime(k): column for k, column in enumerate(runtimes.T)}
    return int(np.asarray(expression_value(result, values)).reshape(-1)[0])


def read(index_map: IndexMap, indices: set[Index], operands: Operands = ()) -> set[Index]:
    """All elements that a map reads for the indices."""
    inside = [
        index
        for index in indices
        if all(i in side for i, side in zip(index, index_map.dimensions, strict=True))
    ]
    found: set[Index] = set()
    for index in inside:
        own = BoundMap(index_map, tuple(operands)).elements(index)
        assert own.complete
        found |= set(map(tuple, own.indices.tolist()))
    return found


def check(
    found: Propagated, expected: set[Index], numbers: Sequence[int] = (), runtimes: Sequence[int] = ()
) -> None:
    if found.tile is None:
        assert found.reason
        return
    here = elements(found.tile, numbers, runtimes)
    if found.exact:
        assert here == expected if not found.nothing else not expected
        assert not found.reason
    else:
        assert here >= expected
        assert found.reason


@st.composite
def small_tiles(draw: st.DrawFn, rank: int = 2) -> Tile:
    numbers = st.lists(st.integers(0, 3), min_size=rank, max_size=rank)
    sizes, strides = draw(numbers), draw(numbers)
    return Tile.at(draw(numbers), [size + 1 for size in sizes], [stride // 2 + 1 for stride in strides])


@FEW
@given(small_maps(), small_tiles())
def test_tiles_at_known_offsets(index_map: IndexMap, tile: Tile) -> None:
    """Tiles at known offsets always propagate, at least as an enclosing box."""
    expected = read(index_map, elements(tile))
    found = propagate(index_map, tile)
    assert found.tile is not None
    check(found, expected)
    if not found.exact:
        assert f"{len(expected):,} of the {found.tile.count:,}" in found.reason
        sides = zip(*expected, strict=True)
        assert found.tile.count == np.prod([spread(set(side)) for side in sides])
        assert len(expected) < found.tile.count


def spread(values: set[int]) -> int:
    """The length of the shortest arithmetic progression that contains the numbers."""
    step = int(np.gcd.reduce(np.diff(sorted(values)))) if len(values) > 1 else 1
    return (max(values) - min(values)) // step + 1


W = WindowIndexing((11, 12), (5, 6), (3, 4), (2, 2), (1, 2), (1, 1), (1, 1))
DILATED = WindowIndexing((6, 5), (9, 5), (2, 3), (1, 1), (0, 1), (2, 1), (3, 1))
FORMULAS = {
    "broadcast": broadcast_in_dim_maps((4, 1), (0, 2), (4, 6, 5)),
    "inverse broadcast": broadcast_in_dim_maps((4, 1), (0, 2), (4, 6, 5), inverse=True),
    "transpose": transpose_maps((4, 6, 8), (2, 0, 1)),
    "inverse transpose": transpose_maps((4, 6, 8), (2, 0, 1), inverse=True),
    "reshape: split": reshape_maps((12, 8), (3, 4, 8)),
    "reshape: join": reshape_maps((3, 4, 8), (12, 8)),
    "reshape: regroup": reshape_maps((4, 12), (6, 8)),
    "inverse reshape": reshape_maps((12, 8), (3, 4, 8), inverse=True),
    "slice": slice_maps((20, 9), (2, 1), (19, 8), (3, 2)),
    "inverse slice": slice_maps((20, 9), (2, 1), (19, 8), (3, 2), inverse=True),
    "reverse": reverse_maps((9, 8), (0,)),
    "concatenate": concatenate_maps([(4, 3), (5, 3), (3, 3)], 0),
    "inverse concatenate": concatenate_maps([(4, 3), (5, 3)], 0, inverse=True),
    "pad": pad_maps((6, 7), (1, -1), (2, 0), (2, 1)),
    "inverse pad": pad_maps((6, 7), (1, -1), (2, 0), (2, 1), inverse=True),
    "reduce": reduce_maps([(4, 6, 8)], [1]),
    "inverse reduce": reduce_maps([(4, 6, 8)], [1], inverse=True),
    "dot_general": dot_general_maps((2, 6, 8), (2, 8, 4), [0], [0], [2], [1]),
    "inverse dot_general": dot_general_maps((2, 6, 8), (2, 8, 4), [0], [0], [2], [1], inverse=True),
    "reduce_window": W.reduce_window_maps(1),
    "inverse reduce_window": W.inverse_reduce_window_maps(1),
    "dilated windows": DILATED.reduce_window_maps(1),
    "inverse dilated windows": DILATED.inverse_reduce_window_maps(1),
}
MAPS = {name: list(maps) for name, maps in FORMULAS.items()}


@pytest.mark.more
@pytest.mark.parametrize("name", MAPS)
@FEW
@given(data=st.data())
def test_any_tile_of_a_grid(name: str, data: st.DataObject) -> None:
    """The tile number is a symbol; each of its values must give the elements that the map reads."""
    item = data.draw(st.sampled_from(MAPS[name]))
    shape = [interval.upper + 1 for interval in item.map.dimensions]
    sizes = [data.draw(st.integers(1, size)) for size in shape]
    tile = Tile.grid(shape, sizes)
    found = propagate(item.map, tile)
    for numbers in product(*(range(interval.size) for interval in tile.numbers)):
        check(found, read(item.map, elements(tile, numbers)), numbers)


@pytest.mark.parametrize("name", MAPS)
@FEW
@given(data=st.data())
def test_tiles_of_ops_at_known_offsets(name: str, data: st.DataObject) -> None:
    item = data.draw(st.sampled_from(MAPS[name]))
    shape = [interval.upper + 1 for interval in item.map.dimensions]
    offsets = [data.draw(st.integers(0, size - 1)) for size in shape]
    sizes = [data.draw(st.integers(1, size)) for size in shape]
    strides = [data.draw(st.integers(1, 3)) for _ in shape]
    tile = Tile.at(offsets, sizes, strides)
    found = propagate(item.map, tile)
    assert found.tile is not None
    check(found, read(item.map, elements(tile)))


EXACT = {
    "transpose": (4, 2, 3),
    "reshape: split": (1, 2, 4),
    "reshape: join": (4, 8),
    "reverse": (3, 8),
    "dot_general": (1, 3, 2),
    "inverse dot_general": (1, 2, 4),
    "reduce": (2, 4),
    "broadcast": (2, 3, 5),
    "slice": (2, 2),
}


@pytest.mark.parametrize("name", EXACT)
def test_tiles_that_fit_are_exact_whatever_their_number(name: str) -> None:
    for item in MAPS[name]:
        shape = [interval.upper + 1 for interval in item.map.dimensions]
        if len(shape) == len(EXACT[name]):
            assert propagate(item.map, Tile.grid(shape, EXACT[name])).exact


def shown(found: Propagated) -> list[tuple[str, int, int]]:
    assert found.tile is not None
    return [(print_expression(side.offset), side.size, side.stride) for side in found.tile.sides]


def test_formulas_of_the_offsets() -> None:
    """Large offsets, without a loop over elements."""
    lhs, rhs = dot_general_maps((4096, 4096), (4096, 4096), [], [], [1], [0])
    tile = Tile.grid((4096, 4096), (128, 64))
    assert shown(propagate(lhs.map, tile)) == [("d0 * 128", 128, 1), ("0", 4096, 1)]
    assert shown(propagate(rhs.map, tile)) == [("0", 4096, 1), ("d1 * 64", 64, 1)]
    (reshape,) = reshape_maps((64, 64, 4096), (4096, 4096))
    assert shown(propagate(reshape.map, Tile.grid((4096, 4096), (16, 32)))) == [
        ("d0 / 4", 1, 1),
        ("(d0 mod 4) * 16", 16, 1),
        ("d1 * 32", 32, 1),
    ]
    window = WindowIndexing((4098,), (4096,), (3,), (1,), (0,), (1,), (1,))
    data, _ = window.reduce_window_maps(1)
    assert shown(propagate(data.map, Tile.grid((4096,), (256,)))) == [("d0 * 256", 258, 1)]
    (strided,) = slice_maps((100,), (3,), (99,), (3,))
    assert shown(propagate(strided.map, Tile.grid((32,), (8,)))) == [("d0 * 24 + 3", 8, 3)]


def test_reasons_are_sentences() -> None:
    (reshape,) = reshape_maps((64, 64), (4096,))
    found = propagate(reshape.map, Tile.grid((4096,), (96,)))
    assert found.tile is None
    assert "pieces of 64" in found.reason
    diagonal = IndexMap.of([Dim(0), Dim(0)], (8,))
    assert "move together" in propagate(diagonal, Tile.grid((8,), (4,))).reason
    gaps = IndexMap.of([Dim(0) * 10 + Range(0)], (8,), [3])
    assert "gaps" in propagate(gaps, Tile.grid((8,), (4,))).reason
    assert "opaque" in propagate(UNDEFINED, Tile.grid((8,), (4,))).reason
    assert "2 dimensions, not 1" in propagate(gaps, Tile.grid((8, 8), (4, 4))).reason
    (data, *_) = pad_maps((30,), (1,), (1,), (0,))
    assert "less is read" in propagate(data.map, Tile.grid((32,), (8,))).reason


def test_a_tile_that_reads_nothing() -> None:
    first, second = concatenate_maps([(4, 3), (5, 3)], 0)
    tile = Tile.at((5, 0), (3, 3))
    found = propagate(first.map, tile)
    assert found.tile is not None
    assert found.tile.count == 0
    assert found.exact
    assert shown(propagate(second.map, tile)) == [("1", 3, 1), ("0", 3, 1)]
    pieces = [item.map for item in pad_maps((6,), (2,), (2,), (0,)) if item.operand == 1]
    assert [each.nothing for each in propagate_all(pieces, Tile.at((0,), (4,)))] == [False]
    assert [each.nothing for each in propagate_all(pieces, Tile.at((3,), (4,)))] == [True]


# Runtime variables


def test_offsets_of_a_run_stay_symbols_or_become_numbers() -> None:
    data, *_ = dynamic_slice_maps((40, 50), (20, 30))
    tile = Tile.grid((20, 30), (10, 6))
    assert shown(propagate(data.map, tile)) == [("d0 * 10 + rt0", 10, 1), ("d1 * 6 + rt1", 6, 1)]
    bound = propagate(data.map, tile, (None, np.array(99), np.array(7)))
    assert shown(bound) == [("d0 * 10 + 20", 10, 1), ("d1 * 6 + 7", 6, 1)]
    back = next(iter(dynamic_slice_maps((40, 50), (20, 30), inverse=True)))
    assert not propagate(back.map, Tile.grid((40, 50), (10, 10))).exact
    here = propagate(back.map, Tile.at((20, 0), (8, 10)), (None, np.array(99), np.array(7)))
    assert shown(here) == [("0", 8, 1), ("0", 3, 1)]


def test_the_hole_of_dynamic_update_slice() -> None:
    pieces = [item.map for item in dynamic_update_slice_maps((40, 50), (20, 30)) if item.operand == 0]
    values = (None, None, np.array(10), np.array(10))
    found = propagate_all(pieces, Tile.at((0, 0), (20, 50)), values)
    assert [shown(each) for each in found] == [
        [("0", 10, 1), ("0", 50, 1)],
        [("10", 10, 1), ("0", 10, 1)],
        [("10", 10, 1), ("40", 10, 1)],
    ]


def test_rows_of_a_gather() -> None:
    gather = GatherIndexing((50, 16), (8, 1), (1,), (0,), (), (), (0,), 1, (1, 16))
    data, _ = gather.index_maps()
    rows = np.array([[3], [4], [5], [6], [9], [1], [9], [60]])
    assert "differs across the tile" in propagate(data.map, Tile.grid((8, 16), (4, 16))).reason
    one = propagate(data.map, Tile.grid((8, 16), (1, 4)))
    assert shown(one) == [("rt0", 1, 1), ("d1 * 4", 4, 1)]
    assert one.map is not None
    assert one.map.runtimes[0].map.results[0] == Dim(0)
    assert shown(propagate(data.map, Tile.at((0, 0), (4, 4)), (None, rows))) == [("3", 4, 1), ("0", 4, 1)]
    scattered = propagate(data.map, Tile.at((4, 0), (4, 4)), (None, rows))
    assert shown(scattered) == [("1", 7, 8), ("0", 4, 1)]
    assert "12 of the 28" in scattered.reason


@FEW
@given(gathers(), st.data())
def test_gathers_of_a_run(case: GatherCase, data: st.DataObject) -> None:
    values = (None, case.indices)
    for item in case.gather.index_maps():
        shape = case.gather.result_shape
        offsets = [data.draw(st.integers(0, size - 1)) for size in shape]
        tile = Tile.at(offsets, [data.draw(st.integers(1, size)) for size in shape])
        found = propagate(item.map, tile, values)
        assert found.tile is not None
        check(found, read(item.map, elements(tile), values))


def test_symbols_of_a_run_hold_for_its_values() -> None:
    update = next(item for item in dynamic_update_slice_maps((12, 9), (5, 4)) if item.operand == 1)
    tile = Tile.grid((12, 9), (3, 3))
    found = propagate(update.map, tile)
    assert found.tile is not None
    assert Runtime(0) in [part for side in found.tile.sides for part in parts_of(side.offset)]
    for start in product((0, 2, 7), (0, 5)):
        values = (None, None, *map(np.array, start))
        for numbers in product(range(4), range(3)):
            check(found, read(update.map, elements(tile, numbers), values), numbers, start)


def parts_of(expression: object) -> list[object]:
    children = getattr(expression, "children", ())
    return [expression, *(part for child in children for part in parts_of(child))]


# Chains and convolutions


def chained(*links: OperandMap) -> IndexMap:
    found = links[0].map
    for link in links[1:]:
        found = compose(found, link.map)
    return found


def test_through_a_chain() -> None:
    """transpose(reshape(pad(x))): the tile of x for a tile of the result."""
    (transpose,) = transpose_maps((4, 3, 8), (2, 0, 1))
    (reshape,) = reshape_maps((12, 8), (4, 3, 8))
    pad, *_ = pad_maps((10, 8), (1, 0), (1, 0), (0, 0))
    whole = chained(transpose, reshape, pad)
    tile = Tile.grid((8, 4, 3), (2, 2, 3))
    found = propagate(whole, tile)
    assert shown(found) == [("d1 * 6 - 1", 6, 1), ("d0 * 2", 2, 1)]
    for numbers in product(range(4), range(2), range(1)):
        check(found, read(whole, elements(tile, numbers)), numbers)
    inner = propagate(whole, Tile.at((0, 0, 0), (8, 4, 3)))
    assert inner.exact
    assert shown(inner) == [("0", 10, 1), ("0", 8, 1)]


CONVOLUTION = ConvolutionIndexing(
    lhs_shape=(2, 5, 6, 4),
    rhs_shape=(3, 2, 2, 6),
    result_shape=(2, 3, 6, 6),
    input_dimensions=(0, 3, (1, 2)),
    kernel_dimensions=(2, 3, (0, 1)),
    output_dimensions=(0, 3, (1, 2)),
    window_strides=(2, 1),
    padding_low=(1, 0),
    lhs_dilation=(1, 1),
    rhs_dilation=(1, 1),
    window_reversal=(False, True),
    feature_group_count=2,
    batch_group_count=1,
)


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_tiles_of_convolutions(data: st.DataObject) -> None:
    items = [*CONVOLUTION.index_maps(), *CONVOLUTION.inverse_index_maps()]
    item = data.draw(st.sampled_from(items))
    shape = [interval.upper + 1 for interval in item.map.dimensions]
    sizes = [data.draw(st.integers(1, size)) for size in shape]
    tile = Tile.grid(shape, sizes)
    found = propagate(item.map, tile)
    for numbers in product(*(range(interval.size) for interval in tile.numbers)):
        check(found, read(item.map, elements(tile, numbers)), numbers)


def test_the_identity_keeps_a_tile() -> None:
    tile = Tile.at((1, 2), (3, 4), (2, 1))
    assert shown(propagate(IndexMap.identity((10, 10)), tile)) == [("1", 3, 2), ("2", 4, 1)]
    assert evaluate(tile.map, np.zeros((1, 0)), [[2, 3]])[0].tolist() == [[5, 5]]
    assert tile.map.results == tuple(
        a * s + o for a, s, o in zip(map(Range, range(2)), (2, 1), (1, 2), strict=True)
    )
    assert dims(2) == (Dim(0), Dim(1))
