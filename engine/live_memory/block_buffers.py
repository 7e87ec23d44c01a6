"""The buffers of one block: which of its values share memory, and when each buffer is live.

A position is the number of an operation in its block; -1 is the time before the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from ..chains.bodies import Body, block_results, bodies, has_bodies
from ..chains.leaves import Leaf, leaf_type, leaves
from ..ops.control_flow.control_flow import CONDITION, While
from ..ops.core.facets import Part
from ..program import BoundBlock, BoundOperation, BoundProgram
from .blocks import byte_size
from .donation import Donation


class Role(Enum):
    """The use of a block."""

    ENTRY = "entry"
    BODY = "loop, branch or called function"
    KERNEL = "fusion"


@dataclass
class Buffer:
    """A piece of memory: the leaves that occupy it one after the other, and the positions at which it is live."""

    leaves: list[Leaf]
    birth: int
    death: int
    bytes: int
    is_constant: bool = False
    is_outside: bool = False
    """Whether the memory belongs to the caller: a block's arguments, and values around a region."""
    is_argument: bool = False
    """Whether it holds an argument of the entry function."""
    is_donated: bool = False
    is_result: bool = False
    """Whether the entry function returns it."""
    is_updated: bool = False
    """Whether an op changes some of its elements and keeps the others."""

    @property
    def is_writable(self) -> bool:
        """Whether the program may overwrite its memory."""
        return not self.is_constant and (not self.is_argument or self.is_donated)


@dataclass(frozen=True)
class RunBody:
    """A block that an operation runs, and the results that it writes into memory of the caller."""

    block: int
    written: frozenset[int]
    """Numbers of result leaves."""


class BlockBuffers:
    """The buffers of a block, in a program whose text is `scheduled` or still to be compiled.

    `inner` has the buffers of the blocks that the block's operations run.
    """

    def __init__(
        self,
        program: BoundProgram,
        block: BoundBlock,
        role: Role,
        inner: Mapping[int, BlockBuffers],
        read_inside: Mapping[tuple[int, int], Sequence[int]],
        donation: Donation,
    ) -> None:
        self.program, self.block, self.role = program, block, role
        self._inner, self._read_inside = inner, read_inside
        self._is_scheduled = "is_scheduled" in program.module.attributes
        self._buffers: dict[Leaf, Buffer] = {}
        self._last_reads: dict[Leaf, int] = {}
        self.bodies: dict[int, tuple[RunBody, ...]] = {}
        """The blocks that the operation at a position runs."""
        self.counted_inside: dict[int, tuple[Buffer, ...]] = {}
        """The new buffers of the operation at a position whose bytes the blocks that it runs count."""
        self._read()
        self._define(donation)
        for position, bound in enumerate(block.operations):
            self._make(position, bound)
        for position, bound in enumerate(block.operations):
            self._reuse(position, bound)
        self._return(donation)

    @property
    def buffers(self) -> list[Buffer]:
        """The buffers, in the order of their first values."""
        return list({id(buffer): buffer for buffer in self._buffers.values()}.values())

    def buffer(self, leaf: Leaf) -> Buffer:
        """The buffer that holds a leaf."""
        return self._buffers[leaf]

    def result_buffers(self) -> tuple[Buffer, ...]:
        """The buffers of the leaves that the block returns, in order."""
        return tuple(map(self._buffers.__getitem__, self.result_leaves()))

    def result_leaves(self) -> tuple[Leaf, ...]:
        return leaves(self.program, block_results(self.block))

    # Reads and definitions

    def _read(self) -> None:
        """Note the last position that reads each leaf."""
        for position, bound in enumerate(self.block.operations):
            inside = self._read_inside.get((self.block.id, position), ())
            operands = () if bound.op.traits.regroups_tuples else bound.operands
            for leaf in leaves(self.program, (*operands, *inside)):
                self._last_reads[leaf] = position

    def _define(self, donation: Donation) -> None:
        is_entry = self.role is Role.ENTRY
        donated = {*donation.donors, *donation.aliases.values()} if is_entry else set()
        for leaf in leaves(self.program, self.block.arguments):
            buffer = self._new(leaf, -1)
            buffer.is_argument, buffer.is_outside = is_entry, not is_entry
            buffer.is_donated = leaf in donated
            if is_entry and not buffer.is_donated:
                buffer.death = len(self.block.operations) - 1

    def _new(self, leaf: Leaf, birth: int) -> Buffer:
        death = max(birth, self._last_reads.get(leaf, birth))
        buffer = Buffer([leaf], birth, death, byte_size(leaf_type(self.program, leaf)))
        self._buffers[leaf] = buffer
        return buffer

    def _find(self, leaf: Leaf) -> Buffer:
        """The buffer of an operand; a value around the region belongs to another block."""
        if leaf not in self._buffers:
            self._new(leaf, -1).is_outside = True
        return self._buffers[leaf]

    def _join(self, new: Buffer, old: Buffer) -> None:
        """Let the leaves of `new` occupy the memory of `old`."""
        if new is old:
            return
        old.leaves += new.leaves
        old.birth, old.death = min(old.birth, new.birth), max(old.death, new.death)
        old.bytes = max(old.bytes, new.bytes)
        old.is_updated |= new.is_updated
        for leaf in new.leaves:
            self._buffers[leaf] = old

    # Sharing

    def _make(self, position: int, bound: BoundOperation) -> None:
        """Make a buffer for each result, unless the op places it in the memory of an operand."""
        made = leaves(self.program, bound.results)
        for leaf in made:
            self._new(leaf, position).is_constant = bound.op.traits.is_constant
        for leaf in made:
            part = _shared_part(bound, leaf)
            if part is not None:
                self._join(self._buffers[leaf], self._find(_operand(bound, part)))

    def _reuse(self, position: int, bound: BoundOperation) -> None:
        """Let results occupy memory whose values are no longer needed."""
        if bound.op.unpacked.storage.is_kernel:
            self._overwrite(position, self._kernel_updates(bound))
        elif has_bodies(bound):
            self._run(position, bound)
        else:
            made = leaves(self.program, bound.results)
            updates = ((leaf, _updated_part(bound, leaf)) for leaf in made)
            self._overwrite(position, ((leaf, _operand(bound, part)) for leaf, part in updates if part))

    def _overwrite(self, position: int, pairs: Iterable[tuple[Leaf, Leaf]]) -> None:
        """Let results overwrite operands, where nothing reads these later."""
        for result, operand in pairs:
            new, old = self._buffers[result], self._find(operand)
            if self.role is Role.KERNEL or self._may_overwrite(old, position):
                self._join(new, old)
                old.is_updated = True

    def _may_overwrite(self, old: Buffer, position: int) -> bool:
        return old.is_writable and old.death <= position and (self._is_scheduled or not old.is_outside)

    def _last_read(self, buffer: Buffer) -> int:
        return max(self._last_reads.get(leaf, -1) for leaf in buffer.leaves)

    def _kernel_updates(self, bound: BoundOperation) -> Iterator[tuple[Leaf, Leaf]]:
        """Results of a fusion that update elements of an operand, with that operand."""
        for body in bodies(self.program, bound):
            inner = self._inner[body.block.id]
            operands = dict(body.arguments)
            for returned, result in body.results:
                buffer = inner.buffer(returned)
                argument = next((leaf for leaf in buffer.leaves if leaf in operands), None)
                if argument is not None and buffer.is_updated:
                    yield result, operands[argument]

    def _run(self, position: int, bound: BoundOperation) -> None:
        """Share memory with the blocks that an operation runs."""
        found = bodies(self.program, bound)
        if isinstance(bound.op.unpacked, While):
            self._carry(position, bound)
            written = (frozenset[int](), self._inner[found[-1].block.id].carried_in_place())
            self.bodies[position] = tuple(
                RunBody(body.block.id, written[number != CONDITION]) for number, body in enumerate(found)
            )
            return
        written_leaves = self._returns(position, bound, found)
        self.bodies[position] = tuple(RunBody(body.block.id, written_leaves) for body in found)

    def _carry(self, position: int, bound: BoundOperation) -> None:
        """A loop keeps its values in the memory of its operands, or in copies of them."""
        seen: set[int] = set()
        pairs = zip(
            leaves(self.program, bound.results), leaves(self.program, bound.operands), strict=True
        )  # fmt: skip
        for result, operand in pairs:
            old = self._find(operand)
            is_free = old.is_writable and self._last_read(old) <= position and not old.is_outside
            if id(old) not in seen and (self._is_scheduled or is_free):
                self._join(self._buffers[result], old)
            seen.add(id(old))

    def carried_in_place(self) -> frozenset[int]:
        """The result leaves that the body of a loop writes into the memory of its arguments."""
        found = set()
        arguments = leaves(self.program, self.block.arguments)
        for number, (argument, returned) in enumerate(zip(arguments, self.result_leaves(), strict=True)):
            old, new = self._buffers[argument], self._buffers[returned]
            is_free = self._last_read(old) < new.birth and not new.is_outside and not new.is_constant
            if new is old or self._is_scheduled or is_free:
                found.add(number)
        return frozenset(found)

    def _returns(self, position: int, bound: BoundOperation, found: Sequence[Body]) -> frozenset[int]:
        """Result leaves that the blocks write into memory which this block counts; the blocks count the others."""
        written = set()
        inside = []
        order = self._inner[found[0].block.id].result_leaves()
        for source, leaf in found[0].results:
            returned = [self._returned(body, leaf) for body in found]
            forwarded = {operand for operand, _ in returned if operand is not None}
            if len(forwarded) == 1 and (self._is_scheduled or len(found) == 1):
                self._join(self._buffers[leaf], self._find(forwarded.pop()))
            elif all(is_new for _, is_new in returned):
                inside.append(self._buffers[leaf])
            else:
                written.add(order.index(source))
        self.counted_inside[position] = tuple(inside)
        return frozenset(written)

    def _returned(self, body: Body, result: Leaf) -> tuple[Leaf | None, bool]:
        """The operand that a body returns as a result, and whether the result is a separate new buffer."""
        inner = self._inner[body.block.id]
        buffer = inner.buffer(next(source for source, leaf in body.results if leaf == result))
        operand = next((outer for argument, outer in body.arguments if argument in buffer.leaves), None)
        return operand, not buffer.is_outside and not buffer.is_constant

    def _return(self, donation: Donation) -> None:
        """Keep the block's results to its end.

        A result of the entry function occupies its donated argument from the last read of that on; in between,
        other values may occupy it.
        """
        end = len(self.block.operations) - 1
        for number, leaf in enumerate(self.result_leaves()):
            buffer = self._find(leaf)
            buffer.death = end
            buffer.is_result = self.role is Role.ENTRY
            alias = donation.aliases.get(number) if buffer.is_result else None
            if alias is not None and self._buffers[alias].death == buffer.birth:
                self._join(buffer, self._buffers[alias])
                self._buffers[alias].is_result = True


def _operand(bound: BoundOperation, part: Part) -> Leaf:
    return Leaf(bound.operands[part[0]], part[1])


def _part_of(bound: BoundOperation, leaf: Leaf) -> Part:
    """The number of a result of the op and the path in it; HLO text packs several results into one tuple."""
    if bound.op.unpacked is not bound.op and leaf.path:
        return leaf.path[0], leaf.path[1:]
    return bound.results.index(leaf.value), leaf.path


def _shared_part(bound: BoundOperation, leaf: Leaf) -> Part | None:
    op = bound.op.unpacked
    shared = op.storage.shared_part(op, *_part_of(bound, leaf))
    if shared is not None or op.storage.is_copy:
        return shared
    found: Part | None = op.explanation.forwarded_operand(op, *_part_of(bound, leaf))
    return found


def _updated_part(bound: BoundOperation, leaf: Leaf) -> Part | None:
    op = bound.op.unpacked
    found: Part | None = op.storage.updated_part(op, *_part_of(bound, leaf))
    return found
