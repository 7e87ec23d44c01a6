"""Links of ops that no function stands for: their own maps, and tuples put together and taken apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..indexing import UNDEFINED, IndexMap, OperandMap
from ..ir.types import TensorType, leaf_count
from ..ops.asynchronous import AsyncDone
from ..ops.hlo.identities import Identity
from ..ops.hlo.starting import Taking
from ..ops.hlo.tuple_values import TupleSelect
from ..ops.stated_sizes import StatedSizes
from ..ops.tuples import GetTupleElement, OptimizationBarrier, Tuple
from ..program import BoundOperation, BoundProgram
from .leaves import Leaf, leaf_shape, leaves_of, operand_leaves, parts_of, result_leaves


@dataclass(frozen=True)
class Moved:
    """A leaf that is a leaf of an operand, unchanged."""

    result: Leaf
    operand: Leaf


def moved_leaves(program: BoundProgram, bound: BoundOperation) -> tuple[Moved, ...] | None:
    """For an op that only hands values on, the operand's leaf of each result's leaf; `None` for any other."""
    op = bound.op
    match op:
        case Tuple():
            pairs = [
                Moved(Leaf(bound.results[0], (number, *leaf.path)), leaf)
                for number, value in enumerate(bound.operands)
                for leaf in leaves_of(program, value)
            ]
        case GetTupleElement():
            pairs = [
                Moved(leaf, Leaf(bound.operands[0], (op.index, *leaf.path)))
                for leaf in leaves_of(program, bound.results[0])
            ]
        case Taking():
            pairs = [
                Moved(leaf, Leaf(bound.operands[0], (op.place, *leaf.path)))
                for leaf in leaves_of(program, bound.results[0])
            ]
        case AsyncDone():
            pairs = [Moved(Leaf(bound.results[0]), Leaf(bound.operands[0], (0,)))]
        case OptimizationBarrier():
            pairs = [
                Moved(leaf, Leaf(operand, leaf.path))
                for operand, result in zip(bound.operands, bound.results, strict=True)
                for leaf in leaves_of(program, result)
            ]
        case Identity():
            pairs = list(_identity(program, bound))
        case _:
            return None
    return tuple(pairs)


def _identity(program: BoundProgram, bound: BoundOperation) -> Iterator[Moved]:
    """A copy; copy-start gives the operand twice, and a number that is read from nothing."""
    given = program.values[bound.operands[0]].type
    result = bound.results[0]
    whole = leaf_count(program.values[result].type) == leaf_count(given)  # sizes may be open in one of them
    for leaf in leaves_of(program, bound.operands[0]):
        if whole:
            yield Moved(Leaf(result, leaf.path), leaf)
        else:
            yield from (Moved(Leaf(result, (number, *leaf.path)), leaf) for number in (0, 1))


def own_maps(
    program: BoundProgram, bound: BoundOperation, *, inverse: bool, documented: bool = False
) -> Iterator[OperandMap]:
    """The op's own maps, `operand` and `result` counted by leaves."""
    moved = moved_leaves(program, bound)
    if moved is not None:
        yield from _moved_maps(program, bound, moved)
    elif isinstance(bound.op, TupleSelect):
        yield from _selected_maps(program, bound, inverse=inverse)
    elif not _has_sizes(bound):
        yield from unknown_maps(program, bound)
    elif inverse:
        yield from bound.op.inverse_index_maps()
    else:
        yield from bound.op.documented_maps() if documented else bound.op.index_maps()


def unknown_maps(program: BoundProgram, bound: BoundOperation) -> Iterator[OperandMap]:
    """Of an op whose sizes are open: any element may belong to any other."""
    for operand in range(len(operand_leaves(program, bound))):
        for result in range(len(result_leaves(program, bound))):
            yield OperandMap(operand, UNDEFINED, result)


def _moved_maps(
    program: BoundProgram, bound: BoundOperation, moved: tuple[Moved, ...]
) -> Iterator[OperandMap]:
    operands, results = operand_leaves(program, bound), result_leaves(program, bound)
    # The op's own types, which a run may have settled.
    types = dict(
        zip(operands, (part for found in bound.op.operand_types for part in parts_of(found)), strict=True)
    )
    for pair in moved:
        found = types[pair.operand]
        if not isinstance(found, TensorType):
            continue
        index_map = IndexMap.identity(found.sizes) if found.is_static else UNDEFINED
        yield OperandMap(operands.index(pair.operand), index_map, results.index(pair.result))


def _selected_maps(program: BoundProgram, bound: BoundOperation, *, inverse: bool) -> Iterator[OperandMap]:
    """Of a choice between two tuples: all leaves of both, and the predicate."""
    results = result_leaves(program, bound)
    for number, leaf in enumerate(results):
        shape = leaf_shape(program, leaf)
        if shape is not None:
            scalar = IndexMap.everything(shape) if inverse else IndexMap.scalar(shape)
            yield OperandMap(0, scalar, number)
            yield OperandMap(1 + number, IndexMap.identity(shape), number)
            yield OperandMap(1 + len(results) + number, IndexMap.identity(shape), number)


def _has_sizes(bound: BoundOperation) -> bool:
    types = bound.op.operand_types
    if isinstance(bound.op, StatedSizes):
        types = (*types, bound.op.result)  # which no operand states
    return all(found.is_static for found in types if isinstance(found, TensorType))
