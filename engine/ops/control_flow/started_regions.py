"""Regions whose collective ops are only started, and the values that stand for what comes of them."""

from typing import Any

from ...ir.module import Operation, Region
from ..core.exchanges import Arrived, Await
from ..core.op import Array, Ask
from ..core.values import is_tuple, read_only, tuple_of
from .tuples import Tuple

COLLECTIVES = frozenset(
    (
        *("stablehlo.all_gather", "stablehlo.all_reduce", "stablehlo.all_to_all", "stablehlo.reduce_scatter"),
        *("stablehlo.collective_broadcast", "stablehlo.collective_permute", "stablehlo.collective_reduce"),
        "stablehlo.cross-replica-sum",
        *("hlo.all_to_all", "hlo.all_to_all_tuple", "hlo.ragged_all_to_all", "hlo.reduce_scatter"),
        *("hlo.collective_broadcast", "hlo.collective_permute", "hlo.collective_permute_in_place"),
    )
)
"""Collective ops without separate ops that start them and wait for them."""


def only_starts(region: Region) -> bool:
    """Whether a region only returns the results of its collective ops, as its value or in a tuple.

    Then it may only start them: the placeholders that it returns stand for their results. An op that reads a result,
    even one that takes a tuple apart, needs the result itself.
    """
    if not region.blocks or not region.block.operations:
        return False
    *operations, end = region.block.operations
    begun = [operation for operation in operations if operation.name in COLLECTIVES]
    results = [value.name for operation in begun for value in operation.results]
    if len(results) != len(begun):
        return False  # several results would have to be told apart
    returned = {value.name for value in end.operands}
    root = next((found for found in operations if _is_tuple_of(found, returned)), None)
    uses = [value.name for found in (*operations, end) for value in found.operands if value.name in results]
    returned_names = [value.name for found in (root, end) if found for value in found.operands]
    return all(uses.count(name) == returned_names.count(name) == 1 for name in results)


def _is_tuple_of(operation: Operation, returned: set[str]) -> bool:
    return operation.name == Tuple.name and operation.results[0].name in returned


def collect(value: Array) -> Ask:
    """A request for the outcomes that a value stands for, as a region that `only_starts` returned it.

    `resume_collect` takes the answer.
    """
    return Ask((value, None), Await(value))


def resume_collect(state: Any, arrived: Arrived) -> Ask | Array:
    """The value with all outcomes in place of their placeholders, or the request for the next one."""
    value, parts = state
    if arrived.outputs is not None:
        found = read_only(arrived.outputs[0])
    else:
        found = value if parts is None else value[len(parts)]
    if parts is None:
        is_open = arrived.outputs is None and is_tuple(value) and len(value) > 0
        return Ask((value, ()), Await(value[0])) if is_open else found
    parts = (*parts, found)
    if len(parts) < len(value):
        return Ask((value, parts), Await(value[len(parts)]))
    return tuple_of(parts)
