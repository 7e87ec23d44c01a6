"""What a picture of an op's index maps shows beside the cells: windows, and the tensors that they lie over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...indexing import IndexMap
from ...indexing.op_maps.window_maps import WindowIndexing
from ...ir.types import TensorType, Type


@dataclass(frozen=True)
class Shown:
    """A tensor of an op, by side and number."""

    side: Literal["operand", "result"]
    number: int = 0


@dataclass(frozen=True)
class MovedWindow:
    """An element lies in a window, which an operand of indices places over another tensor."""

    kind: Literal["gather", "scatter", "dynamic_slice", "dynamic_update_slice"]
    source: Shown
    """The tensor that the windows are in."""
    dimensions: Sequence[int]
    """Those of `source` that run through a window."""
    target: Shown
    """The tensor that the windows lie over."""
    indices: int
    """The operand that says where."""


@dataclass(frozen=True)
class SlidingWindows:
    """Windows that may reach beyond the edges of a tensor, and between its elements.

    `positions` leads from an element of `source` to the places of its window, counted from the first element of the
    tensors `over`, whose elements lie `dilations` apart along each dimension. Padding and holes are among the places.
    """

    kind: Literal["window", "pad"]
    source: Shown
    over: tuple[Shown, ...]
    dilations: Sequence[int]
    positions: IndexMap
    partner: tuple[Shown, IndexMap] | None = None
    """The kernel, and which of its elements a place is multiplied with."""

    @classmethod
    def of(cls, source: Shown, over: Sequence[Shown], windows: WindowIndexing) -> SlidingWindows:
        """The windows of reduce_window and its like."""
        return cls("window", source, tuple(over), windows.base_dilations, windows.positions())


@dataclass(frozen=True)
class Contraction:
    """Products of a row and a column, added up."""

    kind: Literal["contraction"] = "contraction"


Picture = MovedWindow | SlidingWindows | Contraction


def all_dimensions(shown: Type) -> range:
    """The dimensions of a tensor."""
    return range(shown.rank if isinstance(shown, TensorType) else 0)
