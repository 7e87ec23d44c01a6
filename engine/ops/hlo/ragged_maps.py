"""Index maps of ragged-all-to-all: which rows of whose inputs end up where.

What a process is sent depends on the vectors of the others, so the maps read process values that are computed when the
processes meet: vectors with an element for each run of rows that is contiguous on both sides.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

import numpy as np

from ...indexing import (
    Expression,
    Group,
    IndexMap,
    Interval,
    OperandMap,
    Range,
    Runtime,
    RuntimeVariable,
    add,
    dims,
    floor_divide,
    multiply,
)
from ...indexing.core.index_map import Constraint
from ..core.op import Array

Slice = tuple[int, int, int, int]
"""The place of a sender, where a slice begins there, how many rows it has, and where it goes."""
AUXILIARY_NAMES = (
    *("place of the sender", "first row read", "first row written", "rows read"),
    *("place of the receiver", "first row sent", "first row there", "rows sent"),
    *("whether a row stays", "slices for each process"),
)
"""Names of the process values after the place in the group and its size: vectors with an element for each run (runs of no
rows are padding), then what stays."""
_COME, _GO, _STAY, _EACH = 2, 6, 10, 11
_PLACE, _START, _TARGET, _SIZE = range(4)


def runs_of(slices: Iterable[Slice], rows: int) -> Iterator[Slice]:
    """The visible parts of slices that overwrite each other in `rows` rows: runs of rows of one slice."""
    known = list(slices)
    owners = np.full(rows, -1)
    for number, (_, _, size, target) in enumerate(known):
        owners[target : target + size] = number
    ends = np.flatnonzero(np.diff(owners, prepend=-2, append=-2)).tolist()
    for first, end in pairwise(ends):
        if owners[first] >= 0:
            place, start, _, target = known[owners[first]]
            yield place, start + first - target, end - first, first


def auxiliary_vectors(
    own: int, members: int, rows: int, count: int, slices_of: Callable[[int], Iterable[Slice]]
) -> tuple[Array, ...]:
    """The process values of a member of a group: `slices_of` returns the slices sent to the process at a place, of `count` in all."""
    received = list(runs_of(slices_of(own), rows))
    sent = [
        (other, start, size, target)
        for other in range(members)
        for place, start, size, target in runs_of(slices_of(other), rows)
        if place == own
    ]
    stays = np.ones(rows, np.int64)
    for _, _, size, target in received:
        stays[target : target + size] = 0
    most = _most_runs(count)
    return *_vectors(received, most[0]), *_vectors(sent, most[1]), stays, np.array(count // max(1, members))


def no_vectors(rows: int, count: int) -> tuple[Array, ...]:
    """The vectors of a process that is in no group: all rows stay."""
    most = _most_runs(count)
    return *_vectors([], most[0]), *_vectors([], most[1]), np.ones(rows, np.int64), np.array(0)


def _most_runs(count: int) -> tuple[int, int]:
    """Maximum number of runs that come or go: each slice cuts those before it into one more run at most."""
    return max(1, 2 * count - 1), max(1, count * count)


def _vectors(runs: Sequence[Slice], most: int) -> tuple[Array, ...]:
    """For each run of rows its process, its first row in the input and in the output, and its length."""
    found = np.zeros((4, most), np.int64)
    for number, (place, start, size, target) in enumerate(runs):
        found[:, number] = place, start, target, size
    return tuple(found)


@dataclass(frozen=True)
class RaggedIndexing:
    """The maps of a call whose shapes are known."""

    input: tuple[int, ...]
    output: tuple[int, ...]
    vectors: tuple[int, ...]
    """The shape of each of the vectors."""
    group: Group

    @property
    def _count(self) -> int:
        return prod(self.vectors)

    def maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """The maps to `input`, to `output`, and to the vectors of sizes and offsets (`recv_sizes` decides
        nothing).
        """
        yield self._row_map(inverse=inverse)
        stays = RuntimeVariable(
            Interval(1, 1), self.group.first + _STAY, IndexMap.of([dims(1)[0]], self.output), clamped=False
        )
        yield OperandMap(1, IndexMap.of(dims(len(self.output)), self.output, (), [stays]))
        for operand in (2, 3, 4):
            yield self._slice_readers_map(operand) if inverse else self._slice_bounds_map(operand)

    def _row_map(self, *, inverse: bool) -> OperandMap:
        """The map that moves rows run by run."""
        source, target = (self.input, self.output) if inverse else (self.output, self.input)
        come, go = _most_runs(self._count)
        first, count = (_GO, go) if inverse else (_COME, come)
        rows = source[0]

        def read(vector: int, interval: Interval) -> RuntimeVariable:
            at = IndexMap.of([Range(0)], source, [count])
            return RuntimeVariable(interval, self.group.first + first + vector, at, clamped=False)

        begin, end = (_START, _TARGET) if inverse else (_TARGET, _START)
        runtimes = (
            read(_PLACE, Interval(0, self.group.most - 1)),
            read(begin, Interval(0, rows)),
            read(end, Interval(0, target[0])),
            read(_SIZE, Interval(1, rows)),
        )
        index: list[Expression] = list(dims(len(source)))
        within = index[0] - Runtime(1)
        index[0] = within + Runtime(2)
        constraints = ((within, Interval(0, rows - 1)), (within - Runtime(3), Interval(-rows, -1)))
        found = IndexMap.of(index, source, [count], runtimes, constraints)
        return OperandMap(0, found, place=Runtime(0))

    @property
    def _each(self) -> int | None:
        """The number of slices for each process; `None` where that depends on the grid."""
        if len(self.vectors) == 2:
            return self.vectors[1]
        return self._count // self.group.most if self.group.is_fixed else None

    @property
    def _members(self) -> int:
        return self.vectors[0] if len(self.vectors) == 2 else self.group.most

    def _slice_bounds_map(self, operand: int) -> OperandMap:
        """The map from every element to the bounds that all processes state for slices of this process."""
        each, own = self._each, self.group.own_place(self.output)
        runtimes, constraints = [own], list[Constraint]()
        slice_of_own: Expression = Range(1)
        if each is None:
            runtimes.append(self._slices_each(self.output))
            constraints.append((Range(1) - Runtime(1), Interval(-self._count, -1)))
            runtimes.append(self.group.size(self.output))
            constraints.append((Range(0) - Runtime(2), Interval(-self._members, -1)))
            slice_of_own = add(multiply(Runtime(0), Runtime(1)), Range(1))
        elif len(self.vectors) == 1:
            slice_of_own = Runtime(0) * each + Range(1)
        index = [Runtime(0), Range(1)] if len(self.vectors) == 2 else [slice_of_own]
        ranges = [self._members, self._count if each is None else each]
        found = IndexMap.of(index, self.output, ranges, runtimes, constraints)
        return OperandMap(operand, found, place=Range(0))

    def _slice_readers_map(self, operand: int) -> OperandMap:
        """The map from the bounds of a slice to all elements of the process that receives the slice."""
        index, each = [Range(k) for k in range(len(self.output))], self._each
        own = self.group.own_place(self.vectors)
        if each is not None:
            place = dims(1)[0] if len(self.vectors) == 2 else floor_divide(dims(1)[0], max(1, each))
            return OperandMap(operand, IndexMap.of(index, self.vectors, self.output, [own]), place=place)
        other, count = Range(len(self.output)), self._count
        within = add(dims(1)[0], multiply(multiply(other, Runtime(1)), -1))
        constraints = ((within, Interval(0, count - 1)), (within - Runtime(1), Interval(-count, -1)))
        runtimes = (own, self._slices_each(self.vectors))
        ranges = (*self.output, self._members)
        return OperandMap(
            operand, IndexMap.of(index, self.vectors, ranges, runtimes, constraints), place=other
        )

    def _slices_each(self, shape: Sequence[int]) -> RuntimeVariable:
        read = IndexMap.scalar(shape)
        return RuntimeVariable(
            Interval(1, max(1, self._count)), self.group.first + _EACH, read, clamped=False
        )
