"""The options `--batch` of commands, and the printing of a batch's report."""

import argparse
import asyncio
import json
import os
import sys
from pathlib import Path

from hloscope.engine.limits import Limits

from ..base.cores import cores
from ..base.errors import ApiError
from ..base.failure import NO_CLUSTER, UNKNOWN, WRONG, Failure
from ..base.progress_line import ProgressLine
from ..comparing.batch.clusters import HTML, Baseline, BatchReport, lines_of
from ..comparing.batch.compare import Batch, compare_batch
from ..comparing.batch.passes import examine_batch
from ..comparing.batch.pool import Workers
from ..passes.read_modules import Request
from .compared_runs import read_tolerance
from .options import duration, positive_count, refuse_options

RUN_OPTIONS = (
    "entry", "size", "platform", "input", "seed", "bind", "replicas", "partitions", "infeed", "host_values",
)  # fmt: skip
"""The options that state the run of each program."""
SINGLE = (
    "before",
    "after",
    "between",
    "save_values",
    "save_texts",
    "inputs",
    "other_inputs",
    "other_entry",
    "other_replicas",
    "other_partitions",
)
"""The options of a single comparison, which a batch does not have."""
AUTO = "auto"
EXIT_CODES = {"same": 0, "different": WRONG, "unknown": UNKNOWN}


def add_batch(command: argparse.ArgumentParser, what: str) -> None:
    """Add the options of a batch of programs or dumps."""
    batch = command.add_argument_group("batches")
    batch.add_argument("--batch", metavar="DIR", help=f"examine all {what} in a folder or a zip archive")
    batch.add_argument(
        "--output",
        metavar="FOLDER",
        help="folder for report.json, report.html and finished verdicts, which a second run reuses (default: DIR.batch)",
    )
    batch.add_argument(
        "--baseline",
        metavar="REPORT.json",
        help="an earlier report: the exit code is 1 only for clusters that it lacks",
    )
    batch.add_argument(
        "--case-seconds",
        type=duration,
        default=30.0,
        metavar="N",
        help="time limit of the reduction of each cluster's smallest program; 0: no reduction (default: %(default)g)",
    )
    batch.add_argument(
        "--workers",
        type=_where,
        metavar="WHERE",
        help="run the batch on a Ray cluster: HOST:6379, ray://HOST:10001, or auto: a cluster that is found, else this machine; "
        "or a number such as 8: as --jobs",
    )


def _where(text: str) -> str:
    return str(positive_count(text)) if text.lstrip("-").isdecimal() else text


def add_batch_jobs(command: argparse.ArgumentParser) -> None:
    """Add the options of a batch that compares."""
    command.add_argument(
        "--jobs",
        type=positive_count,
        metavar="N",
        help="number of parallel processes, with --batch (default: one per core)",
    )


def workers_of(options: argparse.Namespace) -> Workers:
    """The workers that `--workers` and `--jobs` describe; says which cluster they are on."""
    where: str = options.workers or ""
    if where.isdecimal():
        refuse_options(options, ("jobs",), f"--workers {where} is the number of processes too")
        return Workers(int(where))
    if not where:
        return Workers(options.jobs or cores())
    from ..workers.cluster import describe, sentence
    from ..workers.seats import unusable

    try:
        found = asyncio.run(describe(where))
    except ApiError as error:
        if where != AUTO or os.environ.get("RAY_ADDRESS"):
            raise unusable(error) from None
        print(f"The batch runs on this machine. {unusable(error)}", file=sys.stderr)
        return Workers(options.jobs or cores())
    if found["cpus"] < 1:
        message = f"The Ray cluster '{where}' has no CPU for workers: `ray start --address=…` adds a node."
        raise Failure(message, NO_CLUSTER)
    print(f"The batch runs on {sentence(found)}", file=sys.stderr)
    return Workers(options.jobs or int(found["cpus"]), where)


def compare_all(options: argparse.Namespace, limits: Limits) -> int:
    """Compare all programs with XLA; 0 if all are the same, 1 if some differ, 8 if that is unknown."""
    refuse_options(options, SINGLE, "--batch compares many programs")
    if not options.against:
        raise Failure("--batch compares programs with an engine: add --against xla")
    tolerance = read_tolerance(options.tolerance)
    workers = workers_of(options)
    line = ProgressLine()
    try:
        report = compare_batch(
            Batch(
                options.batch,
                output_of(options),
                options.against,
                {name: getattr(options, name) for name in RUN_OPTIONS} | {"inputs": None},
                limits,
                workers,
                options.seconds,
                options.case_seconds,
                None if tolerance is None else (tolerance.absolute, tolerance.relative),
                Baseline.read(options.baseline) if options.baseline else None,
            ),
            line.tell,
        )
    finally:
        line.end()
    return print_report(report, options)


def examine_all(options: argparse.Namespace, request: Request) -> int:
    """Examine all modules of the dumps; the exit codes of `compare_all`."""
    refuse_options(options, ("dump", "inputs", "no_run"), "--batch runs the modules of many dumps")
    baseline = Baseline.read(options.baseline) if options.baseline else None
    workers = workers_of(options)
    line = ProgressLine()
    try:
        report = examine_batch(
            options.batch, output_of(options), request, workers, options.case_seconds, baseline, line.tell
        )
    finally:
        line.end()
    return print_report(report, options)


def output_of(options: argparse.Namespace) -> Path:
    """The folder of the reports."""
    return Path(options.output or f"{options.batch.rstrip('/')}.batch")


def print_report(report: BatchReport, options: argparse.Namespace) -> int:
    """Print the clusters and the counts, or with `--json` the whole report; the exit code."""
    if options.json:
        print(json.dumps(report.as_json(), ensure_ascii=False, allow_nan=False))
    else:
        for told in lines_of(report):
            print(told)
        print(f"the report is {output_of(options) / HTML}")
    return EXIT_CODES[report.verdict]
