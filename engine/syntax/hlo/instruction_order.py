"""Instructions in an order in which each comes after what it reads."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from ...errors import StructureError
from .raw import RawInstruction


def in_dependency_order(instructions: Sequence[RawInstruction]) -> Sequence[RawInstruction]:
    """The text's order, except that what an instruction reads comes before it; `StructureError` in a circle."""
    places = {raw.name: place for place, raw in enumerate(instructions)}
    if all(places.get(o.name, -1) < place for place, raw in enumerate(instructions) for o in raw.operands):
        return instructions
    waiting = [len(_read(raw, places)) for raw in instructions]
    readers: list[list[int]] = [[] for _ in instructions]
    for place, raw in enumerate(instructions):
        for read in _read(raw, places):
            readers[read].append(place)
    ready = [place for place, count in enumerate(waiting) if count == 0]
    found: list[RawInstruction] = []
    while ready:
        made = heappop(ready)
        found.append(instructions[made])
        for place in readers[made]:
            waiting[place] -= 1
            if waiting[place] == 0:
                heappush(ready, place)
    if len(found) < len(instructions):
        raise _cycle_error(next(raw for raw, count in zip(instructions, waiting, strict=True) if count))
    return found


def _read(raw: RawInstruction, places: dict[str, int]) -> set[int]:
    return {places[operand.name] for operand in raw.operands if operand.name in places}


def _cycle_error(raw: RawInstruction) -> StructureError:
    return StructureError(
        f"{raw.name} needs its own result, if only through others", raw.name_span, op=raw.opcode
    )
