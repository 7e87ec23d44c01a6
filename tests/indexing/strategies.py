"""Small random shapes, expressions and gathers for the property tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.indexing import (
    Constant,
    Dim,
    Expression,
    IndexMap,
    Interval,
    Range,
    ceil_divide,
    maximum,
    minimum,
    substitute,
)

from .oracles import GatherCase

sizes = st.integers(1, 4)
shapes = st.lists(sizes, max_size=3).map(tuple)
divisors = st.integers(-5, 5).filter(bool)

leaves: st.SearchStrategy[Expression] = st.one_of(
    st.integers(-9, 9).map(Constant), st.integers(0, 1).map(Dim), st.just(Range(0))
)


def grown(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda p: p[0] + p[1]),
        pairs.map(lambda p: p[0] - p[1]),
        pairs.map(lambda p: minimum(*p)),
        pairs.map(lambda p: maximum(*p)),
        st.tuples(inner, st.integers(-4, 4)).map(lambda p: p[0] * p[1]),
        st.tuples(inner, divisors).map(lambda p: p[0] // p[1]),
        st.tuples(inner, divisors).map(lambda p: p[0] % p[1]),
        st.tuples(inner, divisors).map(lambda p: ceil_divide(*p)),
    )


expressions = st.recursive(leaves, grown, max_leaves=8)


@st.composite
def gathers(draw: st.DrawFn) -> GatherCase:
    operand_shape = draw(st.lists(sizes, min_size=1, max_size=3).map(tuple))
    rank = len(operand_shape)
    roles = draw(st.lists(st.sampled_from("kdb"), min_size=rank, max_size=rank))
    dropped = tuple(k for k in range(rank) if roles[k] == "d")
    batching = tuple(k for k in range(rank) if roles[k] == "b")
    kept = [k for k in range(rank) if roles[k] == "k"]
    slice_sizes = tuple(draw(st.integers(1, operand_shape[k])) if k in kept else 1 for k in range(rank))
    candidates = draw(st.permutations([k for k in range(rank) if k not in batching]))
    mapped = tuple(candidates[: draw(st.integers(0, len(candidates)))])
    batch_order = draw(st.permutations([*batching, *([None] if draw(st.booleans()) else [])]))
    batch_shape = [draw(sizes) if k is None else operand_shape[k] for k in batch_order]
    vector_dim = draw(st.integers(0, len(batch_shape)))
    shape = [*batch_shape[:vector_dim], len(mapped), *batch_shape[vector_dim:]]
    sources = [batch_order.index(k) for k in batching]
    if len(mapped) == 1 and draw(st.booleans()):
        shape, vector_dim = batch_shape, len(batch_shape)
    indices = np.array(
        draw(st.lists(st.integers(-3, 6), min_size=int(np.prod(shape)), max_size=int(np.prod(shape)))),
        np.int32,
    ).reshape(shape)
    result_rank = len(batch_shape) + len(kept)
    offset_dims = sorted(draw(st.permutations(range(result_rank)))[: len(kept)])
    return GatherCase(
        operand_shape=operand_shape,
        indices=indices,
        slice_sizes=slice_sizes,
        offset_dims=tuple(offset_dims),
        dropped_dims=dropped,
        operand_batching_dims=batching,
        indices_batching_dims=tuple(s + (s >= vector_dim) for s in sources),
        start_index_map=mapped,
        index_vector_dim=vector_dim,
    )


@st.composite
def small_maps(draw: st.DrawFn) -> IndexMap:
    """A map with two dimension variables, at most one range variable and one constraint, and two results."""
    with_range = draw(st.booleans())
    terms = expressions if with_range else expressions.map(lambda e: substitute(e, {Range(0): Constant(1)}))
    low = draw(st.integers(-6, 3))
    constraint = (draw(terms), Interval(low, low + draw(st.integers(0, 6))))
    return IndexMap.of(
        [draw(terms), draw(terms)],
        (draw(sizes), draw(sizes)),
        [draw(sizes)] if with_range else [],
        constraints=[constraint] if draw(st.booleans()) else [],
    )
