"""What becomes of a function of another library: a text, its inputs, and what its arguments and callbacks are called."""

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
    """Whether the program has it: JAX leaves out what a function does not use."""

    def __str__(self) -> str:
        told = f"{self.name}: {self.dtype}[{','.join('?' if size is None else str(size) for size in self.shape)}]"
        return told if self.used else f"{told} (not used)"


@dataclass(frozen=True)
class HostCallback:
    """A function of the user's own that the program calls in the middle of a run."""

    index: int
    """Its number in the program's text."""
    name: str
    """Of the Python function; of `jax.debug.print` its format."""
    call: Callable[..., Sequence[Any]]
    """Flat arrays in, flat arrays out; of one that is ordered the first of both is a token."""


def as_they_are(results: Sequence[Array]) -> Any:
    """The results of what does not say how they belong together."""
    return tuple(results)


@dataclass(frozen=True)
class HostProgram:
    """A program with what it is called with."""

    text: str
    name: str
    """Of the function."""
    stage: Stage
    arguments: tuple[HostArgument, ...] = ()
    """All of the function's, also those that the program leaves out."""
    inputs: tuple[Any, ...] | None = None
    """Values of the used arguments, copied; `None` if it was not called with any."""
    callbacks: tuple[HostCallback, ...] = ()
    join: Callable[[Sequence[Array]], Any] = as_they_are
    """Puts results together as the function returns them."""
    source: Any = field(default=None, repr=False)
    """What has to live as long as the callbacks do."""
    arguments_given: int = 0

    @property
    def unused(self) -> tuple[HostArgument, ...]:
        """The arguments that the program does not have."""
        return tuple(argument for argument in self.arguments if not argument.used)


def with_notes(text: str, unused: Sequence[HostArgument]) -> str:
    """A program's text, with a first line that says what the function does not use."""
    if not unused:
        return text
    return (
        f"// not used: {', '.join(str(argument).removesuffix(' (not used)') for argument in unused)}\n{text}"
    )


def check_stage(stage: str) -> Stage:
    """`stage`, or `InputError` that says which there are."""
    for known in STAGES:
        if stage == known:
            return known
    raise InputError(f"there is no stage '{stage:.80}'", hint=f"There are {', '.join(STAGES)}.")


def copied(value: Any) -> Array:
    """An array of its own, which nobody changes or donates afterwards."""
    found = np.array(value, copy=True)
    found.flags.writeable = False
    return found
