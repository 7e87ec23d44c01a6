"""`hloscope precision`: run a program beside itself in more digits, and name the op that loses them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from hloscope.engine.errors import ProgramError
from hloscope.engine.frontend import load
from hloscope.engine.limits import Limits

from ..base.blas import share_products
from ..base.settings import Settings
from ..present.precision import NARROWER, Precision
from ..runs.chunks.outcome import Outcome, is_well, outcome_of, print_outcomes, usage_outcome
from ..runs.chunks.planning import outcome_of_run, plan_run, record_all
from ..runs.chunks.reading import Chunk, Failure, entry_function
from .options import add_grid, add_inputs, add_programs, add_settings


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_programs(command)
    add_inputs(command)
    add_grid(command)
    command.add_argument(
        "--what-if",
        choices=NARROWER,
        default="",
        help="also print what the results would be if all ops, or one op alone, rounded to this type",
    )
    add_settings(command)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Print the precision of a run of each program; lost digits are no error of the program.

    With `--json`, a line for each program as `outcome.Outcome.line` writes it, with `precision`.
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
        recording = plan_run(chunk, loaded.program, options, limits).recording()
    except (Failure, ProgramError) as problem:
        return usage_outcome(chunk, name, problem), ()
    record_all(recording)
    outcome = outcome_of_run(chunk, name, recording)
    if outcome.code:
        return outcome, ()
    precision = Precision(recording, options.what_if)
    while not precision.done:
        precision.go_on(limits.run_seconds)
    outcome = replace(outcome, about={**outcome.about, "precision": precision.json()})
    return outcome, [f"{chunk.source.name}: {line}" for line in precision.lines()]
