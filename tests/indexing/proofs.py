"""Proofs that simplification preserves maps: by isl, or at sample points if isl fails."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hloscope.engine.indexing import (
    Dim,
    IndexMap,
    Interval,
    OperandMap,
    Runtime,
    evaluate,
    print_map,
    ranges_to_dimensions,
    simplification,
    simplify,
)
from hloscope.engine.indexing.relations.isl_maps import (
    MAX_OPERATIONS,
    SetTooHard,
    limit,
    new_context,
    union_of,
)

MOST_POINTS = 20_000
FARTHEST = 1 << 20  # unbounded variables are not sampled beyond this


def assert_simplifies_equal(index_map: IndexMap | OperandMap, *, keep_points: bool = False) -> IndexMap:
    """Simplify, and prove the result equal for all values of variables, including runtime variables.

    Also checks that simplifying is idempotent, that the recorded steps end at the same map, and that all this
    holds for the maps of runtime variables. For a collective op's map, the process is compared as a result.
    """
    if isinstance(index_map, OperandMap):
        index_map = index_map.placed
    found = simplify(index_map, keep_points=keep_points)
    assert simplify(found, keep_points=keep_points) == found, f"not idempotent: {print_map(index_map)}"
    assert simplification(index_map, keep_points=keep_points).map == found, "the steps lead elsewhere"
    assert found.kind is index_map.kind or found.is_known_empty
    if index_map.is_undefined:
        return found
    assert_same_everywhere(index_map, found)
    for before, after in zip(index_map.runtimes, found.runtimes, strict=True):
        assert (before.operand, before.clamped) == (after.operand, after.clamped)
        assert before.interval == after.interval or not before.clamped
        if not found.is_known_empty:
            assert_simplifies_equal(before.map, keep_points=keep_points)
    return found


def is_equal(
    left: Iterable[IndexMap], right: Iterable[IndexMap], max_operations: int = MAX_OPERATIONS
) -> bool:
    """Whether two unions of maps relate the same pairs, for all runtime values."""
    context = new_context(max_operations)
    with limit("compare the relations"):
        return bool(union_of(left, context).is_equal(union_of(right, context)))


def is_inverse(
    forward: Iterable[IndexMap] | IndexMap,
    backward: Iterable[IndexMap] | IndexMap,
    max_operations: int = MAX_OPERATIONS,
) -> bool:
    """Whether the second union relates exactly the reversed pairs of the first."""
    context = new_context(max_operations)
    there, back = union_of(_several(forward), context), union_of(_several(backward), context)
    with limit("compare the relations"):
        return bool(there.is_equal(back.reverse()))


def _several(maps: Iterable[IndexMap] | IndexMap) -> Iterable[IndexMap]:
    return (maps,) if isinstance(maps, IndexMap) else maps


def symbols_to_dimensions(index_map: IndexMap) -> IndexMap:
    """Convert range and runtime variables to additional dimensions; no runtime reads remain."""
    found = ranges_to_dimensions(index_map, range(len(index_map.ranges)))
    if not found.runtimes:
        return found
    first = len(found.dimensions)
    results, constraints = found.substitute({Runtime(k): Dim(first + k) for k in range(len(found.runtimes))})
    dimensions = (*found.dimensions, *(variable.interval for variable in found.runtimes))
    return IndexMap(results, dimensions, (), (), constraints, found.kind)


def assert_same_everywhere(one: IndexMap, other: IndexMap) -> None:
    """Assert that two maps over the same variables have equal domains and equal results on them."""
    if one == other:
        return
    left, right = symbols_to_dimensions(one), symbols_to_dimensions(other)
    try:
        same = is_equal([left], [right])
    except SetTooHard:
        same = _same_at_points(left, right)
    assert same, f"not the same:\n{print_map(one)}\n{print_map(other)}"


def _same_at_points(left: IndexMap, right: IndexMap) -> bool:
    points = points_of(left)
    before, inside = evaluate(left, points)
    after, still_inside = evaluate(right, points)
    return bool((inside == still_inside).all() and (before[inside] == after[inside]).all())


def points_of(index_map: IndexMap) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """All values of the dimension variables, or an even sample; int64 [n, dimensions]."""
    ends = [_finite(interval) for interval in index_map.dimensions]
    sizes = [interval.size for interval in ends]
    lowers = np.array([interval.lower for interval in ends], np.int64)
    total = int(np.prod(sizes, dtype=object)) if sizes else 1
    if total <= MOST_POINTS:
        numbers = np.arange(total)
        columns = np.unravel_index(numbers, sizes) if sizes else ()
        return np.stack(columns, axis=1).astype(np.int64) + lowers if sizes else np.zeros((1, 0), np.int64)
    chosen = np.random.default_rng(total % (1 << 32))
    return chosen.integers(0, sizes, (MOST_POINTS, len(sizes))) + lowers


def _finite(interval: Interval) -> Interval:
    return interval.intersect(Interval(-FARTHEST, FARTHEST))
