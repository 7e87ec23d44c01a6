"""Random legal gathers and scatters on small shapes, as hypothesis strategies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.module import Region
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.indexed.gather import Gather, GatherDimensionNumbers
from hloscope.engine.ops.indexed.scatter import Scatter, ScatterDimensionNumbers

from .running import body_of, disguised, second_of, tensor, type_of


@dataclass(frozen=True)
class Placement:
    """What a gather and a scatter have in common, in gather's words."""

    operand_shape: tuple[int, ...]
    indices: Array
    window_sizes: tuple[int, ...]
    collapsed: tuple[int, ...]
    operand_batching: tuple[int, ...]
    indices_batching: tuple[int, ...]
    index_map: tuple[int, ...]
    index_vector_dim: int
    offset_dims: tuple[int, ...]

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The indices' shape without the vectors."""
        return (
            tuple(np.delete(self.indices.shape, self.index_vector_dim))
            if self._has_vectors
            else self.indices.shape
        )

    @property
    def _has_vectors(self) -> bool:
        return self.index_vector_dim < self.indices.ndim

    @property
    def kept_sizes(self) -> tuple[int, ...]:
        """The windows' sizes in the dimensions that the result keeps."""
        dropped = self.collapsed + self.operand_batching
        return tuple(size for d, size in enumerate(self.window_sizes) if d not in dropped)

    @property
    def result_shape(self) -> tuple[int, ...]:
        """Batch sizes, with the kept sizes at `offset_dims`."""
        batch, window = iter(self.batch_shape), iter(self.kept_sizes)
        rank = len(self.batch_shape) + len(self.kept_sizes)
        return tuple(int(next(window if d in self.offset_dims else batch)) for d in range(rank))


@st.composite
def placements(draw: Any) -> Placement:
    """Any mix of collapsed, batching and offset dimensions; index values go beyond the operand on both sides."""
    rank = draw(st.integers(1, 4))
    shape = tuple(draw(st.integers(1, 4)) for _ in range(rank))
    roles = [draw(st.sampled_from(["kept", "kept", "collapsed", "batching"])) for _ in range(rank)]
    batching = tuple(d for d in range(rank) if roles[d] == "batching")
    collapsed = tuple(d for d in range(rank) if roles[d] == "collapsed")
    sizes = tuple(draw(st.integers(1, shape[d])) if roles[d] == "kept" else 1 for d in range(rank))
    others = [d for d in range(rank) if d not in batching]
    mapped = draw(st.permutations(others))[: draw(st.integers(0, len(others)))]
    batch = [shape[d] for d in batching] + [draw(st.integers(1, 3)) for _ in range(draw(st.integers(0, 2)))]
    order = draw(st.permutations(range(len(batch))))
    batch_shape = [batch[k] for k in order]
    without_vectors = len(mapped) == 1 and draw(st.booleans())
    vector_dim = len(batch) if without_vectors else draw(st.integers(0, len(batch)))
    at = [order.index(k) for k in range(len(batching))]
    indices_batching = tuple(k + (not without_vectors and k >= vector_dim) for k in at)
    if not without_vectors:
        batch_shape.insert(vector_dim, len(mapped))
    count = int(np.prod(batch_shape))
    values = draw(st.lists(st.integers(-3, 6), min_size=count, max_size=count))
    indices = np.array(values, draw(st.sampled_from([np.int64, np.int32, np.int8]))).reshape(batch_shape)
    total = len(batch) + rank - len(batching) - len(collapsed)
    offset = sorted(draw(st.permutations(range(total)))[: total - len(batch)])
    return Placement(
        shape, indices, sizes, collapsed, batching, indices_batching, tuple(mapped), vector_dim, tuple(offset)
    )


@st.composite
def gathers(draw: Any) -> tuple[Gather, tuple[Array, ...]]:
    """A gather, its operand and its indices."""
    p = draw(placements())
    numbers = GatherDimensionNumbers(
        p.offset_dims, p.collapsed, p.operand_batching, p.indices_batching, p.index_map, p.index_vector_dim
    )
    operand = np.arange(np.prod(p.operand_shape), dtype=np.int32).reshape(p.operand_shape)
    return Gather(type_of(operand), type_of(p.indices), numbers, p.window_sizes), (operand, p.indices)


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
    p = draw(placements())
    numbers = ScatterDimensionNumbers(
        p.offset_dims, p.collapsed, p.operand_batching, p.indices_batching, p.index_map, p.index_vector_dim
    )
    operand = np.arange(np.prod(p.operand_shape), dtype=np.int64).reshape(p.operand_shape) * 1000
    updates = np.arange(1, 1 + np.prod(p.result_shape), dtype=np.int64).reshape(p.result_shape)
    name = draw(st.sampled_from(sorted(BODIES)))
    drops = draw(st.booleans()) if whole_windows is None else whole_windows
    found = tensor(operand.shape, "i64")
    op = Scatter(
        (found,),
        type_of(p.indices),
        (type_of(updates),),
        numbers,
        BODIES[name]("i64"),
        drops_whole_windows=drops,
    )
    return op, name, (operand, p.indices, updates)
