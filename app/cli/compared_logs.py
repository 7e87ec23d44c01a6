"""`hloscope compare`: two logs of the checksums that XLA took of buffers."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from hloscope.engine.comparison.difference import Verdict
from hloscope.engine.passes.buffer_logs import HEAD_BYTES, LogComparison, is_log

from ..passes.checksum_logs import compare_log_files
from .compared_runs import EXIT_CODES
from .options import refuse_options

_OF_RUNS = (
    *("inputs", "input", "on", "entry", "tolerance"),
    *("other_entry", "other_inputs", "other_replicas", "other_partitions"),
)  # fmt: skip


def are_logs(options: argparse.Namespace) -> bool:
    """Whether both operands are logs."""
    paths = [Path(name) for name in (options.before, options.after) if name]
    return len(paths) == 2 and all(path.is_file() and is_log(_head(path)) for path in paths)


def _head(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(HEAD_BYTES)


def compare(options: argparse.Namespace) -> int:
    """Print where the logs differ; the exit code of the verdict."""
    refuse_options(options, _OF_RUNS, "logs of checksums are compared without a run")
    found, sentences = compare_log_files(Path(options.before), Path(options.after))
    verdict = _verdict(found)
    for line in [json.dumps({"verdict": verdict, **asdict(found)})] if options.json else sentences:
        print(line)
    return EXIT_CODES[verdict]


def _verdict(found: LogComparison) -> Verdict:
    return "different" if found.differing else "unknown" if found.unpaired else "same"
