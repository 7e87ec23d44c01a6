"""Values that ops forward unchanged: through tuples, calls, and loops that do not modify them."""

from __future__ import annotations

from ..ops.control_flow.control_flow import While
from ..program import BoundOperation, BoundProgram
from .bodies import bodies, has_bodies, runs_once
from .leaves import Leaf, leaves
from .ordinary import forwarded_leaf

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
    """The first leaf, in its block or outside, with this very value."""
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
