"""Values of manual computations over processes: their parts, peers and data movement.

A device of a mesh is a process: number `replica_id * num_partitions + partition_id`. A mesh with as many
devices as a grid has partitions exists once per replica.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...errors import RunError
from ...indexing import OperandMap
from ...ir.types import TensorType, Type
from ...sharding.notation.device_meshes import DeviceMesh, axis_groups
from ...sharding.notation.shardy import ManualAxes, Meshes, ShardySharding, is_maximal
from ...sharding.notation.tilings import Box as Slices
from ...sharding.notation.tilings import Tiling
from ..core.exchanges import Box, GridPosition, Peers, PeerValues, Piece
from ..core.op import Array
from ..core.process_groups import ProcessId
from ..core.values import read_only
from .part_maps import CUT_NAMES, JOINED_NAMES, cut_map, cut_values, join_maps, join_values, start_table


def device_at(place: GridPosition, count: int | None, what: str) -> int:
    """The device number, of `count`, of a process; `None` for any count. `RunError` names both sizes."""
    process, grid = place.process, place.grid
    if count is None or count == grid.num_processes:
        return process.replica_id * grid.num_partitions + process.partition_id
    if count == grid.num_partitions:
        return process.partition_id
    devices = f"{count} device{'s' if count != 1 else ''}"
    processes = "one process" if grid.num_processes == 1 else f"{grid.num_processes} processes"
    message = f"{what} has {devices}, but this run has {processes} ({grid})"
    raise RunError(message, hint=f"run it with --replicas 1 --partitions {count}")


def process_at(place: GridPosition, device: int, count: int | None) -> ProcessId:
    """The process that is a device, in the grid or replica of the process at `place`."""
    grid = place.grid
    if count is not None and count != grid.num_processes:
        return ProcessId(place.process.replica_id, device)
    return ProcessId(*divmod(device, grid.num_partitions))


@dataclass(frozen=True)
class ManualParts:
    """Rows of devices that differ only along some axes of a mesh, and the parts of values in a row."""

    mesh: DeviceMesh | None
    """`None` if no mesh is named: each process runs alone."""
    name: str
    axes: tuple[str, ...]
    ins: tuple[Tiling, ...]
    outs: tuple[Tiling, ...]
    device_ins: tuple[Tiling, ...] = ()
    """As `ins`, but by device: devices that differ along other axes have parts of other wholes."""
    device_outs: tuple[Tiling, ...] = ()

    @property
    def count(self) -> int | None:
        """Number of devices in the mesh."""
        return None if self.mesh is None or not self.mesh.axes else len(self.mesh.ids())

    @property
    def are_all_axes(self) -> bool:
        """Whether devices differ along no other axes of the mesh, so that all share one whole."""
        return self.mesh is not None and all(size == 1 or axis in self.axes for axis, size in self.mesh.axes)

    @cached_property
    def _rows(self) -> tuple[tuple[int, ...], ...]:
        if self.mesh is None or not self.mesh.axes:
            return ()
        wanted = [(axis, 1, size) for axis, size in self.mesh.axes if axis in self.axes]
        groups = axis_groups(self.mesh.sizes, wanted, self.mesh.ids())
        return tuple(map(tuple, groups.tolist()))

    @cached_property
    def _positions(self) -> Mapping[int, tuple[int, int]]:
        """Row, and position in it, of each device."""
        rows = enumerate(self._rows)
        return {device: (row, at) for row, devices in rows for at, device in enumerate(devices)}

    def position(self, place: GridPosition) -> int:
        """The position of a process in its row."""
        return self._find(place)[1]

    def _find(self, place: GridPosition) -> tuple[tuple[int, ...], int]:
        device = device_at(place, self.count, f"the mesh {self.name}")
        if not self._rows:
            return (device,), 0
        if device not in self._positions:
            raise RunError(f"device {device} is not in the mesh {self.name}")
        row, at = self._positions[device]
        return self._rows[row], at

    def peers(self, place: GridPosition) -> Peers:
        """The processes of a row."""
        row, _ = self._find(place)
        group = tuple(process_at(place, device, self.count) for device in row)
        return Peers(group, group)

    def cut(self, operands: Sequence[Array], place: GridPosition) -> tuple[Array, ...]:
        """The parts of whole values that a process takes."""
        at = self.position(place)
        return tuple(
            read_only(tiling.cut(value, at)) for value, tiling in zip(operands, self.ins, strict=True)
        )

    def join(self, peer_values: PeerValues) -> tuple[Array, ...]:
        """The whole values, joined from the parts of a row."""
        return tuple(join(peer_values, number, tiling) for number, tiling in enumerate(self.outs))

    def pieces(self, peer_values: PeerValues) -> Iterator[Piece]:
        """Data movement of a join: boxes of parts and their boxes in the whole."""
        for number, tiling in enumerate(self.outs):
            yield from pieces(peer_values, number, tiling)

    @property
    def _members(self) -> int:
        """Number of processes in a row."""
        return len(self._rows[0]) if self._rows else 1

    def cut_values(self, place: GridPosition) -> tuple[Array, ...]:
        """The process values that `cut_maps` read, for all values."""
        at = self.position(place)
        return tuple(found for tiling in self.ins for found in cut_values(tiling, at))

    def start_tables(self, place: GridPosition) -> tuple[Array, ...]:
        """For each result and operand, the starts of the operand's parts in the holders of the result."""
        at = self.position(place)
        return tuple(start_table(cut, join, at) for join in self.outs for cut in self.ins)

    def cut_maps(self, wholes: Sequence[Type], first: int, *, inverse: bool = False) -> Iterator[OperandMap]:
        """Maps between parts and the whole values they are cut from; `first` numbers the start variables."""
        for number, (tiling, whole) in enumerate(zip(self.ins, wholes, strict=True)):
            if isinstance(whole, TensorType):
                found = cut_map(tiling, whole.sizes, first + number * len(CUT_NAMES), inverse=inverse)
                yield OperandMap(number, found, number)

    def join_values(self, place: GridPosition) -> tuple[Array, ...]:
        """The process values that `join_maps` read, for all values."""
        at = self.position(place)
        each = (join_values(tiling, at, self._members) for tiling in self.outs)
        return tuple(found for founds in each for found in founds)

    def join_maps(self, wholes: Sequence[Type], first: int, *, inverse: bool = False) -> Iterator[OperandMap]:
        """Maps between whole values and the parts they are joined from; `first` is the first variable."""
        for number, (tiling, whole) in enumerate(zip(self.outs, wholes, strict=True)):
            if isinstance(whole, TensorType):
                at = first + number * len(JOINED_NAMES)
                yield join_maps(number, tiling, whole.sizes, at, self._members, inverse=inverse)


def join(peer_values: PeerValues, number: int, tiling: Tiling, shape: tuple[int, ...] | None = None) -> Array:
    """Join value `number` of those exchanged; `tiling` numbers the processes that exchange them.

    `shape` is that of the whole, if parts may be padded.
    """
    if tiling.is_whole:
        return peer_values.brought[peer_values.position][number]

    def make() -> Array:
        sources = tiling.sources(peer_values.position).reshape(-1).tolist()
        parts = {at: peer_values.brought[at][number] for at in sources}
        return read_only(
            tiling.join(parts, shape or _whole_shape(peer_values, number, tiling), peer_values.position)
        )

    return peer_values.once(f"copy {tiling.copy_of(peer_values.position)} of {number}", make)


def pieces(
    peer_values: PeerValues, number: int, tiling: Tiling, shape: tuple[int, ...] | None = None
) -> Iterator[Piece]:
    """The part of each process, and its box in the whole value `number`."""
    if tiling.is_whole:
        own = peer_values.brought[peer_values.position][number].shape
        box = Box((0,) * len(own), own)
        yield Piece(peer_values.position, number, box, number, box)
        return
    for source, slices in tiling.routes(
        shape or _whole_shape(peer_values, number, tiling), peer_values.position
    ):
        written = _box(slices)
        read = Box((0,) * len(slices), written.sizes)
        yield Piece(source, number, read, number, written, tiling.terms > 1)


def _whole_shape(peer_values: PeerValues, number: int, tiling: Tiling) -> tuple[int, ...]:
    return tiling.whole_shape(peer_values.brought[peer_values.position][number].shape)


def _box(slices: Slices) -> Box:
    return Box(tuple(found.start for found in slices), tuple(found.stop - found.start for found in slices))


def manual_parts(
    meshes: Meshes, axes: ManualAxes | None, ins: Sequence[ShardySharding], outs: Sequence[ShardySharding]
) -> ManualParts:
    """The parts of a manual computation; `ValueError` states why shardings and axes are invalid."""
    names = axes.axes if axes else ()
    mesh, name = _common_mesh(meshes, (*ins, *outs))
    missing = [found for found in names if mesh is not None and found not in mesh.sizes]
    if missing and mesh is not None:
        known = ", ".join(f'"{axis}"' for axis in mesh.sizes) or "none"
        raise ValueError(f'the mesh {name} has no axis "{missing[0]}"; it has {known}')
    tilings = [
        tuple(Tiling() if is_maximal(s.mesh_among(meshes)) else s.tiling_along(meshes, names) for s in side)
        for side in (ins, outs)
    ]
    devices = [tuple(found.tiling_of_parts(meshes, names) for found in side) for side in (ins, outs)]
    return ManualParts(mesh, name, names, tilings[0], tilings[1], devices[0], devices[1])


def _common_mesh(meshes: Meshes, shardings: Sequence[ShardySharding]) -> tuple[DeviceMesh | None, str]:
    """The common mesh of all shardings with axes."""
    found: DeviceMesh | None = None
    name = ""
    for sharding in shardings:
        mesh = sharding.mesh_among(meshes)
        if found is not None and mesh.axes and mesh != found:
            raise ValueError(f"all shardings must use one mesh, not {name} and {sharding.mesh_name}")
        if mesh.axes:
            found, name = mesh, sharding.mesh_name
    return found, name


def side_problems(
    meshes: Meshes,
    axes: ManualAxes | None,
    side: str,
    shardings: Sequence[ShardySharding],
    wholes: Sequence[Type],
    locals_: Sequence[Type],
) -> Iterator[str]:
    """Errors of the `in` or `out` shardings of a manual computation, as sentences."""
    noun = "operand" if side == "in" else "result"
    values = zip(shardings, wholes, locals_, strict=True)
    for number, (sharding, whole, local) in enumerate(values):
        named = f"{noun} {number}"
        try:
            mesh = sharding.mesh_among(meshes)
            sharding.check(mesh, whole.rank if isinstance(whole, TensorType) else None)
            yield from _order_problems(sharding, axes, named)
            tiling = sharding.tiling_along(meshes, axes.axes if axes else ())
        except ValueError as error:
            yield f"{side}_shardings: {named}: {error}"
            return
        if isinstance(whole, TensorType):
            yield from _size_problems(tiling, whole, local, named)
        elif whole != local:
            yield f"{named} is {whole}, but {local} in the body"


def _order_problems(sharding: ShardySharding, axes: ManualAxes | None, named: str) -> Iterator[str]:
    manual = axes.axes if axes else ()
    for number, dimension in enumerate(sharding.dimensions):
        kinds = [axis.name in manual for axis in dimension.axes]
        if kinds != sorted(kinds, reverse=True):
            at = next(at for at in range(1, len(kinds)) if kinds[at] and not kinds[at - 1])
            one, other = dimension.axes[at], dimension.axes[at - 1]
            yield (
                f"{named}: manual axes come first in a dimension, but in dimension {number} "
                f"the manual axis {one} follows the free axis {other}"
            )


def _size_problems(tiling: Tiling, whole: TensorType, local: Type, named: str) -> Iterator[str]:
    if not tiling.tiles:
        wanted: tuple[int | None, ...] = whole.shape
    else:
        for number, (size, count) in enumerate(zip(whole.shape, tiling.tiles, strict=True)):
            if size is not None and size % count:
                yield f"{named}: dimension {number} of size {size} cannot be cut into {count} equal parts"
                return
        wanted = tiling.part_type_shape(whole.shape)
    if not isinstance(local, TensorType) or local.shape != wanted:
        found = local.shape if isinstance(local, TensorType) else local
        yield f"{named}: a part of {whole} has sizes {list(wanted)} along the manual axes, not {found}"
    elif local.element_type != whole.element_type:
        yield f"{named} holds {whole.element_type}, but {local.element_type} in the body"
