"""Composition of index maps (docs/index-maps.md, "Composition")."""

from dataclasses import replace
from functools import lru_cache

from ..core.expressions import Dim, Expression, Range, Runtime
from ..core.index_map import CACHE_SIZE, UNDEFINED, IndexMap, Kind, RuntimeVariable
from .variables import remove_unused_runtimes


@lru_cache(CACHE_SIZE)
def compose(first: IndexMap, second: IndexMap) -> IndexMap:
    """`second` after `first`: the results of `first` become the dimensions of `second`.

    For a consumer and its producer, both mapping result to operand, `first` is the consumer's map. The range
    variables of `second` come first, then those of `first`; runtime variables likewise. Runtime variables
    keep their operand numbers: use `IndexMap.with_operands` to give the maps of different ops different
    numbers.
    """
    if first.is_undefined or second.is_undefined:
        return UNDEFINED
    if len(first.results) != len(second.dimensions):
        raise ValueError(f"{len(first.results)} results do not fit {len(second.dimensions)} dimensions")
    count = len(second.ranges)
    moved_results, moved_constraints = first.substitute(_shift(first, count, len(second.runtimes)))
    inner: dict[Expression, Expression] = {Dim(k): result for k, result in enumerate(moved_results)}
    results, constraints = second.substitute(inner)
    after = (compose_runtime(first, _align(variable, second)) for variable in second.runtimes)
    before = (replace(variable, map=_widen(variable.map, first, second)) for variable in first.runtimes)
    return IndexMap(
        results,
        first.dimensions,
        second.ranges + first.ranges,
        (*after, *before),
        (*constraints, *moved_constraints, *zip(moved_results, second.dimensions, strict=True)),
        # A map without variables can be marked as empty only by its kind.
        Kind.KNOWN_EMPTY if first.is_known_empty or second.is_known_empty else Kind.NORMAL,
    )


def _shift(index_map: IndexMap, ranges: int, runtimes: int) -> dict[Expression, Expression]:
    shifted: dict[Expression, Expression] = {}
    shifted |= {Range(k): Range(k + ranges) for k in range(len(index_map.ranges))}
    return shifted | {Runtime(k): Runtime(k + runtimes) for k in range(len(index_map.runtimes))}


def compose_runtime(first: IndexMap, variable: RuntimeVariable) -> RuntimeVariable:
    """The runtime variable with its map composed after `first`."""
    return replace(variable, map=remove_unused_runtimes(compose(first, variable.map)))


def _align(variable: RuntimeVariable, owner: IndexMap) -> RuntimeVariable:
    """The variable with all range variables in its map, to be numbered as in the whole map."""
    return replace(variable, map=replace(variable.map, ranges=owner.ranges))


def _widen(own: IndexMap, first: IndexMap, second: IndexMap) -> IndexMap:
    """The map of a runtime variable of `first`, with its range variables after those of `second`."""
    results, constraints = own.substitute(_shift(first, len(second.ranges), 0))
    return replace(
        own,
        results=results,
        ranges=second.ranges + first.ranges,
        constraints=constraints,
        runtimes=tuple(replace(inner, map=_widen(inner.map, first, second)) for inner in own.runtimes),
    )
