"""convolution and dynamic_conv: products of a kernel with windows of a tensor, added up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any, ClassVar

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...errors import RunError
from ...indexing import UNDEFINED, ConvolutionIndexing, OperandMap
from ...ir.element_types import F32, F64, ElementType, QuantizedType
from ...ir.types import Dimension, TensorType, Type, is_quantized
from ..core.causes import product_cause
from ..core.dynamic_op import DynamicOp
from ..core.facets import (
    Drawing,
    Explanation,
    Form,
    HloSpelling,
    Picture,
    Roles,
    Section,
    Shown,
    SlidingWindows,
    numbered,
)
from ..core.facets.findings import Findings
from ..core.fold_bounds import product_bound
from ..core.kinds import INTEGER, holds
from ..core.op import Array, Constraint, Cost, merged_shape, shapes_agree
from ..core.quantization import dequantize, quantize
from ..core.ranks import INFINITE, NAN, Arrays, OperandRanks, Ranks, SeenRanks, Shape, is_finite
from ..core.rounding import UNKNOWN, Errors, is_exact
from ..core.rules import format_list
from ..data_movement.pad import pad_array
from .convolution_rules import SHARED_INPUTS, ConvolutionRules
from .convolution_sums import BLOCK_BYTES, convolve, convolve_inside
from .matrix_products import Arithmetic
from .products import ProductFindings, Products, ProductsRounding

Padding = Sequence[Sequence[int]]
MOST_ELEMENTS = 1 << 48
"""More than any machine has memory for."""


class ConvolutionOpRounding(ProductsRounding["ConvolutionOp"]):
    def error_bound(self, op: ConvolutionOp, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        if is_quantized(op.rhs):
            return (np.ones(()) if is_exact(errors) else UNKNOWN,)
        padding = op._padding_of(operands)
        left, right = zip(operands[:2], errors[:2], strict=True)

        def multiply(lhs: Array, rhs: Array) -> Array:
            return op._over(F64 if lhs.dtype == np.float64 else F32)._convolve(lhs, rhs, padding)

        return (product_bound(multiply, left, right, results[0], op.products_of_each()),)


class ConvolutionOpDrawing(Drawing["ConvolutionOp"]):
    def dimension_roles(self, op: ConvolutionOp) -> Roles:
        paddings = [("", "low and high")] * (len(op.operand_types) - 2)
        lhs, rhs, result = op.dimension_numbers.roles()
        return (lhs, rhs, *paddings), (result,)

    def picture(self, op: ConvolutionOp) -> Picture | None:
        windows = op.indexing if op.open_sizes.are_known(op) else None
        if windows is None:
            return None
        apart = [1] * len(windows.lhs_shape)
        for dimension, dilation in zip(windows.input_dimensions[2], windows.lhs_dilation, strict=True):
            apart[dimension] = dilation
        kernel = next(found for found in windows.index_maps() if found.operand == 1)
        partner = Shown("operand", 1), kernel.map
        return SlidingWindows(
            "window", Shown("result"), (Shown("operand"),), apart, windows.positions(), partner
        )


class ConvolutionFindings(ProductFindings["ConvolutionOp"]):
    def deciding_operands(self, op: ConvolutionOp) -> Iterable[int]:
        return op.dynamic_operands if isinstance(op, DynamicOp) else ()

    def ranks_read(
        self, op: ConvolutionOp, operands: Arrays, ranks: OperandRanks, results: Arrays
    ) -> SeenRanks:
        """The greatest rank in a window of `lhs` and in the kernel for a feature."""
        return (op.worst_of_products(operands, ranks, results[0]),)

    def birth_cause(
        self, op: ConvolutionOp, operands: Arrays, result: Array, number: int, index: Shape
    ) -> str:
        return product_cause(operands, result, index)


@dataclass(frozen=True)
class ConvolutionOp(ConvolutionRules, Products):
    """Common base of convolution and dynamic_conv, which differ in the source of the padding."""

    findings: ClassVar[Findings[Any]] = ConvolutionFindings()
    hlo = HloSpelling(is_lenient=True)
    rounding = ConvolutionOpRounding()
    explanation = Explanation(form=Form.PRODUCTS)
    drawing = ConvolutionOpDrawing()

    skips_padding: bool = False

    @property
    def _padding(self) -> Padding | None:
        """Low and high padding of each spatial dimension; `None` if only a run says it."""
        raise NotImplementedError

    @property
    def _mapped_padding(self) -> Padding | None:
        """The padding for index maps; if it is `None`, they read it from each run."""
        return self._padding

    def infer(self) -> TensorType:
        shape = self._result_shape(self._padding)
        if self.result is not None and shapes_agree(shape, self.result.shape):
            shape = merged_shape(shape, self.result.shape)
        return TensorType(shape, (self.result or self.lhs).element_type)

    def _result_shape(self, padding: Padding | None) -> tuple[Dimension, ...]:
        n = self.dimension_numbers
        batch = self.lhs.shape[n.input_batch_dimension]
        sizes = {
            n.output_batch_dimension: None if batch is None else batch // self.batch_group_count,
            n.output_feature_dimension: self.rhs.shape[n.kernel_output_feature_dimension],
        }
        for k, at in enumerate(n.output_spatial_dimensions):
            sizes[at] = None if padding is None else self._window_count(k, *padding[k])
        return tuple(sizes[at] for at in range(self.lhs.rank))

    def _window_count(self, number: int, low: int, high: int) -> Dimension:
        n = self.dimension_numbers
        size = self.lhs.shape[n.input_spatial_dimensions[number]]
        window = self.rhs.shape[n.kernel_spatial_dimensions[number]]
        if size is None or window is None:
            return None
        whole = low + dilated_size(size, self.base_dilations[number]) + high
        reach = dilated_size(window, self.window_dilations[number])
        return 0 if whole == 0 or reach > whole else (whole - reach) // self.strides[number] + 1

    def _convolve(self, lhs: Array, rhs: Array, padding: Padding) -> Array:
        # `dequantize_op_quantize`, and `hybrid_dequantize_then_op` where only rhs is quantized.
        lhs, rhs = (
            dequantize(x, t.element_type) for x, t in zip((lhs, rhs), (self.lhs, self.rhs), strict=True)
        )
        shape = tuple(int(size or 0) for size in self._result_shape(padding))
        stated = (self.result or self.lhs).element_type
        element_type = stated.expressed if isinstance(stated, QuantizedType) else stated
        how = Arithmetic.of(lhs, rhs, element_type, self.products_of_each())
        result = np.empty(shape, element_type.dtype)
        source, weights = how.prepare(lhs), how.prepare(rhs)
        windows, kernel = self._windows(source, padding, shape), self._kernel(weights)
        if self.skips_padding and not is_finite(weights):
            inside = self._windows(np.ones(source.shape, np.bool_), padding, shape)
            convolve_inside(windows, inside, kernel, how, self._split_groups(result))
        else:
            convolve(windows, kernel, how, self._split_groups(result))
        return quantize(result, stated) if isinstance(stated, QuantizedType) else result

    def _over(self, element_type: ElementType) -> ConvolutionOp:
        """The same convolution of other elements."""
        return replace(
            self,
            lhs=self.lhs.with_element_type(element_type),
            rhs=self.rhs.with_element_type(element_type),
            result=self.infer().with_element_type(element_type),
        )

    def _padding_of(self, operands: Arrays) -> Padding:
        padding = self._padding if len(operands) < 3 else [tuple(map(int, row)) for row in operands[2]]
        assert padding is not None
        return padding

    def multiply_exactly(self, lhs: Array, rhs: Array, others: Arrays) -> Array:
        return self._over(F64)._convolve(lhs, rhs, self._padding_of((lhs, rhs, *others)))

    def worst_of_products(self, operands: Arrays, ranks: OperandRanks, result: Array) -> Ranks:
        """For each element the greatest rank that it reads: a convolution with ones tells which elements it reads."""
        plain, padding = self._over(F32), self._padding_of(operands)
        worst = np.zeros(result.shape, np.uint8)
        for number, found in enumerate(ranks[:2]):
            for rank in (INFINITE, NAN):
                if found is not None and (found >= rank).any():
                    bad = (found >= rank).astype(np.float32)
                    ones = np.ones(operands[1 - number].shape, np.float32)
                    lhs, rhs = (ones, bad) if number else (bad, ones)
                    reached = plain._convolve(lhs, rhs, padding) > 0
                    worst = np.maximum(worst, np.where(reached, np.uint8(rank), np.uint8(0)))
        return worst

    def _windows(self, lhs: Array, padding: Padding, shape: Sequence[int]) -> Array:
        """[group, batch, places…, window…, channel], a view of the padded input."""
        n = self.dimension_numbers
        whole, low, interior = list(lhs.shape), [0] * lhs.ndim, [0] * lhs.ndim
        for k, at in enumerate(n.input_spatial_dimensions):
            low[at], interior[at] = padding[k][0], self.base_dilations[k] - 1
            # Without windows sizes may be negative.
            whole[at] = max(0, low[at] + dilated_size(lhs.shape[at], self.base_dilations[k]) + padding[k][1])
        source = pad_array(lhs, np.zeros((), lhs.dtype), whole, low, interior)
        batch, feature = n.input_batch_dimension, n.input_feature_dimension
        spatial = [source.strides[at] for at in n.input_spatial_dimensions]
        channels = source.shape[feature] // self.feature_group_count
        images = source.shape[batch] // self.batch_group_count
        by_batch = self.batch_group_count > 1
        group = images * source.strides[batch] if by_batch else channels * source.strides[feature]
        sizes = [
            *(self._groups, images, *(shape[at] for at in n.output_spatial_dimensions)),
            *(self.rhs.sizes[at] for at in n.kernel_spatial_dimensions),
            channels,
        ]
        strides = [
            *(group, source.strides[batch]),
            *(stride * step for stride, step in zip(spatial, self.strides, strict=True)),
            *(stride * step for stride, step in zip(spatial, self.window_dilations, strict=True)),
            source.strides[feature],
        ]
        return as_strided(source, sizes, strides)

    def _kernel(self, rhs: Array) -> Array:
        """[group, window…, channel, feature], a view."""
        n = self.dimension_numbers
        spatial = n.kernel_spatial_dimensions
        moved = rhs.transpose(*spatial, n.kernel_input_feature_dimension, n.kernel_output_feature_dimension)
        turned = moved[tuple(slice(None, None, -1 if reverse else 1) for reverse in self.reversals)]
        return _split(turned, self._groups)

    def _split_groups(self, result: Array) -> Array:
        """[group, batch, places…, feature], a view."""
        n = self.dimension_numbers
        spatial = n.output_spatial_dimensions
        return _split(
            result.transpose(n.output_batch_dimension, *spatial, n.output_feature_dimension), self._groups
        )

    @property
    def _groups(self) -> int:
        return self.feature_group_count * self.batch_group_count  # one of them is 1

    def products_of_each(self) -> int:
        features = self.dimension_numbers.kernel_output_feature_dimension
        return prod(size for at, size in enumerate(self.rhs.sizes) if at != features)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        if self.indexing is None:
            return iter((OperandMap(0, UNDEFINED), OperandMap(1, UNDEFINED)))
        return self.indexing.inverse_index_maps() if inverse else self.indexing.index_maps()

    @cached_property
    def indexing(self) -> ConvolutionIndexing | None:
        n, padding, result = self.dimension_numbers, self._mapped_padding, self.infer()
        if not result.is_static:
            return None
        return ConvolutionIndexing(
            self.lhs.sizes,
            self.rhs.sizes,
            result.sizes,
            (n.input_batch_dimension, n.input_feature_dimension, n.input_spatial_dimensions),
            (
                n.kernel_input_feature_dimension,
                n.kernel_output_feature_dimension,
                n.kernel_spatial_dimensions,
            ),
            (n.output_batch_dimension, n.output_feature_dimension, n.output_spatial_dimensions),
            self.strides,
            None if padding is None else [low for low, _ in padding],
            self.base_dilations,
            self.window_dilations,
            self.reversals,
            self.feature_group_count,
            self.batch_group_count,
        )

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """A multiplication and an addition for each product; wide copies of all three tensors, the input's padded;
        and the blocks.
        """
        result = self.infer()
        if not (result.is_static and self.lhs.is_static and self.rhs.is_static):
            return Cost(0, 0)
        whole = prod(self._padded_sizes(result))
        # Numbers of 64 bits whose sums are exact in no float are multiplied in parts.
        wide = 16 * (whole + self.lhs.element_count + 3 * self.rhs.element_count)
        if is_quantized(result) or is_quantized(self.rhs):
            wide += 24 * (self.lhs.element_count + self.rhs.element_count + result.element_count)
        flops = 2 * result.element_count * self.products_of_each()
        return Cost(flops, result.byte_count, wide + 8 * BLOCK_BYTES)

    def _padded_sizes(self, result: TensorType) -> list[int]:
        """The sizes of the padded input as far as windows reach, at least those of the input."""
        n = self.dimension_numbers
        sizes = list(self.lhs.sizes)
        for k, at in enumerate(n.input_spatial_dimensions):
            windows = result.sizes[n.output_spatial_dimensions[k]]
            reach = dilated_size(self.rhs.sizes[n.kernel_spatial_dimensions[k]], self.window_dilations[k])
            # What is left over behind the last window is shorter than a stride.
            sizes[at] = max(sizes[at], windows * self.strides[k] + reach)
        return sizes


@dataclass(frozen=True)
class Convolution(ConvolutionOp):
    """Slides `rhs` over `lhs` and sums the products over the window and the input features.

    `lhs` is dilated (zeros between elements), then padded; negative padding removes elements, also zeros between
    them. `rhs` is not turned round, unless `window_reversal` says so. With `feature_group_count` groups of
    neighbouring features are convolved apart, with `batch_group_count` those of neighbouring batches, each with
    its part of the output features. Floats below f32 are multiplied and summed in f32 and rounded once; integers
    are exact modulo the result's width; booleans give the or of ands. Zeros of padding are multiplied, too: times
    infinity they are NaN; with `skips_padding`, as in HLO text, padding and holes count for nothing. As in `dot_general` and on XLA the result's element type may differ from the operands'
    (C27 is asked of these); other than on XLA a window may have no elements, its sum is 0.
    Specification: convolution.
    """

    name = "stablehlo.convolution"
    short_form = "custom convolution"
    hlo = replace(
        ConvolutionOp.hlo,
        opcode="convolution",
        note="`window={…}` states strides, padding, dilations and reversal of each spatial dimension, "
        "`dim_labels=b01f_01io->b01f` what each dimension of input, kernel and result is.",
        xla_name="Conv",
    )
    section = Section(
        result_labels={"shape": "C25"},
        input_labels=numbered(f"lhs rhs window_strides padding {SHARED_INPUTS}"),
    )

    padding: tuple[tuple[int, ...], ...] | None = None

    @property
    def _padding(self) -> Padding:
        return ((0, 0),) * self.spatial_count if self.padding is None else self.padding

    def _padding_constraints(self) -> Iterator[Constraint]:
        count, rows = self.spatial_count, self._padding
        sentence = f"padding must have a low and a high value for each of {count} spatial dimensions, not {format_list(map(format_list, rows))}"
        yield "C4", len(rows) == count and all(len(row) == 2 for row in rows), sentence

    def evaluate(self, *operands: Array) -> Array:
        lhs, rhs = operands
        return self._convolve(lhs, rhs, self._padding)


@dataclass(frozen=True)
class DynamicConv(ConvolutionOp, DynamicOp):
    """`convolution` whose padding is an operand: [low, high] for each spatial dimension.

    The sizes of the result are known when it runs. Specification: dynamic_conv.
    """

    name = "stablehlo.dynamic_conv"
    dynamic_fields = ("padding",)
    section = Section(
        result_labels={"shape": "C25"},
        input_labels=numbered(f"lhs rhs padding window_strides {SHARED_INPUTS}"),
    )

    padding: TensorType = field(kw_only=True)

    def constraints(self) -> Iterator[Constraint]:
        yield from super().constraints()
        if self.numbers is not None and self.result is not None:
            shape = self._result_shape(self._padding)
            sentence = f"padding {format_list(self.numbers[0])} makes a result of shape {format_list(shape)}, not {format_list(self.result.shape)}"
            yield "C25", shapes_agree(shape, self.result.shape), sentence

    def likely(self) -> tuple[tuple[int | None, ...] | None, ...]:
        return ((0, 0) * self.spatial_count,)

    @property
    def _padding(self) -> Padding | None:
        if self.numbers is None:
            return None
        (both,) = self.numbers
        return tuple(zip(both[::2], both[1::2], strict=True))

    @property
    def _mapped_padding(self) -> None:
        return None

    def _padding_constraints(self) -> Iterator[Constraint]:
        yield holds("I3", "padding", self.padding, INTEGER)
        wanted = (self.spatial_count, 2)
        sentence = (
            f"padding must have shape {format_list(wanted)}: a low and a high value for each spatial dimension, "
            f"not {format_list(self.padding.shape)}"
        )
        yield "C4", shapes_agree(wanted, self.padding.shape), sentence

    def evaluate(self, *operands: Array) -> Array:
        lhs, rhs, padding = operands
        rows = padding.tolist()
        self._check_sizes(rows)
        return self._convolve(lhs, rhs, rows)

    def _check_sizes(self, padding: Padding) -> None:
        """Constraint: no array has more elements than addresses exist."""
        n = self.dimension_numbers
        sizes = list(self.lhs.sizes)
        for k, at in enumerate(n.input_spatial_dimensions):
            sizes[at] = max(0, sum(padding[k]) + dilated_size(sizes[at], self.base_dilations[k]))
        if prod(max(1, size) for size in sizes) * prod(self.rhs.sizes) > MOST_ELEMENTS:
            raise RunError(
                f"padding {format_list(map(format_list, padding))} makes lhs one of sizes {format_list(sizes)}"
            )


def dilated_size(size: int, dilation: int) -> int:
    """The extent of `size` elements that lie `dilation` apart; 0 of none."""
    return (size - 1) * dilation + 1 if size else 0


def _split(array: Array, groups: int) -> Array:
    """The last axis cut into neighbouring groups, which become the first axis: a view."""
    cut = array.reshape(*array.shape[:-1], groups, array.shape[-1] // groups)
    return np.moveaxis(cut, -2, 0)
