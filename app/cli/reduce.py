"""`hloscope reduce`: shrink a program that shows a fault, with a script that needs only jax."""

import argparse
import json
import sys
from pathlib import Path

from hloscope.engine.frontend import load
from hloscope.engine.limits import Limits
from hloscope.engine.reduction.case import Case
from hloscope.engine.reduction.search import Counts

from ..base.blas import share_products
from ..base.failure import WRONG, Failure
from ..base.settings import Settings
from ..comparing.reducing.reduction import (
    NothingToReduce,
    Reduction,
    Size,
    case_of_run,
    find_check,
    reduce_case,
)
from ..runs.chunks.outcome import outcome_of
from ..runs.chunks.planning import plan_run
from ..runs.chunks.reading import read_chunk
from ..xla.failures import XlaUnusable
from .options import add_formats, add_inputs, add_settings, duration

TOLD_EVERY = 1.0
"""Minimum interval in seconds between lines about the same stage."""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    command.add_argument("file", metavar="FILE", help="program file; - reads standard input")
    what = command.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--check",
        metavar="TEXT",
        help="the fault that each smaller program must keep: 'differs from xla', 'crashes xla', 'a pass changes values' or 'nan'",
    )
    what.add_argument(
        "--shell",
        metavar="COMMAND",
        help="a shell command that succeeds while the fault is there; it gets the program on standard input and as $PROGRAM, "
        "and the inputs as $INPUTS",
    )
    command.add_argument(
        "--entry", metavar="NAME", help="the function to reduce (default: main, or the only one)"
    )
    command.add_argument("--out", metavar="DIR", help="folder for the result (default: FILE.reduced)")
    command.add_argument(
        "--seconds", type=duration, metavar="N", help="time limit of the search (default: none)"
    )
    command.add_argument(
        "--check-seconds",
        type=duration,
        default=60.0,
        metavar="N",
        help="time limit of each check in seconds (default: %(default)g)",
    )
    command.add_argument(
        "--xla-flags", default="", metavar="FLAGS", help="XLA_FLAGS for the processes that run XLA"
    )
    command.add_argument("--json", action="store_true", help="print the outcome as one line of JSON")
    command.set_defaults(replicas=None, partitions=None, infeed=[], host_values=[])
    add_formats(command)
    add_inputs(command)
    add_settings(command)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Write the smallest program that was found; 0, or 1 if there is nothing to reduce."""
    share_products(settings.blas_thread_count())
    limits = settings.limits()
    case = _case(options, limits)
    if case is None:
        return WRONG
    named = f"$ {options.shell}" if options.shell else options.check
    flags = options.xla_flags.split()
    check = find_check(named, flags, limits, options.check_seconds, case.grid.num_processes)
    try:
        found = reduce_case(case, check, flags, limits, options.seconds, _Progress().tell)
    except NothingToReduce as problem:
        return _nothing(str(problem), options)
    except XlaUnusable as problem:
        raise Failure(str(problem)) from None
    files = found.write(options.out or _folder_of(options.file))
    _say(found, files, options)
    return 0


def _case(options: argparse.Namespace, limits: Limits) -> Case | None:
    """The program with its inputs; `None` if it has errors, which are printed."""
    chunk = read_chunk(options.file, limits, options)
    loaded = load(chunk.source, limits)
    if loaded.program is None:
        for line in outcome_of(chunk, None, loaded.diagnostics).complaints():
            print(line, file=sys.stderr)
        return None
    return case_of_run(plan_run(chunk, loaded.program, options, limits))


def _folder_of(file: str) -> str:
    return "reduced" if file == "-" else f"{Path(file).with_suffix('')}.reduced"


class _Progress:
    """Progress on standard error: each new stage, and the reductions since the last line."""

    def __init__(self) -> None:
        self._stage = ""
        self._told = 0.0

    def tell(self, seconds: float, stage: str, size: Size, counts: Counts) -> None:
        """Print the state of the search, for a new stage or after a second of silence."""
        if stage != self._stage or seconds - self._told >= TOLD_EVERY:
            self._stage, self._told = stage, seconds
            print(f"{seconds:6.1f} s  {stage}: {size}; {counts.checks:,} checks", file=sys.stderr, flush=True)


def _nothing(problem: str, options: argparse.Namespace) -> int:
    if options.json:
        print(json.dumps({"problem": problem}))
    print(f"hloscope: {problem}", file=sys.stderr)
    return WRONG


def _say(found: Reduction, files: dict[str, str], options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps({**found.as_json(), "files": files}, ensure_ascii=False, allow_nan=False))
        return
    ends = {"done": "", "time": " (time limit reached)", "interrupted": " (interrupted)"}
    print(
        f"{found.before} → {found.after} in {found.seconds:.1f} s and {found.counts.checks:,} checks{ends[found.ended]}"
    )
    if found.finding:
        print(found.finding)
    if not found.is_deterministic:
        first, last = found.held_at_first, found.held
        print(
            f"the check is not deterministic: it held {first[0]} of {first[1]} times on the original, {last[0]} of {last[1]} "
            "times on the result"
        )
    print(f"\n{found.text.rstrip()}\n")
    for name, path in files.items():
        print(f"{name + ':':9}{path}")
