"""Search over the values of a recording: matching elements, the first, and their number.

A search visits the values of a process in the order in which they were made, pauses at its time limit, and can
be continued. It stores a row of `ValueColumns` for each value, so that later searches scan only values that may
match.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from math import ceil, floor, inf, isinf, nan, nextafter
from time import perf_counter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..ir.types import FutureType, TensorType, TupleType, Type
from ..ops.core.op import Array
from ..ops.core.scalars import as_tensor
from ..ops.core.values import is_tuple
from ..program import BoundProgram
from ..value_facts import without_repeats
from .address import Address
from .recording import Recording
from .value_columns import (
    COMPLEX,
    CONSTANT,
    NAN,
    NEGATIVE_INFINITY,
    POSITIVE_INFINITY,
    UNKNOWN,
    ZERO,
    Rows,
    ValueColumns,
    chunks,
    row_of,
    row_of_facts,
    rows_of,
)

# Search predicates on rows (may an element match?) and on elements (which ones match?).


Mask = NDArray[np.bool_]
Number = int | float


class Predicate:
    """A condition on elements; by default every element matches."""

    @property
    def needs_rows(self) -> bool:
        """Whether the predicate can exclude some rows."""
        return type(self) is not Predicate

    def may_hold(self, rows: Rows) -> Mask:
        """Values in which some element may match; never false if one does."""
        return np.ones(rows.flags.shape, np.bool_)

    def holds(self, numbers: Array, dtype: np.dtype[Any]) -> Mask:
        """Matching elements; `dtype` is that of the value, `numbers` has them in a NumPy dtype."""
        return np.ones(numbers.shape, np.bool_)


@dataclass(frozen=True)
class Nonfinite(Predicate):
    """NaN or infinite elements, according to the flags."""

    flags: int = NAN | POSITIVE_INFINITY | NEGATIVE_INFINITY

    def may_hold(self, rows: Rows) -> Mask:
        return np.asarray((rows.flags & self.flags) != 0)

    def holds(self, numbers: Array, dtype: np.dtype[Any]) -> Mask:
        if numbers.dtype.kind not in "fc":
            return np.zeros(numbers.shape, np.bool_)
        parts = (numbers.real, numbers.imag) if numbers.dtype.kind == "c" else (numbers,)
        found = np.zeros(numbers.shape, np.bool_)
        tests = ((NAN, np.isnan), (POSITIVE_INFINITY, np.isposinf), (NEGATIVE_INFINITY, np.isneginf))
        for flag, test in tests:
            for part in parts if self.flags & flag else ():
                found |= test(part)
        return found


@dataclass(frozen=True)
class AllEqual(Predicate):
    """All elements are equal; with `zero`, they are zero."""

    zero: bool = False

    def may_hold(self, rows: Rows) -> Mask:
        return np.asarray((rows.flags & (ZERO if self.zero else CONSTANT)) != 0)


@dataclass(frozen=True)
class IsNear(Predicate):
    """Within `tolerance` of `number`, or equal to `number` rounded to the value's type."""

    number: Number
    tolerance: float = 0.0

    def may_hold(self, rows: Rows) -> Mask:
        slack = self.tolerance or _slack(self.number)
        return (rows.low <= self.number + slack) & (rows.high >= self.number - slack)

    def holds(self, numbers: Array, dtype: np.dtype[Any]) -> Mask:
        if self.tolerance:
            with np.errstate(all="ignore"):
                wide = numbers.astype(np.complex128 if numbers.dtype.kind == "c" else np.float64)
                return np.asarray(np.abs(wide - self.number) <= self.tolerance)
        rounded = _rounded(self.number, numbers, dtype)
        return np.zeros(numbers.shape, np.bool_) if rounded is None else np.asarray(numbers == rounded)


@dataclass(frozen=True)
class IsWithin(Predicate):
    """Between `low` and `high`, inclusive; never true for complex elements."""

    low: Number = -inf
    high: Number = inf

    def may_hold(self, rows: Rows) -> Mask:
        ordered = (rows.flags & COMPLEX) == 0
        return np.asarray(ordered & (rows.low <= self.high) & (rows.high >= self.low))

    def holds(self, numbers: Array, dtype: np.dtype[Any]) -> Mask:
        if numbers.dtype.kind == "c":
            return np.zeros(numbers.shape, np.bool_)
        if numbers.dtype.kind == "f":
            # Bounds are f64, whatever the elements are: of a whole number that f64 lacks, the next one inside.
            wide, low, high = numbers.astype(np.float64, copy=False), float(self.low), float(self.high)
            low = low if low >= self.low else nextafter(low, inf)
            high = high if high <= self.high else nextafter(high, -inf)
            return np.asarray((wide >= low) & (wide <= high))
        low, high = _integers_between(self.low, self.high, numbers.dtype)
        if low > high:
            return np.zeros(numbers.shape, np.bool_)
        return np.asarray((numbers >= numbers.dtype.type(low)) & (numbers <= numbers.dtype.type(high)))


def _rounded(number: Number, numbers: Array, dtype: np.dtype[Any]) -> Any:
    """`number` rounded to `dtype`; `None` if the type has no close number."""
    if numbers.dtype.kind in "iu":
        integral = not isinstance(number, float) or number.is_integer()
        limits = np.iinfo(numbers.dtype)
        return numbers.dtype.type(int(number)) if integral and limits.min <= number <= limits.max else None
    with np.errstate(all="ignore"):
        found = np.array(float(number)).astype(dtype).astype(numbers.dtype)[()]
    if isinf(number):
        return found if isinf(found) else None
    return found if abs(complex(found) - number) <= _slack(number) else None


def _slack(number: Number) -> float:
    """Maximum change by rounding to a type; narrow types saturate."""
    return 0.0 if isinf(number) else 0.5 * abs(float(number)) + 0.5


def _integers_between(low: Number, high: Number, dtype: np.dtype[Any]) -> tuple[int, int]:
    limits = np.iinfo(dtype)
    lowest = limits.min if low < limits.min else limits.max + 1 if low > limits.max else ceil(low)
    highest = limits.max if high > limits.max else limits.min - 1 if high < limits.min else floor(high)
    return int(lowest), int(highest)


MOST_ROWS = 2_000_000
"""Maximum number of rows per process, of 17 bytes each."""
TOGETHER = 64
"""Number of steps whose dropped values are recomputed together."""


BLOCK = 4096
"""Number of positions whose rows are tested together."""
MOST_TOGETHER, MOST_ELEMENTS = 256, 1 << 16
"""Maximum number of values that are summarised together, and of their elements."""


@dataclass(frozen=True)
class ShapeFilter:
    """Type and shape of values; `None` matches any."""

    sizes: tuple[int | None, ...] | None = None
    element: str | None = None

    def may_admit(self, type: TensorType) -> bool:
        """Whether values of a declared type may match."""
        if self.element is not None and str(type.element_type) != self.element:
            return False
        return self.sizes is None or _agree(self.sizes, type.shape)

    def admits(self, shape: Sequence[int]) -> bool:
        """Whether a value of this shape matches."""
        return self.sizes is None or _agree(self.sizes, shape)


def _agree(wanted: Sequence[int | None], sizes: Sequence[int | None]) -> bool:
    return len(wanted) == len(sizes) and all(
        None in (one, other) or one == other for one, other in zip(wanted, sizes, strict=True)
    )


@dataclass(frozen=True)
class Hit:
    """A value with matching elements: how many, and the first."""

    address: Address
    step: int | None
    count: int
    size: int
    first: tuple[int, ...]


@dataclass(frozen=True)
class Found:
    """Results up to the time limit; `next` is the position to continue from, `None` at the end."""

    hits: Sequence[Hit]
    next: int | None
    looked: int
    """Number of visited positions."""


class ValueSearch:
    """Search of one recording; position 0 are the arguments of a process, n + 1 is step n."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._columns: dict[int, ValueColumns] = {}

    def search(
        self, predicate: Predicate, shape: ShapeFilter, process: int, start: int, most: int, seconds: float
    ) -> Found:
        """Find about `most` hits from position `start` on, for about `seconds`."""
        deadline, hits = perf_counter() + seconds, list[Hit]()
        end = self.recording.tracks[process].step_count + 1
        asked = _Asked(self, predicate, shape, process)
        stop = start
        while stop < end:
            first, stop = stop, min(end, stop + BLOCK)
            for position in asked.candidates(first, stop):
                hits += asked.hits_at(position)
                if len(hits) >= most or perf_counter() >= deadline:
                    stop = position + 1
                    break
            if len(hits) >= most or perf_counter() >= deadline:
                break
        return Found(hits, stop if stop < end else None, stop - start)

    def columns(self, process: int, stop: int) -> ValueColumns:
        """The rows of a process up to `stop`, or to its last finished step."""
        columns = self._columns.setdefault(process, ValueColumns())
        track = self.recording.tracks[process]
        if not columns.positions and stop:
            columns.extend(np.array([sum(1 for _ in self.tensors(process, 0))], np.uint32))
        while columns.positions < stop and len(columns) < MOST_ROWS:
            first = columns.positions
            ops = track.finished_ops(first - 1, min(first + BLOCK, stop) - 1)
            if not len(ops):
                break
            columns.extend(self.recording.program.derive(_leaf_counts)[ops])
        return columns

    def rows_of(self, process: int, op: int, leaf: int, steps: NDArray[np.intp], deadline: float) -> Rows:
        """The rows of a tensor that an op made in these steps; they stay unknown after the deadline."""
        columns = self.columns(process, int(steps[-1]) + 2)
        known = int(np.searchsorted(steps, columns.positions - 1))
        rows = columns.starts_of(steps[:known] + 1) + leaf
        unknown = (columns.rows_at(rows).flags & UNKNOWN) != 0
        for numbers, of in self.recording.loop_scalars(process, steps[:known][unknown], op):
            columns.set_scalars(rows[unknown][of], numbers)
        left, many = np.flatnonzero((columns.rows_at(rows).flags & UNKNOWN) != 0), 1
        while len(left) and perf_counter() < deadline:
            some, left = left[:many], left[many:]
            address, _ = next(islice(self.tensors(process, int(steps[some[0]]) + 1), leaf, None))
            arrays = [self.value(address._replace(number=step)) for step in steps[some].tolist()]
            columns.set_rows(rows[some], rows_of(arrays))
            many = max(1, min(MOST_TOGETHER, MOST_ELEMENTS // max(1, arrays[0].size)))
        found, missing = columns.rows_at(rows), len(steps) - known
        return Rows(
            np.append(found.low, np.full(missing, nan)),
            np.append(found.high, np.full(missing, nan)),
            np.append(found.flags, np.full(missing, UNKNOWN, np.uint8)),
        )

    def argument_rows(self, process: int, index: int, frames: NDArray[np.intp], deadline: float) -> Rows:
        """The rows of an argument of frames of one block; they stay unknown after the deadline."""
        columns = ValueColumns()
        columns.extend(np.ones(len(frames), np.uint32))
        everything = np.arange(len(frames))
        for numbers, of in self.recording.loop_arguments(process, frames, index):
            columns.set_scalars(everything[of], numbers)
        for at in np.flatnonzero(columns.rows_at(everything).flags == UNKNOWN):
            if perf_counter() >= deadline:
                break
            found = self.recording.value(Address(process, "f", int(frames[at]), index))
            if is_tuple(found):
                break
            columns.set(int(at), row_of(found))
        return columns.rows_at(everything)

    def tensors(self, process: int, position: int) -> Iterator[tuple[Address, TensorType]]:
        """The tensors made at a position, including those in tuples; empty if unfinished."""
        track, program = self.recording.tracks[process], self.recording.program
        if position == 0:
            found = program.blocks[track.block_of(0)].arguments if track.frame_count else ()
            kind: Literal["s", "f"] = "f"
        else:
            done = track.finish_of(position - 1) is not None
            found = program.ops[track.op_of(position - 1)].results if done else ()
            kind = "s"
        for index, value in enumerate(found):
            whole = Address(process, kind, max(0, position - 1), index)
            yield from _leaves(whole, as_tensor(program.values[value].type))

    def value(self, address: Address) -> Array:
        """The value; if it was dropped, the values of the next steps are recomputed with it."""
        if not self.recording.keeps(address):
            self._compute_again(address)
        return self.recording.value(address)

    def _compute_again(self, address: Address) -> None:
        track = self.recording.tracks[address.process]
        first = address.number if address.kind == "s" else 0
        for step in range(min(first + TOGETHER, track.step_count) - 1, first, -1):
            if track.finish_of(step) == step and self.recording.program.ops[track.op_of(step)].results:
                self.recording.value(Address(address.process, "s", step, 0))
                return


class _Asked:
    """One request of a search."""

    def __init__(self, search: ValueSearch, predicate: Predicate, shape: ShapeFilter, process: int) -> None:
        self.search, self.predicate, self.shape, self.process = search, predicate, shape, process

    def candidates(self, first: int, stop: int) -> Iterable[int]:
        """The positions at which a value may match."""
        columns = self.search.columns(self.process, stop)
        known = max(first, min(stop, columns.positions))
        if not self.predicate.needs_rows or known == first:
            return range(first, stop)
        rows = columns.rows(first, known)
        maybe = self.predicate.may_hold(rows) | ((rows.flags & UNKNOWN) != 0)
        return chain(columns.positions_of(np.flatnonzero(maybe), first, known), range(known, stop))

    def hits_at(self, position: int) -> Iterator[Hit]:
        """The matching values at a position."""
        step = position - 1 if position else None
        for number, (address, type) in enumerate(self.search.tensors(self.process, position)):
            if not self.shape.may_admit(type):
                continue
            if not self._may_hold_remote(address):
                continue
            array = self.search.value(address)
            if not self.shape.admits(array.shape) or not self._may_hold(array, position, number):
                continue
            count, first = count_elements(array, self.predicate)
            if count:
                yield Hit(address, step, count, array.size, first)

    def _may_hold_remote(self, address: Address) -> bool:
        """Whether a value that would have to be fetched may match."""
        recording = self.search.recording
        known = None if recording.keeps(address) else recording.facts(address)
        return known is None or bool(self.predicate.may_hold(row_of_facts(known).rows)[0])

    def _may_hold(self, array: Array, position: int, number: int) -> bool:
        if not self.predicate.needs_rows:
            return True
        columns = self.search.columns(self.process, position + 1)
        row = columns.start_of(position) + number if position < columns.positions else None
        found = None if row is None else columns.row(row)
        if found is None or found.flags & UNKNOWN:
            found = row_of(array)
            if row is not None:
                columns.set(row, found)
        return bool(self.predicate.may_hold(found.rows)[0])


def count_elements(array: Array, predicate: Predicate) -> tuple[int, tuple[int, ...]]:
    """The number of matching elements, and the index of the first."""
    if array.size == 0:
        return (0, ()) if predicate.needs_rows else (1, (0,) * array.ndim)
    distinct, repeats = without_repeats(array)
    count, first = 0, -1
    for start, numbers in chunks(distinct):
        found = predicate.holds(numbers, array.dtype)
        if first < 0 and found.any():
            first = start + int(found.argmax())
        count += int(np.count_nonzero(found))
    if first < 0:
        return 0, ()
    return count * repeats, tuple(int(at) for at in np.unravel_index(first, distinct.shape))


def _leaf_counts(program: BoundProgram) -> NDArray[np.uint32]:
    """The number of tensors that each op makes, those in tuples included."""
    any_address = Address(0, "s", 0, 0)
    types = [[as_tensor(program.values[value].type) for value in op.results] for op in program.ops]
    return np.array(
        [sum(1 for type in found for _ in _leaves(any_address, type)) for found in types], np.uint32
    )


def _leaves(address: Address, type: Type) -> Iterator[tuple[Address, TensorType]]:
    if isinstance(type, TensorType):
        yield address, type
    elif isinstance(type, TupleType | FutureType):
        for number, inner in enumerate(type.types):
            yield from _leaves(address._replace(path=(*address.path, number)), as_tensor(inner))
