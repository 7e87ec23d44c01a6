"""What a body reads: which of its arguments each value depends on that it returns, and so which operands of the op.

A body may ignore arguments (a scatter that overwrites reads no current value), and one over several inputs may
treat them apart. Index maps then name fewer operands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce

from ...indexing import OperandMap
from ...ir.module import Operation, Region
from .known_ops import op_table

Arguments = frozenset[int]
_NONE: Arguments = frozenset()


def arguments_read(body: Region) -> tuple[Arguments, ...]:
    """For each value that the body returns, the numbers of the arguments that it depends on."""
    block = body.block
    known = {argument.name: frozenset([number]) for number, argument in enumerate(block.arguments)}
    for operation in block.operations[:-1]:
        found = _union(known.get(name, _NONE) for name in _names_read(operation))
        known |= {value.name: found for value in operation.results}
    return tuple(known.get(value.name, _NONE) for value in block.operations[-1].operands)


def combined_inputs(body: Region) -> tuple[Arguments, ...]:
    """For each result of a body over n accumulators and n elements, the inputs that it combines.

    An accumulator depends on all that the accumulators depend on that it is computed from.
    """
    direct = arguments_read(body)
    count = len(direct)
    pairs = [frozenset(number % count for number in found) for found in direct]
    return tuple(frozenset(_combined_with(number, pairs)) for number in range(count))


def _combined_with(result: int, pairs: list[Arguments]) -> Iterator[int]:
    """The numbers of the inputs that a result combines; its own need not be among them, as of a body with a
    constant.
    """
    reached = closure(frozenset([result]), pairs.__getitem__)
    return (number for number in reached if any(number in pairs[other] for other in reached))


def accumulations(body: Region) -> tuple[tuple[Arguments, Arguments, bool, bool], ...]:
    """Of a body over n accumulators and n elements, which takes one element after another: for each result the
    accumulators whose first values it may read, the elements, whether all but the last are lost, and whether its own
    accumulator is all that it ever is.
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
    """Whether all ops of the body are elementwise, or read nothing: their values are all of one shape, or alone."""
    kinds = [op_table().get(operation.name) for operation in body.block.operations[:-1]]
    pairs = zip(kinds, body.block.operations, strict=False)
    return all(
        kind is not None and (kind.traits.is_elementwise or not found.operands) for kind, found in pairs
    )


def closure(start: Arguments, following: Callable[[int], Arguments]) -> Arguments:
    """`start` and all that follows from it."""
    found, waiting = set(start), list(start)
    while waiting:
        for number in following(waiting.pop()) - found:
            found.add(number)
            waiting.append(number)
    return frozenset(found)


def combined_maps(maps: Iterable[OperandMap], body: Region) -> Iterator[OperandMap]:
    """Of maps from all results to all inputs and initial values, those to what the body combines."""
    combined = combined_inputs(body)
    return (found for found in maps if found.operand % len(combined) in combined[found.result])


def _names_read(operation: Operation) -> Iterator[str]:
    """The names of all values that an operation reads, also in its regions."""
    yield from (value.name for value in operation.operands)
    for region in operation.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield from _names_read(inner)


def _union(sets: Iterable[Arguments]) -> Arguments:
    return reduce(frozenset.union, sets, _NONE)
