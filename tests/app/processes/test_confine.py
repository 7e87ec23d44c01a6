"""What a process that runs a stranger's program cannot do, whatever code it is made to run."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path

from hloscope.app.base.settings import Settings
from hloscope.app.cli.doctor import examine
from hloscope.app.processes.file_access import can_limit_files
from hloscope.app.processes.namespaces import can_leave_namespaces
from hloscope.app.processes.system_calls import can_refuse
from tests.server_process import ROOT

FILES = {
    "to list uploads",
    "to read beside them",
    "to read a system's file",
    "to read through another process",
    "to make a file",
    "to delete one",
}
"""Attempts that Landlock refuses; a system without it lets all of them pass, which `doctor` says."""


def test_a_worker_reads_and_answers_and_does_nothing_else(tmp_path: Path) -> None:
    uploads = tmp_path / "uploads"
    uploads.mkdir()
    for file in (tmp_path / "secret", uploads / "upload"):
        file.write_bytes(b"x")
    environment = {"PYTHONPATH": f"{ROOT}:{ROOT / 'app' / 'public'}"}
    command = [sys.executable, "-m", "tests.app.processes.confined", str(uploads)]
    told = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    errors = json.loads(told.stdout)
    assert errors.pop("to read and answer") == 0
    assert errors.pop("to read an upload") == 0
    refusal = errno.EACCES if can_limit_files() else 0
    assert {errors.pop(name) for name in FILES} == {refusal}
    assert (tmp_path / "secret").exists() == can_limit_files()
    assert (tmp_path / "new").exists() != can_limit_files()
    [workers] = [check for check in examine(Settings(data_dir=str(tmp_path))) if check.name == "workers"]
    assert (workers.state == "ok") == (can_limit_files() and can_refuse() and can_leave_namespaces())
    assert ("namespaces of their own" in workers.found) == can_leave_namespaces()
    assert ("no files of others" in workers.found) == can_limit_files()
    assert errors.pop("to write a file") == errno.EFBIG
    shared = {errors.pop(name) for name in list(errors) if name.startswith("to share")}
    assert shared <= {errno.EPERM if can_leave_namespaces() else 0}
    if sys.platform == "linux":
        assert errors
        assert set(errors.values()) == {errno.EPERM}
