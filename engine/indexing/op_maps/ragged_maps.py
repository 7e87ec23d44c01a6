"""Index maps of ragged_dot, in both directions: an einsum whose groups of neighbours are known in a run.

A label names dimensions that have one index wherever they occur. Groups lie along the last of the labels `at`; for each
index of these an auxiliary value says which group it is in; as many as there are groups, if it is in none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..expressions import Constant, Dim, Expression, Range, Runtime
from ..index_map import IndexMap, OperandMap, RuntimeVariable
from ..interval import INT64_MAX, Interval
from .data_movement_maps import ZERO, Shape

Labels = Sequence[str]
GROUP, SIZE = "group", "size"
"""The label of groups in rhs, or in the result; that of group sizes, in the last operand."""
_FOUND = 3


@dataclass(frozen=True)
class RaggedIndexing:
    """The maps for lhs, rhs and the sizes of groups; `at` is empty where groups change nothing."""

    operands: Sequence[Labels]
    result: Labels
    sizes: Mapping[str, int]
    at: Labels

    def index_maps(self) -> Iterator[OperandMap]:
        for number, labels in enumerate(self.operands):
            yield OperandMap(number, self._map(self.result, labels))

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        for number, labels in enumerate(self.operands):
            yield OperandMap(number, self._map(labels, self.result))

    def _map(self, source: Labels, target: Labels) -> IndexMap:
        place: dict[str, Expression] = {label: Dim(k) for k, label in enumerate(source)}
        constraints = self._never()
        grouped = SIZE not in (*source, *target)
        # Sums of a group read its own elements; what a group of the result has, needs no look at each of them.
        has_group = bool(self.at) and (grouped or GROUP not in self.result)
        if has_group and grouped and GROUP in place:
            constraints.append((place[GROUP] - Runtime(0), ZERO))
        elif has_group and grouped:
            place[GROUP] = Runtime(0)
        free = [label for label in target if label not in place]
        place |= {label: Range(k) for k, label in enumerate(free)}
        if not grouped:
            # What is in a group depends on where that ends, so on its size and on those before.
            group = Runtime(0) if has_group else place[GROUP]
            constraints.append((group - place[SIZE], Interval(0, INT64_MAX)))
        shape, ranges = ([self.sizes[label] for label in labels] for labels in (source, free))
        groups = [self._group(place, shape, ranges, only_some=grouped)] if has_group else []
        return IndexMap.of([place[label] for label in target], shape, ranges, groups, constraints)

    def _group(
        self, place: Mapping[str, Expression], shape: Shape, ranges: Shape, *, only_some: bool
    ) -> RuntimeVariable:
        """Which group it is; elements of no group are multiplied with nothing, but depend on all sizes."""
        read = IndexMap.of([place[label] for label in self.at], shape, ranges)
        count = self.sizes[SIZE]
        return RuntimeVariable(Interval(0, count - only_some), _FOUND, read, clamped=False)

    def _never(self) -> list[tuple[Expression, Interval]]:
        """Sums over no elements read nothing."""
        summed = (size for label, size in self.sizes.items() if label not in (*self.result, GROUP, SIZE))
        return [(Constant(0), Interval(1, 1))] if 0 in summed else []
