"""hloscope's public face: the one name that programs and notebooks import.

import hloscope

program = hloscope.parse(text)
(probabilities,) = hloscope.run(program, [weights, bias, batch])
(scores,) = hloscope.run(text, inputs, bindings={"%5": array, "@log": None})
recording = hloscope.record(program, [weights, bias, batch])
recording.value(hloscope.Address.parse("0.s3.0"))

b = hloscope.XlaBuilder("row_sums")
b.reduce(b.parameter(0, "f32[2,3]"), 0.0, lambda x, y: x + y, [1])
b.build().run([[1, 2, 3], [4, 5, 6]])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.builder import (
    BuilderError,
    ConvolutionDimensionNumbers,
    DotDimensionNumbers,
    GatherDimensionNumbers,
    Padding,
    PaddingDimension,
    ResultAccuracy,
    ScatterDimensionNumbers,
    XlaBuilder,
    XlaComputation,
    XlaOp,
    shape,
)
from engine.debugger.address import Address
from engine.debugger.recording import Recording
from engine.entry import find_entry
from engine.errors import Diagnostic, InputError, ProgramError
from engine.frontend import load
from engine.ir.types import TensorType, Type
from engine.limits import DEFAULT_LIMITS, Limits
from engine.ops.values import leaves
from engine.outside import Bindings, OutsideResult, bindings_of, find_results, outside_results
from engine.program import BoundProgram
from engine.source import Source

__all__ = [
    "Address",
    "BuilderError",
    "ConvolutionDimensionNumbers",
    "Diagnostic",
    "DotDimensionNumbers",
    "GatherDimensionNumbers",
    "Limits",
    "Padding",
    "PaddingDimension",
    "ProgramError",
    "Recording",
    "ResultAccuracy",
    "ScatterDimensionNumbers",
    "WrongProgram",
    "XlaBuilder",
    "XlaComputation",
    "XlaOp",
    "__version__",
    "check",
    "parse",
    "record",
    "run",
    "shape",
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
    """The verified program of StableHLO or HLO text; raises `WrongProgram`."""
    loaded = load(Source(text, name), limits)
    if loaded.program is None:
        raise WrongProgram(loaded.source, loaded.diagnostics)
    return loaded.program


def record(
    program: BoundProgram | str,
    inputs: Sequence[Any] = (),
    entry: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    bindings: Mapping[str, Any] | None = None,
) -> Recording:
    """A whole run, with every value. Inputs are arrays, or anything that NumPy makes one of.

    Lists and numbers take the dtype of their argument; an array must have it. What goes wrong in
    the run is the recording's `state`; inputs that do not fit raise `ProgramError`.

    `bindings` are for what code outside of the program makes, by the name of the result (`%5`, `%r#1`) or of what
    makes it, `@f`, for all its results; `None` skips a call that has none. `%5:12` is that of line 12 alone.
    """
    bound = parse(program, limits=limits) if isinstance(program, str) else program
    arguments = find_entry(bound, entry).function.arguments
    types = [argument.type for argument in arguments]
    # One too many is said to be so.
    arrays = [_as_type(given, type) for given, type in zip_longest(inputs, types[: len(inputs)])]
    recording = Recording(bound, arrays, limits, entry, _bindings(bound, entry, bindings or {}))
    recording.record()
    return recording


def run(
    program: BoundProgram | str,
    inputs: Sequence[Any] = (),
    entry: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    bindings: Mapping[str, Any] | None = None,
) -> tuple[Array, ...]:
    """The results of the entry function, tuples taken apart; raises `ProgramError` if the run does not come to its end."""
    recording = record(program, inputs, entry, limits, bindings)
    results = recording.results()
    if results is None:
        diagnostic = recording.state.diagnostic
        place = diagnostic.located(recording.program.module.source) if diagnostic else recording.state.reason
        raise ProgramError(place)
    return tuple(leaf for result in results for leaf in leaves(result))


def _bindings(program: BoundProgram, entry: str | None, given: Mapping[str, Any]) -> Bindings:
    results = outside_results(program, find_entry(program, entry))
    named = {
        result: _bound(result, value)
        for name, value in given.items()
        for result in find_results(results, name)
    }
    return bindings_of(program, results, named)


def _bound(result: OutsideResult, given: Any) -> Array | None:
    if (given is None) != (result.type is None):
        message = (
            "is a value: only what gives nothing is skipped"
            if result.type
            else "gives nothing: None skips it"
        )
        raise InputError(f"{result} {message}", result.span)
    return None if result.type is None else _as_type(given, result.type)


def _as_type(given: Any, type: Type | None) -> Array:
    dtype = type.element_type.dtype if isinstance(type, TensorType) else None
    array = np.asarray(given)
    if dtype is None or array.dtype == dtype:
        return array
    # A Python list has no dtype to insist on; an array of another dtype is a mistake worth an error.
    return array if isinstance(given, np.ndarray) else array.astype(dtype)
