"""convolution and dynamic_conv: any dimension numbers, windows and groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES, ElementType
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.contractions.convolution import Convolution
from hloscope.engine.ops.contractions.convolution_rules import ConvolutionDimensionNumbers

from ..cases import Case, seeds
from ..values import Flavour, element_types

ELEMENTS = [ELEMENT_TYPES[name] for name in ("i32", "i8", "i1", "f32", "bf16", "ui64")]


@st.composite
def orders(draw: st.DrawFn, rank: int) -> tuple[int, int, tuple[int, ...]]:
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
def convolution_ops(draw: st.DrawFn, least_kernel: int = 0, is_usual: bool = False) -> Convolution:
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


def label_order(first: str, at: int, second: str, then: int, spatial: Sequence[int]) -> str:
    """`[b, 0, 1, f]`."""
    letters = {at: first, then: second} | {place: str(number) for number, place in enumerate(spatial)}
    return f"[{', '.join(letters[place] for place in sorted(letters))}]"


def _numbers(n: ConvolutionDimensionNumbers) -> str:
    inputs = label_order(
        "b", n.input_batch_dimension, "f", n.input_feature_dimension, n.input_spatial_dimensions
    )
    kernels = label_order(
        "i",
        n.kernel_input_feature_dimension,
        "o",
        n.kernel_output_feature_dimension,
        n.kernel_spatial_dimensions,
    )
    outputs = label_order(
        "b", n.output_batch_dimension, "f", n.output_feature_dimension, n.output_spatial_dimensions
    )
    return f"{inputs}x{kernels}->{outputs}"


def _lists(rows: Sequence[Sequence[int]]) -> str:
    return f"[{', '.join(str(list(row)) for row in rows)}]"


def _flags(values: Sequence[bool]) -> list[str]:
    return ["true" if value else "false" for value in values]


def _short(op: Convolution) -> str:
    window = [
        *([] if op.window_strides is None else [f"stride = {list(op.window_strides)}"]),
        *([] if op.padding is None else [f"pad = {_lists(op.padding)}"]),
        *([] if op.lhs_dilation is None else [f"lhs_dilate = {list(op.lhs_dilation)}"]),
        *([] if op.rhs_dilation is None else [f"rhs_dilate = {list(op.rhs_dilation)}"]),
        *([] if op.window_reversal is None else [f"reverse = [{', '.join(_flags(op.window_reversal))}]"]),
    ]
    counts = f"batch_group_count = {op.batch_group_count} : i64, feature_group_count = {op.feature_group_count} : i64"
    return (
        f"%r = stablehlo.convolution(%a0, %a1) dim_numbers = {_numbers(op.dimension_numbers)}, "
        f"window = {{{', '.join(window)}}} {{{counts}}}"
    )


def _integers(name: str, values: Sequence[int] | None) -> list[str]:
    if values is None:
        return []
    listed = ": " + ", ".join(map(str, values)) if values else ""
    return [f"{name} = array<i64{listed}>"]


def _generic(op: Convolution, name: str, operands: str) -> str:
    rows, reversal = op.padding, op.window_reversal
    padding = [] if rows is None else [f"padding = dense<{_lists(rows)}> : tensor<{len(rows)}x2xi64>"]
    flags = ": " + ", ".join(_flags(reversal or ())) if reversal else ""
    attributes = [
        f"dimension_numbers = #stablehlo.conv<{_numbers(op.dimension_numbers)}>",
        f"batch_group_count = {op.batch_group_count} : i64",
        f"feature_group_count = {op.feature_group_count} : i64",
        *_integers("window_strides", op.window_strides),
        *_integers("lhs_dilation", op.lhs_dilation),
        *_integers("rhs_dilation", op.rhs_dilation),
        *([] if reversal is None else [f"window_reversal = array<i1{flags}>"]),
        *(padding if rows and operands == "%a0, %a1" else []),
    ]
    return f'%r = "stablehlo.{name}"({operands}) <{{{", ".join(attributes)}}}>'


def _with_types(op: Convolution, element_type: ElementType) -> tuple[TensorType, TensorType, TensorType]:
    return tuple(TensorType(found.sizes, element_type) for found in (op.lhs, op.rhs, op.infer()))  # type: ignore[return-value]


def has_windows(op: Convolution) -> bool:
    """Neither oracle takes sizes below zero, which negative padding of small inputs makes."""
    n, rows = op.dimension_numbers, op.padding
    sizes = [op.lhs.sizes[at] for at in n.input_spatial_dimensions]
    return all(
        (size - 1) * dilation + 1 + low + high >= 1 and size
        for size, dilation, (low, high) in zip(
            sizes, op.base_dilations, rows or [(0, 0)] * len(sizes), strict=True
        )
    )


any_ops = convolution_ops(1).filter(has_windows)
usual_ops = convolution_ops(1, is_usual=True).filter(lambda op: has_windows(op) and 0 not in op.rhs.sizes)
"""The reference interpreter survives neither other orders of the input's and the result's dimensions nor sums of nothing."""


def summed_exactly(element_type: ElementType) -> bool:
    """Whether sums of small integers are exact."""
    return not element_type.is_float or element_type.bits >= 16


@st.composite
def convolution(draw: st.DrawFn, ops: st.SearchStrategy[Convolution]) -> Case:
    op = draw(ops)
    lhs, rhs, result = _with_types(op, draw(element_types("iuf").filter(summed_exactly)))
    text = _short(op) if draw(st.booleans()) else _generic(op, "convolution", "%a0, %a1")
    flavour: Flavour = "edges" if lhs.element_type.is_integer else "small"
    return Case(
        f"{text} : ({lhs}, {rhs}) -> {result}", (lhs, rhs), (result,), draw(seeds), (flavour, flavour)
    )


@st.composite
def dynamic_conv(draw: st.DrawFn) -> Case:
    op = draw(usual_ops)
    lhs, rhs, result = _with_types(op, draw(element_types("iuf").filter(summed_exactly)))
    rows = op.padding or ((0, 0),) * (op.lhs.rank - 2)
    padding = TensorType((len(rows), 2), ELEMENT_TYPES["i64"])
    text = _generic(op, "dynamic_conv", "%a0, %a1, %a2")
    given = {2: np.array(rows, np.int64).reshape(len(rows), 2)}
    types = (lhs, rhs, padding)
    statement = f"{text} : ({lhs}, {rhs}, {padding}) -> {result}"
    flavour: Flavour = "edges" if lhs.element_type.is_integer else "small"
    return Case(
        statement, types, (result,), draw(seeds), (flavour, flavour, flavour), given, interpreter_only=True
    )


GENERATORS = {"stablehlo.convolution": convolution(usual_ops), "stablehlo.dynamic_conv": dynamic_conv()}
UNSAFE = {"stablehlo.convolution": convolution(any_ops)}
