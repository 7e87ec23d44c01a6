"""Floats that are lost without a trace: too small for their type, or a NaN in what has no NaN."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..indexing.elements.element_sets import ElementSet
from ..ops.core.quiet import quiet
from ..ops.elementwise.underflows import product_underflows, underflows
from ..program import BoundProgram
from .finding import FaultTally, Grade, Harm
from .kind import Evidence, Kind

_MAX_READERS = 256
"""Maximum number of ops searched for one that reads both a lost NaN and the answer of a guard."""


class Denormal(Kind):
    """More than 1 % of the elements too small for their type, though nothing that they were computed from was.

    They do no harm where they are lost in a sum or a maximum beside greater numbers, as the tails of a softmax are.
    """

    name, title, became = "denormal", "denormal", "denormal"
    # Most of what is so small is lost in a sum.
    grade_if_unknown = "masked"

    def harm(self, evidence: Evidence) -> Harm | None:
        value = evidence.value()
        with quiet():
            lost = (underflows if evidence.op.elementwise else product_underflows)(evidence.operands(), value)
            harm = evidence.follow("underflow", ElementSet.of_mask(lost.shape, lost))
        return None if harm == "pending" else harm


class SwallowedNan(Kind):
    """A NaN that a comparison by order answers with false, or that becomes an integer or a boolean.

    It does no harm where the program also tests the operand for NaN (`x != x`) and joins both answers.
    """

    name, title, became = "swallowed_nan", "swallowed NaN", "a NaN that was swallowed"

    def harm(self, evidence: Evidence) -> Harm | None:
        return None if _is_guarded(evidence.program, evidence.op_number) else "integer"

    def harmless_grade(self, program: BoundProgram, tally: FaultTally) -> Grade:
        return "neutral"


def _is_guarded(program: BoundProgram, op: int) -> bool:
    """Whether the program tests what an op reads for NaN, and something depends on both answers."""
    guards = {
        reader
        for value in program.ops[op].operands
        for reader in program.readers.get(value, ())
        if program.ops[reader].op.asks_for_badness
    }
    return bool(guards) and not _downstream(program, guards).isdisjoint(_downstream(program, {op}))


def _downstream(program: BoundProgram, start: Iterable[int]) -> set[int]:
    """The ops that depend on the results of some ops, up to the ends of their blocks."""
    readers: Mapping[int, tuple[int, ...]] = program.readers
    waiting, reached = list(start), set[int]()
    while waiting and len(reached) < _MAX_READERS:
        for value in program.ops[waiting.pop()].results:
            for reader in readers.get(value, ()):
                if reader not in reached and not program.ops[reader].op.terminator:
                    reached.add(reader)
                    waiting.append(reader)
    return reached
