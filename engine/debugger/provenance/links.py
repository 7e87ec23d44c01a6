"""Sources of a value: for each one its address and the relation of elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...errors import ProgramError
from ...ir.types import TensorType
from ...ops.collectives.collective_rules import CollectiveOp
from ...ops.collectives.point_to_point import PointToPoint
from ...ops.core.bases import Partitioned, Selecting
from ...ops.core.dynamic_op import DynamicOp
from ...ops.core.op import AskingOp, Op
from ...ops.dialects.interpreter_dialect import RunParallel
from ...program import BoundOperation
from ..address import Address
from . import collectives, frames
from .deciding import choice_relation, separate_placement
from .link import End, Into, Link
from .op_maps import OpMaps, Reading
from .relations import SAME, Kind, Mapped, Relation, Whole
from .run import RecordedRun
from .tracing import TooLarge, Tracer


@dataclass(frozen=True, slots=True)
class Ingredient:
    """An operand that an op reads for one of its results."""

    reading: Reading
    value: int
    path: tuple[int, ...]
    kind: Kind
    is_same: bool
    """Whether each element is that of the same index."""
    could: Relation | None
    """Additional decisions about which elements are read."""

    @property
    def operand(self) -> int:
        """The operand index, with tuples flattened."""
        return self.reading.operand


class Links:
    """Links of a recorded run; only data about ops of the program is cached."""

    def __init__(self, run: RecordedRun) -> None:
        self.run = run
        self.lanes = Lanes(run)
        self._maps: dict[tuple[int, int], OpMaps] = {}
        self._known: dict[tuple[int, int, int, tuple[int, ...]], Sequence[Ingredient]] = {}

    def into(self, address: Address, only: int | None = None) -> Into:
        """Links into a tensor; `KeyError` if not recorded. `only` selects one contribution."""
        if address.kind == "f":
            return self._argument(address)
        return self._result(address, only)

    def maps(self, process: int, step: int) -> OpMaps:
        """The maps of a step's op."""
        bound = self.run.bound_operation(process, step)
        if bound.dynamic:
            return OpMaps(self.run.op_at(process, step))
        grid = self.run.recording.tracks[process].launch_group
        found = self._maps.get((bound.id, grid))
        if found is None:
            found = self._maps[bound.id, grid] = OpMaps(self.run.op_at(process, step))
        return found

    # Arguments of frames

    def _argument(self, address: Address) -> Into:
        steps = self.run.steps(address.process)
        opener = steps.track.opener_of(address.number)
        if opener is None:
            return self._entry_argument(address)
        bound = self.run.bound_operation(address.process, opener)
        op = bound.op.unpacked
        if isinstance(op, Partitioned):
            return Into(tuple(self._cut(address, opener, op)))
        if op.explanation.passes_values:
            return Into(tuple(self._argument_links(address, opener, op)))
        trace = self.lanes.of(address.process, opener)
        found = tuple(trace.into(address))
        return Into(found) if found else Into((), *_made_up(trace))

    def _entry_argument(self, address: Address) -> Into:
        opener = self.run.recording.launch_groups[
            self.run.recording.tracks[address.process].launch_group
        ].opener
        if opener is None:
            return Into((), End.INPUT)
        source = collectives.team_operand(self.run, address, opener)
        return Into((Link(source, address, Kind.MOVED, SAME, words="given to the process"),))

    def _argument_links(self, address: Address, opener: int, op: Op) -> Iterator[Link]:
        source = frames.argument_source(self.run, address, opener, op)
        if source is not None:
            yield Link(source, address, Kind.FORWARDED, SAME)
        chosen = frames.argument_decider(self.run, address, opener, op)
        if chosen is not None:
            whole = Whole(self.run.shape(chosen), self.run.shape(address))
            yield Link(chosen, address, Kind.CHOSEN, whole, 0, "decides which branch runs")

    def _cut(self, address: Address, opener: int, op: Partitioned) -> Iterator[Link]:
        """Link into an argument of a body that runs on one part of an operand."""
        process = address.process
        yield from collectives.cut(self.run, address, opener, op, self._runtime(process, opener))

    # Results of steps

    def _result(self, address: Address, only: int | None) -> Into:
        process, step = address.process, address.number
        bound = self.run.bound_operation(process, step)
        op = bound.op.unpacked
        if bound.op.traits.is_terminator:
            raise KeyError(str(address))
        origin = op.explanation.origin(op, address.index, address.path)
        if origin is not None:
            source = self.run.operand_leaf(process, step, origin)
            return Into((Link(source, address, Kind.FORWARDED, SAME, self._number(bound, origin)),))
        if _is_plain(bound, op):
            return self._by_maps(address, bound, only)
        opened = self.run.steps(process).opened_frames(step)
        if isinstance(op, Partitioned):
            return Into(tuple(collectives.part_links(self.run, address, op, self._runtime, only)))
        if frames.results_are_returned(op, len(opened) > 0):
            links = tuple(self._of_frames(address, op, opened))
            return (
                Into(links) if links else Into((), End.CONSTANT, "It is a placeholder of what was started.")
            )
        if isinstance(op, PointToPoint):
            return self._transfer_source(address, op)
        if isinstance(op, RunParallel):
            returned = collectives.team_result(self.run, address)
            return Into(
                ()
                if returned is None
                else (Link(returned, address, Kind.MOVED, SAME, words="returned there"),)
            )
        if bound.op.outside is not None or (not opened.size and op.explanation.calls_function):
            return Into((), End.OUTSIDE, f"{bound.op.outside or 'What it calls'} is outside the program.")
        return self._by_maps(address, bound, only)

    def _of_frames(self, address: Address, op: Op, opened: frames.Numbers) -> Iterator[Link]:
        """Links to the results of the last frame, and to the values that decided which frames ran."""
        source = frames.result_source(self.run, address, op, opened)
        if source is not None:
            yield Link(source, address, Kind.FORWARDED, SAME)
        for chosen, operand, words in frames.deciders(self.run, address, op, opened):
            whole = Whole(self.run.shape(chosen), self.run.shape(address))
            yield Link(chosen, address, Kind.CHOSEN, whole, operand, words)

    def _transfer_source(self, address: Address, op: PointToPoint) -> Into:
        if op.sends or op.is_placeholder(address.path):
            return Into((), End.CONSTANT, "It is a placeholder of the transfer.")
        source = collectives.sent_value(self.run, address)
        if source is not None:
            return Into((Link(source, address, Kind.MOVED, SAME, words="sent"),))
        return Into((), *collectives.missing_sender(self.run, address, op))

    def _by_maps(self, address: Address, bound: BoundOperation, only: int | None) -> Into:
        links: tuple[Link, ...]
        if self.run.lanes(address) is not None:
            links = tuple(self._lane_by_lane(address, bound))
        elif isinstance(bound.op, CollectiveOp):
            links = tuple(self._exchange_links(address, bound, only))
        else:
            links = (*self._mapped_links(address, bound), *self._captured_links(address, bound))
        left_out = ""
        if only in (None, address.process) and frames.runs_bodies(self.run, address.process, address.number):
            trace = self.lanes.of(address.process, address.number)
            links, left_out = (*links, *trace.into(address)), trace.left_out
        if links:
            opaque = any(link.kind is Kind.OPAQUE for link in links)
            reason = f"The elements that {bound.operation.name} reads are unknown." if opaque else ""
            return Into(links, End.OPAQUE if opaque else None, reason, left_out)
        return Into((), End.CONSTANT, bound.op.unpacked.explanation.constant_note)

    def _mapped_links(self, address: Address, bound: BoundOperation) -> Iterator[Link]:
        process, step = address.process, address.number
        for item in self._ingredients(address, bound):
            source = self.run.operand(process, step, item.value, item.path)
            made, runtime = self.run.shape(address), self._runtime(process, step)
            mapped: Relation = (
                SAME if item.is_same else Mapped(self.run.shape(source), made, item.reading, runtime)
            )
            relation = choice_relation(bound.op.unpacked, item.operand, made, runtime, mapped)
            yield Link(source, address, item.kind, relation, item.operand)
            if item.could is not None:
                yield Link(source, address, Kind.CHOSEN, item.could, item.operand, "decides where updates go")

    def _ingredients(self, address: Address, bound: BoundOperation) -> Sequence[Ingredient]:
        """Operands that an op reads for a result; cached unless its sizes are dynamic."""
        key = (bound.id, self.run.recording.tracks[address.process].launch_group, address.index, address.path)
        found = self._known.get(key)
        if found is None:
            maps = self.maps(address.process, address.number)
            found = list(self._map_ingredients(maps, address, bound))
            if not bound.dynamic:
                self._known[key] = found
        return found

    def _map_ingredients(self, maps: OpMaps, address: Address, bound: BoundOperation) -> Iterator[Ingredient]:
        leaves, made = self.run.operand_leaves(bound), bound.results[address.index]
        for reading in maps.of(self._leaf(bound, address)):
            if reading.operand >= len(leaves):
                continue
            number, path = leaves[reading.operand]
            value = bound.operands[number]
            if not isinstance(self.run.leaf_type(value, path), TensorType):
                continue
            read = self.run.static_shape(value, path)
            is_same = (
                reading.is_same and read is not None and read == self.run.static_shape(made, address.path)
            )
            could = separate_placement(maps.op.unpacked, reading.operand)
            kind = self._kind(maps.op.unpacked, reading.operand, reading.kind)
            yield Ingredient(reading, value, path, kind, is_same, could)

    def _kind(self, op: Op, operand: int, kind: Kind) -> Kind:
        if isinstance(op, Selecting) and operand == 0:
            return Kind.CHOSEN
        return Kind.INDEX if isinstance(op, DynamicOp) and operand in op.dynamic_operands else kind

    def _exchange_links(self, address: Address, bound: BoundOperation, only: int | None) -> Iterator[Link]:
        process, step = address.process, address.number
        maps = self.maps(process, step)
        for found in maps.of(self._leaf(bound, address)):
            yield from collectives.exchange_links(self.run, address, found, self._runtime, only)

    def _captured_links(self, address: Address, bound: BoundOperation) -> Iterator[Link]:
        """Links to values that the op's regions capture."""
        if not bound.regions:
            return
        for value in self.run.captures(bound):
            source = self.run.operand(address.process, address.number, value)
            for path in self.run.leaves_of(value):
                leaf = Address(source.process, source.kind, source.number, source.index, path)
                if self.run.is_tensor(leaf):
                    whole = Whole(self.run.shape(leaf), self.run.shape(address))
                    yield Link(leaf, address, Kind.DATA, whole, words="read in the body")

    def _lane_by_lane(self, address: Address, bound: BoundOperation) -> Iterator[Link]:
        """Links in a lifted body: to the same lane, or to a value that all lanes share."""
        made = self.run.shape(address)
        sources = self.run.operands(address.process, address.number)
        shapes = [self.run.shape(source) for source in sources]
        runtime = self._runtime(address.process, address.number)
        for number, (source, read) in enumerate(zip(sources, shapes, strict=True)):
            relation = choice_relation(
                bound.op, number, made, runtime, SAME if read == made else Whole(read, made)
            )
            yield Link(source, address, self._kind(bound.op, number, Kind.DATA), relation, number)

    def _runtime(self, process: int, step: int) -> frames.Reader:
        return lambda: self.run.map_operands(process, step)

    def _leaf(self, bound: BoundOperation, address: Address) -> int:
        return self.run.result_leaves(bound).index((address.index, address.path))

    def _number(self, bound: BoundOperation, leaf: tuple[int, tuple[int, ...]]) -> int:
        return self.run.operand_leaves(bound).index(leaf)


def _made_up(trace: Trace) -> tuple[End, str, str]:
    """The end at a body argument without sources, with up to two sentences."""
    if trace.left_out:
        return End.OPAQUE, "", trace.left_out
    return End.CONSTANT, "The op generates it.", ""


def _is_plain(bound: BoundOperation, op: Op) -> bool:
    """Whether the op's maps describe it completely, within its process."""
    return not (bound.regions or isinstance(op, AskingOp) or op.outside)


class Trace:
    """The links of one step's bodies, indexed by both ends."""

    def __init__(self, links: Sequence[Link], steps: int, left_out: str = "") -> None:
        self.steps = steps
        """Number of steps of the process; 0 if no further links can appear."""
        self.left_out = left_out
        """A sentence on missing links."""
        self._into: dict[Address, list[Link]] = {}
        self._onward: dict[Address, list[Link]] = {}
        for link in links:
            self._into.setdefault(link.target, []).append(link)
            self._onward.setdefault(link.source, []).append(link)

    def into(self, address: Address) -> Sequence[Link]:
        """Links into an argument of a body, or from one into a result of the op."""
        return self._into.get(address, ())

    def onward(self, address: Address) -> Sequence[Link]:
        """Links from a value into a body, or from a body's result."""
        return self._onward.get(address, ())


class Lanes:
    """Bodies of a recorded run, with a cache of the latest ones."""

    def __init__(self, run: RecordedRun) -> None:
        self.run = run
        self._traces: dict[tuple[int, int], Trace] = {}

    def of(self, process: int, opener: int) -> Trace:
        """The links of a step that ran bodies."""
        known = self._traces.get((process, opener))
        if known is None or known.steps not in (0, self.run.steps(process).count):
            if len(self._traces) >= _MOST_TRACES:
                self._traces.clear()
            known = self._traces[process, opener] = self._trace(process, opener)
        return known

    def _trace(self, process: int, opener: int) -> Trace:
        made = [Address(process, "s", opener, *leaf) for leaf in self._leaves(process, opener)]
        count = 0 if all(map(self.run.is_made, made)) else self.run.steps(process).count
        try:
            tracer = Tracer(self.run, process, opener)
            return Trace(tracer.links(), count, tracer.left_out)
        except (TooLarge, *_UNTRACED) as error:
            name = self.run.bound_operation(process, opener).operation.name
            why = (
                "it ran on too many elements" if isinstance(error, TooLarge) else "they cannot be determined"
            )
            return Trace((), count, f"Links through the body of {name} are missing: {why}.")

    def _leaves(self, process: int, opener: int) -> Sequence[tuple[int, tuple[int, ...]]]:
        return self.run.result_leaves(self.run.bound_operation(process, opener))


_MOST_TRACES = 8
_UNTRACED = (AssertionError, ProgramError, KeyError, RuntimeError, TypeError, ValueError, IndexError)
