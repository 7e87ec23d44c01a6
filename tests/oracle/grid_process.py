"""The oracle's command that runs one program on many devices with XLA, each of them a process of a grid.

XLA's partitioner takes whole programs and cuts them up. What is said to be manual everywhere it leaves alone: then
each device runs the program as it is written, with values of its own.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax._src import compiler, xla_bridge
from jaxlib import _hlo, _jax
from jaxlib.mlir import ir

from .framing import Array
from .hlo_process import in_the_place_of

Answer = tuple[dict[str, Any], list[Array]]
_SHARDING = "mhlo.sharding"


def xla_grid(head: dict[str, Any], arrays: list[Array]) -> Answer:
    """The results of `main` in each process, of arguments of each, process after process.

    HLO text runs as it is written.
    """
    devices = np.array(jax.devices()[: head["grid"][0] * head["grid"][1]]).reshape(head["grid"])
    if head["hlo"]:
        with in_the_place_of(_hlo.hlo_module_from_text(head["text"])) as host:
            executable = _compiled(host, devices)
    else:
        executable = _compiled(head["text"], devices)
    return {}, _run(executable, devices.reshape(-1), arrays)


def _compiled(text: str, devices: Any) -> Any:
    module = ir.Module.parse(text)
    _make_manual(module)
    options = compiler.get_compile_options(*devices.shape, device_assignment=devices)
    options.executable_build_options.use_spmd_partitioning = True
    options.executable_build_options.use_shardy_partitioner = False
    backend = xla_bridge.get_backend("cpu")
    return backend.compile_and_load(module, _jax.DeviceList(tuple(devices.reshape(-1))), options)


def _run(executable: Any, devices: Any, arrays: list[Array]) -> list[Array]:
    count = len(arrays) // devices.size
    given = [_spread(arrays[number::count], devices) for number in range(count)]
    results = executable.execute_sharded(given).disassemble_into_single_device_arrays()
    return [np.asarray(parts[process]) for process in range(devices.size) for parts in results]


def _spread(parts: list[Array], devices: Any) -> Any:
    """An array of which each device has a part."""
    mesh = jax.sharding.Mesh(devices, ("process",))
    cut = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("process"))
    return jax.device_put(np.concatenate(parts), cut)


def _make_manual(module: Any) -> None:
    manual = ir.StringAttr.get("{manual}")
    (main,) = module.body.operations
    for found in (main.arguments, main.type.results):
        name = "arg_attrs" if found is main.arguments else "res_attrs"
        stated = [ir.DictAttr.get({_SHARDING: manual}) for _ in found]
        main.attributes[name] = ir.ArrayAttr.get(stated)

    def mark(found: Any) -> Any:
        if found.name.startswith("stablehlo.") and found.name != "stablehlo.return":
            found.attributes[_SHARDING] = manual
        return ir.WalkResult.SKIP if found.name in _REDUCING else ir.WalkResult.ADVANCE

    main.operation.walk(mark, ir.WalkOrder.PRE_ORDER)


_REDUCING = ("stablehlo.all_reduce", "stablehlo.reduce_scatter")
"""Ops whose computations are not parts of the program that processes run."""

COMMANDS = {"xla_grid": xla_grid}
