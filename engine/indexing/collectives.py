"""Index maps of collective ops, between the result of a process and the operand of one that works with it.

Which process that is, is no part of a map. Where the elements depend on the place of the process in its group,
a range variable runs over the places; in a group of one there is one.
"""

from __future__ import annotations

from collections.abc import Sequence

from .expressions import Expression, Range, add, dims, modulo, multiply
from .index_map import IndexMap

Shape = Sequence[int]


def all_gather_map(operand_shape: Shape, result_shape: Shape, dimension: int) -> IndexMap:
    """(d0, d1) -> (d0, d1 mod size): the operands of all places lie beside each other in `dimension`."""
    index: list[Expression] = list(dims(len(result_shape)))
    index[dimension] = modulo(index[dimension], max(1, operand_shape[dimension]))
    return IndexMap.of(index, result_shape)


def inverse_all_gather_map(operand_shape: Shape, result_shape: Shape, dimension: int) -> IndexMap:
    """(d0, d1)[s0] -> (d0, s0 * size + d1), for each place s0."""
    size = operand_shape[dimension]
    places = result_shape[dimension] // size if size else 0
    index: list[Expression] = list(dims(len(operand_shape)))
    index[dimension] = _part(index[dimension], size)
    return IndexMap.of(index, operand_shape, [places])


def reduce_scatter_map(operand_shape: Shape, result_shape: Shape, dimension: int) -> IndexMap:
    """(d0, d1)[s0] -> (d0, s0 * size + d1): a process of place s0 gets part s0."""
    return inverse_all_gather_map(result_shape, operand_shape, dimension)


def inverse_reduce_scatter_map(operand_shape: Shape, result_shape: Shape, dimension: int) -> IndexMap:
    """(d0, d1) -> (d0, d1 mod size), in the result of the process that gets the part."""
    return all_gather_map(result_shape, operand_shape, dimension)


def all_to_all_map(operand_shape: Shape, split: int, concat: int, count: int) -> IndexMap:
    """Of a process of place s0: part s0 along `split` of the operand whose part lies there along `concat`."""
    result_shape = _exchanged(operand_shape, split, concat, count)
    part = operand_shape[split] // count
    index: list[Expression] = list(dims(len(operand_shape)))
    index[concat] = modulo(index[concat], max(1, part if split == concat else operand_shape[concat]))
    index[split] = _part(index[split], part)
    return IndexMap.of(index, result_shape, [count])


def inverse_all_to_all_map(operand_shape: Shape, split: int, concat: int, count: int) -> IndexMap:
    """Of a process of place s0, whose parts lie at s0 along `concat` of the results."""
    part = operand_shape[split] // count
    index: list[Expression] = list(dims(len(operand_shape)))
    index[split] = modulo(index[split], max(1, part))
    index[concat] = _part(index[concat], part if split == concat else operand_shape[concat])
    return IndexMap.of(index, operand_shape, [count])


def _exchanged(shape: Shape, split: int, concat: int, count: int) -> tuple[int, ...]:
    sizes = list(shape)
    sizes[split] //= count
    sizes[concat] *= count
    return tuple(sizes)


def _part(index: Expression, size: int) -> Expression:
    return add(multiply(Range(0), size), index)
