"""What ops have started and others of the same process have waited for: which value is whose result."""

from __future__ import annotations

from collections.abc import Iterator

from ..ops.core.op import Array
from ..ops.core.values import leaves

Leaf = tuple[int, int]
"""A step, and the number of a tensor in its results, where tuples are counted leaf by leaf."""


class Outcomes:
    """Those of one process. A step that starts something has placeholders for results; they come at a later step."""

    def __init__(self) -> None:
        self.came: dict[Leaf, Leaf] = {}
        """Where each output of a step has come that had only started it."""
        self.starts: dict[Leaf, Leaf] = {}
        """The same, the other way round."""
        self._collected: list[tuple[int, tuple[Array, ...]]] = []

    def collect(self, start: int, outcome: tuple[Array, ...]) -> None:
        """The step that waits now is given what the step `start` has started."""
        self._collected.append((start, outcome))

    def take(self, step: int, results: tuple[Array, ...]) -> Iterator[tuple[int, tuple[Array, ...]]]:
        """Each step whose outcome a step was given, with it; `results` are those of the step that waited."""
        places = {id(found): number for number, found in enumerate(_tensors(results))}
        collected, self._collected = self._collected, []
        for start, outcome in collected:
            for number, found in enumerate(_tensors(outcome)):
                if (place := places.get(id(found))) is not None:
                    self.came[start, number], self.starts[step, place] = (step, place), (start, number)
            yield start, outcome


def _tensors(values: tuple[Array, ...]) -> Iterator[Array]:
    for value in values:
        yield from leaves(value)
