"""Composing index maps (reference/indexing.md, section 2.3)."""

from __future__ import annotations

from dataclasses import replace

from .expressions import Dim, Expression, Range, Runtime
from .index_map import UNDEFINED, IndexMap, RuntimeVariable


def compose(first: IndexMap, second: IndexMap) -> IndexMap:
    """`second` after `first`: the results of `first` become the dimensions of `second`.

    For a consumer and its producer, both from result to operand, `first` is the consumer's map. Range
    variables are renumbered second's first, then first's; runtime variables likewise, and they keep their
    operand numbers: give the two maps different ones with `IndexMap.with_operands` where they belong to
    different ops.
    """
    if first.is_undefined or second.is_undefined:
        return UNDEFINED
    if len(first.results) != len(second.dimensions):
        raise ValueError(f"{len(first.results)} results do not fit {len(second.dimensions)} dimensions")
    count = len(second.ranges)
    moved_results, moved_constraints = first.substituted(_shift(first, count, len(second.runtimes)))
    inner: dict[Expression, Expression] = {Dim(k): result for k, result in enumerate(moved_results)}
    results, constraints = second.substituted(inner)
    behind = (_behind(first, second, variable) for variable in second.runtimes)
    before = (replace(variable, map=_widened(variable.map, first, second)) for variable in first.runtimes)
    return IndexMap(
        results,
        first.dimensions,
        second.ranges + first.ranges,
        (*behind, *before),
        (*constraints, *moved_constraints, *zip(moved_results, second.dimensions, strict=True)),
    )


def _shift(index_map: IndexMap, ranges: int, runtimes: int) -> dict[Expression, Expression]:
    shifted: dict[Expression, Expression] = {}
    shifted |= {Range(k): Range(k + ranges) for k in range(len(index_map.ranges))}
    return shifted | {Runtime(k): Runtime(k + runtimes) for k in range(len(index_map.runtimes))}


def _behind(first: IndexMap, second: IndexMap, variable: RuntimeVariable) -> RuntimeVariable:
    """A runtime variable of `second` with its map read from the dimensions of `first`."""
    # The map gets all of second's range variables, so that composing numbers them as the whole map does.
    aligned = replace(variable.map, ranges=second.ranges)
    return replace(variable, map=compose(first, aligned))


def _widened(own: IndexMap, first: IndexMap, second: IndexMap) -> IndexMap:
    """The map of a runtime variable of `first`, with its range variables after those of `second`."""
    results, constraints = own.substituted(_shift(first, len(second.ranges), 0))
    return replace(own, results=results, ranges=second.ranges + first.ranges, constraints=constraints)
