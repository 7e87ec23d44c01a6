"""Tilings against a reference that places element by element, and their spellings."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.ir.attributes import OpaqueAttribute
from hloscope.engine.sharding.notation.device_meshes import DeviceMesh
from hloscope.engine.sharding.notation.hlo_shardings import sharding_of
from hloscope.engine.sharding.notation.shardy import ShardySharding, mesh_of
from hloscope.engine.sharding.notation.tilings import Tiling, tiling_by_axes, tiling_of, tilings_of

MESHES = {
    "mesh": DeviceMesh((("x", 2), ("y", 4))),
    "three": mesh_of(OpaqueAttribute("#sdy.mesh<[], device_ids=[3]>")),
}


def shardy(text: str) -> Tiling:
    return ShardySharding.from_attribute(OpaqueAttribute(f"#sdy.sharding{text}")).tiling(MESHES)


@st.composite
def by_axes(
    draw: Any,
) -> tuple[dict[str, int], np.ndarray[Any, Any], list[list[tuple[str, int, int]]], tuple[int, ...]]:
    """A mesh, its devices, axes for each dimension, and the sizes of a tensor."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    axes = {f"a{number}": size for number, size in enumerate(sizes)}
    ids = np.array(draw(st.permutations(range(int(np.prod(sizes))))))
    rank = draw(st.integers(1, 3))
    dimensions: list[list[tuple[str, int, int]]] = [[] for _ in range(rank)]
    for axis in draw(st.permutations(list(axes))):
        where = draw(st.integers(0, rank))
        if where < rank:
            dimensions[where].append((axis, 1, axes[axis]))
    shape = tuple(draw(st.lists(st.integers(0, 9), min_size=rank, max_size=rank)))
    return axes, ids, dimensions, shape


def reference(
    axes: dict[str, int], ids: np.ndarray[Any, Any], dimensions: Any, shape: tuple[int, ...]
) -> dict[int, set[tuple[int, ...]]]:
    """The elements that each device holds, by its mesh coordinates."""
    names = list(axes)
    held: dict[int, set[tuple[int, ...]]] = {}
    for place in product(*map(range, axes.values())):
        at = dict(zip(names, place, strict=True))
        ranges = []
        for parts, size in zip(dimensions, shape, strict=True):
            count, tile = 1, 0
            for axis, _, length in parts:
                count, tile = count * length, tile * length + at[axis]
            each = -(-size // count)
            ranges.append([element for element in range(size) if element // each == tile] if size else [])
        held[int(ids.reshape(list(axes.values()))[place])] = set(product(*ranges))
    return held


@given(by_axes())
def test_each_device_holds_what_its_coordinates_say(found: Any) -> None:
    axes, ids, dimensions, shape = found
    tiling = tiling_by_axes(axes, ids, dimensions)
    whole = np.arange(int(np.prod(shape))).reshape(shape)
    parts = {}
    for device, elements in reference(axes, ids, dimensions, shape).items():
        box = tiling.box_of(device, shape)
        assert box is not None
        assert set(product(*(range(found.start, found.stop) for found in box))) == elements
        parts[device] = tiling.cut(whole, device)
        assert parts[device].shape == tiling.part_shape(shape)
        inside = tuple(slice(0, found.stop - found.start) for found in box)
        np.testing.assert_array_equal(parts[device][inside], whole[box])
    for device in parts:
        np.testing.assert_array_equal(tiling.join(parts, shape, device), whole)


def test_sources_differ_only_along_what_is_cut() -> None:
    tiling = shardy('<@mesh, [{"y"}, {}]>')
    assert tiling.sources(5).reshape(-1).tolist() == [4, 5, 6, 7]
    assert tiling.sources(2).reshape(-1).tolist() == [0, 1, 2, 3]
    own = {device: np.full((1, 1), device) for device in range(8)}
    np.testing.assert_array_equal(tiling.join(own, (4, 1), 6), [[4], [5], [6], [7]])
    assert [device for device, _ in tiling.routes((4, 1), 0)] == [0, 1, 2, 3]


SHARDINGS = {
    "{replicated}": (None, "whole, on each device"),
    "{manual}": (None, "whole, on each device, which need not be equal"),
    "{maximal device=3}": ({3: (0, 8)}, "whole on device 3 alone"),
    "{devices=[2,1,2]<=[4] last_tile_dim_replicate}": (
        {0: (0, 4), 1: (0, 4), 2: (4, 8), 3: (4, 8)},
        "dimension 0 in 2 parts, 2 copies of each",
    ),
    "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}": (
        {0: (0, 4), 2: (0, 4), 1: (4, 8), 3: (4, 8)},
        "dimension 0 in 2 parts, 2 copies of each",
    ),
    "{devices=[4,1]3,2,1,0}": ({3: (0, 2), 2: (2, 4), 1: (4, 6), 0: (6, 8)}, "dimension 0 in 4 parts"),
    "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}": (
        dict.fromkeys(range(4), (0, 8)),
        "whole, on 4 devices, which need not be equal",
    ),
    "{devices=[2,1,2]<=[4] last_tile_dims={unreduced}}": (
        {0: (0, 4), 1: (0, 4), 2: (4, 8), 3: (4, 8)},
        "dimension 0 in 2 parts, a sum of 2 terms",
    ),
    "{mesh['x'=2,'y'=2], [{'y'}, {}]}": (
        {0: (0, 4), 1: (4, 8), 2: (0, 4), 3: (4, 8)},
        "dimension 0 in 2 parts, 2 copies of each",
    ),
    "{mesh['x'=2,'y'=2], replicated}": (dict.fromkeys(range(4), (0, 8)), "whole, on 4 devices"),
}


@pytest.mark.parametrize("text", SHARDINGS)
def test_shardings_of_hlo(text: str) -> None:
    rows, words = SHARDINGS[text]
    tiling = tiling_of(sharding_of(text))
    tiling.check((8, 2))
    assert tiling.describe() == words
    for device in range(4):
        box = tiling.box_of(device, (8, 2))
        wanted = (0, 8) if rows is None else rows.get(device)
        assert (box and (box[0].start, box[0].stop)) == wanted


def test_shardings_of_tuples() -> None:
    found = tilings_of(sharding_of("{{devices=[2]<=[2]},{replicated}}"), 2)
    assert [tiling.tiles for tiling in found] == [(2,), ()]
    assert tilings_of(sharding_of("{replicated}"), 3) == (Tiling(),) * 3
    with pytest.raises(ValueError, match="for 2 tensors, but the value has 1"):
        tilings_of(sharding_of("{{replicated},{replicated}}"), 1)
    with pytest.raises(ValueError, match="for a tuple, but"):
        tiling_of(sharding_of("{{replicated}}"))


def test_ranks_are_checked() -> None:
    with pytest.raises(ValueError, match="rank 2, not 1"):
        tiling_of(sharding_of("{devices=[2,1]<=[2]}")).check((4,))


def test_parts_of_axes() -> None:
    tiling = shardy('<@mesh, [{"y":(1)2}, {"x", "y":(2)2, ?}p1]>')
    boxes = [tiling.box_of(device, (2, 4)) for device in range(8)]
    places = [(box[0].start, box[1].start) for box in boxes if box]
    assert places == [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (0, 3), (1, 2), (1, 3)]


def test_one_device_alone() -> None:
    tiling = shardy("<@three, []>")
    assert tiling.is_single
    assert tiling.box_of(0, (2,)) is None
    assert tiling.box_of(3, (2,)) == (slice(0, 2),)
    np.testing.assert_array_equal(tiling.join({3: np.arange(2)}, (2,), 0), [0, 1])


def test_coarser_tilings() -> None:
    fine = shardy('<@mesh, [{"y"}, {"x"}]>')
    coarse = fine.coarsen((2, 1))
    assert coarse is not None
    for device in range(8):
        (rows, columns), (first, _) = coarse.box_of(device, (8, 2)) or (), fine.box_of(device, (8, 2)) or ()
        assert (rows.start, rows.stop) == (first.start // 4 * 4, first.start // 4 * 4 + 4)
        assert columns == slice(0, 2)
    # In the finer tiling, the devices of the other half are on the same device.
    assert coarse.sources(5).reshape(-1).tolist() == [5, 7]
    assert fine.coarsen((3, 1)) is None


def test_terms_are_added() -> None:
    tiling = shardy('<@mesh, [{"y"}], unreduced={"x"}>')
    whole = np.arange(8, dtype=np.float32)
    parts = {device: tiling.cut(whole, device) for device in range(8)}
    assert parts[1].tolist() == [2, 3]
    assert parts[5].tolist() == [0, 0]
    np.testing.assert_array_equal(tiling.join(parts, (8,), 6), whole)
    truths = {0: np.array([True, False]), 1: np.array([True, True])}
    both = Tiling((1,), (0, 1), terms=2)
    assert both.join(truths, (2,), 0).tolist() == [True, True]


WRONG = {
    '<@mesh, [{"z"}]>': 'the mesh has no axis "z"; it has "x", "y"',
    "<@other, [{}]>": "there is no mesh @other; the module has @mesh, @three",
    '<@mesh, [{"x", "x"}]>': 'axis "x" is named twice',
    '<@mesh, [{"y", "y":(1)2}]>': 'axis "y" is named as a whole and in part',
    '<@mesh, [{"y":(1)3}]>': "(1)3 is not a part of axis 'y', of 4",
    '<@mesh, [{"y":(1)4}]>': '"y":(1)4 is all of axis "y", and should not be named as a part',
    '<@mesh, [{"y":(1)2, "y":(1)2}]>': "parts of axis 'y' overlap",
    "<@mesh, [{}, {}]>": "it has 2 dimensions, but the value has 1",
    "<@three, [{}]>": "a sharding by the mesh of one device names no dimensions and no axes",
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_shardings_of_shardy(text: str) -> None:
    sharding = ShardySharding.from_attribute(OpaqueAttribute(f"#sdy.sharding{text}"))
    with pytest.raises(ValueError, match=f"^{re.escape(WRONG[text])}$"):
        sharding.check(sharding.mesh_among(MESHES), 1)


UNREADABLE = {
    "<@mesh>": "expected ',' and the axes of each dimension, found '>'",
    "<@mesh, [x]>": "expected '{', the axes of one dimension, found 'x'",
    '<@mesh, [{?, "x"}]>': "'?' comes last",
    "<@mesh, [{}], other={}>": "'other' is not a part of a sharding",
    '<@mesh, [{}], replicated={"x"}, replicated={"y"}>': "'replicated' is given twice",
    '<mesh<["x"=2], device_ids=[0]>, []>': "these are 1 devices, but the mesh has 2",
    '<mesh<["x"=2], device_ids=[0, 0]>, []>': "device_ids must be distinct nonnegative numbers",
    '<mesh<["x"=0]>, []>': "an axis needs a positive size and a unique name",
    "<@mesh, [{}]> and": "expected the end of the text, found 'and'",
}


@pytest.mark.parametrize("text", UNREADABLE)
def test_unreadable_shardings(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(UNREADABLE[text])}$"):
        ShardySharding.from_attribute(OpaqueAttribute(f"#sdy.sharding{text}"))
