"""Inputs of a program on several devices: each process has the part of its device."""

from __future__ import annotations

from typing import Any

from ...runs.python_values import Each
from . import jax_adapter
from .host_program import HostProgram


def inputs_on_grid(program: HostProgram) -> tuple[Any, ...]:
    """The inputs of a program, whole; partitioned ones as the part of each process.

    The text of the stage `optimized` has the shapes of parts; the compiled program maps the parts to devices.
    """
    inputs = program.inputs or ()
    if program.stage != "optimized" or program.source is None:
        return inputs
    compiled = program.source.compile() if hasattr(program.source, "compile") else program.source
    devices = jax_adapter.device_order(compiled)
    if len(devices) == 1:
        return inputs
    import jax

    shardings = jax.tree_util.tree_leaves(compiled.input_shardings)
    return tuple(_parts(value, sharding, devices) for value, sharding in zip(inputs, shardings, strict=True))


def _parts(value: Any, sharding: Any, devices: list[Any]) -> Each:
    places = sharding.devices_indices_map(value.shape)
    return Each([value[places[device]] for device in devices])
