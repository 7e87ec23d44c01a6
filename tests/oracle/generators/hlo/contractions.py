"""dot and convolution, their operands' dimensions in any order."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.contractions.convolution import Convolution
from hloscope.engine.ops.contractions.convolution_rules import ConvolutionDimensionNumbers

from ...cases import positive_sizes, sizes
from ...values import Flavour
from ..contractions import WIDER, accumulates, side
from ..convolutions import any_ops, summed_exactly
from .cases import HloCase, computable, flags, one
from .text import dimensions


@st.composite
def dot(draw: st.DrawFn, contracted: st.SearchStrategy[int] = sizes) -> HloCase:
    """What is empty may be left out."""
    batching, contracting = draw(st.lists(sizes, max_size=2)), draw(st.lists(contracted, max_size=2))
    left, left_batching, left_contracting, left_free = side(draw, batching, contracting)
    right, right_batching, right_contracting, right_free = side(draw, batching, contracting)
    element_type = draw(computable("iufc").filter(accumulates))
    wider = WIDER.get(element_type.name)
    result_type = ELEMENT_TYPES[wider] if wider and draw(st.booleans()) else element_type
    if element_type.bits < 8:
        result_type = element_type
    lhs, rhs = TensorType(tuple(left), element_type), TensorType(tuple(right), element_type)
    result = TensorType((*batching, *left_free, *right_free), result_type)
    lists = {
        "lhs_batch_dims": left_batching,
        "lhs_contracting_dims": left_contracting,
        "rhs_batch_dims": right_batching,
        "rhs_contracting_dims": right_contracting,
    }
    attributes = [dimensions(listed, name) for name, listed in lists.items() if listed or draw(flags)]
    if draw(st.booleans()):
        attributes.append(f"operand_precision={{{draw(st.sampled_from(('default,highest', 'high,high')))}}}")
    flavour: Flavour = "edges" if element_type.is_integer and result_type == element_type else "small"
    return one(draw, "dot", [lhs, rhs], result, *attributes, flavours=(flavour, flavour))


@st.composite
def float_product(draw: st.DrawFn) -> HloCase:
    """Random numbers: the order of summation is open."""
    name = draw(st.sampled_from(("f32", "f64", "complex<f32>")))
    rows, inner, columns = (draw(st.integers(1, 40)) for _ in range(3))
    lhs, rhs = (TensorType(shape, ELEMENT_TYPES[name]) for shape in ((rows, inner), (inner, columns)))
    return one(
        draw,
        "dot",
        [lhs, rhs],
        lhs.with_shape((rows, columns)),
        "lhs_contracting_dims={1}",
        "rhs_contracting_dims={0}",
        flavours=("normal", "normal"),
        relative=1e-12 if name == "f64" else 1e-5,
    )


def _labels(first: tuple[str, int], second: tuple[str, int], spatial: Sequence[int]) -> str:
    letters = {place: letter for letter, place in (first, second)}
    letters |= {place: str(number) for number, place in enumerate(spatial)}
    return "".join(letters[place] for place in sorted(letters))


def _dim_labels(n: ConvolutionDimensionNumbers) -> str:
    lhs = _labels(
        ("b", n.input_batch_dimension), ("f", n.input_feature_dimension), n.input_spatial_dimensions
    )
    rhs = _labels(
        ("i", n.kernel_input_feature_dimension),
        ("o", n.kernel_output_feature_dimension),
        n.kernel_spatial_dimensions,
    )
    out = _labels(
        ("b", n.output_batch_dimension), ("f", n.output_feature_dimension), n.output_spatial_dimensions
    )
    return f"dim_labels={lhs}_{rhs}->{out}"


def _window(op: Convolution) -> str:
    places = op.dimension_numbers.kernel_spatial_dimensions
    if not places:
        return ""
    parts = [f"size={'x'.join(str(op.rhs.sizes[place]) for place in places)}"]
    if op.window_strides is not None:
        parts.append(f"stride={'x'.join(map(str, op.window_strides))}")
    if op.padding is not None:
        parts.append(f"pad={'x'.join(f'{low}_{high}' for low, high in op.padding)}")
    if op.lhs_dilation is not None:
        parts.append(f"lhs_dilate={'x'.join(map(str, op.lhs_dilation))}")
    if op.rhs_dilation is not None:
        parts.append(f"rhs_dilate={'x'.join(map(str, op.rhs_dilation))}")
    if op.window_reversal is not None:
        parts.append(f"rhs_reversal={'x'.join(str(int(flag)) for flag in op.window_reversal)}")
    return f"window={{{' '.join(parts)}}}"


@st.composite
def convolution(draw: st.DrawFn) -> HloCase:
    op = draw(any_ops)
    element_type = draw(computable("iuf").filter(summed_exactly))
    lhs, rhs, result = (TensorType(found.sizes, element_type) for found in (op.lhs, op.rhs, op.infer()))
    groups = [
        f"{name}={count}"
        for name, count in (
            ("feature_group_count", op.feature_group_count),
            ("batch_group_count", op.batch_group_count),
        )
        if count > 1 or draw(st.booleans())
    ]
    flavour: Flavour = "edges" if element_type.is_integer else "small"
    attributes = [_window(op), _dim_labels(op.dimension_numbers), *groups]
    return one(draw, "convolution", [lhs, rhs], result, *attributes, flavours=(flavour, flavour))


GENERATORS = {
    "dot": st.one_of(dot(), dot(positive_sizes), dot(positive_sizes), float_product()),
    "convolution": convolution(),
}
