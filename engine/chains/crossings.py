"""Going into the body of an op and out of it: links between leaves of the op and leaves of the block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..indexing import UNDEFINED, IndexMap, OperandMap, simplify
from ..ir.types import TensorType
from ..ops.manual_computation import ManualComputation
from ..program import BoundOperation, BoundProgram
from .bodies import Body, given, op_of
from .leaves import Leaf, leaf_shape, leaf_type, leaves, operand_leaves, result_leaves
from .unions import Link

Crossings = Mapping[Leaf, tuple[Link, ...]]
"""For a leaf on one side, the links to leaves of the other side."""


def argument_crossings(
    program: BoundProgram, bound: BoundOperation, body: Body, *, inverse: bool
) -> Crossings:
    """From the block's arguments to the operands; from `inverse` the other way."""
    op = op_of(bound)
    if isinstance(op, ManualComputation):
        inner, outer = leaves(program, body.block.arguments), operand_leaves(program, bound)
        maps = op.cut_maps(inverse=inverse)
        return _grouped(_cut(maps, inner, outer, inverse=inverse))
    pairs = body.arguments
    return _grouped(_same(program, pairs if not inverse else tuple((outer, inner) for inner, outer in pairs)))


def result_crossings(program: BoundProgram, bound: BoundOperation, body: Body, *, inverse: bool) -> Crossings:
    """From the op's results to what the block gives; from `inverse` the other way."""
    op = op_of(bound)
    if isinstance(op, ManualComputation):
        inner, outer = leaves(program, given(body.block)), result_leaves(program, bound)
        maps = op.joined_maps(inverse=inverse)
        return _grouped(_cut(maps, outer, inner, inverse=inverse))
    pairs = body.results
    return _grouped(_same(program, pairs if inverse else tuple((outer, inner) for inner, outer in pairs)))


def identity(program: BoundProgram, leaf: Leaf) -> Link | None:
    """The link from a leaf to itself; `None` of what is no tensor."""
    if not isinstance(leaf_type(program, leaf), TensorType):
        return None
    shape = leaf_shape(program, leaf)
    return Link(leaf, UNDEFINED if shape is None else simplify(IndexMap.identity(shape)))


def _same(program: BoundProgram, pairs: tuple[tuple[Leaf, Leaf], ...]) -> Iterator[tuple[Leaf, Link]]:
    for start, end in pairs:
        link = identity(program, end)
        if link is not None:
            yield start, link


def _cut(
    maps: Iterator[OperandMap],
    results: tuple[Leaf, ...],
    operands: tuple[Leaf, ...],
    *,
    inverse: bool,
) -> Iterator[tuple[Leaf, Link]]:
    for found in maps:
        result, operand = results[found.result], operands[found.operand]
        start, end = (operand, result) if inverse else (result, operand)
        yield start, Link(end, found.map, found.place, found.enclosing, found.undecided)


def _grouped(links: Iterator[tuple[Leaf, Link]]) -> Crossings:
    found: dict[Leaf, tuple[Link, ...]] = {}
    for start, link in links:
        found[start] = (*found.get(start, ()), link)
    return found
