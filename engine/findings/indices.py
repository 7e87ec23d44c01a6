"""Indices that lead elsewhere: moved inside, out of bounds, dropped, or to one element several times."""

from __future__ import annotations

from collections.abc import Sequence

from ..decisive_values import is_given, ops_behind
from ..program import BoundProgram
from .finding import FaultTally, Harm
from .kind import Evidence, Kind


class _Outside(Kind):
    """An index outside of the tensor, unless it is a sentinel that the program puts there to mean "none"."""

    def is_intended(self, tally: FaultTally, steps: Sequence[Evidence]) -> bool:
        return all(each.fault.deliberate for each in tally.occurrences) and all(map(_is_sentinel, steps))


class ClampedStart(_Outside):
    """A window that did not fit, so that `dynamic_slice`, `dynamic_update_slice` or `gather` moved it inside.

    It does no harm where a select leaves out what was read.
    """

    name, title, became = "clamped_start", "clamped start index", "clamped"

    def harm(self, evidence: Evidence) -> Harm | None:
        return evidence.follow_read()


class OutOfBounds(_Outside):
    """The index of a `gather` of single rows that is outside; the nearest row is read instead.

    It does no harm where a select, or a product with 0, leaves out what was read.
    """

    name, title, became = "out_of_bounds", "index out of bounds", "out of bounds"

    def harm(self, evidence: Evidence) -> Harm | None:
        return evidence.follow_read()


class DroppedUpdate(_Outside):
    """An update of a `scatter` that is outside, in whole or in part, and so is lost."""

    name, title, became = "dropped_update", "dropped update", "dropped"

    def is_intended(self, tally: FaultTally, steps: Sequence[Evidence]) -> bool:
        return _cuts_list(steps[0].program, tally.op) or super().is_intended(tally, steps)


class CollidingUpdates(Kind):
    """Different updates of a `scatter` for one element that they replace, so that the order decides which one stays.

    Or `unique_indices` is stated and not true.
    """

    name, title, became = "collision", "colliding updates", "overwritten by another update"


def _cuts_list(program: BoundProgram, op: int) -> bool:
    """Whether a scatter writes marks, which no input changes, at positions of a running total.

    So `nonzero(size=…)` and `repeat(total_repeat_length=…)` make a list of a fixed length: they drop what is beyond its end.
    """
    bound = program.ops[op]
    positions = set(bound.op.deciding_operands())
    marks = (value for number, value in enumerate(bound.operands) if number not in positions)
    if any(is_given(program, value) for value in marks):
        return False
    behind = (maker for number in positions for maker in ops_behind(program, bound.operands[number]))
    return any(program.ops[maker].op.unpacked.counts_on for maker in behind)


def _is_sentinel(evidence: Evidence) -> bool:
    """Whether an index of -1, or just behind the end, is no number that came out one too small or too great.

    It is a sentinel if the program puts a constant of that number beside others. An index that was computed, as an index plus
    or minus 1, or that is one of a list, is a mistake. So is a given one, except -1 where something is written: lists of
    positions are filled up with it.
    """
    fault = evidence.fault
    if fault.value is None:
        return True
    origins = evidence.number_origins()
    if fault.kind == "dropped_update" and fault.value < 0:
        return any(origin.is_given for origin in origins)
    return fault.size > 1 and any(origin.is_uniform_constant for origin in origins)
