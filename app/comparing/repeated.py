"""Results of a second engine that change from run to run: atomics, races, reductions in no fixed order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hloscope.engine.comparison.difference import number_of
from hloscope.engine.comparison.elements import differing

from ..present.differences import number_or_text, number_text
from ..processes.arrays import Array


@dataclass(frozen=True)
class Varying:
    """A result that changed."""

    name: str
    """`result 1 of process (0, 3)`."""
    size: int
    count: int
    """Number of elements that had other bits in any run."""
    index: tuple[int, ...]
    """The first of them."""
    values: tuple[Any, ...]
    """Its distinct values, in the order of their first run."""


@dataclass(frozen=True)
class Repeated:
    """Several runs of one compiled program on the same inputs."""

    runs: int
    results: int
    varying: tuple[Varying, ...]
    reason: str = ""
    """The ops of the program that the device computes in any order, as a sentence."""


def find_varying(runs: Sequence[Sequence[Array]], names: Sequence[str]) -> Repeated:
    """The results that differ between runs; each run has one array per name."""
    columns = zip(names, zip(*runs, strict=True), strict=True)
    found = (_varying(name, column) for name, column in columns)
    return Repeated(len(runs), len(names), tuple(value for value in found if value is not None))


def _varying(name: str, column: Sequence[Array]) -> Varying | None:
    changed = np.unique(np.concatenate([differing(column[0], other) for other in column[1:]]))
    if not changed.size:
        return None
    place = int(changed[0])
    values = dict.fromkeys(number_of(array.reshape(-1), place) for array in column)
    index = tuple(int(at) for at in np.unravel_index(place, column[0].shape))
    return Varying(name, column[0].size, int(changed.size), index, tuple(values))


def lines_of_repeated(found: Repeated) -> Iterator[str]:
    """What changed, a line for each result; or that nothing did."""
    if not found.varying:
        yield f"{found.runs:,} runs gave the same bits"
        return
    yield f"{len(found.varying):,} of {found.results:,} results changed between {found.runs:,} runs of the same code:"
    if found.reason:
        yield f"  {found.reason}"
    for value in found.varying:
        numbers = ", ".join(map(number_text, value.values[:4]))
        yield f"  {value.name}: {value.count:,} of {value.size:,} elements; element {list(value.index)} was {numbers}"


def repeated_json(found: Repeated | None) -> dict[str, Any] | None:
    """The same in types of JSON; null if the program ran once."""
    if found is None:
        return None
    varying = [
        {
            "result": value.name,
            "size": value.size,
            "differ": value.count,
            "index": list(value.index),
            "values": [number_or_text(number) for number in value.values],
        }
        for value in found.varying
    ]
    return {"runs": found.runs, "varying": varying} | ({"reason": found.reason} if found.reason else {})
