"""A batch on a Ray cluster: its report is that of this machine, and what is lost there is done again."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from hloscope.app.base.failure import NO_CLUSTER
from hloscope.app.base.keys import computing_versions
from hloscope.app.cli.main import INTERRUPTED, main
from hloscope.app.comparing.batch import pool
from hloscope.app.workers import cluster, seats
from tests.app.comparing.test_batch import PROGRAMS, write
from tests.app.serving import until
from tests.passes import folders
from tests.ray_nodes import NODES, Nodes, ray_nodes
from tests.server_process import ROOT, descendants, free_port

pytestmark = pytest.mark.cluster
STANDIN = "tests.app.comparing.standin"
BOMB = """HloModule jit_f, entry_computation_layout={()->f32[225000000]{0}}

ENTRY %main.1 () -> f32[225000000] {
  %iota.1 = f32[225000000]{0} iota(), iota_dimension=0
  %add.1 = f32[225000000]{0} add(%iota.1, %iota.1)
  ROOT %multiply.1 = f32[225000000]{0} multiply(%add.1, %iota.1)
}
"""
SECONDS = re.compile(r'(?<="seconds": )[\d.]+|(?<=<td>)[\d.]+(?=</td>)|[\d.]+(?= s\b)')


@pytest.fixture
def standin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs have the verdicts that they state."""
    monkeypatch.setattr(pool, "MODULE", STANDIN)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def compare(tmp_path: Path, output: str, *options: str) -> int:
    given = ["compare", "--batch", str(tmp_path / "programs"), "--against", "xla"]
    return main([*given, "--output", str(tmp_path / output), *options])


def reports(folder: Path) -> dict[str, str]:
    """The files that a batch has written, without times."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    texts = {str(path.relative_to(folder)): path.read_bytes().decode("latin-1") for path in files}
    texts["verdicts.jsonl"] = "\n".join(sorted(texts["verdicts.jsonl"].splitlines()))
    return {name: SECONDS.sub("S", text) for name, text in texts.items()}


def test_the_report_is_that_of_this_machine(
    nodes: Nodes, tmp_path: Path, standin: None, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, PROGRAMS | {"aa.mlir": "die"})
    assert compare(tmp_path, "here", "--jobs", "2", "--json") == 1
    here = SECONDS.sub("S", capsys.readouterr().out)
    assert compare(tmp_path, "there", "--workers", nodes.address, "--json") == 1
    told = capsys.readouterr()
    assert SECONDS.sub("S", told.out) == here
    assert "The batch runs on Ray 2" in told.err
    assert f", {NODES + 1} nodes, {NODES} of {NODES} CPUs free" in told.err
    assert reports(tmp_path / "there") == reports(tmp_path / "here")
    until(lambda: not nodes.places())  # they end with the batch


def test_the_modules_of_dumps_go_to_the_nodes(
    nodes: Nodes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "dumps").mkdir()
    for name in ("a", "b"):
        folders.broken(tmp_path / "dumps" / name)
    (tmp_path / "dumps" / "c.zip").write_bytes(folders.zipped(folders.healthy(tmp_path / "healthy")))
    # A text that wants more memory than a process may have ends only its own run.
    folders.write_dump(tmp_path / "dumps" / "d", [BOMB])
    given = ["passes", "--batch", str(tmp_path / "dumps"), "--set", f"worker_rlimit_as_bytes={3 << 29}"]
    for output, *options in (["here", "--jobs", "1"], ["there", "--workers", nodes.address]):
        assert main([*given, "--output", str(tmp_path / output), *options]) == 1
    here = reports(tmp_path / "here")
    counts = json.loads((tmp_path / "here" / "report.json").read_text())["counts"]
    assert counts == {"same": 1, "different": 2, "unknown": 1, "failed": 0}
    assert "no stage can run" in here["report.json"]
    assert "cases/01/program.hlo" in here
    assert reports(tmp_path / "there") == here


class Waiting:
    """A batch of programs that wait, in another thread."""

    def __init__(self, folder: Path, executor: ThreadPoolExecutor, address: str, count: int) -> None:
        self._folder = folder / "waiting"
        self._folder.mkdir()
        write(folder, {f"{number}.mlir": f"wait {self._folder} {number}" for number in range(count)})
        options = ("--workers", address, "--case-seconds", "0")
        self.code: Future[int] = executor.submit(compare, folder, "out", *options)

    @property
    def started(self) -> list[tuple[str, int]]:
        """The programs that workers have begun with, each with the process."""
        names = [path.name.rpartition("-") for path in self._folder.glob("*-*")]
        return [(name, int(process)) for name, _, process in names]

    def go(self) -> None:
        (self._folder / "go").touch()


@contextmanager
def waiting(folder: Path, address: str, count: int) -> Iterator[Waiting]:
    with ThreadPoolExecutor(1) as executor:
        batch = Waiting(folder, executor, address, count)
        try:
            yield batch
        finally:
            batch.go()


def test_what_a_lost_node_was_doing_is_done_elsewhere(
    nodes: Nodes, tmp_path: Path, standin: None, capsys: pytest.CaptureFixture[str]
) -> None:
    with waiting(tmp_path, nodes.address, 2 * NODES) as batch:
        until(lambda: len(batch.started) == NODES)
        name, process = batch.started[0]
        place = next(place for place in nodes.places() if process in descendants(place))
        nodes.kill_node(nodes.node_of(place))
        batch.go()
        assert batch.code.result() == 0
        assert [started for started, _ in batch.started].count(name) == 2
    assert f"{2 * NODES} same, 0 different, 0 unknown, 0 failed" in capsys.readouterr().out
    nodes.complete()


def test_a_program_whose_place_is_lost_again_and_again_fails(
    nodes: Nodes, tmp_path: Path, standin: None, capsys: pytest.CaptureFixture[str]
) -> None:
    with waiting(tmp_path, nodes.address, 1) as batch:
        for attempt in range(1, pool.ATTEMPTS + 1):
            until(lambda attempt=attempt: len(batch.started) == attempt)  # type: ignore[misc]
            for place in nodes.places():
                os.kill(place, signal.SIGKILL)
        assert batch.code.result() == 8
    assert "0 same, 0 different, 0 unknown, 1 failed" in capsys.readouterr().out
    sentence = "its place on the Ray cluster was lost 3 times, before it had a result"
    assert sentence in (tmp_path / "out" / "report.json").read_text()
    assert not (tmp_path / "out" / "verdicts.jsonl").exists()  # the next run tries it again


def test_without_its_head_the_batch_stops(
    tmp_path: Path, standin: None, capsys: pytest.CaptureFixture[str]
) -> None:
    with (
        ray_nodes(gcs_rpc_server_reconnect_timeout_s=3) as own,
        waiting(tmp_path, own.address, NODES) as batch,
    ):
        until(lambda: len(batch.started) == NODES)
        own.kill_head()
        for place in own.places():
            os.kill(place, signal.SIGKILL)
        assert batch.code.result() == NO_CLUSTER
        assert "The connection to the Ray cluster is lost." in capsys.readouterr().err


def test_an_interrupt_ends_what_runs_on_the_nodes(nodes: Nodes, tmp_path: Path) -> None:
    folder = tmp_path / "waiting"
    folder.mkdir()
    write(tmp_path, {f"{number}.mlir": f"wait {folder} {number}" for number in range(NODES)})
    code = (  # a program that a shell has started in the background ignores SIGINT
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        f"from hloscope.app.comparing.batch import pool; pool.MODULE = {STANDIN!r}; "
        "from hloscope.app.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    given = ["compare", "--batch", str(tmp_path / "programs"), "--against", "xla", "--workers", nodes.address]
    with subprocess.Popen([sys.executable, "-c", code, *given]) as command:
        until(lambda: len(list(folder.iterdir())) == NODES)
        processes = [path.name.rpartition("-")[2] for path in folder.iterdir()]
        command.send_signal(signal.SIGINT)
        assert command.wait() == INTERRUPTED
    until(lambda: not any(Path("/proc", process).exists() for process in processes))
    until(lambda: not nodes.places())


def test_what_is_wrong_with_the_cluster_is_said(
    nodes: Nodes,
    tmp_path: Path,
    standin: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(tmp_path, {"a.mlir": "same"})
    nowhere = f"127.0.0.1:{free_port()}"
    assert compare(tmp_path, "out", "--workers", nowhere) == NO_CLUSTER
    assert f"The Ray cluster '{nowhere}' cannot be used: " in capsys.readouterr().err
    versions = computing_versions() | {"jaxlib": "another"}
    for module, name, other, packages in (
        (seats, "computing_versions", versions, "jaxlib"),
        (cluster, "engine_build", "another", "hloscope"),
    ):
        monkeypatch.setattr(module, name, lambda other=other: other)
        assert compare(tmp_path, "out", "--workers", nodes.address) == NO_CLUSTER
        told = capsys.readouterr().err
        assert f"The node 127.0.0.1 has other versions than this machine of: {packages}." in told
