"""Bytes that arrays keep alive: each owning buffer counts once, however many views share it."""

from __future__ import annotations

import numpy as np

from .ops.op import Array
from .ops.values import leaves

SMALL = 512
"""Bytes of an array that owns its memory and is too small to be worth counting."""


def owner(array: Array) -> Array:
    """The array that owns the buffer which `array` is, or is a view of."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def counted_leaves(array: Array) -> list[Array]:
    """What is in a tuple and large enough to be counted."""
    return [leaf for leaf in leaves(array) if leaf.nbytes > SMALL or leaf.base is not None]


class Ledger:
    """Counts how often each buffer is held. A tuple is held as one, and holds what is in it once."""

    def __init__(self) -> None:
        self.bytes = 0
        self._holds: dict[int, int] = {}

    def add(self, array: Array) -> None:
        """Holds the buffer of `array` once more; of a tuple those of all that is in it."""
        if array.dtype.hasobject:
            holds = self._holds.get(id(array), 0)
            self._holds[id(array)] = holds + 1
            if not holds:
                for leaf in counted_leaves(array):
                    self.add(leaf)
            return
        buffer = owner(array)
        holds = self._holds.get(id(buffer), 0)
        self._holds[id(buffer)] = holds + 1
        if not holds:
            self.bytes += buffer.nbytes

    def remove(self, array: Array) -> None:
        """Takes back one `add`; the caller still has the array."""
        if array.dtype.hasobject:
            holds = self._holds[id(array)] - 1
            if holds:
                self._holds[id(array)] = holds
            else:
                del self._holds[id(array)]
                for leaf in counted_leaves(array):
                    self.remove(leaf)
            return
        buffer = owner(array)
        holds = self._holds[id(buffer)] - 1
        if holds:
            self._holds[id(buffer)] = holds
        else:
            del self._holds[id(buffer)]
            self.bytes -= buffer.nbytes

    def holds(self, array: Array) -> int:
        """How many values share the buffer of `array`."""
        return self._holds.get(id(owner(array)), 0)

    def copy(self) -> Ledger:
        """A ledger with the same holds."""
        other = Ledger()
        other.bytes, other._holds = self.bytes, dict(self._holds)
        return other
