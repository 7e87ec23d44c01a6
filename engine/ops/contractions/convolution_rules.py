"""The constraints of convolution and dynamic_conv."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ...ir.element_types import QuantizedType
from ...ir.types import TensorType, is_quantized
from ..core.facets import DimensionNames, name_dimensions
from ..core.kinds import ANY, TENSOR_OR_PER_TENSOR, holds
from ..core.op import Constraint
from ..core.quantization import quantized_product, quantized_sides
from ..core.rules import format_list, inside_rank, named_once
from .dot_general import Precision, one_precision

SHARED_INPUTS = (
    "lhs_dilation rhs_dilation window_reversal input_batch_dimension input_feature_dimension "
    "input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension "
    "kernel_spatial_dimensions output_batch_dimension output_feature_dimension output_spatial_dimensions "
    "feature_group_count batch_group_count precision_config"
)
"""The inputs after `lhs`, `rhs`, strides and padding, in the order of the specification."""


@dataclass(frozen=True)
class ConvolutionDimensionNumbers:
    """`#stablehlo.conv<…>`: which dimension of each tensor is its batch, its features, and which are spatial."""

    mnemonic: ClassVar[str] = "conv"

    input_batch_dimension: int
    input_feature_dimension: int
    kernel_input_feature_dimension: int
    kernel_output_feature_dimension: int
    output_batch_dimension: int
    output_feature_dimension: int
    input_spatial_dimensions: tuple[int, ...] = ()
    kernel_spatial_dimensions: tuple[int, ...] = ()
    output_spatial_dimensions: tuple[int, ...] = ()

    def roles(self) -> tuple[DimensionNames, DimensionNames, DimensionNames]:
        """The role of each dimension of lhs, rhs and the result."""
        lhs = {
            "input_batch_dimension": [self.input_batch_dimension],
            "input_feature_dimension": [self.input_feature_dimension],
            "input_spatial_dimensions[]": self.input_spatial_dimensions,
        }
        rhs = {
            "kernel_input_feature_dimension": [self.kernel_input_feature_dimension],
            "kernel_output_feature_dimension": [self.kernel_output_feature_dimension],
            "kernel_spatial_dimensions[]": self.kernel_spatial_dimensions,
        }
        result = {
            "output_batch_dimension": [self.output_batch_dimension],
            "output_feature_dimension": [self.output_feature_dimension],
            "output_spatial_dimensions[]": self.output_spatial_dimensions,
        }
        rank = 2 + len(self.input_spatial_dimensions)
        return name_dimensions(rank, lhs), name_dimensions(rank, rhs), name_dimensions(rank, result)


@dataclass(frozen=True)
class ConvolutionRules:
    """The fields, and the rules."""

    lhs: TensorType
    rhs: TensorType
    dimension_numbers: ConvolutionDimensionNumbers
    feature_group_count: int
    batch_group_count: int
    window_strides: tuple[int, ...] | None = None
    lhs_dilation: tuple[int, ...] | None = None
    rhs_dilation: tuple[int, ...] | None = None
    window_reversal: tuple[bool, ...] | None = None
    precision_config: tuple[Precision, ...] | None = None
    result: TensorType | None = None

    @property
    def spatial_count(self) -> int:
        """`N - 2`."""
        return self.lhs.rank - 2

    @property
    def strides(self) -> tuple[int, ...]:
        """`window_strides`; 1 unless stated."""
        return self._or_ones(self.window_strides)

    @property
    def base_dilations(self) -> tuple[int, ...]:
        """`lhs_dilation`; 1 unless stated."""
        return self._or_ones(self.lhs_dilation)

    @property
    def window_dilations(self) -> tuple[int, ...]:
        """`rhs_dilation`; 1 unless stated."""
        return self._or_ones(self.rhs_dilation)

    @property
    def reversals(self) -> tuple[bool, ...]:
        """`window_reversal`; false unless stated."""
        return (False,) * self.spatial_count if self.window_reversal is None else self.window_reversal

    def _or_ones(self, stated: tuple[int, ...] | None) -> tuple[int, ...]:
        return (1,) * self.spatial_count if stated is None else stated

    def _padding_constraints(self) -> Iterator[Constraint]:
        raise NotImplementedError

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "lhs", self.lhs, TENSOR_OR_PER_TENSOR)
        yield holds("I2", "rhs", self.rhs, ANY)
        ranks = self.lhs.rank, self.rhs.rank
        yield "C1", ranks[0] == ranks[1], f"lhs has rank {ranks[0]}, rhs {ranks[1]}"
        yield from self._dimension_constraints()
        yield from self._window_constraints()
        yield from self._group_constraints()
        count = len(self.precision_config or ())
        yield "C24", count <= 2, f"precision_config needs 2 elements, not {count}"
        sentence = (
            f"the result must have rank {ranks[0]}, as lhs, not {self.result.rank if self.result else 0}"
        )
        yield "C26", self.result is None or self.result.rank == ranks[0], sentence
        if is_quantized(self.lhs) or is_quantized(self.rhs) or is_quantized(self.result):
            yield from self._quantization_constraints()
        else:
            left, right = self.lhs.element_type, self.rhs.element_type
            yield "C27", left == right, f"element types of lhs and rhs differ: {left} and {right}"

    def cautions(self) -> Iterator[Constraint]:
        yield one_precision("C24", self.precision_config)

    def _dimension_constraints(self) -> Iterator[Constraint]:
        n, rank = self.dimension_numbers, self.lhs.rank
        parts = (
            ("input", n.input_spatial_dimensions, (n.input_batch_dimension, n.input_feature_dimension)),
            (
                "kernel",
                n.kernel_spatial_dimensions,
                (n.kernel_input_feature_dimension, n.kernel_output_feature_dimension),
            ),
            ("output", n.output_spatial_dimensions, (n.output_batch_dimension, n.output_feature_dimension)),
        )
        labels = (("C12", "C13"), ("C17", "C18"), ("C19", "C20"))
        for (name, spatial, others), (counted, placed) in zip(parts, labels, strict=True):
            sentence = (
                f"{name}_spatial_dimensions needs {self.spatial_count} elements for rank {rank}, "
                f"not {len(spatial)}"
            )
            yield counted, len(spatial) == self.spatial_count, sentence
            dimensions = (*others, *spatial)
            yield named_once(placed, f"{name} dimensions", dimensions)
            yield inside_rank(placed, f"{name} dimensions", dimensions, "", rank)

    def _window_constraints(self) -> Iterator[Constraint]:
        count = self.spatial_count
        needs = f"needs {count} elements, one for each spatial dimension, not"
        sizes = (
            ("C2", "C3", "window_strides", self.strides),
            ("C5", "C6", "lhs_dilation", self.base_dilations),
            ("C7", "C8", "rhs_dilation", self.window_dilations),
        )
        for counted, positive, name, values in sizes:
            yield counted, len(values) == count, f"{name} {needs} {len(values)}"
            yield (
                positive,
                all(value > 0 for value in values),
                f"{name} {format_list(values)} must be positive",
            )
        yield from self._padding_constraints()
        sentence = f"window_reversal {needs} {len(self.reversals)}"
        yield "C9", len(self.reversals) == count, sentence

    def _group_constraints(self) -> Iterator[Constraint]:
        n, features, batches = self.dimension_numbers, self.feature_group_count, self.batch_group_count
        yield "C21", features > 0, f"feature_group_count must be positive, not {features}"
        yield "C22", batches > 0, f"batch_group_count must be positive, not {batches}"
        sentence = f"feature_group_count is {features} and batch_group_count {batches}: one of them must be 1"
        yield "C23", features == 1 or batches == 1, sentence
        batch, feature = self.lhs.shape[n.input_batch_dimension], self.lhs.shape[n.input_feature_dimension]
        channels = self.rhs.shape[n.kernel_input_feature_dimension]
        outputs = self.rhs.shape[n.kernel_output_feature_dimension]
        divided = (
            ("C10", "lhs", "batch", n.input_batch_dimension, batch, batches),
            ("C11", "lhs", "feature", n.input_feature_dimension, feature, features),
            ("C15", "rhs", "batch", n.kernel_output_feature_dimension, outputs, batches),
            ("C16", "rhs", "feature", n.kernel_output_feature_dimension, outputs, features),
        )
        for label, side, kind, at, size, groups in divided:
            sentence = f"dimension {at} of {side} (size {size}) cannot be cut into {groups} {kind} groups"
            yield label, size is None or size % groups == 0, sentence
        sentence = (
            f"dimension {n.kernel_input_feature_dimension} of rhs (size {channels}) is not as large as each of the "
            f"{features} feature groups of dimension {n.input_feature_dimension} of lhs (size {feature})"
        )
        unknown = feature is None or channels is None
        yield "C14", unknown or feature == channels * features, sentence  # type: ignore[operator]

    def _quantization_constraints(self) -> Iterator[Constraint]:
        n, left, right = self.dimension_numbers, self.lhs.element_type, self.rhs.element_type
        result = self.result.element_type if self.result else left
        yield quantized_sides("C28", left, right, result)
        assert isinstance(right, QuantizedType)
        axes = (
            ("C29", "rhs", right, "kernel_output_feature_dimension", n.kernel_output_feature_dimension),
            ("C30", "the result", result, "output_feature_dimension", n.output_feature_dimension),
        )
        for label, side, found, name, wanted in axes:
            axis = found.quantization_dimension if isinstance(found, QuantizedType) else None
            sentence = f"{side} is quantized along dimension {axis}, not {wanted}, its {name}"
            yield label, axis is None or axis == wanted, sentence
        yield from quantized_product(("C31", "C32", "C33", "C34"), left, right, result)
