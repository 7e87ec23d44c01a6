"""Calls of convolution and of the contractions that are no longer in use."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.contractions.convolution import Convolution, ConvolutionOp, dilated_size
from hloscope.engine.ops.contractions.convolution_rules import ConvolutionDimensionNumbers

from .drawing import Case, Cases, Draw, arrays

ELEMENTS = [ELEMENT_TYPES[name] for name in ("i32", "i8", "i1", "f32", "bf16", "ui64")]


@st.composite
def orders(draw: Draw, rank: int) -> tuple[int, int, tuple[int, ...]]:
    """Where a tensor has its first and its second special dimension, and its spatial ones."""
    first, second, *spatial = draw(st.permutations(range(rank)))
    return first, second, tuple(spatial)


def placed(order: tuple[int, int, Sequence[int]], first: int, second: int, rest: Sequence[int]) -> list[int]:
    """Sizes, in the order of a tensor's dimensions."""
    where = {order[0]: first, order[1]: second} | dict(zip(order[2], rest, strict=True))
    return [where[k] for k in sorted(where)]


def usual_order(rank: int) -> st.SearchStrategy[tuple[int, int, tuple[int, ...]]]:
    """The first special dimension first, the second last."""
    return st.just((0, rank - 1, tuple(range(1, rank - 1))))


@st.composite
def convolution_ops(draw: Draw, least_kernel: int = 0, is_usual: bool = False) -> Convolution:
    """Any dimension numbers and attributes, sizes of 0 and 1; the input's and the result's usual if asked for."""
    spatial = draw(st.integers(0, 2))
    ends = usual_order if is_usual else orders
    inputs, kernels, outputs = (draw(order(spatial + 2)) for order in (ends, orders, ends))
    groups = draw(st.sampled_from([(1, 1), (1, 1), (2, 1), (1, 2), (3, 1)]))
    batch, channels, features = (draw(st.sampled_from([0, 1, 1, 2, 2])) for _ in range(3))
    sizes = [draw(st.integers(0, 4)) for _ in range(spatial)]
    windows = [draw(st.integers(least_kernel, 3)) for _ in range(spatial)]
    small = st.lists(st.integers(1, 3), min_size=spatial, max_size=spatial).map(tuple)
    edges = st.tuples(st.integers(-2, 3), st.integers(-2, 3))
    element_type = draw(st.sampled_from(ELEMENTS))
    reversal = draw(st.none() | st.lists(st.booleans(), min_size=spatial, max_size=spatial).map(tuple))
    lhs = placed(inputs, batch * groups[1], channels * groups[0], sizes)
    rhs = placed(kernels, channels, features * groups[0] * groups[1], windows)
    return Convolution(
        TensorType(tuple(lhs), element_type),
        TensorType(tuple(rhs), element_type),
        ConvolutionDimensionNumbers(
            *(*inputs[:2], *kernels[:2], *outputs[:2]), inputs[2], kernels[2], outputs[2]
        ),
        *groups,
        window_strides=draw(st.none() | small),
        lhs_dilation=draw(st.none() | small),
        rhs_dilation=draw(st.none() | small),
        window_reversal=reversal,
        padding=draw(st.none() | st.lists(edges, min_size=spatial, max_size=spatial).map(tuple)),
    )


def result_sizes(op: ConvolutionOp, padding: Sequence[Sequence[int]]) -> list[int]:
    """By the specification's formula, in the program's order."""
    n = op.dimension_numbers
    counts = []
    for k, (here, there) in enumerate(
        zip(n.input_spatial_dimensions, n.kernel_spatial_dimensions, strict=True)
    ):
        whole = sum(padding[k]) + dilated_size(op.lhs.sizes[here], op.base_dilations[k])
        window = dilated_size(op.rhs.sizes[there], op.window_dilations[k])
        counts.append(0 if whole == 0 or window > whole else (whole - window) // op.strides[k] + 1)
    order = (n.output_batch_dimension, n.output_feature_dimension, n.output_spatial_dimensions)
    batch = op.lhs.sizes[n.input_batch_dimension] // op.batch_group_count
    return placed(order, batch, op.rhs.sizes[n.kernel_output_feature_dimension], counts)


@st.composite
def convolutions(draw: Draw) -> Case:
    """With operands."""
    op = draw(convolution_ops())
    return Case(op, tuple(draw(arrays(found.element_type, found.sizes)) for found in (op.lhs, op.rhs)))


CASES: dict[str, Cases] = {Convolution.name: convolutions()}
WITHOUT_CASES = {
    "stablehlo.dynamic_conv": "with other padding its result has another shape: test_convolution.py",
}
"""Ops that cannot be disturbed, and why."""
