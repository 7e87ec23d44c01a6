"""gather and scatter with all their dimension numbers."""

from __future__ import annotations

from hypothesis import strategies as st

from hloscope.engine.ir.types import TensorType

from ...values import Flavour
from ..bodies import accumulates_exactly
from ..gather_scatter import BODIES, Windows, windows
from .bodies import computation
from .cases import HloCase, computable, flags, one
from .text import dimensions


def _common(draw: st.DrawFn, found: Windows, names: tuple[str, str, str, str, str]) -> list[str]:
    """Window, dropped, batching and mapped dimensions, by their names; batching ones only where there are any."""
    window_dims, dropped, batching, indices_batching, mapped = names
    listed = [
        dimensions(found.window_dims, window_dims),
        dimensions(found.dropped, dropped),
        dimensions(found.index_map, mapped),
        f"index_vector_dim={found.vector_dim}",
    ]
    if found.batching or draw(flags):
        listed += [dimensions(found.batching, batching), dimensions(found.indices_batching, indices_batching)]
    return listed


_GATHER = (
    "offset_dims",
    "collapsed_slice_dims",
    "operand_batching_dims",
    "start_indices_batching_dims",
    "start_index_map",
)
_SCATTER = (
    "update_window_dims",
    "inserted_window_dims",
    "input_batching_dims",
    "scatter_indices_batching_dims",
    "scatter_dims_to_operand_dims",
)


@st.composite
def gather(draw: st.DrawFn) -> HloCase:
    found = draw(windows(wrapping=True))
    operand = TensorType(found.operand, draw(computable("biufc")))
    attributes = [*_common(draw, found, _GATHER), dimensions(found.window, "slice_sizes")]
    if draw(st.booleans()):
        attributes.append("indices_are_sorted=false")
    result = operand.with_shape(found.outer)
    return one(draw, "gather", [operand, found.indices], result, *attributes, given={1: found.value})


@st.composite
def scatter(draw: st.DrawFn) -> HloCase:
    found = draw(windows(wrapping=True))
    body = draw(st.sampled_from(BODIES))
    count = len(body.returned)
    element_type = draw(computable(body.kinds).filter(lambda t: accumulates_exactly(body, t.name)))
    operand, update = TensorType(found.operand, element_type), TensorType(found.outer, element_type)
    applied = computation("region_0.2", body, (operand.with_shape(()),) * count)
    types = (*[operand] * count, found.indices, *[update] * count)
    flavour: Flavour = "small" if element_type.is_float or element_type.is_complex else "edges"
    return one(
        draw,
        "scatter",
        types,
        operand if count == 1 else (operand,) * count,
        *_common(draw, found, _SCATTER),
        "to_apply=@region_0.2",
        computations=[applied],
        flavours=(flavour,) * len(types),
        given={count: found.value},
        outside=found.outside,
    )


GENERATORS = {"gather": gather(), "scatter": scatter()}
