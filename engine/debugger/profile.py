"""The profile of a recorded run: time, bytes, floating-point operations and live memory of each op, and of groups of ops.

Times are measured, all else follows from types. An op whose body a compiler makes one kernel, such as a fusion or a reduce, is
one op: the steps of its body are its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..chains.bodies import has_bodies
from ..entry import find_entry
from ..ir.locations import NameLocation
from ..ir.types import TensorType, Type, leaf_types
from ..live_memory.blocks import byte_size
from ..live_memory.profile import memory_of
from ..ops import category_of
from ..program import BoundOperation, BoundProgram
from .recording import Recording
from .track import NONE, Track

By = Literal["op", "kind", "function", "scope"]
GROUPINGS: tuple[By, ...] = get_args(By)
_COMPUTES = ("collective", "contraction", "elementwise", "reduction")
"""Categories of ops whose operations on elements are counted."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ProfileRow:
    """An op, or a group of ops; `read` and `written` are bytes of operands and results, each in full."""

    title: str
    ops: tuple[int, ...]
    count: int
    """The number of executions."""
    seconds: float
    total: float
    """Seconds with what the ops run: loops, branches and functions."""
    read: int
    written: int
    flops: int
    """Floating-point operations, at most."""
    live: int
    """Most bytes that are live during an op, in one process, from the text alone."""

    @property
    def intensity(self) -> float | None:
        """Floating-point operations per byte; `None` without either."""
        moved = self.read + self.written
        return self.flops / moved if moved and self.flops else None


class RunProfile:
    """The profile of some processes of a recording as far as it is recorded, by default of all."""

    def __init__(self, recording: Recording, processes: Sequence[int] | None = None) -> None:
        self.recording, self.program = recording, recording.program
        self._tracks = [recording.tracks[each] for each in processes or range(len(recording.tracks))]
        facts = OpFacts(recording)
        self._sums = np.zeros((4, len(self.program.ops)))
        for track in self._tracks:
            self._sums += _sums_of(track, facts)
        self._facts = facts

    @cached_property
    def rows(self) -> tuple[ProfileRow, ...]:
        """A row for each op that was executed, in the order of the text."""
        count, finished, seconds, flops = self._sums
        total = self._totals(np.arange(len(self.program.ops)))
        return tuple(
            ProfileRow(
                op_title(self.program, int(op)),
                (int(op),),
                int(count[op]),
                float(seconds[op]),
                float(total[op]),
                int(count[op]) * self._facts.read[op],
                int(finished[op]) * self._facts.written[op],
                int(flops[op]),
                self._live.get(int(op), 0),
            )
            for op in np.flatnonzero(count)
        )

    @cached_property
    def total(self) -> ProfileRow:
        """The sum of all rows."""
        return _sum_rows("total", self.rows, sum(row.seconds for row in self.rows))

    def grouped(self, by: By) -> tuple[ProfileRow, ...]:
        """The rows of the groups, those with the most time first."""
        found = self.rows
        if by != "op":
            groups: dict[str, list[ProfileRow]] = {}
            for row in self.rows:
                groups.setdefault(self.group_of(row.ops[0], by), []).append(row)
            totals = self.group_totals(by)
            found = tuple(_sum_rows(title, rows, totals[title]) for title, rows in groups.items())
        return tuple(sorted(found, key=lambda row: -row.seconds))

    def group_totals(self, by: By) -> Mapping[str, float]:
        """The seconds of each group with what its ops run; a step counts once for a group, however deep it is in it."""
        numbers: dict[str, int] = {}
        groups = [
            numbers.setdefault(self.group_of(op, by), len(numbers)) for op in range(len(self.program.ops))
        ]
        return dict(zip(numbers, self._totals(np.array(groups)).tolist(), strict=True))

    def _totals(self, groups: NDArray[np.intp]) -> Floats:
        """The same by number, for the group of each op."""
        return sum((_totals_of(track, groups) for track in self._tracks), np.zeros(int(groups.max()) + 1))

    def group_of(self, op: int, by: By) -> str:
        """The title of an op's group; empty for an op without a scope."""
        bound = self.program.ops[op]
        if by == "kind":
            return kind_of(bound)
        if by == "function":
            return self.program.blocks[bound.block].function
        return self._scopes[op] if by == "scope" else op_title(self.program, op)

    @cached_property
    def _scopes(self) -> Sequence[str]:
        return self.program.derive(scopes_of)

    @cached_property
    def _live(self) -> dict[int, int]:
        return dict(memory_of(self.program, find_entry(self.program, self.recording.entry)).bytes_at)


def _sum_rows(title: str, rows: Sequence[ProfileRow], total: float) -> ProfileRow:
    return ProfileRow(
        title,
        tuple(op for row in rows for op in row.ops),
        sum(row.count for row in rows),
        sum(row.seconds for row in rows),
        total,
        sum(row.read for row in rows),
        sum(row.written for row in rows),
        sum(row.flops for row in rows),
        max((row.live for row in rows), default=0),
    )


def op_title(program: BoundProgram, op: int) -> str:
    """`tanh %4`: the kind of an op, and its first result."""
    bound = program.ops[op]
    first = program.values[bound.results[0]].name if bound.results else ""
    return f"{kind_of(bound)} {first}".rstrip()


def kind_of(bound: BoundOperation) -> str:
    """The op as the text spells it, without its dialect where that is obvious."""
    name = bound.operation.opcode or bound.operation.name
    dialect, _, rest = name.partition(".")
    return rest if dialect in ("stablehlo", "func", "hlo") and rest else name


def scopes_of(program: BoundProgram) -> Sequence[str]:
    """The framework's scope of each op, `jit(f)/attention`; the op that ends a block has that of the op before it."""
    found = [_scope_of(bound) for bound in program.ops]
    for block in program.blocks:
        for before, last in zip(block.operations[-2:], block.operations[-1:], strict=False):
            found[last.id] = found[last.id] or found[before.id]
    return found


def _scope_of(bound: BoundOperation) -> str:
    location = bound.operation.location
    return "/".join(scope_parts(location.name)[:-1]) if isinstance(location, NameLocation) else ""


def scope_parts(name: str) -> list[str]:
    """The parts of a framework name; slashes in parentheses do not separate."""
    parts, depth = [""], 0
    for character in name:
        depth += (character == "(") - (character == ")")
        if character == "/" and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


class OpFacts:
    """What the types of each op state of one execution."""

    def __init__(self, recording: Recording) -> None:
        program = recording.program
        bound = [recording.static_form(op.id) for op in program.ops]
        self.read = [_read_bytes(each) for each in bound]
        self.written = [_written_bytes(each) for each in bound]
        self.flops = np.array([float_operations(each) for each in bound], np.float64)
        self.is_kernel = np.array([op.op.unpacked.storage.is_kernel for op in program.ops], np.bool_)
        self.absorbs = np.array([not has_bodies(op) for op in program.ops], np.bool_) | self.is_kernel
        """Whether the frames that an op opens are part of it."""


def _read_bytes(bound: BoundOperation) -> int:
    """The bytes of the operands, each in full; 0 for an op that moves nothing itself."""
    gives = bound.op.traits.is_terminator or any(map(_bytes_of, bound.op.known_results))
    is_idle = gives and not bound.op.unpacked.storage.is_kernel and _written_bytes(bound) == 0
    skips = bound.op.unpacked.traits.reads_sizes_alone or bound.op.traits.is_constant
    return 0 if is_idle or skips else sum(map(_bytes_of, bound.op.operand_types))


def _written_bytes(bound: BoundOperation) -> int:
    """The bytes of the results; 0 for constants, and for ops that move nothing themselves."""
    if bound.op.unpacked.storage.is_copy:  # copy-start gives the original too
        return sum(map(_bytes_of, bound.op.operand_types))
    if bound.op.unpacked.storage.is_kernel:
        return sum(map(_bytes_of, bound.op.known_results))
    return 0 if bound.op.traits.is_constant else bound.cost.result_bytes


def _bytes_of(found: Type) -> int:
    return sum(map(byte_size, leaf_types(found)))


def float_operations(bound: BoundOperation) -> int:
    """The floating-point operations of one execution, at most: none without floats, and none of ops that move elements."""
    op = bound.op.unpacked
    if category_of(type(op)) not in _COMPUTES or op.traits.is_constant:
        return 0
    types = (*bound.op.operand_types, *bound.op.known_results)
    leaves = (leaf for found in types for leaf in leaf_types(found))
    return bound.cost.flops if any(map(_is_float, leaves)) else 0


def _is_float(found: Type) -> bool:
    return isinstance(found, TensorType) and (found.element_type.is_float or found.element_type.is_complex)


def _sums_of(track: Track, facts: OpFacts) -> Floats:
    """Executions, finished ones, seconds and floating-point operations of each op in one process."""
    ops, finished, most = track.op_column, track.finished_column, len(facts.flops)
    owner, counts = owners(track, facts.absorbs, facts.is_kernel)
    own = ops[owner]
    is_own = owner == np.arange(len(ops))
    return np.stack(
        [
            np.bincount(ops[is_own], minlength=most).astype(np.float64),
            np.bincount(ops[is_own & finished], minlength=most),
            np.bincount(own, weights=track.step_seconds, minlength=most),
            np.bincount(own, weights=facts.flops[ops] * counts * finished, minlength=most),
        ]
    )


def _totals_of(track: Track, groups: NDArray[np.intp]) -> Floats:
    """Seconds of the steps of each group and of the steps inside them, in one process."""
    ops, frames, opener = track.op_column, track.frame_column, track.frame_opener
    steps, seconds = np.arange(len(ops)), track.step_seconds
    around, found = steps, np.zeros(int(groups.max()) + 1)
    seen: list[NDArray[np.intp]] = []
    while len(steps):
        own = groups[ops[around]]
        is_new = (
            np.logical_and.reduce([own != other for other in seen]) if seen else np.ones(len(own), np.bool_)
        )
        found += np.bincount(own[is_new], weights=seconds[steps[is_new]], minlength=len(found))
        openers = opener[frames[around]]
        inside = openers != NONE
        steps, around = steps[inside], openers[inside].astype(np.intp)
        seen = [other[inside] for other in (*seen, own)]
    return found


def owners(
    track: Track, absorbs: NDArray[np.bool_], is_kernel: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The step of which each step is a part, and whether its operations are not yet counted by a step around it."""
    ops, frames = track.op_column, track.frame_column
    opener = track.frame_opener
    owner, counts = np.arange(len(ops)), np.ones(len(ops), np.bool_)
    by = np.zeros(len(opener), np.bool_)
    is_opened = opener != NONE
    by[is_opened] = absorbs[ops[opener[is_opened]]]
    while (inside := by[frames[owner]]).any():
        around = opener[frames[owner[inside]]].astype(np.intp)
        counts[inside] &= is_kernel[ops[around]]
        owner[inside] = around
    return owner, counts


def shares_times(track: Track) -> bool:
    """Whether steps of a scalar loop ran together, so that only their common time is known."""
    return bool(track.loops_at_once.loops)
