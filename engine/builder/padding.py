"""Padding: of an array, and of the windows that slide over it, also by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ..ops.contractions.convolution_rules import ConvolutionDimensionNumbers
from .broadcasting import Broadcasting
from .builder_error import BuilderError
from .instructions import Fields
from .properties import property_of, wholes


@dataclass(frozen=True)
class PaddingDimension:
    """The padding of one dimension: at its low end, at its high end, and between any two elements."""

    edge_padding_low: int = 0
    edge_padding_high: int = 0
    interior_padding: int = 0


class Padding(StrEnum):
    """The padding around an array over which windows slide."""

    SAME = "SAME"
    """As much as gives one window per element with strides of 1."""
    VALID = "VALID"
    """None: windows lie inside the array."""


_BY_NAME = {name: kind for kind in Padding for name in (kind.value, f"K{kind.value}")}


def paddings(builder: Broadcasting, fields: Fields) -> Fields:
    """The lists of pad from entries `(low, high)`, `(low, high, interior)` or `PaddingDimension`."""
    entries = [_padding_dimension(entry) for entry in fields["padding_config"]]
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    return {name: [getattr(entry, name) for entry in entries] for name in names}


def _padding_dimension(entry: PaddingDimension | Sequence[int]) -> PaddingDimension:
    if isinstance(entry, PaddingDimension):
        return entry
    numbers = wholes("padding_config", entry)
    if len(numbers) not in (2, 3):
        message = f"an entry of padding_config must be (low, high) or (low, high, interior), not {entry}"
        raise BuilderError(message, op="pad")
    return PaddingDimension(*numbers)


def reduce_windows(builder: Broadcasting, fields: Fields) -> Fields:
    """Padding of reduce-window from its name."""
    first, *_ = builder._several(fields["inputs"], "reduce-window")
    sizes = _dilated(first.tensor.sizes, fields["base_dilations"])
    window = wholes("window_dimensions", fields["window_dimensions"])
    return _padding(fields, sizes, _dilated(window, fields["window_dilations"]), "reduce-window")


def selection_windows(builder: Broadcasting, fields: Fields) -> Fields:
    """Padding of select-and-scatter from its name."""
    window = wholes("window_dimensions", fields["window_dimensions"])
    return _padding(fields, fields["operand"].tensor.sizes, window, "select-and-scatter")


def convolution(builder: Broadcasting, fields: Fields) -> Fields:
    """Dimension numbers of a convolution, by default `bf01_oi01->bf01`, and padding from its name."""
    lhs, rhs = fields["lhs"], fields["rhs"]
    spatial = tuple(range(2, lhs.rank))
    default = ConvolutionDimensionNumbers(0, 1, 1, 0, 0, 1, spatial, spatial, spatial)
    stated = fields.get("dimension_numbers", default)
    numbers: Any = property_of("dimension_numbers", stated, ConvolutionDimensionNumbers)
    inputs, kernel = (numbers.parameters[f"{name}_spatial_dimensions"].values for name in ("input", "kernel"))
    for operand, dimensions in ((lhs, inputs), (rhs, kernel)):
        if not all(0 <= dimension < operand.rank for dimension in dimensions):
            message = f"dimension_numbers has a dimension outside rank {operand.rank}"
            raise BuilderError(message, op="convolution")
    sizes, window = [lhs.shape[at] for at in inputs], [rhs.shape[at] for at in kernel]
    return {"dimension_numbers": numbers, **_padding(fields, sizes, window, "convolution")}


def _padding(fields: Fields, sizes: Sequence[int], window: Sequence[int], op: str) -> Fields:
    """Low and high padding of each dimension where `padding` is a name; the high padding takes the odd element."""
    padding, strides = fields["padding"], wholes("window_strides", fields["window_strides"])
    if not isinstance(padding, str):
        return {}
    kind = _BY_NAME.get(padding.upper())
    if kind is None:
        raise BuilderError(f"padding must be SAME or VALID, not {padding!r}", op=op)
    if not len(sizes) == len(window) == len(strides):
        message = (
            f"there are {len(sizes)} dimensions, but {len(window)} window sizes and {len(strides)} strides"
        )
        raise BuilderError(message, op=op)
    if min(strides, default=1) <= 0:
        raise BuilderError(f"strides must be positive, not {min(strides)}", op=op)
    totals = [
        max((-(-size // stride) - 1) * stride + extent - size, 0) if kind is Padding.SAME else 0
        for size, extent, stride in zip(sizes, window, strides, strict=True)
    ]
    return {"padding": [(total // 2, total - total // 2) for total in totals]}


def _dilated(sizes: Sequence[int], dilations: Sequence[int] | None) -> list[int]:
    """Sizes with holes between elements."""
    steps = wholes("dilations", dilations or (1,) * len(sizes))
    return [max((size - 1) * step + 1, 0) for size, step in zip(sizes, steps, strict=False)]
