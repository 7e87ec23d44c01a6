"""What did harm by being lost: NaN in a comparison, or an element in whose place the program takes a NaN that it states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...decisive_values import moved_from, ops_behind
from ...findings import Finding, Occurrence
from ...findings.stated_nans import choosing_ops
from ...indexing.elements.element_sets import ElementSet
from ..address import Address
from ..provenance import BadElements, Links
from .births import born_elements
from .causes import SECONDS, find_origin
from .harm import HarmSearch
from .places import fault_address

_READS = ("out_of_bounds", "clamped_start")


def with_lost_births(links: Links, bad: BadElements, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings; harmful are also those of which nothing is left because of what was lost harmfully later.

    They are births of a NaN that a comparison lost, or that the program found and gave another NaN for; and elements read
    from the wrong place, for which the program gave a NaN.
    """
    masked = {each.op for each in findings if each.grade == "masked" and each.kind in ("nan", *_READS)}
    if not masked:
        return tuple(findings)
    lost = [each for each in findings if each.kind == "swallowed_nan" and each.grade == "harmful"]
    stated = [each for each in findings if each.first.fault.stated and each.grade != "masked"]
    births = {op for each in lost for op in _births(links, bad, each)}
    births |= {op for each in stated for op in _replaced_births(links, bad, each, masked)}
    reads = {
        op for each in stated if each.grade == "harmful" for op in _replaced_reads(links, each.op, masked)
    }
    return tuple(
        replace(each, grade="harmful")
        if each.grade == "masked" and each.op in (births if each.kind == "nan" else reads)
        else each
        for each in findings
    )


def _replaced_births(links: Links, bad: BadElements, finding: Finding, masked: set[int]) -> set[int]:
    """The ops whose NaN a program has asked for, to take its own NaN in their place, which does harm as they would."""
    program = links.run.program
    asking = [
        program.ops[op]
        for op in ops_behind(program, program.ops[finding.op].operands[0])
        if program.ops[op].op.asks_for_badness
    ]
    behind = {op for each in asking for value in each.operands for op in ops_behind(program, value)}
    found = masked & behind
    return found if found and (finding.grade == "harmful" or _reaches(links, bad, finding)) else set()


def _reaches(links: Links, bad: BadElements, finding: Finding) -> bool:
    """Whether the NaN that an op takes comes to a result, or does other harm."""
    address = fault_address(links.run.recording, finding.op, finding.first)
    elements = born_elements(links.run, finding.op, finding.first)
    try:
        return HarmSearch(links, bad).search(address, elements, SECONDS) not in (None, "pending")
    except TimeoutError:
        return False


def _replaced_reads(links: Links, op: int, masked: set[int]) -> set[int]:
    """The ops that read what an op leaves out, for a NaN of the program."""
    program = links.run.program
    sides = program.derive(choosing_ops)[op]
    return masked & {
        maker for side in sides for maker in moved_from(program, program.ops[op].operands[3 - side])
    }


def _births(links: Links, bad: BadElements, finding: Finding) -> Iterator[int]:
    """The ops that made what a comparison or a conversion has lost."""
    for occurrence in {each.step: each for each in (finding.first, finding.worst)}.values():
        for operand in links.run.operands(occurrence.process, occurrence.step):
            element = _lost_element(links, bad, operand, occurrence)
            origin = find_origin(links, bad, operand, element) if element else None
            if origin is not None and origin.kind == "op" and origin.op is not None:
                yield origin.op


def _lost_element(
    links: Links, bad: BadElements, operand: Address, occurrence: Occurrence
) -> ElementSet | None:
    """The element that was lost, of an operand that has the shape of the result; else one that is not finite."""
    elements = bad.of(operand)
    if not elements:
        return None
    index, shape = occurrence.fault.index, elements.shape
    if len(index) == len(shape):
        lost = elements.intersection(ElementSet.of_index(shape, index))
        return lost or None
    return ElementSet.of_index(shape, next(iter(elements)))
