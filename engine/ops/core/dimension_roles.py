"""What each dimension of an op's operands and results is for, in the words of the op's section.

A dimension may have several roles, `collapsed_slice_dims, start_index_map[0]`; one without any has an empty text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...ir.types import TensorType, Type

DimensionNames = tuple[str, ...]
"""The role of each dimension of one tensor."""
Roles = tuple[tuple[DimensionNames, ...], tuple[DimensionNames, ...]]
"""Of all operands, and of all results."""


def name_dimensions(rank: int, lists: Mapping[str, Sequence[int]], otherwise: str = "") -> DimensionNames:
    """The names of the lists that each dimension is in, and `otherwise` for those that are in none.

    A list whose name ends in `[]` is one whose order says something: its dimensions are numbered.
    """
    found: list[list[str]] = [[] for _ in range(rank)]
    for name, dimensions in lists.items():
        for number, dimension in enumerate(dimensions):
            found[dimension].append(f"{name[:-1]}{number}]" if name.endswith("[]") else name)
    return tuple(", ".join(names) or otherwise for names in found)


def no_names(*types: Type) -> tuple[DimensionNames, ...]:
    """No role for any dimension of values of these types."""
    return tuple(("",) * (found.rank if isinstance(found, TensorType) else 0) for found in types)


def matrices(rank: int, *last: str) -> DimensionNames:
    """Stacked tensors: their last dimensions have names, those before are of the batch."""
    return (*["batch"] * (rank - len(last)), *last)
