"""Random legal gathers and scatters on small shapes, as hypothesis strategies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.module import Region
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.indexed.gather import Gather, GatherDimensionNumbers
from hloscope.engine.ops.indexed.scatter import Scatter, ScatterDimensionNumbers
from tests.oracle.generators.gather_scatter import windows

from .running import body_of, disguised, second_of, tensor, type_of


@st.composite
def gathers(draw: Any) -> tuple[Gather, tuple[Array, ...]]:
    """A gather, its operand and its indices."""
    w = draw(windows(wrapping=True))
    numbers = GatherDimensionNumbers(
        w.window_dims, w.dropped, w.batching, w.indices_batching, w.index_map, w.vector_dim
    )
    operand = np.arange(np.prod(w.operand), dtype=np.int32).reshape(w.operand)
    return Gather(type_of(operand), w.indices, numbers, w.window), (operand, w.value)


BODIES: dict[str, Callable[[str], Region]] = {
    "add": lambda name: body_of("stablehlo.add", name),
    "replace": second_of,
    "maximum": lambda name: body_of("stablehlo.maximum", name, swapped=True),
    "lifted add": lambda name: disguised("stablehlo.add", name),
    "lifted subtract": lambda name: body_of("stablehlo.subtract", name),
}


@st.composite
def scatters(draw: Any, whole_windows: bool | None = None) -> tuple[Scatter, str, tuple[Array, ...]]:
    """A scatter of i64, the name of its body, and its operands."""
    w = draw(windows(wrapping=True))
    numbers = ScatterDimensionNumbers(
        w.window_dims, w.dropped, w.batching, w.indices_batching, w.index_map, w.vector_dim
    )
    operand = np.arange(np.prod(w.operand), dtype=np.int64).reshape(w.operand) * 1000
    updates = np.arange(1, 1 + np.prod(w.outer), dtype=np.int64).reshape(w.outer)
    name = draw(st.sampled_from(sorted(BODIES)))
    drops = draw(st.booleans()) if whole_windows is None else whole_windows
    found = tensor(operand.shape, "i64")
    op = Scatter(
        (found,),
        w.indices,
        (type_of(updates),),
        numbers,
        BODIES[name]("i64"),
        drops_whole_windows=drops,
    )
    return op, name, (operand, w.value, updates)
