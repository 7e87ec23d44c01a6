"""Rewrite the loops of a tile until results are sums of their multiples.

Loops are narrowed, merged, thinned and split; each rewrite preserves the elements read.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from math import gcd

from ..core.expressions import (
    Constant,
    Expression,
    Modulo,
    Range,
    split_coefficient,
    substitute,
    terms_of,
    variables_of,
)
from ..core.index_map import CACHE_SIZE, Constraint, IndexMap
from ..core.interval import Interval
from ..core.interval_analysis import Intervals
from ..core.linearization import linear_form
from ..simplifier.rewriting import Rewriter
from .tile_forms import Form, divisions

_MAX_ROUNDS = 40


def normal_form(whole: IndexMap) -> Form:
    """Narrow loops by constraints on one of them, and split them at floordiv and mod."""
    loops = {Range(k): interval for k, interval in enumerate(whole.ranges)}
    fixed = {variable: i for variable, i in whole.bounds.items() if variable not in loops}
    moved: dict[Expression, Expression] = {
        loop: loop + interval.lower for loop, interval in loops.items() if interval.lower
    }
    results, constraints = whole.substitute(moved)
    form = Form(results, constraints, {loop: i.size for loop, i in loops.items()}, fixed)
    for _ in range(_MAX_ROUNDS):
        form = _simplify(form)
        changed = _narrow(form) or _merge(form) or _thin(form) or _split(form)
        if form.is_empty or changed is None:
            break
        form = changed
    return form


def _simplify(form: Form) -> Form:
    results = tuple(_shorten(result, form)[0] for result in form.results)
    kept = []
    for expression, interval in form.constraints:
        shorter, reach = _shorten(expression, form)
        if interval.intersect(reach).is_empty:
            return replace(form, is_empty=True)
        if not interval.covers(reach):
            kept.append((shorter, interval))
    return replace(form, results=results, constraints=tuple(kept))


def _shorten(expression: Expression, form: Form) -> tuple[Expression, Interval]:
    """The simplified expression within the bounds of its variables, and the interval of its values."""
    used = dict.fromkeys(variables_of(expression))
    return _shorten_within(expression, tuple((each, form.bounds[each]) for each in used))


@lru_cache(CACHE_SIZE)
def _shorten_within(
    expression: Expression, bounds: tuple[tuple[Expression, Interval], ...]
) -> tuple[Expression, Interval]:
    rewriter = Rewriter(Intervals(dict(bounds)))
    found = rewriter.simplify(expression)
    return found, rewriter.range_of(found)


def _narrow(form: Form) -> Form | None:
    """Shorten a loop by a constraint on that loop alone."""
    for number, (expression, interval) in enumerate(form.constraints):
        loop, factor, start = _single_loop(expression, form)
        if loop is None:
            continue
        allowed = interval.solve(factor, start).intersect(form.bounds[loop])
        if allowed.is_empty:
            return replace(form, is_empty=True)
        kept = replace(form, constraints=_without(form, number))
        return _with_loops(kept, {loop: loop + allowed.lower}, {loop: allowed.size})
    return None


def _single_loop(expression: Expression, form: Form) -> tuple[Expression | None, int, int]:
    """(loop, factor, start) of `factor * loop + start`; no loop for other expressions."""
    line = linear_form(expression)
    if line is None or len(line.factors) != 1:
        return None, 0, 0
    ((loop, factor),) = line.factors.items()
    return (loop, factor, line.constant) if loop in form.sizes else (None, 0, 0)


def _thin(form: Form) -> Form | None:
    """Restrict a loop to the steps that a remainder allows: (s0 + 3) mod 2 in [0, 0] makes it odd."""
    for number, (expression, interval) in enumerate(form.constraints):
        if not isinstance(expression, Modulo) or not interval.is_point:
            continue
        loop, factor, start = _single_loop(expression.dividend, form)
        if loop is None:
            continue
        period = abs(expression.divisor)
        step = period // gcd(factor, period)
        first = next((i for i in range(step) if (factor * i + start) % period == interval.lower), None)
        if first is None or first >= form.sizes[loop]:
            return replace(form, is_empty=True)
        kept = replace(form, constraints=_without(form, number))
        count = (form.sizes[loop] - 1 - first) // step + 1
        return _with_loops(kept, {loop: loop * step + first}, {loop: count})
    return None


def _merge(form: Form) -> Form | None:
    """Merge two loops that are only added and leave no gap, such as windows of neighbours."""
    parts = list(_linear_parts(form))
    loops = sorted((loop for loop, size in form.sizes.items() if size > 1), key=repr)
    for loop in loops:
        for other in loops:
            ratio = _fixed_ratio(loop, other, parts)
            if ratio is None or loop == other or abs(ratio) > form.sizes[loop]:
                continue
            reach = ratio * (form.sizes[other] - 1)
            moved: dict[Expression, Expression] = {loop: loop + min(0, reach), other: Constant(0)}
            return _with_loops(form, moved, {loop: form.sizes[loop] + abs(reach), other: 1})
    return None


def _linear_parts(form: Form) -> Iterator[dict[Expression, int]]:
    """For each sum in the form, the factors of its loops."""
    pending = [*form.results, *(expression for expression, _ in form.constraints)]
    while pending:
        factors: dict[Expression, int] = {}
        for term in terms_of(pending.pop()):
            variable, factor = split_coefficient(term)
            if variable.children:
                pending.extend(variable.children)
            elif variable in form.sizes:
                factors[variable] = factor
        if factors:
            yield factors


def _fixed_ratio(loop: Expression, other: Expression, parts: list[dict[Expression, int]]) -> int | None:
    """Ratio of the steps of two loops, if it is the same everywhere."""
    ratios = set()
    for factors in parts:
        if loop in factors or other in factors:
            mine, theirs = factors.get(loop, 0), factors.get(other, 0)
            if not mine or theirs % mine or not theirs:
                return None
            ratios.add(theirs // mine)
    return ratios.pop() if len(ratios) == 1 else None


def _split(form: Form) -> Form | None:
    """Split a loop that a floordiv or mod cuts into whole pieces."""
    for expression in (*form.results, *(expression for expression, _ in form.constraints)):
        for dividend, divisor in divisions(expression):
            for term in terms_of(dividend):
                loop, factor = split_coefficient(term)
                piece = abs(divisor) // gcd(factor, divisor)
                size = form.sizes.get(loop, 0)
                if 1 < piece < size and size % piece == 0:
                    return _with_pieces(form, loop, piece)
    return None


def _with_pieces(form: Form, loop: Expression, piece: int) -> Form:
    inner = Range(max((each.number for each in form.sizes if isinstance(each, Range)), default=-1) + 1)
    return _with_loops(form, {loop: loop * piece + inner}, {loop: form.sizes[loop] // piece, inner: piece})


def _without(form: Form, number: int) -> tuple[Constraint, ...]:
    return (*form.constraints[:number], *form.constraints[number + 1 :])


def _with_loops(form: Form, moved: dict[Expression, Expression], sizes: dict[Expression, int]) -> Form:
    """Replace loops by others, with new sizes."""
    return replace(
        form,
        results=tuple(substitute(result, moved) for result in form.results),
        constraints=tuple((substitute(expression, moved), i) for expression, i in form.constraints),
        sizes={**form.sizes, **sizes},
    )
