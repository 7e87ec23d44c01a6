"""Accounting of the bytes that arrays keep alive: each owning buffer counts once."""

from __future__ import annotations

import numpy as np

from .ops.core.op import Array

SMALL = 512
"""Size in bytes below which an owning array is not counted."""


def owner(array: Array) -> Array:
    """The array that owns the buffer of `array`, which may be a view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def counted_leaves(array: Array) -> list[Array]:
    """The leaves of a tuple that are large enough to count."""
    found: list[Array] = []
    for item in array.tolist():
        if item.dtype.hasobject:
            found += counted_leaves(item)  # recursion is bounded by the nesting of types
        elif item.nbytes > SMALL or item.base is not None:
            found.append(item)
    return found


class Ledger:
    """Reference counts of buffers; a tuple counts as one and counts its contents once.

    Buffers whose identity is in `free` are not counted.
    """

    def __init__(self, free: frozenset[int] = frozenset()) -> None:
        self.bytes = 0
        self._free = free
        self._holds: dict[int, int] = {}

    def add(self, array: Array) -> None:
        """Add a reference to the buffer of `array`, or to all buffers in a tuple."""
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
        """Undo one `add`; the caller still has the array."""
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
            assert identity in self._free, "the array was not held"
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
        """Number of values that share the buffer of `array`."""
        return self._holds.get(id(owner(array)), 0)

    def holds_tuple(self, array: Array) -> int:
        """Number of values that are this tuple object."""
        return self._holds.get(id(array), 0)

    def copy(self) -> Ledger:
        """An independent copy of the ledger."""
        other = Ledger(self._free)
        other.bytes, other._holds = self.bytes, dict(self._holds)
        return other
