"""Index maps of scan: a slice of an output reads slices of inputs from earlier iterations.

An age is the number of iterations between a read element and its reader: 0 within an iteration, 1 for a value
carried once. Initial values count as slices of iteration 0, final carried values as those of one more
iteration. Formulas: docs/index-maps.md, "Sort, top-k and scan".
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..core.expressions import Constant, Dim, Expression, Range, as_expression
from ..core.index_map import IndexMap
from ..core.interval import Interval
from .data_movement_maps import Shape


@dataclass(frozen=True)
class ScanValue:
    """An operand or a result, either sliced or carried."""

    shape: Shape
    is_sliced: bool


@dataclass(frozen=True)
class ScanIndexing:
    """Slicing along `dimension` into `count` slices, from the last one on if `is_reverse`.

    With `place_by_place` an element reads only its own position in a slice, otherwise the whole slice.
    """

    dimension: int
    count: int
    is_reverse: bool
    place_by_place: bool

    def map(self, operand: ScanValue, result: ScanValue, ages: Interval, inverse: bool) -> IndexMap:
        """The map from result to operand, or inverse, for ages in an interval."""
        source, target = (operand, result) if inverse else (result, operand)
        own = self._iteration(source, Dim(self.dimension), last=not inverse)
        # Iterations increase from operand to result.
        reached = Interval(ages.lower, ages.upper) if inverse else Interval(-ages.upper, -ages.lower)
        index: list[Expression | None] = [None] * len(target.shape)
        for mine, other in zip(self._places(source), self._places(target), strict=False):
            if self.place_by_place:
                index[other] = Dim(mine)
        exact = target.is_sliced and ages.lower == ages.upper
        if exact:
            index[self.dimension] = self._slice(own + reached.lower)
        free = [k for k, found in enumerate(index) if found is None]
        whole = [found if found is not None else Range(free.index(k)) for k, found in enumerate(index)]
        if exact:
            limits = [(whole[self.dimension], Interval(0, self.count - 1))]
        else:
            at = whole[self.dimension] if target.is_sliced else Constant(0)
            limits = [(self._iteration(target, at, last=inverse) - own, reached)]
        return IndexMap.of(whole, source.shape, [target.shape[k] for k in free], constraints=limits)

    def _iteration(self, value: ScanValue, at: Expression, *, last: bool) -> Expression:
        """The iteration of an element's slice; of a carried value, the first or one after the last."""
        return self._slice(at) if value.is_sliced else Constant(self.count if last else 0)

    def _slice(self, at: Expression) -> Expression:
        """Convert between slices and iterations, in either direction."""
        return as_expression(self.count - 1 - at) if self.is_reverse else at

    def _places(self, value: ScanValue) -> list[int]:
        """The dimensions of a slice."""
        return [k for k in range(len(value.shape)) if not (value.is_sliced and k == self.dimension)]


def runs_of(ages: Sequence[int]) -> Iterator[Interval]:
    """The increasing ages as intervals without gaps."""
    if not ages:
        return
    breaks = [k for k, (left, right) in enumerate(pairwise(ages), 1) if right > left + 1]
    for begin, end in pairwise([0, *breaks, len(ages)]):
        yield Interval(ages[begin], ages[end - 1])
