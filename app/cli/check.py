"""`hloscope check`: report errors in programs, without running them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hloscope.engine.entry import find_entry
from hloscope.engine.errors import ProgramError
from hloscope.engine.frontend import Loaded, load
from hloscope.engine.ops.core.process_groups import ALONE, Grid
from hloscope.engine.program import BoundProgram
from hloscope.engine.sharded_runs.sharded_inputs import needed_grid

from ..base.settings import Settings
from ..runs.chunks.outcome import (
    Outcome,
    is_well,
    outcome_of,
    print_outcomes,
    size_text,
    title_of,
    usage_outcome,
)
from ..runs.chunks.reading import Chunk, Failure, entry_function
from .options import add_programs, add_settings


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_programs(command)
    add_settings(command)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Print the diagnostics of each program, or one line if there are none.

    With `--json`, a line for each program as `outcome.Outcome.line` writes it.
    """
    limits = settings.limits()

    def check_chunk(chunk: Chunk) -> tuple[Outcome, list[str]]:
        loaded = None if chunk.is_blank else load(chunk.source, limits)
        outcome = _outcome(chunk, loaded, options.entry) if loaded else outcome_of(chunk, None, ())
        return outcome, list(_text(outcome, loaded, options))

    return print_outcomes(options, limits, check_chunk)


def _outcome(chunk: Chunk, loaded: Loaded, entry: str | None) -> Outcome:
    if not is_well(loaded) or loaded.program is None:
        return outcome_of(chunk, None, loaded.diagnostics)
    name: str | None = None
    if entry:
        try:
            name = entry_function(loaded.program, entry).name
        except Failure as problem:
            return usage_outcome(chunk, None, problem)
    else:
        name = loaded.program.entry.function.name if loaded.program.entry else None
    return replace(outcome_of(chunk, name, loaded.diagnostics), about=_wanted_grid(loaded.program, name))


def _wanted_grid(program: BoundProgram, name: str | None) -> dict[str, Any]:
    """The grid that a function requires, if it is not one process."""
    try:
        grid = needed_grid(program, find_entry(program, name)) if name else ALONE
    except ProgramError:  # a run that needs the sharding reports it as invalid
        return {}
    return (
        {} if grid == ALONE else {"grid": {"replicas": grid.num_replicas, "partitions": grid.num_partitions}}
    )


def _text(outcome: Outcome, loaded: Loaded | None, options: argparse.Namespace) -> Iterator[str]:
    if outcome.status == "passed":
        name = title_of(outcome.chunk, None, split=options.split_input_file)
        grid = outcome.about.get("grid")
        wants = f", for {Grid(*grid.values())}" if grid else ""
        yield f"{name}: well formed, {size_text(loaded)}{wants}" if loaded else f"{name}: no program"
