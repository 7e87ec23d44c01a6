"""`hloscope compare FILE --against ENGINE`: a program by our engine and by XLA, and where and why they part."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from hloscope.engine.limits import Limits

from ..comparing.against import names_an_engine, parse_against, unknown_engine
from ..comparing.budget import Budget, told_to_terminal
from ..comparing.comparing import compare_with_engine
from ..comparing.our_runs import finished
from ..comparing.python_compare import text_of
from ..comparing.report import EngineComparison, as_json, lines_of
from ..runs.chunks.outcome import WRONG
from ..runs.chunks.reading import Failure
from ..runs.run_files import write_run
from ..xla.engine import ADDRESS_SPACE, SECONDS
from ..xla.failures import XlaFailed
from .comparing import compare as compare_runs
from .comparing import read_tolerance, recording_of


def save_values(path: Path, found: EngineComparison) -> None:
    """The values of the engine as `.npz`, which `hloscope compare` takes for a run."""
    if found.values:
        write_run(path, found.values)
    if found.values_problem:
        print(f"{path.name}: {found.values_problem}", file=sys.stderr)


def compare(options: argparse.Namespace, limits: Limits) -> int:
    """Two runs of ours, or one of ours and the values in a file, or what a second engine makes of the program."""
    if options.against and options.after:
        raise Failure("--against takes the place of the second program: leave one of them out")
    if options.against and names_an_engine(options.against):
        return compare_engines(options, limits)
    if options.against and not Path(options.against).exists():
        raise unknown_engine(options.against)
    options.after = options.after or options.against
    return compare_runs(options, limits)


def compare_engines(options: argparse.Namespace, limits: Limits) -> int:
    """Prints the verdict and what speaks for it, with `--json` as one line; 0 if the engines agree within rounding, else 1."""
    named = parse_against(options.against)
    recording = recording_of(options.before, options, limits)
    run = replace(finished(recording), tolerance=read_tolerance(options.tolerance))
    try:
        with (
            named.engine(SECONDS, ADDRESS_SPACE, len(run.processes)) as engine,
            told_to_terminal() as tell,
        ):
            budget = Budget(options.seconds, tell)
            keep = limits.session_memory_bytes if options.save_values else 0
            found = compare_with_engine(
                engine, text_of(run), run, named.overrides, limits, budget, keep_bytes=keep
            )
    except XlaFailed as failure:
        raise Failure(f"--against {options.against}: {failure}") from None
    if options.save_values:
        save_values(Path(options.save_values), found)
    for line in [json.dumps(as_json(found), allow_nan=False)] if options.json else lines_of(found):
        print(line)
    return 0 if found.is_fine else WRONG
