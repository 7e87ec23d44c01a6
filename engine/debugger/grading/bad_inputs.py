"""Inputs that hold NaN or infinities: nothing is born in them, but all that comes after may be of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...findings import BadInput
from ...findings.sentences import given_sentence, value_name
from ...indexing.elements.element_sets import ElementSet
from ...ops.core.ranks import INFINITE, NAN, ranks_of
from ...ops.core.values import is_tuple
from ..address import Address, argument
from ..provenance import Links
from .birth_grades import BirthGrader
from .clock import Graded

Array = NDArray[Any]
Kind = Literal["nan", "inf"]


@dataclass(frozen=True)
class _Bad:
    """Elements of an input that are bad in one way."""

    address: Address
    kind: Kind
    elements: ElementSet
    value: float
    """What all of them are; NaN where infinities differ."""


class InputSearch:
    """Looks at the inputs of a run once; whether they do harm depends on how far it is."""

    def __init__(self, links: Links) -> None:
        self.links = links

    @cached_property
    def _bad(self) -> tuple[_Bad, ...]:
        """What is bad in the arguments, in order; an array that several processes are given once."""
        known = self.links.run.recording.log.given
        seen: set[int] = set()
        found: list[_Bad] = []
        for process, given in enumerate(self.links.run.recording.launch.inputs):
            for number, array in enumerate(given):
                for address, leaf in _leaves(argument(0, number, process), array):
                    if id(leaf) not in seen and not known.is_finite(leaf):
                        seen.add(id(leaf))
                        found += _bad_in(address, leaf)
        return tuple(found)

    def search(self, grader: BirthGrader) -> tuple[BadInput, ...]:
        """The inputs that hold NaN or infinities, in order."""
        return tuple(self._bad_input(grader, found) for found in self._bad)

    def _bad_input(self, grader: BirthGrader, found: _Bad) -> BadInput:
        run, address, elements = self.links.run, found.address, found.elements
        name = value_name(run.program, run.value_number(address))
        several, graded = len(run.recording.tracks) > 1, _grade(grader, found)
        process = run.recording.process_name(address.process) if several else ""
        return BadInput(
            process=address.process,
            argument=address.index,
            name=name,
            address=str(address),
            kind=found.kind,
            grade=graded.grade,
            elements=elements.count,
            size=elements.size,
            index=tuple(map(int, next(iter(elements)))),
            sentence=given_sentence(name, found.kind, found.value, elements.count, elements.size, process),
            followed=graded.followed,
        )


def _leaves(address: Address, value: Array) -> Iterator[tuple[Address, Array]]:
    """The arrays that a value is, or that are in the tuple, with their addresses."""
    if not is_tuple(value):
        yield address, value
        return
    for number, part in enumerate(value.tolist()):
        yield from _leaves(address._replace(path=(*address.path, number)), part)


def _bad_in(address: Address, array: Array) -> Iterator[_Bad]:
    ranks = ranks_of(array)
    kinds: tuple[tuple[Kind, int], ...] = (("nan", NAN), ("inf", INFINITE))
    for kind, rank in kinds:
        mask = None if ranks is None else ranks == rank
        if mask is not None and mask.any():
            yield _Bad(address, kind, ElementSet.of_mask(array.shape, mask), _common(array[mask]))


def _common(elements: Array) -> float:
    """What all elements are; NaN where they differ, or have two parts."""
    if elements.dtype.kind == "c":
        return np.nan
    numbers = elements.astype(np.float64)
    return float(numbers[0]) if bool((numbers == numbers[0]).all()) else np.nan


def _grade(grader: BirthGrader, found: _Bad) -> Graded:
    """An infinity that does no harm seems to be meant, as the -Inf of a mask."""
    graded = grader.grade_given(found.address, found.elements)
    return replace(graded, grade="neutral") if graded.grade == "masked" and found.kind == "inf" else graded
