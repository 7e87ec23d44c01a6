"""What the fork server does before it forks, so that workers share its memory."""

import json
import subprocess
import sys

from hloscope.app.processes.child_process import passed_on
from tests.server_process import ROOT


def test_what_a_first_session_finds_prepared() -> None:
    environment = {**passed_on(), "PYTHONPATH": f"{ROOT}:{ROOT / 'app' / 'public'}"}
    command = [sys.executable, "-m", "tests.app.workers.preloaded"]
    told = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    spares = sys.version_info >= (3, 12)
    assert json.loads(told.stdout) == {"threads": 1, "immortal": spares, "counts": not spares, "loaded": []}
