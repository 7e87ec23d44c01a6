"""A StableHLO program that returns intermediate values in addition to its own results.

Only values of the entry function are requested: those of loops and called functions show in their results.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hloscope.engine.debugger.address import Address
from hloscope.engine.hlo_to_stablehlo import NotStablehlo, stablehlo_module
from hloscope.engine.ir.module import Function, Module, Value
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops import op_table
from hloscope.engine.syntax import print_module

from .our_runs import OurRun


@dataclass(frozen=True)
class Intermediate:
    """A value of the entry function other than its arguments, constants and results."""

    value: Value
    addresses: tuple[Address, ...]
    """In our recording, process by process."""
    op: str
    line: int
    """In the program's text, from 1."""
    operands: tuple[str, ...]
    """The names of its operands."""


def intermediates(run: OurRun) -> list[Intermediate]:
    """The values of the entry function that can become results, in order of computation."""
    program = run.recording.program
    tracks = [run.recording.tracks[process] for process in run.processes]
    block = program.blocks[tracks[0].block_of(0)]
    ops = {bound.id: bound for bound in block.operations}
    steps = [dict(zip(track.op_column.tolist(), range(track.step_count), strict=True)) for track in tracks]
    found = []
    for op in steps[0]:
        bound = ops.get(op)
        if bound is None or bound.op.traits.is_constant or not all(op in own for own in steps):
            continue
        for index, number in enumerate(bound.results):
            value = program.values[number]
            if isinstance(value.type, TensorType) and None not in value.type.shape:
                read = tuple(program.values[operand].name for operand in bound.operands)
                places = tuple(Address(process, "s", own[op], index) for process, own in enumerate(steps))
                line = program.line_of(op)
                found.append(Intermediate(value, places, bound.operation.spelled, line, read))
    return found


def as_stablehlo(module: Module) -> Module | None:
    """The program in StableHLO, where results are added; `None` if it cannot be expressed in it."""
    if module.language != "hlo":
        return module
    try:
        return stablehlo_module(module)
    except NotStablehlo:
        return None


def with_results(module: Module, entry: str, values: Sequence[Value]) -> str:
    """The text of a StableHLO program whose entry function also returns these values."""
    functions = tuple(
        _with_results(found, values) if found.name == entry else found for found in module.functions
    )
    return print_module(replace(module, functions=functions), op_table(), "generic")


def _with_results(function: Function, values: Sequence[Value]) -> Function:
    assert function.body is not None
    block = function.body.block
    end = block.operations[-1]
    longer = replace(end, operands=(*end.operands, *values), operand_spans=())
    body = replace(function.body, blocks=(replace(block, operations=(*block.operations[:-1], longer)),))
    types = (*function.result_types, *(value.type for value in values))
    attributes = function.result_attributes and (*function.result_attributes, *({} for _ in values))
    return replace(function, body=body, result_types=types, result_attributes=attributes)
