"""What the fork server does before it forks, so that workers share its memory."""

import json
import subprocess
import sys

from hloscope.app.processes.child_process import passed_on
from tests.server_process import ROOT


def test_a_session_loads_no_module_after_the_fork() -> None:
    environment = {**passed_on(), "PYTHONPATH": f"{ROOT}:{ROOT / 'app' / 'public'}"}
    command = [sys.executable, "-m", "tests.app.workers.preloaded"]
    told = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert json.loads(told.stdout) == {"threads": 1, "loaded": []}
