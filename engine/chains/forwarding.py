"""Values that ops forward unchanged: through tuples, calls, and loops that do not modify them."""

from collections.abc import Iterator

from ..indexing import UNDEFINED, OperandMap
from ..ops.control_flow.control_flow import While
from ..program import BoundOperation, BoundProgram
from .bodies import bodies, has_bodies, runs_once
from .leaves import Leaf, leaves, operand_leaves, result_leaves

MAX_DEPTH = 16
"""Maximum nesting of functions and loops through which values are traced."""


def invariant_values(program: BoundProgram, loop: BoundOperation, depth: int = 0) -> frozenset[Leaf]:
    """The loop values of a `while` that every iteration forwards, as argument leaves of its body.

    An identity map is weaker: it also allows elements computed from the element of the same index.
    """
    _, body = bodies(program, loop)
    inner = leaves(program, body.block.arguments)
    return frozenset(
        value
        for (result, _), value in zip(body.results, inner, strict=True)
        if origin(program, result, depth + 1) == value
    )


def origin(program: BoundProgram, leaf: Leaf, depth: int = 0) -> Leaf:
    """The first leaf, in its block or outside, that has the same value."""
    while (before := _previous(program, leaf, depth)) is not None:
        leaf = before
    return leaf


def _previous(program: BoundProgram, leaf: Leaf, depth: int) -> Leaf | None:
    """The operand leaf that an op forwards as this leaf; `None` for new values and arguments."""
    made = program.makers.get(leaf.value)
    if made is None or made.op is None:
        return None
    bound = program.ops[made.op]
    forwarded = forwarded_leaf(program, bound, leaf)
    if forwarded is not None:
        return forwarded
    if depth >= MAX_DEPTH or not has_bodies(bound):
        return None
    if isinstance(bound.op.unpacked, While):
        return _through_loop(program, bound, leaf, depth)
    return _through_body(program, bound, leaf, depth) if runs_once(bound) else None


def _through_loop(program: BoundProgram, bound: BoundOperation, leaf: Leaf, depth: int) -> Leaf | None:
    _, body = bodies(program, bound)
    number = leaves(program, bound.results).index(leaf)
    value, operand = body.arguments[number]
    return operand if value in invariant_values(program, bound, depth) else None


def _through_body(program: BoundProgram, bound: BoundOperation, leaf: Leaf, depth: int) -> Leaf | None:
    (body,) = bodies(program, bound)
    result = next((inner for inner, outer in body.results if outer == leaf), None)
    if result is None:
        return None
    return dict(body.arguments).get(origin(program, result, depth + 1))


# Maps of ops without bodies: their own maps, and forwarded values.


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
