"""Maps of ops without bodies: their own maps, and forwarded values."""

from __future__ import annotations

from collections.abc import Iterator

from ..indexing import UNDEFINED, OperandMap
from ..program import BoundOperation, BoundProgram
from .leaves import Leaf, operand_leaves, result_leaves


def forwarded_leaf(program: BoundProgram, bound: BoundOperation, result: Leaf) -> Leaf | None:
    """The operand leaf that a result leaf forwards unchanged; `None` if the op computes it."""
    found = bound.op.explanation.forwarded_operand(bound.op, bound.results.index(result.value), result.path)
    return None if found is None else Leaf(bound.operands[found[0]], found[1])


def own_maps(
    program: BoundProgram, bound: BoundOperation, *, inverse: bool, documented: bool = False
) -> Iterator[OperandMap]:
    """The op's own maps, with `operand` and `result` counting leaves."""
    if not bound.op.open_sizes.are_known(bound.op):
        yield from unknown_maps(program, bound)
    elif inverse:
        yield from bound.op.inverse_index_maps()
    else:
        yield from bound.op.drawing.documented_maps(bound.op) if documented else bound.op.index_maps()


def unknown_maps(program: BoundProgram, bound: BoundOperation) -> Iterator[OperandMap]:
    """Maps of an op with open sizes: any element may belong to any other."""
    for operand in range(len(operand_leaves(program, bound))):
        for result in range(len(result_leaves(program, bound))):
            yield OperandMap(operand, UNDEFINED, result)
