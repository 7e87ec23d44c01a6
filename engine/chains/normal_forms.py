"""Normal forms of maps: simplified, without unused symbols. Compositions are stored in normal form."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from ..indexing import (
    Dim,
    Expression,
    IndexMap,
    Interval,
    Kind,
    Range,
    Runtime,
    RuntimeVariable,
    add,
    multiply,
    remove_unused_symbols,
    simplify,
    substitute,
    variables_of,
)
from ..indexing.core.expressions import split_coefficient, terms_of
from ..indexing.core.index_map import CACHE_SIZE, Constraint

MAX_BOUNDED = 3
"""Maximum number of constraints that are combined in pairs to eliminate a range variable."""


@lru_cache(CACHE_SIZE)
def normalize(index_map: IndexMap) -> IndexMap:
    """Simplify the map, and eliminate ranges that are determined, only bound others, or are unused."""
    found = simplify(index_map)
    while found.kind is Kind.NORMAL:
        smaller = remove_unused_symbols(without_bounding_ranges(without_determined_ranges(found)))
        smaller = without_equal_runtimes(with_short_sources(smaller))
        if smaller == found:
            break
        found = simplify(smaller)
    return found


def without_determined_ranges(index_map: IndexMap) -> IndexMap:
    """Eliminate a range variable that a constraint e + s in [c, c] determines."""
    for position, (expression, interval) in enumerate(index_map.constraints):
        if not interval.is_point:
            continue
        for term in terms_of(expression):
            atom, coefficient = split_coefficient(term)
            if not isinstance(atom, Range) or abs(coefficient) != 1 or _count((expression,), atom) != 1:
                continue
            value = multiply(add(expression, -term, -interval.lower), -coefficient)
            if _may_substitute(index_map, atom, value):
                constraints = list(index_map.constraints)
                constraints[position] = (value, index_map.ranges[atom.number])
                return substitute_ranges(replace(index_map, constraints=tuple(constraints)), {atom: value})
    return index_map


def _may_substitute(index_map: IndexMap, variable: Range, value: Expression) -> bool:
    """Whether substitution puts no runtime variable into the maps of runtime variables."""
    if not any(isinstance(variable, Runtime) for variable in variables_of(value)):
        return True
    return not any(variable in _ranges_in(each.map) for each in index_map.runtimes)


def substitute_ranges(index_map: IndexMap, values: dict[Expression, Expression]) -> IndexMap:
    results, constraints = index_map.substitute(values)
    runtimes = tuple(
        replace(each, map=substitute_ranges(each.map, values)) if each.map.ranges else each
        for each in index_map.runtimes
    )
    return replace(index_map, results=results, constraints=constraints, runtimes=runtimes)


def with_range(index_map: IndexMap, interval: Interval) -> IndexMap:
    """Append an unused range variable."""
    runtimes = tuple(
        replace(each, map=with_range(each.map, interval)) if each.map.ranges else each
        for each in index_map.runtimes
    )
    return replace(index_map, ranges=(*index_map.ranges, interval), runtimes=runtimes)


def without_bounding_ranges(index_map: IndexMap) -> IndexMap:
    """Eliminate a range variable that occurs once in each of few constraints, with coefficient 1 or -1.

    Some s in [a, b] has e + s in [l, u] exactly if e is in [l - b, u - a]. With a second constraint f + s in
    [m, v], also e - f must be in [l - v, u - m] (Fourier-Motzkin elimination, exact for these integers).
    """
    for number in range(len(index_map.ranges)):
        variable = Range(number)
        if _count(index_map.results, variable) or any(
            variable in _ranges_in(v.map) for v in index_map.runtimes
        ):
            continue
        within = [each for each in index_map.constraints if _count((each[0],), variable)]
        if not 0 < len(within) <= MAX_BOUNDED:
            continue
        bounded = [_solve(each, variable) for each in within]
        parts = [each for each in bounded if each is not None]
        if len(parts) == len(within):
            others = tuple(each for each in index_map.constraints if each not in within)
            return replace(index_map, constraints=(*others, *_relax(parts, index_map.ranges[number])))
    return index_map


def _relax(parts: list[Constraint], interval: Interval) -> Iterator[Constraint]:
    """The constraints that remain of e + s in [l, u] when s is eliminated."""
    for number, (expression, bounds) in enumerate(parts):
        yield expression, bounds - interval
        for other, others_bounds in parts[:number]:
            yield expression - other, bounds - others_bounds


def _solve(constraint: Constraint, variable: Range) -> Constraint | None:
    """The constraint as e + `variable` in [l, u], without the variable; `None` for other forms."""
    expression, bounds = constraint
    for term in terms_of(expression):
        atom, coefficient = split_coefficient(term)
        if atom == variable and abs(coefficient) == 1 and _count((expression,), variable) == 1:
            rest = add(expression, -term)
            return (rest, bounds) if coefficient == 1 else (-rest, -bounds)
    return None


def _count(expressions: tuple[Expression, ...], variable: Expression) -> int:
    return sum(1 for expression in expressions for found in variables_of(expression) if found == variable)


def with_short_sources(index_map: IndexMap) -> IndexMap:
    """Shorten the maps of runtime variables, whose domain repeats that of the map itself.

    Composition adds the same constraints to both.
    """
    if not index_map.runtimes:
        return index_map
    variables = []
    for variable in index_map.runtimes:
        own = variable.map
        if own.kind is Kind.NORMAL and variable.clamped:
            ranges = index_map.ranges if own.ranges else ()
            own = replace(own, dimensions=index_map.dimensions, ranges=ranges, constraints=())
            own = with_short_sources(_without_unused_runtimes(simplify(own)))
        variables.append(replace(variable, map=own))
    return replace(index_map, runtimes=tuple(variables))


def _without_unused_runtimes(own: IndexMap) -> IndexMap:
    """Drop unused runtime variables, and ranges if none is used, from the map of a runtime variable."""
    used = {variable for result in own.results for variable in variables_of(result)}
    runtimes = [number for number in range(len(own.runtimes)) if Runtime(number) in used]
    ranges = list(range(len(own.ranges)))
    if own.ranges and not any(isinstance(variable, Range) for variable in _ranges_in(own)):
        ranges = []
    if len(runtimes) == len(own.runtimes) and len(ranges) == len(own.ranges):
        return own
    return _with_symbols(own, ranges, runtimes)


def without_equal_runtimes(index_map: IndexMap) -> IndexMap:
    """Merge runtime variables that read the same element within the same bounds."""
    first: dict[RuntimeVariable, int] = {}
    numbers = [first.setdefault(v, n) for n, v in enumerate(index_map.runtimes)]
    if len(first) == len(numbers):
        return index_map
    same: dict[Expression, Expression] = {
        Runtime(old): Runtime(new) for old, new in enumerate(numbers) if old != new
    }
    results, constraints = index_map.substitute(same)
    merged = replace(index_map, results=results, constraints=constraints)
    return _with_symbols(merged, list(range(len(merged.ranges))), sorted(first.values()))


@lru_cache(CACHE_SIZE)
def order_ranges(index_map: IndexMap) -> IndexMap:
    """Number range variables in the order in which results, then constraints, name them."""
    if len(index_map.ranges) < 2 or index_map.kind is not Kind.NORMAL:
        return index_map
    expressions = (*index_map.results, *(expression for expression, _ in index_map.constraints))
    used = [
        variable.number
        for each in expressions
        for variable in variables_of(each)
        if isinstance(variable, Range)
    ]
    order = list(dict.fromkeys((*used, *range(len(index_map.ranges)))))
    if order == sorted(order):
        return index_map
    return _with_symbols(index_map, order, list(range(len(index_map.runtimes))))


def _ranges_in(index_map: IndexMap) -> set[Expression]:
    """The owner's ranges that the map of a runtime variable uses."""
    used = {
        variable
        for e in (*index_map.results, *(e for e, _ in index_map.constraints))
        for variable in variables_of(e)
    }
    found: set[Expression] = {variable for variable in used if isinstance(variable, Range)}
    return found | {each for runtime in index_map.runtimes for each in _ranges_in(runtime.map)}


def _with_symbols(index_map: IndexMap, ranges: list[int], runtimes: list[int]) -> IndexMap:
    """Keep only these ranges and runtime variables, renumbered."""
    symbols: dict[Expression, Expression] = {Range(old): Range(new) for new, old in enumerate(ranges)}
    symbols |= {Runtime(old): Runtime(new) for new, old in enumerate(runtimes)}
    variables = []
    for old in runtimes:
        own = index_map.runtimes[old].map
        if own.ranges and len(own.ranges) == len(index_map.ranges):
            own = _with_symbols(own, ranges, list(range(len(own.runtimes))))
        variables.append(replace(index_map.runtimes[old], map=own))
    kept = (
        (substitute(expression, symbols), interval)
        for expression, interval in index_map.constraints
        if all(variable in symbols for variable in variables_of(expression) if not isinstance(variable, Dim))
    )
    return replace(
        index_map,
        results=tuple(substitute(result, symbols) for result in index_map.results),
        ranges=tuple(index_map.ranges[number] for number in ranges),
        runtimes=tuple(variables),
        constraints=tuple(kept),
    )


def without_runtimes(index_map: IndexMap, numbers: Iterable[int]) -> IndexMap:
    """Replace some runtime variables by ranges over all their values: an enclosure for any run."""
    chosen = sorted(numbers)
    results, constraints = index_map.substitute(range_replacements(index_map, chosen))
    for number in chosen:
        index_map = with_range(index_map, index_map.runtimes[number].interval)
    kept = tuple(variable for number, variable in enumerate(index_map.runtimes) if number not in chosen)
    return replace(index_map, results=results, runtimes=kept, constraints=constraints)


def range_replacements(index_map: IndexMap, chosen: Iterable[int]) -> dict[Expression, Expression]:
    """Replacements of runtime variables: the `chosen` become ranges after those of the map."""
    gone = sorted(chosen)
    first = len(index_map.ranges)
    found: dict[Expression, Expression] = {
        Runtime(number): Range(first + position) for position, number in enumerate(gone)
    }
    kept = [number for number in range(len(index_map.runtimes)) if number not in gone]
    return found | {Runtime(number): Runtime(position) for position, number in enumerate(kept)}
