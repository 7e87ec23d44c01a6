"""`hloscope profile`: print the time, bytes and floating-point operations of each op of a run."""

import argparse
from collections.abc import Sequence
from dataclasses import replace

from hloscope.engine.debugger.profile import GROUPINGS
from hloscope.engine.debugger.recording import Recording

from ..base.settings import Settings
from ..present.profile import MOST_LINES, Profile
from ..runs.chunks.outcome import Outcome
from ..runs.chunks.planning import print_runs
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

    def measure(recording: Recording, outcome: Outcome) -> tuple[Outcome, Sequence[str]]:
        if outcome.code:
            return outcome, ()
        profile = Profile(recording, options.by, options.top)
        measured = replace(outcome, about={**outcome.about, "profile": profile.named_json()})
        return measured, [f"{outcome.chunk.source.name}: {line}" for line in profile.lines()]

    return print_runs(options, settings, measure, lambda plan: with_executor(plan, options))
