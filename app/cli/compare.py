"""`hloscope compare FILE --against ENGINE`: compare with XLA, and locate the divergence."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from hloscope.engine.limits import Limits

from ..base.blas import share_products
from ..base.settings import Settings
from ..comparing.against import names_an_engine, parse_against, unknown_engine
from ..comparing.budget import SECONDS as SEARCH_SECONDS
from ..comparing.budget import Budget, told_to_terminal
from ..comparing.comparing import compare_with_engine
from ..comparing.our_runs import finished
from ..comparing.python_compare import text_of
from ..comparing.report import EngineComparison, as_json, lines_of
from ..runs.chunks.outcome import UNKNOWN, WRONG
from ..runs.chunks.reading import Failure
from ..runs.value_files import write_values
from ..xla.engine import ADDRESS_SPACE, SECONDS
from ..xla.failures import XlaFailed
from .batches import add_batch, add_batch_jobs, compare_all
from .compared_runs import compare as compare_runs
from .compared_runs import read_tolerance, recording_of
from .options import add_entry, add_formats, add_grid, add_inputs, add_settings, positive_count


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    command.add_argument("before", metavar="A", nargs="?", help="the program; none with --batch")
    command.add_argument(
        "after",
        metavar="B",
        nargs="?",
        help="another program, an .npz of named values (as hloscope.save_run writes it), or a folder of probes with an "
        "index.csv (default: the same program on other inputs or another grid)",
    )
    command.add_argument(
        "--against",
        metavar="ENGINE",
        help="compare with an engine instead of B: xla (on the CPU), gpu, tpu, device (the default device of jax), "
        "jaxlib==VERSION, or a file like B. Flags follow a colon: 'xla:xla_disable_hlo_passes=fusion'. If XLA differs "
        "beyond rounding, hloscope searches for the first differing value and the culprit",
    )
    command.add_argument(
        "--seconds",
        type=positive_count,
        default=int(SEARCH_SECONDS),
        metavar="N",
        help="time limit of the search for the culprit, with --against ENGINE (default: %(default)s)",
    )
    command.add_argument(
        "--save-values",
        metavar="Y.npz",
        help="save the named results and intermediate values of the engine, with --against ENGINE, for a later comparison",
    )
    command.add_argument(
        "--tolerance",
        metavar="R[,A]",
        help="errors that count as rounding: relative to each element and absolute (default: the rounding-error bound of "
        "each value)",
    )
    command.add_argument(
        "--repeat",
        type=positive_count,
        default=1,
        metavar="N",
        help="run the compiled program N times and list what changes from run to run, with --against ENGINE",
    )
    command.add_argument("--all", action="store_true", help="list all pairs that differ")
    command.add_argument(
        "--json",
        action="store_true",
        help="print one line of JSON per differing pair, and the verdict last",
    )
    add_entry(command)
    command.add_argument("--other-entry", metavar="NAME", help="the function of the second run")
    command.add_argument(
        "--other-inputs", metavar="X.npz", help="the inputs of the second run (default: the same)"
    )
    for name in ("replicas", "partitions"):
        command.add_argument(
            f"--other-{name}", type=positive_count, metavar="N", help=f"number of {name} of the second run"
        )
    add_batch(command, "programs")
    add_batch_jobs(command)
    add_formats(command)
    add_inputs(command)
    add_grid(command)
    add_settings(command)


def save_values(path: Path, found: EngineComparison) -> None:
    """Save the engine's values as an `.npz` that `hloscope compare` accepts as a run."""
    if found.values:
        write_values(path, found.values)
    if found.values_problem:
        print(f"{path.name}: {found.values_problem}", file=sys.stderr)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Compare two runs of ours, a run with the values in a file, or a run with a second engine."""
    share_products(settings.blas_thread_count())
    limits = settings.limits()
    if options.batch:
        if options.against and not names_an_engine(options.against):
            raise unknown_engine(options.against)
        return compare_all(options, limits)
    if options.before is None:
        raise Failure("no program: name one, or a folder of programs with --batch")
    if options.against and options.after:
        raise Failure("--against replaces the second program: remove one of them")
    if options.against and names_an_engine(options.against):
        return compare_engines(options, limits)
    if options.repeat > 1:
        raise Failure("--repeat runs an engine again: name one with --against, such as --against xla")
    if options.against and not Path(options.against).exists():
        raise unknown_engine(options.against)
    options.after = options.after or options.against
    return compare_runs(options, limits)


def compare_engines(options: argparse.Namespace, limits: Limits) -> int:
    """Print the verdict and its evidence, with `--json` as one line.

    Returns 0 if the engines agree within rounding, 8 if that is unknown, else 1.
    """
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
                *(engine, text_of(run), run, named.overrides, limits, budget),
                keep_bytes=keep,
                repeat=options.repeat,
            )
    except XlaFailed as failure:
        raise Failure(f"--against {options.against}: {failure}") from None
    if options.save_values:
        save_values(Path(options.save_values), found)
    for line in [json.dumps(as_json(found), allow_nan=False)] if options.json else lines_of(found):
        print(line)
    return UNKNOWN if found.verdict == "unknown" else 0 if found.is_fine else WRONG
