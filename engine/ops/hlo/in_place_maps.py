"""Index maps of a collective-permute in place: slices of the source's `input` that are put into an own `output`.

Where the source's slices begin, where the target puts those that it receives, and what remains visible of slices that
overlap are process values, known once the processes have reached the rendezvous.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from ...indexing import Dim, IndexMap, Interval, OperandMap, Range, Runtime, RuntimeVariable, dims
from ..core.op import Array

Shape = tuple[int, ...]
Window = tuple[slice, ...]
_SOURCE, _TARGET, _COME, _GO, _BUFFERS = range(5)
"""Numbers of the process values; from `_BUFFERS` on, one for each buffer and each slice."""


def auxiliary_names(buffers: int, slices: int) -> tuple[str, ...]:
    """Names of the process values after the places of source and target."""
    return (
        "start of each slice that comes",
        "start of each slice that goes",
        *(f"slice that lies in buffer {number}" for number in range(buffers)),
        *(f"slice that lies in buffer {number} of the target" for number in range(buffers)),
        *(f"what stays of slice {number}" for number in range(slices)),
    )


def start_table(windows: Sequence[tuple[int, Window]]) -> Array:
    """The starts of slices, a row for each."""
    rank = max((len(window) for _, window in windows), default=0)
    table = np.zeros((len(windows), rank), np.int64)
    for number, (_, window) in enumerate(windows):
        table[number, : len(window)] = [found.start for found in window]
    return table


def slices_in_buffers(shapes: Sequence[Shape], windows: Sequence[tuple[int, Window]]) -> list[Array]:
    """For each buffer the number of the slice that covers each element; -1 where none does."""
    found = [np.full(shape, -1) for shape in shapes]
    for number, (buffer, window) in enumerate(windows):
        found[buffer][window] = number
    return found


def visible_elements(
    shapes: Sequence[Shape],
    taken: Sequence[tuple[int, Window]],
    put: Sequence[tuple[int, Window]],
    lies: Sequence[Array],
) -> list[Array]:
    """For each slice which of its elements are visible at the target after all slices are `put`."""
    found = []
    for number, ((buffer, window), (other, place)) in enumerate(zip(taken, put, strict=True)):
        mask = np.zeros(shapes[buffer], np.int64)
        mask[window] = lies[other][place] == number
        found.append(mask)
    return found


@dataclass(frozen=True)
class InPlaceIndexing:
    """The index maps of an in-place permute."""

    inputs: tuple[Shape, ...]
    outputs: tuple[Shape, ...]
    slices: tuple[tuple[int, Shape], ...]
    """The number of the buffer of each slice, and its sizes."""
    first_auxiliary: int
    """The operand number of the first process value."""

    def maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """The maps to all buffers, and to all indices."""
        for number, (buffer, _) in enumerate(self.slices):
            yield self._sent_map(number, buffer) if inverse else self._received_map(number, buffer)
            yield from self._placement_maps(number, buffer, inverse=inverse)
        for buffer, shape in enumerate(self.outputs):
            stays = self._slice_mask(buffer, shape, -1)
            kept = IndexMap.of(dims(len(shape)), shape, (), [stays])
            yield OperandMap(len(self.inputs) + buffer, kept, buffer)

    @property
    def _first_starts(self) -> tuple[list[int], list[int]]:
        """The numbers of the first index of each slice, among source indices and among target indices."""
        ranks = [len(sizes) for _, sizes in self.slices]
        before = [0, *accumulate(ranks)]
        buffers = len(self.inputs) + len(self.outputs)
        return [buffers + at for at in before[:-1]], [buffers + before[-1] + at for at in before[:-1]]

    def _other_process(self, number: int, shape: Shape) -> RuntimeVariable:
        return RuntimeVariable(
            Interval(0, 2), self.first_auxiliary + number, IndexMap.scalar(shape), clamped=False
        )

    def _slice_mask(self, buffer: int, shape: Shape, number: int, *, target: bool = False) -> RuntimeVariable:
        """Whether slice `number` lies at an index of a buffer."""
        operand = self.first_auxiliary + _BUFFERS + buffer + (len(self.outputs) if target else 0)
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
                Interval(0, room),
                self.first_auxiliary + table,
                IndexMap.of([number, k], domain),
                clamped=False,
            )
            for k, room in enumerate(rooms)
        ]

    def _slice_map(
        self, domain: Shape, sizes: Shape, runtimes: Sequence[RuntimeVariable]
    ) -> tuple[IndexMap, Runtime]:
        """The map from a slice at its start on this side to its start on the other; the last result is the
        process.
        """
        rank = len(domain)
        within = [Dim(k) - Runtime(k) for k in range(rank)]
        index = [found + Runtime(rank + k) for k, found in enumerate(within)]
        constraints = [(found, Interval(0, size - 1)) for found, size in zip(within, sizes, strict=True)]
        return IndexMap.of(index, domain, (), runtimes, constraints), Runtime(len(runtimes) - 1)

    def _received_map(self, number: int, buffer: int) -> OperandMap:
        sizes, shape, whole = self.slices[number][1], self.outputs[buffer], self.inputs[buffer]
        own = self._own_starts(self._first_starts[1][number], shape, sizes)
        other = self._other_starts(_COME, number, shape, whole, sizes)
        runtimes = [
            *own,
            *other,
            self._slice_mask(buffer, shape, number),
            self._other_process(_SOURCE, shape),
        ]
        found, place = self._slice_map(shape, sizes, runtimes)
        return OperandMap(buffer, found, buffer, place)

    def _sent_map(self, number: int, buffer: int) -> OperandMap:
        sizes, shape, whole = self.slices[number][1], self.inputs[buffer], self.outputs[buffer]
        own = self._own_starts(self._first_starts[0][number], shape, sizes)
        other = self._other_starts(_GO, number, shape, whole, sizes)
        mask = self.first_auxiliary + _BUFFERS + 2 * len(self.outputs) + number
        stays = RuntimeVariable(Interval(1, 1), mask, IndexMap.identity(shape), clamped=False)
        found, place = self._slice_map(
            shape, sizes, [*own, *other, stays, self._other_process(_TARGET, shape)]
        )
        return OperandMap(buffer, found, buffer, place)

    def _placement_maps(self, number: int, buffer: int, *, inverse: bool) -> Iterator[OperandMap]:
        """The source's indices decide what lies in a slice, the own ones where it lies."""
        shape = self.outputs[buffer]
        every = [Range(k) for k in range(len(shape))]
        reads, writes = (first[number] for first in self._first_starts)
        for k in range(len(shape)):
            if inverse:
                seen = [
                    self._slice_mask(buffer, shape, number, target=True),
                    self._other_process(_TARGET, ()),
                ]
                read = IndexMap.of(every, (), shape, seen)
                written = IndexMap.of(every, (), shape, [self._other_process(_SOURCE, ())])
            else:
                seen = [self._slice_mask(buffer, shape, number), self._other_process(_SOURCE, shape)]
                read = IndexMap.of((), shape, (), seen)
                written = IndexMap.of((), shape, (), [self._other_process(_SOURCE, shape)])
            yield OperandMap(reads + k, read, buffer, Runtime(1))
            yield OperandMap(writes + k, written, buffer)
