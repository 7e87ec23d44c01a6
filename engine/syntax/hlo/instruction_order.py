"""Sort instructions so that operands precede their uses."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from ...errors import StructureError
from .raw import RawInstruction


def in_dependency_order(instructions: Sequence[RawInstruction]) -> Sequence[RawInstruction]:
    """The instructions in text order, moved only where an operand follows its use.

    Raises `StructureError` for a cycle.
    """
    positions = {raw.name: position for position, raw in enumerate(instructions)}
    if all(
        positions.get(o.name, -1) < position
        for position, raw in enumerate(instructions)
        for o in raw.operands
    ):
        return instructions
    waiting = [len(_read(raw, positions)) for raw in instructions]
    readers: list[list[int]] = [[] for _ in instructions]
    for position, raw in enumerate(instructions):
        for read in _read(raw, positions):
            readers[read].append(position)
    ready = [position for position, count in enumerate(waiting) if count == 0]
    found: list[RawInstruction] = []
    while ready:
        made = heappop(ready)
        found.append(instructions[made])
        for position in readers[made]:
            waiting[position] -= 1
            if waiting[position] == 0:
                heappush(ready, position)
    if len(found) < len(instructions):
        raise _cycle_error(next(raw for raw, count in zip(instructions, waiting, strict=True) if count))
    return found


def _read(raw: RawInstruction, positions: dict[str, int]) -> set[int]:
    return {positions[operand.name] for operand in raw.operands if operand.name in positions}


def _cycle_error(raw: RawInstruction) -> StructureError:
    return StructureError(
        f"{raw.name} depends on its own result, directly or indirectly", raw.name_span, op=raw.opcode
    )
