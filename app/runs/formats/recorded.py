"""Use the arguments of a recorded execution for a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hloscope.engine.errors import InputError
from hloscope.engine.inputs import InputSpec
from hloscope.engine.ir.module import Function
from hloscope.engine.ir.types import TokenType, TupleType, Type, leaf_types
from hloscope.engine.ops.core.process_groups import Grid

from ...processes.arrays import Array
from ..launching import ArgumentSource


def recorded_inputs(
    partitions: Sequence[Sequence[Array]], entry: Function, grid: Grid
) -> dict[int, ArgumentSource]:
    """The source of each argument of `entry` by number; empty if nothing was recorded.

    `partitions` has the arrays of each partition, with tuples flattened. Raises `InputError` if they do not fit `entry`.
    """
    if not partitions:
        return {}
    types = [argument.type for argument in entry.arguments]
    specs = [_specs(types, arrays, entry.name) for arrays in partitions]
    if len(specs) == 1:
        return {number: ArgumentSource.one(spec) for number, spec in enumerate(specs[0])}
    if len(specs) != grid.num_processes:
        raise InputError(
            f"the file holds arguments of {len(specs)} partitions, and the grid is {grid}",
            hint=f"Run it with --partitions {len(specs)}, or give other inputs.",
        )
    return {
        number: ArgumentSource("each", tuple(spec[number] for spec in specs)) for number in range(len(types))
    }


def _specs(types: Sequence[Type], arrays: Sequence[Array], name: str) -> list[InputSpec]:
    wanted = sum(not isinstance(leaf, TokenType) for type in types for leaf in leaf_types(type))
    if wanted != len(arrays):
        raise InputError(
            f"the file holds {len(arrays)} arrays of arguments, and @{name} takes {wanted}",
            hint="Give the inputs with --inputs or --input.",
        )
    leaves = iter(arrays)
    return [_spec(type, leaves) for type in types]


def _spec(type: Type, leaves: Iterator[Array]) -> InputSpec:
    if isinstance(type, TupleType):
        return InputSpec("array", parts=tuple(_spec(part, leaves) for part in type.types))
    return InputSpec("array") if isinstance(type, TokenType) else InputSpec("array", array=next(leaves))
