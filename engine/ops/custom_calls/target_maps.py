"""Index maps that targets of custom calls share."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from ...indexing import UNDEFINED, Dim, Expression, IndexMap, OperandMap, compose, shared_dimensions_map
from ...indexing.op_maps.shared_dimension_maps import Variables
from ...ir.types import TensorType
from ..core.op import Op
from .call import Call

Maps = Callable[[Call, bool], Iterator[OperandMap]]
"""Index maps of a call; the flag requests the inverse ones, from operands to results."""
Columns = Callable[[Expression, Expression, Expression], list[Expression]]
"""Expressions of a result's row and column and an operand's column that are not negative where it is read."""
Shared = Callable[[TensorType, TensorType], dict[int, int]]
"""For dimensions of an operand, the dimensions of a result with the same index."""


def own_maps(op: Op, inverse: bool) -> Iterator[OperandMap]:
    """The maps of `op`, whose operands are the first operands of the call."""
    return op.inverse_index_maps() if inverse else op.index_maps()


def shared_maps(
    call: Call, inverse: bool, operand: int, result: int, shared: Shared, *, enclosing: bool = False
) -> Iterator[OperandMap]:
    """Each element of the result reads all elements of the operand with the same index in the `shared` dimensions.

    The map is undefined if the types do not fit.
    """
    if operand >= len(call.inputs) or result >= len(call.parts):
        return
    given, made = call.inputs[operand], call.parts[result]
    if not isinstance(given, TensorType) or not isinstance(made, TensorType):
        return
    pairs = shared(given, made)
    fits = all(0 <= there < made.rank and given.shape[k] == made.shape[there] for k, there in pairs.items())
    if not (given.is_static and made.is_static and fits):
        yield OperandMap(operand, UNDEFINED, result)
        return
    found = shared_dimensions_map(made.sizes, given.sizes, pairs, inverse=inverse)
    yield OperandMap(operand, found, result, enclosing=enclosing)


def last_dimensions(operand: TensorType, result: TensorType) -> dict[int, int]:
    """The operand's dimensions are the last of the result, as in a broadcast along the others."""
    return {k: result.rank - operand.rank + k for k in range(operand.rank)}


def no_dimensions(operand: TensorType, result: TensorType) -> dict[int, int]:
    """No dimension: each element of the result reads the whole operand."""
    return {}


def lines(operand: TensorType, result: TensorType) -> dict[int, int]:
    """All dimensions but the last: each element reads a line along the last."""
    return {k: k for k in range(operand.rank - 1)}


def element_by_element(call: Call, inverse: bool) -> Iterator[OperandMap]:
    """Each element of each result reads the element at its own index of each operand; all have one shape."""
    for result in range(len(call.parts)):
        for operand in range(len(call.inputs)):
            yield from shared_maps(call, inverse, operand, result, last_dimensions)


def column_maps(call: Call, inverse: bool) -> Iterator[OperandMap]:
    """For factorizations: a column of a factor depends on the columns up to its own, other results on all columns."""
    return _factor_maps(call, inverse, [_columns_before])


def pivoted_maps(call: Call, inverse: bool) -> Iterator[OperandMap]:
    """Like `column_maps`, with pivoted rows: elements below the diagonal depend on later columns too."""
    return _factor_maps(call, inverse, [_upper_before, _below])


def _factor_maps(call: Call, inverse: bool, of_matrix: Sequence[Columns]) -> Iterator[OperandMap]:
    operand = call.inputs[0] if call.inputs else None
    for result, found in enumerate(call.parts):
        if not (isinstance(operand, TensorType) and isinstance(found, TensorType) and operand.rank >= 2):
            continue
        batch = operand.rank - 2
        fits = operand.is_static and found.is_static and found.shape[:batch] == operand.shape[:batch]
        if result > 1 or not fits or found.rank <= batch:
            yield from shared_maps(call, inverse, 0, result, lambda a, b: {k: k for k in range(a.rank - 2)})
            continue
        for columns in of_matrix if found.rank == operand.rank else [_columns_before]:
            conditions = partial(_conditions, columns, found.rank, operand.rank)
            shared = {k: k for k in range(batch)}
            read = shared_dimensions_map(found.sizes, operand.sizes, shared, conditions, inverse=inverse)
            yield OperandMap(0, read, result)


def _conditions(
    columns: Columns, found: int, operand: int, of_result: Variables, of_operand: Variables
) -> list[Expression]:
    """The expressions of `columns` for row and column of a result and the column of the operand."""
    row = of_result(found - 2) if found == operand else of_result(found - 1)
    return columns(row, of_result(found - 1), of_operand(operand - 1))


def _columns_before(row: Expression, column: Expression, read: Expression) -> list[Expression]:
    return [column - read]


def _upper_before(row: Expression, column: Expression, read: Expression) -> list[Expression]:
    return [column - read, column - row]


def _below(row: Expression, column: Expression, read: Expression) -> list[Expression]:
    return [row - column - 1]


def move_operand(
    maps: Iterator[OperandMap], operand: int, there: IndexMap, back: IndexMap, inverse: bool
) -> Iterator[OperandMap]:
    """The maps of an op on a permuted operand; `there` maps permuted elements to the operand's, `back` is its inverse."""
    return (_move(found, there, back, inverse) if found.operand == operand else found for found in maps)


def _move(found: OperandMap, there: IndexMap, back: IndexMap, inverse: bool) -> OperandMap:
    return replace(found, map=compose(back, found.map) if inverse else compose(found.map, there))


def regrouping(shape: Sequence[int], rows: int, columns: int, groups: int) -> tuple[IndexMap, IndexMap]:
    """The maps of reshaping [g inputs, outputs] to [inputs, g outputs]: from new to old elements, and from old to new."""
    each, width = shape[rows] // groups, shape[columns]
    new = list(shape)
    new[rows], new[columns] = each, groups * width
    old_index: list[Expression] = [Dim(k) for k in range(len(shape))]
    new_index = list(old_index)
    old_index[rows] = Dim(columns) // width * each + Dim(rows)
    old_index[columns] = Dim(columns) % width
    new_index[rows] = Dim(rows) % each
    new_index[columns] = Dim(rows) // each * width + Dim(columns)
    return IndexMap.of(old_index, new), IndexMap.of(new_index, shape)
