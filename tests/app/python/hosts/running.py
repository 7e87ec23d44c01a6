"""Cases that need JAX, run in a process of their own: `CASES` of a module, each a function that gives something JSON has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[4]
MARK = "cases: "
SECONDS = 540.0


def run_cases(
    module: str,
    names: Sequence[str] = (),
    data: Path | None = None,
    seconds: float = SECONDS,
    python: str = sys.executable,
    **environment: str,
) -> dict[str, Any]:
    """What the cases of a module give, by name; what one raised is `{"error": …}`. Without names all of them.

    `data` is the data folder of a server that a case starts, `python` that of another environment.
    """
    folder = {"HLOSCOPE_DATA_DIR": str(data)} if data else {}
    ran = subprocess.run(
        [python, "-m", __name__, module, *names],
        capture_output=True, text=True, timeout=seconds, cwd=ROOT, check=False,
        env={**os.environ, "JAX_PLATFORMS": "cpu", **folder, **environment},
    )  # fmt: skip
    line = next((line for line in reversed(ran.stdout.splitlines()) if line.startswith(MARK)), None)
    assert line is not None, ran.stdout + ran.stderr
    found: dict[str, Any] = json.loads(line.removeprefix(MARK))
    return found


def main(module: str, names: Sequence[str]) -> None:
    """Runs cases in this process, and prints what they give."""
    from hloscope.app.python.debug import stop_local_server

    cases: Mapping[str, Callable[[], Any]] = import_module(module).CASES
    found = {name: _run(case) for name, case in cases.items() if not names or name in names}
    stop_local_server()  # which cases have started and share
    print(f"\n{MARK}{json.dumps(found)}", flush=True)


def _run(case: Callable[[], Any]) -> Any:
    try:
        return case()
    except Exception as error:
        return {"error": str(error), "kind": type(error).__name__, "trace": traceback.format_exc()[-2000:]}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
