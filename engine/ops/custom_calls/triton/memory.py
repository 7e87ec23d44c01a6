"""The memory that a kernel's programs share: the buffers of operands and results, by address.

An address is a number of bytes; each buffer begins at a multiple of `APART`. A device runs the programs of a grid in any
order: an element has no defined value if one program writes it and another reads or writes it, unless both write the
same bits or use atomics. An element that nothing has written has none either. Both stop the run.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....errors import RunError, UnboundResults
from ...core.op import Array

APART = 1 << 44
"""Bytes between the first addresses of two buffers."""
_NOBODY, _SEVERAL = -1, -2
_DID = {"reads": "has read", "writes": "has written", "updates": "has updated"}
_CONFLICTS = {
    "reads": ("writes", "updates"),
    "writes": ("reads", "writes", "updates"),
    "updates": ("reads", "writes"),
}
"""For what a program does with an element, what another must not have done; atomics *update*, in any order."""
HINT = "bind values for its results to continue"


@dataclass
class Buffer:
    """The elements of an operand, or of a result with the operand that shares its memory, one after another."""

    name: str
    values: Array
    is_result: bool
    written: Array
    """Whether each element has a value."""
    users: dict[str, Array] = field(init=False)
    """Of results, for each thing done with an element: the program that did it, `_NOBODY` or `_SEVERAL`."""

    def __post_init__(self) -> None:
        count = self.values.size if self.is_result else 0
        self.users = {does: np.full(count, _NOBODY, np.int64) for does in _CONFLICTS}


@dataclass
class Memory:
    """The buffers; `at` says where an access comes from: kernel, program and operation."""

    buffers: list[Buffer]
    program: int = 0
    at: str = ""

    def load(self, addresses: Array, dtype: np.dtype[Any]) -> Array:
        """The elements at the addresses, a list of them."""
        found = np.empty(addresses.shape, dtype)
        for buffer, chosen, places, own in self._places(addresses, dtype):
            self._use(buffer, own, "reads")
            found[chosen] = buffer.values.view(dtype)[places]
        return found

    def store(self, addresses: Array, values: Array) -> None:
        """Write the values to the addresses."""
        for buffer, chosen, places, own in self._places(addresses, values.dtype, writes=True):
            stored, written = buffer.values.view(values.dtype), values[chosen]
            same = buffer.written[own] & (_bits(stored[places]) == _bits(written))
            self._use(buffer, own, "writes", ~same)
            stored[places] = written
            buffer.written[own] = True
            lost = _bits(stored[places]) != _bits(written)
            if lost.any():
                raise self._stop(
                    f"it stores several values in element {own[lost][0]:,} of {buffer.name} at once"
                )

    def update(self, address: int, dtype: np.dtype[Any], change: Callable[[Any], Any]) -> Any:
        """Replace an element by `change` of it, as an atomic does; returns what it was."""
        ((buffer, _, places, own),) = self._places(np.array([address]), dtype, writes=True)
        self._use(buffer, own, "updates")
        stored = buffer.values.view(dtype)
        before = stored[places][0]
        stored[places] = change(before)
        return before

    def _places(
        self, addresses: Array, dtype: np.dtype[Any], *, writes: bool = False
    ) -> list[tuple[Buffer, Any, Array, Array]]:
        """For each buffer of the addresses: which of them are its, their places as elements of `dtype`, and as its own."""
        numbers = (addresses + APART // 2) // APART  # also of an address before a buffer
        if numbers.size and (numbers == numbers[0]).all():  # as nearly always
            return [self._place(int(numbers[0]), slice(None), addresses, dtype, writes)]
        split = [(int(number), numbers == number) for number in np.unique(numbers)]
        return [self._place(number, chosen, addresses, dtype, writes) for number, chosen in split]

    def _place(
        self, number: int, chosen: Any, addresses: Array, dtype: np.dtype[Any], writes: bool
    ) -> tuple[Buffer, Any, Array, Array]:
        if not 0 < number <= len(self.buffers):
            raise self._wrong("it uses an address outside of all operands and results")
        buffer, offsets = self.buffers[number - 1], addresses[chosen] - number * APART
        size = buffer.values.dtype.itemsize
        outside = (offsets < 0) | (offsets + dtype.itemsize > buffer.values.nbytes)
        if outside.any():
            element = int(offsets[outside][0]) // size
            raise self._wrong(
                f"element {element:,} is outside of {buffer.name}, which has {buffer.values.size:,}"
            )
        if (offsets % dtype.itemsize).any() or dtype.itemsize != size:
            raise self._stop(
                f"it uses {buffer.name}, of {size} bytes an element, as elements of {dtype.itemsize}"
            )
        if writes and not buffer.is_result:
            raise self._wrong(f"it writes {buffer.name}, which shares its memory with no result")
        return buffer, chosen, offsets // dtype.itemsize, offsets // size

    def _use(self, buffer: Buffer, own: Array, does: str, changes: Array | None = None) -> None:
        """Note a use of elements; stop the run if they have no value, or another program decides which."""
        if does != "writes" and not buffer.written[own].all():
            raise self._stop(f"element {own[~buffer.written[own]][0]:,} of {buffer.name} has no value yet")
        if not buffer.is_result:
            return
        for did in _CONFLICTS[does]:
            others = self._are_others(buffer.users[did][own])
            wrong = others if changes is None else others & changes
            if wrong.any():
                raise self._stop(
                    f"it {does} element {own[wrong][0]:,} of {buffer.name}, which another program {_DID[did]}: "
                    "the value depends on the order of programs"
                )
        users = buffer.users[does]
        users[own] = np.where(self._are_others(users[own]), _SEVERAL, self.program)

    def _are_others(self, programs: Array) -> Array:
        return np.asarray((programs != _NOBODY) & (programs != self.program))

    def _wrong(self, sentence: str) -> RunError:
        return RunError(f"{self.at}: {sentence}")

    def _stop(self, sentence: str) -> UnboundResults:
        return UnboundResults(f"{self.at}: {sentence}", hint=HINT)


def _bits(values: Array) -> Array:
    return values.view(f"u{values.dtype.itemsize}")
