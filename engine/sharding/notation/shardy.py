"""Shardy's attributes: meshes, shardings by named axes, manual axes.

#sdy.mesh<["x"=2, "y"=4], device_ids=[…]>       #sdy.mesh<[], device_ids=[3]>: a single device
#sdy.sharding<@mesh, [{"x"}, {"y":(1)2, ?}p1], replicated={"y":(2)2}, unreduced={…}> or unreduced=max{…}
#sdy.sharding_per_value<[<@mesh, [{}]>, …]>     #sdy<manual_axes{"x", "y"}>
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from ...ir.attributes import Attribute, OpaqueAttribute, StringAttribute
from .attribute_text import Text, read_whole
from .device_meshes import MAX_IDS, AxisPart, DeviceMesh, Ids, bounded_product
from .hlo_shardings import Sharding
from .mesh_text import check_count, read_cut_dimension
from .tilings import Tiling, tiling_by_axes

_PART = re.compile(r":\s*+\(\s*+([0-9]{1,18})\s*+\)\s*+([0-9]{1,18})")
_PRIORITY = re.compile(r"p([0-9]{1,9})")


@dataclass(frozen=True)
class AxisReference:
    """`"x"`, or `"x":(2)4`, the part of size 4 inside of 2 others."""

    name: str
    part: tuple[int, int] | None = None

    def on(self, sizes: Mapping[str, int]) -> AxisPart:
        """The part of the axis in a mesh; `ValueError` if there is none."""
        if self.name not in sizes:
            known = ", ".join(f'"{axis}"' for axis in sizes) or "none"
            raise ValueError(f'the mesh has no axis "{self.name}"; it has {known}')
        return (self.name, *self.part) if self.part else (self.name, 1, sizes[self.name])

    def __str__(self) -> str:
        return f'"{self.name}"' + (f":({self.part[0]}){self.part[1]}" if self.part else "")


@dataclass(frozen=True)
class ShardedDimension:
    """The axes that cut one dimension."""

    axes: tuple[AxisReference, ...] = ()
    is_open: bool = False
    """Whether the compiler may add axes: `?`."""
    priority: int | None = None


Meshes = Mapping[str, DeviceMesh]
REDUCTIONS = ("sum", "max", "min")
"""The ways to combine the terms of an unreduced tensor."""


@dataclass(frozen=True)
class ShardySharding:
    """A sharding of one tensor over the axes of a mesh."""

    mesh: str | DeviceMesh
    """The name of a mesh of the module, without `@`, or an inline mesh."""
    dimensions: tuple[ShardedDimension, ...] = ()
    replicated: tuple[AxisReference, ...] = ()
    unreduced: tuple[AxisReference, ...] = ()
    reduction: str = "sum"
    """The operation that makes the tensor of its terms along the `unreduced` axes."""

    @classmethod
    def from_attribute(cls, attribute: Attribute) -> ShardySharding:
        """Parse an attribute; `ValueError` states what is wrong."""
        text = attribute_text(attribute, "#sdy.sharding", "#sdy.sharding<@mesh, [{}]>")
        return read_whole(text, _read_sharding)

    @classmethod
    def from_hlo(cls, stated: Sharding) -> ShardySharding:
        """A sharding by the axes of a mesh in HLO's notation; `ValueError` if it is of another kind."""
        if stated.mesh is None:
            raise ValueError(f"the sharding {stated.text} names no mesh")
        sizes = stated.mesh.sizes

        def references(axes: Iterable[AxisPart]) -> tuple[AxisReference, ...]:
            return tuple(AxisReference(x, None if n == sizes[x] else (pre, n)) for x, pre, n in axes)

        dimensions = tuple(ShardedDimension(references(d.axes), d.is_open) for d in stated.dimension_axes)
        replicated, unreduced = (
            references(stated.other_axes.get(r, ())) for r in ("replicated", "unreduced")
        )
        return cls(stated.mesh, dimensions, replicated, unreduced)

    @property
    def axes(self) -> tuple[AxisReference, ...]:
        """All axes that the sharding names."""
        cutting = tuple(axis for dimension in self.dimensions for axis in dimension.axes)
        return cutting + self.replicated + self.unreduced

    @property
    def mesh_name(self) -> str:
        """Name of its mesh in messages."""
        return f"@{self.mesh}" if isinstance(self.mesh, str) else "in place"

    def mesh_among(self, meshes: Meshes) -> DeviceMesh:
        """Its mesh; `ValueError` if the module has none of that name."""
        if isinstance(self.mesh, DeviceMesh):
            return self.mesh
        if self.mesh not in meshes:
            known = ", ".join(f"@{name}" for name in meshes) or "none"
            raise ValueError(f"there is no mesh @{self.mesh}; the module has {known}")
        return meshes[self.mesh]

    def check(self, mesh: DeviceMesh, rank: int | None) -> None:
        """`ValueError` unless it fits `mesh` and tensors of that rank; `None` for other values."""
        if is_maximal(mesh) and (self.dimensions or self.axes):
            raise ValueError("a sharding by the mesh of one device names no dimensions and no axes")
        if not is_maximal(mesh) and len(self.dimensions) != (rank or 0):
            raise ValueError(f"it has {len(self.dimensions)} dimensions, but the value has {rank or 0}")
        seen: dict[str, bool] = {}
        for axis in self.axes:
            size = axis.on(mesh.sizes)[2]
            if seen.get(axis.name, axis.part is None) != (axis.part is None):
                raise ValueError(f'axis "{axis.name}" is named as a whole and in part')
            if axis.name in seen and axis.part is None:
                raise ValueError(f'axis "{axis.name}" is named twice')
            if axis.part and size == mesh.sizes[axis.name]:
                raise ValueError(f'{axis} is all of axis "{axis.name}", and should not be named as a part')
            seen[axis.name] = axis.part is None
        tiling_by_axes(mesh.sizes, mesh.ids(), [[axis.on(mesh.sizes) for axis in self.axes]])

    def tiling(self, meshes: Meshes) -> Tiling:
        """The tiling over the mesh's devices; `ValueError` states what is wrong."""
        mesh = self.mesh_among(meshes)
        if is_maximal(mesh):
            return Tiling((), tuple(mesh.ids().tolist()))
        return self._tiling_of_axes(mesh.sizes, mesh.sizes, mesh.ids()) if mesh.axes else Tiling()

    def tiling_of_parts(self, meshes: Meshes, axes: Collection[str]) -> Tiling:
        """The tiling of a tensor that is cut along some `axes` only."""
        mesh = self.mesh_among(meshes)
        return self._tiling_of_axes(mesh.sizes, axes, mesh.ids()) if mesh.axes else Tiling()

    def tiling_along(self, meshes: Meshes, axes: Collection[str]) -> Tiling:
        """The tiling of processes that differ only along some `axes`, numbered in the mesh's order."""
        mesh = self.mesh_among(meshes)
        sizes = {name: size for name, size in mesh.axes if name in axes}
        return self._tiling_of_axes(sizes, sizes, np.arange(prod(sizes.values())))

    def _tiling_of_axes(self, sizes: Mapping[str, int], axes: Collection[str], ids: Ids) -> Tiling:
        if self.unreduced and self.reduction != "sum":
            raise ValueError(
                f"its terms are combined by {self.reduction}; hloscope divides and joins tensors that are sums"
            )

        def axis_parts(references: Collection[AxisReference]) -> list[AxisPart]:
            return [axis.on(sizes) for axis in references if axis.name in axes]

        return tiling_by_axes(
            sizes, ids, [axis_parts(d.axes) for d in self.dimensions], axis_parts(self.unreduced)
        )


@dataclass(frozen=True)
class ShardingPerValue:
    """One sharding for each operand or result."""

    shardings: tuple[ShardySharding, ...] = ()

    @classmethod
    def from_attribute(cls, attribute: Attribute) -> ShardingPerValue:
        """Parse an attribute; `ValueError` states what is wrong."""
        expected = "#sdy.sharding_per_value<[<@mesh, [{}]>]>"
        return cls.from_text(attribute_text(attribute, "#sdy.sharding_per_value", expected))

    @classmethod
    def from_text(cls, body: str) -> ShardingPerValue:
        """Parse the shardings listed in `<[…]>`."""

        def read(text: Text) -> tuple[ShardySharding, ...]:
            text.enter("<")
            found = text.list_of("[", lambda: _read_sharding(text))
            text.leave()
            return tuple(found)

        return cls(read_whole(body, read))


@dataclass(frozen=True)
class ManualAxes:
    """The axes along which each process runs a manual computation independently."""

    axes: tuple[str, ...] = ()

    @classmethod
    def from_attribute(cls, attribute: Attribute) -> ManualAxes:
        """Parse an attribute; `ValueError` states what is wrong."""
        text = attribute.text if isinstance(attribute, OpaqueAttribute) else ""
        body = text.removeprefix("#sdy<manual_axes").removesuffix(">")
        if len(body) + len("#sdy<manual_axes>") != len(text):
            raise ValueError('expected #sdy<manual_axes{"x"}>')
        return cls(read_whole(body, lambda text: tuple(text.list_of("{", text.string))))


def attribute_text(attribute: Attribute, name: str, example: str) -> str:
    """The text after `name` in an attribute that is kept as text."""
    text = attribute.text if isinstance(attribute, OpaqueAttribute) else ""
    if isinstance(attribute, StringAttribute):
        text = attribute.value
    if not text.startswith(f"{name}<"):
        raise ValueError(f"expected {example}")
    return text.removeprefix(name)


def is_maximal(mesh: DeviceMesh) -> bool:
    """Whether the mesh is a single device."""
    return not mesh.axes and mesh.device_ids is not None


# Reading


def mesh_of(attribute: Attribute) -> DeviceMesh:
    """Parse `#sdy.mesh<…>`; `ValueError` states what is wrong."""
    return read_whole(attribute_text(attribute, "#sdy.mesh", '#sdy.mesh<["x"=2]>'), read_mesh)


def meshes_of_text(text: str) -> dict[str, DeviceMesh]:
    """Parse `{mesh = #sdy.mesh<["x"=8]>}`, in which XLA keeps a module's meshes."""

    def read(text: Text) -> dict[str, DeviceMesh]:
        found = {}
        for _ in text.each("{"):
            name = text.string() if text.peek('"') else text.word("a mesh's name")
            text.expect("=")
            text.expect("#sdy.mesh")
            found[name] = read_mesh(text)
        return found

    return read_whole(text, read)


def read_mesh(text: Text) -> DeviceMesh:
    """Read `<["x"=2, "y"=4], device_ids=[1, 0]>`."""
    start = text.position
    text.enter("<")
    axes: dict[str, int] = {}
    for _ in text.each("["):
        place = text.position
        name = text.string('an axis, as in "x"=2')
        text.expect("=", " and the axis' size")
        size = text.integer("the axis' size")
        if size < 1 or name in axes:
            text.fail("an axis needs a positive size and a unique name", place)
        axes[name] = size
    count = bounded_product(axes.values(), MAX_IDS)
    check_count(text, count, start)
    ids = _read_device_ids(text) if text.accept(",") else None
    text.leave()
    if ids is not None and len(ids) != count:
        text.fail(f"these are {len(ids)} devices, but the mesh has {count}", start)
    return DeviceMesh(tuple(axes.items()), ids)


def _read_device_ids(text: Text) -> tuple[int, ...]:
    start = text.position
    text.expect_word("device_ids")
    text.expect("=")
    ids = tuple(text.list_of("[", text.integer))
    if min(ids, default=0) < 0 or len(set(ids)) != len(ids):
        text.fail("device_ids must be distinct nonnegative numbers", start)
    return ids


def _read_sharding(text: Text) -> ShardySharding:
    """Read `<@mesh, [{"x"}], replicated={…}, unreduced={…}>`."""
    text.enter("<")
    mesh = _read_mesh_or_name(text)
    text.expect(",", " and the axes of each dimension")
    dimensions = tuple(text.list_of("[", lambda: _read_dimension(text)))
    other: dict[str, tuple[AxisReference, ...]] = {}
    reduction = "sum"
    while text.accept(","):
        start = text.position
        word = text.word("replicated or unreduced")
        if word not in ("replicated", "unreduced") or word in other:
            text.fail(
                f"'{word}' {'is given twice' if word in other else 'is not a part of a sharding'}", start
            )
        text.expect("=")
        if word == "unreduced" and not text.peek("{"):
            reduction = _read_reduction(text)
        other[word] = tuple(text.list_of("{", lambda: _read_axis(text)))
    text.leave()
    return ShardySharding(mesh, dimensions, **other, reduction=reduction)


def _read_reduction(text: Text) -> str:
    start = text.position
    word = text.word(f"one of {', '.join(REDUCTIONS)}, or '{{' and the axes")
    if word not in REDUCTIONS:
        text.fail(f"'{word}' is none of {', '.join(REDUCTIONS)}", start)
    return word


def _read_mesh_or_name(text: Text) -> str | DeviceMesh:
    if text.accept("@"):
        return text.string() if text.peek('"') else text.word("the name of a mesh")
    text.expect_word("mesh", ", or the name of one, as in @mesh")
    return read_mesh(text)


def _read_dimension(text: Text) -> ShardedDimension:
    axes, is_open = read_cut_dimension(text, lambda: _read_axis(text))
    priority = text.match(_PRIORITY)
    return ShardedDimension(axes, is_open, int(priority[1]) if priority else None)


def _read_axis(text: Text) -> AxisReference:
    name = text.string('an axis, as in "x"')
    part = text.match(_PART)
    return AxisReference(name, (int(part[1]), int(part[2])) if part else None)
