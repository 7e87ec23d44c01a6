"""Edits of functions and operations: renaming, reads, inlining."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..ir.attributes import ArrayAttribute, Attribute, SymbolAttribute
from ..ir.module import Block, Function, Module, Operation, Region, Value, walk
from ..ir.types import TupleType
from ..source import NOWHERE

CALLS = {"func.call": "callee", "hlo.fusion": "calls"}
"""Ops that run a function once on their operands, and the property with its name."""


def reads(operation: Operation) -> list[Value]:
    """The outer values that an operation and its regions read, each once and in order."""
    found = {value.name: value for value in operation.operands}
    for region in operation.regions:
        if not region.function:
            found |= {value.name: value for value in _captures(region) if value.name not in found}
    return list(found.values())


def _captures(region: Region) -> Iterator[Value]:
    made = {argument.name for block in region.blocks for argument in block.arguments}
    for operation in walk(region):
        yield from (value for value in operation.operands if value.name not in made)
        made.update(value.name for value in operation.results)
        for inner in operation.regions:
            made.update(argument.name for block in inner.blocks for argument in block.arguments)


def with_values(operation: Operation, values: Mapping[str, Value]) -> Operation:
    """Replace values by name in everything that an operation reads or makes."""
    return replace(
        operation,
        operands=tuple(values.get(value.name, value) for value in operation.operands),
        results=tuple(values.get(value.name, value) for value in operation.results),
        regions=tuple(_region_with(region, values) for region in operation.regions),
    )


def _region_with(region: Region, values: Mapping[str, Value]) -> Region:
    if region.function:
        return region
    blocks = tuple(
        replace(
            block,
            arguments=tuple(values.get(value.name, value) for value in block.arguments),
            operations=tuple(with_values(operation, values) for operation in block.operations),
        )
        for block in region.blocks
    )
    return replace(region, blocks=blocks)


def values_in(operation: Operation) -> Iterator[Value]:
    """All values that an operation and its regions make, including block arguments."""
    yield from operation.results
    for region in operation.regions:
        if region.function:
            continue
        for block in region.blocks:
            yield from block.arguments
            for inner in block.operations:
                yield from values_in(inner)


def symbols(attribute: Attribute) -> Iterator[str]:
    """The functions that an attribute refers to."""
    if isinstance(attribute, SymbolAttribute):
        yield attribute.root
    elif isinstance(attribute, ArrayAttribute):
        for item in attribute.elements:
            yield from symbols(item)


def used_functions(body: Region) -> Iterator[str]:
    """The functions that ops in a region refer to, in regions or properties."""
    for operation in walk(body):
        yield from (region.function for region in operation.regions if region.function)
        for attribute in (*operation.properties.values(), *operation.attributes.values()):
            yield from symbols(attribute)


def reachable(functions: Sequence[Function], entry: Function) -> tuple[Function, ...]:
    """The functions reachable from the entry, in order, with refreshed shared bodies."""
    by_name = {function.name: function for function in functions}
    seen, waiting = {entry.name}, [entry.name]
    while waiting:
        body = by_name[waiting.pop()].body
        for name in used_functions(body) if body else ():
            if name in by_name and name not in seen:
                seen.add(name)
                waiting.append(name)
    return refreshed([function for function in functions if function.name in seen])


def refreshed(functions: Iterable[Function]) -> tuple[Function, ...]:
    """Update regions that are bodies of named functions; callees must come first."""
    bodies: dict[str, tuple[Block, ...]] = {}
    found: list[Function] = []
    for function in functions:
        if function.body is None:
            found.append(function)
            continue
        body = _refreshed_region(function.body, bodies)
        bodies[function.name] = body.blocks
        found.append(replace(function, body=body))
    return tuple(found)


def _refreshed_region(region: Region, bodies: Mapping[str, tuple[Block, ...]]) -> Region:
    if region.function:
        return replace(region, blocks=bodies.get(region.function, region.blocks))
    blocks = tuple(
        replace(block, operations=tuple(_refreshed(operation, bodies) for operation in block.operations))
        for block in region.blocks
    )
    return replace(region, blocks=blocks)


def _refreshed(operation: Operation, bodies: Mapping[str, tuple[Block, ...]]) -> Operation:
    if not operation.regions:
        return operation
    return replace(
        operation, regions=tuple(_refreshed_region(region, bodies) for region in operation.regions)
    )


def module_with(
    module: Module, operations: Sequence[Operation], arguments: Sequence[Value], results: Sequence[Value]
) -> Module:
    """Replace the body of the entry; in HLO, several results are packed into a tuple."""
    entry = module.entry
    assert entry is not None
    assert entry.body is not None
    end = entry.body.block.operations[-1]
    operations = list(operations)
    if module.language == "hlo" and len(results) != 1:
        name = fresh_name("%results", {value.name for op in operations for value in op.results})
        packed = Value(name, TupleType(tuple(value.type for value in results)))
        operations.append(Operation("stablehlo.tuple", tuple(results), (packed,), opcode="tuple"))
        results = [packed]
    end = replace(end, operands=tuple(results))
    block = Block(tuple(arguments), (*operations, end))
    changed = replace(
        entry,
        arguments=tuple(arguments),
        result_types=tuple(value.type for value in results),
        body=Region((block,)),
        argument_attributes=_kept(entry.argument_attributes, entry.arguments, arguments),
        result_attributes=_kept(entry.result_attributes, entry.body.block.operations[-1].operands, results),
        span=NOWHERE,
    )
    functions = [changed if function is entry else function for function in module.functions]
    return replace(module, functions=reachable(functions, changed))


def _kept(
    attributes: Sequence[Mapping[str, Attribute]], before: Sequence[Value], after: Sequence[Value]
) -> tuple[Mapping[str, Attribute], ...]:
    """The attributes of the values that were there before, by name; none if no value has any."""
    known = {value.name: found for value, found in zip(before, attributes, strict=False)}
    found = tuple(known.get(value.name, {}) for value in after)
    return found if any(found) else ()


def map_operations(function: Function, change: Callable[[Operation], Operation]) -> Function:
    """Change each operation of a function, the outer before those in its regions."""

    def in_region(region: Region) -> Region:
        if region.function:
            return region
        return replace(
            region,
            blocks=tuple(
                replace(block, operations=tuple(map(changed, block.operations))) for block in region.blocks
            ),
        )

    def changed(operation: Operation) -> Operation:
        found = change(operation)
        return replace(found, regions=tuple(map(in_region, found.regions))) if found.regions else found

    return function if function.body is None else replace(function, body=in_region(function.body))


def fresh_name(wanted: str, taken: set[str]) -> str:
    """Reserve an unused name that resembles the wanted one."""
    found, number = wanted, 0
    if wanted in taken or "#" in wanted:
        # In MLIR a name that begins with a digit has nothing but digits.
        base = wanted.replace("#", "_")
        base = f"%v{base[1:]}" if base[1:2].isdigit() else base
        found = base
        while found in taken:
            number += 1
            found = f"{base}_{number}"
    taken.add(found)
    return found


def renamed_apart(operation: Operation, taken: set[str], own: set[str]) -> tuple[Operation, dict[str, Value]]:
    """Rename everything that an operation makes to unused names, and return the renamed values.

    `own` are the names in its function; no other value may get one of them.
    """
    packs: dict[str, str] = {}
    values: dict[str, Value] = {}
    for value in values_in(operation):
        base, sharp, number = value.name.partition("#")
        if base not in packs:
            packs[base] = fresh_name(base, taken | own if base in taken else taken)
            taken.add(packs[base])
        values[value.name] = replace(value, name=f"{packs[base]}{sharp}{number}")
    return with_values(operation, values), values


def inlined(
    module: Module, operations: Iterable[Operation], chosen: Callable[[Operation], bool] = lambda _: True
) -> tuple[list[Operation], dict[str, Value]]:
    """Inline the chosen calls; also return the values that replace their results."""
    found: list[Operation] = []
    taken: set[str] = set()
    stands: dict[str, Value] = {}
    assert module.entry is not None
    waiting = list(operations)[::-1]
    taken.update(value.name.partition("#")[0] for operation in waiting for value in values_in(operation))
    taken.update(value.name for value in module.entry.arguments)
    while waiting:
        operation = with_values(waiting.pop(), stands)
        callee = called(module, operation) if chosen(operation) else None
        if callee is None:
            found.append(operation)
            continue
        body, returned = _body_of(callee, operation, taken)
        stands |= {value.name: to for value, to in zip(operation.results, returned, strict=True)}
        waiting.extend(reversed(body))
    return found, stands


def called(module: Module, operation: Operation) -> Function | None:
    """The callee of an operation that runs a function with a body once on its operands."""
    named = operation.properties.get(CALLS.get(operation.name, ""))
    callee = module.function(named.root) if isinstance(named, SymbolAttribute) else None
    return callee if callee is not None and callee.body is not None else None


def _body_of(
    callee: Function, operation: Operation, taken: set[str]
) -> tuple[list[Operation], tuple[Value, ...]]:
    assert callee.body is not None
    values = {
        argument.name: given for argument, given in zip(callee.arguments, operation.operands, strict=True)
    }
    body: list[Operation] = []
    *operations, end = callee.body.block.operations
    own = set(values).union(*({value.name for value in values_in(inner)} for inner in operations))
    own |= {name.partition("#")[0] for name in own}
    for inner in operations:
        # Rename the body's results before substituting its operands: names may coincide.
        apart, made = renamed_apart(replace(inner, operands=()), taken, own)
        read = tuple(values.get(value.name, value) for value in inner.operands)
        apart = with_values(apart, values)
        values |= made
        body.append(replace(apart, operands=read))
    return body, tuple(values.get(value.name, value) for value in end.operands)
