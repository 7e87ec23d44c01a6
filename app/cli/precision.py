"""`hloscope precision`: run a program beside itself in more digits, and name the op that loses them."""

import argparse
from collections.abc import Sequence
from dataclasses import replace

from hloscope.engine.debugger.recording import Recording

from ..base.settings import Settings
from ..present.precision import NARROWER, Precision
from ..runs.chunks.outcome import Outcome
from ..runs.chunks.planning import print_runs
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
    seconds = settings.limits().run_seconds

    def measure(recording: Recording, outcome: Outcome) -> tuple[Outcome, Sequence[str]]:
        if outcome.code:
            return outcome, ()
        precision = Precision(recording, options.what_if)
        while not precision.done:
            precision.go_on(seconds)
        measured = replace(outcome, about={**outcome.about, "precision": precision.json()})
        return measured, [f"{outcome.chunk.source.name}: {line}" for line in precision.lines()]

    return print_runs(options, settings, measure)
