"""Attribution of harm to the op that caused it, where what that op made is lost before it does harm itself.

A NaN that a comparison loses, or in whose place the program takes a NaN constant, and elements read from the wrong place that a
NaN constant replaces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...findings import Finding, Occurrence
from ...findings.births import nan_choices
from ...indexing.elements.element_sets import ElementSet
from ...value_walks import moved_from, ops_behind
from ..address import Address
from ..provenance import BadElements, Links
from .grader import Grader, born_elements
from .harm import HarmSearch
from .origins import ORIGIN_SECONDS, fault_address, find_origin

_READS = ("out_of_bounds", "clamped_start")


def attribute_harm(links: Links, grader: Grader, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings, in which those that are masked become harmful if harm is attributed to their op."""
    bad = grader.bad
    masked = {each.op for each in findings if each.grade == "masked" and each.kind in ("nan", *_READS)}
    if not masked:
        return tuple(findings)
    lost = [each for each in findings if each.kind == "swallowed_nan" and each.grade == "harmful"]
    chosen = [each for each in findings if each.first.fault.from_constant and each.grade != "masked"]
    births: set[int] = set()
    for each in lost:
        with grader.here():
            births.update(_births_of_lost_nans(links, bad, each))
    for each in chosen:
        with grader.here():
            births |= _replaced_births(links, bad, each, masked)
    reads = {
        op for each in chosen if each.grade == "harmful" for op in _replaced_reads(links, each.op, masked)
    }
    return tuple(
        replace(each, grade="harmful")
        if each.grade == "masked" and each.op in (births if each.kind == "nan" else reads)
        else each
        for each in findings
    )


def _births_of_lost_nans(links: Links, bad: BadElements, finding: Finding) -> Iterator[int]:
    """The ops that made the NaN which a comparison or a conversion has lost."""
    for occurrence in {each.step: each for each in (finding.first, finding.worst)}.values():
        for operand in links.run.operands(occurrence.process, occurrence.step):
            element = _lost_element(links, bad, operand, occurrence)
            origin = find_origin(links, bad, operand, element) if element else None
            if origin is not None and origin.kind == "op" and origin.op is not None:
                yield origin.op


def _lost_element(
    links: Links, bad: BadElements, operand: Address, occurrence: Occurrence
) -> ElementSet | None:
    """The element that was lost, of an operand in the shape of the result; of others, one that is not finite."""
    elements = bad.of(operand)
    if not elements:
        return None
    index, shape = occurrence.fault.index, elements.shape
    if len(index) == len(shape):
        lost = elements.intersection(ElementSet.of_index(shape, index))
        return lost or None
    return ElementSet.of_index(shape, next(iter(elements)))


def _replaced_births(links: Links, bad: BadElements, finding: Finding, masked: set[int]) -> set[int]:
    """The ops whose NaN the program tests for, to take the NaN constant of `finding` in its place."""
    program = links.run.program
    guards = [
        program.ops[op]
        for op in ops_behind(program, program.ops[finding.op].operands[0])
        if (guard := program.ops[op].op).findings.tests_finiteness(guard)
    ]
    behind = {op for guard in guards for value in guard.operands for op in ops_behind(program, value)}
    births = masked & behind
    return births if births and (finding.grade == "harmful" or _does_harm(links, bad, finding)) else set()


def _does_harm(links: Links, bad: BadElements, finding: Finding) -> bool:
    """Whether the NaN constant that an op takes reaches a result, or does other harm."""
    address = fault_address(links.run.recording, finding.op, finding.first)
    elements = born_elements(links.run, finding.op, finding.first)
    try:
        return HarmSearch(links, bad).search(address, elements, ORIGIN_SECONDS) not in (None, "pending")
    except TimeoutError:
        return False


def _replaced_reads(links: Links, op: int, masked: set[int]) -> set[int]:
    """The ops that read the elements which a select leaves out for a NaN constant."""
    program = links.run.program
    sides = program.derive(nan_choices)[op]
    return masked & {
        maker for side in sides for maker in moved_from(program, program.ops[op].operands[3 - side])
    }
