"""Memory accesses of warps against a loop over threads; standard thread maps; known verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.indexing import (
    Dim,
    GatherIndexing,
    IndexMap,
    concatenate_maps,
    dot_general_maps,
    dynamic_slice_maps,
    print_map,
    reduce_maps,
    simplify,
    slice_maps,
    transpose_maps,
)
from hloscope.engine.indexing.evaluation.bound_map import BoundMap, Operands
from hloscope.engine.indexing.measures.accesses import Access, Memory
from hloscope.engine.indexing.measures.coalescing import Coalescing, coalescing
from hloscope.engine.indexing.measures.thread_maps import Threads, linear_threads, physical_map, tiled_threads
from hloscope.engine.indexing.measures.tiled_layouts import Tile

FEW = settings(max_examples=40, deadline=None)
SHAPES = st.lists(st.integers(1, 6), min_size=1, max_size=3).map(tuple)


# Thread maps.


def computed_by(threads: Threads) -> list[tuple[int, ...]]:
    """The index of every element that the threads compute, repeated if computed repeatedly."""
    found = []
    for thread in product(*(range(interval.size) for interval in threads.map.dimensions)):
        found += [tuple(row) for row in BoundMap(threads.map, ()).elements(thread).indices.tolist()]
    return found


@FEW
@given(SHAPES, st.sampled_from([1, 3, 32]), st.sampled_from([1, 2, 4]), st.randoms())
def test_linear_threads_compute_each_element_once(
    shape: tuple[int, ...], threads: int, vector: int, random: object
) -> None:
    order = list(range(len(shape)))
    random.shuffle(order)  # type: ignore[attr-defined]
    here = linear_threads(shape, threads, vector, order)
    assert sorted(computed_by(here)) == sorted(np.ndindex(shape))
    # Consecutive threads access consecutive memory.
    place = physical_map(shape, order)
    places = [BoundMap(place, ()).elements(index).indices[0, 0] for index in computed_by(here)]
    threads_in_order = product(range(here.blocks[0]), range(threads))
    own = [
        [BoundMap(place, ()).elements(i).indices[0, 0] for i in elements_of(here, (t, 0, 0, b, 0, 0))]
        for b, t in threads_in_order
    ]
    assert [p for each in own for p in each] == list(range(prod(shape)))
    assert len(places) == prod(shape)


def elements_of(threads: Threads, thread: Sequence[int]) -> list[tuple[int, ...]]:
    return [tuple(row) for row in BoundMap(threads.map, ()).elements(thread).indices.tolist()]


@FEW
@given(st.lists(st.integers(1, 7), min_size=2, max_size=4).map(tuple), st.randoms())
def test_tiled_threads_compute_each_element_once(shape: tuple[int, ...], random: object) -> None:
    x, y = random.sample(range(len(shape)), 2)  # type: ignore[attr-defined]
    here = tiled_threads(shape, x, y, columns=4, rows=2, steps=2)
    assert sorted(computed_by(here)) == sorted(np.ndindex(shape))


def test_places_in_memory() -> None:
    assert physical_map((4, 5)).results == ((Dim(0) * 5 + Dim(1)),)
    assert physical_map((4, 5), (0, 1)).results == ((Dim(1) * 4 + Dim(0)),)
    assert physical_map((4, 5), padding=1).results == ((Dim(0) * 6 + Dim(1)),)
    assert [str(interval) for interval in physical_map(()).dimensions] == []
    with pytest.raises(ValueError, match="not an order of 2 dimensions"):
        physical_map((4, 5), (0, 0))


SEVERAL_TILES = st.lists(
    st.lists(st.one_of(st.integers(1, 4), st.none()), min_size=1, max_size=3), max_size=2
)


def laid(sizes: Sequence[int], tiles: Sequence[Tile]) -> np.ndarray:
    """The positions of a tensor's elements, by tiling an index array; -1 is padding."""
    memory = np.arange(prod(sizes)).reshape(tuple(sizes))
    for tile in tiles:
        memory = memory.reshape((*[1] * (len(tile) - memory.ndim), *memory.shape))
        first = memory.ndim - len(tile)
        lengths: list[int] = []
        shape = list(memory.shape[:first])
        whole = 1
        for number, length in enumerate(tile):
            whole *= memory.shape[first + number]
            if length is not None or number == len(tile) - 1:
                shape.append(whole)
                lengths.append(length or max(1, whole))
                whole = 1
        memory = memory.reshape(shape)
        memory = np.pad(
            memory,
            [(0, 0)] * first + [(0, -size % n) for size, n in zip(shape[first:], lengths, strict=True)],
            constant_values=-1,
        )
        split = [
            part for size, n in zip(memory.shape[first:], lengths, strict=True) for part in (size // n, n)
        ]
        memory = memory.reshape((*shape[:first], *split))
        axes = range(first, memory.ndim)
        memory = memory.transpose((*range(first), *axes[::2], *axes[1::2]))
    return memory.ravel()


@FEW
@given(SHAPES, SEVERAL_TILES, st.randoms())
def test_tiles_of_layouts(shape: tuple[int, ...], several: list[list[int | None]], random: object) -> None:
    tiles = tuple(map(tuple, several))
    order = list(range(len(shape)))
    random.shuffle(order)  # type: ignore[attr-defined]
    place = BoundMap(physical_map(shape, order, tiles=tiles), ())
    turned = list(np.ndindex(tuple(shape[k] for k in reversed(order))))
    elements = [tuple(index[order[::-1].index(k)] for k in range(len(shape))) for index in turned]
    memory = laid([shape[k] for k in reversed(order)], tiles).tolist()
    expected = [memory.index(number) for number in range(len(elements))]
    assert [int(place.elements(index).indices[0, 0]) for index in elements] == expected
    # Consecutive threads compute consecutive elements, and nothing in padding.
    here = linear_threads(shape, 4, 2, order, tiles)
    found = []
    for block, thread in product(range(here.blocks[0]), range(4)):
        found += elements_of(here, (thread, 0, 0, block, 0, 0))
    assert found == [elements[number] for number in memory if number >= 0]


def test_forms_of_tiles() -> None:
    assert print_map(physical_map((10, 300), tiles=((8, 128),))) == (
        "(d0, d1) -> ((d0 / 8) * 3072 + (d1 / 128) * 1024 + (d0 mod 8) * 128 + d1 mod 128), "
        "domain: d0 in [0, 9], d1 in [0, 299]"
    )
    # Two rows of bf16 are interleaved: one row is the lower half of each 32 bits.
    assert (
        int(BoundMap(physical_map((16, 256), tiles=((8, 128), (2, 1))), ()).elements((3, 5)).indices[0, 0])
        == 256 + 11
    )
    # A tile of more dimensions than the tensor, and several dimensions tiled as one.
    assert physical_map((300,), tiles=((2, 128),)).results == (Dim(0) // 128 * 256 + Dim(0) % 128,)
    assert print_map(simplify(physical_map((3, 4), tiles=((None, 8),)))).startswith(
        "(d0, d1) -> (d0 * 4 + d1), "
    )


# Accesses.


def one_thread_at_a_time(
    threads: Threads, maps: Sequence[IndexMap], memory: Memory, access: Access, operands: Operands
) -> tuple[int, int, int, int]:
    """Bytes, sectors, lines and bank conflicts of an access by a kernel of this op only, with loops."""
    x, y, z = threads.block
    place = memory.map
    found: list[list[int]] = []
    for lane in range(access.warp * 32, min(access.warp * 32 + 32, x * y * z)):
        thread = (lane % x, lane // x % y, lane // (x * y), *access.block)
        own = []
        for index in elements_of(threads, thread):
            for each in maps:
                read = BoundMap(each, tuple(operands)).elements(index).indices.tolist()
                own += [int(BoundMap(place, ()).elements(element).indices[0, 0]) for element in read]
        found.append(own)
    elements = {at for own in found for at in own}
    bits = [bit for at in elements for bit in (at * memory.bits, at * memory.bits + memory.bits - 1)]
    return (
        -(-len(elements) * memory.bits // 8),
        len({bit // 8 // 32 for bit in bits}),
        len({bit // 8 // 128 for bit in bits}),
        busiest([own[0] for own in found if own], memory.bits),
    )


def busiest(places: Sequence[int], bits: int) -> int:
    words = {at * bits // 8 // 4 for at in places}
    return max((sum(word % 32 == bank for word in words) for bank in range(32)), default=0)


@FEW
@given(st.data())
def test_an_access_against_a_model_of_threads(data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from([(70, 3), (8, 33), (5, 6, 7), (300,), (64, 40)]))
    permutation = data.draw(st.permutations(range(len(shape))))
    (read,) = (
        item.map
        for item in transpose_maps([shape[permutation.index(k)] for k in range(len(shape))], permutation)
    )
    assert [interval.size for interval in read.dimensions] == list(shape)
    operand = [shape[permutation.index(k)] for k in range(len(shape))]
    order = tuple(data.draw(st.permutations(range(len(shape)))))
    memory = Memory(tuple(operand), data.draw(st.sampled_from([4, 8, 16, 32])), order)
    threads = linear_threads(shape, data.draw(st.sampled_from([32, 48, 64])), 1)
    block = (data.draw(st.integers(0, threads.blocks[0] - 1)), 0, 0)
    warp = data.draw(st.integers(0, threads.warps - 1))
    found = coalescing(threads, [read], memory, block=block, warp=warp).access
    expected = one_thread_at_a_time(threads, [read], memory, found, ())
    assert (found.bytes, found.sectors, found.lines, found.conflicts) == expected
    assert found.least_sectors <= found.sectors
    assert found.least_lines <= found.lines


def test_spreads_are_those_of_all_accesses() -> None:
    (read,) = (item.map for item in slice_maps((700,), (5,), (695,), (3,)))
    threads, memory = linear_threads((230,), 64), Memory((700,), 32)
    found = coalescing(threads, [read], memory)
    assert found.accesses == found.looked_at == 8
    each = [
        coalescing(threads, [read], memory, block=(b, 0, 0), warp=w).access
        for b in range(4)
        for w in range(2)
    ]
    assert each[-1].bytes == 4 * (230 - 7 * 32)
    assert found.sectors.most == max(access.sectors for access in each)
    assert found.sectors.least == min(access.sectors for access in each)
    assert found.lines.mean == pytest.approx(np.mean([access.lines for access in each]))


def test_a_union_is_one_access() -> None:
    """A warp that crosses the boundary of two operands reads a part of both."""
    first, second = (item.map for item in concatenate_maps([(40,), (24,)], 0))
    threads = linear_threads((64,), 64)
    ends = coalescing(threads, [first], Memory((40,), 32), warp=1)
    assert sum(at is not None for at in ends.access.addresses) == 8
    assert ends.access.bytes == 32
    rest = coalescing(threads, [second], Memory((24,), 32), warp=1)
    assert sum(at is not None for at in rest.access.addresses) == 24
    assert coalescing(threads, [second], Memory((24,), 32), warp=0).access.bytes == 0


# Verdicts.

N = 1024
SQUARE = Memory((N, N), 32)
IDENTITY = IndexMap.identity((N, N))
TURNED = IndexMap.of([Dim(1), Dim(0)], (N, N))


def verdict(found: Coalescing) -> tuple[bool, int, int, int]:
    assert found.sectors.least == found.sectors.most == found.access.sectors
    return found.coalesced, found.access.sectors, found.access.lines, found.conflicts.most


def test_rows_are_coalesced_and_columns_are_not() -> None:
    assert verdict(coalescing(linear_threads((N, N)), [IDENTITY], SQUARE)) == (True, 4, 1, 1)
    columns = coalescing(linear_threads((N, N)), [TURNED], SQUARE)
    assert verdict(columns) == (False, 32, 32, 32)
    assert "4,096 bytes apart" in columns.reason
    assert columns.ideal == 1 / 8
    by_layout = coalescing(linear_threads((N, N)), [TURNED], Memory((N, N), 32, (0, 1)))
    assert verdict(by_layout) == (True, 4, 1, 1)


def test_vectors() -> None:
    assert verdict(coalescing(linear_threads((N, N), vector=4), [IDENTITY], SQUARE)) == (True, 16, 4, 1)
    split = coalescing(linear_threads((N, N), vector=4), [TURNED], SQUARE)
    assert "element by element" in split.reason
    assert not split.coalesced


def test_one_place_for_all_threads() -> None:
    lhs, rhs = (item.map for item in dot_general_maps((N, N), (N, N), [], [], [1], [0]))
    same = coalescing(linear_threads((N, N)), [lhs], SQUARE)
    assert same.coalesced
    assert (same.access.sectors, same.access.conflicts) == (1, 1)
    assert "same address" in same.reason
    assert coalescing(linear_threads((N, N)), [rhs], SQUARE).coalesced
    scalar = coalescing(linear_threads((N, N)), [IndexMap.scalar((N, N))], Memory((), 32))
    assert (scalar.coalesced, scalar.access.bytes) == (True, 4)


def test_a_row_for_each_thread() -> None:
    data, _ = (item.map for item in reduce_maps([(N, N)], [1]))
    found = coalescing(linear_threads((N,)), [data], SQUARE, step=(7,))
    assert not found.coalesced
    assert found.access.addresses[:2] == (7, N + 7)
    assert found.accesses == N // 32 * N
    assert found.looked_at < found.accesses


def test_reads_that_do_not_begin_at_a_line() -> None:
    (read,) = (item.map for item in slice_maps((4097,), (1,), (4097,), (1,)))
    found = coalescing(linear_threads((4096,)), [read], Memory((4097,), 32))
    assert (found.access.sectors, found.access.lines, found.access.least_lines) == (5, 2, 1)
    assert found.coalesced
    assert "one more" in found.reason


def test_padding_against_bank_conflicts() -> None:
    tile = IndexMap.of([Dim(1), Dim(0)], (32, 32))
    threads = tiled_threads((32, 32), 1, 0)
    assert coalescing(threads, [tile], Memory((32, 32), 32)).conflicts.most == 32
    assert coalescing(threads, [tile], Memory((32, 32), 32, padding=1)).conflicts.most == 1
    assert coalescing(threads, [tile], Memory((32, 32), 16)).conflicts.most == 16
    # Words of 8 bytes are accessed by half-warps.
    assert coalescing(threads, [IndexMap.identity((32, 32))], Memory((32, 32), 64)).conflicts.most == 1


def test_runtime_values() -> None:
    data, *_ = (item.map for item in dynamic_slice_maps((N, N), (64, 64)))
    assumed = coalescing(linear_threads((64, 64)), [data], SQUARE)
    assert assumed.assumed
    assert assumed.access.addresses[0] == (N - 64) // 2 * (N + 1)
    bound = coalescing(linear_threads((64, 64)), [data], SQUARE, (None, np.array(2), np.array(9999)))
    assert not bound.assumed
    assert bound.access.addresses[0] == 2 * N + N - 64
    gather = GatherIndexing((N, 8), (N, 1), (1,), (0,), (), (), (0,), 1, (1, 8))
    rows = np.random.default_rng(3).permutation(N).reshape(N, 1)
    read = next(item.map for item in gather.index_maps() if item.operand == 0)
    found = coalescing(linear_threads((N, 8)), [read], Memory((N, 8), 32), (None, rows))
    assert found.access.addresses[:9] == (*range(rows[0, 0] * 8, rows[0, 0] * 8 + 8), rows[1, 0] * 8)
    assert found.sectors.most <= 4


def test_what_there_is_not() -> None:
    for wrong in ({"block": (99_999, 0, 0)}, {"warp": 4}, {"step": (0, 0)}):
        with pytest.raises(ValueError, match=r"there are|out of range"):
            coalescing(linear_threads((N, N)), [IDENTITY], SQUARE, **wrong)
    empty = coalescing(linear_threads((0, 4)), [IndexMap.identity((0, 4))], Memory((0, 4), 32))
    assert empty.coalesced
    assert empty.access.bytes == 0
