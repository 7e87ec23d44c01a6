"""hloscope among other programs of a shell: pipes, progress in a log, completion, and the doctor."""

from __future__ import annotations

import io
import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hloscope.app.base import progress_line as progress_lines
from hloscope.app.base.memory import Memory
from hloscope.app.base.progress_line import ProgressLine
from hloscope.app.base.settings import Settings
from hloscope.app.cli import doctor
from hloscope.app.cli.main import COMMANDS, main
from hloscope.app.runs.chunks import planning
from hloscope.app.web import starting
from hloscope.app.workers import cluster
from hloscope.app.workers.ray_driver import ClusterInfo
from tests.app.serving import ENDLESS
from tests.server_process import ROOT

ADD = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %z = stablehlo.add %x, %x : tensor<2xf32>
  return %z : tensor<2xf32>
}
"""


def _shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    program = f'hloscope() {{ {sys.executable} -m hloscope "$@"; }}; {command}'
    return subprocess.run(
        ["bash", "-c", program],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **environment},
    )


def test_a_program_comes_through_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(f"print({ADD!r})")
    found = _shell(f"{sys.executable} {tmp_path}/train.py --dump | hloscope run - --input ones")
    assert (found.returncode, found.stderr) == (0, "")
    assert "dense<2.000000e+00>" in found.stdout


def test_who_reads_no_further_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "p.mlir").write_text(ADD)
    found = _shell(f"hloscope run {tmp_path}/p.mlir | true; echo ${{PIPESTATUS[0]}}")
    assert (found.stdout, found.stderr) == ("0\n", "")
    found = _shell(
        f"hloscope print {' '.join([f'{tmp_path}/p.mlir'] * 300)} | head -n 1; echo ${{PIPESTATUS[0]}}"
    )
    assert found.stdout.endswith("\n0\n")
    assert found.stderr == ""


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_in_a_log_there_is_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(progress_lines, "monotonic", lambda: now[0])
    stream = io.StringIO()
    line = ProgressLine(stream, patience=1)
    for second in range(12):
        now[0] = float(second)
        line.tell(f"{second} s")
    line.end()
    assert stream.getvalue() == "hloscope: 5 s\nhloscope: 10 s\n"


@pytest.mark.parametrize("environment", [{"CI": "true"}, {"TERM": "dumb"}])
def test_a_line_is_not_written_over_where_that_is_not_wanted(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]
) -> None:
    for name, value in {"CI": "", "TERM": "xterm", **environment}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(progress_lines, "LOG_SECONDS", 0)
    stream = _Terminal()
    ProgressLine(stream).tell("half")
    assert stream.getvalue() == "hloscope: half\n"


def test_a_long_run_without_a_terminal_says_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(progress_lines, "LOG_SECONDS", 0)
    monkeypatch.setattr(planning, "PATIENCE_SECONDS", 0)
    monkeypatch.setattr(planning, "SLICE_SECONDS", 1e-6)
    (tmp_path / "p.mlir").write_text(ENDLESS)
    assert main(["run", str(tmp_path / "p.mlir"), "--set", "run_step_limit=200000"]) == 3
    err = capsys.readouterr().err
    assert "of at most 200,000 steps" in err
    assert "\x1b" not in err


def test_every_command_is_documented() -> None:
    page = (ROOT / "docs" / "command-line.md").read_text("utf-8")
    missing = [name for name in COMMANDS if not re.search(rf"hloscope {name}\b", page)]
    assert missing == [], "show it in docs/command-line.md"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_all_commands(shell: str, capsys: Any) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(word in script for word in ("findings", "--input", "doctor", "--set"))


def test_bash_completes_a_command(tmp_path: Path, capsys: Any) -> None:
    assert main(["completion", "bash"]) == 0
    (tmp_path / "c.bash").write_text(capsys.readouterr().out)
    done = _shell(
        f"source {tmp_path}/c.bash; COMP_WORDS=(hloscope fin); COMP_CWORD=1; "
        "$(complete -p hloscope | sed 's/.*-F \\([^ ]*\\).*/\\1/') hloscope fin hloscope; echo ${COMPREPLY[@]}"
    )
    assert done.stdout.strip() == "findings", done.stderr


def test_the_doctor_finds_what_there_is(capsys: Any, tmp_path: Path) -> None:
    assert main(["doctor", "--set", f"data_dir={tmp_path}"]) == 0
    out = capsys.readouterr().out
    assert "✓ Python: 3." in out
    assert f"✓ data folder: {tmp_path}" in out
    assert "✓ pygls: 2." in out
    assert main(["doctor", "--json", "--set", f"data_dir={tmp_path}"]) == 0
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)}
    assert set(checks) >= {
        "hloscope",
        "jax and jaxlib",
        "flatbuffers",
        "torch and torchax",
        "anywidget",
        "browser",
        "port",
    }
    assert all(check["cure"] for check in checks.values() if check["state"] != "ok")


def test_the_doctor_says_what_a_server_refuses_to_start_with(capsys: Any, tmp_path: Path) -> None:
    given = [f"data_dir={tmp_path}", "public=1", "metrics_token=short"]
    options = [part for setting in given for part in ("--set", setting)]
    assert main(["doctor", *options]) == 1
    out = capsys.readouterr().out
    assert "✗ settings: a public server needs the setting allowed_hosts" in out
    assert "✗ settings: the setting metrics_token wants at least 16 letters" in out
    assert "who scrapes sends the token of the server" in out  # hloscope makes none of its own
    assert "hloscope makes one" not in out
    assert main(["serve", *options, "--no-browser"]) != 0
    assert "allowed_hosts" in capsys.readouterr().err


def test_the_doctor_warns_of_a_full_disk(tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path), min_free_bytes=1 << 60)
    (check,) = (check for check in doctor.examine(settings) if check.name == "disk")
    assert check.state == "optional"
    assert "/-/ready" in check.found


def test_the_doctor_warns_of_a_cluster_with_too_few_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    async def describe(address: str) -> ClusterInfo:
        return {"version": "2.60.0", "nodes": 2, "cpus": 4.0, "free_cpus": 4.0, "asks_token": True}

    monkeypatch.setattr(cluster, "describe", describe)

    def found(sessions: int) -> dict[str, doctor.Check]:
        settings = Settings(cluster="auto", max_active_sessions=sessions)
        return {check.name: check for check in doctor.examine(settings)}

    few = found(25)["CPUs of the cluster"]
    assert few.state == "optional"
    assert few.found == ("4, but 25 sessions with a worker need 5: one for each place of 8, one in reserve")
    assert "place_sessions" in few.cure
    for sessions in (0, 24):
        assert found(sessions)["cluster"].state == "ok"
        assert "CPUs of the cluster" not in found(sessions)


def test_the_doctor_says_how_many_sessions_have_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "memory", lambda: Memory(2048 << 20, 992 << 20))
    name = "sessions with a worker"
    assert doctor.Check(name, "ok", "20 now: 992 of 2,048 MiB of memory are available") in doctor.examine(
        Settings()
    )
    chosen = Settings(max_active_sessions=3)
    assert doctor.Check(name, "ok", "3, by max_active_sessions") in doctor.examine(chosen)
    monkeypatch.setattr(doctor, "memory", lambda: None)
    assert "8: the system does not say how much memory is available" in {
        check.found for check in doctor.examine(Settings())
    }


def test_the_doctor_says_what_cures(monkeypatch: pytest.MonkeyPatch, capsys: Any, tmp_path: Path) -> None:
    versions = {"jax": "0.10.2", "jaxlib": "0.10.1", "torch": "2.9", "numpy": "1.9"}
    monkeypatch.setattr(doctor, "installed_version", lambda package="hloscope": versions.get(package, ""))
    (tmp_path / "file").write_text("")
    assert main(["doctor", "--set", f"data_dir={tmp_path}/file/below"]) == 1
    out = capsys.readouterr().out
    assert "✗ numpy: 1.9, but 2.0 or newer is required\n    pip install 'numpy>=2.0'" in out
    assert (
        "! jax and jaxlib: jax 0.10.2 and jaxlib 0.10.1 have different versions\n    pip install jax==0.10.2 jaxlib==0.10.2"
        in out
    )
    assert "pip install torchax" in out
    assert "✗ data folder" in out


def test_the_doctor_says_that_the_port_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setattr(starting, "DEFAULT_PORT", taken.getsockname()[1])
        checks = {check.name: check for check in doctor.examine(Settings(data_dir=str(tmp_path)))}
    assert checks["port"].state == "optional"


def test_without_pygls_the_language_server_says_what_to_type(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setitem(sys.modules, "pygls", None)
    assert main(["lsp"]) == 2
    assert "pip install 'hloscope[editors]'" in capsys.readouterr().err
