"""The index maps of an op, sorted by result and operand, both ways."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...indexing import IndexMap, OperandMap
from ...ops.op import Op
from .relations import Kind


@dataclass(frozen=True)
class Reading:
    """How a result reads an operand, both counted with tuples taken apart."""

    result: int
    operand: int
    items: tuple[OperandMap, ...]
    inverse_items: tuple[OperandMap, ...]
    kind: Kind

    @cached_property
    def maps(self) -> tuple[IndexMap, ...]:
        """From result to operand; the place of the process, where there is one, is the last result."""
        return tuple(item.placed for item in self.items)

    @cached_property
    def inverse(self) -> tuple[IndexMap, ...]:
        """From operand to result."""
        return tuple(item.placed for item in self.inverse_items)

    @property
    def has_places(self) -> bool:
        """Whether it tells the processes."""
        return any(item.place is not None for item in (*self.items, *self.inverse_items))

    @cached_property
    def is_same(self) -> bool:
        """Whether each element is the one of the same index, and there is nothing else to it."""
        if len(self.items) != 1 or self.has_places:
            return False
        (found,) = self.maps
        sizes = [interval.upper + 1 for interval in found.dimensions]
        return len(self.inverse) == 1 and found == IndexMap.identity(sizes) == self.inverse[0]


class OpMaps:
    """All maps of an op."""

    def __init__(self, op: Op) -> None:
        self.op = op

    @cached_property
    def _readings(self) -> dict[int, list[Reading]]:
        found: dict[int, list[Reading]] = {}
        for reading in readings(self.op.index_maps(), self.op.inverse_index_maps()):
            found.setdefault(reading.result, []).append(reading)
        return found

    def of(self, result: int) -> Sequence[Reading]:
        """What a result reads."""
        return self._readings.get(result, ())


def readings(maps: Iterable[OperandMap], inverse: Iterable[OperandMap]) -> list[Reading]:
    """Maps of both ways, put together by result and operand."""
    there, back = _sorted(maps), _sorted(inverse)
    indices = _index_operands(item for items in there.values() for item in items)
    found = []
    for (result, operand), items in there.items():
        kind = Kind.INDEX if operand in indices else Kind.DATA
        if any(item.map.is_undefined for item in items):
            kind = Kind.OPAQUE
        found.append(Reading(result, operand, tuple(items), tuple(back.get((result, operand), ())), kind))
    return found


def _index_operands(items: Iterable[OperandMap]) -> set[int]:
    """Operands that runtime variables are read from."""
    waiting = [item.map for item in items]
    found: set[int] = set()
    while waiting:
        for variable in waiting.pop().runtimes:
            found.add(variable.operand)
            waiting.append(variable.map)
    return found


def _sorted(items: Iterable[OperandMap]) -> dict[tuple[int, int], list[OperandMap]]:
    found: dict[tuple[int, int], list[OperandMap]] = {}
    for item in items:
        found.setdefault((item.result, item.operand), []).append(item)
    return found
