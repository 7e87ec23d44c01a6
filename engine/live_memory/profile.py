"""Live bytes at each step of a program, their peak, and the buffers that are live at a step.

All follow from the text: HLO text with `is_scheduled` in its order of execution, other texts in the order of their
lines, before the compiler fuses and reorders operations. Alignment, fragmentation, the compiler's choice to let a result
overwrite an operand of another op than an update, and tables of tuples are not known from it and not counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Literal

from ..argument_names import reader_name
from ..chains.leaves import Leaf, leaf_type
from ..errors import ProgramError
from ..ir.locations import Location
from ..program import BoundFunction, BoundProgram
from ..sharded_runs.sharded_inputs import is_partitioned, needed_grid
from .block_buffers import BlockBuffers, Buffer, Role
from .blocks import DEFAULT_SPACE, byte_size, callees_first, has_open_size, memory_space, run_blocks
from .donation import Donation, read_donation

BufferKind = Literal["argument", "result", "temporary"]


@dataclass(frozen=True)
class LiveBuffer:
    """A buffer of a program: the bytes that one or several values occupy, one after the other."""

    leaf: Leaf
    """Its first value."""
    name: str
    """The name of that value for readers: `%5`, or `%5#1` for element 1 of a tuple."""
    bytes: int
    kind: BufferKind
    block: int
    birth: int | None
    """The op that fills it first; `None` for an argument."""
    death: int | None
    """The last op that reads it; `None` if it is live to the end of its block."""
    location: Location | None
    """The user's source line of the first of its values that has one; of an argument, its own."""
    is_donated: bool
    values: int
    """The number of values that occupy it."""


@dataclass(frozen=True)
class Memory:
    """The memory of a program."""

    program: BoundProgram
    function: BoundFunction
    is_scheduled: bool
    bytes_at: Mapping[int, int]
    """For each op that executes, by number, the bytes live while it does; inside of a kernel those of the kernel."""
    schedule: tuple[int, ...]
    """The ops in their order of execution; the ops of a loop, branch or function once, after the op that first runs it."""
    constant_bytes: int
    """The bytes of constants, which are no part of the live bytes."""
    open_sizes: int
    """The number of values whose bytes the text does not bound; they count as 0."""
    other_spaces: Mapping[int, int]
    """For each other memory space, the bytes of all values there; they are no part of the live bytes."""
    donation: Donation
    profile: Profile

    @cached_property
    def peak(self) -> int:
        """The op at which most bytes are live, the first of several."""
        return max(self.schedule, key=lambda op: self.bytes_at[op], default=-1)

    @cached_property
    def is_whole(self) -> bool:
        """Whether several processes run the program, and its arrays are not yet partitioned among them."""
        try:
            count = needed_grid(self.program, self.function).num_processes
        except ProgramError:  # a run that needs the sharding reports it as invalid
            return False
        return count > 1 and not is_partitioned(self.program, self.function)

    @property
    def peak_bytes(self) -> int:
        """The bytes live at the peak."""
        return self.bytes_at.get(self.peak, 0)

    @property
    def donated_bytes(self) -> int:
        """The bytes of arguments that the program may overwrite."""
        leaves = {*self.donation.aliases.values(), *self.donation.donors}
        return sum(byte_size(leaf_type(self.program, leaf)) for leaf in leaves)

    def live_at(self, op: int) -> tuple[LiveBuffer, ...]:
        """The buffers live while an op executes, the largest first; they add up to `bytes_at`."""
        return tuple(sorted(self.profile.live_at(op), key=lambda each: -each.bytes))


def memory_of(program: BoundProgram, function: BoundFunction) -> Memory:
    """Compute live ranges and live bytes of `function` and all that it runs."""
    donation = read_donation(program, function)
    profile = Profile(program, function, donation)
    return Memory(
        program,
        function,
        "is_scheduled" in program.module.attributes,
        profile.bytes_at,
        tuple(profile.schedule()),
        profile.constant_bytes,
        profile.open_sizes,
        profile.other_spaces,
        donation,
        profile,
    )


class Profile:
    """The computation of live bytes, block by block: blocks that an op runs before the block of the op."""

    def __init__(self, program: BoundProgram, function: BoundFunction, donation: Donation) -> None:
        self._program, self._function = program, function
        self._roles = dict(self._find_roles())
        self._order = callees_first(program, function)
        self._buffers: dict[int, BlockBuffers] = {}
        read_inside = _read_inside(program)
        for block in self._order:
            found = BlockBuffers(
                program,
                program.blocks[block],
                self._roles[block],
                self._buffers,
                read_inside,
                donation if block == function.block else Donation(),
            )
            self._buffers[block] = found
        self._written = self._written_results()
        self._counted = {block: tuple(self._counted_buffers(block)) for block in self._order}
        self._live = {block: self._live_bytes(block) for block in self._order}
        self._callers = self._find_callers()
        self.bytes_at = dict(self._all_bytes())

    # Blocks

    def _find_roles(self) -> Iterator[tuple[int, Role]]:
        """The role of each block that runs; a block of several roles has the last."""
        waiting, seen = [self._function.block], {self._function.block}
        yield self._function.block, Role.ENTRY
        while waiting:
            for bound in self._program.blocks[waiting.pop()].operations:
                role = Role.KERNEL if bound.op.unpacked.storage.is_kernel else Role.BODY
                for block in run_blocks(self._program, bound):
                    if block.id != self._function.block:
                        yield block.id, role
                    if block.id not in seen:
                        seen.add(block.id)
                        waiting.append(block.id)

    def _written_results(self) -> dict[int, frozenset[int]]:
        """For each block the result leaves that every caller counts in its own memory."""
        found: dict[int, frozenset[int]] = {}
        for buffers in self._buffers.values():
            for runs in buffers.bodies.values():
                for run in runs:
                    found[run.block] = found.get(run.block, run.written) & run.written
        return found

    # Bytes

    def _counted_buffers(self, block: int) -> Iterator[Buffer]:
        """The buffers whose bytes a block counts."""
        buffers = self._buffers[block]
        results = buffers.result_buffers()
        written = {id(results[number]) for number in self._written.get(block, ())}
        for buffer in buffers.buffers:
            is_elsewhere = buffer.is_outside or buffer.is_constant or id(buffer) in written
            if not is_elsewhere and _space(self._program, buffer) == DEFAULT_SPACE:
                yield buffer

    def _live_bytes(self, block: int) -> list[int]:
        """The bytes of the block's own buffers at each position."""
        count = len(self._program.blocks[block].operations)
        changes = [0] * (count + 2)
        for buffer in self._counted[block]:
            changes[buffer.birth + 1] += buffer.bytes
            changes[buffer.death + 2] -= buffer.bytes
        return list(accumulate(changes))[1 : count + 1]

    def _below(self, block: int, position: int) -> int:
        """The bytes around the blocks that an op runs: without results that those blocks count."""
        inside = self._buffers[block].counted_inside.get(position, ())
        counted = {id(buffer) for buffer in self._counted[block]} if inside else set()
        return self._live[block][position] - sum(each.bytes for each in inside if id(each) in counted)

    def _counted_at(self, block: int, position: int) -> Iterator[Buffer]:
        return (each for each in self._counted[block] if each.birth <= position <= each.death)

    def _find_callers(self) -> dict[int, tuple[int, int, int]]:
        """For each block the bytes around it, and the block and position of the caller with the most."""
        found: dict[int, tuple[int, int, int]] = {}
        around = {self._function.block: 0}
        for block in reversed(self._order):
            for position, bound in enumerate(self._program.blocks[block].operations):
                runs = run_blocks(self._program, bound)
                if not runs:
                    continue
                below = around[block] + self._below(block, position)
                for inner in runs:
                    if inner.id not in found or found[inner.id][0] < below:
                        found[inner.id] = below, block, position
                        around[inner.id] = below
        return found

    def _all_bytes(self) -> Iterator[tuple[int, int]]:
        for block in self._order:
            around, caller, position = self._callers.get(block, (0, block, 0))
            operations = self._program.blocks[block].operations
            if self._roles[block] is Role.KERNEL:  # all its ops are one step of the caller's block
                around = self._callers.get(caller, (0, 0, 0))[0] + self._live[caller][position]
                yield from ((bound.id, around) for bound in operations)
                continue
            for own, bound in zip(self._live[block], operations, strict=True):
                yield bound.id, around + own

    def live_at(self, op: int) -> Iterator[LiveBuffer]:
        """The buffers live while an op executes, with those around the blocks in which it does."""
        block, position = self._program.ops[op].block, self._program.positions[op]
        inside: Sequence[Buffer] = ()
        if self._roles[block] is Role.KERNEL:
            _, block, position = self._callers[block]
        while True:
            hidden = {id(buffer) for buffer in inside}
            for buffer in self._counted_at(block, position):
                if id(buffer) not in hidden and buffer.bytes:
                    yield self._described(buffer, block)
            if block not in self._callers:
                return
            _, block, position = self._callers[block]
            inside = self._buffers[block].counted_inside.get(position, ())

    def _described(self, buffer: Buffer, block: int) -> LiveBuffer:
        operations = self._program.blocks[block].operations
        first = min(buffer.leaves, key=lambda leaf: (leaf.value, leaf.path))
        if buffer.birth >= 0:
            made = set(operations[buffer.birth].results)
            first = next((leaf for leaf in buffer.leaves if leaf.value in made), first)
        kind: BufferKind = "argument" if buffer.is_argument else "result" if buffer.is_result else "temporary"
        lasts = buffer.death >= len(operations) - 1
        return LiveBuffer(
            first,
            "#".join((reader_name(self._program, first.value), *map(str, first.path))),
            buffer.bytes,
            kind,
            block,
            operations[buffer.birth].id if buffer.birth >= 0 else None,
            None if lasts else operations[max(0, buffer.death)].id,
            self._location(first, buffer),
            buffer.is_donated,
            len({leaf.value for leaf in buffer.leaves}),
        )

    def _location(self, first: Leaf, buffer: Buffer) -> Location | None:
        values = (first,) if buffer.is_argument else (first, *buffer.leaves)
        found = (location_of(self._program, leaf.value) for leaf in values)
        return next((location for location in found if location is not None), None)

    # The schedule

    def schedule(self) -> Iterator[int]:
        """Ops in the order of execution, each block after the op that first runs it; no ops of kernels."""
        seen = {self._function.block}
        stack = [iter(self._program.blocks[self._function.block].operations)]
        while stack:
            bound = next(stack[-1], None)
            if bound is None:
                stack.pop()
                continue
            yield bound.id
            fresh = [block for block in run_blocks(self._program, bound) if block.id not in seen]
            fresh = [block for block in fresh if self._roles[block.id] is not Role.KERNEL]
            seen.update(block.id for block in fresh)
            stack += [iter(block.operations) for block in reversed(fresh)]

    # Other bytes

    @cached_property
    def _leaves(self) -> list[Buffer]:
        blocks = (block for block in self._order if self._roles[block] is not Role.KERNEL)
        return [
            buffer for block in blocks for buffer in self._buffers[block].buffers if not buffer.is_outside
        ]

    @property
    def constant_bytes(self) -> int:
        """The bytes of constants outside of kernels."""
        return sum(buffer.bytes for buffer in self._leaves if buffer.is_constant)

    @property
    def open_sizes(self) -> int:
        """The number of leaves whose bytes the text does not bound."""
        values = (leaf for buffer in self._leaves for leaf in buffer.leaves)
        return sum(has_open_size(leaf_type(self._program, leaf)) for leaf in values)

    @property
    def other_spaces(self) -> dict[int, int]:
        """The bytes of buffers in each memory space but the device's own."""
        found: dict[int, int] = {}
        for buffer in self._leaves:
            space = _space(self._program, buffer)
            if space != DEFAULT_SPACE:
                found[space] = found.get(space, 0) + buffer.bytes
        return found


def location_of(program: BoundProgram, value: int) -> Location | None:
    """The user's source location of a value: that of its op, or its own."""
    maker = program.makers[value]
    if maker.op is not None and (found := program.ops[maker.op].operation.location) is not None:
        return found
    return program.values[value].location


def _space(program: BoundProgram, buffer: Buffer) -> int:
    return memory_space(leaf_type(program, buffer.leaves[0]))


def _read_inside(program: BoundProgram) -> dict[tuple[int, int], list[int]]:
    """For each block and position, the block's values that regions of the operation there read."""
    found: dict[tuple[int, int], list[int]] = {}
    for bound in program.ops:
        for value in bound.operands:
            home, block = program.makers[value].block, bound.block
            while block != home:
                opener = program.blocks[block].opener
                if opener is None:
                    break
                block = program.ops[opener].block
                found.setdefault((block, program.positions[opener]), []).append(value)
    return found
