"""`hloscope check`: report errors in programs, without running them."""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hloscope.engine.communication import HangLog, check_collectives, explain_hang, read_hang_log
from hloscope.engine.entry import find_entry
from hloscope.engine.errors import LimitError, ProgramError
from hloscope.engine.frontend import Loaded, load
from hloscope.engine.limits import Limits
from hloscope.engine.ops.core.process_groups import ALONE, Grid

from ..base.failure import Failure
from ..base.settings import Settings
from ..runs.chunks.outcome import (
    Outcome,
    count_text,
    is_well,
    outcome_of,
    print_outcomes,
    size_text,
    title_of,
    usage_outcome,
)
from ..runs.chunks.reading import Chunk, entry_function
from ..runs.launching import choose_grid
from .options import add_grid_size, add_programs, add_settings


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_programs(command)
    add_grid_size(command)
    command.add_argument(
        "--hang-log",
        metavar="LOG",
        help="the log of a job that hangs: print which collective its threads wait in, and how many have arrived",
    )
    add_settings(command)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Print the diagnostics of each program, and one line if there are no errors.

    With `--json`, a line for each program as `outcome.Outcome.line` writes it.
    """
    limits = settings.limits()
    log = _read_log(options.hang_log, limits) if options.hang_log else None

    def check_chunk(chunk: Chunk) -> tuple[Outcome, list[str]]:
        loaded = None if chunk.is_blank else load(chunk.source, limits)
        outcome = _outcome(chunk, loaded, options, limits, log) if loaded else outcome_of(chunk, None, ())
        return outcome, list(_text(outcome, loaded, options))

    return print_outcomes(options, limits, check_chunk)


def _read_log(name: str, limits: Limits) -> HangLog:
    path = Path(name)
    try:
        if path.stat().st_size > limits.max_program_bytes:
            raise Failure(
                f"{name} is larger than max_program_bytes = {limits.max_program_bytes:,}; cut it down"
            )
        return read_hang_log(path.read_text("utf-8", "replace"), path.name)
    except OSError as error:
        raise Failure(f"cannot read {name}: {error.strerror}") from None


def _outcome(
    chunk: Chunk, loaded: Loaded, options: argparse.Namespace, limits: Limits, log: HangLog | None
) -> Outcome:
    program = loaded.program
    if not is_well(loaded) or program is None:
        return outcome_of(chunk, None, loaded.diagnostics)
    name: str | None = None
    if options.entry:
        try:
            name = entry_function(program, options.entry).name
        except Failure as problem:
            return usage_outcome(chunk, None, problem)
    else:
        name = program.entry.function.name if program.entry else None
    if name is None:
        return outcome_of(chunk, None, loaded.diagnostics)
    function = find_entry(program, name)
    try:
        grid = choose_grid(program, function, limits, options.replicas, options.partitions)
    except LimitError as problem:
        return usage_outcome(chunk, name, problem)
    except ProgramError:  # a run that needs the sharding reports it as invalid
        grid = ALONE
    found = check_collectives(program, function, grid, limits)
    sizes = {"replicas": grid.num_replicas, "partitions": grid.num_partitions}
    about: dict[str, Any] = {} if grid == ALONE else {"grid": sizes}
    if log is not None:
        report = explain_hang(program, function, grid, log)
        found = (*found, *report.notes)
        about["hang"] = {"others": report.others, "lines": log.lines_read, "other_lines": log.other_lines}
    return replace(outcome_of(chunk, name, (*loaded.diagnostics, *found)), about=about)


def _text(outcome: Outcome, loaded: Loaded | None, options: argparse.Namespace) -> Iterator[str]:
    if hang := outcome.about.get("hang"):
        yield from hang["others"]
        lines = count_text(hang["lines"], "line")
        yield f"{Path(options.hang_log).name}: {lines} about waits; other lines: {hang['other_lines']:,}"
    if outcome.status == "passed":
        name = title_of(outcome.chunk, None, split=options.split_input_file)
        grid = outcome.about.get("grid")
        wants = f", for {Grid(*grid.values())}" if grid else ""
        yield f"{name}: well formed, {size_text(loaded)}{wants}" if loaded else f"{name}: no program"
