"""`hloscope bundle`: save a recording whose values XLA computes, to be opened without the device."""

import argparse
import sys
from pathlib import Path

from ..base.blas import share_products
from ..base.settings import Settings
from ..comparing.on_device import device_run
from ..runs.chunks.planning import plan_run, program_of, record_all
from ..runs.chunks.reading import read_chunk
from ..runs.saved_runs import save_recording
from .options import add_entry, add_formats, add_grid, add_inputs, add_on, add_settings, with_executor


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    command.add_argument("file", metavar="FILE", help="the program; - reads standard input")
    command.add_argument(
        "-o",
        "--output",
        metavar="X.npz",
        required=True,
        help="the file to write: the program, its inputs and the values that XLA computed; hloscope run, findings and "
        "compare open it without the device",
    )
    add_on(command)
    add_entry(command)
    add_formats(command)
    add_inputs(command)
    add_grid(command)
    add_settings(command)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Record one program and write the file."""
    share_products(settings.blas_thread_count())
    limits = settings.limits()
    chunk = read_chunk(options.file, limits, options)
    plan = with_executor(plan_run(chunk, program_of(chunk, limits), options, limits), options)
    recording = plan.recording()
    state = record_all(recording)
    device = device_run(recording)
    lines = [*device.lines()] if device is not None else []
    if state.kind != "done":
        lines.append(state.describe(recording.program.module.source))
    print("".join(f"{chunk.source.name}: {line}\n" for line in lines), end="", file=sys.stderr)
    entry = plan.function.function.name
    about = device.json() if device is not None else None
    save_recording(recording, Path(options.output), "", entry, plan.bindings, about)
    return 0
