"""Simpler arrays for inputs and literals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..ir.attributes import DenseAttribute
from ..ir.module import Block, Operation
from ..ops.core.op import Array
from ..ops.core.values import is_tuple
from .bodies import replace_blocks
from .case import Case

LARGEST = 8
"""Maximum absolute value of small integers."""


def forms(array: Array) -> Iterator[Array]:
    """Yield simpler arrays of the same type and shape, simplest first, up to the array itself."""
    if is_tuple(array) or not array.size:
        return
    for candidate in _candidates(array):
        if candidate.tobytes() == np.ascontiguousarray(array).tobytes():
            return
        yield candidate


def _candidates(array: Array) -> Iterator[Array]:
    with np.errstate(all="ignore"):
        yield np.zeros(array.shape, array.dtype)
        yield np.ones(array.shape, array.dtype)
        if array.dtype == np.bool_ or (array.size == 1 and array.dtype.kind in "iu"):
            return
        if array.size > 1:
            yield np.arange(array.size).reshape(array.shape).astype(array.dtype)
            yield (np.arange(array.size) % LARGEST).reshape(array.shape).astype(array.dtype)
            yield np.full(array.shape, array.reshape(-1)[0])
        if array.dtype.kind not in "iuc":
            wide = array.astype(np.float64)
            yield np.clip(np.rint(np.nan_to_num(wide)), -LARGEST, LARGEST).astype(array.dtype)
            yield np.rint(wide).astype(array.dtype)


def with_input(case: Case, number: int, array: Array) -> Case:
    """Replace the array of one input."""
    inputs = tuple(array if at == number else given for at, given in enumerate(case.inputs))
    return Case(case.module, inputs)


def simpler_literals(case: Case) -> Iterator[Case]:
    """For each literal of the program, yield cases with simpler ones."""
    for function in case.module.functions:
        for operation in _constants(function.body.block if function.body else None):
            value = operation.properties["value"]
            assert isinstance(value, DenseAttribute)
            for array in forms(value.data):
                yield _with_literal(case, operation, replace(value, data=_as_splat(array)))


def _as_splat(array: Array) -> Array:
    first = array.reshape(-1)[:1].reshape(())
    same = array.tobytes() == first.tobytes() * array.size
    return np.broadcast_to(first, array.shape) if same else array


def _constants(block: Block | None) -> Iterator[Operation]:
    for operation in block.operations if block else ():
        if operation.name == "stablehlo.constant" and isinstance(
            operation.properties.get("value"), DenseAttribute
        ):
            yield operation
        for region in operation.regions:
            if not region.function:
                for inner in region.blocks:
                    yield from _constants(inner)


def _with_literal(case: Case, target: Operation, value: DenseAttribute) -> Case:
    changed = replace(target, properties={**target.properties, "value": value})

    def change(block: Block) -> Block:
        operations = (changed if operation is target else operation for operation in block.operations)
        return replace(block, operations=tuple(operations))

    return replace_blocks(case, change)
