"""GPT-2 small and ResNet-18: recorded here, compiled by XLA, and recorded with the values that XLA computes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from statistics import median

import numpy as np

from hloscope.app.comparing.on_device import executor_on
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.limits import DEFAULT_LIMITS
from tests.device.recordings import fetching_seconds, plain_seconds, timed
from tests.oracle.client import Oracle
from tests.programs import load_program

from .measure import peak_mebibytes, seconds, table, times

MODELS = ("gpt2_small", "resnet18")
ALLOWED = 1.5
# As a user of a machine of their own would set them.
LIMITS = replace(DEFAULT_LIMITS, recording_bytes=1 << 30, session_memory_bytes=8 << 30, op_flops=10**12)
HEAD = [
    *("model", "steps", "ours, recorded", "XLA compiled", "ours/XLA", "difference", "kept", "inputs"),
    "peak",
]
ON_XLA = ["model", "recorded on XLA", "plain", "recorded/plain", "first recording", "fetched value"]
ALLOWED_ON_XLA, ALLOWED_FETCH = 3.0, 0.5
"""Goals: times a plain run, and seconds."""


def lines(oracle: Oracle, repetitions: int) -> Iterator[str]:
    """What to print; `peak` is the most memory that this process has had so far."""
    rows, slow, on_xla = [], [], []
    for name in MODELS:
        cells, ratio = _measured(name, oracle, repetitions)
        rows.append(cells)
        on_xla.append(_measured_on_xla(name, oracle, repetitions))
        if ratio > ALLOWED:
            slow.append(name)
    yield table(HEAD, rows)
    yield table(ON_XLA, on_xla)
    yield f"goals on XLA: {ALLOWED_ON_XLA:g} times a plain run, and a fetched value within {ALLOWED_FETCH:g} s"
    yield f"above {ALLOWED} times the time of XLA: {', '.join(slow) or 'none'}"


def _measured(name: str, oracle: Oracle, repetitions: int) -> tuple[list[str], float]:
    text, inputs, expected = oracle.export(name)
    program = load_program(text)
    recording = Recording(program, inputs, LIMITS)
    state = recording.record()
    assert state.kind == "done", state.reason
    (result,) = recording.results() or ()
    difference = float(np.abs(result - expected[0]).max() / np.abs(expected[0]).max())
    steps, kept = recording.step_count, recording.kept_bytes / (1 << 20)
    del recording
    ours = median(times(lambda: Recording(program, inputs, LIMITS).record(), repetitions))
    xla = median(oracle.measure("xla", text, inputs, repetitions + 1)[0]["seconds"][1:])
    given = sum(array.nbytes for array in inputs) / (1 << 20)
    return [
        *(name, f"{steps:,}", seconds(ours), seconds(xla), f"{ours / xla:.2f}", f"{difference:.1e}"),
        *(f"{kept:,.0f} MiB", f"{given:,.0f} MiB", f"{peak_mebibytes():,.0f} MiB"),
    ], ours / xla


def _measured_on_xla(name: str, oracle: Oracle, repetitions: int) -> list[str]:
    """Recordings whose large values stay with XLA; a plain run has its arguments and results there too."""
    text, inputs, _ = oracle.export(name)
    program, executor = load_program(text), executor_on("cpu")
    for array in inputs:
        array.setflags(write=False)  # so it is sent once
    recording, first = timed(program, inputs, executor, LIMITS)
    assert recording.state.kind == "done", recording.state.reason
    found = median(timed(program, inputs, executor, LIMITS)[1] for _ in range(repetitions))
    plain = median(plain_seconds(program, inputs, executor) for _ in range(repetitions))
    fetched = fetching_seconds(recording)
    return [name, seconds(found), seconds(plain), f"{found / plain:.2f}", seconds(first), seconds(fetched)]
