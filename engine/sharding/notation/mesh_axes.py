"""Meshes in attributes: process ids along named axes, and the groups along some of the axes."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from ...ir.attributes import (
    ArrayAttribute,
    Attribute,
    DenseAttribute,
    IntegerAttribute,
    StringAttribute,
    StructAttribute,
    SymbolAttribute,
)
from ...ir.element_types import I64
from ...ir.types import ScalarType, TensorType
from .device_meshes import AxisPart, DeviceMesh, axis_groups, bounded_product

MAX_IDS = 1 << 16
"""Maximum number of ids of a mesh; no run has more processes."""
Axes = dict[str, int]


def insert_mesh(stated: StructAttribute, meshes: Mapping[str, DeviceMesh]) -> StructAttribute:
    """`#stablehlo.replica_group_mesh_axes<mesh = @mesh, …>` with the mesh of that name instead of the name."""
    name = stated.parameters.get("mesh")
    mesh = meshes.get(name.root) if isinstance(name, SymbolAttribute) else None
    return (
        stated if mesh is None else replace(stated, parameters={**stated.parameters, "mesh": _struct(mesh)})
    )


def _struct(mesh: DeviceMesh) -> StructAttribute:
    kind = ScalarType(I64)
    axes = tuple(
        StructAttribute(
            "stablehlo", "mesh_axis", {"name": StringAttribute(name), "size": IntegerAttribute(size, kind)}
        )
        for name, size in mesh.axes
    )
    ids = mesh.ids()
    stated = DenseAttribute(TensorType((ids.size,), I64), ids)
    return StructAttribute("stablehlo", "mesh", {"axes": ArrayAttribute(axes), "device_ids": stated})


def mesh_groups(stated: StructAttribute) -> tuple[tuple[int, ...], ...]:
    """The groups of `#stablehlo.replica_group_mesh_axes<mesh = …, axes = […]>`, one row each.

    The ids are in row-major order of the mesh's sizes; those that differ only along `axes` are a group, in
    the order of `axes`. `(2)4` of an axis is the part of size 4 inside of 2 others. `ValueError` states what
    is wrong.
    """
    mesh = stated.parameters.get("mesh")
    if isinstance(mesh, SymbolAttribute):
        raise ValueError(f"the mesh @{mesh.root} is not defined")
    if not isinstance(mesh, StructAttribute) or mesh.name != "mesh":
        raise ValueError("mesh must be #stablehlo.mesh<…> or the name of one")
    axes = dict(_axes(mesh))
    count = bounded_product(axes.values(), MAX_IDS)
    if count > MAX_IDS:
        raise ValueError(f"the mesh has more than {MAX_IDS:,} ids, which is the most that are read")
    wanted = list(_references(stated.parameters.get("axes"), axes))
    return tuple(map(tuple, axis_groups(axes, wanted, _ids(mesh, count)).tolist()))


def _axes(mesh: StructAttribute) -> Iterator[tuple[str, int]]:
    seen = set()
    for axis in _axis_attributes(mesh.parameters.get("axes")):
        name, size = axis.parameters.get("name"), axis.parameters.get("size")
        if not isinstance(name, StringAttribute) or not isinstance(size, IntegerAttribute) or size.value < 0:
            raise ValueError("an axis of a mesh has a name and a size")
        if name.value in seen:
            raise ValueError(f"the mesh has two axes '{name.value}'")
        seen.add(name.value)
        yield name.value, size.value


def _references(stated: Attribute | None, axes: Axes) -> Iterator[AxisPart]:
    for reference in _axis_attributes(stated):
        name = reference.parameters.get("name")
        if not isinstance(name, StringAttribute) or name.value not in axes:
            wanted = name.value if isinstance(name, StringAttribute) else ""
            raise ValueError(f"the mesh has no axis '{wanted}'; it has {', '.join(axes) or 'none'}")
        part = reference.parameters.get("sub_axis_info")
        if isinstance(part, StructAttribute):
            yield name.value, _integer(part, "pre_size"), _integer(part, "size")
        else:
            yield name.value, 1, axes[name.value]


def _ids(mesh: StructAttribute, count: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    stated = mesh.parameters.get("device_ids")
    if stated is None:
        return np.arange(count)
    if not isinstance(stated, DenseAttribute) or stated.data.size != count:
        raise ValueError(f"device_ids must hold {count} ids, as many as the mesh has")
    return np.asarray(stated.data.reshape(-1), np.int64)


def _integer(part: StructAttribute, key: str) -> int:
    found = part.parameters.get(key)
    return found.value if isinstance(found, IntegerAttribute) else 0


def _axis_attributes(stated: Attribute | None) -> tuple[StructAttribute, ...]:
    if not isinstance(stated, ArrayAttribute):
        raise ValueError("axes must be a list")
    return tuple(item for item in stated.elements if isinstance(item, StructAttribute))
