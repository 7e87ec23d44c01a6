"""Inputs that hold NaN or infinities: no op gives birth to these, but all that comes after may be made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...findings import BadInput
from ...findings.sentences import input_sentence, value_name
from ...indexing.elements.element_sets import ElementSet
from ...ops.core.ranks import INFINITE, NAN, ranks_of
from ...ops.core.values import is_tuple
from ..address import Address, argument
from ..provenance import Links
from .grader import Graded, Grader

Array = NDArray[Any]
Kind = Literal["nan", "inf"]


@dataclass(frozen=True)
class _BadElements:
    """The elements of an input that are bad in one way."""

    address: Address
    kind: Kind
    elements: ElementSet
    value: float
    """The value of all of them; NaN where infinities differ."""


class InputSearch:
    """Finds the bad inputs of a run once; whether they do harm depends on how far the run is."""

    def __init__(self, links: Links) -> None:
        self.links = links

    def search(self, grader: Grader) -> tuple[BadInput, ...]:
        """The inputs that hold NaN or infinities, in the order of processes and arguments."""
        return tuple(self._bad_input(grader, bad) for bad in self._bad)

    @cached_property
    def _bad(self) -> tuple[_BadElements, ...]:
        """The bad elements of all arguments; an array that several processes share is searched once."""
        scan = self.links.run.recording.log.inputs
        seen: set[int] = set()
        bad: list[_BadElements] = []
        for process, inputs in enumerate(self.links.run.recording.launch.inputs):
            for number, array in enumerate(inputs):
                for address, leaf in _leaves(argument(0, number, process), array):
                    if id(leaf) not in seen and not scan.is_finite(leaf):
                        seen.add(id(leaf))
                        bad += _bad_in(address, leaf)
        return tuple(bad)

    def _bad_input(self, grader: Grader, bad: _BadElements) -> BadInput:
        run, address, elements = self.links.run, bad.address, bad.elements
        name = value_name(run.program, run.value_number(address))
        several, graded = len(run.recording.tracks) > 1, _grade(grader, bad)
        process = run.recording.process_name(address.process) if several else ""
        return BadInput(
            process=address.process,
            argument=address.index,
            name=name,
            address=str(address),
            kind=bad.kind,
            grade=graded.grade,
            elements=elements.count,
            size=elements.size,
            index=tuple(map(int, next(iter(elements)))),
            sentence=input_sentence(name, bad.kind, bad.value, elements.count, elements.size, process),
            followed=graded.followed,
            elsewhere=graded.elsewhere,
        )


def _leaves(address: Address, value: Array) -> Iterator[tuple[Address, Array]]:
    """The arrays of a value, which may be a tuple of them, with their addresses."""
    if not is_tuple(value):
        yield address, value
        return
    for number, part in enumerate(value.tolist()):
        yield from _leaves(address._replace(path=(*address.path, number)), part)


def _bad_in(address: Address, array: Array) -> Iterator[_BadElements]:
    ranks = ranks_of(array)
    kinds: tuple[tuple[Kind, int], ...] = (("nan", NAN), ("inf", INFINITE))
    for kind, rank in kinds:
        mask = None if ranks is None else ranks == rank
        if mask is not None and mask.any():
            yield _BadElements(address, kind, ElementSet.of_mask(array.shape, mask), _common(array[mask]))


def _common(elements: Array) -> float:
    """The value of all elements; NaN where they differ, or are complex."""
    if elements.dtype.kind == "c":
        return np.nan
    numbers = elements.astype(np.float64)
    return float(numbers[0]) if bool((numbers == numbers[0]).all()) else np.nan


def _grade(grader: Grader, bad: _BadElements) -> Graded:
    """The grade of bad elements; an infinity that does no harm is taken to be intended, as the -Inf of a mask."""
    graded = grader.grade_input(bad.address, bad.elements)
    return replace(graded, grade="neutral") if graded.grade == "masked" and bad.kind == "inf" else graded
