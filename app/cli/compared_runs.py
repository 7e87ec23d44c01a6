"""`hloscope compare`: compare two runs, and find the first value that diverges."""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hloscope.engine.comparison.difference import Tolerance, Verdict
from hloscope.engine.comparison.runs import ComparedValue, RunComparison, compare_recordings
from hloscope.engine.comparison.sentences import difference_text, note_text, title_of, verdict_sentence
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.limits import Limits
from hloscope.engine.ops.core.op import Array
from hloscope.engine.process_grid import Launch
from hloscope.engine.program import BoundProgram

from ..base.failure import UNKNOWN, WRONG, Failure
from ..present.run_comparison import comparison_json
from ..runs.chunks.planning import plan_run, program_of, record_all
from ..runs.chunks.reading import Chunk, read_chunk
from ..runs.chunks.results import named_results
from ..runs.launching import cast_floats
from ..runs.saved_runs import is_saved_run
from ..runs.value_files import compare_with_values, is_value_file, read_values
from .options import with_executor

EXIT_CODES: Mapping[Verdict, int] = {"same": 0, "different": WRONG, "unknown": UNKNOWN}
MOST_ROWS = 40
"""Maximum rows of the table without `--all`."""


def compare(options: argparse.Namespace, limits: Limits) -> int:
    """Print the differing pairs and the divergence; the exit code of the verdict."""
    ours = argparse.Namespace(**{**vars(options), "on": None, "strict": False})
    chunk = read_chunk(options.before, limits, ours)
    before = _recording(chunk, ours, limits, program_of(chunk, limits))
    tolerance = read_tolerance(options.tolerance)
    found = _compare_with(before, chunk.results, options, limits, tolerance)
    lines = (
        [json.dumps(each, allow_nan=False) for each in comparison_json(before, found)]
        if options.json
        else _lines(before, found, whole=options.all)
    )
    for line in lines:
        print(line)
    return EXIT_CODES[found.verdict]


def _compare_with(
    before: Recording,
    recorded: Sequence[Array],
    options: argparse.Namespace,
    limits: Limits,
    tolerance: Tolerance | None,
) -> RunComparison:
    if options.after and is_value_file(Path(options.after)) and not is_saved_run(Path(options.after)):
        return compare_values(
            before, read_values(Path(options.after), limits.session_memory_bytes), tolerance
        )
    other = _options_of_other(options)
    if options.after is None and other is None and recorded:
        return compare_values(before, named_results(recorded), tolerance)
    if options.after is None and other is None:
        raise Failure(
            "nothing to compare with: name a second program or run, or give --on, --other-inputs or another grid"
        )
    if options.after is None:
        assert other is not None
        return compare_recordings(
            before, recording_of(options.before, other, limits, before.program), tolerance
        )
    return compare_recordings(before, _other_program(before, options, other, limits), tolerance)


def compare_values(before: Recording, values: dict[str, Array], tolerance: Tolerance | None) -> RunComparison:
    """Compare a recording with named values of another run: a file, a device or another engine."""
    found = compare_with_values(before, values, tolerance)
    if not found.values and not found.results:
        known = ", ".join(sorted(values)[:5])
        raise Failure(
            f"the file has no value of the run; it has {known}, …: name arrays as the program does, "
            "%5 or 5, and inputs and results in_0 and out_0"
        )
    return found


def _options_of_other(options: argparse.Namespace) -> argparse.Namespace | None:
    """The options of the second run, where they differ."""
    changed = {
        "on": options.on,
        "inputs": options.other_inputs,
        "replicas": options.other_replicas,
        "partitions": options.other_partitions,
        "entry": options.other_entry,
    }
    if not any(changed.values()):
        return None
    stated = {name: value for name, value in changed.items() if value}
    found = argparse.Namespace(**{**vars(options), **stated})
    if options.other_inputs:
        found.input = []
    return found


def _other_program(
    before: Recording, options: argparse.Namespace, other: argparse.Namespace | None, limits: Limits
) -> Recording:
    chunk = read_chunk(options.after, limits, options)
    ours = before.program
    program = ours if chunk.source.text == ours.module.source.text else program_of(chunk, limits)
    if chunk.saved is not None:
        own = argparse.Namespace(**{**vars(options), "inputs": None, "input": [], "on": None})
        return _recording(chunk, own, limits, program)
    if other is not None and options.other_inputs:
        return _recording(chunk, other, limits, program)
    launch = before.launch
    wanted = program.entry
    count = len(wanted.function.arguments) if wanted else 0
    if other is not None or any(len(given) != count for given in launch.inputs):
        return _recording(chunk, other or options, limits, program)
    cast = tuple(tuple(cast_floats(program, given)) for given in launch.inputs)
    return _finish(
        Recording(program, Launch(launch.grid, cast, launch.feeds), limits, options.other_entry), chunk
    )


def recording_of(
    file: str, options: argparse.Namespace, limits: Limits, program: BoundProgram | None = None
) -> Recording:
    """The completed recording of a program."""
    chunk = read_chunk(file, limits, options)
    return _recording(chunk, options, limits, program or program_of(chunk, limits))


def _recording(chunk: Chunk, options: argparse.Namespace, limits: Limits, program: BoundProgram) -> Recording:
    plan = with_executor(plan_run(chunk, program, options, limits), options)
    return _finish(replace(plan, limits=limits).recording(), chunk)


def _finish(recording: Recording, chunk: Chunk) -> Recording:
    state = record_all(recording)
    if state.kind != "done":
        raise Failure(state.describe(chunk.source), WRONG)
    return recording


def read_tolerance(text: str | None) -> Tolerance | None:
    """Parse `RELATIVE` or `RELATIVE,ABSOLUTE`; `None` for the rounding-error bound."""
    if text is None:
        return None
    try:
        relative, *rest = [float(part) for part in text.split(",")]
    except ValueError:
        relative, rest = -1.0, []
    if relative < 0 or len(rest) > 1 or any(part < 0 for part in rest):
        raise Failure(
            f"--tolerance {text}: give a relative error such as 1e-5, or a relative and an absolute one: 1e-5,1e-8"
        )
    return Tolerance(rest[0] if rest else 0.0, relative)


# Output


def _lines(before: Recording, found: RunComparison, *, whole: bool) -> list[str]:
    rows = [value for value in found.values if value.difference.kind != "same_bits"]
    shown = rows if whole else _chosen(rows)
    lines = [_row(before, value, found) for value in shown]
    if len(shown) < len(rows):
        lines.append(f"… {len(rows) - len(shown):,} more differ (--all lists them)")
    for number, result in enumerate(found.results):
        if result.kind != "same_bits":
            lines.append(f"{result.kind:9} result {number}: {difference_text(result)}")
    if found.only_before or found.only_after:
        lines.append(
            f"{len(found.only_before):,} values exist only in the first run, {len(found.only_after):,} only in the second"
        )
    return [*lines, verdict_sentence(before, found)]


def _chosen(rows: list[ComparedValue]) -> list[ComparedValue]:
    """Differences beyond rounding before those within it, in the order of the run."""
    wrong = [value for value in rows if value.difference.is_different]
    chosen = (wrong or rows)[:MOST_ROWS]
    return sorted(chosen, key=rows.index) if len(rows) > MOST_ROWS else rows


def _row(before: Recording, value: ComparedValue, found: RunComparison) -> str:
    notes = [text for text in (note_text(value.difference), found.amplified.get(value.name, "")) if text]
    more = f" ({'; '.join(notes)})" if notes else ""
    return f"{value.difference.kind:9} {title_of(before, value)}: {difference_text(value.difference)}{more}"
