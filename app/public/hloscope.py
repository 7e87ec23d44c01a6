"""hloscope's public face: the one name that programs and notebooks import.

import hloscope

program = hloscope.parse(text)
(probabilities,) = hloscope.run(program, [weights, bias, batch])
recording = hloscope.record(program, [weights, bias, batch])
recording.value(hloscope.Address.parse("0.s3.0"))
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.debugger.address import Address
from engine.debugger.recording import Recording
from engine.entry import find_entry
from engine.errors import Diagnostic, ProgramError
from engine.frontend import load
from engine.limits import DEFAULT_LIMITS, Limits
from engine.program import BoundProgram
from engine.source import Source

__all__ = [
    "Address",
    "Diagnostic",
    "Limits",
    "ProgramError",
    "Recording",
    "WrongProgram",
    "__version__",
    "check",
    "parse",
    "record",
    "run",
]

__version__ = version("hloscope")

Array = NDArray[Any]


class WrongProgram(ValueError):
    """The text is no program that may run; the message lists every diagnostic with its place."""

    def __init__(self, source: Source, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__("\n".join(diagnostic.located(source) for diagnostic in diagnostics))
        self.diagnostics = diagnostics


def check(text: str, name: str = "<text>") -> tuple[Diagnostic, ...]:
    """What is wrong with a program; empty if it may run."""
    return load(Source(text, name)).diagnostics


def parse(text: str, name: str = "<text>", limits: Limits = DEFAULT_LIMITS) -> BoundProgram:
    """The verified program of StableHLO text; raises `WrongProgram`."""
    loaded = load(Source(text, name), limits)
    if loaded.program is None:
        raise WrongProgram(loaded.source, loaded.diagnostics)
    return loaded.program


def record(
    program: BoundProgram | str,
    inputs: Sequence[Any] = (),
    entry: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Recording:
    """A whole run, with every value. Inputs are arrays, or anything that NumPy makes one of.

    Lists and numbers take the dtype of their argument; an array must have it. What goes wrong in
    the run is the recording's `state`; inputs that do not fit raise `ProgramError`.
    """
    bound = parse(program, limits=limits) if isinstance(program, str) else program
    arguments = find_entry(bound, entry).function.arguments
    dtypes = [getattr(getattr(a.type, "element_type", None), "dtype", None) for a in arguments]
    dtypes += [None] * (len(inputs) - len(dtypes))
    arrays = [_as_dtype(given, dtype) for given, dtype in zip(inputs, dtypes, strict=False)]
    recording = Recording(bound, arrays, limits, entry)
    recording.record()
    return recording


def run(
    program: BoundProgram | str,
    inputs: Sequence[Any] = (),
    entry: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Array, ...]:
    """The results of the entry function; raises `ProgramError` if the run does not come to its end."""
    recording = record(program, inputs, entry, limits)
    results = recording.results()
    if results is None:
        diagnostic = recording.state.diagnostic
        place = diagnostic.located(recording.program.module.source) if diagnostic else recording.state.reason
        raise ProgramError(place)
    return results


def _as_dtype(given: Any, dtype: np.dtype[Any] | None) -> Array:
    array = np.asarray(given)
    if dtype is None or array.dtype == dtype:
        return array
    # A Python list has no dtype to insist on; an array of another dtype is a mistake worth an error.
    return array if isinstance(given, np.ndarray) else array.astype(dtype)
