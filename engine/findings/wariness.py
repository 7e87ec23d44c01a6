"""Ops in which a NaN may be lost: they are asked once there has been one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ..ops.core.op import Array
from .given_values import GivenValues

_ASK, _TAKE = 1 << 14, 1 << 12
"""How many elements could be looked at in the time that it takes to ask an op, and to take up an array."""


class Wariness:
    """Puts these ops among those that are asked after each step.

    Nobody knows at first whether the run is given a NaN. Until then they are asked: few of them read less than
    the run is given. Once as much was looked at in them as that, it is cheaper to know it.
    """

    def __init__(self, asked: set[int], ops: frozenset[int], given: GivenValues) -> None:
        """`asked` are the ops that are asked anyway; `ops` are put there, and may be taken away again."""
        self._asked, self._ops, self._given = asked, ops, given
        self._undecided = ops - asked
        self._looked_at = 0
        asked |= ops

    def asks(self, op: int, operands: Sequence[Array]) -> None:
        """Notes that an op is asked about what it has read."""
        if op not in self._undecided:
            return
        self._looked_at += _ASK + sum(operand.size for operand in operands)
        if self._looked_at > self._enough:
            self._decide()

    @cached_property
    def _enough(self) -> int:
        """What it takes to look at what the run is given, in elements."""
        return sum(_TAKE + value.size for value in self._given.values)

    def note_nan(self) -> None:
        """From now on all of them are asked, for there has been a NaN."""
        self._asked |= self._ops
        self._ops = self._undecided = frozenset()

    def _decide(self) -> None:
        if self._given.has_nan:
            self.note_nan()
        self._asked -= self._undecided
        self._undecided = frozenset()
