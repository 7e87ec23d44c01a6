"""Inputs that hold NaN: nothing is born in them, but all that comes after may be of them."""

from __future__ import annotations

from functools import cached_property

from ...findings import BadInput
from ...findings.sentences import value_name
from ...indexing.elements.element_sets import ElementSet
from ...ops.core.ranks import NAN, is_inexact, ranks_of
from ..address import Address, argument
from ..provenance import Links
from .birth_grades import BirthGrader


class InputSearch:
    """Looks at the inputs of a run once; whether they do harm depends on how far it is."""

    def __init__(self, links: Links) -> None:
        self.links = links

    @cached_property
    def _bad(self) -> tuple[tuple[Address, ElementSet], ...]:
        """The arguments that hold NaN, with these elements; an array that several processes are given once."""
        seen: set[int] = set()
        found: list[tuple[Address, ElementSet]] = []
        for process, given in enumerate(self.links.run.recording.launch.inputs):
            for number, array in enumerate(given):
                if id(array) in seen or not is_inexact(array.dtype):
                    continue
                seen.add(id(array))
                ranks = ranks_of(array)
                if ranks is not None and (ranks == NAN).any():
                    elements = ElementSet.of_mask(array.shape, ranks >= NAN)
                    found.append((argument(0, number, process), elements))
        return tuple(found)

    def search(self) -> tuple[BadInput, ...]:
        """The inputs that hold NaN, in order."""
        if not self._bad:
            return ()
        grader = BirthGrader(self.links)
        return tuple(self._bad_input(grader, *found) for found in self._bad)

    def _bad_input(self, grader: BirthGrader, address: Address, elements: ElementSet) -> BadInput:
        run = self.links.run
        name = value_name(run.program, run.value_number(address))
        several = len(run.recording.tracks) > 1
        where = f" in process {run.recording.process_name(address.process)}" if several else ""
        count = f"{elements.count:,} of {elements.size:,} elements"
        return BadInput(
            process=address.process,
            argument=address.index,
            name=name,
            address=str(address),
            grade=grader.grade_given(address, elements),
            elements=elements.count,
            size=elements.size,
            index=tuple(map(int, next(iter(elements)))),
            sentence=f"{name} is given with NaN{where}, {count}",
        )
