"""Integers that are silently wrong: wrapped around, or divided by 0."""

from collections.abc import Iterator, Sequence
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from ..indexing.elements.element_sets import ElementSet
from ..ir.types import TensorType
from ..ops.core.facets.findings import ExactInteger
from ..ops.core.op import Array, Op
from ..ops.core.quiet import Signals
from .decisive import decisive_ops
from .finding import Fault, Harm
from .kind import Arrays, Evidence, Kind, Rule, Watch

_EXACT_BITS = 40
"""The bits beyond its type that a result may have so that f64 tells which integer it is."""


class Wrap(Rule):
    """An integer that differs from the exact result by the range of its type, or several times that.

    Of sums and products only the end counts: what wraps on the way and comes back is right.
    """

    def watch(self, op: Op, results: Sequence[TensorType]) -> Watch:
        return Watch.DECISIVE if op.findings.may_wrap(op) else Watch.NEVER

    def faults(self, op: Op, operands: Arrays, results: Arrays, signals: Signals) -> Iterator[Fault]:
        for expected in op.findings.exact_integers(op, operands, results):
            result = results[expected.number]
            wrapped = _wrapped(expected, result)
            elements = int(np.count_nonzero(wrapped))
            if elements:
                index = tuple(map(int, np.unravel_index(int(wrapped.argmax()), wrapped.shape)))
                cause = _wrap_cause(expected, result, index)
                value = float(result[index])
                yield Fault("wrap", elements, result.size, index, cause, expected.number, value=value)


def _wrapped(expected: ExactInteger, result: Array) -> NDArray[np.bool_]:
    """Mask of the elements that are away from the exact ones by 2^bits or more; f64 may be wrong by 2^-50 of these."""
    distance = np.abs(expected.exact - result.astype(np.float64))
    return np.asarray(distance > 2.0 ** (expected.element_type.bits - 2) + expected.error)


def _wrap_cause(expected: ExactInteger, result: Array, index: tuple[int, ...]) -> str:
    """`where 300 is beyond i8 and becomes 44`, `where a sum of elements of %x, 300, is beyond i8 and becomes 44`."""
    made = int(result[index])
    if expected.element is not None:
        number = f"{expected.element(index):,}"
    else:
        exact = float(np.broadcast_to(expected.exact, result.shape)[index])
        number = _exact_number(exact, made, expected.element_type.bits)
    subject = f"{expected.words}, {number}," if expected.words else number
    return f"where {subject} is beyond {expected.element_type} and becomes {made:,}"


def _exact_number(exact: float, made: int, bits: int) -> str:
    """The exact result, which differs from what is left of it by a multiple of 2^bits."""
    if abs(exact) < 2.0 ** (bits + _EXACT_BITS):
        return f"{made + (round((exact - made) / 2.0**bits) << bits):,}"
    return f"about {exact:.3g}" if isfinite(exact) else "above 1e308"


class IntegerOverflow(Kind):
    """An exact result beyond its type: what is left of it is another number.

    It does harm where the result goes on to an index, a size, the bound of a loop or a predicate (`decisive.py`).
    Elsewhere integers wrap around by design: in hashes and random numbers.
    """

    name, title, became = "wrap", "integer overflow", "wrapped around"
    rules = (Wrap(),)

    def harm(self, evidence: Evidence) -> Harm | None:
        return "index" if evidence.op_number in evidence.program.derive(decisive_ops) else None


class DivisionByZero(Rule):
    """A divisor of 0, except of random bits: modulo 0 they stay unchanged, as the range of all numbers requires."""

    def watch(self, op: Op, results: Sequence[TensorType]) -> Watch:
        divides = op.findings.divisor is not None and results[0].element_type.is_integer
        return Watch.SIGNALLED if divides and not op.findings.mixes_bits(op) else Watch.NEVER

    def faults(self, op: Op, operands: Arrays, results: Arrays, signals: Signals) -> Iterator[Fault]:
        divisor, result = op.findings.divisor, results[0]
        if divisor is None or not signals & Signals.DIVIDED_BY_ZERO:
            return
        zeros = np.broadcast_to(operands[divisor] == 0, result.shape)
        elements = int(np.count_nonzero(zeros))
        if elements:
            index = tuple(map(int, np.unravel_index(int(zeros.argmax()), result.shape)))
            made = int(result[index])
            cause = f"where {{{divisor}}} is 0 and the result {made:,}"
            yield Fault("zero_division", elements, result.size, index, cause, value=float(made))


class ZeroDivision(Kind):
    """An integer divided by 0: no infinity shows it, the result is -1 or the dividend.

    It does no harm where a select, or a product with 0, leaves the quotient out.
    """

    name, title, became = "zero_division", "integer division by 0", "divided by 0"
    rules = (DivisionByZero(),)

    def harm(self, evidence: Evidence) -> Harm | None:
        shape = evidence.value().shape
        zeros = np.broadcast_to(evidence.operands()[evidence.op.findings.divisor or 0] == 0, shape)
        return evidence.follow("misplaced", ElementSet.of_mask(shape, zeros))
