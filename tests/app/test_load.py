"""The load script: some visitors all get what they come for, and it sees what the server needs."""

import re
import subprocess
import sys

import pytest

from tests.server_process import ROOT


@pytest.mark.more
def test_some_visitors_open_and_step() -> None:
    arguments = ["--opens", "3", "--steppers", "2", "--seconds", "1.5", "--set", "max_active_sessions=3"]
    command = [sys.executable, "-m", "tests.load", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = dict(re.findall(r"^  (\S.*?)  +(\S.*)$", done.stdout, re.MULTILINE))
    assert found["usable"] == "3 of 3"
    assert found["errors"] == "0"
    assert int(found["steps"].split(",")[0]) >= 2
    assert int(found["worker processes, at most"]) >= 3
    for name in ("memory of the server, at most", "memory of its workers, at most"):
        assert int(found[name].split()[0]) > 0
