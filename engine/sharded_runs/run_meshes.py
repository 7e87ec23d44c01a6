"""The meshes of a program on the process grid of a run, and the axes that groups of processes span."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..ir.attributes import Attribute, OpaqueAttribute, StringAttribute
from ..ir.module import Module, walk
from ..ops.core.process_groups import Grid
from ..program import BoundProgram
from ..sharding.notation.device_meshes import AxisPart, DeviceMesh, IotaOrder, axis_groups
from ..sharding.notation.hlo_shardings import Sharding, sharding_of
from ..sharding.notation.stated_shardings import meshes_of

MOST_MESHES = 8
"""Maximum number of meshes of a run."""
REPLICAS = "replica"
"""The axis that is added where each replica has the mesh."""


@dataclass(frozen=True)
class RunMesh:
    """A mesh whose devices are the processes of a run; axes of size 1 are left out."""

    name: str
    axes: tuple[tuple[str, int], ...]
    processes: tuple[int, ...]
    """The number of each process, in row-major order of the axes."""

    def axes_of(self, groups: Sequence[Sequence[int]]) -> tuple[str, ...] | None:
        """The axes along which the processes of each group differ, `y` or `y:(2)2`; `None` if groups are no axes.

        `y:(2)2` is the part of size 2 inside of 2 others, as Shardy writes it.
        """
        sizes = dict(self.axes)
        place = {process: at for at, process in enumerate(self.processes)}
        if not groups or not all(process in place for group in groups for process in group):
            return None
        parts = list(self._parts(np.array([place[process] for process in groups[0]])))
        try:
            rows = axis_groups(sizes, parts, np.array(self.processes))
        except ValueError:
            return None
        spanned = {frozenset(row) for row in rows.tolist()}
        if {frozenset(group) for group in groups} != spanned:
            return None
        return tuple(
            name if size == sizes[name] else f"{name}:({before}){size}" for name, before, size in parts
        )

    def _parts(self, places: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Iterator[AxisPart]:
        """The part of each axis along which the places of a group differ, if they are evenly spaced."""
        shape = [size for _, size in self.axes]
        for (name, whole), along in zip(self.axes, np.unravel_index(places, shape), strict=True):
            found = np.unique(along)
            if len(found) > 1:
                stride = int(found[1] - found[0])
                yield name, max(1, whole // (stride * len(found))), len(found)


def run_meshes(program: BoundProgram, grid: Grid) -> tuple[RunMesh, ...]:
    """The meshes that the text states, with as many devices as the run or each replica has processes."""
    found: dict[tuple[object, ...], RunMesh] = {}
    for name, mesh in program.derive(stated_meshes):
        on_grid = _on_grid(name, mesh, grid)
        if on_grid is not None and (len(on_grid.axes) > 1 or (on_grid.axes and name.startswith("@"))):
            found.setdefault((on_grid.axes, on_grid.processes), on_grid)
        if len(found) == MOST_MESHES:
            break
    return tuple(found.values())


def _on_grid(name: str, mesh: DeviceMesh, grid: Grid) -> RunMesh | None:
    axes = tuple((axis, size) for axis, size in mesh.axes if size != 1)
    ids = mesh.ids()
    if sorted(ids.tolist()) != list(range(len(ids))):
        return None
    if len(ids) == grid.num_processes:
        return RunMesh(name, axes, tuple(ids.tolist()))
    if len(ids) == grid.num_partitions:
        rows = [replica * grid.num_partitions + ids for replica in range(grid.num_replicas)]
        return RunMesh(name, ((REPLICAS, grid.num_replicas), *axes), tuple(np.concatenate(rows).tolist()))
    return None


def stated_meshes(program: BoundProgram) -> Sequence[tuple[str, DeviceMesh]]:
    """The named meshes, then those of shardings of HLO: by name, or as a list of devices with sizes."""
    return tuple(_stated(program.module))


def _stated(module: Module) -> Iterator[tuple[str, DeviceMesh]]:
    for name, mesh in meshes_of(module).items():
        yield f"@{name}", mesh
    seen = set[str]()
    for text in _sharding_texts(module):
        if text in seen:
            continue
        seen.add(text)
        try:
            found = sharding_of(text)
        except ValueError:
            continue
        for sharding in found.elements or (found,):
            mesh_found = _mesh_in(sharding)
            if mesh_found is not None:
                yield sharding.text, mesh_found


def _sharding_texts(module: Module) -> Iterator[str]:
    attributes = [
        stated
        for function in module.functions
        for stated in (*function.argument_attributes, *function.result_attributes)
    ]
    bodies = (function.body for function in module.functions if function.body is not None)
    attributes += [operation.attributes for body in bodies for operation in walk(body)]
    for stated in attributes:
        for name in ("mhlo.sharding", "sharding"):
            text = _text(stated.get(name))
            if text.startswith("{"):
                yield text


def _text(attribute: Attribute | None) -> str:
    match attribute:
        case OpaqueAttribute(text) | StringAttribute(text, _):
            return text
    return ""


def _mesh_in(sharding: Sharding) -> DeviceMesh | None:
    """The mesh of a sharding: by its name, or its devices in the sizes that the text states."""
    if sharding.mesh is not None:
        return sharding.mesh
    if sharding.kind != "devices":
        return None
    if isinstance(sharding.devices, IotaOrder) and len(sharding.devices.sizes) > 1:
        # The sizes of the machine's mesh, before they are assigned to dimensions of the value.
        return DeviceMesh(tuple((f"axis {at}", size) for at, size in enumerate(sharding.devices.sizes)))
    sizes, roles = sharding.tile_dimensions, sharding.last_tiles
    names = [f"dimension {at}" for at in range(len(sizes) - len(roles))] + list(roles)
    return DeviceMesh(tuple(zip(names, sizes, strict=True)), tuple(sharding.device_order().tolist()))
