"""Tracing of bodies over elements: the sources and targets of their values.

The tracer repeats the op's requests on operands that contain element numbers instead of values. The numbers in
the body's arguments reveal the source of each lane, and those in the results its target.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from ...indexing.elements.boxes import Shape
from ...indexing.evaluation.array_values import Int64Array
from ...ir.types import TensorType
from ...ops.collectives.collective_rules import CollectiveOp
from ...ops.core.exchanges import ExecuteCollective, PeerValues
from ...ops.core.facets import Decision
from ...ops.core.op import Array, Ask, AskingOp, CallFunction, Op, RunRegion
from ..address import Address
from ..map_operands import awaited_at, execution_at
from .deciding import Decider, decision_relation, placing_operand
from .link import Link
from .relations import Kind, Relation, Table
from .run import RecordedRun

MOST_NUMBERS = 1 << 21
"""Maximum element numbers passed to the bodies of one step, in all frames."""
MOST_CHOICES = 1 << 16
"""Maximum of the answers of bodies times the later requests that they decide about."""
_BITS = 40
"""Bits of an element number.

Higher bits are the number of the array; array 0 has the values of the op itself.
"""


class TooLarge(Exception):
    """Tracing would exceed its limit of element numbers."""


@dataclass(frozen=True, eq=False)
class Asked:
    """One request: the numbers passed to the body, its lane shape, and its first frame."""

    number: int
    region: int
    iteration: int
    arguments: tuple[Array, ...]
    lanes: Shape | None
    first: int
    frames: int

    @property
    def has_frame_per_lane(self) -> bool:
        """Whether the body ran once for each lane, even for a single one."""
        return self.lanes is not None and self.frames == prod(self.lanes)


@dataclass(frozen=True, eq=False)
class Given:
    """A result of the body, in response to a request."""

    asked: Asked
    place: int


@dataclass(frozen=True, eq=False)
class Operand:
    """An operand of the op, in this process or in another participant."""

    address: Address
    number: int


class Tracer:
    """Tracer of one step's bodies; repeats the op's requests with element numbers."""

    def __init__(self, run: RecordedRun, process: int, step: int) -> None:
        self.run, self.process, self.step = run, process, step
        self.bound = run.bound_operation(process, step)
        op = run.op_at(process, step).unpacked
        traced = op.tracing.traced_op(op, self._values)
        self.op = traced if isinstance(traced, Op) else None
        self.sources: list[Operand | Given] = []
        """The sources of the arrays of numbers."""
        self.opened = run.steps(process).opened_frames(step).tolist()
        self.asked: list[Asked] = []
        self.left, self.choices = MOST_NUMBERS, MOST_CHOICES
        self.left_out = ""
        """A sentence on missing links."""

    def _values(self) -> tuple[Array, ...]:
        return tuple(map(self.run.recording.value, self.run.operands(self.process, self.step)))

    def links(self) -> list[Link]:
        """Links into arguments of frames, and from frames into results, as far as recorded."""
        found: list[Link] = []
        op = self.op
        if op is None:
            return []
        assert isinstance(op, AskingOp)
        answer = op.begin(self._operands(op))
        while isinstance(answer, Ask):
            request = answer.request
            if isinstance(request, ExecuteCollective):
                assert isinstance(op, CollectiveOp)
                answer = op.resume(answer.state, self._exchanged_numbers(request))
                continue
            if not isinstance(request, RunRegion | CallFunction):
                raise ValueError(request)
            asked = self._next_request(request)
            if asked is None:
                return found
            found += self._into_frames(asked)
            found += self._choice_links(op, asked, op.tracing.lane_positions(op, answer.state))
            given = self._answers(asked)
            if given is None:
                return found
            answer = op.resume(answer.state, given)
        results = answer if isinstance(answer, tuple) else (answer,)
        return found + list(self._into_results(op, list(map(np.asarray, results))))

    def _next_request(self, request: RunRegion | CallFunction) -> Asked | None:
        """The next request with its frames; `None` if they do not exist yet."""
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

    # Sources of arguments

    def _into_frames(self, asked: Asked) -> Iterator[Link]:
        for place, frame in enumerate(self._frames(asked)):
            for index, numbers in enumerate(asked.arguments):
                argument = Address(self.process, "f", frame, index)
                made = self.run.shape(argument)
                lane = np.asarray(numbers).reshape(-1)[place] if asked.has_frame_per_lane else numbers
                for source, number, targets, elements in self._parts(np.broadcast_to(lane, made)):
                    table = Table(self.run.shape(source), made, elements, targets)
                    yield Link(source, argument, Kind.DATA, table, number)

    def _parts(self, numbers: Array) -> Iterator[tuple[Address, int | None, Int64Array, Int64Array]]:
        """For each source value among `numbers`: address, operand index, lanes and positions."""
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
        """Links from the lanes of a request to results of earlier frames."""
        if given.asked.frames == 1:
            found = self._returned_value(self._frames(given.asked)[0], given.place)
            assert found is not None
            whole = self.run.shape(found) == () and given.asked.lanes is not None
            yield found, None, targets, np.zeros_like(elements) if whole else elements
            return
        for place, frame in enumerate(self._frames(given.asked)):
            here = targets[elements == place]
            found = self._returned_value(frame, given.place)
            if len(here) and found is not None:
                yield found, None, here, np.zeros(len(here), np.int64)

    # Decisions about arguments

    def _choice_links(self, op: Op, asked: Asked, cells: Int64Array | None) -> Iterator[Link]:
        """Links into arguments from values that decide which elements they are.

        `cells` are the result elements of the lanes, if fixed.
        """
        deciders = list(self._deciders(op, asked, cells))
        self.choices -= len(deciders) * asked.frames
        if self.choices < 0:
            self.left_out = (
                "The influence of earlier answers of a body on later ones is left out: there are too many."
            )
            return
        positions = cells
        for index, numbers in enumerate(asked.arguments if deciders else ()):
            if cells is None:
                positions = op.tracing.compared_positions(op, asked.iteration, index, _elements(numbers))
            if positions is not None:
                yield from self._chosen_argument(asked, index, positions, deciders)

    def _chosen_argument(
        self, asked: Asked, index: int, positions: Int64Array, deciders: Sequence[Decider]
    ) -> Iterator[Link]:
        for place, frame in enumerate(self._frames(asked)):
            argument = Address(self.process, "f", frame, index)
            made = self.run.shape(argument)
            for each in deciders:
                yield from each.links(argument, made, _lane(positions, asked, place))

    def _deciders(self, op: Op, asked: Asked, cells: Int64Array | None) -> Iterator[Decider]:
        """Values that decide which elements a request reads."""
        before = [each for each in self.asked if each is not asked and op.tracing.chooses(op, each.region)]
        if cells is not None and not before:
            placing = placing_operand(op, self.run.operands(self.process, self.step))
            if placing is not None:
                yield placing
        if op.tracing.only_chooses and asked.frames > 1:
            before = before[-1:]  # The other answers similarly decided which request was the last one.
        for each in before:
            for lane, frame in enumerate(self._frames(each)):
                source = self._returned_value(frame, 0)
                if source is not None:
                    read = self.run.shape(source)
                    relation, shape = self._next_choice(op, each, lane, read, cells is None)
                    yield Decider(source, read, None, relation, shape, "decides what is compared next")

    def _next_choice(
        self, op: Op, before: Asked, lane: int, read: Shape, chooses: bool
    ) -> tuple[Relation, Shape]:
        """The effect of an answer on a later request, and whether that one chooses too."""
        (result, *_) = op.known_results
        assert isinstance(result, TensorType)
        if not chooses:
            return self._decision(op, before, lane, read, result.sizes), result.sizes
        decision = op.tracing.next_choice_decision(op, before.iteration, _elements(before.arguments[0]), read)
        shape = result.sizes if decision.back else decision.shape
        return decision_relation(_of_lane(decision, before, lane), read, shape), shape

    # Targets of results

    def _into_results(self, op: Op, results: Sequence[Array]) -> Iterator[Link]:
        leaves = self.run.result_leaves(self.bound)
        made = [Address(self.process, "s", self.step, *leaf) for leaf in leaves]
        for number, target in enumerate(made):
            if self.run.is_made(target) and self.run.is_tensor(target):
                yield from self._decision_links(op, number, target)
                if not op.tracing.only_chooses and not op.tracing.folds_answers(op):
                    yield from self._taken_links(target, results[number])

    def _taken_links(self, target: Address, numbers: Array) -> Iterator[Link]:
        """Links from frame results that appear unchanged in a result."""
        shape = self.run.shape(target)
        for source, operand, targets, elements in self._parts(np.broadcast_to(numbers, shape)):
            if operand is None:
                table = Table(self.run.shape(source), shape, elements, targets)
                yield Link(source, target, Kind.INSIDE, table, words="given by the body")

    def _decision_links(self, op: Op, result: int, target: Address) -> Iterator[Link]:
        """Links from frame results that are combined outside the body, or that determine positions."""
        words = "combined with others" if op.tracing.folds_answers(op) else "decides what comes first"
        for asked in self.asked:
            if not (op.tracing.folds_answers(op) or op.tracing.chooses(op, asked.region)):
                continue
            for lane, frame in enumerate(self._frames(asked)):
                source = self._returned_value(frame, result if op.tracing.folds_answers(op) else 0)
                if source is not None:
                    shapes = self.run.shape(source), self.run.shape(target)
                    relation = self._decision(op, asked, lane, *shapes)
                    yield Link(source, target, Kind.INSIDE, relation, words=words)

    def _decision(self, op: Op, asked: Asked, lane: int, read: Shape, made: Shape) -> Relation:
        """The effect of a lane's answer on a result."""
        elements = (
            _elements(asked.arguments[0]) if op.tracing.chooses(op, asked.region) else np.zeros(0, np.int64)
        )
        decision = op.tracing.answer_decision(op, asked.iteration, elements, read)
        return decision_relation(_of_lane(decision, asked, lane), read, made)

    # Repeating requests

    def _operands(self, op: Op) -> tuple[Array, ...]:
        """Element numbers instead of values; operands that the op needs keep their values."""
        found = []
        block = int(self.run.steps(self.process).blocks[self.opened[0]])
        known = op.tracing.operands_read(
            op, self.bound.regions.index(block) if block in self.bound.regions else None
        )
        for number, address in enumerate(self.run.operands(self.process, self.step)):
            if number in known:
                found.append(self.run.recording.value(address))
            else:
                found.append(self._numbers(self.run.shape(address), Operand(address, number)))
        return tuple(found[: len(op.operand_types)])

    def _exchanged_numbers(self, request: ExecuteCollective) -> PeerValues:
        """The contributions of other participants as numbers."""
        execution = execution_at(self.run.recording, self.process, self.step)
        awaited = awaited_at(self.run.recording, self.process, self.step)
        brought = []
        for other in awaited:
            assert execution is not None
            step, _ = execution.arrivals[other]
            addresses = enumerate(self.run.operands(other, step))
            brought.append(tuple(self._numbers(self.run.shape(a), Operand(a, k)) for k, a in addresses))
        return PeerValues(tuple(brought), awaited.index(self.process))

    def _answers(self, asked: Asked) -> tuple[Array, ...] | None:
        """The body's results: recorded values if the next request depends on them, else numbers."""
        frames = self._frames(asked)
        end = self.run.steps(self.process).end_of(frames[-1])
        if end is None or len(frames) < asked.frames:
            return None
        leaves = self.run.operand_leaves(self.run.bound_operation(self.process, end))
        if self.op is not None and self.op.tracing.chooses(self.op, asked.region):
            return tuple(self._answer_values(asked, place) for place in range(len(leaves)))
        given = [self.run.operand_leaf(self.process, end, leaf) for leaf in leaves]
        shapes = [asked.lanes if asked.lanes is not None else self.run.shape(found) for found in given]
        return tuple(self._numbers(shape, Given(asked, place)) for place, shape in enumerate(shapes))

    def _returned_value(self, frame: int, place: int) -> Address | None:
        """The address of a leaf that a frame returned; `None` if it has not ended."""
        end = self.run.steps(self.process).end_of(frame)
        if end is None:
            return None
        leaves = self.run.operand_leaves(self.run.bound_operation(self.process, end))
        return self.run.operand_leaf(self.process, end, leaves[place])

    def _answer_values(self, asked: Asked, place: int) -> Array:
        returned = [self._returned_value(frame, place) for frame in self._frames(asked)]
        values = [self.run.recording.value(found) for found in returned if found is not None]
        if asked.frames > 1:
            return np.stack(values).reshape(asked.lanes or ())
        return np.broadcast_to(values[0], asked.lanes or ())

    def _numbers(self, shape: Shape, source: Operand | Given) -> Array:
        self.sources.append(source)
        return np.arange(prod(shape), dtype=np.int64).reshape(shape) + (len(self.sources) << _BITS)


def _lane(found: Int64Array, asked: Asked, lane: int) -> Int64Array:
    """The numbers of all lanes, or of the frame's single lane."""
    return found[lane : lane + 1] if asked.frames > 1 else found


def _of_lane(decision: Decision, asked: Asked, lane: int) -> Decision:
    if decision.positions is None:
        return decision
    return replace(decision, positions=_lane(decision.positions, asked, lane))


def _elements(numbers: Array) -> Int64Array:
    """The positions of the elements whose numbers an argument contains."""
    found: Int64Array = numbers.reshape(-1) & ((1 << _BITS) - 1)
    return found
