"""Builds small programs and runs them in both forms: as they are, and as StableHLO text that is read again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.builder import XlaBuilder, XlaComputation
from engine.events import Unheard
from engine.frontend import load
from engine.interpreter import Interpreter
from engine.limits import DEFAULT_LIMITS
from engine.ops.op import Array
from engine.ops.values import is_tuple
from engine.source import Source

Build = Callable[[XlaBuilder], Any]


def built(build: Build) -> XlaComputation:
    """The computation whose instructions `build` adds; what it gives is the root."""
    builder = XlaBuilder("test")
    root = build(builder)
    return builder.build(builder.tuple(root) if isinstance(root, list) else root)


def run(build: Build, *inputs: Any, restated: bool = True) -> Any:
    """What a program gives, an array or a tuple; its StableHLO form must give the same."""
    computation = built(build)
    # Lists become arrays of the parameters' types.
    inputs = tuple(value.tolist() if isinstance(value, np.ndarray) else value for value in inputs)
    found = computation.run(*inputs)
    if restated:
        again = run_stablehlo(computation, *inputs)
        parts = flat(found)
        assert len(parts) == len(again)
        for value, other in zip(parts, again, strict=True):
            np.testing.assert_array_equal(value, other, strict=True)
    return found


def run_stablehlo(computation: XlaComputation, *inputs: Any) -> list[Array]:
    """What the StableHLO text of a computation gives, once it is read again."""
    text = computation.as_stablehlo_text()
    loaded = load(Source(text))
    diagnostics = "\n".join(found.located(loaded.source) for found in loaded.diagnostics)
    assert loaded.program is not None, f"{text}\n{diagnostics}"
    assert loaded.module == computation.stablehlo
    entry = loaded.program.entry
    assert entry is not None
    arrays = [
        np.asarray(value).astype(argument.type.element_type.dtype)  # type: ignore[attr-defined]
        for value, argument in zip(flat(inputs), entry.function.arguments, strict=True)
    ]
    listener = Unheard()
    interpreter = Interpreter(loaded.program, arrays, DEFAULT_LIMITS)
    interpreter.run(listener, 1_000_000)
    return [part for result in listener.results for part in flat(result)]


def flat(found: Any) -> list[Any]:
    """The arrays in a tuple, and in tuples in it; an array alone."""
    if isinstance(found, np.ndarray) and not is_tuple(found):
        return [found]
    if isinstance(found, tuple | np.ndarray):
        return [part for item in found for part in flat(item)]
    return [np.asarray(found)]


def same(found: Any, wanted: Any) -> None:
    """That a value is what is wanted, NaN included."""
    np.testing.assert_array_equal(found, np.asarray(wanted))


def close(found: Any, wanted: Any) -> None:
    """That numbers are what is wanted but for rounding."""
    np.testing.assert_allclose(found, np.asarray(wanted), rtol=2e-6, atol=1e-6)
