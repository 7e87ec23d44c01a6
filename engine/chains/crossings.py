"""Links between the leaves of an op and those of its blocks."""

from collections.abc import Iterable, Iterator, Sequence

from ..indexing import UNDEFINED, IndexMap, OperandMap, simplify
from ..ir.types import TensorType
from ..ops.core.bases import Partitioned
from ..program import BoundOperation, BoundProgram
from .bodies import Body, block_results
from .leaves import Leaf, leaf_shape, leaf_type, leaves, operand_leaves, result_leaves
from .unions import Link, Links


def argument_crossings(
    program: BoundProgram, bound: BoundOperation, body: Body, *, inverse: bool
) -> Iterator[tuple[Leaf, Link]]:
    """Links from the block's arguments to the operands, or inverse."""
    op = bound.op.unpacked
    if isinstance(op, Partitioned):
        inner, outer = leaves(program, body.block.arguments), operand_leaves(program, bound)
        return map_links(op.cut_maps(inverse=inverse), inner, outer, inverse=inverse)
    return _identities(program, body.arguments, inverse=inverse)


def result_crossings(
    program: BoundProgram, bound: BoundOperation, body: Body, *, inverse: bool
) -> Iterator[tuple[Leaf, Link]]:
    """Links from the op's results to the values that the block returns, or inverse."""
    op = bound.op.unpacked
    if isinstance(op, Partitioned):
        inner, outer = leaves(program, block_results(body.block)), result_leaves(program, bound)
        return map_links(op.join_maps(inverse=inverse), outer, inner, inverse=inverse)
    return _identities(program, body.results, inverse=not inverse)


def identity(program: BoundProgram, leaf: Leaf) -> Link | None:
    """The link from a leaf to itself; `None` unless it is a tensor."""
    if not isinstance(leaf_type(program, leaf), TensorType):
        return None
    shape = leaf_shape(program, leaf)
    return Link(leaf, UNDEFINED if shape is None else simplify(IndexMap.identity(shape)))


def map_links(
    maps: Iterable[OperandMap], results: Sequence[Leaf], operands: Sequence[Leaf], *, inverse: bool
) -> Iterator[tuple[Leaf, Link]]:
    """Maps from results to operands, or inverse, as pairs of a start leaf and a link."""
    for each in maps:
        start, end = results[each.result], operands[each.operand]
        if inverse:
            start, end = end, start
        yield start, Link(end, each.map, each.place, each.enclosing, each.undecided)


def group(links: Iterable[tuple[Leaf, Link]]) -> Links:
    """Group links by their start leaf."""
    found: dict[Leaf, list[Link]] = {}
    for start, link in links:
        found.setdefault(start, []).append(link)
    return {start: tuple(each) for start, each in found.items()}


def _identities(
    program: BoundProgram, pairs: Iterable[tuple[Leaf, Leaf]], *, inverse: bool
) -> Iterator[tuple[Leaf, Link]]:
    """Links from the first of each pair to the second, or inverse."""
    for pair in pairs:
        start, end = reversed(pair) if inverse else pair
        link = identity(program, end)
        if link is not None:
            yield start, link
