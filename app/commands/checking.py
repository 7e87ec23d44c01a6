"""`hloscope check`: what is wrong with programs, without running them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hloscope.engine.entry import find_entry
from hloscope.engine.errors import ProgramError
from hloscope.engine.frontend import Loaded, load
from hloscope.engine.limits import Limits
from hloscope.engine.ops.process_groups import ALONE, Grid
from hloscope.engine.process_grid.sharded_inputs import needed_grid
from hloscope.engine.program import BoundProgram

from .outcome import Outcome, exit_code, guarded, is_well, judged, misused, titled, well_formed
from .reading import Chunk, Failure, entry_function, read_chunks


def check(options: argparse.Namespace, limits: Limits) -> int:
    """Prints what is wrong with each program, or one line that all is well.

    With `--json`, a line for each program as `outcome.Outcome.line` writes it.
    """

    def checked(chunk: Chunk) -> tuple[Outcome, list[str]]:
        loaded = None if chunk.is_blank else load(chunk.source, limits)
        outcome = _outcome(chunk, loaded, options.entry) if loaded else judged(chunk, None, ())
        return outcome, list(_text(outcome, loaded, options))

    outcomes = []
    for chunk in read_chunks(options.files, limits, split=options.split_input_file):
        outcome, lines = guarded(chunk, checked)
        outcomes.append(outcome)
        for line in [outcome.line()] if options.json else [*outcome.complaints(), *lines]:
            print(line, flush=True)
    return exit_code(outcomes)


def _outcome(chunk: Chunk, loaded: Loaded, entry: str | None) -> Outcome:
    if not is_well(loaded) or loaded.program is None:
        return judged(chunk, None, loaded.diagnostics)
    name: str | None = None
    if entry:
        try:
            name = entry_function(loaded.program, entry).name
        except Failure as problem:
            return misused(chunk, None, problem)
    else:
        name = loaded.program.entry.function.name if loaded.program.entry else None
    return replace(judged(chunk, name, loaded.diagnostics), about=_wanted(loaded.program, name))


def _wanted(program: BoundProgram, name: str | None) -> dict[str, Any]:
    """The grid that a function wants to run on, where that is not one process."""
    try:
        grid = needed_grid(program, find_entry(program, name)) if name else ALONE
    except ProgramError:  # a sharding that makes no sense is said when a run needs it
        return {}
    return (
        {} if grid == ALONE else {"grid": {"replicas": grid.num_replicas, "partitions": grid.num_partitions}}
    )


def _text(outcome: Outcome, loaded: Loaded | None, options: argparse.Namespace) -> Iterator[str]:
    if outcome.status == "passed":
        name = titled(outcome.chunk, None, split=options.split_input_file)
        grid = outcome.about.get("grid")
        wants = f", for {Grid(*grid.values())}" if grid else ""
        yield f"{name}: well formed, {well_formed(loaded)}{wants}" if loaded else f"{name}: no program"
