"""Bytes that arrays keep alive: each owning buffer counts once, however many views share it."""

from __future__ import annotations

import numpy as np

from .ops.core.op import Array

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
    """Counts how often each buffer is held. A tuple is held as one, and holds what is in it once.

    Buffers of which `free` has the identity are not counted.
    """

    def __init__(self, free: frozenset[int] = frozenset()) -> None:
        self.bytes = 0
        self._free = free
        self._holds: dict[int, int] = {}

    def add(self, array: Array) -> None:
        """Holds the buffer of `array` once more; of a tuple those of all that is in it."""
        if array.base is None:
            buffer = array
        elif array.dtype.hasobject:
            self._add_tuple(array)
            return
        else:
            buffer = owner(array)
        identity = id(buffer)
        known = self._holds.get(identity)
        if known is not None:
            self._holds[identity] = known + 1
        elif identity not in self._free:
            self._holds[identity] = 1
            self.bytes += buffer.nbytes

    def _add_tuple(self, array: Array) -> None:
        known = self._holds.get(id(array), 0)
        self._holds[id(array)] = known + 1
        if not known:
            for leaf in counted_leaves(array):
                self.add(leaf)

    def remove(self, array: Array) -> None:
        """Takes back one `add`; the caller still has the array."""
        if array.base is None:
            buffer = array
        elif array.dtype.hasobject:
            self._remove_tuple(array)
            return
        else:
            buffer = owner(array)
        identity = id(buffer)
        known = self._holds.get(identity)
        if known is None:
            assert identity in self._free, "what was not held cannot be let go"
        elif known > 1:
            self._holds[identity] = known - 1
        else:
            del self._holds[identity]
            self.bytes -= buffer.nbytes

    def _remove_tuple(self, array: Array) -> None:
        known = self._holds[id(array)]
        if known > 1:
            self._holds[id(array)] = known - 1
            return
        del self._holds[id(array)]
        for leaf in counted_leaves(array):
            self.remove(leaf)

    def holds(self, array: Array) -> int:
        """How many values share the buffer of `array`."""
        return self._holds.get(id(owner(array)), 0)

    def holds_tuple(self, array: Array) -> int:
        """How many values are this very tuple."""
        return self._holds.get(id(array), 0)

    def copy(self) -> Ledger:
        """A copy of the ledger, which counts on independently."""
        other = Ledger(self._free)
        other.bytes, other._holds = self.bytes, dict(self._holds)
        return other
