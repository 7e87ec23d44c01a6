"""`hloscope.compare` with `against` or `between`: a program against one engine, or on two."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from hloscope.engine.comparison.difference import Tolerance
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.limits import Limits
from hloscope.engine.outside_results import Bindings
from hloscope.engine.process_grid import Launch
from hloscope.engine.program import BoundFunction, BoundProgram

from ..runs.launching import RunPlan
from ..xla.engine import ADDRESS_SPACE, SECONDS, XlaEngine
from .against import parse_against, parse_between
from .budget import Budget
from .comparing import compare_with_engine, compare_with_function
from .engine_pair import NamedEngine, compare_two_engines
from .first_part import begin_with_engine
from .our_runs import OurRun, finished
from .pair_report import EnginePair
from .report import EngineComparison


def compare_engines(
    recording: Recording,
    against: str | Callable[..., Any],
    tolerance: Tolerance | None,
    limits: Limits,
    repeat: int = 1,
) -> EngineComparison:
    """Compare our run with a second engine; see `hloscope.compare`."""
    run = replace(finished(recording), tolerance=tolerance)
    if callable(against):
        return compare_with_function(run, against)
    named = parse_against(against)
    with named.engine(SECONDS, ADDRESS_SPACE, len(run.processes)) as engine:
        return compare_with_engine(engine, run.text, run, named.overrides, limits, repeat=repeat)


def compare_between(
    run: OurRun, names: Sequence[str], limits: Limits, begin: Callable[[], Budget] = Budget
) -> EnginePair:
    """Compare two engines, by their names, on the program of our run.

    The budget begins after their installation.
    """
    parsed = parse_between(names)
    with ExitStack() as stack:
        engines = [
            NamedEngine(
                name,
                stack.enter_context(found.engine(SECONDS, ADDRESS_SPACE, len(run.processes))),
                found.overrides,
            )
            for name, found in zip(names, parsed, strict=True)
        ]
        return compare_two_engines(engines, run.text, run, limits, begin())


def begin_at(
    place: int | str,
    program: BoundProgram,
    function: BoundFunction,
    start: Launch,
    bindings: Bindings,
    limits: Limits,
) -> tuple[BoundProgram, Launch, Bindings]:
    """A later start: its program, launch and bindings. See `hloscope.record`."""
    plan = RunPlan(program, function, start.grid, (), {}, bindings, limits, start)
    with XlaEngine(devices=start.grid.num_processes) as engine:
        found = begin_with_engine(plan, place, engine).plan
    return found.program, found.launch(), found.bindings
