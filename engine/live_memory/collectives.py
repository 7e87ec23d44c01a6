"""The collectives of a program: the bytes that each moves, how often it runs, and the source line that caused it."""

import re
from dataclasses import dataclass
from typing import Literal

from ..chains.bodies import block_results, body_blocks
from ..chains.leaves import leaf_type, leaves
from ..errors import ProgramError
from ..ir.locations import Location, NameLocation
from ..ir.types import Type, leaf_types
from ..ops.collectives.collective_rules import CollectiveOp
from ..ops.core.exchanges import GridPosition
from ..ops.core.process_groups import Grid
from ..program import BoundFunction, BoundOperation, BoundProgram
from ..sharded_runs.sharded_inputs import needed_grid
from ..sharded_runs.shown_shardings import ShownShardings
from .blocks import byte_size, executions_of

Rematerialisation = Literal["xla", "checkpoint"]
_XLA_REMAT = re.compile(r"\.remat\d*(?:\.|$)")
_CHECKPOINT = "rematted_computation"
"""The part of an op's name that `jax.checkpoint` gives to what it computes again."""


@dataclass(frozen=True)
class Collective:
    """A collective op of a program. Bytes are those of one process and one execution."""

    op: int
    name: str
    """The name of its first result."""
    opcode: str
    members: int
    """The number of processes in the largest of its groups."""
    operand_bytes: int
    result_bytes: int
    sent_bytes: int
    """The bytes that a process sends, at most, by the ring algorithm."""
    runs: int | None
    """The number of executions, at most where a branch decides; `None` in a loop whose length the text does not state."""
    operand_sharding: str
    result_sharding: str
    """Each in words; empty where the text states none."""
    op_name: str
    """The name that JAX gave to the op, with the functions around it."""
    location: Location | None
    rematerialised: Rematerialisation | None
    """Whether XLA duplicated the op to save memory, or `jax.checkpoint` computes it again."""

    @property
    def total_bytes(self) -> int | None:
        """The bytes that a process sends in all executions; `None` if their number is unknown."""
        return None if self.runs is None else self.runs * self.sent_bytes


def collectives_of(program: BoundProgram, function: BoundFunction) -> tuple[Collective, ...]:
    """The collectives that a function executes, in the order of the text."""
    try:
        grid = needed_grid(program, function)
    except ProgramError:  # a run that needs the sharding reports it as invalid
        grid = Grid()
    shardings = ShownShardings(program, function)
    executions = executions_of(program, function)
    return tuple(
        _collective(program, bound, grid, shardings, executions[bound.block])
        for bound in program.ops
        if bound.block in executions and _moves_data(bound)
    )


def _moves_data(bound: BoundOperation) -> bool:
    op = bound.op.unpacked
    return isinstance(op, CollectiveOp) and op.whole.traffic.exists


def _collective(
    program: BoundProgram, bound: BoundOperation, grid: Grid, shardings: ShownShardings, runs: int | None
) -> Collective:
    op = bound.op.unpacked
    assert isinstance(op, CollectiveOp)
    whole = op.whole
    operand_bytes, result_bytes = (
        _bytes(whole.operand_types[: whole.traffic.sent_operands]),
        _bytes(whole.known_results),
    )
    members = _members(op, grid)
    operation = bound.operation
    op_name = _op_name(operation.location)
    return Collective(
        bound.id,
        operation.results[0].name if operation.results else "",
        operation.spelled,
        members,
        operand_bytes,
        result_bytes,
        whole.traffic.bytes_sent(members, operand_bytes, result_bytes),
        runs,
        _sharding(shardings, bound.operands),
        _sharding(shardings, bound.results),
        op_name,
        operation.location,
        _rematerialised(operation.results[0].name if operation.results else "", op_name),
    )


def _bytes(types: tuple[Type, ...]) -> int:
    return sum(byte_size(leaf) for found in types for leaf in leaf_types(found))


def _members(op: CollectiveOp, grid: Grid) -> int:
    """The number of processes in the largest group; 1 where groups do not fit the grid."""
    found = 1
    for place in GridPosition.all_of(grid):
        try:
            peers = op.peers(place)
        except ProgramError:
            return 1
        found = max(found, len(peers.group) if peers else 0)
    return found


def _sharding(shardings: ShownShardings, values: tuple[int, ...]) -> str:
    known = (shardings.of(value) for value in values)
    return next((found.describe() for found in known if found is not None), "")


def _op_name(location: Location | None) -> str:
    return location.name if isinstance(location, NameLocation) else ""


def _rematerialised(name: str, op_name: str) -> Rematerialisation | None:
    if _XLA_REMAT.search(name):
        return "xla"
    return "checkpoint" if _CHECKPOINT in op_name else None


@dataclass(frozen=True)
class Copies:
    """The copies outside of kernels: their number, and the bytes that they write in all executions."""

    count: int
    bytes: int | None
    """`None` if one is in a loop whose length is unknown."""


def copies_of(program: BoundProgram, function: BoundFunction) -> Copies:
    """The ops that only copy an operand to new memory; XLA adds them for loops, branches and layouts."""
    executions = executions_of(program, function)
    found = [bound for bound in program.ops if bound.block in executions and _copies(program, bound)]
    runs = [executions[bound.block] for bound in found]
    sizes = [_first_bytes(program, bound) for bound in found]
    total = sum((count or 0) * size for count, size in zip(runs, sizes, strict=True))
    return Copies(len(found), None if None in runs else total)


def _copies(program: BoundProgram, bound: BoundOperation) -> bool:
    """Whether an op only copies, itself or as the kernel of a single copy."""
    if not bound.op.unpacked.storage.is_kernel:
        return bound.op.storage.is_copy
    (block,) = body_blocks(program, bound)
    made = [inner for inner in block.operations if not inner.op.traits.is_terminator]
    return len(made) == 1 and made[0].op.storage.is_copy and made[0].results == block_results(block)


def _first_bytes(program: BoundProgram, bound: BoundOperation) -> int:
    """The bytes of the first result leaf: a started copy has the original behind it."""
    return sum(byte_size(leaf_type(program, leaf)) for leaf in leaves(program, bound.results)[:1])
