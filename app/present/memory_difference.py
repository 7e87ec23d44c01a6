"""What changed from one program's memory and traffic to another's."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Literal

from hloscope.engine.live_memory.collectives import collectives_of, copies_of
from hloscope.engine.live_memory.profile import LiveBuffer, Memory

from ..wire.memory import BufferKind, MemoryChange, MemoryDifference, PeakBuffers
from .memory import value_line
from .program import location_text

Identity = tuple[int, BufferKind, str]
"""Names change from compilation to compilation; size, kind and source line mostly stay."""


def memory_difference(before: Memory, after: Memory) -> MemoryDifference:
    """Peak, traffic, copies and collectives of both programs, and the buffers that only one of the peaks has."""
    return {
        "changes": list(_changes(before, after)),
        "onlyBefore": _only_in(before, after),
        "onlyAfter": _only_in(after, before),
    }


_SIZES = ("peak", "sent", "copied")
_ORDER = (*_SIZES, "copies")
"""Figures before the opcodes."""


def _changes(before: Memory, after: Memory) -> Iterator[MemoryChange]:
    figures = _figures(before), _figures(after)
    opcodes = sorted({*figures[0], *figures[1]} - {*_ORDER})
    for name in (*_ORDER, *opcodes):
        old, new = (found.get(name, 0) for found in figures)
        if old is not None and new is not None and (old or new):
            unit: Literal["bytes", "ops"] = "bytes" if name in _SIZES else "ops"
            yield {"name": name, "unit": unit, "before": old, "after": new}


def _figures(memory: Memory) -> dict[str, int | None]:
    """The figures by name; `None` where the program does not determine one."""
    copies = copies_of(memory.program, memory.function)
    collectives = collectives_of(memory.program, memory.function)
    totals = [each.total_bytes for each in collectives]
    sent = None if None in totals else sum(total or 0 for total in totals)
    opcodes = Counter(each.opcode for each in collectives)
    return {
        "peak": memory.peak_bytes,
        "sent": sent,
        "copied": copies.bytes,
        "copies": copies.count,
        **opcodes,
    }


def _at_peak(memory: Memory) -> tuple[LiveBuffer, ...]:
    return memory.live_at(memory.peak) if memory.schedule else ()


def _identity(found: LiveBuffer) -> Identity:
    return found.bytes, found.kind, location_text(found.location) or ""


def _only_in(memory: Memory, other: Memory) -> list[PeakBuffers]:
    """The buffers of a peak beyond those that the other peak has, the most bytes first."""
    matched = Counter(map(_identity, _at_peak(other)))
    alike: defaultdict[Identity, list[LiveBuffer]] = defaultdict(list)
    for found in _at_peak(memory):
        identity = _identity(found)
        if matched[identity] > 0:
            matched[identity] -= 1
        else:
            alike[identity].append(found)
    return [
        {
            "count": len(rest),
            "bytes": size,
            "kind": kind,
            "location": place,
            "name": rest[0].name,
            "line": value_line(memory.program, rest[0].leaf.value),
        }
        for (size, kind, place), rest in sorted(alike.items(), key=lambda item: -item[0][0] * len(item[1]))
    ]
