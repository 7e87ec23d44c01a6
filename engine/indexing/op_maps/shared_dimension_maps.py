"""Index maps of ops that read whole parts of an operand, or choose in them, with the same index in some dimensions.

batch_norm reads everything of its feature, fft every element of the lines that it transforms, cholesky a
triangle of each matrix.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from ..core.expressions import Dim, Expression, Range, Runtime
from ..core.index_map import IndexMap, OperandMap, RuntimeVariable
from ..core.interval import INT64_MAX, Interval
from ..transforms.composition import compose
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
    *,
    inverse: bool = False,
) -> IndexMap:
    """Dimension k of the target has the index of dimension `shared[k]`, or any index if not shared.

    The inverse map exchanges the shapes, keys and values of `shared`, and the arguments of `conditions`.
    """
    if inverse:
        from_shape, to_shape = to_shape, from_shape
        shared = {there: here for here, there in shared.items()}
    free = [k for k in range(len(to_shape)) if k not in shared]
    index: list[Expression] = [
        Dim(shared[k]) if k in shared else Range(free.index(k)) for k in range(len(to_shape))
    ]
    variables = (index.__getitem__, Dim) if inverse else (Dim, index.__getitem__)
    limits = conditions(*variables) if conditions else []
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


# Index maps of ops that choose elements at run time, in both directions: select and sort.
#
# The auxiliary values of a sort are the source position of each result element; in the other direction, the target
# position of each operand element (docs/index-maps.md, "Sort, top-k and scan").


def selection_maps(
    maps: Iterable[OperandMap], inverse: Iterable[OperandMap] | None = None, *, last_on_true: int = 1
) -> Iterator[OperandMap]:
    """The maps of a select, restricted to the elements that the predicate, operand 0, chooses.

    `maps` go from results to all operands; if `inverse` is given, those maps are restricted instead. Operands
    1 to `last_on_true` are chosen where the predicate is true, those after them where it is false.
    """
    forward = list(maps)
    predicates = {item.result: item.map for item in forward if item.operand == 0}
    for item in forward if inverse is None else inverse:
        if item.operand == 0 or item.map.is_known_empty:
            yield item
            continue
        read = predicates[item.result]
        read = read if inverse is None else compose(item.map, read)
        yield replace(item, map=_where(item.map, read, is_true=item.operand <= last_on_true))


def _where(index_map: IndexMap, read: IndexMap, *, is_true: bool) -> IndexMap:
    chosen = RuntimeVariable(Interval(int(is_true), int(is_true)), 0, read, clamped=False)
    return replace(index_map, runtimes=(*index_map.runtimes, chosen))


def permutation_map(shape: Shape, dimension: int, places: int) -> IndexMap:
    """(d0, d1){rt0} -> (d0, rt0): operand number `places` holds the position along `dimension`."""
    index: list[Expression] = [Runtime(0) if k == dimension else Dim(k) for k in range(len(shape))]
    place = RuntimeVariable(Interval(0, shape[dimension] - 1), places, IndexMap.identity(shape))
    return IndexMap.of(index, shape, runtimes=[place])


def line_map(shape: Shape, dimension: int) -> IndexMap:
    """(d0, d1)[s0] -> (d0, s0): all elements along `dimension`; its own inverse."""
    return shared_dimensions_map(shape, shape, {k: k for k in range(len(shape)) if k != dimension})
