"""Data flow through calls, fusions, their parameters and tuples.

Passes inline computations and fuse instructions, so the position of an instruction says nothing about its
value.
"""

import re
from functools import cached_property

from .instructions import HloText, Instruction

_TRANSPARENT = ("call", "fusion")
_INDEX = re.compile(r"\bindex=(\d+)")


class Flow:
    """The producers of values in one text."""

    def __init__(self, text: HloText) -> None:
        self.text = text
        self._known: dict[str, str] = {}

    def operands(self, found: Instruction) -> tuple[str | None, ...]:
        """The producers of an instruction's operands; `None` for an unknown operand."""
        return tuple(self.operand(found, name) for name in found.written.operands)

    def operand(self, found: Instruction, name: str) -> str | None:
        """The producer of one operand, by its name in the instruction."""
        key = self.text.find(name, found.computation)
        return None if key is None else self.source(key)

    def source(self, key: str) -> str:
        """The producer of an instruction's value: itself, or the source of a value that it forwards."""
        way = []
        while key not in self._known and key not in way:
            way.append(key)
            key = self._step(key) or key
        end = self._known.get(key, key)
        self._known.update(dict.fromkeys(way, end))
        return end

    def _step(self, key: str) -> str | None:
        found = self.text.instructions[key]
        opcode = found.written.opcode
        if opcode == "parameter":
            return self._given(found)
        if opcode in _TRANSPARENT and found.written.called:
            return self.text.roots.get(found.written.called[0])
        if opcode == "get-tuple-element" and found.written.operands:
            return self._element(found)
        return None

    def _given(self, found: Instruction) -> str | None:
        caller = self._callers.get(found.computation)
        number = found.written.literal
        if caller is None or not number.isdecimal() or int(number) >= len(caller.written.operands):
            return None
        return self.text.find(caller.written.operands[int(number)], caller.computation)

    def _element(self, found: Instruction) -> str | None:
        key = self.text.find(found.written.operands[0], found.computation)
        index = _INDEX.search(found.written.attributes)
        if key is None or index is None:
            return None
        whole = self.text.instructions[self.source(key)]
        elements = whole.written.operands
        if whole.written.opcode != "tuple" or int(index[1]) >= len(elements):
            return None
        return self.text.find(elements[int(index[1])], whole.computation)

    @cached_property
    def _callers(self) -> dict[str, Instruction | None]:
        """The single caller of each computation; `None` for loops, reductions and several callers."""
        found: dict[str, Instruction | None] = {}
        for instruction in self.text.instructions.values():
            for name in instruction.written.called:
                is_only = instruction.written.opcode in _TRANSPARENT and name not in found
                found[name] = instruction if is_only else None
        return found
