"""Calls of convolution and of the contractions that are no longer in use."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hloscope.engine.ops.contractions.convolution import Convolution, ConvolutionOp, dilated_size
from tests.oracle.generators.convolutions import convolution_ops, placed

from .drawing import Case, Cases, Draw, arrays


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
