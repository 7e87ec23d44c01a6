"""What a process that runs a stranger's program cannot do, whatever code it is made to run."""

from __future__ import annotations

import errno
import json
import subprocess
import sys

from tests.server_process import ROOT


def test_a_worker_reads_and_answers_and_does_nothing_else() -> None:
    environment = {"PYTHONPATH": f"{ROOT}:{ROOT / 'app' / 'public'}"}
    command = [sys.executable, "-m", "tests.app.processes.confined"]
    told = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    errors = json.loads(told.stdout)
    assert errors.pop("to read and answer") == 0
    assert errors.pop("to write a file") == errno.EFBIG
    if sys.platform == "linux":
        assert errors
        assert set(errors.values()) == {errno.EPERM}
