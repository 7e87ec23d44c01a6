"""Shared steps of commands that run programs: plan, run to the end, report the outcome."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from shlex import quote
from time import monotonic

from hloscope.engine.debugger.recording import Recording, State
from hloscope.engine.debugger.track import Track
from hloscope.engine.entry import find_entry
from hloscope.engine.errors import Diagnostic, ProgramError
from hloscope.engine.frontend import load
from hloscope.engine.ir.types import TokenType
from hloscope.engine.limits import Limits
from hloscope.engine.program import BoundProgram

from ...base.blas import share_products
from ...base.failure import LIMITED, WRONG, Failure
from ...base.progress_line import ProgressLine
from ...base.settings import Settings
from ..launching import RunPlan, choose_grid
from ..saved_runs import SavedRun
from .input_options import SKIP, bindings_for, inputs_of
from .outcome import Outcome, is_well, outcome_of, print_outcomes, usage_outcome
from .queues import feeds_of, missing_items
from .reading import Chunk, entry_function

SLICE_SECONDS = 0.2
PATIENCE_SECONDS = 1.0
"""Seconds after which a run reports its progress."""


def plan_run(chunk: Chunk, program: BoundProgram, options: argparse.Namespace, limits: Limits) -> RunPlan:
    """The run that the command line states. Raises `Failure` or `ProgramError` if it is invalid."""
    if chunk.saved is not None:
        return _saved_plan(chunk.saved, program, options, limits)
    entry = entry_function(program, options.entry)
    function = find_entry(program, options.entry)
    grid = choose_grid(program, function, limits, options.replicas, options.partitions)
    inputs = inputs_of(options, chunk, entry, grid, limits)
    feeds = feeds_of(options, grid, limits)
    bindings = bindings_for(options, program, function, limits)
    return RunPlan(program, function, grid, inputs, feeds, bindings, limits)


def _saved_plan(
    saved: SavedRun, program: BoundProgram, options: argparse.Namespace, limits: Limits
) -> RunPlan:
    """The run of a saved recording, whose inputs and values are in its file."""
    if options.inputs or options.input or options.bind:
        raise Failure("the file is a saved recording, which has its inputs: give the program to change them")
    function, executor = find_entry(program, saved.entry), saved.executor(program)
    return RunPlan(
        *(program, function, saved.launch.grid, (), {}, saved.bindings, limits, saved.launch, executor)
    )


def print_runs(
    options: argparse.Namespace,
    settings: Settings,
    report: Callable[[Recording, Outcome], tuple[Outcome, Sequence[str]]],
    prepare: Callable[[RunPlan], RunPlan] = lambda plan: plan,
) -> int:
    """Exit status of a command that runs each program to its end and prints a report on the run."""
    share_products(settings.blas_thread_count())
    limits = settings.limits()

    def run_chunk(chunk: Chunk) -> tuple[Outcome, Sequence[str]]:
        loaded = load(chunk.source, limits)
        if loaded.program is None or not is_well(loaded):
            return outcome_of(chunk, None, loaded.diagnostics), ()
        name = None
        try:
            name = entry_function(loaded.program, options.entry).name
            recording = prepare(plan_run(chunk, loaded.program, options, limits)).recording()
        except (Failure, ProgramError) as problem:
            return usage_outcome(chunk, name, problem), ()
        record_all(recording)
        return report(recording, outcome_of_run(chunk, name, recording))

    return print_outcomes(options, limits, run_chunk)


def program_of(chunk: Chunk, limits: Limits) -> BoundProgram:
    """The program of a command that needs a valid one. Raises `Failure` with its errors."""
    loaded = load(chunk.source, limits)
    if loaded.program is None or not is_well(loaded):
        raise Failure("\n".join(item.format(loaded.source) for item in loaded.diagnostics), WRONG)
    return loaded.program


def outcome_of_run(chunk: Chunk, name: str, recording: Recording) -> Outcome:
    """The outcome of a program that was run as far as possible."""
    state = recording.state
    if state.kind == "done":
        return outcome_of(chunk, name, ())
    if state.diagnostic:
        return outcome_of(chunk, name, [_with_option(state.diagnostic, recording)])
    if recording.awaited_queues:
        return outcome_of(chunk, name, [missing_items(recording)])
    found = Diagnostic(state.reason, kind="limit", hint="--set NAME=VALUE changes a limit")
    return Outcome(chunk, name, "error", [found], LIMITED)


def _stopped_track(recording: Recording) -> Track:
    """The process that failed, or else the first."""
    numbers = range(len(recording.tracks))
    return recording.tracks[next((n for n in numbers if recording.state_of(n) == "failed"), 0)]


def _with_option(found: Diagnostic, recording: Recording) -> Diagnostic:
    """The diagnostic that stopped the run, with the option that lets it continue, if any."""
    track = _stopped_track(recording)
    last = recording.program.ops[track.op_of(track.step_count - 1)] if track.step_count else None
    if found.kind != "unbound" or last is None or last.op.outside is None:
        return found
    gives = any(not isinstance(value.type, TokenType) for value in last.operation.results)
    option = quote(f"{last.op.outside}={'normal' if gives else SKIP}")
    values = ", or zeros, a literal, a file.npy" if gives else ""
    return replace(found, hint=f"{found.hint}: --bind {option}{values}")


def record_all(recording: Recording) -> State:
    """Record to the end; a long run reports its progress."""
    begin, line = monotonic(), ProgressLine(patience=PATIENCE_SECONDS)
    try:
        while (state := recording.record(seconds=SLICE_SECONDS)).kind == "recording":
            line.tell(_progress(recording, monotonic() - begin))
    finally:
        line.end()
    return state


def _progress(recording: Recording, elapsed: float) -> str:
    steps, most = recording.step_count, recording.limits.run_step_limit
    filled = min(20, 20 * steps // most)
    bar = "█" * filled + "░" * (20 - filled)
    return f"{bar} {steps:,} of at most {most:,} steps, {elapsed:.0f} s"
