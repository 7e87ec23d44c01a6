"""gather and scatter with all their dimension numbers: offset, collapsed, batching, in any order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType

from ..cases import Case, arguments, integers, positive_sizes, seeds, typed
from ..values import Array, Flavour, element_types
from .bodies import ARGMAX, PAIRS, RECOGNISED, UNRECOGNISED, Body, accumulates_exactly, binary


@dataclass(frozen=True)
class Windows:
    """What gather and scatter share: windows of `window` in `operand`, placed by index vectors."""

    operand: tuple[int, ...]
    window: tuple[int, ...]
    """Size in each operand dimension; 1 where it is dropped or batching."""
    dropped: tuple[int, ...]
    batching: tuple[int, ...]
    indices: TensorType
    value: Array
    indices_batching: tuple[int, ...]
    index_map: tuple[int, ...]
    vector_dim: int
    window_dims: tuple[int, ...]
    """Where the kept window dimensions are in the result (of gather) or the updates (of scatter)."""
    outer: tuple[int, ...]
    """The shape of that."""

    @property
    def outside(self) -> bool:
        """Whether a window reaches out of the operand."""
        value = self.value.astype(np.int64)
        vectors = (
            value[..., None] if self.vector_dim == value.ndim else np.moveaxis(value, self.vector_dim, -1)
        )
        last = [self.operand[d] - self.window[d] for d in self.index_map]
        return bool(((vectors < 0) | (vectors > last)).any()) if last else False


@st.composite
def windows(draw: st.DrawFn, wrapping: bool) -> Windows:
    """`wrapping`: unsigned indices may have their highest bit set, which the interpreter reads as a sign."""
    operand = draw(st.lists(positive_sizes, min_size=1, max_size=4).map(tuple))
    rank = len(operand)
    roles = draw(st.lists(st.sampled_from("kkdb"), min_size=rank, max_size=rank))
    dropped = tuple(d for d in range(rank) if roles[d] == "d")
    batching = tuple(d for d in range(rank) if roles[d] == "b")
    kept = [d for d in range(rank) if roles[d] == "k"]
    window = tuple(draw(st.integers(1, operand[d])) if d in kept else 1 for d in range(rank))
    candidates = draw(st.permutations([d for d in range(rank) if d not in batching]))
    index_map = tuple(candidates[: draw(st.integers(0, len(candidates)))])
    free = draw(st.lists(positive_sizes, max_size=2))
    # Batching dimensions by their number, free ones by -1, -2, …
    order = draw(st.permutations([*batching, *[-1 - k for k in range(len(free))]]))
    batch = [operand[item] if item >= 0 else free[-1 - item] for item in order]
    vector_dim = draw(st.integers(0, len(batch)))
    shape = [*batch[:vector_dim], len(index_map), *batch[vector_dim:]]
    places = [k if k < vector_dim else k + 1 for k in range(len(batch))]
    if len(index_map) == 1 and draw(st.booleans()):
        shape, vector_dim, places = batch, len(batch), list(range(len(batch)))
    names = [places[order.index(d)] for d in batching]
    element_type = ELEMENT_TYPES[draw(st.sampled_from(("i32", "i64", "i8", "ui8", "ui32")))]
    least = -3 if wrapping or element_type.kind == "signed" else 0
    least, most = draw(st.sampled_from(((least, 6), (0, 1), (0, 2))))
    value = np.random.default_rng(draw(seeds)).integers(least, most, shape)
    outer_rank = len(batch) + len(kept)
    window_dims = sorted(draw(st.permutations(range(outer_rank)))[: len(kept)])
    rest = iter(batch)
    sizes = iter(window[d] for d in kept)
    outer = tuple(next(sizes) if d in window_dims else next(rest) for d in range(outer_rank))
    with np.errstate(all="ignore"):
        value = value.astype(element_type.dtype)
    return Windows(
        operand,
        window,
        dropped,
        batching,
        TensorType(tuple(shape), element_type),
        value,
        tuple(names),
        index_map,
        vector_dim,
        tuple(window_dims),
        outer,
    )


@st.composite
def gather(draw: st.DrawFn, wrapping: bool = False) -> Case:
    w = draw(windows(wrapping))
    operand = TensorType(w.operand, draw(element_types("biufc")))
    result = operand.with_shape(w.outer)
    numbers = (
        f"#stablehlo.gather<offset_dims = {list(w.window_dims)}, collapsed_slice_dims = {list(w.dropped)}, "
        f"operand_batching_dims = {list(w.batching)}, start_indices_batching_dims = "
        f"{list(w.indices_batching)}, start_index_map = {list(w.index_map)}, index_vector_dim = {w.vector_dim}>"
    )
    statement = (
        f'%r = "stablehlo.gather"(%a0, %a1) <{{dimension_numbers = {numbers}, slice_sizes = '
        f"{integers(w.window)}, indices_are_sorted = false}}> : ({operand}, {w.indices}) -> {result}"
    )
    return Case(statement, (operand, w.indices), (result,), draw(seeds), given={1: w.value})


OVERWRITE = Body((), ("%y0",), "biufc")
BODIES = (*RECOGNISED, *UNRECOGNISED, *PAIRS, ARGMAX, OVERWRITE, binary("subtract", "iu"))


@st.composite
def scatter(draw: st.DrawFn, wrapping: bool = False) -> Case:
    w = draw(windows(wrapping))
    body = draw(st.sampled_from(BODIES))
    count = len(body.returned)
    element_type = draw(element_types(body.kinds).filter(lambda t: accumulates_exactly(body, t.name)))
    operand, update = TensorType(w.operand, element_type), TensorType(w.outer, element_type)
    scalar = operand.with_shape(())
    types = (*[operand] * count, w.indices, *[update] * count)
    numbers = (
        f"#stablehlo.scatter<update_window_dims = {list(w.window_dims)}, inserted_window_dims = "
        f"{list(w.dropped)}, input_batching_dims = {list(w.batching)}, scatter_indices_batching_dims = "
        f"{list(w.indices_batching)}, scatter_dims_to_operand_dims = {list(w.index_map)}, "
        f"index_vector_dim = {w.vector_dim}>"
    )
    results = typed(*[operand] * count)
    statement = (
        f'{"%r" if count == 1 else "%r:2"} = "stablehlo.scatter"({arguments(len(types))}) '
        f"<{{scatter_dimension_numbers = {numbers}, indices_are_sorted = false, unique_indices = false}}> "
        f"({body.region((scalar,) * count)}) : ({typed(*types)}) -> {results if count == 1 else f'({results})'}"
    )
    flavour: Flavour = "edges" if not element_type.is_float and not element_type.is_complex else "small"
    return Case(
        statement,
        types,
        (operand,) * count,
        draw(seeds),
        (flavour,) * len(types),
        {count: w.value},
        outside=w.outside,
    )


GENERATORS = {"stablehlo.gather": gather(), "stablehlo.scatter": scatter()}
UNSAFE = {"stablehlo.gather": gather(wrapping=True)}
"""Indices that the interpreter reads wrongly."""
