"""Tilings: the box of a whole tensor that each device holds.

Dimension `k` is cut into `tiles[k]` parts of `ceil(size / tiles[k])`; the last ones may be smaller or empty.
Devices are in rows: one for each tile, with one device for each term (values whose sum is the tile) and copy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .device_meshes import AxisPart, Ids, axis_groups
from .hlo_shardings import Sharding

Array = NDArray[Any]
Box = tuple[slice, ...]


@dataclass(frozen=True)
class Tiling:
    """The part of a tensor that each device has; without `devices`, each device has all of it."""

    tiles: tuple[int, ...] = ()
    """Number of parts of each dimension; empty for a whole tensor of any rank."""
    devices: tuple[int, ...] | None = None
    """For each tile and each of its terms, the devices that hold a copy."""
    terms: int = 1
    """Number of values whose sum is the tensor; above 1, it is unreduced."""
    is_manual: bool = False
    """Whether copies may differ, because devices run independently."""

    @cached_property
    def tile_count(self) -> int:
        """Number of tiles."""
        return prod(self.tiles)

    @property
    def is_whole(self) -> bool:
        """Whether every device that holds the tensor holds all of it."""
        return self.tile_count == 1 and self.terms == 1

    @property
    def device_count(self) -> int | None:
        """Number of devices that share the tensor; `None` if unknown, or if one device has it alone."""
        return None if self.devices is None or self.is_single else len(self.devices)

    @property
    def is_single(self) -> bool:
        """Whether one device has the tensor and all others have nothing."""
        return self.devices is not None and len(self.devices) == 1

    @cached_property
    def _rows(self) -> Ids:
        """The devices in an array of [tile, term, copy]."""
        return np.array(self.devices, np.int64).reshape(self.tile_count, self.terms, -1)

    @cached_property
    def _places(self) -> Mapping[int, tuple[int, int, int]]:
        """Tile, term and copy of each device."""
        _, terms, copies = self._rows.shape
        places = enumerate(self.devices or ())
        return {device: (at // (terms * copies), at // copies % terms, at % copies) for at, device in places}

    def holds(self, device: int) -> bool:
        """Whether the device has a part."""
        return self.devices is None or device in self._places

    def check(self, shape: Sequence[int | None]) -> None:
        """`ValueError` unless it is a tiling of tensors of this rank."""
        if self.tiles and len(self.tiles) != len(shape):
            raise ValueError(f"it tiles tensors of rank {len(self.tiles)}, not {len(shape)}")

    def tile_of(self, device: int) -> tuple[int, ...] | None:
        """The index of the tile that a device holds; `None` if it holds nothing."""
        if self.devices is None or self.tile_count == 1:
            return (0,) * len(self.tiles) if self.holds(device) else None
        place = self._places.get(device)
        return tuple(map(int, np.unravel_index(place[0], self.tiles))) if place else None

    def place_of(self, device: int) -> tuple[tuple[int, ...], int]:
        """The tile and term of a device; the first ones for a device that holds nothing."""
        tile, term, _ = (0, 0, 0) if self.devices is None else self._places.get(device, (0, 0, 0))
        return (tuple(map(int, np.unravel_index(tile, self.tiles))) if self.tiles else ()), term

    def box_of(self, device: int, shape: Sequence[int]) -> Box | None:
        """The box of a tensor of `shape` that a device holds; `None` if it holds nothing."""
        tile = self.tile_of(device)
        return None if tile is None else self.box(tile, shape)

    def box(self, tile: Sequence[int], shape: Sequence[int]) -> Box:
        """The box of a tile in a tensor of `shape`."""
        if not self.tiles:
            return tuple(slice(0, size) for size in shape)
        sizes = self.part_shape(shape)
        starts = [min(at * size, whole) for at, size, whole in zip(tile, sizes, shape, strict=True)]
        return tuple(
            slice(start, min(start + size, whole))
            for start, size, whole in zip(starts, sizes, shape, strict=True)
        )

    def part_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The sizes of a part of a tensor of `shape`, padding included."""
        if not self.tiles:
            return tuple(shape)
        return tuple(-(-size // count) for size, count in zip(shape, self.tiles, strict=True))

    def part_type_shape(self, shape: Sequence[int | None]) -> tuple[int | None, ...]:
        """As `part_shape`, for shapes with unknown sizes."""
        if not self.tiles:
            return tuple(shape)
        pairs = zip(shape, self.tiles, strict=True)
        return tuple(None if size is None else -(-size // count) for size, count in pairs)

    def whole_shape(self, part: Sequence[int]) -> tuple[int, ...]:
        """The sizes of the largest tensor whose parts have the sizes `part`."""
        if not self.tiles:
            return tuple(part)
        return tuple(size * count for size, count in zip(part, self.tiles, strict=True))

    def cut(self, array: Array, device: int) -> Array:
        """The part of a whole tensor on a device, padded with zeros to the common size of parts.

        In an unreduced tensor the first term is the whole value, the others are zero. A device that holds
        nothing gets the part of the first one, which programs ignore.
        """
        tile, term = self.place_of(device)
        part = array[self.box(tile, array.shape)] if self.tile_count > 1 else array
        if term:
            return np.broadcast_to(np.zeros((), array.dtype), self.part_shape(array.shape))
        wanted = self.part_shape(array.shape)
        if part.shape == wanted:
            return part
        filled = np.zeros(wanted, array.dtype)
        filled[tuple(slice(0, size) for size in part.shape)] = part
        return filled

    @property
    def holders(self) -> tuple[tuple[int, ...], ...]:
        """For each tile of a tensor that is not unreduced, the devices that hold a copy of it."""
        return tuple(map(tuple, self._rows[:, 0].tolist()))

    def copy_of(self, device: int) -> int:
        """The number of the copy to which a device's part belongs; parts of one copy form a whole tensor."""
        return 0 if self.devices is None else self._places.get(device, (0, 0, 0))[2]

    def sources(self, device: int) -> Ids:
        """The devices whose parts form the whole tensor for `device`, one for each term of each tile.

        They hold parts of the same copy.
        """
        if self.devices is None:
            return np.full((1, 1), device)
        return self._rows[:, :, self.copy_of(device)]

    def join(self, parts: Mapping[int, Array], shape: Sequence[int], device: int) -> Array:
        """The whole tensor of `shape` for `device`, joined from the `parts` of devices."""
        sources = self.sources(device)
        if self.tile_count == 1:
            return self._add([parts[int(source)] for source in sources[0]])
        first = parts[int(sources[0, 0])]
        whole = np.empty(tuple(shape), first.dtype)
        for tile, row in zip(np.ndindex(*self.tiles), sources, strict=True):
            box = self.box(tile, shape)
            part = self._add([parts[int(source)] for source in row])
            whole[box] = part[tuple(slice(0, place.stop - place.start) for place in box)]
        return whole

    def _add(self, terms: Sequence[Array]) -> Array:
        total, *others = terms
        for other in others:
            total = total | other if total.dtype == np.bool_ else (total + other).astype(total.dtype)
        return total

    def coarsen(self, counts: Sequence[int]) -> Tiling | None:
        """The tiling into `counts` parts of each dimension, each of several neighbours, or `None`.

        The neighbours in a part count as copies of it. `None` if the counts do not divide the tiles.
        """
        rank = len(self.tiles)
        pairs = list(zip(self.tiles, counts, strict=True))
        if self.devices is None or any(count < 1 or tiles % count for tiles, count in pairs):
            return None
        split = [size for tiles, count in pairs for size in (count, tiles // count)]
        laid_out = self._rows.reshape(*split, self.terms, -1)
        order = [*range(0, 2 * rank, 2), 2 * rank, *range(1, 2 * rank, 2), 2 * rank + 1]
        devices = laid_out.transpose(order).reshape(-1)
        return Tiling(tuple(counts), tuple(devices.tolist()), self.terms, self.is_manual)

    def describe(self) -> str:
        """Describe the tiling in a few words."""
        if self.is_single:
            assert self.devices
            return f"whole on device {self.devices[0]} alone"
        cut = [f"dimension {number} in {count} parts" for number, count in enumerate(self.tiles) if count > 1]
        words = [" and ".join(cut) if cut else "whole"]
        words += [f"a sum of {self.terms} terms"] * (self.terms > 1)
        copies = self._rows.shape[2] if self.devices else 0
        if copies != 1:
            each = "on each device" if not (cut or copies) else f"{copies or ''} copies of each".strip()
            each = f"on {copies} devices" if copies and not cut else each
            words.append(f"{each}, which need not be equal" if self.is_manual else each)
        return ", ".join(words)

    def routes(self, shape: Sequence[int], device: int) -> list[tuple[int, Box]]:
        """For each part of the whole tensor for `device`: its source device and box; terms share boxes."""
        sources = self.sources(device)
        tiles = list(np.ndindex(*self.tiles)) if self.tiles else [()]
        boxes = [self.box(tile, shape) for tile in tiles]
        return [(int(source), box) for box, row in zip(boxes, sources, strict=True) for source in row]


WHOLE = Tiling()


def tiling_by_axes(
    sizes: Mapping[str, int],
    ids: Ids,
    dimensions: Sequence[Sequence[AxisPart]],
    unreduced: Sequence[AxisPart] = (),
    *,
    is_manual: bool = False,
) -> Tiling:
    """The tiling along parts of mesh axes; `ids` are its devices; `ValueError` states what is wrong."""
    wanted = [part for axes in dimensions for part in axes]
    groups = axis_groups(sizes, [*wanted, *unreduced], ids)
    tiles = tuple(prod(size for _, _, size in axes) for axes in dimensions)
    return Tiling(
        tiles, tuple(groups.T.reshape(-1).tolist()), prod(size for _, _, size in unreduced), is_manual
    )


def tiling_of(sharding: Sharding) -> Tiling:
    """The tiling of one tensor by an HLO sharding; `ValueError` states what is wrong."""
    match sharding.kind:
        case "maximal":
            return Tiling((), (sharding.device or 0,))
        case "devices":
            return _by_devices(sharding)
        case "mesh":
            return _by_mesh(sharding)
        case "tuple":
            raise ValueError("it is for a tuple, but the value is one tensor")
    return Tiling(is_manual=sharding.kind == "manual")


def tilings_of(sharding: Sharding, count: int) -> tuple[Tiling, ...]:
    """The tilings of the `count` tensors in a value: one for each, or one for all."""
    if sharding.kind != "tuple":
        return (tiling_of(sharding),) * count
    if len(sharding.elements) != count:
        raise ValueError(f"it is for {len(sharding.elements)} tensors, but the value has {count}")
    return tuple(map(tiling_of, sharding.elements))


def _by_devices(sharding: Sharding) -> Tiling:
    """Order the last tile dimensions: terms before copies."""
    sizes, kinds = sharding.tile_dimensions, sharding.last_tiles
    rank = len(sizes) - len(kinds)
    terms = [rank + at for at, kind in enumerate(kinds) if kind == "unreduced"]
    copies = [rank + at for at, kind in enumerate(kinds) if kind != "unreduced"]
    order = sharding.device_order()
    if terms and copies:
        order = order.reshape(sizes).transpose(*range(rank), *terms, *copies).reshape(-1)
    count = prod(sizes[at] for at in terms)
    return Tiling(sizes[:rank], tuple(order.tolist()), count, "manual" in kinds)


def _by_mesh(sharding: Sharding) -> Tiling:
    assert sharding.mesh is not None
    mesh, other = sharding.mesh, sharding.other_axes
    dimensions = [found.axes for found in sharding.dimension_axes]
    unreduced = other.get("unreduced", ())
    return tiling_by_axes(mesh.sizes, mesh.ids(), dimensions, unreduced, is_manual=bool(other.get("manual")))
