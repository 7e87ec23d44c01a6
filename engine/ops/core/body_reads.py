"""Dependencies inside a body: the arguments, and so the operands of the op, that each returned value depends on.

A body may ignore arguments (a scatter that overwrites reads no current value), and a body over several inputs may
keep them separate. Index maps then name fewer operands.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import reduce

from ...indexing import OperandMap
from ...ir.module import Operation, Region
from .registry import op_table

Arguments = frozenset[int]
_NONE: Arguments = frozenset()


def arguments_read(body: Region) -> tuple[Arguments, ...]:
    """For each returned value, the numbers of the arguments that it depends on."""
    block = body.block
    known = {argument.name: frozenset([number]) for number, argument in enumerate(block.arguments)}
    for operation in block.operations[:-1]:
        found = _union(known.get(name, _NONE) for name in _names_read(operation))
        known |= {value.name: found for value in operation.results}
    return tuple(known.get(value.name, _NONE) for value in block.operations[-1].operands)


def combined_inputs(body: Region) -> tuple[Arguments, ...]:
    """For each result of a body over n accumulators and n elements, the inputs that it combines.

    An accumulator depends on everything that the accumulators in its computation depend on.
    """
    direct = arguments_read(body)
    count = len(direct)
    pairs = [frozenset(number % count for number in found) for found in direct]
    return tuple(frozenset(_combined_with(number, pairs)) for number in range(count))


def _combined_with(result: int, pairs: list[Arguments]) -> Iterator[int]:
    """The numbers of the inputs that a result combines; a body may ignore the result's own input."""
    reached = closure(frozenset([result]), pairs.__getitem__)
    return (number for number in reached if any(number in pairs[other] for other in reached))


def accumulations(body: Region) -> tuple[tuple[Arguments, Arguments, bool, bool], ...]:
    """For each result of a body over n accumulators and n elements, applied to one element after another:

    the accumulators whose first values it may read, the elements that it reads, whether only the last element counts,
    and whether the result always equals its accumulator.
    """
    count = len(body.block.operations[-1].operands)
    current = [frozenset(k for k in found if k < count) for found in arguments_read(body)]
    elements = [frozenset(k - count for k in found if k >= count) for found in arguments_read(body)]
    found = []
    for result in range(count):
        reached = closure(frozenset([result]), current.__getitem__)
        sides = [_union(side[k] for k in reached) for side in (current, elements)]
        keeps = body.block.operations[-1].operands[result].name == body.block.arguments[result].name
        found.append((sides[0], sides[1], not current[result], keeps))
    return tuple(found)


def goes_element_by_element(body: Region) -> bool:
    """Whether each op of the body is elementwise or reads nothing, so that all values have one shape or none."""
    kinds = [op_table().get(operation.name) for operation in body.block.operations[:-1]]
    pairs = zip(kinds, body.block.operations, strict=False)
    return all(
        kind is not None and (kind.traits.is_elementwise or not found.operands) for kind, found in pairs
    )


def closure(start: Arguments, following: Callable[[int], Arguments]) -> Arguments:
    """`start` and everything reachable through `following`."""
    found, waiting = set(start), list(start)
    while waiting:
        for number in following(waiting.pop()) - found:
            found.add(number)
            waiting.append(number)
    return frozenset(found)


def combined_maps(maps: Iterable[OperandMap], body: Region) -> Iterator[OperandMap]:
    """The maps to inputs and initial values that the body combines, out of maps to all of them."""
    combined = combined_inputs(body)
    return (found for found in maps if found.operand % len(combined) in combined[found.result])


def _names_read(operation: Operation) -> Iterator[str]:
    """The names of all values that an operation and its regions read."""
    yield from (value.name for value in operation.operands)
    for region in operation.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield from _names_read(inner)


def _union(sets: Iterable[Arguments]) -> Arguments:
    return reduce(frozenset.union, sets, _NONE)
