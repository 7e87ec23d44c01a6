"""Digits that are lost: sums that stand still, and differences of which rounding alone is left."""

from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..indexing.elements.element_sets import ElementSet
from ..ir.types import TensorType
from ..ops.core.facets.findings import is_wide_float
from ..ops.core.numeric import widen
from ..ops.core.op import Array, Op
from ..ops.core.quiet import Signals, quiet
from ..ops.core.rounding import unit_roundoff
from ..program import BoundProgram
from ..remote_values import facts_known
from ..value_facts import range_of
from ..value_walks import moved_from, only_moved
from .finding import Fault, FaultTally, Harm
from .kind import Arrays, Evidence, Kind, Rule, Watch

_LEAST_LOST = 1 / 16
"""Minimum part of a running total that its lost addends have together."""
_LEAST_STEPS = 16
"""Minimum number of steps in which the same addend leaves the same total unchanged."""


def running_totals(program: BoundProgram) -> frozenset[int]:
    """The sums of floats that a loop adds to again: an operand is the op's own result of the iteration before."""
    if not any(bound.regions and bound.op.unpacked.explanation.passes_values for bound in program.ops):
        return frozenset()  # without loops
    return frozenset(
        bound.id
        for bound in program.ops
        if bound.op.findings.adds(bound.op)
        and any(
            not _is_computed(program, operand) and bound.id in moved_from(program, operand)
            for operand in bound.operands
        )
    )


def _is_computed(program: BoundProgram, value: int) -> bool:
    """Whether an elementwise op computes a value; most operands are such, and telling so is faster than a walk."""
    maker = program.makers[value].op
    if maker is None:
        return False
    op = program.ops[maker].op
    return op.traits.is_elementwise and not (op.findings.moves_elements or op.findings.converts)


class Absorption(Rule):
    """A running total to which something is added that does not change it."""

    def watch(self, op: Op, results: Sequence[TensorType]) -> Watch:
        adds = op.findings.adds(op) and is_wide_float(results[0].element_type)
        return Watch.RUNNING_TOTAL if adds else Watch.NEVER

    def faults(self, op: Op, operands: Arrays, results: Arrays, signals: Signals) -> Iterator[Fault]:
        result = results[0]
        for number, total in enumerate(operands):
            addend = operands[1 - number]
            absorbed = absorbs(total, addend, result)
            elements = int(np.count_nonzero(absorbed))
            if not elements:
                continue
            size = np.abs(widen(total)).sum(dtype=np.float64)
            signed = np.where(absorbed, widen(addend) * np.sign(widen(total)), 0)
            index = tuple(map(int, np.unravel_index(int(np.abs(signed).argmax()), result.shape)))
            cause = f"where {{{1 - number}}} is {_short(addend[index])} and {{{number}}} stays {_short(total[index])}"
            lost = float(signed.sum(dtype=np.float64) / size) if size else 0.0
            yield Fault(
                "absorbed", elements, result.size, index, cause, value=float(result[index]), lost=lost
            )


def absorbs(total: Array, addend: Array, result: Array) -> NDArray[np.bool_]:
    """Mask of the elements of a sum or difference in which a number other than 0 leaves a greater one unchanged."""
    return np.asarray((result == total) & (addend != 0) & (np.abs(addend) < np.abs(total)))


class Absorbed(Kind):
    """Addends lost in a running total, which stands still or lacks a sixteenth of itself.

    A sum that has converged also absorbs what is added, but its addends get smaller: together they would hardly change it.
    """

    name, title, became = "absorbed", "absorbed addend", "unchanged by what is added"
    rules = (Absorption(),)

    def is_fault(self, tally: FaultTally) -> bool:
        first, last = tally.first.fault, tally.occurrences[-1].fault
        still = first.elements == first.size == last.elements and first.lost == last.lost
        return abs(tally.lost) >= _LEAST_LOST or (still and tally.count >= _LEAST_STEPS)

    def harm(self, evidence: Evidence) -> Harm | None:
        (lhs, rhs), result = evidence.operands(), evidence.value()
        with quiet():
            lost = absorbs(lhs, rhs, result) | absorbs(rhs, lhs, result)
        return evidence.follow("misplaced", ElementSet.of_mask(lost.shape, lost))


_MOST_CANCELLED = 1 / 16
"""The greatest `half_of_digits` of the types that are checked: that of bf16."""
_WIDEST = 32
"""Maximum bits of a type whose results f64 tells from those without rounding."""


def differences(program: BoundProgram) -> frozenset[int]:
    """The ops that may take a difference of two numbers, one of them computed and rounded before.

    Differences, sums with a constant, which is negative where a compiler writes a difference so, and logarithms.
    """
    is_rounded = cache(partial(_is_rounded, program))
    return frozenset(
        bound.id
        for bound in program.ops
        if (bound.op.findings.adds(bound.op) or bound.op.findings.magnifies)
        and any(map(is_rounded, bound.operands))
        and (
            len(bound.operands) == 1
            or bound.operation.name.endswith("subtract")
            or not all(map(is_rounded, bound.operands))
        )
    )


def _is_rounded(program: BoundProgram, value: int) -> bool:
    """Whether an op has computed a value: it is neither a constant nor an input, nor an element of one."""
    maker = program.makers[value].op
    if maker is not None and not program.ops[maker].op.findings.moves_elements:
        return True
    return not only_moved(program, value)


class Cancellation(Rule):
    """A result far smaller than what it was computed from, so that it consists of the last digits of the operands."""

    def watch(self, op: Op, results: Sequence[TensorType]) -> Watch:
        takes = op.findings.adds(op) or op.findings.magnifies
        element_type = results[0].element_type
        is_checked = takes and is_wide_float(element_type) and element_type.bits <= _WIDEST
        return Watch.DIFFERENCE if is_checked else Watch.NEVER

    def glance(self, operands: Arrays, result: Array) -> bool:
        operand = operands[0]
        if not (result.size and operand.size):
            return False
        return bool(abs(result.item(0)) <= _MOST_CANCELLED * abs(operand.item(0)))

    def may_find(self, op: Op, operands: Arrays, results: Arrays) -> bool:
        left, size = _greatest(results[0]), _greatest(operands[0]) * results[0].size ** 0.5
        # The norm of the result is at least the first, that of the operand at most the second, but for rounding.
        return bool(left <= 2 * half_of_digits(results[0].dtype) * size)

    def faults(self, op: Op, operands: Arrays, results: Arrays, signals: Signals) -> Iterator[Fault]:
        operand, result = operands[0], results[0]
        least, count = half_of_digits(result.dtype), result.size
        if operand.shape != result.shape or not count:
            return
        for at in (0, count // 2, count - 1):  # mostly the first element is enough
            if abs(result.item(at)) > least * abs(operand.item(at)):
                return
        size, left = (float(np.linalg.norm(widen(value).astype(np.float64))) for value in (operand, result))
        if not left <= least * size or not 0 < size < np.inf:
            return
        cancelled = np.abs(widen(result)) <= least * np.abs(widen(operand))
        index = tuple(map(int, np.unravel_index(int(np.abs(widen(operand)).argmax()), result.shape)))
        known = " and ".join(f"{{{number}}} is {_short(each[index])}" for number, each in enumerate(operands))
        cause = f"where {known}, and the result is {_short(result[index])}"
        elements = int(np.count_nonzero(cancelled))
        yield Fault("cancellation", elements, result.size, index, cause, value=float(result[index]))


def _greatest(value: Array) -> float:
    """The greatest magnitude of a value; NaN if it is not finite, or empty."""
    known = facts_known(value)
    found = range_of(value) if known is None else known.range
    return float("nan") if found.nonfinite else max(abs(float(found.minimum)), abs(float(found.maximum)))


@cache
def half_of_digits(dtype: np.dtype[Any]) -> float:
    """The relative error of a number that has lost half of the digits of its type."""
    return float(unit_roundoff(dtype) ** 0.5)


class Cancelled(Kind):
    """Digits lost in a difference: what is left is the rounding of the operands, and results of the program are wrong.

    A difference of numbers that are not rounded is exact, and a correction of a number may have few digits: both do no
    harm.
    """

    name, title, became = "cancellation", "cancellation", "imprecise"
    rules = (Cancellation(),)
    is_only_harm = True
    grade_if_unknown = "masked"

    def harm(self, evidence: Evidence) -> Harm | None:
        result = evidence.value()
        if not evidence.loses_digits(half_of_digits(result.dtype)):
            return None
        return evidence.follow("imprecise", ElementSet.full(result.shape))


class InexactConversion(Rule):
    """An integer with more digits than the float that it is converted to."""

    def watch(self, op: Op, results: Sequence[TensorType]) -> Watch:
        made = results[0].element_type
        if not op.findings.converts or not is_wide_float(made) or made.bits > _WIDEST:
            return Watch.NEVER
        (given,) = op.operand_types
        if not isinstance(given, TensorType) or not given.element_type.is_integer:
            return Watch.NEVER
        return Watch.ALWAYS if 2.0**-given.element_type.bits < unit_roundoff(made.dtype) else Watch.NEVER

    def faults(self, op: Op, operands: Arrays, results: Arrays, signals: Signals) -> Iterator[Fault]:
        operand, result = operands[0], results[0]
        inexact = is_rounded(operand, result)
        elements = int(np.count_nonzero(inexact))
        if elements:
            index = tuple(map(int, np.unravel_index(int(inexact.argmax()), result.shape)))
            made = float(result[index])
            cause = f"where {{0}} is {int(operand[index]):,} and becomes {int(made):,}"
            yield Fault("inexact_integer", elements, result.size, index, cause, value=made)


def is_rounded(integers: Array, floats: Array) -> NDArray[np.bool_]:
    """Mask of the integers that finite floats do not hold exactly."""
    largest = 1 / float(unit_roundoff(floats.dtype))
    if not integers.size or (integers.max() <= largest and integers.min() >= -largest):
        return np.zeros(floats.shape, np.bool_)
    wide = widen(floats).astype(np.float64)
    with quiet():
        return np.asarray(np.isfinite(wide) & (wide.astype(integers.dtype) != integers))


class InexactInteger(Kind):
    """An integer that a conversion rounds, where the digits that it loses count.

    They do where a result of the program loses half of its digits by this rounding alone, or integers and answers change.
    """

    name, title, became = "inexact_integer", "inexact integer", "rounded"
    rules = (InexactConversion(),)
    is_only_harm = True
    grade_if_unknown = "masked"

    def harm(self, evidence: Evidence) -> Harm | None:
        inexact = is_rounded(evidence.operands()[0], evidence.value())
        harm = evidence.follow("rounded", ElementSet.of_mask(inexact.shape, inexact))
        return None if harm == "pending" else harm


def _short(element: Array) -> str:
    return f"{float(element):.9g}"
