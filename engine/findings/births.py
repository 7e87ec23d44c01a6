"""NaN and infinities: the ops in which they come into being.

Elements have ranks: finite 0, infinite 1, NaN 2. An element of a result is *born* bad where its rank is above the rank of
every element that it was computed from. An element of the same rank is carried on; where the rank falls, it is absorbed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..decisive_values import moved_from
from ..ir.types import TensorType
from ..ops.core.faults import Fault
from ..ops.core.op import Array, Op
from ..ops.core.ranks import NAN, holds_nan, is_inexact, ranks_of
from ..ops.core.selecting import Selecting
from ..program import BoundOperation, BoundProgram
from .finding import FaultTally, Grade, Harm
from .kind import Evidence, Kind

Arrays = tuple[Array, ...]
_MAX_CONSTANT_ELEMENTS = 1 << 12
"""Maximum size of a constant that is searched for NaN: a NaN that stands for something is alone, or there are few."""
_SIDES = {1: "true", 2: "false"}
"""The value operands of a select, each with the predicate that takes it."""


class NotANumber(Kind):
    """A NaN, born of numbers or of infinities.

    It does harm also where other values are sorted by it, or where the program finds it and takes another NaN instead. A NaN
    constant that a select takes does harm only where something is computed of it.
    """

    name, title, became = "nan", "NaN", "NaN"
    is_born = True

    def harm(self, evidence: Evidence) -> Harm | None:
        born = evidence.born_elements()
        if evidence.fault.stated:
            return evidence.follow("chosen_nan", born)
        return evidence.follow("not_finite", born) or evidence.follow("order", born)

    def harmless_grade(self, program: BoundProgram, tally: FaultTally) -> Grade:
        return "neutral" if tally.first.fault.stated else "masked"


class Infinity(Kind):
    """An infinity: of a division by 0, of a pole, or of numbers too large for their type.

    One that is only too large does harm also where something is divided by it and so becomes 0, a size that is lost.
    """

    name, title, became = "inf", "infinity", "infinite"
    is_born = True

    def harm(self, evidence: Evidence) -> Harm | None:
        born = evidence.born_elements()
        harm = evidence.follow("not_finite", born)
        return harm or (evidence.follow("lost_size", born) if _is_too_large(evidence.op) else None)

    def harmless_grade(self, program: BoundProgram, tally: FaultTally) -> Grade:
        return "neutral" if tally.op in program.derive(_ops_of_constants) else "masked"


def _is_too_large(op: Op) -> bool:
    """Whether the infinities of an op are sums, products or conversions of numbers: no more than too large.

    The exponential of what is above its limit is beyond all that it is compared with.
    """
    return op.multiplies or op.outweighs or op.converts


def _ops_of_constants(program: BoundProgram) -> frozenset[int]:
    """The ops whose results follow from constants of the program alone."""
    values: set[int] = set()
    ops: set[int] = set()
    for bound in program.ops:
        if bound.regions or not bound.results:
            continue
        if bound.op.is_constant or (bound.operands and values.issuperset(bound.operands)):
            ops.add(bound.id)
            values.update(bound.results)
    return frozenset(ops)


# NaN constants of the program


def constants(program: BoundProgram) -> Iterator[tuple[BoundOperation, Array]]:
    """The small constants of a program, with the ops that hold them."""
    for bound in program.ops:
        if not (bound.op.is_constant and bound.results) or bound.op.outside is not None:
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
        if bound.op.elementwise and isinstance(bound.op, Selecting)
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
        cause = f"where {{0}} is {_SIDES[sides[0]]} and {{{sides[0]}}} is taken, a NaN of the program"
        yield Fault("nan", elements, result.size, index, cause, value=float("nan"), stated=True)
