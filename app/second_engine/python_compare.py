"""`hloscope.compare(a, inputs=…, against=…)`: a program, or any function that JAX can trace, against a second engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import ProgramError
from hloscope.engine.limits import Limits
from hloscope.engine.program import BoundProgram

from ..xla.engine import ADDRESS_SPACE, SECONDS
from ..xla.failures import INSTALL
from .against import parse_against
from .comparing import compare_with_engine, compare_with_function
from .our_runs import OurRun, finished, run_ours
from .report import EngineComparison

Program = BoundProgram | str | Recording | Callable[..., Any]


def compare_engines(
    program: Program, inputs: Sequence[Any], against: str | Callable[..., Any], limits: Limits
) -> EngineComparison:
    """A program of ours against a second engine; see `hloscope.compare`."""
    run = our_run(program, inputs, limits)
    if callable(against):
        return compare_with_function(run, against)
    named = parse_against(against)
    with named.engine(SECONDS, ADDRESS_SPACE) as engine:
        return compare_with_engine(engine, text_of(run), run, named.overrides, limits)


def our_run(program: Program, inputs: Sequence[Any], limits: Limits) -> OurRun:
    """The run of a program, or of what JAX makes of a function."""
    if isinstance(program, Recording):
        return finished(program)
    text = program if isinstance(program, str | BoundProgram) else traced(program, inputs)
    return run_ours(text, inputs, limits)


def text_of(run: OurRun) -> str:
    """The program as it was given."""
    return run.recording.program.module.source.text


def traced(function: Callable[..., Any], inputs: Sequence[Any]) -> str:
    """The StableHLO that JAX makes of a function; `ProgramError` where there is no JAX."""
    try:
        import jax
    except ImportError:
        raise ProgramError(
            f"a function is traced by JAX, which is not installed: type `{INSTALL}`."
        ) from None
    return str(jax.jit(function).lower(*inputs).as_text())
