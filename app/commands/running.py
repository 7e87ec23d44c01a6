"""`hloscope run`: programs run to their ends, their results printed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import quote
from time import monotonic

from hloscope.engine.debugger.recording import Recording, State
from hloscope.engine.debugger.track import Track
from hloscope.engine.entry import find_entry
from hloscope.engine.errors import Diagnostic, InputError, ProgramError
from hloscope.engine.frontend import load
from hloscope.engine.inputs import InputSpec
from hloscope.engine.ir.types import TokenType
from hloscope.engine.limits import MEBIBYTE, Limits
from hloscope.engine.program import BoundFunction

from ..launching import choose_grid, launch, with_specs
from ..made_up import sizes_made_up, with_hint
from .grid_results import about_grid, arrays_of, blocks, whereabouts
from .inputs import SKIP, bindings_for, inputs_of
from .outcome import LIMITED, Outcome, counted, exit_code, guarded, is_well, judged, misused, titled
from .queues import feeds_of, hunger, told
from .reading import Chunk, Failure, entry_function, read_chunks
from .results import printed, save_probes, save_results

KEPT_BYTES = 16 * MEBIBYTE
"""Values that `run` keeps: it looks at none but the results."""
SLICE_SECONDS = 0.2
PATIENCE_SECONDS = 1.0
"""A run that takes longer says how far it is."""


def run(options: argparse.Namespace, limits: Limits) -> int:
    """Runs each program and prints its results.

    With `--json`, a line for each program as `outcome.Outcome.line` writes it, and nothing else on standard output.
    """
    chunks = read_chunks(options.files, limits, split=options.split_input_file)
    several = len(chunks) > 1
    if several and options.outputs:
        raise Failure(f"--outputs takes the results of one program, not of {len(chunks)}")

    def ran(chunk: Chunk) -> tuple[Outcome, tuple[str, ...]]:
        return _run(chunk, options, limits, several or options.json), ()

    outcomes = []
    for chunk in chunks:
        outcome, _ = guarded(chunk, ran)
        outcomes.append(outcome)
        _tell(outcome, options, several)
    if several and not options.json:
        print(_summary(outcomes))
    return exit_code(outcomes)


def _run(chunk: Chunk, options: argparse.Namespace, limits: Limits, goes_on: bool) -> Outcome:
    """Loads and runs one program. A misuse of the command ends it all, unless it `goes_on` with others."""
    if chunk.is_blank:
        return judged(chunk, None, ())
    loaded = load(chunk.source, limits)
    if loaded.program is None or not is_well(loaded):
        return judged(chunk, None, loaded.diagnostics)
    program, name = loaded.program, None
    try:
        entry = entry_function(program, options.entry)
        name = entry.name
        function = find_entry(program, options.entry)
        grid = choose_grid(program, function, limits, options.replicas, options.partitions)
        inputs = inputs_of(options, chunk.source, entry, grid, limits)
        feeds = feeds_of(options, grid, limits)
        start = launch(program, function, grid, inputs, feeds, limits)
        kept = replace(limits, recording_bytes=min(limits.recording_bytes, KEPT_BYTES))
        bindings = bindings_for(options, program, function, limits)
        recording = Recording(program, start, kept, name, bindings)
    except (Failure, ProgramError) as problem:
        if not goes_on:
            raise
        return misused(chunk, name, problem)
    state = _record(recording)
    try:
        _print(recording, function, state, chunk, options)
    except InputError as problem:
        if not goes_on:
            raise
        return misused(chunk, name, problem)
    ended = replace(_ended(chunk, name, recording), about=about_grid(recording))

    def again(changed: Mapping[int, InputSpec], steps: int) -> Recording:
        others = with_specs(inputs, changed)
        start = launch(program, function, grid, others, feeds, limits)
        tried = Recording(program, start, kept, name, bindings)
        tried.record(steps=steps)
        return tried

    invented = sizes_made_up(program, function, inputs)
    clashes = partial(
        with_hint, recording=recording, function=function, invented=invented, run=again, option="--input '{}'"
    )
    warned = (*loaded.diagnostics, *map(clashes, ended.diagnostics))
    return replace(ended, diagnostics=warned)


def _ended(chunk: Chunk, name: str, recording: Recording) -> Outcome:
    state = recording.state
    if state.kind == "done":
        return judged(chunk, name, ())
    if state.diagnostic:
        return judged(chunk, name, [_with_option(state.diagnostic, recording)])
    if recording.hungry:
        return judged(chunk, name, [hunger(recording)])
    found = Diagnostic(state.reason, kind="limit", hint="--set NAME=VALUE changes a limit")
    return Outcome(chunk, name, "error", [found], LIMITED)


def _stopped(recording: Recording) -> Track:
    """The process that has failed, or else the first."""
    numbers = range(len(recording.tracks))
    return recording.tracks[next((n for n in numbers if recording.state_of(n) == "failed"), 0)]


def _with_option(found: Diagnostic, recording: Recording) -> Diagnostic:
    """What stopped the run, with the option that lets it go on, where one does."""
    track = _stopped(recording)
    last = recording.program.ops[track.op_of(track.step_count - 1)] if track.step_count else None
    if found.kind != "unbound" or last is None or last.op.outside is None:
        return found
    gives = any(not isinstance(value.type, TokenType) for value in last.operation.results)
    option = quote(f"{last.op.outside}={'normal' if gives else SKIP}")
    values = ", or zeros, a literal, a file.npy" if gives else ""
    return replace(found, hint=f"{found.hint}: --bind {option}{values}")


def _print(
    recording: Recording,
    function: BoundFunction,
    state: State,
    chunk: Chunk,
    options: argparse.Namespace,
) -> None:
    if options.probe_dir:
        save_probes(Path(options.probe_dir), recording.probes)
    # Standard output is for lines of JSON alone where those are asked for.
    stream = sys.stderr if options.json else sys.stdout
    for op, text in told(recording):
        operation = recording.program.ops[op].operation
        line, _ = chunk.source.line_and_column(operation.span.start)
        print(f"{chunk.source.name}:{line}: {text}", file=stream)
    if more := recording.print_count - sum(len(track.prints) for track in recording.tracks):
        print(f"{chunk.source.name}: {more:,} prints more", file=stream)
    if state.kind == "done":
        _give(recording, function, options)


def _give(recording: Recording, function: BoundFunction, options: argparse.Namespace) -> None:
    """Shows the results, and saves them."""
    found = blocks(recording, function, options.results)
    if options.outputs:
        parts = arrays_of(found, recording)
        save_results(Path(options.outputs), ((suffix, part.values, part.types) for suffix, part in parts))
    if options.json:
        return
    language = recording.program.module.language
    for block in found:
        title = f"// {block.title}\n" if block.title else ""
        print(title + "".join(f"{line}\n" for line in printed(block.values, block.types, language)), end="")


def _tell(outcome: Outcome, options: argparse.Namespace, several: bool) -> None:
    if options.json:
        print(outcome.line(), flush=True)
        return
    for complaint in outcome.complaints():
        print(complaint, file=sys.stderr)
    if outcome.code:
        print("".join(f"{line}\n" for line in whereabouts(outcome.about)), end="", file=sys.stderr)
    if several:
        title = titled(outcome.chunk, outcome.function, split=options.split_input_file)
        print(f"{title}: {outcome.status}", flush=True)


def _summary(outcomes: list[Outcome]) -> str:
    counts = {
        status: sum(outcome.status == status for outcome in outcomes)
        for status in ("passed", "failed", "error", "fault")
    }
    told = [f"{counts['passed']:,} passed"]
    told += [f"{counts['failed']:,} failed"] if counts["failed"] else []
    told += [counted(counts[status], status) for status in ("error", "fault") if counts[status]]
    return ", ".join(told)


def _record(recording: Recording) -> State:
    """Records to the end; on a terminal, a run that takes long says how far it is."""
    begin = monotonic()
    watched = sys.stderr.isatty()
    shown = False
    try:
        while (state := recording.record(seconds=SLICE_SECONDS)).kind == "recording":
            elapsed = monotonic() - begin
            if watched and elapsed > PATIENCE_SECONDS:
                print(f"\r\x1b[K{_progress(recording, elapsed)}", end="", file=sys.stderr, flush=True)
                shown = True
    finally:
        if shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    return state


def _progress(recording: Recording, elapsed: float) -> str:
    steps, most = recording.step_count, recording.limits.run_step_limit
    filled = min(20, 20 * steps // most)
    bar = "█" * filled + "░" * (20 - filled)
    return f"{bar} {steps:,} of at most {most:,} steps, {elapsed:.0f} s"
