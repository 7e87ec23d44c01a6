"""Recordings of two processes that `jax.distributed` connects, each of its own devices, and their joined file."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import numpy as np
import pytest

import hloscope
from hloscope.app.cli.main import main
from hloscope.app.runs.merged_runs import merge_runs
from hloscope.engine.debugger.address import result
from hloscope.engine.errors import InputError
from hloscope.engine.limits import DEFAULT_LIMITS

pytestmark = pytest.mark.oracle


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the recordings of two hosts with two devices each."""
    folder = tmp_path_factory.mktemp("hosts")
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    command = [sys.executable, "-m", "tests.app.xla.record_on_host", str(port), "2"]
    children = [
        subprocess.Popen(
            [*command, str(number), str(folder)],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for number in range(2)
    ]  # fmt: skip
    for number, (words, _) in enumerate(_outputs(children)):
        assert f"of the processes {[2 * number, 2 * number + 1]}" in words
        assert "recorded 0 segments" not in words
    return folder


def _outputs(children: list[subprocess.Popen[str]]) -> list[tuple[str, str]]:
    """The output and errors of each process; if one fails, the others, which would wait for it, are ended."""
    with ThreadPoolExecutor(len(children)) as pool:
        waiting = {pool.submit(child.communicate, timeout=300): child for child in children}
        try:
            for ended in as_completed(waiting):
                _, errors = ended.result()
                assert waiting[ended].returncode == 0, errors
        finally:
            for child in children:
                child.kill()
        return [each.result() for each in waiting]


def test_a_host_that_fails_is_reported_although_the_other_waits() -> None:
    waits = "import threading; threading.Event().wait()"
    fails = "raise SystemExit('the reason')"
    children = [
        subprocess.Popen(
            [sys.executable, "-c", script],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for script in (waits, fails)
    ]  # fmt: skip
    with pytest.raises(AssertionError, match="the reason"):
        _outputs(children)


def test_the_joined_file_has_the_values_of_each_host(
    hosts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    joined = tmp_path / "run.npz"
    assert main(["merge", str(hosts / "host0.npz"), str(hosts / "host1.npz"), "-o", str(joined)]) == 0
    told = capsys.readouterr().out
    assert "host0.npz: processes 0, 1" in told
    assert "host1.npz: processes 2, 3" in told
    assert "hloscope computes them" not in told
    python = hloscope.merge([hosts / "host0.npz", str(hosts / "host1.npz")], tmp_path / "python.npz")
    assert f"{python}\n" == told
    with np.load(tmp_path / "python.npz") as ours, np.load(joined) as theirs:
        assert {name: each.tobytes() for name, each in ours.items()} == {
            name: each.tobytes() for name, each in theirs.items()
        }
    whole = hloscope.load(joined)
    assert whole.computed_by.endswith(", 2 hosts")
    assert whole.unmodified is not None
    sentences = {hloscope.load(hosts / f"host{host}.npz").unmodified.sentence for host in range(2)}  # type: ignore[union-attr]
    everywhere = ", on all 2 hosts" if whole.unmodified.is_same else ""
    assert {f"{each}{everywhere}" for each in sentences} == {whole.unmodified.sentence}
    count = 0
    for host in range(2):
        part = hloscope.load(hosts / f"host{host}.npz")
        assert part.computed_by.startswith("XLA of jaxlib ")
        kept = part.executor.results  # type: ignore[union-attr]
        count += len(kept)
        assert {process for process, _ in kept} == {2 * host, 2 * host + 1}
        for (process, step), (op, values) in kept.items():
            assert whole.tracks[process].op_of(step) == op
            for number, value in enumerate(values):
                assert whole.value(result(step, number, process)).tobytes() == value.tobytes()
    assert len(whole.executor.results) == count  # type: ignore[union-attr]
    # What is the same on all devices is stored once.
    sizes = [
        np.load(file)["executed_values"].size for file in (joined, hosts / "host0.npz", hosts / "host1.npz")
    ]
    assert sizes[0] < sum(sizes[1:])
    assert main(["findings", str(joined)]) == 0


def test_the_file_of_one_host_says_what_it_lacks(
    hosts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hloscope.merge([hosts / "host0.npz"], tmp_path / "alone.npz")
    assert hloscope.load(tmp_path / "alone.npz").computed_by.endswith(", 1 host")
    assert main(["run", str(hosts / "host0.npz")]) == 0
    assert "values of the processes 0, 1; hloscope computes those of the others" in capsys.readouterr().err


def test_what_is_true_of_one_host_names_its_processes(hosts: Path, tmp_path: Path) -> None:
    with np.load(hosts / "host1.npz") as arrays:
        changed = dict(arrays)
    about = json.loads(changed["about"].tobytes())
    shared = about["device"]["unmodified"]
    assert "result" in shared
    about["device"] |= {
        "computed_by": "XLA of another host",
        "unmodified": "has other bits",
        "notes": ["XLA refuses tanh"],
    }
    changed["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    np.savez(tmp_path / "other.npz", **changed)
    hloscope.merge([hosts / "host0.npz", tmp_path / "other.npz"], tmp_path / "joined.npz")
    joined = hloscope.load(tmp_path / "joined.npz")
    assert "(processes 0, 1) and XLA of another host (processes 2, 3), 2 hosts" in joined.computed_by
    assert joined.unmodified is not None
    assert joined.unmodified.sentence == f"processes 0, 1: {shared}; processes 2, 3: has other bits"
    assert joined.executor.about["notes"] == ["processes 2, 3: XLA refuses tanh"]  # type: ignore[union-attr]


def test_results_that_are_the_same_on_all_hosts(hosts: Path, tmp_path: Path) -> None:
    for host in range(2):
        with np.load(hosts / f"host{host}.npz") as arrays:
            changed = dict(arrays)
        about = json.loads(changed["about"].tobytes())
        about["device"] |= {"unmodified": "the same bits", "same_bits": True}
        changed["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
        np.savez(tmp_path / f"host{host}.npz", **changed)
    hloscope.merge([tmp_path / "host0.npz", tmp_path / "host1.npz"], tmp_path / "joined.npz")
    joined = hloscope.load(tmp_path / "joined.npz").unmodified
    assert joined is not None
    assert (joined.is_same, joined.sentence) == (True, "the same bits, on all 2 hosts")


def test_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(hloscope.ProgramError, match="no file to merge"):
        hloscope.merge([], tmp_path / "joined.npz")


def test_files_of_different_runs_are_refused(hosts: Path, tmp_path: Path) -> None:
    first = hosts / "host0.npz"
    with np.load(hosts / "host1.npz") as arrays:
        changed = dict(arrays)
    changed["array_0"] = changed["array_0"] + 1
    np.savez(tmp_path / "other.npz", **changed)
    alone = tmp_path / "alone.npz"
    hloscope.record("func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }", [1]).save(
        alone
    )
    copy = tmp_path / "copy.npz"
    copy.write_bytes((hosts / "host0.npz").read_bytes())
    for file, words in (
        (tmp_path / "other.npz", "their inputs differ"),
        (alone, "not the recording of one of several hosts"),
        (copy, "both have the values of process 0"),
    ):
        with pytest.raises(InputError, match=words):
            merge_runs([first, file], tmp_path / "joined.npz", DEFAULT_LIMITS)
