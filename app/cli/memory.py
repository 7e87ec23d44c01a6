"""`hloscope memory`: print what fills a program's memory at its peak, and the bytes of its collectives."""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from zipfile import is_zipfile

from hloscope.engine.entry import find_entry
from hloscope.engine.frontend import load
from hloscope.engine.limits import Limits

from ..base.failure import WRONG, Failure
from ..base.settings import Settings
from ..passes.dump_files import DumpLimits, open_dump
from ..passes.memory_reports import (
    MOST_BUFFERS,
    MemoryReport,
    difference_lines,
    dump_reports,
    matching_reports,
    report_of,
)
from ..runs.chunks.outcome import is_well, outcome_of
from ..runs.chunks.reading import entry_function, read_chunk
from .options import add_entry, add_formats, add_settings, positive_count


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    command.add_argument(
        "before",
        metavar="FILE",
        help="a program, or a dump: the folder of --xla_dump_to, or a zip archive of it, whose last texts are read",
    )
    command.add_argument(
        "after", metavar="OTHER", nargs="?", help="another program or dump, to print what changed"
    )
    command.add_argument(
        "--module",
        metavar="RE",
        help="regular expression for the names of a dump's modules (default: all modules)",
    )
    command.add_argument(
        "--top",
        type=positive_count,
        default=MOST_BUFFERS,
        metavar="N",
        help=f"number of buffers at the peak to list (default: {MOST_BUFFERS})",
    )
    command.add_argument("--json", action="store_true", help="print one line of JSON per program")
    add_entry(command)
    add_formats(command)
    add_settings(command)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Print a report for each program; with OTHER, the differences of programs with the same name.

    Live bytes follow from the text alone; a dump also has what XLA allocated.
    """
    limits = settings.limits()
    before = _reports(options.before, options, limits)
    if options.after is None:
        _print(before, options)
        return 0
    after = _reports(options.after, options, limits)
    pairs = list(matching_reports(before, after))
    if not pairs:
        raise Failure(f"{options.before} and {options.after} have no module of the same name")
    if options.json:
        _print([report for pair in pairs for report in pair], options)
        return 0
    for first, second in pairs:
        for line in difference_lines(first, second):
            print(line)
    return 0


def _print(reports: Sequence[MemoryReport], options: argparse.Namespace) -> None:
    for line in _lines(reports, options):
        print(line)


def _lines(reports: Sequence[MemoryReport], options: argparse.Namespace) -> Iterator[str]:
    for report in reports:
        if options.json:
            yield json.dumps(report.json(options.top), ensure_ascii=False)
        else:
            yield from report.lines(options.top)


def _reports(name: str, options: argparse.Namespace, limits: Limits) -> Sequence[MemoryReport]:
    path = Path(name)
    if path.is_dir() or (path.is_file() and is_zipfile(path) and not name.endswith((".npz", ".pt2"))):
        return dump_reports(open_dump(path, DumpLimits(limits.max_program_bytes)), options.module, limits)
    chunk = read_chunk(name, limits, options)
    loaded = load(chunk.source, limits)
    if loaded.program is None or not is_well(loaded):
        complaints = "\n".join(outcome_of(chunk, None, loaded.diagnostics).complaints())
        raise Failure(complaints or f"{name} is not a valid program", WRONG)
    function = find_entry(loaded.program, entry_function(loaded.program, options.entry).name)
    return [report_of(name, loaded.program, function)]
