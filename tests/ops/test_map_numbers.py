"""Numbers of the maps of every op, on random valid calls: counts, relations of isl and tiles, against all pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.debugger.map_operands import map_operands
from hloscope.engine.indexing import Constant, IndexMap, OperandMap
from hloscope.engine.indexing.evaluation.bound_map import BoundMap, Operands
from hloscope.engine.indexing.measures.tallies import tally
from hloscope.engine.indexing.relations.relation import relation
from hloscope.engine.indexing.tiles.propagation import Tile, propagate_all
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.scalars import as_tensor

from .cases import CASES, Case

EVERY_OP = pytest.mark.parametrize("name", sorted(CASES))
FEW, MANY = settings(max_examples=4, deadline=None), settings(max_examples=60, deadline=None)
Index = tuple[int, ...]
Read = list[tuple[Index, Index]]
MOST = 3000
"""Pairs of a map that is compared; examples are small."""


def groups(case: Case) -> Iterator[tuple[list[OperandMap], Index, Index]]:
    """The maps of each operand and result, with the shapes of the operand and of the result."""
    found: dict[tuple[int, int], list[OperandMap]] = {}
    for item in case.op.index_maps():
        if not item.map.is_undefined and item.place is None:
            found.setdefault((item.operand, item.result), []).append(item)
    for (operand, _), items in found.items():
        type = as_tensor(case.op.operand_types[operand]) if operand < len(case.op.operand_types) else None
        alive = [item for item in items if not item.map.is_known_empty]
        if isinstance(type, TensorType) and type.is_static and alive:
            shape = tuple(
                max(i.map.dimensions[k].upper + 1 for i in alive) for k in range(len(alive[0].map.dimensions))
            )
            yield alive, type.sizes, shape


def reads(items: list[OperandMap], operands: Operands) -> Read:
    """Every (index, element), as often as it is met."""
    found: Read = []
    for item in items:
        for index in product(*(range(i.lower, i.upper + 1) for i in item.map.dimensions)):
            own = BoundMap(item.map, tuple(operands)).elements(index)
            assert own.complete
            found += [(index, tuple(element)) for element in own.indices.tolist()]
    return found


@pytest.mark.more
@EVERY_OP
@FEW
@given(data=st.data())
def test_counts_relations_and_tiles(name: str, data: st.DataObject) -> None:
    check(data.draw(CASES[name]), data)


@pytest.mark.long
@EVERY_OP
@MANY
@given(data=st.data())
def test_many_counts_relations_and_tiles(name: str, data: st.DataObject) -> None:
    check(data.draw(CASES[name]), data)


def check(case: Case, data: st.DataObject) -> None:
    operands = map_operands(case.op, case.operands)
    for items, elements, shape in groups(case):
        maps = [item.map for item in items]
        if any(operands[v.operand] is None for each in maps for v in each.runtimes):
            continue  # others would have brought it
        pairs = reads(items, operands)
        if len(pairs) > MOST or 0 in elements or 0 in shape:
            continue
        counted(maps, elements, shape, operands, pairs)
        related(maps, operands, pairs)
        tiled(maps, shape, operands, pairs, data)


def counted(maps: list[IndexMap], elements: Index, shape: Index, operands: Operands, pairs: Read) -> None:
    found = tally(maps, elements, shape, operands)
    anyhow = tally(maps, elements, shape)
    often = Counter(there for _, there in pairs)
    expected = {
        "reads": len(pairs),
        "pairs": len(set(pairs)),
        "elements": len(often),
        "readers": len({here for here, _ in pairs}),
        "fewest": min(often.values(), default=0),
        "most": max(often.values(), default=0),
    }
    assert {key: getattr(found, key).value for key in expected} == expected
    for key, number in expected.items():
        count = getattr(anyhow, key)
        assert count.least <= number <= count.most, key
    single, injective = len(set(pairs)) == expected["readers"], len(set(pairs)) == len(often)
    assert (found.single_valued, found.injective) == (single, injective)
    assert anyhow.single_valued in (None, single)
    assert anyhow.injective in (None, injective)


def related(maps: list[IndexMap], operands: Operands, pairs: Read) -> None:
    """isl's answers, where a run's values are few enough for it."""
    found = relation(maps, operands)
    image, preimage = found.image(), found.preimage()
    if image.exact and preimage.exact:
        assert image.count.value == len({there for _, there in pairs})
        assert preimage.count.value == len({here for here, _ in pairs})
        assert found.is_single_valued == (len(set(pairs)) == len({here for here, _ in pairs}))


def tiled(maps: list[IndexMap], shape: Index, operands: Operands, pairs: Read, data: st.DataObject) -> None:
    offsets = [data.draw(st.integers(0, size - 1)) for size in shape]
    sizes = [data.draw(st.integers(1, size)) for size in shape]
    tile = Tile.at(offsets, sizes)
    inside = [range(at, at + size) for at, size in zip(offsets, sizes, strict=True)]
    expected = {there for here, there in pairs if all(i in r for i, r in zip(here, inside, strict=True))}
    found: set[Index] = set()
    exact = True
    for each in propagate_all(maps, tile, operands):
        assert each.tile is not None, each.reason
        assert each.exact == (not each.reason)
        exact = exact and each.exact
        if not each.nothing:
            found |= box_of(each.tile)
    assert found == expected if exact else found >= expected


def box_of(tile: Tile) -> set[Index]:
    starts = [side.offset for side in tile.sides]
    assert all(isinstance(start, Constant) for start in starts)
    at = [start.value for start in starts if isinstance(start, Constant)]
    assert prod(side.size for side in tile.sides) <= np.iinfo(np.int32).max
    sides = (
        range(start, start + side.size * side.stride, side.stride)
        for start, side in zip(at, tile.sides, strict=True)
    )
    return set(product(*sides))
