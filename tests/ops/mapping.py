"""What an op's index maps say of whole arrays: relations as tables, and how they are compared with what an op does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.debugger.map_operands import map_operands
from hloscope.engine.indexing import IndexMap, OperandMap
from hloscope.engine.indexing.evaluation.bound_map import BoundMap
from hloscope.engine.ops.core.op import Array, Op

Table = NDArray[np.bool_]
"""Of a result and an operand, [element of the result, element of the operand], both in row-major order."""
Key = tuple[int, int]
"""The number of a result, and of an operand."""


def table_of(index_map: IndexMap, source: Sequence[int], target: Sequence[int], operands: Any) -> Table:
    """[element of `source`, element of `target`] of a map from one to the other."""
    assert not index_map.is_undefined
    found = np.zeros((prod(source), prod(target)), np.bool_)
    if index_map.is_known_empty or not found.size:
        return found
    assert len(index_map.dimensions) == len(source)
    assert len(index_map.results) == len(target)
    bounds = [*((0, size) for size in source), *((r.lower, r.size) for r in index_map.ranges)]
    columns = np.indices([size for _, size in bounds], np.int64).reshape(
        len(bounds), prod(s for _, s in bounds)
    )
    variables = columns.T + np.array([low for low, _ in bounds], np.int64)
    rank = len(source)
    read, mask = BoundMap(index_map, tuple(operands)).evaluate(variables[:, :rank], variables[:, rank:])
    read, here = read[mask], variables[mask, :rank]
    assert np.all((read >= 0) & (read < np.array(target, np.int64))), f"{index_map} leaves {target}"
    found[_numbers(here, source), _numbers(read, target)] = True
    return found


def _numbers(indices: NDArray[np.int64], shape: Sequence[int]) -> Any:
    if not shape:
        return np.zeros(len(indices), np.int64)
    return np.ravel_multi_index(tuple(indices.T), tuple(shape))


def tables(
    maps: Iterable[OperandMap],
    operands: Sequence[Array],
    results: Sequence[Array],
    found: Sequence[Array | None],
    *,
    inverse: bool = False,
) -> dict[Key, Table]:
    """What belongs together by the maps; `found` is what their runtime variables read."""
    tables: dict[Key, Table] = {
        (r, o): np.zeros((result.size, operand.size), np.bool_)
        for r, result in enumerate(results)
        for o, operand in enumerate(operands)
    }
    for item in maps:
        assert not item.enclosing
        operand, result = operands[item.operand].shape, results[item.result].shape
        alone = () if item.place is None or item.map.is_known_empty else (1,)  # the only process meets itself
        if inverse:
            tables[item.result, item.operand] |= table_of(item.placed, operand, (*result, *alone), found).T
        else:
            tables[item.result, item.operand] |= table_of(item.placed, result, (*operand, *alone), found)
    return tables


def related(op: Op, operands: Sequence[Array], results: Sequence[Array]) -> dict[Key, Table]:
    """What results depend on, by the maps of both directions, which must say the same."""
    found = map_operands(op, operands)
    there = tables(op.index_maps(), operands, results, found)
    back = tables(op.inverse_index_maps(), operands, results, found, inverse=True)
    for key, table in there.items():
        assert np.array_equal(table, back[key]), f"the maps of {op.name} between {key} are no inverses"
    return there


def moved(op: Op, operands: Sequence[Array], results: Sequence[Array]) -> dict[Key, Table]:
    """Where the values of results come from, by the maps of both directions, which must say the same."""
    found = map_operands(op, operands)
    there = tables(op.value_maps(), operands, results, found)
    back = tables(op.value_maps(inverse=True), operands, results, found, inverse=True)
    for key, table in there.items():
        assert np.array_equal(table, back[key]), f"the maps of {op.name} between {key} are no inverses"
    return there


def groups(op: Op, *, inverse: bool = False) -> Iterator[tuple[Key, list[IndexMap]]]:
    """The maps of each pair of a result and an operand."""
    found: dict[Key, list[IndexMap]] = {}
    for item in op.inverse_index_maps() if inverse else op.index_maps():
        found.setdefault((item.result, item.operand), []).append(item.map)
    yield from found.items()
