"""Uses of a value: links that begin at it, found among those into its readers' results."""

from __future__ import annotations

from collections.abc import Iterator

from ...indexing.elements.element_sets import ElementSet
from ...indexing.elements.images import Work
from ...ops.collectives.collective_rules import CollectiveOp
from ...ops.collectives.point_to_point import PointToPoint
from ...ops.control_flow.control_flow import CONDITION, While
from ...ops.core.bases import Partitioned
from ...ops.core.op import Op
from ...ops.dialects.interpreter_dialect import RunParallel
from ...program import BoundOperation
from ..address import Address
from ..map_operands import execution_at
from . import frames
from .link import End, Link
from .links import Links
from .relations import Kind, Mapped, Relation, Same, Whole

Reader = tuple[int, BoundOperation]
"""A step and its operation."""


class Onward:
    """Links from values to their uses: the links of `Links`, indexed by source."""

    def __init__(self, links: Links) -> None:
        self.links_into, self.lanes, self.run = links.into, links.lanes, links.run
        self.left_out: list[str] = []
        """Sentences on links missing from the latest answer."""

    def links(self, address: Address) -> Iterator[Link]:
        """Links to all values computed from a tensor."""
        self.left_out = []
        seen: set[Address] = set()
        bodies: dict[tuple[int, int], None] = {}
        for step, bound in self.readers(address):
            if bound.op.traits.is_terminator:
                yield from self._condition_links(address, step)
            bodies.update(dict.fromkeys(self._bodies(address.process, step, bound)))
            for target in self._candidates(address.process, step, bound):
                if target in seen or not self.run.is_made(target) or not self.run.is_tensor(target):
                    continue
                seen.add(target)
                into = self.links_into(target, address.process)
                own = (link for link in into.links if link.source == address)
                yield from (link for link in own if link.kind is not Kind.INSIDE)
        for process, opener in bodies:
            trace = self.lanes.of(process, opener)
            self.left_out += [trace.left_out] if trace.left_out else []
            yield from trace.onward(address)

    def outputs(self, address: Address) -> list[int]:
        """The entry function's results that a value is, with tuples flattened."""
        process = address.process
        steps = self.run.steps(process)
        end = steps.end_of(0)
        if end is None:
            return []
        leaves = self.run.operand_leaves(self.run.bound_operation(process, end))
        return [n for n, leaf in enumerate(leaves) if self.run.operand_leaf(process, end, leaf) == address]

    def readers(self, address: Address) -> Iterator[Reader]:
        """Steps that read a value directly or with their bodies."""
        process, steps = address.process, self.run.steps(address.process)
        value, frame = self.run.value_number(address), self.run.frame_of(address)
        block = self.run.program.makers[value].block
        around: set[int] = set()
        for number in self.run.program.readers.get(value, ()):
            bound = self.run.program.ops[number]
            depth = self.run.depth_between(bound.block, block)
            if depth is None:
                continue
            inside = [frame] if depth == 0 else steps.frames_of(bound.block, frame, depth).tolist()
            for each in inside:
                step = steps.at(each, steps.program.positions[number])
                if step is not None:
                    yield step, bound
                    yield from self._readers_around(process, each, frame, around)

    def reads(self, address: Address, elements: ElementSet, step: int) -> tuple[bool, bool]:
        """Whether a step that has a tensor as operand reads elements of it, and whether all steps of its op do the same.

        An op that passes the tensor on as a whole, or out of the program, reads all elements.
        """
        process, bound = address.process, self.run.bound_operation(address.process, step)
        if bound.op.traits.is_terminator or _passes_values(bound.op.unpacked):
            return True, True
        made = [
            target
            for target in self._candidates(process, step, bound)
            if self.run.is_made(target) and self.run.is_tensor(target)
        ]
        into = [self.links_into(target, process) for target in made]
        if not made or any(found.end in (End.OPAQUE, End.OUTSIDE) for found in into):
            return True, False
        links = [link for found in into for link in found.links if link.source == address]
        relations = [link.relation for link in links if link.kind is not Kind.INSIDE]
        is_fixed = not bound.dynamic and not isinstance(bound.op.unpacked, CollectiveOp | PointToPoint)
        return (
            any(relation.onward(elements, Work()) for relation in relations),
            is_fixed and all(map(_is_fixed, relations)),
        )

    def _readers_around(self, process: int, inner: int, frame: int, known: set[int]) -> Iterator[Reader]:
        """Steps with their own maps whose frames contain a reader, each once."""
        steps = self.run.steps(process)
        while inner != frame:
            opener = steps.track.opener_of(inner)
            assert opener is not None
            if opener in known:
                return
            known.add(opener)
            around = self.run.bound_operation(process, opener)
            if not _passes_values(around.op.unpacked):
                yield opener, around
            inner = steps.track.frame_of(opener)

    def _bodies(self, process: int, step: int, bound: BoundOperation) -> Iterator[tuple[int, int]]:
        """Steps whose bodies the value may have gone into or come from."""
        steps = self.run.steps(process)
        if bound.op.traits.is_terminator:
            opener = steps.track.opener_of(steps.track.frame_of(step))
            if opener is not None and frames.runs_bodies(self.run, process, opener):
                yield process, opener
        elif isinstance(bound.op.unpacked, CollectiveOp):
            execution = execution_at(self.run.recording, process, step)
            for other, (there, _) in (execution.arrivals if execution else {}).items():
                if frames.runs_bodies(self.run, other, there):
                    yield other, there
        elif frames.runs_bodies(self.run, process, step):
            yield process, step

    def _candidates(self, process: int, step: int, bound: BoundOperation) -> Iterator[Address]:
        """Values that a reading step may have made."""
        op = bound.op.unpacked
        if bound.op.traits.is_terminator:
            yield from self._after_frame(process, step)
            return
        if _passes_values(op):
            opened = self.run.steps(process).opened_frames(step)
            for frame in opened[:2].tolist():
                yield from self._arguments(process, frame)
            if isinstance(op, While) and len(opened) > 2:
                return  # its results are those of its body
        if isinstance(op, RunParallel):
            for launch_group in self.run.recording.launch_groups:
                if launch_group.opener == (process, step):
                    for number in launch_group.numbers:
                        yield from self._arguments(number, 0)
        yield from self._results(process, step)
        if isinstance(op, CollectiveOp | PointToPoint):
            yield from self._results_of_others(process, step)

    def _after_frame(self, process: int, step: int) -> Iterator[Address]:
        """Values that receive the results of a frame."""
        steps = self.run.steps(process)
        frame = steps.track.frame_of(step)
        opener = steps.track.opener_of(frame)
        if opener is None:
            around = self.run.recording.launch_groups[steps.track.launch_group].opener
            if around is not None:
                yield from self._results(*around)
            return
        op: Op = self.run.bound_operation(process, opener).op.unpacked
        if isinstance(op, While):
            if self._is_condition(process, frame, opener):
                return  # `_condition_links` covers it
            opened = steps.opened_frames(opener)
            place = int(opened.searchsorted(frame))
            for following in opened[place + 1 : place + 3].tolist():
                yield from self._arguments(process, following)
            if place + 2 < len(opened):
                return  # the results are those of the last iteration
        elif frames.runs_bodies(self.run, process, opener):
            return  # the links of its bodies cover it
        yield from self._results(process, opener)
        if isinstance(op, CollectiveOp):
            yield from self._results_of_others(process, opener)

    def _is_condition(self, process: int, frame: int, opener: int) -> bool:
        bound = self.run.bound_operation(process, opener)
        block = int(self.run.steps(process).blocks[frame])
        return isinstance(bound.op.unpacked, While) and bound.regions[CONDITION] == block

    def _condition_links(self, address: Address, step: int) -> Iterator[Link]:
        """Links from a loop's condition to its results, without visiting all conditions for each."""
        process, steps = address.process, self.run.steps(address.process)
        frame = steps.track.frame_of(step)
        opener = steps.track.opener_of(frame)
        if opener is None or not self._is_condition(process, frame, opener):
            return
        words = f"decides whether iteration {int(steps.iterations[frame])} runs"
        for target in self._results(process, opener):
            if self.run.is_made(target) and self.run.is_tensor(target):
                whole = Whole(self.run.shape(address), self.run.shape(target))
                yield Link(address, target, Kind.CHOSEN, whole, None, words)

    def _arguments(self, process: int, frame: int) -> Iterator[Address]:
        for index, value in enumerate(self.run.steps(process).block_of(frame).arguments):
            for path in self.run.leaves_of(value):
                yield Address(process, "f", frame, index, path)

    def _results(self, process: int, step: int) -> Iterator[Address]:
        for index, path in self.run.result_leaves(self.run.bound_operation(process, step)):
            yield Address(process, "s", step, index, path)

    def _results_of_others(self, process: int, step: int) -> Iterator[Address]:
        execution = execution_at(self.run.recording, process, step)
        for other, there, _ in execution.visits if execution else ():
            if (other, there) != (process, step):
                yield from self._results(other, there)


def _passes_values(op: Op) -> bool:
    """Whether the arguments of its frames are parts of its operands."""
    return op.explanation.passes_values or isinstance(op, Partitioned)


def _is_fixed(relation: Relation) -> bool:
    """Whether no values of the run decide which elements are related."""
    if isinstance(relation, Mapped):
        return not any(each.runtimes for each in relation.ways.inverse)
    return isinstance(relation, Same | Whole)
