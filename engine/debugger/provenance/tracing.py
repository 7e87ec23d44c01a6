"""Where the values of a body come from that sees elements, and where they go.

The op is asked again what it asked for in the run, on operands that hold numbers of their elements instead of values.
What it then hands to its body tells where each lane has its values from, and what it gives in the end where they went.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from ...indexing.elements.element_sets import Shape
from ...indexing.evaluation import Int64Array
from ...ops.collective_rules import Meeting
from ...ops.custom_calls.custom_call import CustomCall
from ...ops.custom_calls.dynamic_windows import TARGETS, static_windows
from ...ops.exchanges import Meet, Met
from ...ops.op import Array, Ask, AskingOp, CallFunction, Op, RunRegion
from ...ops.reduce import Reduce
from ...ops.reduce_window import ReduceWindow
from ...ops.scatter import Scatter
from ...ops.select_and_scatter import SELECT, SelectAndScatter
from ...ops.sort import Sort
from ..address import Address
from ..map_operands import awaited_at, meeting_at
from .choices import Decider, cells_of, placing_operand
from .conversions import without_conversions
from .deciding import combined_lanes, compared_in_lines, compared_in_windows, compared_windows
from .link import Link
from .relations import Kind, Relation, Table
from .run import RecordedRun, bare

MOST_NUMBERS = 1 << 21
"""Numbers that are handed to the bodies of one step, all frames together."""
MOST_CHOICES = 1 << 16
"""Answers of bodies, times the later requests about which they decide."""
_BITS = 40
"""A number is that of an array, above so many bits for that of the element. Values of the op's own are below."""


class TooLarge(Exception):
    """There are more numbers than anybody would wait for."""


@dataclass(frozen=True, eq=False)
class Asked:
    """One request for the body: the numbers that it was handed, the shape of its lanes, and its first frame."""

    number: int
    region: int
    iteration: int
    arguments: tuple[Array, ...]
    lanes: Shape | None
    first: int
    frames: int


@dataclass(frozen=True, eq=False)
class Given:
    """What the body gave at a place, in answer to a request."""

    asked: Asked
    place: int


@dataclass(frozen=True, eq=False)
class Operand:
    """What the op read, be it in another process."""

    address: Address
    number: int


class Tracer:
    """One step's requests, in order."""

    def __init__(self, run: RecordedRun, process: int, step: int) -> None:
        self.run, self.process, self.step = run, process, step
        self.bound = run.bound(process, step)
        self.op = self._plain()
        self.sources: list[Operand | Given] = []
        """What the arrays of numbers are of."""
        self.opened = run.steps(process).opened_by(step).tolist()
        self.asked: list[Asked] = []
        self.left, self.choices = MOST_NUMBERS, MOST_CHOICES
        self.left_out = ""
        """Why some links are missing, as a sentence."""

    def _plain(self) -> Op:
        """The op, over elements of its body's types."""
        op = bare(self.run.op_at(self.process, self.step))
        if isinstance(op, CustomCall) and op.call_target_name in TARGETS:
            values = map(self.run.recording.value, self.run.operands(self.process, self.step))
            op = static_windows(op, tuple(values))
        return without_conversions(op)

    def links(self) -> list[Link]:
        """Into arguments of frames, and into the op's results from what frames gave; as far as it is recorded."""
        found: list[Link] = []
        op = self.op
        if isinstance(op, CustomCall):
            return []  # what it asks of a body is about values of its own
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
            if asked is None:
                return found
            found += self._into_frames(asked)
            found += self._chosen(asked, cells_of(answer.state))
            given = self._answers(asked)
            if given is None:
                return found
            answer = op.resume(answer.state, given)
        results = answer if isinstance(answer, tuple) else (answer,)
        return found + list(self._into_results(list(map(np.asarray, results))))

    def _next(self, request: RunRegion | CallFunction) -> Asked | None:
        """The request, with its frames; `None` if they are not there yet."""
        last = self.asked[-1] if self.asked else None
        first = last.first + last.frames if last else 0
        if first >= len(self.opened):
            return None
        lifted = request.lanes is None or self._is_lifted(self.opened[first])
        frames = 1 if lifted else prod(request.lanes or ())
        self.left -= sum(prod(each.shape) for each in request.arguments)
        if self.left < 0:
            raise TooLarge
        region = request.region if isinstance(request, RunRegion) else 0
        asked = Asked(
            len(self.asked), region, request.iteration, request.arguments, request.lanes, first, frames
        )
        self.asked.append(asked)
        return asked

    def _is_lifted(self, frame: int) -> bool:
        return frame in self.run.recording.tracks[self.process].frame_lanes

    def _frames(self, asked: Asked) -> list[int]:
        found: list[int] = self.opened[asked.first : asked.first + asked.frames]
        return found

    # What goes in

    def _into_frames(self, asked: Asked) -> Iterator[Link]:
        for place, frame in enumerate(self._frames(asked)):
            for index, numbers in enumerate(asked.arguments):
                argument = Address(self.process, "f", frame, index)
                made = self.run.shape(argument)
                lane = np.asarray(numbers).reshape(-1)[place] if asked.frames > 1 else numbers
                for source, number, targets, elements in self._parts(np.broadcast_to(lane, made)):
                    table = Table(self.run.shape(source), made, elements, targets)
                    yield Link(source, argument, Kind.DATA, table, number)

    def _parts(self, numbers: Array) -> Iterator[tuple[Address, int | None, Int64Array, Int64Array]]:
        """For each value that there are elements of: it, which operand it is, where they are, and which they are."""
        flat = numbers.reshape(-1)
        if flat.dtype.kind not in "iu":
            return
        flat = flat.astype(np.int64)
        bases = flat >> _BITS
        known = np.flatnonzero((bases > 0) & (bases <= len(self.sources)))
        order = known[np.argsort(bases[known], kind="stable")]
        for targets in np.split(order, np.flatnonzero(np.diff(bases[order])) + 1):
            if len(targets):
                source = self.sources[int(bases[targets[0]]) - 1]
                elements = flat[targets] & ((1 << _BITS) - 1)
                if isinstance(source, Operand):
                    yield source.address, source.number, targets, elements
                else:
                    yield from self._of_frames(source, targets, elements)

    def _of_frames(
        self, given: Given, targets: Int64Array, elements: Int64Array
    ) -> Iterator[tuple[Address, None, Int64Array, Int64Array]]:
        """The lanes of a request as elements of what its frames gave."""
        if given.asked.frames == 1:
            found = self._returned(self._frames(given.asked)[0], given.place)
            assert found is not None
            whole = self.run.shape(found) == () and given.asked.lanes is not None
            yield found, None, targets, np.zeros_like(elements) if whole else elements
            return
        for place, frame in enumerate(self._frames(given.asked)):
            here = targets[elements == place]
            found = self._returned(frame, given.place)
            if len(here) and found is not None:
                yield found, None, here, np.zeros(len(here), np.int64)

    # What decides what goes in

    def _chosen(self, asked: Asked, cells: Int64Array | None) -> Iterator[Link]:
        """Into arguments that could have been other elements: from whatever says which they are."""
        deciders = list(self._deciders(asked, cells))
        self.choices -= len(deciders) * asked.frames
        if self.choices < 0:
            self.left_out = (
                "What earlier answers of a body decide about later ones is left out: it was asked too often."
            )
            return
        about = cells
        for index, numbers in enumerate(asked.arguments if deciders else ()):
            if cells is None:
                about = self._compared(asked, index, numbers)
            for place, frame in enumerate(self._frames(asked) if about is not None else ()):
                argument = Address(self.process, "f", frame, index)
                made = self.run.shape(argument)
                for each in deciders:
                    assert about is not None
                    lane = _lane(about, asked, place)
                    yield from each.handed(argument, made, lane)

    def _compared(self, asked: Asked, index: int, numbers: Array) -> Int64Array | None:
        """The windows, or the elements to be sorted, that the lanes of an argument are about."""
        if isinstance(self.op, SelectAndScatter):
            # What is compared with it is the same element each time.
            return self.op.windows_compared(asked.iteration).reshape(-1) if index == 0 else None
        return numbers.reshape(-1) & ((1 << _BITS) - 1)

    def _deciders(self, asked: Asked, cells: Int64Array | None) -> Iterator[Decider]:
        """Whatever says which elements an answer to a request is about."""
        said = [each for each in self.asked if each is not asked and self._is_said(each)]
        if cells is not None and not said:
            placing = placing_operand(self.op, self.run.operands(self.process, self.step))
            if placing is not None:
                yield placing
        if isinstance(self.op, Sort) and asked.frames > 1:
            said = said[-1:]  # which was told by those before, in the same way
        for each in said:
            for lane, frame in enumerate(self._frames(each)):
                source = self._returned(frame, 0)
                if source is not None:
                    read = self.run.shape(source)
                    relation, shape = self._about(each, lane, read, cells is None)
                    yield Decider(source, read, None, relation, shape, "decides what is compared next")

    def _about(self, said: Asked, lane: int, read: Shape, compares: bool) -> tuple[Relation, Shape]:
        """What an answer decides about, and in which tensor: elements, or windows that go on choosing."""
        if isinstance(self.op, SelectAndScatter) and compares:
            windows = self.op.windows_compared(said.iteration).reshape(-1)
            shape = self.op.source.sizes
            return compared_windows(_lane(windows, said, lane), read, shape), shape
        assert isinstance(self.op, Sort | SelectAndScatter)
        shape = (self.op.inputs[0] if isinstance(self.op, Sort) else self.op.operand).sizes
        return self._deciding(said, lane, read, shape), shape

    # What comes out

    def _into_results(self, results: Sequence[Array]) -> Iterator[Link]:
        leaves = self.run.result_leaves(self.bound)
        made = [Address(self.process, "s", self.step, *leaf) for leaf in leaves]
        for number, target in enumerate(made):
            if self.run.is_made(target) and self.run.is_tensor(target):
                yield from self._decided(number, target)
                if not isinstance(self.op, Sort) and not self._is_folded:
                    yield from self._taken(target, results[number])

    def _taken(self, target: Address, numbers: Array) -> Iterator[Link]:
        """What frames gave that is in a result as it is."""
        shape = self.run.shape(target)
        for source, operand, targets, elements in self._parts(np.broadcast_to(numbers, shape)):
            if operand is None:
                table = Table(self.run.shape(source), shape, elements, targets)
                yield Link(source, target, Kind.INSIDE, table, words="given by the body")

    def _decided(self, result: int, target: Address) -> Iterator[Link]:
        """What frames gave that is combined without the body, or that says which elements come where."""
        for asked in self.asked:
            if not (self._is_folded or self._is_said(asked)):
                continue
            words = "combined with others" if self._is_folded else "decides what comes first"
            for lane, frame in enumerate(self._frames(asked)):
                source = self._returned(frame, result if self._is_folded else 0)
                if source is not None:
                    shapes = self.run.shape(source), self.run.shape(target)
                    yield Link(source, target, Kind.INSIDE, self._deciding(asked, lane, *shapes), words=words)

    def _deciding(self, asked: Asked, lane: int, read: Shape, made: Shape) -> Relation:
        if isinstance(self.op, Reduce):
            return combined_lanes(self.op, read, made)
        if isinstance(self.op, Sort):
            elements = asked.arguments[0].reshape(-1) & ((1 << _BITS) - 1)
            return compared_in_lines(self.op, _lane(elements, asked, lane), read, made)
        assert isinstance(self.op, SelectAndScatter)
        windows = self.op.windows_compared(asked.iteration).reshape(-1)
        return compared_in_windows(self.op, _lane(windows, asked, lane), read, made)

    @property
    def _is_folded(self) -> bool:
        """Whether what the body gave for all elements is combined without it."""
        return isinstance(self.op, Reduce) and self.op.maps_elements

    def _is_said(self, asked: Asked) -> bool:
        """Whether the body was asked which element comes first, rather than for new values."""
        return isinstance(self.op, Sort) or (isinstance(self.op, SelectAndScatter) and asked.region == SELECT)

    # Asking again

    def _operands(self, op: Op) -> tuple[Array, ...]:
        """Numbers for values; what the op has to know stays as it is."""
        found = []
        for number, address in enumerate(self.run.operands(self.process, self.step)):
            if self._is_known(op, number):
                found.append(self.run.recording.value(address))
            else:
                found.append(self._numbers(self.run.shape(address), Operand(address, number)))
        return tuple(found[: 2 * len(op.inputs)] if isinstance(op, ReduceWindow) else found)

    def _is_known(self, op: Op, operand: int) -> bool:
        """Whether the op looks at the operand's values itself."""
        if isinstance(op, Scatter):
            return operand == len(op.inputs)
        first = int(self.run.steps(self.process).blocks[self.opened[0]])
        selects = self.bound.regions[SELECT : SELECT + 1] == (first,)
        return isinstance(op, SelectAndScatter) and operand == 0 and not selects

    def _met(self, request: Meet) -> Met:
        """What the others brought, as numbers."""
        meeting = meeting_at(self.run.recording, self.process, self.step)
        awaited = awaited_at(self.run.recording, self.process, self.step)
        brought = []
        for other in awaited:
            assert meeting is not None
            step, _ = meeting.arrivals[other]
            addresses = enumerate(self.run.operands(other, step))
            brought.append(tuple(self._numbers(self.run.shape(a), Operand(a, k)) for k, a in addresses))
        return Met(tuple(brought), awaited.index(self.process))

    def _answers(self, asked: Asked) -> tuple[Array, ...] | None:
        """What the body gave: what it said, where that decides how the op goes on, else numbers."""
        frames = self._frames(asked)
        end = self.run.steps(self.process).end_of(frames[-1])
        if end is None or len(frames) < asked.frames:
            return None
        leaves = self.run.operand_leaves(self.run.bound(self.process, end))
        if self._is_said(asked):
            return tuple(self._said(asked, place) for place in range(len(leaves)))
        given = [self.run.operand_leaf(self.process, end, leaf) for leaf in leaves]
        shapes = [asked.lanes if asked.lanes is not None else self.run.shape(found) for found in given]
        return tuple(self._numbers(shape, Given(asked, place)) for place, shape in enumerate(shapes))

    def _returned(self, frame: int, place: int) -> Address | None:
        """What a frame gave, tuples taken apart."""
        end = self.run.steps(self.process).end_of(frame)
        if end is None:
            return None
        leaves = self.run.operand_leaves(self.run.bound(self.process, end))
        return self.run.operand_leaf(self.process, end, leaves[place])

    def _said(self, asked: Asked, place: int) -> Array:
        returned = [self._returned(frame, place) for frame in self._frames(asked)]
        values = [self.run.recording.value(found) for found in returned if found is not None]
        if asked.frames > 1:
            return np.stack(values).reshape(asked.lanes or ())
        return np.broadcast_to(values[0], asked.lanes or ())

    def _numbers(self, shape: Shape, source: Operand | Given) -> Array:
        self.sources.append(source)
        return np.arange(prod(shape), dtype=np.int64).reshape(shape) + (len(self.sources) << _BITS)


def _lane(found: Int64Array, asked: Asked, lane: int) -> Int64Array:
    """Of all lanes, or of the one that a frame is of."""
    return found[lane : lane + 1] if asked.frames > 1 else found
