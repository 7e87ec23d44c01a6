"""Recordings whose large values stay in XLA's process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import hloscope
from hloscope.app.answers.values import ThumbnailsQuestion
from hloscope.app.comparing.on_device import executor_on
from hloscope.app.present.summary import WRITTEN_OUT
from hloscope.app.runs.executed_values import kept_arrays, kept_executor
from hloscope.app.runs.run import Run
from hloscope.app.xla.executor import XlaExecutor
from hloscope.engine.debugger.address import result
from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import RunError
from hloscope.engine.remote_values import LostValue
from hloscope.engine.value_facts import facts_of
from tests.debugger.programs import recorded
from tests.debugger.test_executor import LAYERS, LOOP
from tests.debugger.test_remote_values import CHAIN
from tests.oracle.quick import quick_flags
from tests.programs import load_program

ZEROS = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %1 = func.call @add(%0, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @add(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
"""Its first segment has no arguments."""
pytestmark = pytest.mark.oracle
SIZES = {LAYERS: 4, LOOP: 4, CHAIN: 64, ZEROS: 4}


def _inputs(text: str) -> list[Any]:
    count = len(load_program(text).blocks[0].arguments)
    return [np.linspace(-1, 1, SIZES[text], dtype=np.float32) for _ in range(count)]


def _recorded(text: str, executor: XlaExecutor, inputs: Sequence[Any] = ()) -> Recording:
    return recorded(text, inputs or _inputs(text), executor=executor)


@pytest.fixture
def executor() -> XlaExecutor:
    """An executor that keeps all values but scalars in XLA's process."""
    found = executor_on("cpu")
    assert found.resident is not None
    found.resident.least_bytes = 1
    return found


@pytest.mark.parametrize("options", [[], pytest.param(["--all"], marks=pytest.mark.long)])
def test_facts_by_the_device_are_those_of_numpy(options: list[str]) -> None:
    command = [sys.executable, "-m", "tests.app.xla.device_facts_of", *options]
    environment = {**os.environ, "XLA_FLAGS": "" if options else " ".join(quick_flags())}
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, env=environment)
    assert ran.stdout.startswith("0 of "), ran.stdout


@pytest.mark.parametrize("text", [LAYERS, LOOP, CHAIN, ZEROS])
def test_a_recording_is_that_with_all_values(text: str, executor: XlaExecutor) -> None:
    remote = _recorded(text, executor)
    executor.resident, resident = None, executor.resident
    whole = _recorded(text, executor)
    executor.resident = resident
    known = 0
    for step, op in enumerate(whole.tracks[0].op_column.tolist()):
        if not whole.program.ops[op].results:
            continue
        value = whole.value(result(step))
        facts = remote.facts(result(step))
        assert facts is None or facts == facts_of(value)
        assert remote.value(result(step)).tobytes() == value.tobytes()
        known += facts is not None
    assert known
    assert whole.facts(result(0)) is None
    sentences = [[each.sentence for each in FindingReport(run).findings] for run in (remote, whole)]
    assert sentences[0] == sentences[1]
    assert not executor.repeated_differently


def test_python_has_the_statistics_of_a_value_that_stays_on_the_device() -> None:
    x = np.linspace(-1, 1, 1 << 16, dtype=np.float32)
    text = CHAIN.replace("tensor<64x", f"tensor<{x.size}x")
    step = next(hloscope.record(text, [x], on="cpu").steps())
    (value,) = step.results
    assert value.recording.facts(value.address) is not None
    assert value.statistics == facts_of(value.numpy())


@pytest.mark.parametrize("text", [LAYERS, LOOP, CHAIN])
def test_thumbnails_of_values_on_the_device_transfer_none(
    text: str, executor: XlaExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = _recorded(text, executor)
    assert executor.resident is not None
    engine, fetched = executor.resident.engine, list[int]()
    fetch = engine.fetch

    def counting(handle: int) -> Any:
        fetched.append(handle)
        return fetch(handle)

    monkeypatch.setattr(engine, "fetch", counting)
    known = {
        str(result(step)): facts
        for step in range(remote.tracks[0].step_count)
        if (facts := remote.facts(result(step))) is not None
    }
    question = ThumbnailsQuestion(",".join(known))
    found = question.answer(Run("key", remote)).json()
    assert found.keys() == known.keys()
    assert not fetched
    executor.resident = None
    whole = question.answer(Run("key", _recorded(text, executor))).json()
    for address, facts in known.items():
        assert facts.picture is not None
        if facts.range.count > WRITTEN_OUT:
            assert found[address] == whole[address]
        else:  # the elements themselves are no text of facts
            assert found[address]["pixels"] == whole[address]["pixels"]


def test_arguments_are_sent_once_and_values_dropped_with_the_recording(
    executor: XlaExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert executor.resident is not None
    engine, requests = executor.resident.engine, list[tuple[int, int]]()
    run = engine.run_resident

    def counting(text: str, head: Any, sent: Any, overrides: Any = None) -> Any:
        requests.append((len(sent), len(head["drop"])))
        return run(text, head, sent, overrides)

    monkeypatch.setattr(engine, "run_resident", counting)
    inputs = _inputs(CHAIN)
    for each in inputs:
        each.setflags(write=False)
    _recorded(CHAIN, executor, inputs)
    _recorded(CHAIN, executor, inputs)
    sent = [count for count, _ in requests]
    assert sent[0] == 1
    assert sum(sent) == 1
    assert sum(drops for _, drops in requests) > 0, "the values of the first recording"


def test_values_come_back_after_the_process_has_ended(executor: XlaExecutor) -> None:
    recording = _recorded(CHAIN, executor)
    before = recording.value(result(2)).copy()
    executor.engine.close()  # type: ignore[attr-defined]
    assert recording.value(result(2)).tobytes() == before.tobytes()
    assert recording.facts(result(2)) == facts_of(before)


def test_a_run_does_not_go_on_without_its_values(executor: XlaExecutor) -> None:
    recording = Recording(load_program(CHAIN), _inputs(CHAIN), executor=executor)
    recording.record(steps=5)
    executor.engine.close()  # type: ignore[attr-defined]
    state = recording.record()
    assert state.kind == "failed"
    assert "run it again" in state.reason
    assert issubclass(LostValue, RunError)


def test_values_are_saved_and_opened_without_the_process(executor: XlaExecutor) -> None:
    recording = _recorded(CHAIN, executor)
    kept = kept_executor(recording.program, kept_arrays(recording), "XLA")
    again = recorded(recording.program, _inputs(CHAIN), executor=kept)
    assert again.value(result(2)).tobytes() == recording.value(result(2)).tobytes()
