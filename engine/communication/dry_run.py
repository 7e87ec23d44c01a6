"""A run of a program's collectives alone: values are unknown, except small ones that the text determines.

The processes of the grid execute every op that communicates, and match each other as in a real run
(`process_grid`). Other ops give unknown values without being evaluated. A branch on an unknown value takes the
branch that communicates most, in every process; a loop with an unknown condition runs its body once more.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from ..errors import ProgramError
from ..events import Listener
from ..frames import Frame, Pending
from ..interpreter import Interpreter
from ..ir.types import TupleType, Type
from ..limits import Limits
from ..ops.collectives.collective_rules import CollectiveOp, blank_value
from ..ops.collectives.point_to_point import PointToPoint
from ..ops.control_flow.control_flow import Branching, Loop
from ..ops.core.exchanges import ExecuteCollective, GridPosition, PeerValues, Piece
from ..ops.core.op import Array, Ask, AskingOp, Note, RunRegion
from ..ops.core.process_groups import Grid, ProcessId
from ..ops.core.values import is_tuple, tuple_of
from ..ops.custom_calls import CustomCall
from ..ops.sharded_parts.manual_parts import ManualParts
from ..ops.sharded_parts.part_maps import CUT_NAMES
from ..ops.sharding.manual_computation import ManualComputation
from ..process_grid.grid_events import GridListener
from ..process_grid.grid_run import GridRun
from ..process_grid.launch import Launch
from ..process_grid.rendezvous import Coordinator
from ..program import BoundFunction, BoundOperation
from ..run_errors import attribute_error
from ..sharded_runs.sharded_inputs import Boundary
from ..sharded_runs.shown_shardings import ShownSharding
from ..shared_results import SharedResults
from .dry_values import PROCESS_ID, Arrays, DryValues, choice
from .program_facts import Communication

_MAX_ITERATIONS = 16
"""Maximum iterations of a loop with a known condition; then its values become unknown."""
_MAX_BYTES, _MAX_FLOPS = 65_536, 1_000_000
"""Maximum size and cost of an op that is evaluated; larger results are unknown."""
_MAX_MEMBERS = 32
"""Maximum size of a group whose members' results are distinguished; in a larger group they count as equal."""


@dataclass(frozen=True)
class Decision:
    """The knowledge of a process when it chose a branch, or whether a loop continues."""

    label: Hashable
    is_known: bool


@dataclass
class DryState:
    """The shared state of all processes of a dry run."""

    communication: Communication
    returned_values: frozenset[int]
    """The values of the program to remember in each process."""
    values: DryValues = field(default_factory=DryValues)
    decisions: dict[int, dict[ProcessId, list[Decision]]] = field(default_factory=dict)
    """The decisions of each branch and loop, by op and process."""
    returned: dict[int, dict[ProcessId, Array]] = field(default_factory=dict)
    computed: dict[Hashable, Arrays] = field(default_factory=dict)
    """Results of ops that do not communicate, by op and labels of what they read."""
    overlaps: dict[int, str] = field(default_factory=dict)
    """Ops with slices of two processes that are written over each other, and which these are."""

    @property
    def all_decisions_known(self) -> bool:
        """Whether the text determines every branch and the end of every loop."""
        made = (decision for found in self.decisions.values() for each in found.values() for decision in each)
        return all(decision.is_known for decision in made)

    def note_decision(self, bound: BoundOperation, place: GridPosition, value: Array) -> bool:
        """Remember a decision; returns whether the value is known."""
        known = self.values.are_known((value,))
        found = self.decisions.setdefault(bound.id, {}).setdefault(place.process, [])
        found.append(Decision(self.values.label(value), known))
        return known

    def collective_outputs(self, bound: BoundOperation, peer_values: PeerValues, blanks: Arrays) -> Arrays:
        """The outputs of a collective op, like `blanks`, identified by the pieces of its peers' values."""
        op = bound.op
        assert isinstance(op, CollectiveOp)
        brought = peer_values.brought
        deciding = [given[number] for given in brought for number in op.deciding_operands]
        is_known = self.values.are_known(deciding)
        if len(brought) > _MAX_MEMBERS or not is_known:
            given = [value for values in brought for value in values]
            roots = peer_values.once("roots", lambda: self.values.roots(given))
            labels = peer_values.once("labels", lambda: self.values.labels(given))
            key = (bound.id, labels, None if is_known else peer_values.position)
            return tuple(self.values.unknown((key, k), blank, roots) for k, blank in enumerate(blanks))
        parts: dict[int, list[Hashable]] = {}
        sources: dict[int, list[Array]] = {}
        pieces = list(op.pieces(peer_values))
        if deciding:
            self._note_overlap(bound, pieces)
        for piece in pieces:
            value = brought[piece.source][piece.operand]
            part = (self.values.label(value), piece.read, piece.written, piece.combined)
            parts.setdefault(piece.result, []).append(part)
            sources.setdefault(piece.result, []).append(value)
        count = 0

        def output(blank: Array) -> Array:
            nonlocal count
            if is_tuple(blank):
                return tuple_of([output(item) for item in blank])
            number, count = count, count + 1
            made = sources.get(number, [])
            if len(made) == 1 and made[0].shape == blank.shape and made[0].dtype == blank.dtype:
                return made[0]
            key = ("collective", bound.id, number, tuple(parts.get(number, ())))
            return self.values.unknown(key, blank, self.values.roots(made))

        return tuple(map(output, blanks))

    def _note_overlap(self, bound: BoundOperation, pieces: Sequence[Piece]) -> None:
        slices = sorted(
            (piece.written.start[0], piece.written.sizes[0], piece.source)
            for piece in pieces
            if not piece.operand
        )
        for (start, size, one), (following, more, other) in pairwise(slice for slice in slices if slice[1]):
            if following < start + size and more:
                self.overlaps[bound.id] = (
                    f"processes {one} and {other} of the group both write row {following} of output"
                )
                return


class DryInterpreter(Interpreter):
    """Interpreter of one process that evaluates only what is known."""

    dry: DryState

    def _specialise(self, bound: BoundOperation, operands: tuple[Array, ...]) -> BoundOperation:
        return bound

    def _evaluate_shared(
        self, shared: SharedResults, bound: BoundOperation, operands: tuple[Array, ...]
    ) -> Ask | tuple[Array, ...]:
        op, dry = bound.op, self.dry
        if bound.id in dry.communication.communicating:
            return self._communicate(bound, operands)
        if op.traits.returns_process_id and isinstance(op, AskingOp):
            return op.begin(operands)
        reads = (*operands, *map(self.frames[-1].values.__getitem__, dry.communication.captured(bound)))
        known = dry.values.are_known(reads) and not bound.special
        if known and isinstance(op, AskingOp) and op.explanation.passes_values and not op.outside:
            return op.begin(operands)
        types = bound.operation.function_type.results
        if isinstance(op, CustomCall) and isinstance(op.shares, ManualParts):
            return self._parts_of_call(bound, op.shares, operands, types)
        key = (bound.id, dry.values.labels(reads))
        if key not in dry.computed:
            roots = dry.values.roots(reads)
            found = None if not known or isinstance(op, AskingOp) else _evaluated(bound, operands)
            dry.computed[key] = (
                dry.values.known(found, roots)
                if found
                else tuple(dry.values.unknown((key, k), type, roots) for k, type in enumerate(types))
            )
        return dry.computed[key]

    def _communicate(self, bound: BoundOperation, operands: Arrays) -> Ask | Arrays:
        op, dry = bound.op, self.dry
        assert isinstance(op, AskingOp)
        if isinstance(op.unpacked, Branching) and not dry.note_decision(bound, self.place, operands[0]):
            sizes = [len(dry.communication.exchanges_in(block)) for block in bound.regions]
            operands = (choice(operands[0], sizes.index(max(sizes))), *operands[1:])
        if isinstance(op.unpacked, PointToPoint) and self._is_outside(op.unpacked):
            return tuple(
                dry.values.unknown(
                    (bound.id, self.place, self.step_count, k), value.type, frozenset({PROCESS_ID})
                )
                for k, value in enumerate(bound.operation.results)
            )
        return op.begin(operands)

    def _is_outside(self, op: PointToPoint) -> bool:
        """Whether the other end is the host or a queue, whose items nobody has put in."""
        route = op.route(self.place)
        return route is not None and route.kind != "channel"

    def _answer_note(
        self, bound: BoundOperation, step: int, state: Any, note: Note, listener: Listener
    ) -> Ask | tuple[Array, ...]:
        answer = super()._answer_note(bound, step, state, note, listener)
        if not isinstance(answer, Ask) and bound.op.traits.returns_process_id:
            return self.dry.values.known(answer, frozenset({PROCESS_ID}))
        if (
            isinstance(answer, Ask)
            and isinstance(bound.op, ManualComputation)
            and isinstance(answer.request, RunRegion)
        ):
            arguments = tuple(
                self._part(bound, bound.op.parts, number, state[number], part)
                for number, part in enumerate(answer.request.arguments)
            )
            return replace(answer, request=replace(answer.request, arguments=arguments))
        return answer

    def _parts_of_call(
        self, bound: BoundOperation, shares: ManualParts, operands: Arrays, types: Sequence[Type]
    ) -> Arrays:
        packed = types[0] if len(types) == 1 and isinstance(types[0], TupleType) else None
        elements = packed.types if packed else types
        cut = [self._part(bound, shares, k, operands[k], type) for k, type in enumerate(elements)]
        return (tuple_of(cut),) if packed else tuple(cut)

    def _part(
        self, bound: BoundOperation, parts: ManualParts, number: int, whole: Array, like: Array | Type
    ) -> Array:
        """The part of an operand that a process takes: processes with the same piece hold the same array."""
        starts = parts.cut_values(self.place)[number * len(CUT_NAMES) : (number + 1) * len(CUT_NAMES)]
        tile = tuple(start.tobytes() for start in starts)
        root = (bound.operation.operands[number].name, tile)
        return self.dry.values.unknown((self.dry.values.label(whole), tile), like, frozenset({root}))

    def _resume_pending(self, pending: Pending, answer: Any) -> Ask | tuple[Array, ...]:
        bound, request = pending.bound, pending.request
        starts = isinstance(request, ExecuteCollective) and bool(request.placeholders)
        if isinstance(answer, PeerValues) and not starts:
            try:
                return self.dry.collective_outputs(bound, answer, _blanks(bound))
            except ProgramError as error:
                raise attribute_error(error, bound) from None
        return super()._resume_pending(pending, answer)

    def _resume(self, frame: Frame, answer: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        bound, state = frame.opener, frame.state
        if bound is None or not isinstance(state, Loop) or not state.testing:
            return super()._resume(frame, answer)
        known = self.dry.values.are_known(answer)
        communicates = bound.id in self.dry.communication.communicating
        if communicates:
            self.dry.note_decision(bound, self.place, answer[0])
        if known and (not communicates or state.iteration < _MAX_ITERATIONS):
            return super()._resume(frame, answer)
        # Run the body of a loop that communicates once more, on unknown values.
        is_last = not communicates or state.iteration > _MAX_ITERATIONS
        is_widened = communicates and is_last
        values = state.values if is_widened else tuple(map(self._widened(bound), state.values))
        following = Loop(values, max(state.iteration, _MAX_ITERATIONS), testing=True)
        assert isinstance(bound.op, AskingOp)
        return bound.op.resume(following, (choice(answer[0], 1 if is_last else 0),))

    def _widened(self, bound: BoundOperation) -> Any:
        """Makes the values of a loop unknown, since later iterations change them."""
        values = self.dry.values

        def widen(value: Array) -> Array:
            if is_tuple(value):
                return tuple_of(list(map(widen, value)))
            roots = values.roots((value,))
            return values.unknown(("loop", bound.id, values.label(value)), value, roots)

        return widen

    def _return(self, answer: tuple[Array, ...], listener: Listener) -> None:
        returned = self.frames[-1].block.operations[-1].operands
        for number, value in zip(returned, answer, strict=True):
            if number in self.dry.returned_values:
                self.dry.returned.setdefault(number, {}).setdefault(self.place.process, value)
        super()._return(answer, listener)


class _DryCoordinator(Coordinator):
    dry: DryState

    def _outputs(self, bound: BoundOperation, peer_values: PeerValues) -> Arrays:
        assert isinstance(bound.op, CollectiveOp)
        return self.dry.collective_outputs(bound, peer_values, bound.op.placeholders())


class DryRun(GridRun):
    """A run of a function's collectives on a grid."""

    def __init__(
        self,
        communication: Communication,
        function: BoundFunction,
        grid: Grid,
        returned: frozenset[int],
        limits: Limits,
    ) -> None:
        self.dry = DryState(communication, returned)
        program, most = communication.program, 1 << 62
        boundary = Boundary(program, function, grid)
        launch = Launch(grid, tuple(_arguments(self.dry.values, boundary)))
        unlimited = replace(limits, op_flops=most, max_tensor_bytes=most, session_memory_bytes=most)
        super().__init__(program, launch, GridListener(), unlimited, function.function.name)

    def _make_interpreter(
        self, number: int, place: GridPosition, entry: str | None, inputs: Arrays
    ) -> Interpreter:
        found = DryInterpreter(
            self.program, inputs, self.limits, entry, place=place, caches=self._caches, shared=SharedResults()
        )
        found.dry = self.dry
        return found

    def _make_coordinator(self, listener: GridListener) -> Coordinator:
        found = _DryCoordinator(self._names, listener, self._weak_release())
        found.dry = self.dry
        return found


def _evaluated(bound: BoundOperation, operands: Arrays) -> Arrays | None:
    """The results of an op on known values; `None` if they are large, or if a run would stop there."""
    if bound.bytes > _MAX_BYTES or bound.cost.flops > _MAX_FLOPS:
        return None
    try:
        found = bound.op.evaluate(*operands)
    except ProgramError:
        return None
    return found if isinstance(found, tuple) else (found,)


def _blanks(bound: BoundOperation) -> Arrays:
    return tuple(map(blank_value, bound.operation.function_type.results))


def _arguments(values: DryValues, boundary: Boundary) -> Sequence[Arrays]:
    """Unknown arguments of each process: one array for all processes that get the same piece."""
    grid, arguments = boundary.grid, boundary.function.function.arguments
    given: list[list[Array]] = [[] for _ in range(grid.num_processes)]
    for number, argument in enumerate(arguments):
        tilings = boundary.argument(number)
        copies = ShownSharding(tilings, True).copies(grid) if tilings and len(tilings) == 1 else ()
        for process, arrays in enumerate(given):
            holders = next((group for group in copies if process in group), (process,))
            root = (argument.name, holders if boundary.is_partitioned else None)
            arrays.append(values.unknown(root, argument.type, frozenset({root})))
    return [tuple(arrays) for arrays in given]
