"""Programs on several devices of XLA's process: compilation, arguments and results.

Runs in that process, beside `child`. A program whose arguments are the parts of one process passes XLA's partitioner
marked as *manual*, which leaves it unchanged. Any other program takes and returns whole values: they are cut, and joined
again, by the shardings of the compiled program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import jax
import numpy as np
from jax._src import xla_bridge
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxlib import xla_client as xc

from ..processes.arrays import Array
from .platforms import CPU, choose

MANUAL = "{manual}"
_SHARDING = "mhlo.sharding"


class Grid(NamedTuple):
    """The processes of a program, in the order of their numbers: the partitions of the first replica first."""

    replicas: int = 1
    partitions: int = 1
    is_whole: bool = False
    """Whether arguments and results are whole values, not the parts of one process."""
    platform: str = CPU
    """The platform; `device`: the one that jax selects."""

    @property
    def processes(self) -> int:
        """The number of devices of the grid."""
        return self.replicas * self.partitions


def grid_of(head: Mapping[str, Any]) -> Grid:
    """The grid that a request names."""
    return Grid(*head.get("grid", ()))


def found_devices() -> dict[str, list[Any]]:
    """The devices of this machine by platform; empty if jax finds no permitted platform."""
    # A plug-in reports its devices: one that fails to start is skipped, unless JAX_PLATFORMS names it.
    with suppress(RuntimeError, AssertionError):
        clients = xla_bridge.backends().values()
        return {client.local_devices()[0].platform: client.local_devices() for client in clients}
    return {}


def platform_devices(platform: str) -> Sequence[Any]:
    """The devices of a platform. Raises `NoSuchPlatform` if jax finds none."""
    found = found_devices()
    return choose(platform, found, jax.default_backend() if found else "")


def chosen_devices(grid: Grid) -> list[Any]:
    """A device for each process. Raises `ValueError` if there are fewer."""
    found = list(platform_devices(grid.platform))
    if len(found) < grid.processes:
        raise ValueError(
            f"the program runs on {grid.processes} devices, and jax finds {len(found)} of platform {found[0].platform}"
        )
    return found[: grid.processes]


def options_of(grid: Grid, text: str | bytes) -> Any:
    """Compilation options for the grid."""
    options = xc.CompileOptions()
    if grid.processes == 1:
        return options
    build = options.executable_build_options
    for part in (options, build):
        part.num_replicas, part.num_partitions = grid.replicas, grid.partitions
    build.use_spmd_partitioning = grid.partitions > 1
    build.use_shardy_partitioner = (b"sdy." if isinstance(text, bytes) else "sdy.") in text  # type: ignore[operator]
    places = np.arange(grid.processes).reshape(grid.replicas, grid.partitions)
    options.device_assignment = xc.DeviceAssignment.create(places)
    return options


def as_manual(text: str | bytes) -> str:
    """A StableHLO program with every operation marked as manual, for the partitioner."""
    from jax._src.interpreters.mlir import make_ir_context
    from jaxlib.mlir import ir

    with make_ir_context():
        module = ir.Module.parse(text)
        mark = ir.StringAttr.get(MANUAL)

        def visit(operation: Any) -> Any:
            if operation.name.startswith(("stablehlo.", "chlo.")) and not operation.name.endswith(".return"):
                operation.attributes[_SHARDING] = mark
            return ir.WalkResult.ADVANCE

        module.operation.walk(visit)
        for function in module.body.operations:
            if function.operation.name == "func.func":
                counts = {"arg_attrs": len(function.type.inputs), "res_attrs": len(function.type.results)}
                for name, count in counts.items():
                    marks = [ir.DictAttr.get({_SHARDING: mark})] * count
                    function.attributes[name] = ir.ArrayAttr.get(marks)
        return str(module)


def run_on_devices(executable: Any, grid: Grid, arrays: Sequence[Array]) -> list[Array]:
    """The results of all processes, in process order.

    `arrays` are in process order too; whole arguments are given once.
    """
    devices = chosen_devices(grid)
    given = _cut(executable, grid, arrays) if grid.is_whole else _dealt(arrays, grid.processes)
    replicated = NamedSharding(Mesh(np.array(devices), ("device",)), PartitionSpec())
    placed = [
        jax.make_array_from_single_device_arrays(
            parts[0].shape, replicated, [jax.device_put(part, device) for part, device in zip(parts, devices, strict=True)]
        )
        for parts in given
    ]  # fmt: skip
    results = executable.execute_sharded(placed).disassemble_into_single_device_arrays()
    pieces = [[np.asarray(part) for part in parts] for parts in results]
    found = _joined(executable, grid, pieces) if grid.is_whole else pieces
    return [parts[process] for process in range(grid.processes) for parts in found]


def _dealt(arrays: Sequence[Array], count: int) -> list[list[Array]]:
    """The value of each argument in each process."""
    each = len(arrays) // count
    return [[arrays[process * each + number] for process in range(count)] for number in range(each)]


def _cut(executable: Any, grid: Grid, wholes: Sequence[Array]) -> list[list[Array]]:
    shardings = executable.get_parameter_shardings() or [None] * len(wholes)
    return [
        [np.ascontiguousarray(whole[place]) for place in _places(sharding, grid, whole.shape)]
        for whole, sharding in zip(wholes, shardings, strict=True)
    ]


def _joined(executable: Any, grid: Grid, pieces: Sequence[Sequence[Array]]) -> list[list[Array]]:
    """Each result as a whole, as each process that holds a part of it would see it."""
    shardings = executable.get_output_shardings() or [None] * len(pieces)
    return [_join(parts, sharding, grid) for parts, sharding in zip(pieces, shardings, strict=True)]


def _join(parts: Sequence[Array], sharding: Any, grid: Grid) -> list[Array]:
    shape = _whole_shape(parts[0].shape, sharding)
    if shape == parts[0].shape:
        return list(parts)
    places = _places(sharding, grid, shape)
    found = []
    for replica in range(grid.replicas):
        own = range(replica * grid.partitions, (replica + 1) * grid.partitions)
        whole = np.empty(shape, parts[0].dtype)
        for process in own:
            whole[places[process]] = parts[process]
        for process in own:
            seen = whole.copy()
            seen[places[process]] = parts[process]
            found.append(seen)
    return found


def _whole_shape(part: tuple[int, ...], sharding: Any) -> tuple[int, ...]:
    tiles = _tiles(sharding)
    return tuple(size * count for size, count in zip(part, tiles, strict=False)) if tiles else part


def _tiles(sharding: Any) -> list[int]:
    """The number of parts of each dimension; empty if each process has the whole value."""
    if sharding is None:
        return []
    found = xc.HloSharding.from_proto(sharding)
    return [] if not found.is_tiled() else list(found.tile_assignment_dimensions())


def _places(sharding: Any, grid: Grid, shape: Sequence[int]) -> list[tuple[slice, ...]]:
    """The part of a whole value that each process has."""
    everything = tuple(slice(None) for _ in shape)
    if not _tiles(sharding):
        return [everything] * grid.processes
    from jax._src.sharding_impls import GSPMDSharding

    devices = tuple(chosen_devices(grid)[: grid.partitions])
    found = GSPMDSharding(devices, sharding).devices_indices_map(tuple(shape))
    return [found[device] for device in devices] * grid.replicas
