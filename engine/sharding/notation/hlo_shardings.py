"""`sharding={devices=[2,4]<=[8]}`: the devices of a value's parts. It changes no element.

{replicated}  {manual}  {maximal device=0}  {unknown}  {unreduced}
{devices=[2,1,4]<=[2,4]T(1,0) last_tile_dim_replicate}         {devices=[4]0,1,2,3 last_tile_dims={manual}}
{mesh['x'=2,'y'=4], [{'x'}, {'y':(1)2, ?}], replicated={'y':(2)2}}
{{replicated}, {manual}}                                       of a tuple
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ...cursor import Cursor
from ...errors import ParseError
from ...source import Span
from .attribute_text import read_whole
from .device_meshes import MAX_IDS, AxisPart, DeviceMesh, Ids, IotaOrder, bounded_product
from .mesh_text import read_axes, read_axis, read_cut_dimension, read_ids, read_mesh, read_order, read_sizes

KINDS = ("replicated", "manual", "maximal", "unknown", "unreduced")
"""Kinds written as one word."""
_LAST_TILES = ("replicated", "manual", "unreduced")
_WORD = re.compile(r"[a-z_]++")
_EXAMPLE = "such as {replicated} or {devices=[2,4]<=[8]}"


@dataclass(frozen=True)
class DimensionAxes:
    """The axes of a mesh along which one dimension is cut."""

    axes: tuple[AxisPart, ...] = ()
    is_open: bool = False
    """Whether the compiler may add axes: `?`."""


@dataclass(frozen=True)
class Sharding:
    """One sharding; its `text` is the original notation, ignored by comparison."""

    kind: str = ""
    """One of `KINDS`, `devices`, `mesh` or `tuple`."""
    device: int | None = None
    """For `maximal`."""
    tile_dimensions: tuple[int, ...] = ()
    """For `devices`: the number of parts of each dimension, then the sizes of `last_tiles`."""
    devices: IotaOrder | tuple[int, ...] = ()
    last_tiles: tuple[str, ...] = ()
    """Roles of the last tile dimensions: `replicated`, `manual`, `unreduced`."""
    mesh: DeviceMesh | None = None
    dimension_axes: tuple[DimensionAxes, ...] = ()
    other_axes: Mapping[str, tuple[AxisPart, ...]] = field(default_factory=dict)
    """Axes of the mesh that cut no dimension, by role; all axes if the role is stated as a word."""
    group: tuple[str, int] | None = None
    """`shard_as` or `shard_like`, and the number of the group."""
    elements: tuple[Sharding, ...] = ()
    """For `tuple`."""
    text: str = field(default="", compare=False)

    def device_order(self) -> Ids:
        """The devices of the parts counted by `tile_dimensions`, in row-major order."""
        return self.devices.ids() if isinstance(self.devices, IotaOrder) else np.array(self.devices, np.int64)


def sharding_of(text: str) -> Sharding:
    """Parse a sharding; `ValueError` states what is wrong."""
    return read_whole(text, read_sharding)


def read_sharding(cursor: Cursor) -> Sharding:
    """Read `{…}`: one sharding, or those of a tuple's elements."""
    start = cursor.position
    cursor.enter("{", f", {_EXAMPLE}")
    if cursor.peek("{") or cursor.peek("}"):
        found = Sharding("tuple", elements=_read_elements(cursor))
    else:
        found = _read_inside(cursor, start)
    cursor.leave()
    return replace(found, text=cursor.text[start : cursor.end])


def _read_elements(cursor: Cursor) -> tuple[Sharding, ...]:
    """Read the shardings of a tuple's leaves, which are not nested."""
    elements: list[Sharding] = []
    while not cursor.peek("}"):
        start = cursor.position
        cursor.enter("{", ", which opens the sharding of a tuple's element")
        found = _read_inside(cursor, start)
        cursor.leave()
        elements.append(replace(found, text=cursor.text[start : cursor.end]))
        if not cursor.accept(","):
            break
    return tuple(elements)


def _read_inside(cursor: Cursor, start: int) -> Sharding:
    return _read_by_mesh(cursor) if cursor.peek_word() == "mesh" else _read_plain(cursor, start)


# Tiles


def _read_plain(cursor: Cursor, start: int) -> Sharding:
    parts: dict[str, object] = {}
    while not cursor.peek("}"):
        here = cursor.position
        match = cursor.match(_WORD) or cursor.fail_expecting("a part of the sharding", hint=_EXAMPLE)
        word = match[0]
        if word not in _PARTS:
            span = Span(here, match.end())
            raise ParseError(f"'{word}' is not a part of a sharding", span, hint=_EXAMPLE)
        for name, value in _PARTS[word](cursor, word).items():
            if name in parts:
                raise ParseError("this repeats or contradicts an earlier part", Span(here, cursor.end))
            parts[name] = value
    found = Sharding(**parts)  # type: ignore[arg-type]
    if not found.kind:
        cursor.fail("the sharding does not state where the parts are", start, _EXAMPLE)
    if (found.kind == "maximal") != (found.device is not None):
        cursor.fail("'maximal' and 'device' must be used together, as in {maximal device=0}", start)
    if len(found.last_tiles) > len(found.tile_dimensions):
        cursor.fail("there are more last tile dimensions than tile dimensions", start)
    return found


Part = Callable[[Cursor, str], dict[str, object]]


def _device(cursor: Cursor, _: str) -> dict[str, object]:
    cursor.expect("=", " after 'device'")
    return {"device": cursor.integer("a device")}


def _devices(cursor: Cursor, _: str) -> dict[str, object]:
    cursor.expect("=", " after 'devices'")
    start = cursor.position
    tiles = read_sizes(cursor, "into how many parts each dimension is cut")
    count = bounded_product(tiles, MAX_IDS)
    devices: IotaOrder | tuple[int, ...]
    devices = read_order(cursor) if cursor.accept("<=") else tuple(read_ids(cursor))
    found = devices.count if isinstance(devices, IotaOrder) else len(devices)
    if found != count:
        cursor.fail(f"{found:,} devices for {count:,} parts", start)
    return {"kind": "devices", "tile_dimensions": tiles, "devices": devices}


def _last_tiles(cursor: Cursor, word: str) -> dict[str, object]:
    cursor.expect("=", f" after '{word}'")
    return {"last_tiles": tuple(cursor.list_of("{", lambda: _last_tile(cursor)))}


def _last_tile(cursor: Cursor) -> str:
    start = cursor.position
    found = cursor.word(", ".join(_LAST_TILES))
    return (
        found
        if found in _LAST_TILES
        else cursor.fail(f"'{found}' is none of {', '.join(_LAST_TILES)}", start)
    )


def _group(cursor: Cursor, word: str) -> dict[str, object]:
    return {"group": (word, cursor.integer("the number of the group"))}


def _metadata(cursor: Cursor, _: str) -> dict[str, object]:
    cursor.expect("=", " after 'metadata'")
    cursor.read_balanced("{")
    return {}


def _mesh_of_one(cursor: Cursor, word: str) -> dict[str, object]:
    cursor.enter("[", f", as in {word}[device_id=0]")
    cursor.expect_word("device_id")
    cursor.expect("=")
    device = cursor.integer("a device")
    cursor.leave()
    cursor.accept(",")  # before metadata
    return {"kind": "maximal", "device": device}


_PARTS: Mapping[str, Part] = {
    **dict.fromkeys(KINDS, lambda _, word: {"kind": word}),
    "device": _device,
    "devices": _devices,
    "last_tile_dim_replicate": lambda _, word: {"last_tiles": ("replicated",)},
    "last_tile_dims": _last_tiles,
    "shard_as": _group,
    "shard_like": _group,
    "metadata": _metadata,
    "maximal_mesh": _mesh_of_one,
    "single_device": _mesh_of_one,  # from jaxlib 0.12 on
}


# Meshes


def _read_by_mesh(cursor: Cursor) -> Sharding:
    mesh = read_mesh(cursor)
    cursor.accept(",")
    if not cursor.peek("["):
        start = cursor.position
        word = cursor.word("'[' and the axes of each dimension")
        if word not in _LAST_TILES:
            cursor.fail(f"'{word}' is none of {', '.join(_LAST_TILES)}", start)
        return Sharding("mesh", mesh=mesh, other_axes={word: tuple((x, 1, n) for x, n in mesh.axes)})
    dimensions = tuple(cursor.list_of("[", lambda: _read_dimension(cursor, mesh)))
    other: dict[str, tuple[AxisPart, ...]] = {}
    while cursor.accept(","):
        start = cursor.position
        word = cursor.word(", ".join((*_LAST_TILES, "metadata")))
        if word == "metadata":
            _metadata(cursor, word)
            continue
        if word not in _LAST_TILES or word in other:
            cursor.fail(
                f"'{word}' {'is given twice' if word in other else 'is not a part of a sharding'}", start
            )
        cursor.expect("=", f" after '{word}'")
        other[word] = tuple(read_axes(cursor, mesh))
    return Sharding("mesh", mesh=mesh, dimension_axes=dimensions, other_axes=other)


def _read_dimension(cursor: Cursor, mesh: DeviceMesh) -> DimensionAxes:
    return DimensionAxes(*read_cut_dimension(cursor, lambda: read_axis(cursor, mesh)))
