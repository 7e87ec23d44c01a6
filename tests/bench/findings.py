"""What it costs to find the ops in which values that are not finite are born, while a run is recorded."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from statistics import median
from time import process_time
from typing import Any
from unittest import mock

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.findings import FindingLog
from hloscope.engine.inputs import Array
from hloscope.engine.ops.core.blas import THREADS
from hloscope.engine.process_grid import GridRun
from hloscope.engine.program import BoundProgram
from tests.oracle.client import Oracle
from tests.programs import load_program

from .measure import seconds, table
from .models import LIMITS

PROGRAMS = ("mlp", "mlp_training", "lstm", "lstm_training", "gpt2_small")
ALLOWED = 1.03
TURN, PROGRAM = 0.02, 0.5
"""Seconds that a turn takes at least, in which short programs are run several times, and that a program is run in each repetition."""
HEAD = ["program", "steps", "recorded", "without findings", "ratio"]


def lines(oracle: Oracle, repetitions: int) -> Iterator[str]:
    """What to print."""
    rows, dear = [], []
    for name in PROGRAMS:
        text, inputs, _ = oracle.export(name)
        steps, with_findings, without, ratio = measured(load_program(text), inputs, repetitions)
        rows.append([name, f"{steps:,}", seconds(with_findings), seconds(without), f"{ratio:.3f}"])
        if ratio > ALLOWED:
            dear.append(name)
    yield table(HEAD, rows)
    yield f"above {ALLOWED} times the time without findings: {', '.join(dear) or 'none'}"


def measured(
    program: BoundProgram, inputs: Sequence[Array], repetitions: int
) -> tuple[int, float, float, float]:
    """Steps of a program, medians of the seconds of the processor with findings and without, and of their ratios.

    Both are measured one right after the other, so that whatever else the machine does slows both. They take turns in
    being first: neither has the warmer caches.
    """
    with _one_thread():
        steps, once = _record(program, inputs, find=True)
        runs = int(TURN / once) + 1
        pairs = []
        for turn in range(repetitions * (int(PROGRAM / (runs * once)) + 1)):
            order = (True, False) if turn % 2 else (False, True)
            taken = {find: _turn(program, inputs, runs, find=find) for find in order}
            pairs.append((taken[True], taken[False]))
    with_findings, without = zip(*pairs, strict=True)
    ratios = [found / bare for found, bare in pairs]
    return steps, median(with_findings), median(without), median(ratios)


@contextmanager
def _one_thread() -> Iterator[None]:
    """BLAS on one thread; results of large products are looked at all the same, as if several had shared them.

    Threads that wait for another do not sleep. Where the other is interrupted, the time that this takes is many times
    that of all findings, and either side of a pair may have it.
    """
    before = THREADS.switch(1)
    try:
        with mock.patch.object(THREADS, "switch", lambda threads: threads):
            yield
    finally:
        THREADS.switch(before)


def _turn(program: BoundProgram, inputs: Sequence[Array], runs: int, *, find: bool) -> float:
    """The seconds of one recording, of several. What earlier ones have left is cleared away before, not meanwhile."""
    gc.collect()
    return sum(_record(program, inputs, find=find)[1] for _ in range(runs)) / runs


def _record(program: BoundProgram, inputs: Sequence[Array], *, find: bool) -> tuple[int, float]:
    """The steps and seconds of one recording; without findings no flags are collected and no op is asked."""
    there = "hloscope.engine.debugger.recording"
    changed = {} if find else {"start_log": lambda *_: FindingLog(), "GridRun": _unwatched}
    with mock.patch.multiple(there, **changed) if changed else nullcontext():  # type: ignore[call-overload]
        begin = process_time()
        recording = Recording(program, inputs, LIMITS)
        recording.record()
        return recording.step_count, process_time() - begin


def _unwatched(*arguments: Any) -> GridRun:
    """A run as a recording starts it, without the flags: those are its last argument."""
    return GridRun(*arguments[:-1])
