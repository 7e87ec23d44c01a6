"""Indices that are outside because the program wants it: they stand for nothing, or for what comes after the end of a list."""

from __future__ import annotations

from ...decisive_values import is_given, ops_behind
from ...findings import Occurrence
from ...indexing.elements.element_sets import ElementSet
from ...program import BoundProgram
from ..address import Address
from ..provenance import Budget, Links, walk_back
from .places import fault_address

SECONDS = 0.5


def cuts_list(program: BoundProgram, op: int) -> bool:
    """Whether a scatter sets marks, which are the same whatever is given, at places that a running total says.

    So `nonzero(size=…)` and `repeat(total_repeat_length=…)` make a list of a length that is known: what comes after its
    end is left out.
    """
    bound = program.ops[op]
    places = set(bound.op.deciding_operands())
    marks = (value for number, value in enumerate(bound.operands) if number not in places)
    if any(is_given(program, value) for value in marks):
        return False
    behind = (found for number in places for found in ops_behind(program, bound.operands[number]))
    return any(program.ops[found].op.unpacked.counts_on for found in behind)


def stands_for_nothing(links: Links, op: int, occurrence: Occurrence) -> bool:
    """Whether an index of -1, or just behind the end, is none that came out one too small or too great.

    It is if the program has the number as a constant, which it puts where nothing is meant. One that was computed, as an
    index plus or minus 1, is a mistake, and so is one in a list of others. One that was given is a mistake too, but for
    -1 where something is written: that is how lists of places are filled up.
    """
    fault = occurrence.fault
    if fault.value is None:
        return True
    address = fault_address(links.run.recording, op, occurrence)
    origins = _origins(links, address, fault.index, int(fault.value))
    if fault.kind == "dropped_update" and fault.value < 0:
        return any(_is_given(links, found) for found in origins)
    return fault.size > 1 and any(_is_uniform(links, found) for found in origins)


def _origins(links: Links, address: Address, index: tuple[int, ...], number: int) -> list[Address]:
    """The values in which the number of an element was first: back over elements that are the same number."""

    def same(found: Address) -> ElementSet:
        value, shape = links.run.recording.value(found), links.run.shape(found)
        return (
            ElementSet.of_mask(shape, value == number)
            if value.dtype.kind in "iu"
            else ElementSet.empty(shape)
        )

    start = ElementSet.of_index(links.run.shape(address), index)
    walk = walk_back(links, address, start, Budget(SECONDS), only=same)
    sources: dict[Address, list[Address]] = {}
    for edge in walk.edges.values():
        if not _is_computed(links, edge.made):
            sources.setdefault(edge.made, []).append(edge.read)
    waiting, seen = [address], {address}
    while waiting:
        fresh = set(sources.get(waiting.pop(), ())) - seen
        seen |= fresh
        waiting += fresh
    return [found for found in seen if found not in sources]


def _is_computed(links: Links, address: Address) -> bool:
    """Whether an op made a number of others, which is equal to one of them by chance: 0 plus -1."""
    if address.kind == "f":
        return False
    op = links.run.bound_operation(address.process, address.number).op.unpacked
    return op.traits.is_elementwise and op.may_wrap and not op.converts


def _is_given(links: Links, address: Address) -> bool:
    """Whether a value is an argument of the program, or a constant of it."""
    return address.kind == "f" or _is_constant(links, address)


def _is_uniform(links: Links, address: Address) -> bool:
    """Whether a value is a constant of one number."""
    if address.kind == "f" or not _is_constant(links, address):
        return False
    value = links.run.recording.value(address)
    return bool((value == value.flat[0]).all())


def _is_constant(links: Links, address: Address) -> bool:
    return links.run.bound_operation(address.process, address.number).op.unpacked.traits.is_constant
