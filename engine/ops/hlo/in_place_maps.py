"""Index maps of a collective-permute in place: slices of the source's `input` that are put into an own `output`.

Where the source's slices begin, and where the target puts those that it gets, the process finds out where they meet;
what of slices that lie one over the other can be seen is found out, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from ...indexing import Dim, IndexMap, Interval, OperandMap, Range, Runtime, RuntimeVariable, dims
from ..op import Array

Shape = tuple[int, ...]
Window = tuple[slice, ...]
_SOURCE, _TARGET, _COME, _GO, _BUFFERS = range(5)
"""What is found out, by number; from `_BUFFERS` on, of each buffer and each slice."""


def found_names(buffers: int, slices: int) -> tuple[str, ...]:
    """What to call what is found out behind the places of source and target."""
    return (
        "start of each slice that comes",
        "start of each slice that goes",
        *(f"slice that lies in buffer {number}" for number in range(buffers)),
        *(f"slice that lies in buffer {number} of the target" for number in range(buffers)),
        *(f"what stays of slice {number}" for number in range(slices)),
    )


def start_table(windows: Sequence[tuple[int, Window]]) -> Array:
    """Where slices begin: a row for each."""
    rank = max((len(window) for _, window in windows), default=0)
    table = np.zeros((len(windows), rank), np.int64)
    for number, (_, window) in enumerate(windows):
        table[number, : len(window)] = [found.start for found in window]
    return table


def lying(shapes: Sequence[Shape], windows: Sequence[tuple[int, Window]]) -> list[Array]:
    """For each buffer which slice lies where in it: -1 is what was there."""
    found = [np.full(shape, -1) for shape in shapes]
    for number, (buffer, window) in enumerate(windows):
        found[buffer][window] = number
    return found


def staying(
    shapes: Sequence[Shape],
    taken: Sequence[tuple[int, Window]],
    put: Sequence[tuple[int, Window]],
    lies: Sequence[Array],
) -> list[Array]:
    """For each slice which elements of its buffer are seen at the target, where the slices are `put`."""
    found = []
    for number, ((buffer, window), (other, place)) in enumerate(zip(taken, put, strict=True)):
        mask = np.zeros(shapes[buffer], np.int64)
        mask[window] = lies[other][place] == number
        found.append(mask)
    return found


@dataclass(frozen=True)
class InPlaceIndexing:
    """The maps of a call."""

    inputs: tuple[Shape, ...]
    outputs: tuple[Shape, ...]
    slices: tuple[tuple[int, Shape], ...]
    """Of each slice the number of its buffer, and its sizes."""
    found: int
    """The number of the first operand that is found out."""

    def maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """Of all buffers, and of all indices."""
        for number, (buffer, _) in enumerate(self.slices):
            yield self._sent(number, buffer) if inverse else self._received(number, buffer)
            yield from self._placing(number, buffer, inverse=inverse)
        for buffer, shape in enumerate(self.outputs):
            stays = self._lies(buffer, shape, -1)
            kept = IndexMap.of(dims(len(shape)), shape, (), [stays])
            yield OperandMap(len(self.inputs) + buffer, kept, buffer)

    @property
    def _first_starts(self) -> tuple[list[int], list[int]]:
        """The numbers of the first index of each slice, of those that say where from, and of those that say where to."""
        ranks = [len(sizes) for _, sizes in self.slices]
        before = [0, *accumulate(ranks)]
        buffers = len(self.inputs) + len(self.outputs)
        return [buffers + at for at in before[:-1]], [buffers + before[-1] + at for at in before[:-1]]

    def _other(self, number: int, shape: Shape) -> RuntimeVariable:
        return RuntimeVariable(Interval(0, 2), self.found + number, IndexMap.scalar(shape), clamped=False)

    def _lies(self, buffer: int, shape: Shape, number: int, *, target: bool = False) -> RuntimeVariable:
        """Whether slice `number` lies at an index of a buffer."""
        operand = self.found + _BUFFERS + buffer + (len(self.outputs) if target else 0)
        at = IndexMap.everything(shape) if target else IndexMap.identity(shape)
        return RuntimeVariable(Interval(number, number), operand, at, clamped=False)

    def _own_starts(self, first: int, whole: Shape, sizes: Shape) -> list[RuntimeVariable]:
        """Indices of this process, which are clamped so that slices fit."""
        rooms = [size - part for size, part in zip(whole, sizes, strict=True)]
        return [
            RuntimeVariable(Interval(0, room), first + k, IndexMap.scalar(whole))
            for k, room in enumerate(rooms)
        ]

    def _other_starts(
        self, table: int, number: int, domain: Shape, whole: Shape, sizes: Shape
    ) -> list[RuntimeVariable]:
        """Indices of another process, which have been clamped."""
        rooms = [size - part for size, part in zip(whole, sizes, strict=True)]
        return [
            RuntimeVariable(
                Interval(0, room), self.found + table, IndexMap.of([number, k], domain), clamped=False
            )
            for k, room in enumerate(rooms)
        ]

    def _moved(
        self, domain: Shape, sizes: Shape, runtimes: Sequence[RuntimeVariable]
    ) -> tuple[IndexMap, Runtime]:
        """From where a slice begins on this side to where it does on the other; the process comes last."""
        rank = len(domain)
        within = [Dim(k) - Runtime(k) for k in range(rank)]
        index = [found + Runtime(rank + k) for k, found in enumerate(within)]
        constraints = [(found, Interval(0, size - 1)) for found, size in zip(within, sizes, strict=True)]
        return IndexMap.of(index, domain, (), runtimes, constraints), Runtime(len(runtimes) - 1)

    def _received(self, number: int, buffer: int) -> OperandMap:
        sizes, shape, whole = self.slices[number][1], self.outputs[buffer], self.inputs[buffer]
        own = self._own_starts(self._first_starts[1][number], shape, sizes)
        other = self._other_starts(_COME, number, shape, whole, sizes)
        runtimes = [*own, *other, self._lies(buffer, shape, number), self._other(_SOURCE, shape)]
        found, place = self._moved(shape, sizes, runtimes)
        return OperandMap(buffer, found, buffer, place)

    def _sent(self, number: int, buffer: int) -> OperandMap:
        sizes, shape, whole = self.slices[number][1], self.inputs[buffer], self.outputs[buffer]
        own = self._own_starts(self._first_starts[0][number], shape, sizes)
        other = self._other_starts(_GO, number, shape, whole, sizes)
        mask = self.found + _BUFFERS + 2 * len(self.outputs) + number
        stays = RuntimeVariable(Interval(1, 1), mask, IndexMap.identity(shape), clamped=False)
        found, place = self._moved(shape, sizes, [*own, *other, stays, self._other(_TARGET, shape)])
        return OperandMap(buffer, found, buffer, place)

    def _placing(self, number: int, buffer: int, *, inverse: bool) -> Iterator[OperandMap]:
        """The source's indices decide what lies in a slice, the own ones where it lies."""
        shape = self.outputs[buffer]
        every = [Range(k) for k in range(len(shape))]
        reads, writes = (first[number] for first in self._first_starts)
        for k in range(len(shape)):
            if inverse:
                seen = [self._lies(buffer, shape, number, target=True), self._other(_TARGET, ())]
                read = IndexMap.of(every, (), shape, seen)
                written = IndexMap.of(every, (), shape, [self._other(_SOURCE, ())])
            else:
                seen = [self._lies(buffer, shape, number), self._other(_SOURCE, shape)]
                read = IndexMap.of((), shape, (), seen)
                written = IndexMap.of((), shape, (), [self._other(_SOURCE, shape)])
            yield OperandMap(reads + k, read, buffer, Runtime(1))
            yield OperandMap(writes + k, written, buffer)
