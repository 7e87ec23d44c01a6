"""Index maps of pad and slice with paddings, starts and strides as operands.

For dynamic_pad and real_dynamic_slice, these are runtime variables, so formulas contain products of
variables. With the numbers of a run, the maps are those of pad and slice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..core.expressions import Dim, Expression, Range, Runtime, as_expression, multiply
from ..core.index_map import IndexMap, OperandMap, RuntimeVariable
from ..core.interval import Interval
from .data_movement_maps import ZERO, Shape

MAX_OFFSET = 1 << 31
"""Upper limit of paddings and starts; no dimension is as long."""


def dynamic_pad_maps(
    operand_shape: Shape, result_shape: Shape, low: int, interior: int, *, inverse: bool
) -> Iterator[OperandMap]:
    """`low` and `interior` are operand numbers of these paddings; operand 1 is the padding value.

    Without the numbers, no formula gives the padded elements: any element may be padding.
    """
    rank = len(operand_shape)
    signed, counts = Interval(-MAX_OFFSET, MAX_OFFSET), Interval(0, MAX_OFFSET)
    source, target = (operand_shape, result_shape) if inverse else (result_shape, operand_shape)
    if inverse:
        index = [_dilate(Dim(k), k, rank) for k in range(rank)]
        inside = [(at, Interval(0, size - 1)) for at, size in zip(index, result_shape, strict=True)]
        numbers = [*_each(low, signed, source), *_each(interior, counts, source)]
        yield OperandMap(0, IndexMap.of(index, source, (), numbers, inside))
        yield OperandMap(1, IndexMap.everything(result_shape), enclosing=True)
        return
    numbers = [*_each(low, signed, source, target), *_each(interior, counts, source, target)]
    meets = [(_dilate(Range(k), k, rank) - Dim(k), ZERO) for k in range(rank)]
    yield OperandMap(0, IndexMap.of(_ranges(rank), source, target, numbers, meets))
    yield OperandMap(1, IndexMap.scalar(result_shape), enclosing=True)


def real_dynamic_slice_maps(
    operand_shape: Shape, result_shape: Shape, starts: int, strides: int, *, inverse: bool
) -> Iterator[OperandMap]:
    """`starts` and `strides` are operand numbers."""
    rank = len(operand_shape)
    limits = [Interval(0, max(0, size)) for size in operand_shape]
    steps = [Interval(1, MAX_OFFSET)] * rank
    source, target = (operand_shape, result_shape) if inverse else (result_shape, operand_shape)
    ranges = target if inverse else ()
    numbers = [
        RuntimeVariable(each, operand, IndexMap.of([k], source, ranges), clamped=False)
        for operand, intervals in ((starts, limits), (strides, steps))
        for k, each in enumerate(intervals)
    ]
    variables = [Range(k) if inverse else Dim(k) for k in range(rank)]
    taken = [Runtime(k) + multiply(variables[k], Runtime(rank + k)) for k in range(rank)]
    if inverse:
        meets = [(at - Dim(k), ZERO) for k, at in enumerate(taken)]
        yield OperandMap(0, IndexMap.of(_ranges(rank), source, target, numbers, meets))
        return
    inside = [(at, Interval(0, size - 1)) for at, size in zip(taken, operand_shape, strict=True)]
    yield OperandMap(0, IndexMap.of(taken, source, (), numbers, inside))


def _dilate(at: Expression, k: int, rank: int) -> Expression:
    """Position in the result of an operand element."""
    return as_expression(Runtime(k) + at + multiply(at, Runtime(rank + k)))


def _each(operand: int, interval: Interval, shape: Shape, ranges: Shape = ()) -> list[RuntimeVariable]:
    """A runtime variable for each dimension."""
    return [
        RuntimeVariable(interval, operand, IndexMap.of([k], shape, ranges), clamped=False)
        for k in range(len(shape))
    ]


def _ranges(rank: int) -> Sequence[Expression]:
    return [Range(k) for k in range(rank)]
