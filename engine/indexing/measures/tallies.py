"""Count what maps relate: reads with repetitions, distinct elements, and the indices that read them.

Each factor of a map is counted separately: by a formula if its elements are a linear form without repetition,
by NumPy if it is small, by isl if it is large, and by bounds otherwise. Runtime variables are read from a
run's operands; without a run, counts that depend on them are bounds, unless they are the same for all values.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import prod

import numpy as np

from ..core.expressions import Constant, Expression, Runtime, split_coefficient, terms_of, variables_of
from ..core.index_map import IndexMap
from ..core.interval import Interval, box
from ..core.linearization import linear_form
from ..evaluation.array_values import Int64Array
from ..evaluation.bound_map import Operands
from ..evaluation.counting import NONE, NOTHING_READ, Count, Tally, all_of, product
from ..evaluation.factors import Factor, bind_scalars, deciding_variables, factors_of, whole_factor

FEW = 1 << 16
"""Maximum number of combinations that NumPy enumerates before isl is tried."""
MANY = 1 << 22
"""Maximum number of combinations that NumPy enumerates where isl fails."""


def tally(
    maps: Sequence[IndexMap],
    elements: Sequence[int],
    indices: Sequence[int],
    operands: Operands | None = None,
    *,
    thorough: bool = True,
) -> Tally:
    """The tally of a union of maps, none undefined, from indices of one shape to elements of another.

    Unless `thorough`, counts come from formulas and bounds only.
    """
    bound = [each if operands is None else bind_scalars(each, operands) for each in maps]
    alive = [each for each in bound if not each.is_known_empty]
    if not alive or 0 in elements or 0 in indices:
        return NOTHING_READ
    if len(alive) == 1 or not thorough:
        parts = [tally_map(each, operands, thorough=thorough) for each in alive]
        found = parts[0] if len(parts) == 1 else join_tallies(parts)
    else:
        found = _tally_union(alive, elements, indices, operands)
    return _within(found, prod(elements), prod(indices))


def tally_map(index_map: IndexMap, operands: Operands | None, *, thorough: bool = True) -> Tally:
    """The tally of one map, from those of its factors."""
    count = (lambda factor: tally_factor(factor, operands)) if thorough else _quick_tally
    tallies = [count(factor) for factor in factors_of(index_map)]
    if any(each.reads == NONE for each in tallies):
        return NOTHING_READ
    return Tally(
        product(each.reads for each in tallies),
        product(each.pairs for each in tallies),
        product(each.elements for each in tallies),
        product(each.readers for each in tallies),
        product(each.fewest for each in tallies),
        product(each.most for each in tallies),
        _unless_empty(all_of(each.single_valued for each in tallies), tallies),
        _unless_empty(all_of(each.injective for each in tallies), tallies),
    )


def _unless_empty(answer: bool | None, tallies: Sequence[Tally]) -> bool | None:
    """An answer that is false for a factor becomes unknown if another factor may be empty."""
    return None if answer is False and any(each.reads.least == 0 for each in tallies) else answer


def _quick_tally(factor: Factor) -> Tally:
    return _by_formula(factor) or _bounds(factor)


def tally_factor(factor: Factor, operands: Operands | None = None) -> Tally:
    """The tally of one factor."""
    if operands is None and factor.map.runtimes:
        here = _without_shift(factor)
        if here is None:
            return _for_any_run(factor)
        factor = here
    found = _by_formula(factor)
    if found is None and factor.candidates <= FEW:
        found = _by_numpy(factor, operands or ())
    if found is None and not factor.map.runtimes:
        found = _by_isl([factor.map], factor.map.dimensions, None)
    if found is None and factor.candidates <= MANY:
        found = _by_numpy(factor, operands or ())
    return found or _bounds(factor)


# By formula


def _by_formula(factor: Factor) -> Tally | None:
    """A factor without results, or with one linear result that repeats no element."""
    here = factor.map
    if here.constraints or here.runtimes or len(here.results) > 1:
        return None
    readers = prod(here.dimensions[k].size for k in factor.dimensions)
    reads = factor.candidates
    if not here.results:
        return Tally.exactly((reads, readers, 1, readers), (reads, reads), True, readers == 1)
    if not _is_mixed_radix(here.results[0], here):
        return None
    return Tally.exactly((reads, reads, reads, readers), (1, 1), reads == readers, True)


def _is_mixed_radix(expression: Expression, here: IndexMap) -> bool:
    """Whether a sum of multiples of variables is distinct for all combinations, as digits of a number are.

    Each variable of the factor must occur, because constraints on bare variables could hide it otherwise.
    """
    form = linear_form(expression)
    if form is None:
        return False
    if any(interval.size > 1 and variable not in form.factors for variable, interval in here.bounds.items()):
        return False
    digits = [(abs(factor), here.bounds[variable].size) for variable, factor in form.factors.items()]
    span = 0
    for factor, size in sorted(digits):
        if size > 1 and factor <= span:
            return False
        span += factor * (size - 1)
    return True


# By NumPy


def _by_numpy(factor: Factor, operands: Operands) -> Tally:
    return _count_tables([factor.table(operands)])


def _count_tables(tables: Sequence[tuple[Int64Array, Int64Array]]) -> Tally:
    """Count all combinations in the domain, given their dimensions and results."""
    dims, results = map(np.concatenate, zip(*tables, strict=True))
    if not len(dims):
        return NOTHING_READ
    here, there = _number_rows(dims), _number_rows(results)
    _, often = np.unique(there, return_counts=True)
    readers = len(np.unique(here))
    pairs = len(np.unique(here * (int(there.max()) + 1) + there))
    numbers = (len(dims), pairs, len(often), readers)
    per_element = (int(often.min()), int(often.max()))
    return Tally.exactly(numbers, per_element, pairs == readers, pairs == len(often))


def _number_rows(rows: Int64Array) -> Int64Array:
    """A small number for each row; equal rows have equal numbers."""
    numbers = np.zeros(len(rows), np.int64)
    for column in rows.T:
        own, count = column - column.min(), int(column.max()) - int(column.min()) + 1
        numbers = numbers * count + own
        if count > len(rows):  # keep the numbers within int64
            numbers = np.unique(numbers, return_inverse=True)[1]
    return np.unique(numbers, return_inverse=True)[1].reshape(-1)


def _by_isl(
    maps: Sequence[IndexMap], indices: Sequence[Interval], elements: Sequence[Interval] | None
) -> Tally | None:
    from ..relations.relation import by_isl  #  loading isl takes a fifth of a second

    return by_isl(maps, indices, elements)


# By bounds


def _bounds(factor: Factor) -> Tally:
    """Bounds for a factor that cannot be counted, from the sizes of its domain and enclosing box."""
    here, reads = factor.map, factor.candidates
    readers = prod(here.dimensions[k].size for k in factor.dimensions)
    sides = [interval.size for interval in here.result_intervals]
    certain = not here.constraints and all(variable.clamped for variable in here.runtimes)
    pairs = Count(readers if certain else 0, reads)
    return Tally(
        Count(reads if certain else 0, reads),
        pairs,
        Count(1 if certain else 0, min(reads, prod(sides))),
        Count(readers if certain else 0, readers),
        Count(1 if certain else 0, reads),
        Count(1 if certain else 0, reads),
        True if readers == reads else None,
        True if readers <= 1 else None,
    )


def _has_fixed_runtimes(index_map: IndexMap) -> bool:
    """Whether each runtime variable has one value for all elements, and is always in the domain."""
    return all(variable.clamped and not deciding_variables(variable) for variable in index_map.runtimes)


def _for_any_run(factor: Factor) -> Tally:
    """Tally with unknown runtime variables: exact if it is the same for all values, else bounds."""
    if _has_fixed_runtimes(factor.map):
        found = _by_isl([factor.map], factor.map.dimensions, None)
        if found is not None:
            return found
    return _bounds(factor)


def _without_shift(factor: Factor) -> Factor | None:
    """Fix the runtime variables that only shift all elements by the same amount; `None` for others."""
    here = factor.map
    if not _has_fixed_runtimes(here):
        return None
    if any(isinstance(each, Runtime) for e, _ in here.constraints for each in variables_of(e)):
        return None
    if not all(_only_shifts(result) for result in here.results):
        return None
    values: dict[Expression, Expression] = {
        Runtime(k): Constant(variable.interval.lower) for k, variable in enumerate(here.runtimes)
    }
    results, constraints = here.substitute(values)
    return whole_factor(replace(here, results=results, constraints=constraints, runtimes=()))


def _only_shifts(result: Expression) -> bool:
    for term in terms_of(result):
        variable, _ = split_coefficient(term)
        nested = any(isinstance(each, Runtime) for each in variables_of(term))
        if nested and not isinstance(variable, Runtime):
            return False
    return True


# Unions


def _tally_union(
    maps: Sequence[IndexMap], elements: Sequence[int], indices: Sequence[int], operands: Operands | None
) -> Tally:
    """The tally of maps without common pairs: jointly by NumPy or isl, else from the tally of each."""
    known = operands is not None or not any(each.runtimes for each in maps)
    factors = [whole_factor(each) for each in maps]
    candidates = sum(factor.candidates for factor in factors)
    if known and candidates <= FEW:
        return _count_tables([factor.table(operands or ()) for factor in factors])
    if all(_has_fixed_runtimes(each) for each in maps) and (
        operands is None or not any(each.runtimes for each in maps)
    ):
        found = _by_isl(maps, box(tuple(indices)), box(tuple(elements)))
        if found is not None:
            return found
    if known and candidates <= MANY:
        return _count_tables([factor.table(operands or ()) for factor in factors])
    return join_tallies([tally_map(each, operands) for each in maps])


def join_tallies(tallies: Sequence[Tally]) -> Tally:
    """Bounds for a union from its parts, which may share indices and elements but no pairs."""
    reads = Count(sum(t.reads.least for t in tallies), sum(t.reads.most for t in tallies))
    pairs = Count(sum(t.pairs.least for t in tallies), sum(t.pairs.most for t in tallies))
    single = False if any(t.single_valued is False for t in tallies) else None
    injective = False if any(t.injective is False for t in tallies) else None
    return Tally(
        reads,
        pairs,
        _union_bounds([t.elements for t in tallies]),
        _union_bounds([t.readers for t in tallies]),
        Count(min(t.fewest.least for t in tallies), reads.most),
        Count(max(t.most.least for t in tallies), reads.most),
        single,
        injective,
    )


def _union_bounds(counts: Sequence[Count]) -> Count:
    return Count(max(count.least for count in counts), sum(count.most for count in counts))


def _within(found: Tally, elements: int, indices: int) -> Tally:
    """The tally, limited by the total numbers of elements and indices."""
    pairs = found.pairs.at_most(elements * indices)
    single = found.single_valued
    if single is None and pairs.exact and pairs == found.readers:
        single = True
    return replace(
        found,
        pairs=pairs,
        elements=found.elements.at_most(elements),
        readers=found.readers.at_most(indices),
        single_valued=single,
    )
