"""The components that an index map falls apart into, and their images."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..evaluation import Int64Array
from ..expressions import Expression
from .element_sets import MOST_BOXES, Box, ElementSet, Shape, positions_of, progression_of
from .progressions import progression


@dataclass(frozen=True)
class Component:
    """Numbers of results, constraints and runtime variables that hang together, and the variables they share."""

    variables: tuple[Expression, ...]
    results: tuple[int, ...]
    constraints: tuple[int, ...]
    runtimes: tuple[int, ...]


@dataclass(frozen=True)
class Part:
    """The image of one component: boxes in its dimensions of the tensor, or row-major positions in these alone."""

    results: tuple[int, ...]
    boxes: Sequence[Box]
    positions: Int64Array | None = None

    def offsets(self, shape: Shape, strides: Sequence[int]) -> Int64Array:
        """What each adds to the row-major position in the whole tensor."""
        sub = tuple(shape[k] for k in self.results)
        within_part = self.positions
        if within_part is None:
            within_part = np.concatenate([positions_of(box, sub) for box in self.boxes])
        columns: Iterable[Int64Array] = np.unravel_index(within_part, sub) if sub else ()
        found = np.zeros(len(within_part), np.int64)
        for k, column in zip(self.results, columns, strict=True):
            found += column * strides[k]
        return found


def part_of(results: tuple[int, ...], sub: Shape, positions: Int64Array) -> Part:
    """Boxes where it is one box, or few single elements."""
    if not len(positions):
        return Part(results, [])
    if len(sub) == 1 and (found := progression_of(positions)) is not None:
        return Part(results, [(found,)])
    boxes = ElementSet.of_positions(sub, positions).boxes
    if boxes is not None:
        return Part(results, boxes)
    if len(positions) <= MOST_BOXES // 4:
        columns = np.unravel_index(positions, sub)
        points = zip(*(column.tolist() for column in columns), strict=True)
        return Part(results, [tuple(progression(i, 1) for i in point) for point in points])
    return Part(results, (), positions)


def component_of(variables: set[Expression], items: Sequence[tuple[str, int]]) -> Component:
    numbers = {
        kind: tuple(n for k, n in items if k == kind) for kind in ("results", "constraints", "runtimes")
    }
    ordered = sorted(variables, key=lambda v: (type(v).__name__, v.number))  # type: ignore[attr-defined]
    return Component(tuple(ordered), **numbers)
