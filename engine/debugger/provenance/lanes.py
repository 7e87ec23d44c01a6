"""Frames of bodies that see elements: of reduce, sort, scatter, map, scan and their like.

The op is asked again what it asked for in the run, on operands that hold numbers of their elements instead of values.
What it then hands to its body tells where each lane has its values from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ...indexing.elements.element_sets import ElementSet, Shape
from ...indexing.elements.images import Work
from ...indexing.evaluation import Int64Array
from ...ops.collective_rules import Meeting
from ...ops.exchanges import Meet, Met
from ...ops.op import Array, Ask, AskingOp, CallFunction, Op, RunRegion
from ...ops.scatter import Scatter
from ...ops.select_and_scatter import SELECT, SelectAndScatter
from ...ops.sort import Sort
from ..address import Address
from ..map_operands import awaited_at, meeting_at
from .relations import Kind, Relation, Whole
from .run import RecordedRun, bare

Source = tuple[Address, Kind, Relation, int | None]
_BITS = 40
"""A number is that of an array, above so many bits for that of the element. Values of the op's own are below."""


@dataclass(frozen=True)
class Table:
    """Where each element that was made comes from, as row-major positions; -1 is from elsewhere."""

    read: Shape
    made: Shape
    positions: Int64Array

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """By the table."""
        found = self.positions[made.to_positions()]
        return ElementSet.of_positions(self.read, found[found >= 0])

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """Those whose entry is among what is read."""
        known = self.positions >= 0
        known[known] = read.to_mask()[self.positions[known]]
        return ElementSet.of_mask(self.made, known)


@dataclass(frozen=True, eq=False)
class Asked:
    """One request for the body: the numbers that it was handed, the shape of its lanes, and its first frame."""

    arguments: tuple[Array, ...]
    lanes: Shape | None
    first: int
    frames: int


class Tracer:
    """One step's requests, in order."""

    def __init__(self, run: RecordedRun, process: int, step: int) -> None:
        self.run, self.process, self.step = run, process, step
        self.op = run.op_at(process, step)
        self.sources: list[tuple[Address, int | None] | tuple[int, int]] = []
        """What the arrays are: an address and the operand that it is, or a result of a request."""
        self.opened = run.steps(process).opened_by(step)
        self.asked: list[Asked] = []
        self.results: tuple[Array, ...] = ()
        """What the op gave in the end, as numbers, once that was asked for."""
        self._more = self._requests()

    def source_of(self, frame: int, index: int) -> Iterator[Source]:
        """Where an argument of a frame comes from."""
        place = int(np.searchsorted(self.opened, frame))
        asked = self._asked_at(place)
        numbers = asked.arguments[index]
        if asked.frames > 1 or (asked.lanes is not None and not self._is_lifted(frame)):
            numbers = np.asarray(numbers.reshape(-1)[place - asked.first])
        made = self.run.shape(Address(self.process, "f", frame, index))
        flat = np.broadcast_to(numbers, made).reshape(-1)
        flat = flat.astype(np.int64) if flat.dtype.kind in "iu" else np.zeros(flat.shape, np.int64)
        for base in np.unique(flat >> _BITS).tolist():
            if base > 0:
                yield from self._links(base - 1, flat, made)

    def _asked_at(self, place: int) -> Asked:
        """The request that a frame is of."""
        while not self.asked or self.asked[-1].first + self.asked[-1].frames <= place:
            next(self._more)
        return next(found for found in self.asked if found.first + found.frames > place)

    def given_by(self, frame: int, number: int) -> Iterator[tuple[int, Table]]:
        """For what a frame gave at a place, results of the op that have elements of it as they are."""
        place = int(np.searchsorted(self.opened, frame))
        asked = self._asked_at(place)
        for _ in self._more:
            pass
        returned = self._returned(frame, number)
        if returned is None:
            return
        for result, numbers in enumerate(self.results):
            if numbers.dtype.kind != "i":
                continue
            flat = numbers.reshape(-1)
            for base in np.unique(flat >> _BITS).tolist():
                known = 0 < base <= len(self.sources) and self.sources[base - 1]
                if known == (self.asked.index(asked), number):
                    elements = np.where(flat >> _BITS == base, flat & ((1 << _BITS) - 1), -1)
                    part = self._of_frame(asked, place, elements, self.run.shape(returned))
                    yield result, Table(self.run.shape(returned), numbers.shape, part)

    def _of_frame(self, asked: Asked, place: int, elements: Int64Array, read: Shape) -> Int64Array:
        """The lanes of a request as elements of what one of its frames gave."""
        if asked.frames > 1:
            return np.where(elements == place - asked.first, 0, -1)
        return np.where(elements >= 0, 0, -1) if read == () and asked.lanes else elements

    def _links(self, source: int, flat: Int64Array, made: Shape) -> Iterator[Source]:
        elements = np.where(flat >> _BITS == source + 1, flat & ((1 << _BITS) - 1), -1)
        first, second = self.sources[source]
        if isinstance(first, Address):
            yield first, Kind.DATA, Table(self.run.shape(first), made, elements), second
            return
        asked = self.asked[first]
        for place in range(asked.frames):
            returned = self._returned(int(self.opened[asked.first + place]), second or 0)
            if returned is None:
                continue
            read = self.run.shape(returned)
            part = self._of_frame(asked, asked.first + place, elements, read)
            if (part >= 0).any():
                yield returned, Kind.DATA, Table(read, made, part), None

    def _is_lifted(self, frame: int) -> bool:
        return frame in self.run.recording.tracks[self.process].frame_lanes

    # Asking again

    def _requests(self) -> Iterator[Asked]:
        op = bare(self.op)
        assert isinstance(op, AskingOp)
        answer = op.begin(self._operands(op))
        while isinstance(answer, Ask):
            request = answer.request
            if isinstance(request, Meet):
                assert isinstance(op, Meeting)
                answer = op.resume(answer.state, self._met(request))
                continue
            if not isinstance(request, RunRegion | CallFunction):
                raise ValueError(request)
            asked = self._next(request)
            yield asked
            answer = op.resume(answer.state, self._answers(op, request, asked))
        self.results = tuple(map(np.asarray, answer)) if isinstance(answer, tuple) else (np.asarray(answer),)

    def _next(self, request: RunRegion | CallFunction) -> Asked:
        first = self.asked[-1].first + self.asked[-1].frames if self.asked else 0
        lifted = request.lanes is None or self._is_lifted(int(self.opened[first]))
        found = Asked(request.arguments, request.lanes, first, 1 if lifted else prod(request.lanes or ()))
        self.asked.append(found)
        return found

    def _operands(self, op: Op) -> tuple[Array, ...]:
        """Numbers for values; what the op has to know stays as it is."""
        found = []
        for number, address in enumerate(self.run.operands(self.process, self.step)):
            if self._is_known(op, number):
                found.append(self.run.recording.value(address))
            else:
                found.append(self._numbers(self.run.shape(address), (address, number)))
        return tuple(found)

    def _is_known(self, op: Op, operand: int) -> bool:
        """Whether the op looks at the operand's values itself."""
        if isinstance(op, Scatter):
            return operand == len(op.inputs)
        first = int(self.run.steps(self.process).blocks[self.opened[0]])
        selects = self.run.bound(self.process, self.step).regions[SELECT : SELECT + 1] == (first,)
        return isinstance(op, SelectAndScatter) and operand == 0 and not selects

    def _met(self, request: Meet) -> Met:
        """What the others brought, as numbers."""
        meeting = meeting_at(self.run.recording, self.process, self.step)
        awaited = awaited_at(self.run.recording, self.process, self.step)
        brought = []
        for other in awaited:
            assert meeting is not None
            step, _ = meeting.arrivals[other]
            addresses = self.run.operands(other, step)
            brought.append(tuple(self._numbers(self.run.shape(a), (a, k)) for k, a in enumerate(addresses)))
        return Met(tuple(brought), awaited.index(self.process))

    def _answers(self, op: Op, request: RunRegion | CallFunction, asked: Asked) -> tuple[Array, ...]:
        """What the body gave: what it said, where that decides how the op goes on, else numbers."""
        end = self.run.steps(self.process).end_of(int(self.opened[asked.first]))
        assert end is not None
        leaves = self.run.operand_leaves(self.run.bound(self.process, end))
        if _is_asked(op, request):
            return tuple(self._said(asked, result) for result in range(len(leaves)))
        given = [self.run.operand_leaf(self.process, end, leaf) for leaf in leaves]
        shapes = [asked.lanes if asked.lanes is not None else self.run.shape(found) for found in given]
        return tuple(
            self._numbers(shape, (len(self.asked) - 1, result)) for result, shape in enumerate(shapes)
        )

    def _returned(self, frame: int, result: int) -> Address | None:
        """What a frame gave, tuples taken apart."""
        end = self.run.steps(self.process).end_of(frame)
        if end is None:
            return None
        leaves = self.run.operand_leaves(self.run.bound(self.process, end))
        return self.run.operand_leaf(self.process, end, leaves[result])

    def _said(self, asked: Asked, result: int) -> Array:
        frames = self.opened[asked.first : asked.first + asked.frames]
        returned = [self._returned(int(frame), result) for frame in frames]
        values = [self.run.recording.value(found) for found in returned if found is not None]
        if asked.frames > 1:
            return np.stack(values).reshape(asked.lanes or ())
        return np.broadcast_to(values[0], asked.lanes or ())

    def _numbers(self, shape: Shape, source: Any) -> Array:
        self.sources.append(source)
        return np.arange(prod(shape), dtype=np.int64).reshape(shape) + (len(self.sources) << _BITS)


class Lanes:
    """Bodies of a recorded run; the last ones that were asked about are kept."""

    def __init__(self, run: RecordedRun) -> None:
        self.run = run
        self._tracers: dict[tuple[int, int], Tracer] = {}

    def sources(self, address: Address, opener: int) -> Sequence[Source]:
        """Where an argument of a body's frame comes from; all operands, whole, where the op cannot be asked again."""
        if _keeps_types(bare(self.run.bound(address.process, opener).op)):
            try:
                return list(self._tracer(address.process, opener).source_of(address.number, address.index))
            except _UNTRACED:
                del self._tracers[address.process, opener]
        return _everything(self.run, address, opener)

    def given(self, process: int, frame: int, opener: int, number: int) -> Sequence[tuple[int, Table]]:
        """For something that a body gave, results of the op around it that have it as it is."""
        if _keeps_types(bare(self.run.bound(process, opener).op)):
            try:
                return list(self._tracer(process, opener).given_by(frame, number))
            except _UNTRACED:
                del self._tracers[process, opener]
        return ()

    def _tracer(self, process: int, opener: int) -> Tracer:
        found = self._tracers.get((process, opener))
        opened = len(self.run.steps(process).opened_by(opener))
        if found is None or len(found.opened) != opened:
            if len(self._tracers) >= _MOST_TRACERS:
                self._tracers.clear()
            found = self._tracers[process, opener] = Tracer(self.run, process, opener)
        return found


_MOST_TRACERS = 8
_UNTRACED = (AssertionError, StopIteration, RuntimeError, TypeError, ValueError, IndexError)


def _everything(run: RecordedRun, address: Address, opener: int) -> Sequence[Source]:
    process = address.process
    made = run.shape(address)
    found = [a for a in run.operands(process, opener) if run.is_tensor(a)]
    return [(a, Kind.OPAQUE, Whole(run.shape(a), made), k) for k, a in enumerate(found)]


def _keeps_types(op: Op) -> bool:
    """Whether operands come to the body as they are; elements that are converted first would lose their numbers."""
    inputs, initial = getattr(op, "inputs", ()), getattr(op, "_element_types", None)
    if not isinstance(inputs, tuple) or not isinstance(initial, tuple):
        return True
    return all(found.element_type == to for found, to in zip(inputs, initial, strict=False))


def _is_asked(op: Op, request: RunRegion | CallFunction) -> bool:
    """Whether the body is asked which element comes first, rather than for new values."""
    if isinstance(op, SelectAndScatter):
        return isinstance(request, RunRegion) and request.region == SELECT
    return isinstance(op, Sort)
