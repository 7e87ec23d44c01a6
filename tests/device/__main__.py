"""Measure on a device: `python -m tests.device recordings FOLDER --on gpu`.

It needs jax, NumPy and ml_dtypes alone; where hloscope is not installed, it runs from the checkout.
"""

from __future__ import annotations

import os
import sys
import tempfile
from importlib import import_module, util
from pathlib import Path

ROOT = Path(__file__).parents[2]
MEASUREMENTS = ("recordings",)


def main() -> int:
    """Run one measurement; the exit status is 1 if something is wrong."""
    if util.find_spec("hloscope") is None:
        _run_from_checkout()
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in MEASUREMENTS:
        print(f"usage: python -m tests.device {'|'.join(MEASUREMENTS)} …", file=sys.stderr)
        return 2
    status: int = import_module(f"tests.device.{name}").main(sys.argv[2:])
    return status


def _run_from_checkout() -> None:
    """Start again with a folder on the path that holds the package as it is once installed."""
    folder = Path(tempfile.mkdtemp(prefix="hloscope-")) / "hloscope"
    folder.mkdir()
    for source in (ROOT / "app", ROOT / "engine", *(ROOT / "app" / "public" / "hloscope").glob("*.py")):
        (folder / source.name).symlink_to(source)
    if util.find_spec("typing_extensions") is None:
        (folder.parent / "typing_extensions.py").write_text("from typing import *\n")
    path = os.pathsep.join(filter(None, [str(folder.parent), str(ROOT), os.environ.get("PYTHONPATH", "")]))
    command = [sys.executable, "-m", "tests.device", *sys.argv[1:]]
    os.execve(sys.executable, command, {**os.environ, "PYTHONPATH": path})


if __name__ == "__main__":
    sys.exit(main())
