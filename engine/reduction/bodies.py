"""Reductions inside ops with regions: use a region instead of its op, and remove ops."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from ..debugger.address import Address
from ..ir.attributes import DenseAttribute
from ..ir.module import Block, Module, Operation, Region, Value
from ..ir.types import TensorType
from ..ops.core.op import Array
from .case import Case
from .cutting import assemble, cone, keep
from .editing import reads, refreshed, with_values
from .recorded import Recorded


def descents(case: Case, recorded: Recorded) -> Iterator[Case | None]:
    """For each op with regions, yield a region's ops alone, on the values of one of its runs."""
    for number, operation in enumerate(case.operations):
        for block, addresses in recorded.frames(number) if operation.regions else ():
            *operations, end = block.operations
            made = {result.name for inner in operations for result in inner.results}
            results = [result for result in end.operands if result.name in made]
            yield assemble(case, operations, results, _Lookup(recorded, addresses), outer=False)


class _Lookup:
    """Looks up values of a frame, then of the entry around it."""

    def __init__(self, recorded: Recorded, addresses: Mapping[str, Address]) -> None:
        self._recorded, self._addresses = recorded, addresses

    def __call__(self, name: str) -> Array | None:
        address = self._addresses.get(name)
        return self._recorded.get(name) if address is None else self._recorded.at(address)


def bypasses(case: Case) -> Iterator[Case | None]:
    """For each op, yield the case with another value of its type instead of its result.

    In regions, and in functions that ops name, a constant of zeros may also replace it.
    """
    entry = case.entry.body
    assert entry is not None
    yield from _bypasses_in(case, entry.block, {}, inner=False)
    for function in case.module.functions:
        if function is not case.entry and function.body is not None:
            yield from _bypasses_in(case, function.body.block, {}, inner=True)


def _bypasses_in(case: Case, block: Block, outer: Mapping[str, Value], inner: bool) -> Iterator[Case | None]:
    visible = {**outer, **{value.name: value for value in block.arguments}}
    for operation in block.operations[:-1]:
        for value in _replacements(operation, visible):
            yield _without(case, operation, value)
        if inner and operation.name != "stablehlo.constant":
            yield _zeroed(case, operation)
        for region in operation.regions:
            if not region.function and len(region.blocks) == 1:
                yield from _bypasses_in(case, region.block, visible, inner=True)
        visible |= {value.name: value for value in operation.results}


def _replacements(operation: Operation, visible: Mapping[str, Value]) -> list[Value]:
    """The operands of the result's type, then an argument or an earlier value of it; the last one is the nearest."""
    if len(operation.results) != 1:
        return []
    wanted = operation.results[0].type
    operands = [value for value in operation.operands if value.type == wanted]
    others = [value for value in visible.values() if value.type == wanted][-1:]
    return list({value.name: value for value in (*operands, *others)}.values())


def _without(case: Case, target: Operation, value: Value) -> Case | None:
    """The case without an op, whose result is replaced by `value`."""
    values = {target.results[0].name: value}

    def change(block: Block) -> Block:
        if not any(operation is target for operation in block.operations):
            return block
        rest = [operation for operation in block.operations if operation is not target]
        return replace(block, operations=tuple(with_values(operation, values) for operation in rest))

    return tidy(replace_blocks(case, change))


def _zeroed(case: Case, target: Operation) -> Case | None:
    """Replace an op by a constant of zeros."""
    if len(target.results) != 1 or not isinstance(target.results[0].type, TensorType):
        return None
    constant = constant_of(target.results[0], 0, case.module)
    if constant is None:
        return None

    def change(block: Block) -> Block:
        changed = (constant if operation is target else operation for operation in block.operations)
        return replace(block, operations=tuple(changed))

    return tidy(replace_blocks(case, change))


def constant_of(value: Value, number: float, module: Module) -> Operation | None:
    """A constant op with equal elements for a value; `None` if its type has no such constant."""
    type = value.type
    if not isinstance(type, TensorType) or not type.is_static or type.element_type.kind == "quantized":
        return None
    element = np.asarray(number).astype(type.element_type.dtype)
    data = np.broadcast_to(element, type.sizes)
    opcode = "constant" if module.language == "hlo" else ""
    plain = TensorType(type.shape, type.element_type, layout=type.layout)
    return Operation(
        "stablehlo.constant", (), (value,), {"value": DenseAttribute(plain, data)}, opcode=opcode
    )


def replace_blocks(case: Case, change: Callable[[Block], Block]) -> Case:
    """Apply `change` to each block, inner blocks first; shared bodies are changed once."""

    def region(found: Region) -> Region:
        if found.function:
            return found
        return replace(found, blocks=tuple(block(inner) for inner in found.blocks))

    def block(found: Block) -> Block:
        changed = change(found)
        operations = tuple(
            replace(operation, regions=tuple(map(region, operation.regions)))
            if operation.regions
            else operation
            for operation in changed.operations
        )
        return replace(changed, operations=operations)

    functions = [
        replace(function, body=region(function.body)) if function.body else function
        for function in case.module.functions
    ]
    return Case(replace(case.module, functions=refreshed(functions)), case.inputs)


def tidy(case: Case) -> Case | None:
    """Remove ops and parameters without readers, in the entry and in regions."""
    found = keep(case, cone(case, case.results), lambda _: None)
    return None if found is None else replace_blocks(found, _without_unread)


def _without_unread(block: Block) -> Block:
    """Remove ops of a block whose results nothing reads, last ones first."""
    *operations, end = block.operations
    read = {value.name for value in end.operands}
    kept = [end]
    for operation in reversed(operations):
        if not operation.results or any(value.name in read for value in operation.results):
            kept.append(operation)
            read |= {value.name for value in reads(operation)}
    return replace(block, operations=tuple(reversed(kept)))
