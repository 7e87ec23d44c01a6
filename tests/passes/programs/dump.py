"""`python -m tests.passes.programs.dump FOLDER [NAME …]`: compiles programs, and has XLA write down what each of its passes does.

Each program gets a folder of its own. `--part K/N` takes every N-th. One device for each that a mesh asks for is pretended.
"""

from __future__ import annotations

import argparse
import os
from math import prod
from pathlib import Path
from string import ascii_lowercase
from typing import Any

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from ...oracle.frameworks.exporting import STATIC
from ...oracle.frameworks.kinds import Kind
from ...oracle.frameworks.models import MODELS
from . import large, sharded, single
from .registry import REGISTRY, Argument, Program

MODULES = (single, sharded, large)
"""Those that register programs."""


OMITTED = {
    **dict.fromkeys(
        ("large_constants", "scan_training", "transformer_training"),
        "a dump leaves out the numbers of large constants, so that its texts cannot run",
    ),
    **dict.fromkeys(("generators", "special_functions_of_two"), "texts of hundreds of kilobytes"),
}
"""Programs of the comparison that are not dumped, with the reason."""


def _of_kind(kind: Kind) -> Program:
    """A program that the oracle compares with XLA."""
    arguments = kind.arguments(np.random.default_rng(0))
    return Program(kind.function, tuple(Argument(x.shape, x.dtype.name) for x in arguments))


def programs() -> dict[str, Program]:
    """All programs by name."""
    frameworks = {
        name: _of_kind(kind) for name, kind in STATIC.items() if name not in MODELS and name not in OMITTED
    }
    return REGISTRY.programs | frameworks


def dump(program: Program, folder: Path) -> None:
    """Compiles a program with the flags under which XLA writes its texts into a folder."""
    options: dict[str, Any] = {
        "xla_dump_to": str(folder),
        "xla_dump_hlo_as_text": True,
        "xla_dump_hlo_pass_re": program.passes,
    }
    if program.pipelines:
        options["xla_dump_hlo_pipeline_re"] = program.pipelines
    mesh = _mesh(program)
    arguments = [_argument(found, mesh) for found in program.arguments]
    with jax.set_mesh(mesh):
        jax.jit(program.function).lower(*arguments).compile(compiler_options=options)


def _mesh(program: Program) -> Any:
    sizes = program.mesh or (1,)
    devices = np.array(jax.devices()[: prod(sizes)]).reshape(sizes)
    automatic = (jax.sharding.AxisType.Auto,) * len(sizes)
    return Mesh(devices, tuple(ascii_lowercase[: len(sizes)]), axis_types=automatic)


def _argument(found: Argument, mesh: Any) -> Any:
    sharding = None if mesh.size == 1 else NamedSharding(mesh, PartitionSpec(*(found.axes or ())))
    return jax.ShapeDtypeStruct(found.shape, np.dtype(found.dtype), sharding=sharding)


def main() -> None:
    """Dumps the programs that are named, or all but those that have to be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--part", default="0/1")
    given = parser.parse_args()
    part, parts = map(int, given.part.split("/"))
    found = programs()
    chosen = given.names or [name for name in found if not found[name].asked_for]
    for name in chosen[part::parts]:
        dump(found[name], given.folder / name)


if __name__ == "__main__":
    main()
