"""`hloscope run`: run programs to completion, and print their results."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.debugger.recording import Recording, State
from hloscope.engine.errors import InputError, ProgramError
from hloscope.engine.frontend import load
from hloscope.engine.limits import MEBIBYTE, Limits
from hloscope.engine.program import BoundFunction

from ..base.blas import share_products
from ..base.failure import Failure
from ..base.settings import Settings
from ..comparing.budget import told_to_terminal
from ..comparing.first_part import begin_with_engine, parse_place
from ..comparing.on_device import DeviceRun, KeptDeviceRun, device_run
from ..runs.chunks.outcome import (
    Outcome,
    count_text,
    exit_code,
    is_well,
    outcome_of,
    run_guarded,
    title_of,
    usage_outcome,
)
from ..runs.chunks.planning import outcome_of_run, plan_run, record_all
from ..runs.chunks.queues import output_lines
from ..runs.chunks.reading import Chunk, entry_function, read_chunks
from ..runs.chunks.results import recorded_line, result_lines, save_probes, save_results
from ..runs.launching import ArgumentSource, RunPlan
from ..runs.run_inputs import given_json
from ..sessions.collected_sources import texts_of_module
from ..wire.sessions import InputSpec
from ..xla.engine import XlaEngine
from ..xla.failures import XlaFailed
from .findings import harms
from .grid_results import about_grid, arrays_of, blocks, whereabouts
from .options import (
    add_grid,
    add_inputs,
    add_on,
    add_programs,
    add_settings,
    add_start_at,
    positive_count,
    with_executor,
)

KEPT_BYTES = 16 * MEBIBYTE
"""Maximum bytes of values that `run` keeps, because it reads only the results."""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_programs(command)
    add_inputs(command)
    add_grid(command)
    command.add_argument(
        "--outputs",
        metavar="Y.npz",
        help="save the results as arrays out_0, out_1, …; out_0@R,P where processes differ",
    )
    command.add_argument(
        "--probe-dir", metavar="DIR", help="save the values of interpreter.probe and an index.csv"
    )
    add_start_at(command)
    add_on(command)
    command.add_argument(
        "--html",
        metavar="X.html",
        help="save the run as one page that opens offline and can be stepped through",
    )
    command.add_argument(
        "--html-budget",
        type=positive_count,
        metavar="BYTES",
        help="maximum compressed size of the elements of large values in that page (default: 360 KiB)",
    )
    add_settings(command)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Run each program and print its results.

    With `--json`, a line for each program as `outcome.Outcome.line` writes it, and nothing else on standard
    output.
    """
    share_products(settings.blas_thread_count())
    limits = settings.limits()
    chunks = read_chunks(options.files, limits, options)
    several = len(chunks) > 1
    if several and options.outputs:
        raise Failure(f"--outputs saves the results of one program, not of {len(chunks)}")
    if several and options.html:
        raise Failure(f"--html saves the run of one program, not of {len(chunks)}")
    if options.html and options.start_at:
        raise Failure("--html saves a run from its beginning: remove --start-at")

    def run_chunk(chunk: Chunk) -> tuple[Outcome, tuple[str, ...]]:
        return _run(chunk, options, limits, several or options.json), ()

    outcomes = []
    for chunk in chunks:
        outcome, _ = run_guarded(chunk, run_chunk)
        outcomes.append(outcome)
        _tell(outcome, options, several)
    if several and not options.json:
        print(_summary(outcomes))
    return exit_code(outcomes)


def _run(chunk: Chunk, options: argparse.Namespace, limits: Limits, goes_on: bool) -> Outcome:
    """Load and run one program. A usage error ends the command, unless it `goes_on` with others."""
    if chunk.is_blank:
        return outcome_of(chunk, None, ())
    loaded = load(chunk.source, limits)
    if loaded.program is None or not is_well(loaded):
        return outcome_of(chunk, None, loaded.diagnostics)
    name = None
    try:
        name = entry_function(loaded.program, options.entry).name
        plan = with_executor(plan_run(chunk, loaded.program, options, limits), options)
        if options.start_at:
            plan = _begin_later(plan, chunk, options.start_at)
        # A page shows the values of all steps, and another engine computes dropped ones again a segment at a time.
        keeps = options.html or plan.executor is not None
        most = limits.recording_bytes if keeps else KEPT_BYTES
        kept = replace(limits, recording_bytes=min(limits.recording_bytes, most))
        recording = replace(plan, limits=kept).recording()
    except (Failure, ProgramError) as problem:
        if not goes_on:
            raise
        return usage_outcome(chunk, name, problem)
    state = record_all(recording)
    device = device_run(recording)
    if device is not None and not options.json:
        print("".join(f"{chunk.source.name}: {line}\n" for line in device.lines()), end="", file=sys.stderr)
    if chunk.results and state.kind == "done" and not options.json:
        print(f"{chunk.source.name}: {recorded_line(recording, chunk.results)}", file=sys.stderr)
    try:
        _print(recording, plan.function, state, chunk, options)
        if options.html:
            _save_page(recording, plan, options, device)
    except InputError as problem:
        if not goes_on:
            raise
        return usage_outcome(chunk, name, problem)
    found = harms(_with_values(plan, recording))
    made = device.json() if device is not None else {}
    about = {**about_grid(recording), **made, **found.json(recording)}
    ended = replace(outcome_of_run(chunk, name, recording), about=about)
    if not options.json:
        print("".join(f"{line}\n" for line in found.lines(chunk.source.name)), end="", file=sys.stderr)
    hinted = [plan.add_hint(found, recording, option="--input '{}'") for found in ended.diagnostics]
    return replace(ended, diagnostics=(*loaded.diagnostics, *hinted))


def _begin_later(plan: RunPlan, chunk: Chunk, place: str) -> RunPlan:
    """Begin the run at a later line; report it and the engine before it on standard error."""
    try:
        with XlaEngine(devices=plan.grid.num_processes) as engine, told_to_terminal() as tell:
            found = begin_with_engine(plan, parse_place(place), engine, tell)
    except XlaFailed as failure:
        raise Failure(f"--start-at {place}: {failure}") from None
    print(f"{chunk.source.name}: {found.sentence}", file=sys.stderr)
    return found.plan


def _with_values(plan: RunPlan, recording: Recording) -> Recording:
    """The recording; recorded again with values if there are findings and values were dropped."""
    if not recording.has_dropped or not FindingReport(recording).may_find:
        return recording
    again = plan.recording()
    again.record(steps=recording.step_count)
    return again


def _print(
    recording: Recording, function: BoundFunction, state: State, chunk: Chunk, options: argparse.Namespace
) -> None:
    if options.probe_dir:
        save_probes(Path(options.probe_dir), recording.probes)
    # With `--json`, standard output carries only lines of JSON.
    stream = sys.stderr if options.json else sys.stdout
    for op, text in output_lines(recording):
        print(f"{chunk.source.name}:{recording.program.line_of(op)}: {text}", file=stream)
    if more := recording.print_count - sum(len(track.prints) for track in recording.tracks):
        print(f"{chunk.source.name}: {more:,} more prints", file=stream)
    if state.kind == "done":
        _output(recording, function, options)


def _output(recording: Recording, function: BoundFunction, options: argparse.Namespace) -> None:
    """Print the results, and save them."""
    found = blocks(recording, function, options.results)
    if options.outputs:
        parts = arrays_of(found, recording)
        save_results(Path(options.outputs), ((suffix, part.values, part.types) for suffix, part in parts))
    if options.json:
        return
    language = recording.program.module.language
    for block in found:
        title = f"// {block.title}\n" if block.title else ""
        print(
            title + "".join(f"{line}\n" for line in result_lines(block.values, block.types, language)), end=""
        )


def _tell(outcome: Outcome, options: argparse.Namespace, several: bool) -> None:
    if options.json:
        print(outcome.line(), flush=True)
        return
    for complaint in outcome.complaints():
        print(complaint, file=sys.stderr)
    if outcome.code:
        print("".join(f"{line}\n" for line in whereabouts(outcome.about)), end="", file=sys.stderr)
    if several:
        title = title_of(outcome.chunk, outcome.function, split=options.split_input_file)
        print(f"{title}: {outcome.status}", flush=True)


def _summary(outcomes: list[Outcome]) -> str:
    counts = {
        status: sum(outcome.status == status for outcome in outcomes)
        for status in ("passed", "failed", "error", "fault")
    }
    told = [f"{counts['passed']:,} passed"]
    told += [f"{counts['failed']:,} failed"] if counts["failed"] else []
    told += [count_text(counts[status], status) for status in ("error", "fault") if counts[status]]
    return ", ".join(told)


def _save_page(
    recording: Recording,
    plan: RunPlan,
    options: argparse.Namespace,
    device: DeviceRun | KeptDeviceRun | None,
) -> None:
    """Write the page of a run; `Failure` says why this is impossible."""
    from ..export.one_file.page import PageError  # other runs need neither pages nor the answers on them
    from ..export.one_file.writing import write_page

    module = recording.program.module
    sources = texts_of_module(module, Settings(), Path(module.source.name).parent)
    try:
        write_page(
            options.html,
            recording,
            inputs=[_stated_input(given) for given in plan.inputs],
            sources=sources,
            device=device.json() if device is not None else None,
            **({"budget": options.html_budget} if options.html_budget else {}),
        )
    except PageError as error:
        raise Failure(f"cannot create {options.html}: {error}") from error


def _stated_input(given: ArgumentSource) -> InputSpec | None:
    """The source of an argument, unless it is an array."""
    is_array = any(spec.kind == "array" for spec in given.specs)
    return None if is_array or given.special else given_json(given)
