"""Ops that run functions or regions: which leaves of the op are which leaves of the bodies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..ir.types import TupleType
from ..ops.asynchronous import AsyncStart
from ..ops.composite import Composite
from ..ops.control_flow import Branching, While
from ..ops.functions import Call
from ..ops.hlo.asynchronous import AsyncStart as HloAsyncStart
from ..ops.hlo.computations import Conditional, Fusion
from ..ops.hlo.starting import GIVEN, OUTPUT
from ..ops.manual_computation import Computation, ManualComputation
from ..ops.op import Op
from ..ops.packed import Packed
from ..ops.regions import region_type, type_agrees
from ..program import BoundBlock, BoundOperation, BoundProgram
from .leaves import Leaf, leaves, leaves_of

ONCE = (Call, Composite, Fusion, AsyncStart, HloAsyncStart, Computation)
"""Ops that run one body once."""
WITH_BODIES = (*ONCE, Branching, While)


@dataclass(frozen=True)
class Body:
    """A block that an op runs; `arguments` has its argument leaves with the operand leaf that each is.

    `results` has the leaves that the block gives, with the result leaf of the op that each is.
    """

    block: BoundBlock
    arguments: tuple[tuple[Leaf, Leaf], ...]
    results: tuple[tuple[Leaf, Leaf], ...]


def op_of(bound: BoundOperation) -> Op:
    """The op itself, without what packs its results."""
    return bound.op.twin if isinstance(bound.op, Packed) else bound.op


def has_bodies(bound: BoundOperation) -> bool:
    """Whether the op's maps are those of what it runs."""
    return isinstance(op_of(bound), WITH_BODIES) and op_of(bound).outside is None


def runs_once(bound: BoundOperation) -> bool:
    """Whether the op runs one body once, on its operands as they are."""
    found = isinstance(op_of(bound), ONCE) and not isinstance(op_of(bound), ManualComputation)
    return found and has_bodies(bound)


def given(block: BoundBlock) -> tuple[int, ...]:
    """The values that a block gives to whoever runs it."""
    return block.operations[-1].operands if block.operations else ()


def body_blocks(program: BoundProgram, bound: BoundOperation) -> tuple[BoundBlock, ...]:
    """The blocks that the op runs, in order."""
    callees = op_of(bound).callees()
    if callees:
        caller = program.blocks[bound.block]
        return tuple(program.blocks[program.called(caller, callee.name).block] for callee in callees)
    return tuple(program.blocks[block] for block in bound.regions)


def bodies(program: BoundProgram, bound: BoundOperation) -> tuple[Body, ...]:
    """What the op runs; of a `while`, its condition (which gives no result) and its body."""
    op, blocks = op_of(bound), body_blocks(program, bound)
    match op:
        case While():
            condition, body = blocks
            arguments = (_paired(program, block.arguments, bound.operands) for block in blocks)
            results = _paired(program, given(body), bound.results)
            return (
                Body(condition, next(arguments), ()),
                Body(body, next(arguments), results),
            )
        case Conditional():
            return tuple(
                Body(
                    block,
                    _paired(program, block.arguments, (bound.operands[1 + number],)),
                    _paired(program, given(block), bound.results),
                )
                for number, block in enumerate(blocks)
            )
        case Branching():
            return tuple(Body(b, (), _paired(program, given(b), bound.results)) for b in blocks)
        case _:
            (block,) = blocks
            arguments_of_one = _paired(program, block.arguments, bound.operands)
            return (Body(block, arguments_of_one, tuple(_results(program, bound, op, block))),)


def _results(
    program: BoundProgram, bound: BoundOperation, op: Op, block: BoundBlock
) -> Iterator[tuple[Leaf, Leaf]]:
    inner = leaves(program, given(block))
    if isinstance(op, AsyncStart):
        yield from ((leaf, Leaf(bound.results[0], (number,))) for number, leaf in enumerate(inner))
    elif isinstance(op, HloAsyncStart):
        found, stated = region_type(op.computation).results, op.result.types[OUTPUT]
        bundled = len(found) != 1 or type_agrees(TupleType(found), stated)
        for position, value in enumerate(given(block)):
            base = (OUTPUT, position) if bundled else (OUTPUT,)
            for leaf in leaves_of(program, value):
                yield leaf, Leaf(bound.results[0], (*base, *leaf.path))
    else:
        yield from _paired(program, given(block), bound.results)


def kept_operands(program: BoundProgram, bound: BoundOperation) -> Iterator[tuple[Leaf, Leaf]]:
    """Result leaves of an async-start that are operand leaves: what it was given."""
    if isinstance(op_of(bound), HloAsyncStart):
        for number, operand in enumerate(bound.operands):
            for leaf in leaves_of(program, operand):
                yield Leaf(bound.results[0], (GIVEN, number, *leaf.path)), leaf


def _paired(
    program: BoundProgram, left: tuple[int, ...], right: tuple[int, ...]
) -> tuple[tuple[Leaf, Leaf], ...]:
    return tuple(zip(leaves(program, left), leaves(program, right), strict=True))


def run_blocks(program: BoundProgram, bound: BoundOperation) -> tuple[BoundBlock, ...]:
    """The blocks that stand for the op: those of calls, branches and loops; none of reduce and its like."""
    return body_blocks(program, bound) if has_bodies(bound) else ()


def runners(program: BoundProgram) -> Mapping[int, tuple[BoundOperation, ...]]:
    """For each block that ops run, those ops."""
    found: dict[int, list[BoundOperation]] = {}
    for bound in program.ops:
        blocks = (block.id for block in body_blocks(program, bound)) if has_bodies(bound) else bound.regions
        for block in dict.fromkeys(blocks):
            found.setdefault(block, []).append(bound)
    return {block: tuple(ops) for block, ops in found.items()}
