"""Asynchronous results: values that one op starts and a later op of the process receives."""

from __future__ import annotations

from collections.abc import Iterator

from ..ops.core.op import Array
from ..ops.core.values import leaves

Leaf = tuple[int, int]
"""A step, and the index of a tensor among its results, with tuples flattened."""


class Outcomes:
    """Asynchronous results of one process.

    The results of a step that starts something are placeholders; their values arrive at a later step.
    """

    def __init__(self) -> None:
        self.came: dict[Leaf, Leaf] = {}
        """Started output to the output at which its value arrived."""
        self.starts: dict[Leaf, Leaf] = {}
        """The inverse of `came`."""
        self._collected: list[tuple[int, tuple[Array, ...]]] = []

    def collect(self, start: int, outcome: tuple[Array, ...]) -> None:
        """Record that the current step receives the results of `start`."""
        self._collected.append((start, outcome))

    def take(self, step: int, results: tuple[Array, ...]) -> Iterator[tuple[int, tuple[Array, ...]]]:
        """Consume the steps whose results a step received; `results` are those of that step."""
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
