"""Maps against ops executed on linear indices, which show where each element came from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine import indexing as ix
from hloscope.engine.indexing import OperandMap
from hloscope.engine.indexing.evaluation.bound_map import IntArray
from hloscope.engine.indexing.relations.isl_maps import is_inverse

from .oracles import linear_indices, moved_pairs, pairs_by_operand, turned
from .strategies import shapes

Maps = Iterable[OperandMap]


def check(there: Maps, back: Maps, result: IntArray, shape: Sequence[int]) -> None:
    """Check operand 0 of an op with one result; the inverse also with isl."""
    there, back = list(there), list(back)
    read = pairs_by_operand(there)
    assert read[0] == moved_pairs(result, shape)
    written = pairs_by_operand(back)
    assert written == {operand: turned(pairs) for operand, pairs in read.items()}
    for operand in read:
        forward = [item.map for item in there if item.operand == operand]
        assert is_inverse(forward, [item.map for item in back if item.operand == operand])


@given(st.data(), shapes)
def test_transpose(data: st.DataObject, shape: tuple[int, ...]) -> None:
    permutation = list(data.draw(st.permutations(range(len(shape)))))
    result = linear_indices(shape).transpose(permutation)
    check(ix.transpose_maps(shape, permutation), ix.inverse_transpose_maps(shape, permutation), result, shape)


@settings(deadline=None)
@given(st.data())
def test_reshape(data: st.DataObject) -> None:
    primes = data.draw(st.lists(st.sampled_from((1, 2, 2, 3)), max_size=5))
    shape, result_shape = (merged(data, primes) for _ in range(2))
    result = linear_indices(shape).reshape(result_shape)
    check(ix.reshape_maps(shape, result_shape), ix.inverse_reshape_maps(shape, result_shape), result, shape)


def merged(data: st.DataObject, factors: list[int]) -> tuple[int, ...]:
    """The factors, shuffled, with random runs multiplied."""
    sizes: list[int] = []
    order: list[int] = data.draw(st.permutations(factors))
    for factor in order:
        joins: bool = data.draw(st.booleans())
        if sizes and joins:
            sizes[-1] *= factor
        else:
            sizes.append(factor)
    return tuple(sizes)


@given(st.data(), shapes)
def test_slice(data: st.DataObject, shape: tuple[int, ...]) -> None:
    starts = [data.draw(st.integers(0, size)) for size in shape]
    limits = [data.draw(st.integers(start, size)) for start, size in zip(starts, shape, strict=True)]
    strides = [data.draw(st.integers(1, 3)) for _ in shape]
    result = linear_indices(shape)[tuple(map(slice, starts, limits, strides))]
    there = ix.slice_maps(shape, starts, limits, strides)
    check(there, ix.inverse_slice_maps(shape, starts, limits, strides), result, shape)


@given(st.data(), shapes)
def test_reverse(data: st.DataObject, shape: tuple[int, ...]) -> None:
    dimensions = [k for k in range(len(shape)) if data.draw(st.booleans())]
    result = np.flip(linear_indices(shape), tuple(dimensions))
    maps = list(ix.reverse_maps(shape, dimensions))
    check(maps, ix.inverse_reverse_maps(shape, dimensions), result, shape)


@given(st.data(), shapes)
def test_broadcast_in_dim(data: st.DataObject, shape: tuple[int, ...]) -> None:
    rank = len(shape) + data.draw(st.integers(0, 2))
    targets = data.draw(st.permutations(range(rank)))[: len(shape)]
    result_shape = [data.draw(st.integers(1, 3)) for _ in range(rank)]
    for size, target in zip(shape, targets, strict=True):
        result_shape[target] = size if size > 1 else result_shape[target]
    placed = [1] * rank
    for size, target in zip(shape, targets, strict=True):
        placed[target] = size
    moved = linear_indices(shape).transpose(np.argsort(targets)).reshape(placed)
    there = ix.broadcast_in_dim_maps(shape, targets, result_shape)
    back = ix.inverse_broadcast_in_dim_maps(shape, targets, result_shape)
    check(there, back, np.broadcast_to(moved, result_shape), shape)


@settings(deadline=None)
@given(st.data(), shapes)
def test_pad(data: st.DataObject, shape: tuple[int, ...]) -> None:
    """Padding may be negative. The padding value is read exactly where the operand is not."""
    interior = [data.draw(st.integers(0, 2)) for _ in shape]
    spread = [(size - 1) * (gap + 1) + 1 for size, gap in zip(shape, interior, strict=True)]
    low = [data.draw(st.integers(-2, 2)) for _ in shape]
    high = [data.draw(st.integers(max(-2, -size - a), 2)) for size, a in zip(spread, low, strict=True)]
    result = np.full([s + a + b for s, a, b in zip(spread, low, high, strict=True)], -1)
    for index, value in np.ndenumerate(linear_indices(shape)):
        target = [a + i * (gap + 1) for i, a, gap in zip(index, low, interior, strict=True)]
        if all(0 <= t < size for t, size in zip(target, result.shape, strict=True)):
            result[tuple(target)] = value
    there = list(ix.pad_maps(shape, low, high, interior))
    check(there, ix.inverse_pad_maps(shape, low, high, interior), result, shape)
    padded = pairs_by_operand(there).get(1, set())
    assert padded == {(index, ()) for index, value in np.ndenumerate(result) if value < 0}


def test_concatenate_has_one_source_for_each_element() -> None:
    input_shapes = [(2, 1), (2, 0), (2, 3)]
    read = pairs_by_operand(ix.concatenate_maps(input_shapes, 1))
    back = pairs_by_operand(ix.inverse_concatenate_maps(input_shapes, 1))
    for number, shape in enumerate(input_shapes):
        pieces = [linear_indices(s) if k == number else np.full(s, -1) for k, s in enumerate(input_shapes)]
        assert read[number] == moved_pairs(np.concatenate(pieces, 1), shape)
        assert back[number] == turned(read[number])


def test_elementwise_with_a_scalar_operand() -> None:
    operand_shapes = [(), (2, 3), (2, 3)]
    read = pairs_by_operand(ix.elementwise_maps((2, 3), operand_shapes))
    assert read[0] == {(index, ()) for index in np.ndindex(2, 3)}
    assert read[1] == {(index, index) for index in np.ndindex(2, 3)}
    back = pairs_by_operand(ix.inverse_elementwise_maps((2, 3), operand_shapes))
    assert back == {operand: turned(pairs) for operand, pairs in read.items()}


def test_reduce() -> None:
    shape, dimensions = (2, 3, 2), (2, 0)  # unordered: the range variables follow the operand
    maps = list(ix.reduce_maps([shape, shape], dimensions))
    assert {(m.operand, m.result) for m in maps} == {(k, r) for k in range(4) for r in range(2)}
    read = pairs_by_operand(m for m in maps if m.result == 0)
    assert read[0] == {((j,), (i, j, k)) for i, j, k in np.ndindex(shape)}
    assert read[3] == {((j,), ()) for j in range(3)}
    back = pairs_by_operand(m for m in ix.inverse_reduce_maps([shape, shape], dimensions) if m.result == 0)
    assert back == {operand: turned(pairs) for operand, pairs in read.items()}


def test_dot_general() -> None:
    lhs, rhs = (2, 3, 2), (3, 2, 4)  # batch 3, contracted 2, free 2 and 4
    arguments = (lhs, rhs, (1,), (0,), (2,), (1,))
    read = pairs_by_operand(ix.dot_general_maps(*arguments))
    cells = list(np.ndindex(3, 2, 4, 2))
    assert read[0] == {((b, m, n), (m, b, k)) for b, m, n, k in cells}
    assert read[1] == {((b, m, n), (b, k, n)) for b, m, n, k in cells}
    there, back = list(ix.dot_general_maps(*arguments)), list(ix.inverse_dot_general_maps(*arguments))
    assert pairs_by_operand(back) == {operand: turned(pairs) for operand, pairs in read.items()}
    assert all(is_inverse(a.map, b.map) for a, b in zip(there, back, strict=True))


def test_elements_that_negative_padding_drops_are_left_out_of_the_domain() -> None:
    first, *_ = ix.inverse_pad_maps((8, 6), (1, -1), (1, -2), (0, 1))
    assert ix.print_map(first.map) == "(d0, d1) -> (d0 + 1, d1 * 2 - 1), domain: d0 in [0, 7], d1 in [1, 4]"
