"""Build small programs and run them in three forms: as built, as HLO text, and as StableHLO text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from hloscope.engine import process_grid
from hloscope.engine.builder import XlaBuilder, XlaComputation, XlaOp
from hloscope.engine.ir.types import TensorType, TupleType, Type
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.values import is_tuple, tuple_of
from hloscope.engine.program import BoundProgram
from hloscope.engine.syntax import print_hlo
from tests.programs import load_program

Build = Callable[[XlaBuilder], Any]


def add(x: XlaOp, y: XlaOp) -> XlaOp:
    """The computation of sums."""
    return x + y


class Const(NamedTuple):
    """An argument of a call that is a constant of the program."""

    literal: Any
    element_type: str | None = None


def call(name: str, arguments: tuple[Any, ...]) -> Build:
    """A program that calls the function `name`."""

    def value(b: XlaBuilder, argument: Any) -> Any:
        if isinstance(argument, Const):
            return b.constant(*argument)
        return [value(b, item) for item in argument] if isinstance(argument, list) else argument

    return lambda b: getattr(b, name)(*(value(b, argument) for argument in arguments))


def built(build: Build) -> XlaComputation:
    """The computation that `build` builds; its return value is the root."""
    builder = XlaBuilder("test")
    root = build(builder)
    return builder.build(builder.tuple(root) if isinstance(root, list) else root)


def run(build: Build, *inputs: Any, with_stablehlo: bool = True) -> Any:
    """The result of a program, an array or a tuple; its HLO and StableHLO text must have the same result."""
    computation = built(build)
    # Lists become arrays of the parameters' types.
    inputs = tuple(value.tolist() if isinstance(value, np.ndarray) else value for value in inputs)
    found = computation.run(*inputs)
    if with_stablehlo:
        again = run_stablehlo(computation, *inputs)
        parts = flat(found)
        assert len(parts) == len(again)
        for value, other in zip(parts, again, strict=True):
            np.testing.assert_array_equal(value, other, strict=True)
    for value, other in zip(flat(found), run_hlo(computation, *inputs), strict=True):
        np.testing.assert_array_equal(value, other, strict=True)
    return found


def run_hlo(computation: XlaComputation, *inputs: Any) -> list[Array]:
    """The results of the HLO text of a computation, which must read as the same program."""
    text = computation.as_hlo_text()
    again = load_program(text)
    assert print_hlo(again.module) == text
    return results_of(again, inputs)


def run_stablehlo(computation: XlaComputation, *inputs: Any) -> list[Array]:
    """The results of the StableHLO text of a computation."""
    again = load_program(computation.as_stablehlo_text())
    assert again.module == computation.stablehlo
    return results_of(again, flat(inputs))


def results_of(program: BoundProgram, inputs: Sequence[Any]) -> list[Array]:
    """The results of a program, with tuples flattened."""
    entry = program.entry
    assert entry is not None
    arguments = entry.function.arguments
    arrays = [value_of(given, to.type) for given, to in zip(inputs, arguments, strict=True)]
    return [part for result in process_grid.results_of(program, arrays) for part in flat(result)]


def value_of(given: Any, wanted: Type) -> Array:
    """A value of a type."""
    if isinstance(wanted, TupleType):
        return tuple_of([value_of(*pair) for pair in zip(given, wanted.types, strict=True)])
    assert isinstance(wanted, TensorType)
    return np.asarray(given).astype(wanted.element_type.dtype)


def flat(found: Any) -> list[Any]:
    """The arrays of a tuple, nested ones included; an array alone."""
    if isinstance(found, np.ndarray) and not is_tuple(found):
        return [found]
    if isinstance(found, tuple | np.ndarray):
        return [part for item in found for part in flat(item)]
    return [np.asarray(found)]


def same(found: Any, wanted: Any) -> None:
    """Assert equality; NaN equals NaN."""
    np.testing.assert_array_equal(found, np.asarray(wanted))


def close(found: Any, wanted: Any) -> None:
    """Assert equality up to rounding."""
    np.testing.assert_allclose(found, np.asarray(wanted), rtol=2e-6, atol=1e-6)
