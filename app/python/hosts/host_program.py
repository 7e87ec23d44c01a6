"""A lowered function of another library: its kind, text, inputs, and names of arguments and callbacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.errors import InputError

Array = NDArray[Any]
Stage = Literal["stablehlo", "hlo", "optimized", "passes"]
STAGES: tuple[Stage, ...] = ("stablehlo", "hlo", "optimized", "passes")


@dataclass(frozen=True)
class HostArgument:
    """An argument of the function, a leaf of its trees: `params['layer_0']['w']`."""

    name: str
    shape: tuple[int | None, ...]
    dtype: str
    used: bool = True
    """Whether the program has it: JAX drops unused arguments."""

    def __str__(self) -> str:
        told = f"{self.name}: {self.dtype}[{','.join('?' if size is None else str(size) for size in self.shape)}]"
        return told if self.used else f"{told} (not used)"


@dataclass(frozen=True)
class HostCallback:
    """A user function that the program calls during a run."""

    index: int
    """Its number in the program's text."""
    name: str
    """The name of the Python function; for `jax.debug.print` its format."""
    call: Callable[..., Sequence[Any]]
    """Flat arrays in, flat arrays out; for an ordered one, the first of both is a token."""


def as_they_are(results: Sequence[Array]) -> Any:
    """The flat results, for a program without a result tree."""
    return tuple(results)


@dataclass(frozen=True)
class HostProgram:
    """A program with its inputs."""

    text: str
    name: str
    """The name of the function."""
    stage: Stage
    arguments: tuple[HostArgument, ...] = ()
    """All arguments of the function, including those that the program leaves out."""
    inputs: tuple[Any, ...] | None = None
    """Values of the used arguments, copied; `None` if there was no call."""
    callbacks: tuple[HostCallback, ...] = ()
    join: Callable[[Sequence[Array]], Any] = as_they_are
    """Reassemble results into the structure that the function returns."""
    source: Any = field(default=None, repr=False)
    """An object that must live as long as the callbacks."""

    @property
    def unused(self) -> tuple[HostArgument, ...]:
        """The arguments that the program leaves out."""
        return tuple(argument for argument in self.arguments if not argument.used)


def with_notes(text: str, unused: Sequence[HostArgument]) -> str:
    """A program's text, preceded by a line that names the unused arguments."""
    if not unused:
        return text
    return (
        f"// not used: {', '.join(str(argument).removesuffix(' (not used)') for argument in unused)}\n{text}"
    )


def check_stage(stage: str) -> Stage:
    """`stage`, or `InputError` that lists the valid ones."""
    for known in STAGES:
        if stage == known:
            return known
    raise InputError(f"there is no stage '{stage:.80}'", hint=f"There are {', '.join(STAGES)}.")


def copied(value: Any) -> Array:
    """A private copy of an array, safe from changes and donation."""
    found = np.array(value, copy=True)
    found.flags.writeable = False
    return found


Kind = Literal[
    "function", "jitted", "traced", "lowered", "compiled", "exported", "jaxpr", "wrapped_lowered", "torch", "tensorflow"
]  # fmt: skip
_JAX_STAGES: dict[str, Kind] = {"Traced": "traced", "Lowered": "lowered", "Compiled": "compiled"}


def kind_of(value: Any) -> Kind | None:
    """The library of `value`, by the names of its type, without an import; `None` for text, bytes, paths, parsed programs and non-callables."""
    module, name = type(value).__module__ or "", type(value).__name__
    library = module.partition(".")[0]
    if library in ("jax", "jaxlib"):
        if name in _JAX_STAGES:
            return _JAX_STAGES[name]
        if name == "Exported":
            return "exported"
        if name in ("ClosedJaxpr", "Jaxpr") and hasattr(value, "consts"):  # one class since jax 0.12
            return "jaxpr"
    if name == "Lowered" and hasattr(value, "lowered"):  # of Equinox and of Flax's NNX
        return "wrapped_lowered"
    if library == "torch" and name == "ExportedProgram":
        return "torch"
    if library == "tensorflow" and hasattr(value, "experimental_get_compiler_ir"):
        return "tensorflow"
    if library == "tensorflow" and name in ("ConcreteFunction", "AtomicFunction"):
        return "tensorflow"
    if not callable(value) or isinstance(value, type):
        return None
    return "jitted" if hasattr(value, "lower") and hasattr(value, "__wrapped__") else "function"
