"""Updates that are dropped because a list is cut to a fixed length, which is what the program wants."""

from __future__ import annotations

from ...decisive_values import is_given, ops_behind
from ...program import BoundProgram


def cuts_list(program: BoundProgram, op: int) -> bool:
    """Whether a scatter sets marks, which are the same whatever is given, at places that a running total says.

    So `nonzero(size=…)` and `repeat(total_repeat_length=…)` make a list of a length that is known: what comes after its end is left
    out.
    """
    bound = program.ops[op]
    places = set(bound.op.deciding_operands())
    marks = (value for number, value in enumerate(bound.operands) if number not in places)
    if any(is_given(program, value) for value in marks):
        return False
    behind = (found for number in places for found in ops_behind(program, bound.operands[number]))
    return any(program.ops[found].op.unpacked.counts_on for found in behind)
