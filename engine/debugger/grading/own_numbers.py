"""Where processes that should agree come to differ because the number of each goes into what is computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from ...decisive_values import is_given
from ...program import BoundOperation
from ..address import Address
from ..origins import address_of
from ..recording import Recording

_MOST = 256
"""Ops that are looked at."""
Pair = tuple[Address, Address]
"""The same value in two processes."""


class MixingSearch:
    """Goes back from a value that differs over values that differ, to where they were mixed with what all have."""

    def __init__(self, recording: Recording, differs: Callable[[Any, Any], NDArray[Any]]) -> None:
        self._recording, self._program, self._differs = recording, recording.program, differs

    def find(self, first: Address, other: Address) -> Pair | None:
        """The first value that is computed of a number of the process and of something that is given, in both processes.

        `None` if there is none, or if anything else differs: an argument, or a number that says which part a process has.
        """
        waiting, seen, mixed = [(first, other)], {first}, list[Pair]()
        while waiting:
            pair = waiting.pop()
            if pair[0].kind != "s" or pair[1].kind != "s" or len(seen) > _MOST:
                return None
            bound = self._bound(pair[0])
            differing = self._differing(pair, bound)
            if differing is None or any(number in differing for number in bound.op.deciding_operands()):
                return None
            agreeing = [value for number, value in enumerate(bound.operands) if number not in differing]
            if differing and not pair[0].index and any(is_given(self._program, value) for value in agreeing):
                mixed.append(pair)
            fresh = [each for each in differing.values() if each[0] not in seen]
            seen.update(each[0] for each in fresh)
            waiting += fresh
        return min(mixed, key=lambda pair: pair[0].number, default=None)

    def _bound(self, address: Address) -> BoundOperation:
        track = self._recording.tracks[address.process]
        return self._program.ops[int(track.op_column[address.number])]

    def _differing(self, pair: Pair, bound: BoundOperation) -> dict[int, Pair] | None:
        """The operands that differ, by their numbers; `None` if one is not known."""
        found = {}
        for number, value in enumerate(bound.operands):
            tracks = (self._recording.tracks[each.process] for each in pair)
            read = [
                address_of(self._program, track, each.number, value)
                for track, each in zip(tracks, pair, strict=True)
            ]
            first, other = read
            if first is None or other is None:
                return None
            values = self._recording.value(first), self._recording.value(other)
            if self._differs(*values).any():
                found[number] = (first, other)
        return found
