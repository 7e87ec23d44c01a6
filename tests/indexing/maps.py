"""Random maps whose coefficients and divisors share factors, so that many rules apply."""

from __future__ import annotations

from hypothesis import strategies as st

from hloscope.engine.indexing import (
    Constant,
    Dim,
    Expression,
    IndexMap,
    Interval,
    Modulo,
    Range,
    Runtime,
    RuntimeVariable,
    ceil_divide,
    interval_of,
    maximum,
    minimum,
)
from hloscope.engine.indexing.core.interval_analysis import Bounds

VARIABLES: tuple[Expression, ...] = (Dim(0), Dim(1), Range(0), Runtime(0))
factors = st.sampled_from([2, 3, 4, 6, 8, 12, 16, 24])
divisors = st.one_of(factors, factors, factors.map(lambda c: -c), st.integers(2, 40))
coefficients = st.one_of(factors, st.integers(-12, 12), factors.map(lambda c: -c))
variables = st.sampled_from(VARIABLES)


def _sums(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    terms = st.lists(st.tuples(inner, coefficients), min_size=1, max_size=3)
    return st.tuples(terms, st.integers(-20, 20)).map(
        lambda parts: sum((term * times for term, times in parts[0]), Constant(parts[1]))
    )


def _grown(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    pairs = st.tuples(inner, inner)
    divided = st.tuples(inner, divisors)
    return st.one_of(
        _sums(inner),
        _sums(inner),
        divided.map(lambda p: p[0] // p[1]),
        divided.map(lambda p: p[0] % p[1]),
        divided.map(lambda p: p[0] - p[0] // p[1] * p[1]),
        divided.map(lambda p: p[0] % p[1] + p[0] // p[1] * abs(p[1])),
        divided.map(lambda p: ceil_divide(p[0], p[1])),
        pairs.map(lambda p: minimum(*p)),
        pairs.map(lambda p: maximum(*p)),
    )


expressions: st.SearchStrategy[Expression] = st.recursive(variables, _grown, max_leaves=7)

remainders = st.tuples(variables, st.integers(-6, 6), st.sampled_from([2, 3, 4, 6, 8])).map(
    lambda p: (p[0] + p[1]) % p[2]
)
intervals = st.tuples(st.one_of(st.just(0), st.integers(-12, 30)), st.integers(0, 12)).map(
    lambda p: Interval(p[0], p[0] + p[1])
)


@st.composite
def constraints(draw: st.DrawFn, bounds: Bounds) -> tuple[Expression, Interval]:
    """A constraint on any expression, or on a remainder as in most real maps; some may never hold."""
    expression = draw(st.one_of(expressions, remainders, remainders))
    reach = interval_of(expression, bounds)
    lower = draw(st.integers(reach.lower - 2, reach.upper + 1))
    width = draw(st.sampled_from([0, 1, 2, 5, 40])) if not isinstance(expression, Modulo) else 0
    return expression, Interval(lower, lower + width)


@st.composite
def maps(draw: st.DrawFn, results: int = 2, most_constraints: int = 3) -> IndexMap:
    """A map over d0, d1, s0 and rt0; rt0 may be clamped and may depend on the others."""
    d0, d1, s0, rt0 = (draw(intervals) for _ in VARIABLES)
    place = draw(st.sampled_from([Dim(0), Dim(1), Range(0), Dim(0) + Range(0)]))
    runtime = RuntimeVariable(rt0, 1, IndexMap((place,), (d0, d1), (s0,)), draw(st.booleans()))
    bounds = dict(zip(VARIABLES, (d0, d1, s0, rt0), strict=True))
    count = draw(st.integers(0, most_constraints))
    limits = tuple(draw(constraints(bounds)) for _ in range(count))
    return IndexMap(tuple(draw(expressions) for _ in range(results)), (d0, d1), (s0,), (runtime,), limits)
