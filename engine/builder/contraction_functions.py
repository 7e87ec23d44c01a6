"""Products of arrays: dot in all its forms, and convolution."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from ..errors import ProgramError
from ..ir.attributes import Attribute, StructAttribute
from ..ir.types import TensorType
from ..limits import DEFAULT_LIMITS
from ..ops.contractions.convolution_rules import ConvolutionDimensionNumbers
from ..ops.contractions.dot_general import DotDimensionNumbers
from ..source import Source
from ..syntax.hlo.attributes.dim_labels import read_dim_labels
from ..syntax.hlo.values.hlo_cursor import HloCursor
from .builder_error import BuilderError
from .handles import XlaOp
from .property_attributes import (
    enums,
    integers,
    numbers,
    wholes,
    window_properties,
)
from .recorder import Recorder
from .shape_text import ElementTypeLike, element_type_of

PrecisionConfig = Sequence[str] | None
"""`DEFAULT`, `HIGH` or `HIGHEST` for each operand; it changes nothing here."""
Pairs = Sequence[Sequence[int]]
DimensionNumbers = ConvolutionDimensionNumbers | str
"""What each dimension of a convolution is; also as text, `b01f_01io->b01f`."""


class Padding(StrEnum):
    """How much is added around an array over which windows slide."""

    SAME = "SAME"
    """So much that with strides of 1 there are as many windows as elements."""
    VALID = "VALID"
    """Nothing: windows lie within."""


PaddingLike = Padding | str
"""A `Padding`, or its name: `same`, `kValid`, …"""


class Contractions(Recorder):
    """Functions that multiply and add up."""

    def dot(
        self,
        lhs: XlaOp,
        rhs: XlaOp,
        precision_config: PrecisionConfig = None,
        preferred_element_type: ElementTypeLike | None = None,
    ) -> XlaOp:
        """The product of vectors and matrices: the last dimension of `lhs` with the first of `rhs`.

        `[n] . [n] -> []`, `[m,k] . [k] -> [m]`, `[m,k] . [k,n] -> [m,n]`. `preferred_element_type` is what sums are
        made in, and what the result holds.
        """
        if lhs.rank not in (1, 2) or rhs.rank not in (1, 2):
            message = (
                f"dot takes vectors and matrices, not ranks {lhs.rank} and {rhs.rank}; dot_general takes any"
            )
            raise BuilderError(message, op="dot")
        numbers = DotDimensionNumbers((), (), (lhs.rank - 1,), (0,))
        return self.dot_general(lhs, rhs, numbers, precision_config, preferred_element_type)

    def dot_general(
        self,
        lhs: XlaOp,
        rhs: XlaOp,
        dimension_numbers: DotDimensionNumbers,
        precision_config: PrecisionConfig = None,
        preferred_element_type: ElementTypeLike | None = None,
    ) -> XlaOp:
        """Sums of products over the contracting dimensions of both, for each index of their batch dimensions.

        The result has the batch dimensions as they are listed, then what is left of `lhs`, then of `rhs`:
        `[b,m,k] . [b,k,n] -> [b,m,n]`.
        """
        return self.emit(
            "stablehlo.dot_general",
            (lhs, rhs),
            dot_dimension_numbers=dimension_numbers,
            precision_config=_precision(precision_config),
            element_type=_optional(preferred_element_type),
        )

    def scaled_dot(
        self,
        lhs: XlaOp,
        lhs_scale: XlaOp,
        rhs: XlaOp,
        rhs_scale: XlaOp,
        dimension_number: DotDimensionNumbers,
        precision_config: PrecisionConfig = None,
        preferred_element_type: ElementTypeLike | None = None,
    ) -> XlaOp:
        """`dot_general` of operands whose elements are multiplied by scales, one for each block, first.

        A scale's dimension is a divisor of its operand's: so many elements share a scale. A scale of one element is
        for all. Shapes are those of `dot_general`.
        """
        return self.emit(
            "hlo.scaled_dot",
            (lhs, rhs, lhs_scale, rhs_scale),
            dot_dimension_numbers=dimension_number,
            precision_config=_precision(precision_config),
            element_type=_optional(preferred_element_type),
        )

    def ragged_dot(
        self,
        lhs: XlaOp,
        rhs: XlaOp,
        group_sizes: XlaOp,
        dimension_numbers: DotDimensionNumbers,
        lhs_ragged_dimensions: Sequence[int],
        rhs_group_dimensions: Sequence[int] = (),
        precision_config: PrecisionConfig = None,
        preferred_element_type: ElementTypeLike | None = None,
    ) -> XlaOp:
        """`dot_general` group by group: `group_sizes` says how many rows of `lhs` each group has.

        With a ragged dimension that is not contracted, `[m,k] . [g,k,n], [g] -> [m,n]`, each group has a part of
        `rhs` of its own; with a contracted one, `[m,k] . [k,n], [g] -> [g,m,n]`, each gives a result of its own.
        """
        return self.emit(
            "hlo.ragged_dot",
            (lhs, rhs, group_sizes),
            dot_dimension_numbers=dimension_numbers,
            lhs_ragged_dims=integers("lhs_ragged_dimensions", lhs_ragged_dimensions),
            rhs_group_dims=integers("rhs_group_dimensions", rhs_group_dimensions),
            precision_config=_precision(precision_config),
            element_type=_optional(preferred_element_type),
        )

    def conv(
        self,
        lhs: XlaOp,
        rhs: XlaOp,
        window_strides: Sequence[int],
        padding: PaddingLike,
        feature_group_count: int = 1,
        batch_group_count: int = 1,
        precision_config: PrecisionConfig = None,
        preferred_element_type: ElementTypeLike | None = None,
    ) -> XlaOp:
        """Convolution of an input `[batch, feature, spatial…]` and a kernel `[output, input, spatial…]`.

        Each element of the result is the sum of the products of the kernel and a window of the input; the kernel is
        not turned round. `padding` is SAME or VALID. The result is `[batch, output, windows…]`.
        """
        default = default_dimension_numbers(lhs.rank)
        groups = (feature_group_count, batch_group_count, precision_config, preferred_element_type)
        return self.conv_with_general_dimensions(lhs, rhs, window_strides, padding, default, *groups)

    def conv_with_general_padding(
        self,
        lhs: XlaOp,
        rhs: XlaOp,
        window_strides: Sequence[int],
        padding: Pairs,
        feature_group_count: int = 1,
        batch_group_count: int = 1,
        precision_config: PrecisionConfig = None,
        preferred_element_type: ElementTypeLike | None = None,
    ) -> XlaOp:
        """`conv` with low and high padding of each spatial dimension; negative padding cuts."""
        default = default_dimension_numbers(lhs.rank)
        groups = (feature_group_count, batch_group_count, precision_config, preferred_element_type)
        return self.conv_general(lhs, rhs, window_strides, padding, default, *groups)

    def conv_with_general_dimensions(
        self,
        lhs: XlaOp,
        rhs: XlaOp,
        window_strides: Sequence[int],
        padding: PaddingLike,
        dimension_numbers: DimensionNumbers,
        feature_group_count: int = 1,
        batch_group_count: int = 1,
        precision_config: PrecisionConfig = None,
        preferred_element_type: ElementTypeLike | None = None,
    ) -> XlaOp:
        """`conv` with dimensions in any order, which `dimension_numbers` states."""
        pads = _convolution_padding(lhs, rhs, window_strides, padding, dimension_numbers)
        groups = (feature_group_count, batch_group_count, precision_config, preferred_element_type)
        return self.conv_general(lhs, rhs, window_strides, pads, dimension_numbers, *groups)

    def conv_general(
        self,
        lhs: XlaOp,
        rhs: XlaOp,
        window_strides: Sequence[int],
        padding: Pairs,
        dimension_numbers: DimensionNumbers,
        feature_group_count: int = 1,
        batch_group_count: int = 1,
        precision_config: PrecisionConfig = None,
        preferred_element_type: ElementTypeLike | None = None,
    ) -> XlaOp:
        """`conv` with padding of each spatial dimension and with dimensions in any order."""
        groups = (feature_group_count, batch_group_count, precision_config, preferred_element_type)
        return self.conv_general_dilated(
            lhs, rhs, window_strides, padding, None, None, dimension_numbers, *groups
        )

    def conv_general_dilated(
        self,
        lhs: XlaOp,
        rhs: XlaOp,
        window_strides: Sequence[int],
        padding: Pairs,
        lhs_dilation: Sequence[int] | None,
        rhs_dilation: Sequence[int] | None,
        dimension_numbers: DimensionNumbers,
        feature_group_count: int = 1,
        batch_group_count: int = 1,
        precision_config: PrecisionConfig = None,
        preferred_element_type: ElementTypeLike | None = None,
        window_reversal: Sequence[bool] | None = None,
    ) -> XlaOp:
        """`conv` with everything stated.

        `lhs_dilation` and `rhs_dilation` put holes between elements of input and kernel, `window_reversal` turns
        the kernel round, `feature_group_count` groups of features are convolved each with kernels of its own, and
        with `batch_group_count` groups of the batch are.
        """
        return self.emit(
            "stablehlo.convolution",
            (lhs, rhs),
            window_properties(
                "stablehlo.convolution",
                window_strides=window_strides,
                padding=padding,
                lhs_dilation=lhs_dilation,
                rhs_dilation=rhs_dilation,
                window_reversal=window_reversal,
            ),
            dimension_numbers=convolution_numbers(dimension_numbers),
            feature_group_count=feature_group_count,
            batch_group_count=batch_group_count,
            precision_config=_precision(precision_config),
            element_type=_optional(preferred_element_type),
        )


def convolution_numbers(given: DimensionNumbers) -> StructAttribute:
    """What each dimension of a convolution is, as a property."""
    if not isinstance(given, str):
        return numbers(given)
    try:
        cursor = HloCursor(Source(given), DEFAULT_LIMITS)
        found = read_dim_labels(cursor)
        if not cursor.at_end:
            cursor.fail_expecting("the end of the labels")
    except ProgramError as error:
        raise BuilderError(f"dimension_numbers '{given}': {error.message}", op="convolution") from None
    return found


def default_dimension_numbers(rank: int) -> ConvolutionDimensionNumbers:
    """`bf01_oi01->bf01`: batch or output features first, then features, then spatial dimensions."""
    spatial = tuple(range(2, rank))
    return ConvolutionDimensionNumbers(0, 1, 1, 0, 0, 1, spatial, spatial, spatial)


def make_padding(
    sizes: Sequence[int], window: Sequence[int], strides: Sequence[int], padding: PaddingLike, op: str
) -> list[tuple[int, int]]:
    """Low and high padding of each dimension; of an odd number the high one is greater."""
    known = {name: kind for kind in Padding for name in (kind.value, f"K{kind.value}")}
    kind = known.get(str(padding).upper())
    if kind is None:
        raise BuilderError(f"padding must be SAME or VALID, not {padding!r}", op=op)
    if not len(sizes) == len(window) == len(strides):
        message = (
            f"there are {len(sizes)} dimensions, but {len(window)} window sizes and {len(strides)} strides"
        )
        raise BuilderError(message, op=op)
    if kind is Padding.VALID:
        return [(0, 0)] * len(sizes)
    pairs = []
    for size, extent, stride in zip(sizes, window, strides, strict=True):
        if stride <= 0:
            raise BuilderError(f"strides must be positive, not {stride}", op=op)
        total = max((-(-size // stride) - 1) * stride + extent - size, 0)
        pairs.append((total // 2, total - total // 2))
    return pairs


def _convolution_padding(
    lhs: XlaOp, rhs: XlaOp, strides: Sequence[int], padding: PaddingLike, given: DimensionNumbers
) -> list[tuple[int, int]]:
    found = convolution_numbers(given).parameters
    sizes, window = (
        _spatial(operand.tensor, found[f"{part}_spatial_dimensions"])
        for operand, part in ((lhs, "input"), (rhs, "kernel"))
    )
    return make_padding(sizes, window, wholes("window_strides", strides), padding, "convolution")


def _spatial(operand: TensorType, dimensions: Any) -> list[int]:
    if not all(0 <= at < operand.rank for at in dimensions.values):
        message = f"dimension_numbers go outside rank {operand.rank}"
        raise BuilderError(message, op="convolution")
    return [operand.sizes[at] for at in dimensions.values]


def _precision(given: PrecisionConfig) -> Attribute | None:
    return None if given is None else enums("precision", [name.upper() for name in given])


def _optional(given: ElementTypeLike | None) -> Any:
    return None if given is None else element_type_of(given)
