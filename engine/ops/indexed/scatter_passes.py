"""A scatter by a body that NumPy has no routine for, in passes: in each, every cell takes one more update."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...ir.element_types import F64, ElementType
from ..core.bodies import UFUNCS, Combiner
from ..core.numeric import round_to, widen
from ..core.op import Array
from ..core.quiet import quiet

Arrays = tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class ScatterPasses:
    """The immutable state of such a scatter, so that a checkpoint can keep it.

    The cells that updates reach are ordered by how many reach them, most first. Pass r gives each cell that
    has one its r-th update, so no two updates of a pass go to one cell, and its cells are a prefix of those of the
    pass before.
    """

    inputs: Arrays
    updates: Arrays
    """All that are applied, a cell's updates together and in order."""
    cells: Array
    """Flat positions in the inputs."""
    first: Array
    """For each cell, where its updates begin."""
    counts: Array
    current: Arrays
    """The values of the cells that still have updates."""
    done: tuple[Any, ...] = ()
    """A chain (values, rest) of the finished ones, latest first."""
    number: int = 0

    @property
    def positions(self) -> Array:
        """The flat positions of the cells of this pass, in their order."""
        return self.cells[: len(self.current[0])]

    def arguments(self) -> Arrays:
        """The arguments of the body in this pass: current values, then updates."""
        chosen = self.first[: len(self.current[0])] + self.number
        return (*self.current, *(update[chosen] for update in self.updates))

    def after(self, answer: Arrays) -> ScatterPasses | Arrays:
        """The next pass with the body's answer, or the results."""
        values = tuple(np.broadcast_to(value, self.current[0].shape) for value in answer)
        more = int(np.count_nonzero(self.counts > self.number + 1))
        done = (tuple(value[more:] for value in values), self.done)
        if more:
            current = tuple(value[:more] for value in values)
            return replace(self, current=current, done=done, number=self.number + 1)
        parts = list(_chain(done))
        return tuple(
            write_cells(x, self.cells, np.concatenate([part[number] for part in parts]))
            for number, x in enumerate(self.inputs)
        )


def first_scatter_pass(inputs: Arrays, cells: Array, updates: Arrays) -> ScatterPasses:
    """The first pass; `cells` are the updates' flat positions, in the order in which they apply."""
    order = np.argsort(cells, kind="stable")
    unique, first, counts = np.unique(cells[order], return_index=True, return_counts=True)
    most_first = np.argsort(-counts, kind="stable")
    unique, first, counts = unique[most_first], first[most_first], counts[most_first]
    current = tuple(x.reshape(-1)[unique] for x in inputs)
    return ScatterPasses(inputs, tuple(update[order] for update in updates), unique, first, counts, current)


def _chain(done: tuple[Any, ...]) -> Iterator[Arrays]:
    while done:
        values, done = done
        yield values


def write_cells(operand: Array, cells: Array, values: Array) -> Array:
    """A copy of `operand` with `values` at the flat positions `cells`; of equal positions the last one counts."""
    result = operand.flatten()
    # NumPy assigns through one index of rank 1 in order.
    result[cells] = values
    return result.reshape(operand.shape)


def combine_updates(
    combiner: Combiner, operand: Array, cells: Array, updates: Array, element_type: ElementType
) -> Array:
    """A copy of `operand` with all updates combined in order, in a wide type, each cell rounded once."""
    if combiner is Combiner.REPLACE:
        return write_cells(operand, cells, updates)
    wide = widen(operand)
    flat = wide.flatten()
    with quiet():
        UFUNCS[combiner].at(flat, cells, widen(updates))
        if wide.dtype == operand.dtype and element_type.name != "tf32":
            return flat.reshape(operand.shape)
        return write_cells(operand, cells, round_to(flat[cells], element_type))


def applied_elements(updates: Array, kept: Array | None) -> Array:
    """The elements of updates that are applied, in order; all of them where `kept` is `None`."""
    flat = updates.reshape(-1)
    return flat if kept is None else flat[kept]


def fold_exactly(
    inputs: Arrays, updates: Arrays, cells: tuple[Array, Array | None], number: int, combiner: Combiner
) -> Array:
    """Result `number` in f64; `cells` has the updates' flat positions, and the mask of applied updates."""
    positions, kept = cells
    added = widen(applied_elements(updates[number], kept)).astype(np.float64)
    return combine_updates(combiner, widen(inputs[number]).astype(np.float64), positions, added, F64)
