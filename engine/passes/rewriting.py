"""A rewrite of one instruction in words that are the same in all programs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .flow import Flow
from .text_changes import TextChanges

EARLIER = "an earlier value"
_ATTRIBUTE = re.compile(r", ([a-z_]+)=")


@dataclass(frozen=True)
class Rewrite:
    """The opcodes of an instruction before and after a pass, and what else changed."""

    before: str
    after: str
    """The opcode, or that another value is read, which the program had before."""
    change: str = ""
    """``swapped operands``, ``another operand 1``, ``another `direction` ``; empty for another opcode or if unknown."""


def describe_rewrite(changes: TextChanges, before: str, after: str) -> Rewrite:
    """The rewrite of an instruction, by its keys in both texts; that of its reader if it is a constant."""
    one, other = changes.before.instructions[before].written, changes.after.instructions[after].written
    if changes.origin(after) not in (None, before) and one.opcode != "constant":
        return Rewrite(one.opcode, EARLIER)
    if one.opcode != other.opcode:
        return Rewrite(one.opcode, other.opcode)
    if one.opcode == "constant":
        read = next(_readers(changes, before, after), None)
        return read or Rewrite("constant", "constant", "another number")
    return Rewrite(one.opcode, other.opcode, _change(changes, before, after))


def _readers(changes: TextChanges, before: str, after: str) -> Iterator[Rewrite]:
    """The instructions that read a constant where they read another one before."""
    old, new = Flow(changes.before), Flow(changes.after)
    for key, found in changes.after.instructions.items():
        origin, operands = changes.origin(key), new.operands(found)
        if origin is None or after not in operands:
            continue
        number = operands.index(after)
        others = old.operands(changes.before.instructions[origin])
        if number < len(others) and others[number] == before:
            yield Rewrite(found.written.opcode, found.written.opcode, f"another operand {number}")


def _change(changes: TextChanges, before: str, after: str) -> str:
    one, other = changes.before.instructions[before], changes.after.instructions[after]
    attributes = [_attributes(found.written.attributes) for found in (one, other)]
    for name in sorted({*attributes[0], *attributes[1]}):
        if attributes[0].get(name) != attributes[1].get(name):
            return f"another `{name}`"
    operands = Flow(changes.before).operands(one)
    origins = [key and (changes.origin(key) or key) for key in Flow(changes.after).operands(other)]
    moved = [number for number, pair in enumerate(zip(operands, origins, strict=False)) if len({*pair}) > 1]
    if len(moved) > 1 and sorted(map(str, operands)) == sorted(map(str, origins)):
        return "swapped operands"
    if moved:
        return f"another operand {moved[0]}"
    return "another computation" if one.written.called else ""


def _attributes(text: str) -> dict[str, str]:
    """The attributes of an instruction by name: `, slice={[0:2]}, dimensions={1}`."""
    _, *parts = _ATTRIBUTE.split(text)
    return dict(zip(parts[::2], parts[1::2], strict=True))
