"""Floats that are lost without a trace: too small for their type, or a NaN in what has no NaN."""

from collections.abc import Iterable, Iterator, Sequence

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ..indexing.elements.element_sets import ElementSet
from ..ir.types import TensorType
from ..ops.core.numeric import BLOCK
from ..ops.core.op import Array, Op
from ..ops.core.quiet import Signals, quiet
from ..ops.core.ranks import holds_nan, is_finite, is_inexact
from ..program import BoundProgram
from ..remote_values import facts_known
from .finding import Fault, FaultTally, Grade, Harm
from .kind import Arrays, Evidence, Kind, Rule, Watch

_LEAST_SHARE = 0.01
"""The share of the elements that must be too small before it is a finding."""
_MAX_READERS = 256
"""Maximum number of ops searched for one that reads both a lost NaN and the answer of a test for it."""


class Underflow(Rule):
    """Floats too small for their type, denormal with fewer bits than others or 0, though nothing that they read was."""

    def watch(self, op: Op, results: Sequence[TensorType]) -> Watch:
        return Watch.SIGNALLED if op.findings.may_underflow(op) else Watch.NEVER

    def may_find(self, op: Op, operands: Arrays, results: Arrays) -> bool:
        known = facts_known(results[0])
        return known is None or known.small > _LEAST_SHARE * known.range.count

    def faults(self, op: Op, operands: Arrays, results: Arrays, signals: Signals) -> Iterator[Fault]:
        if not signals & Signals.UNDERFLOW:
            return
        result = results[0]
        lost = underflows(op, operands, result)
        elements = int(np.count_nonzero(lost))
        if elements <= _LEAST_SHARE * result.size:
            return
        index = tuple(map(int, np.unravel_index(int(lost.argmax()), lost.shape)))
        flushed = int(np.count_nonzero(lost & (result == 0)))
        least = f"{float(ml_dtypes.finfo(result.dtype).tiny):.3g}"
        became = "0" if flushed == elements else f"denormal, {flushed:,} of them 0" if flushed else "denormal"
        cause = f"below {least} and so {became}"
        yield Fault("denormal", elements, result.size, index, cause, value=float(result[index]))


def underflows(op: Op, operands: Arrays, result: Array) -> NDArray[np.bool_]:
    """Mask of the elements of a result that are too small for its type, though nothing that they were computed from was."""
    return (elementwise_underflows if op.traits.is_elementwise else _product_underflows)(operands, result)


def elementwise_underflows(operands: Arrays, result: Array) -> NDArray[np.bool_]:
    """For an elementwise op, a result of 0 has underflowed if no operand is 0 or infinite there.

    Large arrays are tested block by block, so that what is made of a block stays in the processor's cache.
    """
    full = [operand for operand in operands if operand.ndim]
    together = all(array.shape == result.shape and array.flags.c_contiguous for array in (*full, result))
    if result.size <= BLOCK or not together:
        return _block_underflows(operands, result)
    flat = [operand.reshape(-1) for operand in operands]
    lost = np.empty(result.size, np.bool_)
    for start in range(0, lost.size, BLOCK):
        here = slice(start, start + BLOCK)
        parts = tuple(operand[here] if operand.size > 1 else operand for operand in flat)
        lost[here] = _block_underflows(parts, result.reshape(-1)[here])
    return lost.reshape(result.shape)


def _block_underflows(operands: Arrays, result: Array) -> NDArray[np.bool_]:
    lost = np.abs(result) < ml_dtypes.finfo(result.dtype).tiny
    for operand in operands:
        # An operand of 0 makes an exact 0; a denormal one was lost before.
        least = ml_dtypes.finfo(operand.dtype).tiny if is_inexact(operand.dtype) else 1
        lost &= np.abs(operand) >= least
        if is_inexact(operand.dtype) and not is_finite(operand):
            lost &= (result != 0) | np.isfinite(operand)
    return np.asarray(lost)


def _product_underflows(operands: Arrays, result: Array) -> NDArray[np.bool_]:
    """For a product of many elements: none if any element of the operands was too small or not finite."""
    least = ml_dtypes.finfo(result.dtype).tiny
    normal = all(
        bool(((sizes := np.abs(operand)) >= least).all() and np.isfinite(sizes).all()) for operand in operands
    )
    return np.asarray((np.abs(result) < least) & normal)


class Denormal(Kind):
    """More than 1 % of the elements too small for their type, though nothing that they were computed from was.

    They do no harm where they are lost in a sum or a maximum beside greater numbers, as the tails of a softmax are.
    """

    name, title, became = "denormal", "denormal", "denormal or 0"
    rules = (Underflow(),)
    # Most of what is so small is lost in a sum.
    grade_if_unknown = "masked"

    def harm(self, evidence: Evidence) -> Harm | None:
        with quiet():
            lost = underflows(evidence.op, evidence.operands(), evidence.value())
            harm = evidence.follow("underflow", ElementSet.of_mask(lost.shape, lost))
        return None if harm == "pending" else harm


class LostNan(Rule):
    """A NaN in an operand where the result has none."""

    def watch(self, op: Op, results: Sequence[TensorType]) -> Watch:
        return Watch.AFTER_NAN if op.findings.nan_becomes(op) else Watch.NEVER

    def may_find(self, op: Op, operands: Arrays, results: Arrays) -> bool:
        return any((known := facts_known(each)) is None or known.range.nan for each in operands)

    def faults(self, op: Op, operands: Arrays, results: Arrays, signals: Signals) -> Iterator[Fault]:
        number = next((number for number, operand in enumerate(operands) if holds_nan(operand)), None)
        if number is None:
            return
        result = results[0]
        masks = [np.isnan(operand) for operand in operands]
        lost = np.broadcast_to(np.logical_or.reduce(np.broadcast_arrays(*masks)), result.shape)
        at = np.broadcast_to(masks[number], result.shape)
        index = tuple(map(int, np.unravel_index(int(at.argmax()), result.shape)))
        cause = f"where {{{number}}} is NaN and the result {op.findings.nan_becomes(op)}"
        elements = int(np.count_nonzero(lost))
        yield Fault("swallowed_nan", elements, result.size, index, cause, value=float(result[index]))


class SwallowedNan(Kind):
    """A NaN that a comparison by order answers with false, or that becomes an integer or a boolean.

    It does no harm where the program also tests the operand for NaN (`x != x`) and joins both answers.
    """

    name, title, became = "swallowed_nan", "swallowed NaN", "a NaN that was swallowed"
    rules = (LostNan(),)

    def harm(self, evidence: Evidence) -> Harm | None:
        return None if _is_tested(evidence.program, evidence.op_number) else "integer"

    def harmless_grade(self, program: BoundProgram, tally: FaultTally) -> Grade:
        return "neutral"


def _is_tested(program: BoundProgram, op: int) -> bool:
    """Whether the program tests what an op reads for NaN, and something depends on both answers."""
    tests = {
        reader
        for value in program.ops[op].operands
        for reader in program.readers.get(value, ())
        if (tester := program.ops[reader].op).findings.tests_finiteness(tester)
    }
    return bool(tests) and not _downstream(program, tests).isdisjoint(_downstream(program, {op}))


def _downstream(program: BoundProgram, start: Iterable[int]) -> set[int]:
    """The ops that depend on the results of some ops, up to the ends of their blocks."""
    waiting, reached = list(start), set[int]()
    while waiting and len(reached) < _MAX_READERS:
        for value in program.ops[waiting.pop()].results:
            for reader in program.readers.get(value, ()):
                if reader not in reached and not program.ops[reader].op.traits.is_terminator:
                    reached.add(reader)
                    waiting.append(reader)
    return reached
