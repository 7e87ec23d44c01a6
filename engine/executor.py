"""Ops that another engine computes: the maximal runs of them in a block, which it gets as a whole.

The interpreter asks an executor for the results of a segment when it comes to its first op, keeps them with the frame,
and hands them out op by op. So steps, frames and limits are those of any run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from .ir.element_types import QuantizedType
from .ir.types import TensorType, Type, has_static_leaves, leaf_types
from .limits import Limits
from .ops.core.exchanges import GridPosition
from .ops.core.op import Array, AskingOp
from .ops.core.quiet import Signals
from .program import BoundBlock, BoundOperation, BoundProgram
from .remote_values import SMALL_BYTES

MOST_OPERATIONS = 256
"""Maximum operations of a segment that the executor computes."""
MOST_BYTES = 1 << 28
"""Maximum bytes of a segment's results, unless it is a single operation."""
SIGNALS = Signals.DIVIDED_BY_ZERO | Signals.OVERFLOW | Signals.UNDERFLOW | Signals.INVALID | Signals.MOVED
"""Flags of an executor's op: it reports none, and the rules of findings decide by the values."""
CUSTOM_CALL = "stablehlo.custom_call"
_CALLBACK = "callback"
"""A word in the names of targets that call into the process of the program, which is not XLA's."""
_VIEWS = ("stablehlo.transpose", "stablehlo.reshape", "stablehlo.broadcast_in_dim", "stablehlo.slice")
"""Operations whose results are views of their operands in NumPy."""
_DIALECTS = ("stablehlo.", "chlo.", "hlo.")
Results = Mapping[int, tuple[Array, ...]]
"""Results by the number of their operation."""


@dataclass(frozen=True)
class Segment:
    """Consecutive operations of a block that an executor computes."""

    program: BoundProgram
    operations: tuple[BoundOperation, ...]
    """In order, with the exact ones among them that the executed ones read."""
    executed: tuple[BoundOperation, ...]
    """The operations whose results the executor returns."""

    @cached_property
    def reads(self) -> tuple[int, ...]:
        """The values from outside of the segment that it reads, in order of first use."""
        made = set[int]()
        found: dict[int, None] = {}
        for bound in self.operations:
            inner = _inner_blocks(self.program, bound)
            for block in inner:
                made.update(block.arguments)
                made.update(number for each in block.operations for number in each.results)
            found |= dict.fromkeys(number for number in self.program.values_read(bound) if number not in made)
            made.update(bound.results)
        return tuple(found)

    def first(self, count: int) -> Segment:
        """The segment of the first `count` executed operations."""
        return _segment(self.program, self.operations, self.executed[:count])

    def after(self, op: int) -> Segment:
        """The segment from the executed operation `op` on."""
        start = next(number for number, bound in enumerate(self.executed) if bound.id == op)
        left = {bound.id for bound in self.executed[:start]}
        rest = [bound for bound in self.operations if bound.id not in left]
        return _segment(self.program, rest, self.executed[start:])


def _inner_blocks(program: BoundProgram, bound: BoundOperation) -> Iterator[BoundBlock]:
    """The blocks of an operation's regions, without bodies of functions."""
    waiting = [program.blocks[number] for number in bound.regions]
    while waiting:
        block = waiting.pop()
        if block.opener is not None:
            yield block
            waiting += [program.blocks[number] for each in block.operations for number in each.regions]


def _segment(
    program: BoundProgram, operations: Sequence[BoundOperation], executed: Sequence[BoundOperation]
) -> Segment:
    """The segment of some operations, without exact ones that the executed ones do not need."""
    wanted = {bound.id for bound in executed}
    constants = {number for bound in operations if bound.op.traits.is_constant for number in bound.results}
    places, released = program.positions, program.derive(_released)
    begin = places[executed[0].id]
    read: set[int] = set()
    needed = []
    for bound in reversed(operations):
        is_early = places[bound.id] < begin
        left = (released.get(number, begin) < begin and number not in constants for number in bound.operands)
        is_left = is_early and any(left)
        if bound.id in wanted or not (is_left or read.isdisjoint(bound.results)):
            needed.append(bound)
            read.update(program.values_read(bound))
    return Segment(program, tuple(reversed(needed)), tuple(executed))


def _released(program: BoundProgram) -> dict[int, int]:
    """The position of the operation after which a frame has a value no longer."""
    return {
        number: place
        for block in program.blocks
        for place, numbers in enumerate(block.releases)
        for number in numbers
    }


class Executor(Protocol):
    """Computes segments in place of the engine, in the same way whenever a step is repeated."""

    is_strict: bool
    """Whether it computes each operation alone, and each kernel as a whole, whose body the engine runs to explain it."""
    is_stored: bool
    """Whether it returns results that were stored, and computes none."""

    @property
    def computed_by(self) -> str:
        """The engine and its devices: `XLA of jaxlib 0.10.2 on cpu`."""

    def execute(
        self, segment: Segment, values: Mapping[int, Array], place: GridPosition, step: int
    ) -> Results:
        """The results of the segment's first operations; empty if the engine computes the first one.

        `step` is that of the first operation. Raises `ProgramError`.
        """


class Segments:
    """The segments of a program."""

    def __init__(
        self, program: BoundProgram, limits: Limits, given: Collection[int] = (), *, is_strict: bool = False
    ) -> None:
        """`given`: the operations to whose results values are bound; `is_strict`: see `Executor`."""
        self._program, self._limits, self._given = program, limits, frozenset(given)
        self._is_strict = is_strict
        self.kernels = {
            bound.id: Segment(program, (bound,), (bound,))
            for bound in program.ops
            if is_strict and bound.op.traits.is_kernel and _is_of_tensors(bound)
        }
        """Each kernel that the executor computes as a whole, by operation."""
        self._by_op: dict[int, Segment] = {}
        self._from: dict[int, Segment] = {}
        for block in program.blocks:
            for segment in self._segments_of(block):
                self._by_op |= {bound.id: segment for bound in segment.executed}

    def __contains__(self, op: int) -> bool:
        return op in self._by_op

    def beginning_at(self, op: int) -> Segment:
        """The rest of an operation's segment, from the operation on."""
        found = self._from.get(op)
        if found is None:
            found = self._from[op] = self._by_op[op].after(op)
        return found

    def _segments_of(self, block: BoundBlock) -> Iterator[Segment]:
        operations: list[BoundOperation] = []
        executed: list[BoundOperation] = []
        size = 0
        moved: list[BoundOperation] = []
        local = set(block.arguments if self._is_entry(block) else ())
        for bound in (*block.operations, None):
            if bound is not None and self._is_moved(bound, local):
                local.update(bound.results)
                moved.append(bound)
                operations.append(bound)
                continue
            is_executed = bound is not None and self._is_executable(bound)
            added = bound.cost.result_bytes if bound is not None and is_executed else 0
            is_full = len(executed) == MOST_OPERATIONS or size + added > MOST_BYTES
            is_apart = bool(executed) and (self._is_apart(executed[-1]) or self._is_apart(bound))
            cuts = bound is None or not (is_executed or is_exact(bound, self._program.module.language))
            if executed and (cuts or (is_executed and (is_full or is_apart))):
                if returned := self._returned(executed):
                    yield _segment(self._program, operations, returned)
                operations, executed, size = [*moved], [], 0
            if cuts:
                operations = [*moved]
            elif bound is not None:
                operations.append(bound)
                executed += [bound] if is_executed else []
                size += added

    def _is_entry(self, block: BoundBlock) -> bool:
        """Whether our process has the elements of the block's arguments: they are the program's."""
        entry = self._program.entry
        return not self._is_strict and entry is not None and self._program.blocks[entry.block] is block

    def _is_moved(self, bound: BoundOperation, local: Collection[int]) -> bool:
        """Whether the operation only shows elements of our process in other places, mostly without a copy.

        A segment that reads them repeats the operation, so that XLA fuses it and they are not sent.
        """
        is_view = bound.operation.name in _VIEWS and not bound.special and not bound.dynamic
        return is_view and bound.id not in self._given and all(number in local for number in bound.operands)

    def _returned(self, executed: Sequence[BoundOperation]) -> list[BoundOperation]:
        """The operations of a segment without views of constants and of small values that only the segment reads.

        Our process has these values, and shows them without a copy where XLA would write all elements.
        """
        if self._is_strict:
            return [*executed]
        program = self._program
        last, released = program.positions[executed[-1].id], program.derive(_released)
        shown, found = set[int](), list[BoundOperation]()
        for bound in executed:
            is_read_here = all(released.get(number, last + 1) <= last for number in bound.results)
            is_small = all(self._is_small(number, shown, is_first=not found) for number in bound.operands)
            if bound.operation.name in _VIEWS and is_read_here and is_small:
                shown.update(bound.results)
            else:
                found.append(bound)
        return found

    def _is_small(self, number: int, shown: Collection[int], *, is_first: bool) -> bool:
        """Whether our process has the value of an operation in any case.

        `is_first`: whether the segment begins after the operation that views it, so that the frame may have it no longer.
        """
        maker = self._program.makers[number].op
        bound = None if maker is None else self._program.ops[maker]
        if bound is None or bound.op.traits.is_constant or is_first:
            return bound is not None and bound.op.traits.is_constant
        return number in shown or bound.cost.result_bytes < SMALL_BYTES

    def _is_executable(self, bound: BoundOperation) -> bool:
        return bound.id not in self._given and is_executable(bound, self._limits)

    def _is_apart(self, bound: BoundOperation | None) -> bool:
        """Whether an operation is compiled alone, such as a call of external code, which may crash."""
        return self._is_strict or (bound is not None and bound.operation.name == CUSTOM_CALL)


def is_executable(bound: BoundOperation, limits: Limits) -> bool:
    """Whether an executor may compute the operation: a function of its operands, of sizes that the text states."""
    op = bound.op.unpacked
    asks = isinstance(op, AskingOp) and not op.traits.computes_alone
    states = bound.special or bound.light or op.traits.is_constant or op.traits.is_random
    if asks or states or not bound.results or op.callees() or _CALLBACK in (op.outside or ""):
        return False
    is_known = bound.operation.name.startswith(_DIALECTS) and bound.bytes <= limits.max_tensor_bytes
    return is_known and _is_of_tensors(bound) and not is_exact(bound)


def _is_of_tensors(bound: BoundOperation) -> bool:
    """Whether it takes tensors and returns tensors: tuples may hold results of other processes that have not arrived."""
    types = bound.operation.function_type
    takes_tensors = all(isinstance(found, TensorType) for found in types.inputs)
    return takes_tensors and all(map(_is_tensors, (*types.inputs, *types.results)))


def is_exact(bound: BoundOperation, language: str = "stablehlo") -> bool:
    """Whether all engines have the same results: constants, parts of tuples of HLO text, and integer scalars.

    The engine computes it, also inside of a segment.
    """
    op = bound.op
    if bound.special or op.outside is not None:
        return False
    if op.traits.is_constant or (bound.light and language == "hlo"):
        return True
    types = bound.operation.function_type
    return op.traits.is_elementwise and all(map(_is_whole_number, (*types.inputs, *types.results)))


def _is_tensors(found: Type) -> bool:
    """Whether a type is of tensors alone that XLA has too."""
    leaves = list(leaf_types(found))
    return has_static_leaves(found) and all(
        isinstance(leaf, TensorType) and not isinstance(leaf.element_type, QuantizedType) for leaf in leaves
    )


def _is_whole_number(found: Type) -> bool:
    if not isinstance(found, TensorType) or found.shape:
        return False
    return found.element_type.is_integer or found.element_type.kind == "boolean"
