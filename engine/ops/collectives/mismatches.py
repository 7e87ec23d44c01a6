"""Differences between two ops of one collective execution: operands, attributes, computations."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from ...ir.element_types import QuantizedType
from ...ir.module import Operation, Region
from ...ir.types import TensorType
from ..core.bodies import Combiner, combiners
from ..core.field_plans import field_plans
from ..core.op import Op
from ..core.process_groups import IdTable
from ..core.regions import region_type, type_agrees
from ..core.rules import format_list

_GROUPING = frozenset({"replica_groups", "channel_handle", "use_global_device_ids", "replicas_first"})
"""Fields that name the participants, which the rendezvous has matched already."""
_DOES: Mapping[Combiner, str] = {
    Combiner.ADD: "adds",
    Combiner.MULTIPLY: "multiplies",
    Combiner.MAXIMUM: "takes the maximum",
    Combiner.MINIMUM: "takes the minimum",
    Combiner.AND: "combines by AND",
    Combiner.OR: "combines by OR",
    Combiner.XOR: "combines by XOR",
    Combiner.REPLACE: "takes the last",
}


def mismatch_of(here: Op, there: Op) -> str | None:
    """The difference, as the end of a sentence; `None` if the two fit together."""
    if here is there:
        return None
    names = here.name.rpartition(".")[2], there.name.rpartition(".")[2]
    if names[0] != names[1]:
        return f"{names[0]} here, {names[1]} there"
    return next(chain(_operands(here, there), _attribute_mismatches(here, there)), None)


def _operands(here: Op, there: Op) -> Iterator[str]:
    given, wanted = here.operand_types, there.operand_types
    if len(given) != len(wanted):
        counts = len(given), len(wanted)
        yield f"it has {counts[0]} operand{'s' * (counts[0] != 1)} here and {counts[1]} there"
    for number, (mine, other) in enumerate(zip(given, wanted, strict=False)):
        if not type_agrees(mine, other):
            name = f"operand {number}" if len(given) > 1 else "operand"
            yield f"{name} is {mine} here and {other} there"


def _attribute_mismatches(here: Op, there: Op) -> Iterator[str]:
    for plan in field_plans(type(here)):
        mine, other = getattr(here, plan.name), getattr(there, plan.name, None)
        if isinstance(mine, Region) and isinstance(other, Region):
            yield from _computations(mine, other)
        elif plan.source == "attribute" and plan.name not in _GROUPING and mine != other:
            yield f"{plan.name} is {_spell(mine)} here and {_spell(other)} there"


def _spell(value: Any) -> str:
    if isinstance(value, IdTable):
        return format_list(format_list(row) for row in value.rows)
    if isinstance(value, bool):
        return str(value).lower()
    return format_list(map(_spell, value)) if isinstance(value, tuple) else str(value)


def _computations(mine: Region, other: Region) -> Iterator[str]:
    if mine is other:
        return
    types = _element_type(mine), _element_type(other)
    if types[0] != types[1]:
        yield f"it computes in {types[0]} here and in {types[1]} there"
        return
    does = _combiner(mine), _combiner(other)
    if does[0] is not None and does[1] is not None:
        if does[0] != does[1]:
            yield f"it {_DOES[does[0]]} here and {_DOES[does[1]]} there"
    elif structure(mine) != structure(other):
        yield "its computation is another one here than there"


def _element_type(region: Region) -> Any:
    found = region_type(region).inputs
    return found[0].element_type if found and isinstance(found[0], TensorType) else None


def _combiner(region: Region) -> Combiner | None:
    found = None if isinstance(_element_type(region), QuantizedType) else combiners(region)
    return found[0] if found and len(found) == 1 else None


def structure(region: Region) -> list[tuple[Any, ...]]:
    """The text of a region with its values numbered in order of appearance instead of named."""
    numbers: dict[str, int] = {}
    terms: list[tuple[Any, ...]] = []
    waiting: list[Region | Operation] = [region]
    while waiting:  # not region in region: a program's depth must cost no Python frames
        found = waiting.pop()
        if isinstance(found, Operation):
            terms.append(_term(found, numbers))
            waiting.extend(reversed(found.regions))
            continue
        for block in found.blocks:
            numbers.update((value.name, len(numbers) + k) for k, value in enumerate(block.arguments))
            terms.append(tuple(value.type for value in block.arguments))
        waiting.extend(op for block in reversed(found.blocks) for op in reversed(block.operations))
    return terms


def _term(operation: Operation, numbers: dict[str, int]) -> tuple[Any, ...]:
    operands = [numbers.setdefault(value.name, len(numbers)) for value in operation.operands]
    numbers.update((value.name, len(numbers) + k) for k, value in enumerate(operation.results))
    types = [value.type for value in operation.results]
    counts = [len(region.blocks) for region in operation.regions]
    return operation.name, operands, types, dict(operation.properties), counts
