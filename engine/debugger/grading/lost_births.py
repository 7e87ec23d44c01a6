"""NaN that did harm by being lost: no comparison with one is true, and none becomes a number that means it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...findings import Finding, Occurrence
from ...indexing.elements.element_sets import ElementSet
from ..address import Address
from ..provenance import BadElements, Links
from .causes import find_origin


def with_lost_births(links: Links, bad: BadElements, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings; harmful are also births of what was lost harmfully later, though nothing is left of them."""
    masked = {each.op for each in findings if each.kind == "nan" and each.grade == "masked"}
    lost = [each for each in findings if each.kind == "swallowed_nan" and each.grade == "harmful"]
    harmful = {op for each in lost for op in _births(links, bad, each)} if masked else set[int]()
    return tuple(
        replace(each, grade="harmful") if each.kind == "nan" and each.op in masked & harmful else each
        for each in findings
    )


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
