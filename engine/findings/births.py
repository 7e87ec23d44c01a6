"""NaN and infinities: the ops in which they come into being.

Elements have ranks: finite 0, infinite 1, NaN 2. An element of a result is *born* bad where its rank is above the rank of
every element that it was computed from. An element of the same rank is carried on; where the rank falls, it is absorbed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ir.types import TensorType
from ..ops.core.bases import Selecting
from ..ops.core.op import Array, Op
from ..ops.core.quiet import Signals
from ..ops.core.ranks import INFINITE, NAN, Arrays, Ranks, holds_nan, is_inexact, raises_flags, ranks_of
from ..program import BoundOperation, BoundProgram
from ..remote_values import facts_known
from ..value_walks import moved_from
from .finding import Fault, FaultKind, FaultTally, Grade, Harm
from .kind import Evidence, Kind, Rule, Watch

_MAX_CONSTANT_ELEMENTS = 1 << 12
"""Maximum size of a constant that is searched for NaN: a NaN that stands for something is alone, or there are few."""
_SIDES = {1: "true", 2: "false"}
"""The value operands of a select, each with the predicate that takes it."""


class Birth(Rule):
    """An element of a result with a rank above that of all that it was computed from."""

    def watch(self, op: Op, results: Sequence[TensorType]) -> Watch:
        facet = op.findings
        if facet.awaits_outcomes:
            return Watch.ALWAYS
        dtypes = [result.element_type.dtype for result in results]
        if facet.moves_elements or facet.keeps_ranks or not any(map(is_inexact, dtypes)):
            return Watch.NEVER
        tells = facet.raises_flags and all(map(raises_flags, dtypes))
        return Watch.SIGNALLED if tells else Watch.ALWAYS

    def may_find(self, op: Op, operands: Arrays, results: Arrays) -> bool:
        return any((known := facts_known(each)) is None or known.range.nonfinite for each in results)

    def faults(self, op: Op, operands: Arrays, results: Arrays, signals: Signals) -> Iterator[Fault]:
        facet = op.findings
        is_silent = not facet.raises_flags or any(not raises_flags(result.dtype) for result in results)
        if not is_silent and not signals.tells_birth:
            return
        ranks = [ranks_of(result) for result in results]
        if all(found is None for found in ranks):
            return
        read = facet.ranks_read(op, operands, tuple(map(ranks_of, operands)), results)
        for number, (result, made, given) in enumerate(zip(results, ranks, read, strict=True)):
            if made is not None:
                for birth in _births(made, given, result, number):
                    cause = facet.birth_cause(op, operands, result, number, birth.index)
                    yield replace(birth, cause=cause)


def _births(made: Ranks, read: Ranks | int, result: Array, number: int) -> Iterator[Fault]:
    """The NaN and the infinities in a result of the ranks `made` that are worse than what they read, of ranks `read`."""
    born = np.where(made > read, made, 0)
    kinds: tuple[tuple[FaultKind, int], ...] = (("nan", NAN), ("inf", INFINITE))
    for kind, rank in kinds:
        mask = born == rank
        if elements := int(np.count_nonzero(mask)):
            index = tuple(map(int, np.unravel_index(int(mask.argmax()), mask.shape)))
            worst_read = read if isinstance(read, int) else int(np.broadcast_to(read, made.shape)[index])
            value = float(result[index]) if result.dtype.kind != "c" else None
            from_inf = worst_read == INFINITE
            yield Fault(kind, elements, result.size, index, "", number, value=value, from_inf=from_inf)


_BIRTH = Birth()


class NotANumber(Kind):
    """A NaN, born of numbers or of infinities.

    It does harm also where other values are sorted by it, or where the program finds it and takes another NaN instead. A NaN
    constant that a select takes does harm only where something is computed of it.
    """

    name, title, became = "nan", "NaN", "NaN"
    rules = (_BIRTH,)
    is_born = True

    def harm(self, evidence: Evidence) -> Harm | None:
        born = evidence.born_elements()
        if evidence.fault.from_constant:
            return evidence.follow("chosen_nan", born)
        return evidence.follow("not_finite", born) or evidence.follow("order", born)

    def harmless_grade(self, program: BoundProgram, tally: FaultTally) -> Grade:
        return "neutral" if tally.first.fault.from_constant else "masked"


class Infinity(Kind):
    """An infinity: of a division by 0, of a pole, or of numbers too large for their type.

    One that is only too large does harm also where something is divided by it and so becomes 0, a size that is lost.
    """

    name, title, became = "inf", "infinity", "infinite"
    rules = (_BIRTH,)
    is_born = True

    def harm(self, evidence: Evidence) -> Harm | None:
        born = evidence.born_elements()
        harm = evidence.follow("not_finite", born)
        return harm or (evidence.follow("lost_size", born) if _is_too_large(evidence.op) else None)

    def harmless_grade(self, program: BoundProgram, tally: FaultTally) -> Grade:
        return "neutral" if tally.op in program.derive(_ops_of_constants) else "masked"


def _is_too_large(op: Op) -> bool:
    """Whether the infinities of an op are sums, products or conversions of numbers, and so only too large.

    The exponential of a number above its limit exceeds everything that it is compared with.
    """
    return op.findings.multiplies or op.findings.outweighs(op) or op.findings.converts


def _ops_of_constants(program: BoundProgram) -> frozenset[int]:
    """The ops whose results follow from constants of the program alone."""
    values: set[int] = set()
    ops: set[int] = set()
    for bound in program.ops:
        if bound.regions or not bound.results:
            continue
        if bound.op.traits.is_constant or (bound.operands and values.issuperset(bound.operands)):
            ops.add(bound.id)
            values.update(bound.results)
    return frozenset(ops)


# NaN constants of the program


def constants(program: BoundProgram) -> Iterator[tuple[BoundOperation, Array]]:
    """The small constants of a program, with the ops that hold them."""
    for bound in program.ops:
        if not (bound.op.traits.is_constant and bound.results) or bound.op.outside is not None:
            continue
        stated = program.values[bound.results[0]].type
        if not isinstance(stated, TensorType) or not stated.is_static:
            continue
        if stated.element_count <= _MAX_CONSTANT_ELEMENTS:
            value = bound.op.evaluate()
            assert not isinstance(value, tuple), "a constant has one result"
            yield bound, value


def nan_choices(program: BoundProgram) -> Mapping[int, tuple[int, ...]]:
    """The selects between a NaN constant and something else, each with the numbers of the operands that are NaN.

    No op gives birth to such a NaN: it stands for a missing value, or for a result that failed. Where the program goes on to
    compute with it, the select is where that begins.
    """
    nan_constants = frozenset(bound.id for bound, value in constants(program) if _is_all_nan(value))
    if not nan_constants:
        return MappingProxyType({})
    choices = {
        bound.id: tuple(side for side in _SIDES if nan_constants & moved_from(program, bound.operands[side]))
        for bound in program.ops
        if bound.op.traits.is_elementwise and isinstance(bound.op, Selecting)
    }
    return MappingProxyType({op: sides for op, sides in choices.items() if len(sides) == 1})


def _is_all_nan(value: Array) -> bool:
    ranks = ranks_of(value) if is_inexact(value.dtype) else None
    return ranks is not None and bool((ranks == NAN).all())


def chosen_nans(operands: Arrays, shape: tuple[int, ...], sides: tuple[int, ...]) -> NDArray[np.bool_]:
    """Mask of the elements for which a select took an operand of `sides` that is NaN everywhere, and the other is no NaN."""
    chosen: Any = np.zeros(shape, np.bool_)
    for side in sides:
        if _is_all_nan(operands[side]):
            other = ranks_of(operands[3 - side])
            taken = operands[0] if side == 1 else ~operands[0]
            chosen |= taken if other is None else taken & (other != NAN)
    return np.asarray(chosen)


def chosen_nan_faults(operands: Arrays, result: Array, sides: tuple[int, ...]) -> Iterator[Fault]:
    """The NaN constant that a select has taken, if any."""
    if not holds_nan(result):
        return
    chosen = chosen_nans(operands, result.shape, sides)
    elements = int(np.count_nonzero(chosen))
    if elements:
        index = tuple(map(int, np.unravel_index(int(chosen.argmax()), chosen.shape)))
        cause = f"where {{0}} is {_SIDES[sides[0]]} and {{{sides[0]}}} is taken, a NaN constant"
        yield Fault("nan", elements, result.size, index, cause, value=float("nan"), from_constant=True)
