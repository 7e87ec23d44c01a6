"""Reader of buffer assignments: the allocations of a compiled module and the values in each."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ALLOCATION = re.compile(r"allocation (\d+): size (\d+)(?:, (.*?))?:?\s*")
_VALUE = re.compile(r"\s*value: <\d+ ([^ >]+)[^>]*> \(size=(\d+),offset=(\d+)\): (.*)")
_SHAPE = re.compile(r"(?:output )?shape (?:is )?\|([^|]*)\|(?: at ShapeIndex \{[^}]*\})?")


@dataclass(frozen=True)
class BufferValue:
    """One value in an allocation; sizes in bytes."""

    name: str
    """`add.7`, or `tuple.3{1}` for an element of a tuple."""
    size: int
    offset: int
    shape: str


@dataclass(frozen=True)
class Allocation:
    """One piece of memory of a compiled module; sizes in bytes."""

    number: int
    size: int
    kinds: tuple[str, ...]
    """`parameter 0`, `maybe-live-out`, `preallocated-temp` or `constant`, in XLA's spelling."""
    shape: str
    """Shape of the parameter, if the allocation is one."""
    values: tuple[BufferValue, ...]


def read_allocations(text: str) -> tuple[Allocation, ...]:
    """Read the allocations of a text that begins with `BufferAssignment:`, in its order."""
    return tuple(_allocations(text))


def _allocations(text: str) -> Iterator[Allocation]:
    head: re.Match[str] | None = None
    values: list[BufferValue] = []
    for line in text.splitlines():
        if value := _VALUE.fullmatch(line):
            values.append(BufferValue(value[1], int(value[2]), int(value[3]), value[4]))
        elif found := _ALLOCATION.fullmatch(line):
            if head is not None:
                yield _allocation(head, values)
            head, values = found, []
        elif not line.strip() or not line.startswith(" "):
            # The lists of used and live values follow the allocations.
            if head is not None:
                yield _allocation(head, values)
            head, values = None, []
    if head is not None:
        yield _allocation(head, values)


def _allocation(head: re.Match[str], values: list[BufferValue]) -> Allocation:
    stated = head[3] or ""
    shape = _SHAPE.search(stated)
    kinds = _SHAPE.sub("", stated).split(",")
    named = tuple(kind.strip() for kind in kinds if kind.strip())
    return Allocation(int(head[1]), int(head[2]), named, shape[1] if shape else "", tuple(values))
