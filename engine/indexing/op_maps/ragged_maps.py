"""Index maps of ragged_dot, in both directions: an einsum with consecutive groups known in a run.

A label names dimensions with the same index. Groups lie along the last of the labels `at`; for each index of
these, an auxiliary value gives the group number, or the number of groups for no group.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..core.expressions import Constant, Dim, Expression, Range, Runtime
from ..core.index_map import IndexMap, OperandMap, RuntimeVariable
from ..core.interval import INT64_MAX, Interval
from .data_movement_maps import ZERO, Shape

Labels = Sequence[str]
GROUP, SIZE = "group", "size"
"""The label of groups in rhs or in the result, and that of group sizes in the last operand."""
_FOUND = 3


@dataclass(frozen=True)
class RaggedIndexing:
    """The maps for lhs, rhs and group sizes; `at` is empty if groups have no effect."""

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
        # Sums of a group read its own elements; a group of the result reads whole dimensions.
        has_group = bool(self.at) and (grouped or GROUP not in self.result)
        if has_group and grouped and GROUP in place:
            constraints.append((place[GROUP] - Runtime(0), ZERO))
        elif has_group and grouped:
            place[GROUP] = Runtime(0)
        free = [label for label in target if label not in place]
        place |= {label: Range(k) for k, label in enumerate(free)}
        if not grouped:
            # The content of a group depends on its end, hence on its size and those before it.
            group = Runtime(0) if has_group else place[GROUP]
            constraints.append((group - place[SIZE], Interval(0, INT64_MAX)))
        shape, ranges = ([self.sizes[label] for label in labels] for labels in (source, free))
        groups = [self._group(place, shape, ranges, only_some=grouped)] if has_group else []
        return IndexMap.of([place[label] for label in target], shape, ranges, groups, constraints)

    def _group(
        self, place: Mapping[str, Expression], shape: Shape, ranges: Shape, *, only_some: bool
    ) -> RuntimeVariable:
        """The group number; elements of no group are not multiplied, but depend on all sizes."""
        read = IndexMap.of([place[label] for label in self.at], shape, ranges)
        count = self.sizes[SIZE]
        return RuntimeVariable(Interval(0, count - only_some), _FOUND, read, clamped=False)

    def _never(self) -> list[tuple[Expression, Interval]]:
        """Sums over no elements read nothing."""
        summed = (size for label, size in self.sizes.items() if label not in (*self.result, GROUP, SIZE))
        return [(Constant(0), Interval(1, 1))] if 0 in summed else []
