"""Values that repeat an answer: while a question is open, they are covered like the value that it asks about.

    find_repeats(recording, asked, answer)      the later values that contain the answer
    alike(recording, address, element)          the same value in other processes, with the same elements

`%y = maximum(%sum, 0)` shows the number that the question about `%sum` asks for, and `%attention`, which a manual
computation returns, the one that the question about its result asks for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, isinf, isnan
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.track import Track
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.values import leaves

from .numbers import exact_number
from .typed_answers import EXACT, NumberKind, digits_of, is_number, read_number

MOST_STEPS = 50_000
"""Maximum steps of a process that are searched."""
MOST_ELEMENTS = 1 << 25
"""Maximum elements of all values that are searched."""
MOST_FOUND = 400
"""Maximum values that are covered one by one."""
SMALL = 10
"""Whole numbers below it are in many values: only those made of the asked value repeat them."""


class Answer(Protocol):
    """What a question asks for."""

    def is_in(self, value: Array) -> bool:
        """Whether a value shows it."""

    def is_rare(self, recording: Recording) -> bool:
        """Whether also a value tells it that is not computed from the asked one."""


@dataclass(frozen=True)
class Number:
    """A number, and how many of its digits are compared."""

    kind: NumberKind
    digits: int
    text: str

    @classmethod
    def of(cls, element: Array, stated: int | None = EXACT) -> Number:
        """An element; of a float, `stated` digits are compared, or as many as a poll compares."""
        text, kind = exact_number(element[()]), element.dtype.kind
        if kind == "b":
            return cls("truth", EXACT, text)
        return (
            cls("integer", EXACT, text)
            if kind in "iu"
            else cls("float", stated or digits_of(text, None), text)
        )

    def is_in(self, value: Array) -> bool:
        """Whether an element is the number: if any is, then the nearest."""
        flat = value.reshape(-1)
        number: Fraction | float | None = read_number(self.text)
        if self.kind == "truth":
            number = Fraction(self.text == "true")
        # A complex number is compared with nothing.
        if number is None or value.dtype == object or value.dtype.kind == "c" or not value.size:
            return False
        return self.matches(exact_number(flat[_nearest(flat, number)]))

    def matches(self, text: str) -> bool:
        """Whether a number in a text is this one."""
        return bool(is_number(self.kind, self.digits, self.text, text))

    @property
    def is_common(self) -> bool:
        """Whether any text may contain the number."""
        number = read_number(self.text)
        return not isinstance(number, float) and (number is None or number in range(1 - SMALL, SMALL))

    def is_given(self, recording: Recording) -> bool:
        """Whether the number is one of the inputs, which any text may mention."""
        return any(self.is_in(np.asarray(array)) for inputs in recording.launch.inputs for array in inputs)

    def is_rare(self, recording: Recording) -> bool:
        """See `Answer.is_rare`."""
        return not self.is_common and not self.is_given(recording)


@dataclass(frozen=True)
class Shape:
    """The shape of a value, which those computed from it element by element have too."""

    sizes: tuple[int, ...]

    def is_in(self, value: Array) -> bool:
        """Whether the value has the shape."""
        return value.shape == self.sizes

    def is_rare(self, _: Recording) -> bool:
        """Other values of the shape tell nothing."""
        return False


def _nearest(flat: Array, number: Fraction | float) -> int:
    if flat.dtype.kind in "iu" and isinstance(number, Fraction) and number.denominator == 1:
        return int(np.argmax(flat == int(number)))
    wide = flat.astype(np.float64)
    if isnan(number):
        return int(np.argmax(np.isnan(wide)))
    if isinf(number):
        return int(np.argmax(wide == number))
    distance = np.abs(wide - float(number))
    return int(np.argmin(np.where(np.isnan(distance), inf, distance)))


@dataclass(frozen=True)
class Onward:
    """What is not searched of a process: the results of the steps, and the arguments of the frames, from these on."""

    process: int
    step: int
    frame: int


@dataclass
class Repeats:
    """Values that contain the answer or are too large to search, and what lies beyond the search."""

    addresses: list[Address] = field(default_factory=list)
    beyond: list[Onward] = field(default_factory=list)


def find_repeats(recording: Recording, asked: Sequence[Address], answer: Answer) -> Repeats:
    """The values made from the asked ones on that contain the answer.

    One that is not rare counts only in values that are computed from the asked one. A value that the recording has
    dropped, or larger than the search, is taken to contain it.
    """
    search = _Search(recording, asked, answer)
    for track in recording.tracks:
        search.look_through(track)
    begun = len(recording.tracks)
    search.found.beyond += [Onward(process, 0, 0) for process in range(begun, recording.grid.num_processes)]
    return search.found


class _Search:
    def __init__(self, recording: Recording, asked: Sequence[Address], answer: Answer) -> None:
        self.recording, self.asked, self.answer = recording, set(asked), answer
        self.found = Repeats()
        self._is_rare = answer.is_rare(recording)
        self._values = {recording.value_number(address) for address in asked}
        self._first = min((_made_at(recording, address) for address in asked), default=0)
        self._left = MOST_ELEMENTS

    def look_through(self, track: Track) -> None:
        until = min(track.step_count, self._first + MOST_STEPS)
        for at, address, operands in _later(self.recording, track, self._first, until):
            if len(self.found.addresses) >= MOST_FOUND or self._left <= 0:
                until = at
                break
            if address not in self.asked and (self._is_rare or not self._values.isdisjoint(operands)):
                self._look(address)
        if until < track.step_count or self.recording.state.kind not in ("done", "failed"):
            self.found.addresses += _unfinished(self.recording, track, until)
            self.found.beyond.append(Onward(track.number, until, _first_frame(track, until)))

    def _look(self, address: Address) -> None:
        if self._repeats(address):
            self._values.add(self.recording.value_number(address))
            self.found.addresses.append(address)

    def _repeats(self, address: Address) -> bool:
        if not self.recording.keeps(address):
            return True
        arrays = [*leaves(self.recording.value(address))]
        self._left -= sum(array.size for array in arrays)
        return self._left < 0 or any(map(self.answer.is_in, arrays))


def _made_at(recording: Recording, address: Address) -> int:
    """The step that made a value, or before which a frame has its arguments."""
    track = recording.tracks[address.process]
    return address.number if address.kind == "s" else track.start_of(address.number)


_Made = tuple[int, Address, tuple[int, ...]]
"""A value, the step at which it is there, and the numbers of the values that it is made of."""


def _later(recording: Recording, track: Track, first: int, until: int) -> Iterator[_Made]:
    """The values of a process between two steps, in order; arguments are there before their step, results after it."""
    finished = ((track.finish_of(step), step) for step in [*_around(track, first), *range(first, until)])
    results = [
        (finish, 1, step) for finish, step in finished if finish is not None and first <= finish < until
    ]
    starts = _starts(track)
    entered = range(*np.searchsorted(starts, [first, until], "right"))
    arguments = [(int(starts[frame]), 0, frame) for frame in entered]
    for at, is_result, number in sorted([*results, *arguments]):
        made = _results(recording, track, number, at) if is_result else _arguments(recording, track, number)
        for address, operands in made:
            yield at, address, operands


def _around(track: Track, step: int) -> list[int]:
    """The steps that opened the frames around a step, the outermost first."""
    found: list[int] = []
    frame: int | None = track.frame_of(step) if step < track.step_count else None
    while frame is not None:
        opener, frame = track.opener_of(frame), track.parent_of(frame)
        found = found if opener is None else [opener, *found]
    return found


def _unfinished(recording: Recording, track: Track, until: int) -> Iterator[Address]:
    """The results of steps that began before `until` and have no result by then."""
    for step in [*_around(track, until - 1), until - 1] if until else ():
        finish = track.finish_of(step)
        if finish is None or finish >= until:
            results = recording.program.ops[track.op_of(step)].results
            yield from (Address(track.number, "s", step, index) for index in range(len(results)))


def _starts(track: Track) -> NDArray[np.uint32]:
    """The first step of each frame."""
    (starts,) = track.frame_columns(0, track.frame_count, ("start",))
    return starts


def _first_frame(track: Track, step: int) -> int:
    """The first frame that begins at a step or later."""
    return int(np.searchsorted(_starts(track), step, "left"))


def _arguments(recording: Recording, track: Track, frame: int) -> Iterator[tuple[Address, tuple[int, ...]]]:
    opener = track.opener_of(frame)
    operands = () if opener is None else recording.program.ops[track.op_of(opener)].operands
    for index in range(len(recording.program.blocks[track.block_of(frame)].arguments)):
        yield Address(track.number, "f", frame, index), operands


def _results(
    recording: Recording, track: Track, step: int, finish: int
) -> Iterator[tuple[Address, tuple[int, ...]]]:
    """The results of a step; what its last frame returns counts among its operands."""
    own, last = (recording.program.ops[track.op_of(at)] for at in (step, finish))
    # A constant is in the text of the program.
    for index in range(0 if own.operation.name.endswith("constant") else len(own.results)):
        yield Address(track.number, "s", step, index), own.operands + last.operands


# The same value in other processes.


def alike(
    recording: Recording, address: Address, element: tuple[int, ...] | None, *, is_shape: bool = False
) -> Iterator[Address]:
    """A value, and the same value of other processes where it has the same element, elements or shape."""
    yield address
    wanted = _seen_of(recording, address, element, is_shape=is_shape)
    for other in _of_others(recording, address):
        if _seen_of(recording, other, element, is_shape=is_shape) == wanted:
            yield other


def _seen_of(
    recording: Recording, address: Address, element: tuple[int, ...] | None, *, is_shape: bool
) -> bytes | tuple[int, ...]:
    value = recording.value(address)
    return value.shape if is_shape else (value if element is None else np.asarray(value[element])).tobytes()


def _of_others(recording: Recording, address: Address) -> Iterator[Address]:
    """The values of other processes by the same execution of the op, or of the frame."""
    own = recording.tracks[address.process]
    others = [track for track in recording.tracks if track is not own]
    if not others:
        return
    if address.kind == "f":
        block = own.block_of(address.number)
        for track in others:
            if address.number < track.frame_count and track.block_of(address.number) == block:
                yield address._replace(process=track.number)
        return
    op = own.op_of(address.number)
    ordinal = int(np.searchsorted(np.flatnonzero(own.op_column == op), address.number))
    for track in others:
        steps = np.flatnonzero(track.op_column == op)[ordinal : ordinal + 1].tolist()
        if steps and track.finish_of(steps[0]) is not None:
            yield address._replace(process=track.number, number=steps[0])
