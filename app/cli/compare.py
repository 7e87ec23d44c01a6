"""`hloscope compare FILE --against ENGINE`: compare with XLA, and locate the divergence."""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from hloscope.engine.limits import Limits

from ..base.blas import share_products
from ..base.failure import UNKNOWN, WRONG, Failure
from ..base.settings import Settings
from ..comparing.against import names_an_engine, parse_against, unknown_engine
from ..comparing.budget import SECONDS as SEARCH_SECONDS
from ..comparing.budget import Budget, told_to_terminal
from ..comparing.comparing import compare_with_engine
from ..comparing.our_runs import OurRun, finished
from ..comparing.pair_report import EnginePair, lines_of_pair, pair_json
from ..comparing.python_compare import compare_between
from ..comparing.report import EngineComparison, as_json, lines_of
from ..runs.value_files import ABOUT, about_array, write_values
from ..xla.engine import ADDRESS_SPACE, SECONDS
from ..xla.failures import XlaFailed
from . import compared_logs
from .batches import add_batch, add_batch_jobs, compare_all
from .compared_runs import EXIT_CODES, read_tolerance, recording_of
from .compared_runs import compare as compare_runs
from .options import (
    add_entry,
    add_formats,
    add_grid,
    add_inputs,
    add_on,
    add_settings,
    positive_count,
    refuse_options,
)

_ONE_ENGINE = "--repeat runs an engine again: name one with --against, such as --against xla"


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    command.add_argument("before", metavar="A", nargs="?", help="the program; none with --batch")
    command.add_argument(
        "after",
        metavar="B",
        nargs="?",
        help="another program, a recording that `hloscope bundle` wrote, an .npz of named values (as hloscope.save_run "
        "writes it), a .tfrecord of buffers that XLA saved, or a folder of probes with an index.csv (default: the same program on other inputs or another grid); or A "
        "and B are two logs of checksums of XLA's buffers",
    )
    command.add_argument(
        "--against",
        metavar="ENGINE",
        help="compare with an engine instead of B: xla (on the CPU), gpu, tpu, device (the default device of jax), "
        "jaxlib==VERSION, or a file like B. Flags follow a colon: 'xla:xla_disable_hlo_passes=fusion'. If XLA differs "
        "beyond rounding, hloscope searches for the first differing value and the culprit",
    )
    command.add_argument(
        "--between",
        nargs=2,
        metavar="ENGINE",
        help="compare two engines of --against with each other: their results and their optimised texts, for example "
        "jaxlib==0.9.2 jaxlib==0.10.2",
    )
    command.add_argument(
        "--seconds",
        type=positive_count,
        default=int(SEARCH_SECONDS),
        metavar="N",
        help="time limit of the engines, with --against ENGINE or --between (default: %(default)s)",
    )
    command.add_argument(
        "--save-values",
        metavar="Y.npz",
        help="save the named results and intermediate values of the engine, with --against ENGINE, for a later comparison",
    )
    command.add_argument(
        "--save-texts",
        metavar="DIR",
        help="save the optimised texts of both engines, with --between; hloscope serve DIR shows them side by side",
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
        "--json", action="store_true", help="print one line of JSON per differing pair, and the verdict last"
    )
    add_on(
        command, "record the second run, by default of the same program, with the values that XLA computes"
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
        write_values(path, {**found.values, ABOUT: about_array({"engine": found.engine})})
    if found.values_problem:
        print(f"{path.name}: {found.values_problem}", file=sys.stderr)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Compare two runs of ours, a run with the values in a file or a second engine, or two engines."""
    share_products(settings.blas_thread_count())
    limits = settings.limits()
    if options.batch:
        if options.against and not names_an_engine(options.against):
            raise unknown_engine(options.against)
        return compare_all(options, limits)
    refuse_options(options, ("workers",), "--workers is an option of --batch")
    if options.before is None:
        raise Failure("no program: name one, or a folder of programs with --batch")
    if options.between:
        return compare_pair(options, limits)
    if options.against and options.after:
        raise Failure("--against replaces the second program: remove one of them")
    if options.against and names_an_engine(options.against):
        return compare_engines(options, limits)
    if options.repeat > 1:
        raise Failure(_ONE_ENGINE)
    if options.against and not Path(options.against).exists():
        raise unknown_engine(options.against)
    options.after = options.after or options.against
    if compared_logs.are_logs(options):
        return compared_logs.compare(options)
    return compare_runs(options, limits)


def compare_engines(options: argparse.Namespace, limits: Limits) -> int:
    """Print the verdict and its evidence, with `--json` as one line.

    Returns 0 if the engines agree within rounding, 8 if that is unknown, else 1.
    """
    named = parse_against(options.against)
    run = _our_run(options, limits)
    try:
        with named.engine(SECONDS, ADDRESS_SPACE, len(run.processes)) as engine, told_to_terminal() as tell:
            budget = Budget(options.seconds, tell)
            keep = limits.session_memory_bytes if options.save_values else 0
            found = compare_with_engine(
                *(engine, run.text, run, named.overrides, limits, budget),
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


def _our_run(options: argparse.Namespace, limits: Limits) -> OurRun:
    recording = recording_of(options.before, options, limits)
    return replace(finished(recording), tolerance=read_tolerance(options.tolerance))


def compare_pair(options: argparse.Namespace, limits: Limits) -> int:
    """Print how two engines differ, with `--json` as one line; the exit code of the verdict."""
    refuse_options(options, ("after", "against", "save_values"), "--between compares two engines")
    if options.repeat > 1:
        raise Failure(_ONE_ENGINE)
    run = _our_run(options, limits)
    try:
        with told_to_terminal() as tell:
            found = compare_between(run, options.between, limits, lambda: Budget(options.seconds, tell))
    except XlaFailed as failure:
        raise Failure(f"--between {' '.join(options.between)}: {failure}") from None
    if options.save_texts:
        save_texts(Path(options.save_texts), found)
    lines = (
        [json.dumps(pair_json(found), allow_nan=False)]
        if options.json
        else lines_of_pair(found, whole=options.all)
    )
    for line in lines:
        print(line)
    return EXIT_CODES[found.verdict]


def save_texts(folder: Path, found: EnginePair) -> None:
    """Save both optimised texts as the stages of a dump."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, side in enumerate(found.sides, 1):
        (folder / f"{number}.hlo").write_text(side.text)
