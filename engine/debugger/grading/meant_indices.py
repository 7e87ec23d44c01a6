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
    """Whether an index of -1, or just behind the end, is none that came out one too great.

    -1 is. The number behind the end is if the program has it as a constant, which it puts where nothing is meant. One
    that was computed, as an index plus 1, is a mistake; one that was given is for what is written, as the segment of what
    is left over, but not for what is read, as the last of labels that begin with 1.
    """
    fault = occurrence.fault
    if fault.value is None or fault.value < 0:
        return True
    address = fault_address(links.run.recording, op, occurrence)
    origins = _origins(links, address, fault.index, int(fault.value))
    return any(
        fault.kind == "dropped_update" if found.kind == "f" else _is_constant(links, found)
        for found in origins
    )


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
    made = {edge.made for edge in walk.edges.values()}
    return [found for found in walk.nodes if found not in made]


def _is_constant(links: Links, address: Address) -> bool:
    return links.run.bound_operation(address.process, address.number).op.unpacked.is_constant
