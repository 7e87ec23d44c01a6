"""Saved recordings with the values of another engine: opened by a worker, and by the commands."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hloscope.app.runs.executed_values import KEPT, KeptExecutor, kept_executor
from hloscope.app.runs.opening import Opening, OpenParameters, open_run
from hloscope.app.runs.run import Goal
from hloscope.app.runs.saved_runs import is_saved_run, load_run, save_recording
from hloscope.app.wire.sessions import FileSpec, LaterStart
from hloscope.engine.debugger.address import result
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.source import Source
from tests.debugger.executing import OurExecutor
from tests.debugger.programs import recorded
from tests.debugger.test_executor import LOG
from tests.programs import load_program

ABOUT = {"computed_by": "a device", "unmodified": "the same", "same_bits": True, "notes": []}


class Doubled(OurExecutor):
    """Computes twice what our engine does, so that its values are told from ours."""

    def execute(self, segment, values, place, step):  # type: ignore[no-untyped-def]
        found = super().execute(segment, values, place, step)
        return {op: tuple(2 * value for value in results) for op, results in found.items()}


def _saved(folder: Path) -> tuple[Path, Recording]:
    recording = recorded(LOG, [np.ones(3, np.float32)], executor=Doubled())
    save_recording(recording, folder / "run.npz", "", None, {}, ABOUT)
    return folder / "run.npz", recording


def test_a_saved_recording_has_the_values_of_its_engine(tmp_path: Path) -> None:
    file, recording = _saved(tmp_path)
    assert is_saved_run(file)
    saved = load_run(file, DEFAULT_LIMITS)
    program = load_program(saved.text)
    executor = saved.executor(program)
    assert isinstance(executor, KeptExecutor)
    assert executor.computed_by == "a device"
    opened = recorded(program, saved.launch, executor=executor)
    for step in range(3):
        assert opened.value(result(step)).tobytes() == recording.value(result(step)).tobytes()
    assert opened.value(result(0)).tolist() == [4, 4, 4]


def test_a_file_of_the_first_form_is_read(tmp_path: Path) -> None:
    file, recording = _saved(tmp_path)
    arrays = dict(load_run(file, DEFAULT_LIMITS).arrays)
    rows, data = (arrays[name] for name in KEPT)
    each = [data[start : start + 12] for start in rows[:, 3]]  # three elements of f32
    first = dict(zip(KEPT, (rows[:, :3], np.concatenate(each)), strict=True))
    executor = kept_executor(recording.program, arrays | first, "a device")
    assert executor.results.keys() == kept_executor(recording.program, arrays, "a device").results.keys()
    for step in range(3):
        (value,) = executor.results[0, step][1]
        assert value.tobytes() == recording.value(result(step)).tobytes()


def test_a_worker_opens_a_run_from_its_file(tmp_path: Path) -> None:
    file, recording = _saved(tmp_path)

    def of_file(name: str) -> FileSpec:
        return {"kind": "file", "file": "kept", "array": name, "path": str(file)}

    start: LaterStart = {
        "at": 1,
        "line": 1,
        "by": "a device",
        "note": "the same",
        "values": [of_file(name) for name in KEPT],
        "whole": True,
    }
    wanted = OpenParameters(None, [{"kind": "ones", "seed": 0}], [], start=start)
    opened = open_run(Source(LOG, "log.mlir"), wanted, DEFAULT_LIMITS)
    assert isinstance(opened, Opening)
    opened.run.record(Goal(None))
    while opened.run.active:
        opened.run.slice(0.1)
    assert opened.facts["start"] is not None
    assert opened.facts["start"]["by"] == "a device"
    for step in range(3):
        found = opened.run.recording.value(result(step))
        assert found.tobytes() == recording.value(result(step)).tobytes()


def test_other_archives_are_no_saved_recordings(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", in_0=np.ones(3))
    (tmp_path / "x.mlir").write_text(LOG)
    assert not is_saved_run(tmp_path / "x.npz")
    assert not is_saved_run(tmp_path / "x.mlir")
    assert not is_saved_run(tmp_path / "missing.npz")
