"""`hloscope profile`: print the time, bytes and floating-point operations of each op of a run."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from hloscope.engine.debugger.profile import GROUPINGS
from hloscope.engine.errors import ProgramError
from hloscope.engine.frontend import load
from hloscope.engine.limits import Limits

from ..base.blas import share_products
from ..base.settings import Settings
from ..present.profile import MOST_LINES, Profile
from ..runs.chunks.outcome import Outcome, is_well, outcome_of, print_outcomes, usage_outcome
from ..runs.chunks.planning import outcome_of_run, plan_run, record_all
from ..runs.chunks.reading import Chunk, Failure, entry_function
from .options import add_grid, add_inputs, add_on, add_programs, add_settings, positive_count, with_executor


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_programs(command)
    add_inputs(command)
    add_grid(command)
    add_on(command)
    command.add_argument(
        "--by",
        choices=GROUPINGS,
        default="op",
        help="a row for each op, kind of op, function (computation), or scope of the framework (default: op)",
    )
    command.add_argument(
        "--top",
        type=positive_count,
        default=MOST_LINES,
        metavar="N",
        help=f"number of rows to print, those with the most time first (default: {MOST_LINES})",
    )
    add_settings(command)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Print the profile of a run of each program.

    With `--json`, a line for each program as `outcome.Outcome.line` writes it, with `profile`: all ops as columns.
    """
    share_products(settings.blas_thread_count())
    limits = settings.limits()

    def measure(chunk: Chunk) -> tuple[Outcome, Sequence[str]]:
        return _measure(chunk, options, limits)

    return print_outcomes(options, limits, measure)


def _measure(chunk: Chunk, options: argparse.Namespace, limits: Limits) -> tuple[Outcome, Sequence[str]]:
    loaded = load(chunk.source, limits)
    if loaded.program is None or not is_well(loaded):
        return outcome_of(chunk, None, loaded.diagnostics), ()
    name = None
    try:
        name = entry_function(loaded.program, options.entry).name
        plan = plan_run(chunk, loaded.program, options, limits)
        recording = with_executor(plan, options).recording()
    except (Failure, ProgramError) as problem:
        return usage_outcome(chunk, name, problem), ()
    record_all(recording)
    outcome = outcome_of_run(chunk, name, recording)
    if outcome.code:
        return outcome, ()
    profile = Profile(recording, options.by, options.top)
    outcome = replace(outcome, about={**outcome.about, "profile": profile.json()})
    return outcome, [f"{chunk.source.name}: {line}" for line in profile.lines()]
