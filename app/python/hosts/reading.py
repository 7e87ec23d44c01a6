"""Convert any program object to text and inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .host_program import HostProgram, Stage
from .jax_programs import Call, program_of_jax
from .kinds import Kind, kind_of
from .tensorflow_programs import program_of_tensorflow
from .torch_programs import program_of_torch

__all__ = ["default_stage", "kind_of", "program_of"]


def default_stage(kind: Kind) -> Stage:
    """The default stage; a compiled object has only `optimized`."""
    return "optimized" if kind == "compiled" else "stablehlo"


def program_of(
    kind: Kind,
    value: Any,
    arguments: Sequence[Any],
    named: Mapping[str, Any],
    stage: Stage | None = None,
    jit: Mapping[str, Any] | None = None,
) -> HostProgram:
    """The program of an object of that library, called with these arguments.

    `jit` are options of `jax.jit` for a function that is not jitted. `InputError` if there is no such program.
    """
    chosen = stage or default_stage(kind)
    if kind == "torch":
        return program_of_torch(value, arguments, named, chosen)
    if kind == "tensorflow":
        return program_of_tensorflow(value, arguments, dict(named), chosen)
    return program_of_jax(kind, value, Call(arguments, named, jit or {}), chosen)
