"""Bytes that arrays keep alive: each owning buffer counts once, however many views share it."""

from __future__ import annotations

import numpy as np

from .ops.op import Array

SMALL = 512
"""Bytes of an array that owns its memory and is too small to be worth counting."""


def owner(array: Array) -> Array:
    """The array that owns the buffer which `array` is, or is a view of."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def counted_leaves(array: Array) -> list[Array]:
    """What is in a tuple and large enough to be counted."""
    found: list[Array] = []
    for item in array.tolist():
        if item.dtype.hasobject:
            found += counted_leaves(item)  # no deeper than types may be nested
        elif item.nbytes > SMALL or item.base is not None:
            found.append(item)
    return found


class Ledger:
    """Counts how often each buffer is held. A tuple is held as one, and holds what is in it once."""

    def __init__(self) -> None:
        self.bytes = 0
        self._holds: dict[int, int] = {}

    def add(self, array: Array) -> None:
        """Holds the buffer of `array` once more; of a tuple those of all that is in it."""
        if not array.dtype.hasobject:
            self._add(array)
            return
        known = self._holds.get(id(array), 0)
        self._holds[id(array)] = known + 1
        if not known:
            for leaf in counted_leaves(array):
                self._add(leaf)

    def _add(self, array: Array) -> None:
        buffer = array if array.base is None else owner(array)
        known = self._holds.get(id(buffer), 0)
        self._holds[id(buffer)] = known + 1
        if not known:
            self.bytes += buffer.nbytes

    def remove(self, array: Array) -> None:
        """Takes back one `add`; the caller still has the array."""
        if not array.dtype.hasobject:
            self._remove(array)
            return
        known = self._holds.pop(id(array)) - 1
        if known:
            self._holds[id(array)] = known
            return
        for leaf in counted_leaves(array):
            self._remove(leaf)

    def _remove(self, array: Array) -> None:
        buffer = array if array.base is None else owner(array)
        known = self._holds.pop(id(buffer)) - 1
        if known:
            self._holds[id(buffer)] = known
        else:
            self.bytes -= buffer.nbytes

    def holds(self, array: Array) -> int:
        """How many values share the buffer of `array`."""
        return self._holds.get(id(owner(array)), 0)

    def copy(self) -> Ledger:
        """A ledger with the same holds."""
        other = Ledger()
        other.bytes, other._holds = self.bytes, dict(self._holds)
        return other
