"""The facet for pictures of index maps: windows, the tensors under them, and names of dimensions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Literal

from ....indexing import IndexMap, OperandMap
from ....indexing.op_maps.window_maps import WindowIndexing
from ....ir.types import TensorType, Type
from .any_op import OpType

DimensionNames = tuple[str, ...]
"""The role of each dimension of one tensor; a dimension may have several, `collapsed_slice_dims, start_index_map[0]`."""
Roles = tuple[tuple[DimensionNames, ...], tuple[DimensionNames, ...]]
"""The dimension roles of all operands, and of all results."""


@dataclass(frozen=True)
class Shown:
    """A tensor of an op, by side and number."""

    side: Literal["operand", "result"]
    number: int = 0


@dataclass(frozen=True)
class MovedWindow:
    """An element lies in a window that an operand of indices places over another tensor."""

    kind: Literal["gather", "scatter", "dynamic_slice", "dynamic_update_slice"]
    source: Shown
    """The tensor that contains the windows."""
    dimensions: Sequence[int]
    """The dimensions of `source` within a window."""
    target: Shown
    """The tensor under the windows."""
    indices: int
    """The number of the operand with the positions."""


@dataclass(frozen=True)
class SlidingWindows:
    """Windows that may extend beyond the edges of a tensor, and between its elements.

    `positions` maps an element of `source` to the positions in its window, counted from the first element of the tensors
    `over`, whose elements lie `dilations` apart along each dimension. Padding and holes have positions too.
    """

    kind: Literal["window", "pad"]
    source: Shown
    over: tuple[Shown, ...]
    dilations: Sequence[int]
    positions: IndexMap
    partner: tuple[Shown, IndexMap] | None = None
    """The kernel, and the map to its element that multiplies a position."""

    @classmethod
    def of(cls, source: Shown, over: Sequence[Shown], windows: WindowIndexing) -> SlidingWindows:
        """The windows of reduce_window and similar ops."""
        return cls("window", source, tuple(over), windows.base_dilations, windows.positions())


@dataclass(frozen=True)
class Contraction:
    """Products of a row and a column, added up."""

    kind: Literal["contraction"] = "contraction"


Picture = MovedWindow | SlidingWindows | Contraction


@dataclass(frozen=True)
class Drawing(Generic[OpType]):
    """Additions to the picture and the text of the op's index maps."""

    keeps_points: bool = False
    """Whether formulas of its maps keep dimensions of size 1, as XLA prints them."""

    def picture(self, op: OpType) -> Picture | None:
        """The windows and tensors that a picture of the index maps shows besides the cells."""
        return None

    def dimension_roles(self, op: OpType) -> Roles:
        """The purpose of each dimension of the operands and results, in the words of the op's section; often empty."""
        return no_names(*op.operand_types), no_names(*op.known_results)

    def documented_maps(self, op: OpType) -> Iterator[OperandMap]:
        """`index_maps` as XLA's document prints them: one enclosing map in place of a union."""
        return op.index_maps()


def name_dimensions(rank: int, lists: Mapping[str, Sequence[int]], otherwise: str = "") -> DimensionNames:
    """For each dimension the names of the lists that contain it; `otherwise` for dimensions in none.

    The dimensions of a list whose name ends in `[]` are numbered, because their order matters.
    """
    found: list[list[str]] = [[] for _ in range(rank)]
    for name, dimensions in lists.items():
        for number, dimension in enumerate(dimensions):
            found[dimension].append(f"{name[:-1]}{number}]" if name.endswith("[]") else name)
    return tuple(", ".join(names) or otherwise for names in found)


def no_names(*types: Type) -> tuple[DimensionNames, ...]:
    """An empty role for each dimension of values of these types."""
    return tuple(("",) * (found.rank if isinstance(found, TensorType) else 0) for found in types)


def matrices(rank: int, *last: str) -> DimensionNames:
    """Roles in stacked matrices: `last` for the last dimensions, `batch` for those before."""
    return (*["batch"] * (rank - len(last)), *last)


def all_dimensions(shown: Type) -> range:
    """The dimensions of a tensor; none for another type."""
    return range(shown.rank if isinstance(shown, TensorType) else 0)
