"""Ops that run functions or regions: correspondence of the op's leaves and the bodies' leaves."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..ops.control_flow.control_flow import CONDITION, Branching, While
from ..ops.core.bases import Partitioned
from ..program import BoundBlock, BoundOperation, BoundProgram
from .leaves import Leaf, leaves_of


@dataclass(frozen=True)
class Body:
    """A block that an op runs.

    `arguments` pairs its argument leaves with operand leaves of the op, `results` the leaves that it returns
    with result leaves of the op.
    """

    block: BoundBlock
    arguments: tuple[tuple[Leaf, Leaf], ...]
    results: tuple[tuple[Leaf, Leaf], ...]


def has_bodies(bound: BoundOperation) -> bool:
    """Whether the op's maps come from its bodies."""
    op = bound.op.unpacked
    return (op.explanation.passes_values or isinstance(op, Partitioned)) and op.outside is None


def runs_once(bound: BoundOperation) -> bool:
    """Whether the op runs one body once, on unchanged operands."""
    return has_bodies(bound) and not isinstance(bound.op.unpacked, Branching | While | Partitioned)


def block_results(block: BoundBlock) -> tuple[int, ...]:
    """The values that a block returns."""
    return block.operations[-1].operands if block.operations else ()


def body_blocks(program: BoundProgram, bound: BoundOperation) -> tuple[BoundBlock, ...]:
    """The blocks that the op runs, in order."""
    callees = bound.op.unpacked.callees()
    if callees:
        caller = program.blocks[bound.block]
        return tuple(program.blocks[program.find_callee(caller, callee.name).block] for callee in callees)
    return tuple(program.blocks[block] for block in bound.regions)


def bodies(program: BoundProgram, bound: BoundOperation) -> tuple[Body, ...]:
    """The bodies of an op; for `while`, its condition (without results) and its body."""
    is_loop = isinstance(bound.op.unpacked, While)
    found = []
    for number, block in enumerate(body_blocks(program, bound)):
        gives_results = not (is_loop and number == CONDITION)
        results = tuple(_results(program, bound, block)) if gives_results else ()
        found.append(Body(block, tuple(_arguments(program, bound, number, block)), results))
    return tuple(found)


def _arguments(
    program: BoundProgram, bound: BoundOperation, body: int, block: BoundBlock
) -> Iterator[tuple[Leaf, Leaf]]:
    """The argument leaves of a block, with their operand leaves."""
    for number, argument in enumerate(block.arguments):
        for leaf in leaves_of(program, argument):
            operand, path = bound.op.unpacked.explanation.argument_part(
                bound.op.unpacked, body, number, leaf.path
            )
            yield leaf, Leaf(bound.operands[operand], path)


def _results(program: BoundProgram, bound: BoundOperation, block: BoundBlock) -> Iterator[tuple[Leaf, Leaf]]:
    """The leaves that a block returns, with the op's result leaves."""
    for number, value in enumerate(bound.results):
        for leaf in leaves_of(program, value):
            part = bound.op.unpacked.explanation.returned_part(bound.op.unpacked, number, leaf.path)
            if part is not None:
                yield Leaf(block_results(block)[part[0]], part[1]), leaf


def run_blocks(program: BoundProgram, bound: BoundOperation) -> tuple[BoundBlock, ...]:
    """The blocks of calls, branches and loops; none for ops such as reduce, which have their own maps."""
    return body_blocks(program, bound) if has_bodies(bound) else ()


def runners(program: BoundProgram) -> Mapping[int, tuple[BoundOperation, ...]]:
    """For each block, the ops that run it."""
    found: dict[int, list[BoundOperation]] = {}
    for bound in program.ops:
        blocks = (block.id for block in body_blocks(program, bound)) if has_bodies(bound) else bound.regions
        for block in dict.fromkeys(blocks):
            found.setdefault(block, []).append(bound)
    return {block: tuple(ops) for block, ops in found.items()}
