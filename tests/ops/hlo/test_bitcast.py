"""bitcast: against the bytes that a memory laid out by hand would hold."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.indexing import print_map
from hloscope.engine.indexing.evaluation.bound_map import BoundMap
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.layouts import Layout
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.hlo.hlo_bitcast import Bitcast
from hloscope.engine.ops.specialise import specialise_op
from tests.each import for_each

Tiles = tuple[tuple[int, ...], ...]


def laid_out(
    element_type: str,
    shape: Sequence[int | None],
    order: Sequence[int] | None = None,
    tiles: Tiles = (),
    bits: int = 0,
) -> TensorType:
    layout = None if order is None else Layout(tuple(order), tiles, bits)
    return TensorType(tuple(shape), ELEMENT_TYPES[element_type], layout=layout)


def bitcast(operand: TensorType, result: TensorType, array: Any) -> Array:
    op = Bitcast(operand, result)
    assert first_broken_constraint(op, [result]) is None
    found = op.evaluate(np.asarray(array, operand.element_type.dtype))
    assert (found.shape, found.dtype) == (result.sizes, result.element_type.dtype)
    return found


def test_a_missing_layout_is_row_major() -> None:
    found = bitcast(laid_out("i32", (2, 3), (0, 1)), laid_out("i32", (6,)), [[1, 2, 3], [4, 5, 6]])
    assert found.tolist() == [1, 4, 2, 5, 3, 6]


@pytest.mark.parametrize("bits", [0, 4])
def test_narrow_elements_are_packed_where_the_layout_says_so_or_nothing_else_fits(bits: int) -> None:
    narrow = laid_out("ui4", (2, 2), (1, 0), bits=bits)
    assert bitcast(narrow, laid_out("ui8", (2,)), [[1, 2], [3, 4]]).tolist() == [0x21, 0x43]
    assert bitcast(laid_out("ui8", (2,)), narrow, [0x21, 0x43]).tolist() == [[1, 2], [3, 4]]
    columns = laid_out("ui4", (2, 2), (0, 1), bits=bits)
    assert bitcast(columns, laid_out("ui8", (2,)), [[1, 2], [3, 4]]).tolist() == [0x31, 0x42]


def test_narrow_elements_take_a_byte_each_where_that_fits() -> None:
    narrow, whole = laid_out("i4", (3,)), laid_out("i8", (3,))
    assert bitcast(narrow, whole, [1, 2, 3]).tolist() == [1, 2, 3]
    assert bitcast(whole, narrow, [0x11, -1, 7]).astype(np.int8).tolist() == [1, -1, 7]
    assert bitcast(narrow, laid_out("ui4", (3,)), [1, -1, -8]).tolist() == [1, 15, 8]


def test_booleans_take_a_byte_each() -> None:
    booleans = laid_out("i1", (4,))
    assert bitcast(booleans, laid_out("ui32", ()), [True, False, True, False]) == 0x00010001
    assert bitcast(laid_out("ui8", (4,)), booleans, [0, 1, 2, 0]).tolist() == [False, True, True, False]
    message = "the result must be as large as operand, 64 bits, not 8 bits"
    assert first_broken_constraint(Bitcast(laid_out("i1", (8,)), laid_out("ui8", (1,)))) == ("", message)


def test_tensors_without_elements() -> None:
    assert bitcast(laid_out("f32", (0, 3), (0, 1)), laid_out("f32", (2, 0)), np.zeros((0, 3))).size == 0
    op = Bitcast(laid_out("ui8", (4, 0)), laid_out("ui32", (0,)))
    assert op.evaluate(np.zeros((4, 0), np.uint8)).shape == (0,)
    assert [found.map.is_known_empty for found in (*op.index_maps(), *op.inverse_index_maps())] == [
        True,
        True,
    ]


def memory_of(found: TensorType, array: Array) -> Array:
    """The elements in the order of their places in memory, each found by the definition of tiles."""
    order = tuple(reversed(found.layout.minor_to_major)) if found.layout else tuple(range(found.rank))
    sizes = [found.sizes[k] for k in order]
    tiles = [[size for size in tile if size] for tile in (found.layout.tiles if found.layout else ())]
    places = {}
    for index in product(*map(range, sizes)):
        at, within = list(index), list(sizes)
        for tile in tiles:
            outer, inner = at[: -len(tile)], at[-len(tile) :]
            shape_out, shape_in = within[: -len(tile)], within[-len(tile) :]
            at = [*outer, *(i // t for i, t in zip(inner, tile, strict=True))]
            at += [i % t for i, t in zip(inner, tile, strict=True)]
            within = [*shape_out, *(s // t for s, t in zip(shape_in, tile, strict=True)), *tile]
        logical = [0] * found.rank
        for dimension, value in zip(order, index, strict=True):
            logical[dimension] = value
        places[int(np.ravel_multi_index(at, within)) if within else 0] = array[tuple(logical)]
    return np.array([places[place] for place in range(prod(sizes))], array.dtype)


SHAPES = [
    laid_out("i32", (4, 6), (1, 0), ((2, 3),)),
    laid_out("i32", (4, 6), (0, 1), ((2, 2),)),
    laid_out("i32", (24,), (0,), ((8,),)),
    laid_out("i32", (2, 4, 3), (0, 2, 1), ((3, 2), (3, 1))),
    laid_out("i32", (2, 4, 3), (1, 0, 2)),
    laid_out("i32", (8, 3), (0, 1), ((4,), (2,))),
    laid_out("i32", (6, 4)),
    laid_out("i32", (1, 24, 1), (1, 2, 0)),
]


@for_each("operand", SHAPES, ids=lambda found: f"{found}{found.layout or ''}")
@for_each("result", SHAPES, ids=lambda found: f"{found}{found.layout or ''}")
def test_the_memory_stays_as_it_is(operand: TensorType, result: TensorType) -> None:
    array = np.arange(24, dtype=np.int32).reshape(operand.sizes)
    found = bitcast(operand, result, array)
    assert memory_of(result, found).tolist() == memory_of(operand, array).tolist()
    _maps_agree(Bitcast(operand, result), array, found)


def _maps_agree(op: Bitcast, array: Array, found: Array) -> None:
    (read,), (written,) = op.index_maps(), op.inverse_index_maps()
    for index in product(*map(range, found.shape)):
        ((source, *_),) = [BoundMap(read.map, (None,)).elements(index).indices.tolist()]
        assert array[tuple(source)] == found[index]
        ((target, *_),) = [BoundMap(written.map, (None,)).elements(tuple(source)).indices.tolist()]
        assert tuple(target) == index


def test_tiles_that_leave_holes_change_nothing() -> None:
    array = np.arange(15).reshape(3, 5)
    operand = laid_out("i32", (3, 5), (1, 0), ((2, 4),))
    assert bitcast(operand, laid_out("i32", (15,)), array).tolist() == list(range(15))
    combined = TensorType((4, 4), ELEMENT_TYPES["i32"], layout=Layout((1, 0), ((None, 2),)))
    assert bitcast(combined, laid_out("i32", (16,)), np.arange(16).reshape(4, 4)).tolist() == list(range(16))
    deeper = laid_out("i32", (4,), (0,), ((2, 2),))
    assert bitcast(deeper, laid_out("i32", (2, 2)), range(4)).tolist() == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    ("operand", "result", "printed"),
    [
        (laid_out("f32", (4, 4), (1, 0)), laid_out("f32", (4, 4), (0, 1)), "(d0, d1) -> (d1, d0)"),
        (laid_out("f32", (2, 3)), laid_out("f32", (6,)), "(d0) -> (d0 / 3, d0 mod 3)"),
        (laid_out("f32", (2, 3), (0, 1)), laid_out("f32", (6,)), "(d0) -> (d0 mod 2, d0 / 2)"),
        (laid_out("f32", (2, 3)), laid_out("f32", (2, 3)), "(d0, d1) -> (d0, d1)"),
        (laid_out("i16", (6,)), laid_out("i32", (3,)), "(d0)[s0] -> (d0 * 2 + s0)"),
        (laid_out("i32", (3,)), laid_out("i16", (6,)), "(d0) -> (d0 / 2)"),
    ],
)
def test_maps_are_as_simple_as_they_can_be(operand: TensorType, result: TensorType, printed: str) -> None:
    (found,) = Bitcast(operand, result).index_maps()
    assert print_map(found.map).partition(", domain")[0] == printed


def test_sizes_that_are_not_known_are_those_of_the_operand() -> None:
    bounded = TensorType((None, 2), ELEMENT_TYPES["f32"], (3, None), layout=Layout((0, 1)))
    op = Bitcast(bounded, TensorType((None, 2), ELEMENT_TYPES["f32"], (3, None)))
    array = np.arange(4, dtype=np.float32).reshape(2, 2)
    assert first_broken_constraint(op, [op.result]) is None
    found = specialise_op(op, [array])
    assert found.evaluate(array).tolist() == [[0, 2], [1, 3]]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("operand", "result", "message"),
    [
        (
            laid_out("f32", (2, 3)),
            laid_out("f32", (7,)),
            "the result must be as large as operand, 192 bits, not 224 bits",
        ),
        (
            laid_out("f32", (2, 3), (0, 0)),
            laid_out("f32", (6,)),
            "the layout {0,0} of operand does not order the dimensions of [2, 3]",
        ),
        (
            laid_out("f32", (6,)),
            laid_out("f32", (2, 3), (1,)),
            "the layout {1} of the result does not order the dimensions of [2, 3]",
        ),
        (
            laid_out("f32", (None,)),
            laid_out("i32", (None,)),
            "a size is not known, so operand and result must have one type, not tensor<?xf32> and tensor<?xi32>",
        ),
        (
            laid_out("f6E2M3FN", (4,), (0,), bits=6),
            laid_out("ui8", (3,)),
            "elements of 8 bits are no whole number of elements of 6 bits",
        ),
    ],
)
def test_broken_rules_are_named(operand: TensorType, result: TensorType, message: str) -> None:
    assert first_broken_constraint(Bitcast(operand, result), [result]) == ("", message)


sizes = st.lists(st.one_of(st.none(), st.integers(0, 4)), max_size=3)
orders = st.none() | st.lists(st.integers(-1, 3), max_size=3)
tilings = st.lists(st.lists(st.one_of(st.none(), st.integers(0, 3)), max_size=3).map(tuple), max_size=2)


@st.composite
def hostile(draw: st.DrawFn) -> TensorType:
    element_type = ELEMENT_TYPES[draw(st.sampled_from(["f32", "i4", "i1", "complex<f64>", "f6E3M2FN"]))]
    order = draw(orders)
    layout = None
    if order is not None:
        layout = Layout(tuple(order), tuple(draw(tilings)), draw(st.sampled_from([0, 4, 6, 32])))
    return TensorType(tuple(draw(sizes)), element_type, layout=layout)


@settings(max_examples=300)
@given(hostile(), hostile())
def test_hostile_layouts_are_refused_or_run(operand: TensorType, result: TensorType) -> None:
    op = Bitcast(operand, result)
    if first_broken_constraint(op, [result]) is not None or not (operand.is_static and result.is_static):
        return
    found = op.evaluate(np.zeros(operand.sizes, operand.element_type.dtype))
    assert (found.shape, found.dtype) == (result.sizes, result.element_type.dtype)
    assert len([*op.index_maps(), *op.inverse_index_maps()]) == 2
