"""Which element of the results depends on which element of the inputs, as a matrix: by walks, and by disturbing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.provenance import Budget, End, Links, RecordedRun, walk_back, walk_forward
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.indexing.elements.element_sets import ElementSet
from hloscope.engine.ops.core.op import Array

PATIENT = Budget(seconds=120)
"""However busy the machine: what a walk finds is compared, not how soon."""

Matrix = NDArray[np.bool_]
"""[result elements, input elements], counted through all results and all inputs, process after process."""
Arrays = Sequence[Array]


class Ends:
    """The results and the inputs of a recorded run, of all its processes."""

    def __init__(self, recording: Recording) -> None:
        self.run = RecordedRun(recording)
        self.links = Links(self.run)
        numbers = recording.launch_groups[0].numbers
        self.results = [found for number in numbers for found in self._returned(number)]
        self.inputs = [
            Address(number, "f", 0, index)
            for number in numbers
            for index in range(len(self.run.steps(number).block_of(0).arguments))
        ]
        self.input_starts = self._starts(self.inputs)
        self.result_starts = self._starts(self.results)

    def _returned(self, process: int) -> list[Address]:
        end = self.run.steps(process).end_of(0)
        assert end is not None
        leaves = self.run.operand_leaves(self.run.bound_operation(process, end))
        return [self.run.operand_leaf(process, end, leaf) for leaf in leaves]

    def _starts(self, addresses: Sequence[Address]) -> list[int]:
        """Where the elements of each begin in a row or a column; and how many there are."""
        sizes = [int(np.prod(self.run.shape(found), dtype=int)) for found in addresses]
        return [0, *np.cumsum(sizes).tolist()]

    def back(self) -> Matrix:
        """By a walk back from each element of each result."""
        found = np.zeros((self.result_starts[-1], self.input_starts[-1]), bool)
        places = dict(zip(self.inputs, self.input_starts, strict=False))
        for row, address, element in self._elements(self.results, self.result_starts):
            walk = walk_back(self.links, address, element, PATIENT)
            assert walk.complete, walk.reason
            for node in walk.end_nodes(End.INPUT):
                found[row, places[node.address] + node.elements.to_positions()] = True
        return found

    def forward(self) -> Matrix:
        """By a walk on from each element of each input."""
        found = np.zeros((self.result_starts[-1], self.input_starts[-1]), bool)
        for column, address, element in self._elements(self.inputs, self.input_starts):
            walk = walk_forward(self.links, address, element, PATIENT)
            assert walk.complete, walk.reason
            for result, start in zip(self.results, self.result_starts, strict=False):
                node = walk.nodes.get(result)
                if node is not None:
                    assert node.outputs
                    found[start + node.elements.to_positions(), column] = True
        return found

    def _elements(
        self, addresses: Sequence[Address], starts: Sequence[int]
    ) -> Iterator[tuple[int, Address, ElementSet]]:
        for address, start in zip(addresses, starts, strict=False):
            shape = self.run.shape(address)
            for number, index in enumerate(np.ndindex(shape)):
                yield start + number, address, ElementSet.of_index(shape, index)


def disturbed(run: Callable[[list[Array]], Arrays], inputs: Arrays) -> Matrix:
    """By changing each element of each input, by little and by much, and running again."""
    before = [np.asarray(found) for found in run(list(inputs))]
    columns = []
    for number, array in enumerate(inputs):
        for position in range(array.size):
            changed = np.zeros(sum(found.size for found in before), bool)
            for value in other_values(array.reshape(-1)[position]):
                other = array.copy()
                other.reshape(-1)[position] = value
                after = run([*inputs[:number], other, *inputs[number + 1 :]])
                changed |= np.concatenate(
                    [differs(old, np.asarray(new)) for old, new in zip(before, after, strict=True)]
                )
            columns.append(changed)
    return np.stack(columns, axis=1)


def other_values(value: np.generic) -> list[float]:
    if np.issubdtype(value.dtype, np.integer):
        number = int(value)
        return [number + by for by in (-3, -1, 1, 2)]
    found = float(value)
    return [found + 1e-3, found - 0.3, -found, found * 20 + 5, found * -20 - 5, 0.0]


def differs(old: Array, new: Array) -> NDArray[np.bool_]:
    same = (old == new) | (np.isnan(old) & np.isnan(new))
    return ~np.asarray(same).reshape(-1)
