"""Keeps recorded values under a budget of bytes; the oldest go first and are computed again on demand."""

from __future__ import annotations

from collections import OrderedDict

from ..memory import Ledger, owner
from ..ops.op import Array
from .address import Address

_MOSTLY_UNUSED = 4
"""A view that keeps less than this part of its buffer alive is copied when the buffer is dropped."""
ENTRY_BYTES = 256
"""What Python takes for one value besides its buffer; scalars of a long loop are mostly this."""


class ValueStore:
    """Values by address, counted by the buffers that they keep alive.

    Buffers of `inputs` are there anyway and count nothing.
    """

    def __init__(self, budget: int, inputs: tuple[Array, ...] = ()) -> None:
        self.budget = budget
        self._values: OrderedDict[Address, Array] = OrderedDict()
        self._ledger = Ledger()
        self._sharing: dict[int, set[Address]] = {}
        self._free = {id(owner(array)) for array in inputs}
        self._inputs = inputs

    @property
    def bytes(self) -> int:
        """Bytes of the buffers that the values kept here hold."""
        return self._ledger.bytes

    def __contains__(self, address: Address) -> bool:
        return address in self._values

    def __len__(self) -> int:
        return len(self._values)

    def get(self, address: Address) -> Array | None:
        """The value, if it is still here."""
        return self._values.get(address)

    def put(self, address: Address, array: Array) -> None:
        """Keeps `array`, then drops the oldest values until the budget holds; the newest always stays."""
        if address in self._values:
            self._values.move_to_end(address)
            return
        self._keep(address, array)
        while self.bytes + ENTRY_BYTES * len(self) > self.budget and len(self) > 1:
            self._drop_oldest()

    def _keep(self, address: Address, array: Array) -> None:
        self._values[address] = array
        if id(owner(array)) not in self._free:
            self._ledger.add(array)
            self._sharing.setdefault(id(owner(array)), set()).add(address)

    def _drop_oldest(self) -> None:
        address, array = self._values.popitem(last=False)
        buffer = owner(array)
        if id(buffer) in self._free:
            return
        self._ledger.remove(array)
        rest = self._sharing[id(buffer)]
        rest.discard(address)
        if not rest:
            del self._sharing[id(buffer)]
        elif sum(self._values[other].nbytes for other in rest) * _MOSTLY_UNUSED < buffer.nbytes:
            self._detach(rest.copy())

    def _detach(self, addresses: set[Address]) -> None:
        for address in sorted(addresses):
            view = self._values[address]
            copied = view.copy()
            copied.flags.writeable = False
            self._ledger.remove(view)
            self._sharing[id(owner(view))].discard(address)
            if not self._sharing[id(owner(view))]:
                del self._sharing[id(owner(view))]
            self._values[address] = copied
            self._ledger.add(copied)
            self._sharing.setdefault(id(owner(copied)), set()).add(address)
