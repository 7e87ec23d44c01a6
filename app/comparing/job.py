"""A comparison with a second engine in a separate process of the server.

It reports its current step in events; the values are in the file that the task names. The process ends with its server,
or when the server stops it after its time limit.
"""

import socket
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic

import numpy as np

from hloscope.engine.errors import InputError, ProgramError
from hloscope.engine.limits import Limits
from hloscope.engine.source import Source

from ..processes.confine import end_before_server
from ..processes.framing import Buffer, Channel
from ..processes.serving import Outcome, error_answer, perform_requests
from ..runs.executed_values import kept_arrays
from ..runs.launching import RunPlan
from ..runs.opening import Opening, OpenParameters, open_run
from ..runs.run import Goal, Run
from ..runs.value_files import ABOUT, about_array, write_values
from ..wire.engines import ComparedRun, CompareRun, DoingEvent
from ..wire.events import WorkerError
from ..wire.questions import RequestMessage
from ..wire.sessions import LaterStart
from ..xla.executor import XlaExecutor
from ..xla.failures import INSTALL, XlaFailed, XlaMissing
from .against import Against, parse_against
from .budget import Budget
from .comparing import compare_with_engine
from .first_part import begin_with_engine
from .on_device import DeviceRun, compilations
from .our_runs import OurRun, finished
from .report import EngineComparison, lines_of

SLICE_SECONDS = 0.5
TELL_SECONDS = 0.2
LEAST_SECONDS = 5.0
"""Minimum time limit of one request, however short our own run was."""


class Failed(Exception):
    """The comparison failed; the message has the reason and the fix."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


def serve(connection: socket.socket) -> None:
    """Compare a run, and report."""
    end_before_server()
    channel = Channel(connection)

    def perform(message: RequestMessage, buffers: Sequence[Buffer]) -> Outcome:
        task = CompareRun(**message["fields"])
        text = bytes(buffers[0]).decode()
        return {"result": _compare(task, text, Budget(task.seconds, _teller(channel)))}, ()

    perform_requests(channel, perform, _error_json)


def _error_json(error: Exception) -> WorkerError:
    match error:
        case Failed():
            message, hint = error.message, error.hint
        case XlaMissing():
            message, hint = "XLA is not installed where this server runs.", f"Type `{INSTALL}` there."
        case XlaFailed() | ProgramError():
            message, hint = str(error), getattr(error, "hint", None) or ""
        case MemoryError():
            message, hint = "There is not enough memory to compare this run with XLA.", ""
        case _:
            return error_answer(error)
    return {"status": 422, "kind": "comparison", "message": message, "hint": hint}


def _compare(task: CompareRun, text: str, budget: Budget) -> ComparedRun:
    limits = Limits(**task.limits)
    named = parse_against(task.against)
    if named.jaxlib:
        raise InputError(
            "another jaxlib is installed first", hint="Use hloscope compare on the command line."
        )
    opened = _opened(task, text, limits)
    if task.records:
        return _record_on(task, opened.plan, named, budget)
    if task.start_at:
        return _start_later(task, opened.plan, named, budget)
    run = _our_run(opened.run, budget)
    budget = Budget(max(LEAST_SECONDS, budget.left), budget.tell)
    with named.engine(task.seconds, task.address_space, len(run.processes)) as engine:
        found = compare_with_engine(
            engine, run.text, run, named.overrides, limits, budget, keep_bytes=task.keep_bytes
        )
    if not found.values:
        raise Failed(found.failure or f"{found.engine} has given no values")
    return {"sentence": _written(found, Path(task.file), task.against), "start": None}


def _start_later(task: CompareRun, plan: RunPlan, named: Against, budget: Budget) -> ComparedRun:
    """The values before a line, computed by XLA and written to the file."""
    assert task.start_at is not None
    with named.engine(budget.left, task.address_space, plan.grid.num_processes) as engine:
        found = begin_with_engine(plan, task.start_at, engine, budget.tell)
    write_values(Path(task.file), found.values)
    start: LaterStart = {
        "at": task.start_at,
        "line": found.place.line,
        "by": found.by,
        "note": found.place.note,
        "values": [{"kind": "file", "file": "", "array": name} for name in found.values],
    }
    return {"sentence": found.sentence, "start": start}


def _record_on(task: CompareRun, plan: RunPlan, named: Against, budget: Budget) -> ComparedRun:
    """The values of a whole run, computed by XLA and written to the file."""
    budget.tell("starting XLA")
    with named.engine(budget.left, task.address_space, plan.grid.num_processes) as engine:
        engine.compilations = compilations(task.cache_bytes)
        executor = XlaExecutor(
            engine, named.overrides
        )  # without `resident`: the file has all values in any case
        by = executor.computed_by
        recording = replace(plan, executor=executor).recording()
        while recording.record(seconds=SLICE_SECONDS).kind == "recording":
            budget.tell(f"recording on {by}: {recording.step_count:,} steps")
            if budget.is_spent:
                raise Failed(
                    f"The recording on {by} takes more than {budget.seconds:g} s.",
                    "The setting second_engine_time_limit_ms says how long it may take.",
                )
        budget.tell("running the unmodified program")
        device = DeviceRun(recording, executor)
        note = "; ".join([device.unmodified.sentence, *device.notes()])
        arrays = kept_arrays(recording)
    size = sum(array.nbytes for array in arrays.values())
    if size > task.keep_bytes:
        raise Failed(
            f"The values of the recording are {size:,} bytes; {task.keep_bytes:,} are kept.",
            "`hloscope findings FILE --on` reads them without keeping them.",
        )
    np.savez_compressed(task.file, **arrays)  # type: ignore[arg-type]
    start: LaterStart = {
        "at": 1,
        "line": 1,
        "by": by,
        "note": note,
        "values": [{"kind": "file", "file": "", "array": name} for name in arrays],
        "whole": True,
    }
    return {"sentence": f"the values are those of {by}; {note}", "start": start}


def _opened(task: CompareRun, text: str, limits: Limits) -> Opening:
    """The run in the form that a worker has."""
    wanted = OpenParameters(task.entry, task.inputs, (), task.grid, task.feeds)
    opened = open_run(Source(text, task.name), wanted, limits)
    if not isinstance(opened, Opening):
        problems = opened.result["diagnostics"]
        raise Failed(problems[0]["message"] if problems else "The run cannot be opened.")
    return opened


def _our_run(run: Run, budget: Budget) -> OurRun:
    """The worker's run, recorded to its end."""
    run.record(Goal(None))
    while run.active:
        budget.tell(f"our own run: {run.step_count:,} steps")
        if budget.is_spent:
            raise Failed(
                f"Our own run of the program takes more than the {budget.seconds:g} s that there are for a comparison.",
                "The setting second_engine_time_limit_ms says how long it may take.",
            )
        run.slice(min(SLICE_SECONDS, max(0.01, budget.left)))
    return finished(run.recording)


def _written(found: EngineComparison, file: Path, against: str) -> str:
    """Write the values with the verdict, and return its sentence."""
    sentence, *lines = lines_of(found)
    if found.values_problem:
        lines.append(found.values_problem)
    about = {
        "engine": found.engine,
        "against": against,
        "sentence": sentence,
        "lines": lines,
        "confirmed": found.against_exact is not None,
    }
    write_values(file, {**found.values, ABOUT: about_array(about)})
    return sentence


def _teller(channel: Channel) -> Callable[[str], None]:
    last = 0.0

    def tell(words: str) -> None:
        nonlocal last
        if monotonic() - last >= TELL_SECONDS:
            last = monotonic()
            event: DoingEvent = {"event": "doing", "doing": words}
            channel.send(event)

    return tell
