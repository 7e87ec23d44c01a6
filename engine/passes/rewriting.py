"""A rewrite of one instruction in words that are the same in all programs."""

import re
from collections.abc import Iterator, Sequence
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
    operands, others = Flow(changes.before).operands(one), Flow(changes.after).operands(other)
    origins = [key and (changes.origin(key) or key) for key in others]
    moved = [number for number, pair in enumerate(zip(operands, origins, strict=False)) if len({*pair}) > 1]
    is_permutation = len(moved) > 1 and sorted(map(str, operands)) == sorted(map(str, origins))
    if is_permutation or _are_swapped(changes, operands, others):
        return "swapped operands"
    if moved:
        return f"another operand {moved[0]}"
    return "another computation" if one.written.called else ""


def _are_swapped(changes: TextChanges, before: Sequence[str | None], after: Sequence[str | None]) -> bool:
    """Whether each of two operands is in the place of the other, though one may be matched with nothing or an equal one."""
    if len(before) != 2 or len(after) != 2:
        return False
    straight = all(_is_same(changes, *pair) for pair in zip(before, after, strict=True))
    return not straight and all(_is_same(changes, *pair) for pair in zip(before, after[::-1], strict=True))


def _is_same(changes: TextChanges, before: str | None, after: str | None) -> bool:
    """Whether an operand may be that of the text before: the same, a new one of its kind, or one that is computed alike."""
    if before is None or after is None:
        return False
    origin = changes.origin(after)
    if origin is not None:
        return origin == before or changes.matching.is_same_computation(after, before)
    one, other = changes.before.instructions[before].written, changes.after.instructions[after].written
    return (one.opcode, one.bare_shape, one.literal) == (other.opcode, other.bare_shape, other.literal)


def _attributes(text: str) -> dict[str, str]:
    """The attributes of an instruction by name: `, slice={[0:2]}, dimensions={1}`."""
    _, *parts = _ATTRIBUTE.split(text)
    return dict(zip(parts[::2], parts[1::2], strict=True))
