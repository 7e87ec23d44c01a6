"""Cached queries on a recorded run: addresses, types, shapes and ops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...indexing.elements.boxes import Shape
from ...ir.types import TensorType, Type, leaf_paths, type_at
from ...ops.core.op import Array, Op
from ...ops.core.scalars import as_tensor
from ...program import BoundBlock, BoundOperation, BoundProgram
from ..address import Address
from ..map_operands import awaited_at, op_at, operands_at
from ..origins import address_of, step_in
from ..recording import Recording
from ..track import Track
from .relations import LastImage

Numbers = NDArray[np.int64]


class Steps:
    """The steps and frames of a track up to its current end."""

    def __init__(self, program: BoundProgram, track: Track) -> None:
        self.program, self.track = program, track
        self.count, self.frame_count = track.step_count, track.frame_count

    @property
    def is_current(self) -> bool:
        """Whether the track has not grown since."""
        return self.count == self.track.step_count and self.frame_count == self.track.frame_count

    @cached_property
    def _by_opener(self) -> tuple[Numbers, Numbers]:
        """All frames sorted by their opening step, and these steps."""
        openers = self.track.frame_opener[: self.frame_count]
        order = np.argsort(openers, kind="stable")
        return order, openers[order].astype(np.int64)

    @cached_property
    def blocks(self) -> NDArray[np.uint32]:
        """The block that each frame runs."""
        return self.track.frame_block[: self.frame_count]

    @cached_property
    def parents(self) -> NDArray[np.uint32]:
        """The frame that each frame was opened from."""
        return self.track.frame_parent[: self.frame_count]

    @cached_property
    def openers(self) -> NDArray[np.uint32]:
        """The step that opened each frame."""
        return self.track.frame_opener[: self.frame_count]

    @cached_property
    def iterations(self) -> NDArray[np.uint32]:
        """The iteration of each frame's region, from 0."""
        return self.track.frame_iteration[: self.frame_count]

    def block_of(self, frame: int) -> BoundBlock:
        """The block that a frame runs."""
        return self.program.blocks[int(self.blocks[frame])]

    def at(self, frame: int, position: int) -> int | None:
        """The step that ran the op at a position of the frame's block; each op runs once per frame."""
        return step_in(self.program, self.track, frame, position)

    def end_of(self, frame: int) -> int | None:
        """The step that ended a frame, its terminator."""
        return self.at(frame, len(self.block_of(frame).operations) - 1)

    def opened_frames(self, step: int) -> Numbers:
        """The frames that a step opened, in order."""
        order, openers = self._by_opener
        low, high = np.searchsorted(openers, [step, step + 1])
        return order[low:high]

    def frames_of(self, block: int, ancestor: int, depth: int) -> Numbers:
        """The frames of a block with a given ancestor some levels up."""
        found: Numbers = np.flatnonzero(self.blocks == block)
        above: Numbers = found
        for _ in range(depth):
            above = self.parents[above].astype(np.int64)
        chosen: Numbers = found[above == ancestor]
        return chosen

    def creation_time(self, address: Address) -> int:
        """The creation time of a value, which increases from operands to results.

        It is twice the number of the next tick, minus one; `KeyError` if the value is not recorded.
        """
        made = self.track.creation_step(address.kind, address.number)
        if address.kind == "f" and address.number == 0:
            return 2 * self.track.tick_of(0) - 1
        return 2 * self.track.tick_of(made + 1) - 1


Leaf = tuple[int, tuple[int, ...]]
"""A leaf of a list of values: the index of the value, and the path within it."""


class RecordedRun:
    """Queries on a recording, which may still grow."""

    def __init__(self, recording: Recording) -> None:
        self.recording, self.program = recording, recording.program
        self.value_number = recording.value_number
        self._steps: dict[int, Steps] = {}
        self._types: dict[tuple[int, tuple[int, ...]], Type] = {}
        self._awaited: dict[tuple[int, int], Mapping[int, int]] = {}
        self.last_image = LastImage()
        self._shapes: dict[tuple[int, tuple[int, ...]], Shape | None] = {}
        self._operands: dict[tuple[int, int], tuple[Array | None, ...]] = {}
        self._leaves: dict[tuple[int, bool], tuple[Leaf, ...]] = {}

    def steps(self, process: int) -> Steps:
        """The columns of a process at the last refresh; `KeyError` if there is none."""
        found = self._steps.get(process)
        if found is None:
            if not 0 <= process < len(self.recording.tracks):
                raise KeyError(process)
            found = self._steps[process] = Steps(self.program, self.recording.tracks[process])
        return found

    def refresh(self) -> None:
        """Refresh processes with new steps."""
        for process, steps in list(self._steps.items()):
            if not steps.is_current:
                del self._steps[process]

    def bound_operation(self, process: int, step: int) -> BoundOperation:
        """The bound operation that a step executed."""
        return self.program.ops[self.recording.tracks[process].op_of(step)]

    def op_at(self, process: int, step: int) -> Op:
        """A step's op with its actual sizes, on the process's grid."""
        values = self._values(process, step) if self.bound_operation(process, step).dynamic else ()
        return op_at(self.recording, process, step, values)

    def map_operands(self, process: int, step: int) -> tuple[Array | None, ...]:
        """Values that the maps of a step's op read their runtime variables from."""
        key = (process, step)
        if key not in self._operands:
            if len(self._operands) >= _MOST_OPERANDS:
                self._operands.clear()
            values = self._values(process, step)
            self._operands[key] = operands_at(self.recording, process, step, values)
        return self._operands[key]

    def _values(self, process: int, step: int) -> list[Array]:
        return [self.recording.value(found) for found in self.operands(process, step)]

    def awaited_processes(self, process: int, step: int) -> Mapping[int, int]:
        """The participants of a step, with their positions in the group; empty if there is none."""
        key = (process, self.recording.tracks[process].op_of(step))
        if key not in self._awaited:
            found = awaited_at(self.recording, process, step)
            self._awaited[key] = {other: place for place, other in enumerate(found)}
        return self._awaited[key]

    # Addresses

    def operand(self, process: int, step: int, value: int, path: tuple[int, ...] = ()) -> Address:
        """The address of an operand of a step's op, or of a leaf in it; `KeyError` if it is not recorded."""
        found = address_of(self.program, self.steps(process).track, step, value, path)
        if found is None:
            raise KeyError((process, step, value))
        return found

    def operands(self, process: int, step: int) -> list[Address]:
        """The addresses of a step's operands."""
        return [self.operand(process, step, value) for value in self.bound_operation(process, step).operands]

    def operand_leaf(self, process: int, step: int, leaf: Leaf) -> Address:
        """The address of something in a step's operands."""
        number, path = leaf
        return self.operand(process, step, self.bound_operation(process, step).operands[number], path)

    def returned_value(self, process: int, frame: int, leaf: Leaf) -> Address | None:
        """The address of a leaf that a frame returned; `None` if it has not ended."""
        end = self.steps(process).end_of(frame)
        return None if end is None else self.operand_leaf(process, end, leaf)

    def results(self, process: int) -> Iterator[Address]:
        """The tensors that the entry function of a process returned; none before its end."""
        end = self.steps(process).end_of(0)
        if end is not None:
            leaves = self.operand_leaves(self.bound_operation(process, end))
            yield from filter(self.is_tensor, (self.operand_leaf(process, end, leaf) for leaf in leaves))

    def is_made(self, address: Address) -> bool:
        """Whether the value exists."""
        try:
            self.recording.tracks[address.process].creation_step(address.kind, address.number)
        except (KeyError, IndexError):
            return False
        return True

    # Values of the program

    def type_of(self, address: Address) -> Type:
        """The declared type; `KeyError` if nothing is at the address."""
        return self.leaf_type(self.value_number(address), address.path)

    def leaf_type(self, value: int, path: tuple[int, ...]) -> Type:
        """The declared type of a leaf of a program value."""
        key = (value, path)
        if key not in self._types:
            self._types[key] = as_tensor(type_at(self.program.values[value].type, path))
        return self._types[key]

    def is_tensor(self, address: Address) -> bool:
        """Whether the value has elements, unlike tokens and tuples."""
        return isinstance(self.type_of(address), TensorType)

    def shape(self, address: Address) -> Shape:
        """The actual shape of the value."""
        found = self.static_shape(self.value_number(address), address.path)
        if found is not None and not self.lanes(address):
            return found
        return tuple(self.recording.value(address).shape)

    def static_shape(self, value: int, path: tuple[int, ...]) -> Shape | None:
        """The declared shape, if it is static."""
        key = (value, path)
        if key not in self._shapes:
            found = self.leaf_type(value, path)
            known = isinstance(found, TensorType) and found.is_static
            self._shapes[key] = found.sizes if known and isinstance(found, TensorType) else None
        return self._shapes[key]

    def frame_of(self, address: Address) -> int:
        """The frame of the value."""
        if address.kind == "f":
            return address.number
        return self.recording.tracks[address.process].frame_of(address.number)

    def lanes(self, address: Address) -> Shape | None:
        """The lane shape of a value in a lifted body."""
        lanes = self.recording.tracks[address.process].frame_lanes
        return lanes.get(self.frame_of(address)) if lanes else None

    def leaves_of(self, value: int) -> tuple[tuple[int, ...], ...]:
        """The paths to the leaves of a program value."""
        return tuple(leaf_paths(self.program.values[value].type))

    def operand_leaves(self, bound: BoundOperation) -> tuple[Leaf, ...]:
        """The leaves of an operation's operands, in the order in which index maps number them."""
        return self._leaves_in(bound, results=False)

    def result_leaves(self, bound: BoundOperation) -> tuple[Leaf, ...]:
        """The leaves of an operation's results, in the order in which index maps number them."""
        return self._leaves_in(bound, results=True)

    def _leaves_in(self, bound: BoundOperation, *, results: bool) -> tuple[Leaf, ...]:
        key = (bound.id, results)
        if key not in self._leaves:
            values = bound.results if results else bound.operands
            self._leaves[key] = tuple((k, path) for k, v in enumerate(values) for path in self.leaves_of(v))
        return self._leaves[key]

    def depth_between(self, inner: int, outer: int) -> int | None:
        """Number of regions between a block and an outer one; `None` if it is not an outer one."""
        depth, block = 0, inner
        while block != outer:
            opener = self.program.blocks[block].opener
            if opener is None:
                return None
            block, depth = self.program.ops[opener].block, depth + 1
        return depth

    def captures(self, bound: BoundOperation) -> tuple[int, ...]:
        """The outer values that an operation's regions read."""
        inside = set(self._blocks_in(bound))
        read = [
            value
            for block in inside
            for operation in self.program.blocks[block].operations
            for value in operation.operands
            if self.program.makers[value].block not in inside
        ]
        return tuple(dict.fromkeys(read))

    def _blocks_in(self, bound: BoundOperation) -> Iterator[int]:
        for number in bound.regions:
            block: BoundBlock = self.program.blocks[number]
            if block.opener is None:
                continue  # a function's body captures nothing
            yield number
            for operation in block.operations:
                yield from self._blocks_in(operation)


_MOST_OPERANDS = 4096
"""Maximum number of steps whose operands are cached for maps."""
