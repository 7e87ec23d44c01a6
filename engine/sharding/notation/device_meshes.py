"""Device meshes: ids along named axes, and groups of ids that differ only along some axes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

MAX_IDS = 1 << 20
"""Maximum number of ids that a text may define; no machine has as many devices."""
Ids = NDArray[np.int64]
AxisPart = tuple[str, int, int]
"""A part of an axis: the axis, the size of what precedes the part, and its own size."""


def bounded_product(sizes: Iterable[int], most: int) -> int:
    """The product, or some number above `most` if it exceeds that."""
    found = list(sizes)
    if 0 in found:
        return 0
    product = 1
    for size in found:
        product *= size
        if product > most:
            break
    return product


@dataclass(frozen=True)
class IotaOrder:
    """`[2,4]T(1,0)`: the numbers 0, 1, … in an array of these sizes, read with permuted dimensions."""

    sizes: tuple[int, ...]
    permutation: tuple[int, ...] | None = None

    @property
    def count(self) -> int:
        """Number of ids, or some number above `MAX_IDS`."""
        return bounded_product(self.sizes, MAX_IDS)

    def ids(self) -> Ids:
        """The ids in order, at most `MAX_IDS`."""
        # NumPy allows at most 64 dimensions; those of size 1 are irrelevant.
        order = self.permutation or tuple(range(len(self.sizes)))
        kept = [at for at, size in enumerate(self.sizes) if size != 1]
        places = [kept.index(at) for at in order if self.sizes[at] != 1] if self.count else []
        numbers = np.arange(self.count, dtype=np.int64)
        return (
            numbers.reshape([self.sizes[at] for at in kept]).transpose(places).reshape(-1)
            if places
            else numbers
        )


@dataclass(frozen=True)
class DeviceMesh:
    """`mesh['x'=2,'y'=4], device_ids=(…)`: axes with sizes, and devices other than 0, 1, …"""

    axes: tuple[tuple[str, int], ...]
    device_ids: tuple[int, ...] | IotaOrder | None = None

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """The size of each axis, by name."""
        return dict(self.axes)

    def ids(self) -> Ids:
        """The devices in row-major order."""
        if isinstance(self.device_ids, IotaOrder):
            return self.device_ids.ids()
        if self.device_ids is not None:
            return np.array(self.device_ids, np.int64)
        return np.arange(bounded_product(self.sizes.values(), MAX_IDS), dtype=np.int64)


def axis_groups(
    axes: Mapping[str, int], wanted: Sequence[AxisPart], ids: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Groups of ids that differ only along the `wanted` parts of axes, one row each, in that order.

    `ids` are in row-major order of the sizes of `axes`. `ValueError` states what is wrong with `wanted`.
    """
    for axis, before, size in wanted:
        _check_part(axes, axis, before, size)
    parts = [(place, size) for place, size in _cut(axes, wanted) if size != 1]
    if ids.size == 0:
        return np.zeros((0, 0), np.int64)
    inside = sorted((place, at) for at, (place, _) in enumerate(parts) if place >= 0)
    order = [at for at, (place, _) in enumerate(parts) if place < 0] + [at for _, at in inside]
    width = prod(parts[at][1] for _, at in inside)
    laid_out = ids.reshape([size for _, size in parts])
    return np.ascontiguousarray(laid_out.transpose(order).reshape(-1, width))


def _check_part(axes: Mapping[str, int], axis: str, before: int, size: int) -> None:
    if axis not in axes:
        raise ValueError(f"the mesh has no axis '{axis}'; it has {', '.join(axes) or 'none'}")
    is_whole = (before, size) == (1, axes[axis])
    if not is_whole and (before < 1 or size < 1 or axes[axis] % (before * size)):
        raise ValueError(f"({before}){size} is not a part of axis '{axis}', of {axes[axis]}")


def _cut(axes: Mapping[str, int], wanted: Sequence[AxisPart]) -> list[tuple[int, int]]:
    """Cut each axis at its wanted parts: the index in `wanted` of each piece (or -1), and its size."""
    of_axis: dict[str, list[tuple[int, int, int]]] = {axis: [] for axis in axes}
    for place, (axis, before, size) in enumerate(wanted):
        of_axis[axis].append((before, size, place))
    pieces: list[tuple[int, int]] = []
    for axis, whole in axes.items():
        done = 1
        for before, size, place in sorted(of_axis[axis]):
            if before < done or (done and before % done):
                raise ValueError(f"parts of axis '{axis}' overlap")
            pieces += [(-1, before // done if done else 1), (place, size)]
            done = before * size
        pieces.append((-1, whole // done if done else 1))
    return pieces
