"""`hloscope passes`: find the XLA pass that changed a program's values, from XLA's dump."""

import argparse
from collections.abc import Iterator, Sequence

from ..base.failure import Failure
from ..base.progress_line import ProgressLine
from ..base.settings import Settings
from ..passes.checksum_logs import module_log_lines
from ..passes.dump_files import DumpLimits, open_dump
from ..passes.examine import examine
from ..passes.read_modules import Request
from ..passes.records import ModuleReport, Report, StageReport
from ..runs.chunks.outcome import count_text
from .batches import add_batch, examine_all
from .compared_runs import EXIT_CODES
from .options import add_settings, positive_count, refuse_options

_HEADINGS = ("stage", "pipeline", "pass", "+", "-", "~", "verdict")
_WORDS = {
    None: "changed",
    "same_text": "",
    "same_bits": "same bits",
    "cannot_run": "cannot run",
    "nan": "NaN",
}


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    command.add_argument(
        "dump",
        metavar="DIR",
        nargs="?",
        help="the folder of --xla_dump_to, or a zip archive of it; none with --batch",
    )
    command.add_argument(
        "--module",
        metavar="RE",
        help="regular expression for module names such as module_0003.jit_f (default: all modules)",
    )
    command.add_argument(
        "--inputs",
        metavar="X.npz",
        help="arrays named in_0, 0 or like the arguments, or else in their order (default: those of a snapshot in DIR, "
        "else made up from the seed)",
    )
    command.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="seed of the inputs that hloscope makes up (default: 0)",
    )
    command.add_argument("--no-run", action="store_true", help="compare only the texts, without running them")
    command.add_argument(
        "--json", action="store_true", help="print one line of JSON per stage, and the first wrong stage last"
    )
    command.add_argument(
        "--jobs",
        type=positive_count,
        metavar="N",
        help="number of parallel processes (default: one per core)",
    )
    add_batch(command, "modules of the dumps")
    add_settings(command)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Print a line for each stage and the verdict; with `--json`, only lines of JSON.

    Returns 0 if every pass keeps the values, 1 if one changed them beyond rounding, made them NaN or changed the
    signature, and 8 if that is unknown, also because a stage cannot run.
    """
    limits = settings.limits()
    request = Request(
        module=options.module,
        inputs=options.inputs,
        seed=options.seed,
        run=not options.no_run,
        jobs=options.jobs,
        limits=limits,
        address_space=settings.worker_rlimit_as_bytes,
    )
    if options.batch:
        return examine_all(options, request)
    refuse_options(options, ("workers",), "--workers is an option of --batch")
    if options.dump is None:
        raise Failure("no dump: name its folder, or a folder of dumps with --batch")
    dump = open_dump(options.dump, DumpLimits(limits.max_program_bytes))
    progress = _Progress()
    report = examine(dump, request, progress.tell)
    progress.end()
    if options.json:
        for line in report.json_lines():
            print(line)
    else:
        for line in table(report):
            print(line)
        for module in dump.module(options.module):
            for line in module_log_lines(dump, module):
                print(line)
    return 0 if report.verdict is None else EXIT_CODES[report.verdict]


class _Progress:
    """The progress line with the latest stage."""

    def __init__(self) -> None:
        self._line, self._count = ProgressLine(), 0

    def tell(self, found: StageReport) -> None:
        """Show a stage."""
        self._count += 1
        self._line.tell(f"stage {self._count}, {found.module.key}: {found.stage.title}")

    def end(self) -> None:
        """Erase the line."""
        self._line.end()


def table(report: Report) -> Iterator[str]:
    """The output for people: a table for each module, why stages cannot run, and the verdict."""
    for found in report.modules:
        yield from _module_lines(found)
        yield ""
    yield report.sentence
    if report.first_wrong is not None:
        yield f"the text is {report.first_wrong.stage.path}"


def _module_lines(found: ModuleReport) -> Iterator[str]:
    inputs = f", inputs from {found.origin}" if found.inputs else ""
    broken = sum(stage.verdict == "cannot_run" for stage in found.stages)
    unrun = f", {broken:,} of them cannot run" if broken else ""
    yield f"{found.module.key}: {count_text(len(found.stages), 'stage')}{unrun}{inputs}"
    rows = [_HEADINGS, *(_row(stage) for stage in found.stages)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.rjust(width) if at in (0, 3, 4, 5) else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()
    yield from _reasons(found.stages)
    if found.original_values is not None:
        yield found.original_values.sentence


def _row(found: StageReport) -> tuple[str, ...]:
    stage = found.stage
    number = "" if stage.number is None else str(stage.number)
    counts = (found.counts.added, found.counts.removed, found.counts.changed)
    repeated = f" ({stage.round})" if stage.round > 1 else ""
    step = f" ({stage.file.name.step})" if stage.file.name.step else ""
    return (
        number,
        f"{stage.pipeline}{repeated}",
        f"{stage.pass_name}{step}",
        *("" if not count else f"{count:,}" for count in counts),
        _verdict(found),
    )


def _verdict(found: StageReport) -> str:
    word = _WORDS.get(found.verdict, str(found.verdict))
    if found.verdict == "rounding" and found.worst is not None and found.worst.ulps is not None:
        return f"{word}, {found.worst.ulps:,.4g} ULP"
    return word


def _reasons(stages: Sequence[StageReport]) -> Iterator[str]:
    """The reasons why stages cannot run, each once."""
    told: dict[str, list[StageReport]] = {}
    for found in stages:
        if found.reason:
            hint = f" ({found.hint})" if found.hint else ""
            told.setdefault(f"{found.reason}{hint}", []).append(found)
    for reason, group in told.items():
        more = f" and {len(group) - 1:,} more" if len(group) > 1 else ""
        yield f"  {group[0].stage.title}{more}: {reason}"
