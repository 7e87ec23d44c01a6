"""Index maps of an op by result and operand, in both directions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial

from ...indexing import IndexMap, OperandMap
from ...ops.core.op import Op
from .relations import Kind

Sorted = dict[tuple[int, int], list[OperandMap]]
"""Maps by result and operand."""


@dataclass(frozen=True)
class Reading:
    """The relation of a result to an operand, both with tuples flattened."""

    result: int
    operand: int
    items: tuple[OperandMap, ...]
    kind: Kind
    inverse_items: Callable[[], Sequence[OperandMap]]
    """Computed on demand, because most walks only go backwards."""

    @cached_property
    def maps(self) -> tuple[IndexMap, ...]:
        """Maps from result to operand; a process position, if any, is the last map result."""
        return tuple(item.placed for item in self.items)

    @cached_property
    def inverse(self) -> tuple[IndexMap, ...]:
        """The maps from operand to result."""
        return tuple(item.placed for item in self.inverse_items())

    @property
    def has_places(self) -> bool:
        """Whether the maps include process positions."""
        return any(item.place is not None for item in self.items)

    @cached_property
    def is_same(self) -> bool:
        """Whether the map is the identity between equal shapes."""
        if len(self.items) != 1 or self.has_places:
            return False
        (found,) = self.maps
        return found == IndexMap.identity([interval.upper + 1 for interval in found.dimensions])


class OpMaps:
    """The index maps of an op, by result."""

    def __init__(self, op: Op) -> None:
        self.op = op

    @cached_property
    def _readings(self) -> dict[int, list[Reading]]:
        found: dict[int, list[Reading]] = {}
        op = self.op.unpacked
        inverse: Callable[[], Iterable[OperandMap]] = op.inverse_index_maps
        maps = op.index_maps()
        if op.tracing.places_apart:
            # Other possible effects of its indices are a separate link: see `separate_placement`.
            maps, inverse = op.value_maps(), partial(op.value_maps, inverse=True)
        for reading in readings(maps, inverse):
            found.setdefault(reading.result, []).append(reading)
        return found

    def of(self, result: int) -> Sequence[Reading]:
        """The readings of a result."""
        return self._readings.get(result, ())


def readings(maps: Iterable[OperandMap], inverse: Callable[[], Iterable[OperandMap]]) -> list[Reading]:
    """Combine the maps of both directions by result and operand."""
    there = _group_maps(maps)
    indices = _index_operands(item for items in there.values() for item in items)
    known = cache(lambda: _group_maps(inverse()))
    found = []
    for (result, operand), items in there.items():
        kind = Kind.INDEX if operand in indices else Kind.DATA
        if any(item.map.is_undefined for item in items):
            kind = Kind.OPAQUE
        found.append(Reading(result, operand, tuple(items), kind, partial(_of, known, result, operand)))
    return found


def _of(known: Callable[[], Sorted], result: int, operand: int) -> Sequence[OperandMap]:
    return known().get((result, operand), ())


def _index_operands(items: Iterable[OperandMap]) -> set[int]:
    """Operands that runtime variables are read from."""
    waiting = [item.map for item in items]
    found: set[int] = set()
    while waiting:
        for variable in waiting.pop().runtimes:
            found.add(variable.operand)
            waiting.append(variable.map)
    return found


def _group_maps(items: Iterable[OperandMap]) -> Sorted:
    found: Sorted = {}
    for item in items:
        found.setdefault((item.result, item.operand), []).append(item)
    return found
