"""Index maps of ops that read whole parts of an operand, with the same index in some dimensions.

batch_norm reads everything of its feature, fft every element of the lines that it transforms, cholesky a
triangle of each matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ..core.expressions import Dim, Expression, Range
from ..core.index_map import IndexMap, RuntimeVariable
from ..core.interval import INT64_MAX, Interval
from .data_movement_maps import Shape

Variables = Callable[[int], Expression]
"""The variable of each dimension of one side."""
Conditions = Callable[[Variables, Variables], list[Expression]]
"""From the variables of source and target to expressions that must not be negative."""


def shared_dimensions_map(
    from_shape: Shape,
    to_shape: Shape,
    shared: Mapping[int, int],
    conditions: Conditions | None = None,
    runtimes: Iterable[RuntimeVariable] = (),
) -> IndexMap:
    """Dimension k of the target has the index of dimension `shared[k]`, or any index if not shared.

    The inverse map exchanges the shapes, keys and values of `shared`, and the arguments of `conditions`.
    """
    free = [k for k in range(len(to_shape)) if k not in shared]
    index: list[Expression] = [
        Dim(shared[k]) if k in shared else Range(free.index(k)) for k in range(len(to_shape))
    ]
    limits = conditions(Dim, index.__getitem__) if conditions else []
    constraints = [(limit, Interval(0, INT64_MAX)) for limit in limits]
    return IndexMap.of(index, from_shape, [to_shape[k] for k in free], runtimes, constraints)


def feature_map(from_shape: Shape, feature: int) -> IndexMap:
    """(d0, d1, d2) -> (d1): from a tensor's element to that of its feature in a vector."""
    return shared_dimensions_map(from_shape, (from_shape[feature],), {0: feature})


def inverse_feature_map(to_shape: Shape, feature: int) -> IndexMap:
    """(d0)[s0, s1] -> (s0, d0, s1): from a feature in a vector to all of a tensor's elements with it."""
    return shared_dimensions_map((to_shape[feature],), to_shape, {feature: 0})


def same_feature_map(shape: Shape, feature: int) -> IndexMap:
    """(d0, d1, d2)[s0, s1] -> (s0, d1, s1)."""
    return shared_dimensions_map(shape, shape, {feature: feature})
