"""NaN that a program states and chooses in the place of other elements: a missing value, or what has failed.

No op gives birth to it. Where the program goes on to compute with it, this is where it began.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..decisive_values import moved_from
from ..ir.types import TensorType
from ..ops.core.bases import Selecting
from ..ops.core.faults import Fault
from ..ops.core.op import Array
from ..ops.core.ranks import NAN, holds_nan, is_inexact, ranks_of
from ..program import BoundOperation, BoundProgram

Arrays = tuple[Array, ...]
_MOST_ELEMENTS = 1 << 12
"""Of a constant that is looked at."""
_SIDES = {1: "true", 2: "false"}
"""The operands of a select, each with what operand 0 is where it is taken."""


def choosing_ops(program: BoundProgram) -> Mapping[int, tuple[int, ...]]:
    """The ops that choose between a NaN of the program and something else, with the numbers of the operands that are NaN."""
    stated = frozenset(bound.id for bound in program.ops if _is_nan(program, bound))
    if not stated:
        return MappingProxyType({})
    found = {
        bound.id: tuple(side for side in _SIDES if stated & moved_from(program, bound.operands[side]))
        for bound in program.ops
        if bound.op.traits.is_elementwise and isinstance(bound.op, Selecting)
    }
    return MappingProxyType({op: sides for op, sides in found.items() if len(sides) == 1})


def _is_nan(program: BoundProgram, bound: BoundOperation) -> bool:
    if not (bound.op.traits.is_constant and bound.results) or bound.op.outside is not None:
        return False
    found = program.values[bound.results[0]].type
    if not isinstance(found, TensorType) or not found.is_static or found.element_count > _MOST_ELEMENTS:
        return False
    value = bound.op.evaluate()
    assert not isinstance(value, tuple), "a constant has one result"
    return _all_nan(value)


def _all_nan(value: Array) -> bool:
    ranks = ranks_of(value) if is_inexact(value.dtype) else None
    return ranks is not None and bool((ranks == NAN).all())


def chosen_nans(operands: Arrays, shape: tuple[int, ...], sides: tuple[int, ...]) -> NDArray[np.bool_]:
    """Where a select, with a result of that shape, has taken an operand that is NaN everywhere, one of `sides`, and the
    other one is not.
    """
    chosen: Any = np.zeros(shape, np.bool_)
    for side in sides:
        if _all_nan(operands[side]):
            other = ranks_of(operands[3 - side])
            taken = operands[0] if side == 1 else ~operands[0]
            chosen |= taken if other is None else taken & (other != NAN)
    return np.asarray(chosen)


def chosen_faults(operands: Arrays, result: Array, sides: tuple[int, ...]) -> Iterator[Fault]:
    """The NaN that a select has taken, if any."""
    if not holds_nan(result):
        return
    chosen = chosen_nans(operands, result.shape, sides)
    elements = int(np.count_nonzero(chosen))
    if elements:
        index = tuple(map(int, np.unravel_index(int(chosen.argmax()), chosen.shape)))
        cause = f"where {{0}} is {_SIDES[sides[0]]} and {{{sides[0]}}} is taken, a NaN of the program"
        yield Fault("nan", elements, result.size, index, cause, value=float("nan"), stated=True)
