"""`python -m tests.device PART …`: run a part; without one, list them.

It needs jax, NumPy and ml_dtypes alone; where hloscope is not installed, it runs from the checkout.
"""

from __future__ import annotations

import os
import sys
import tempfile
from importlib import import_module, util
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARTS = {
    "functions": "measure the functions, products and denormals of a device against its table of rounding",
    "compare": "run a folder of programs on a device, judge the results, and plant faults",
    "recordings": "record a folder of programs on a device, compare each value with our engine's, and plant NaN",
}


def main(arguments: list[str]) -> int:
    """Run the named part, a module of this package."""
    if not arguments or arguments[0] not in PARTS:
        print("\n".join(f"{name:12} {about}" for name, about in PARTS.items()))
        return 2
    if util.find_spec("hloscope") is None:
        _run_from_checkout(arguments)
    module = import_module(f"{__package__}.{arguments[0]}")
    return int(module.main(arguments[1:]) or 0)


def _run_from_checkout(arguments: list[str]) -> None:
    """Start again with a folder on the path that holds the package as it is once installed."""
    folder = Path(tempfile.mkdtemp(prefix="hloscope-")) / "hloscope"
    folder.mkdir()
    for source in (ROOT / "app", ROOT / "engine", *(ROOT / "app" / "public" / "hloscope").glob("*.py")):
        (folder / source.name).symlink_to(source)
    if util.find_spec("typing_extensions") is None:
        (folder.parent / "typing_extensions.py").write_text("from typing import *\n")
    path = os.pathsep.join(filter(None, [str(folder.parent), str(ROOT), os.environ.get("PYTHONPATH", "")]))
    command = [sys.executable, "-m", "tests.device", *arguments]
    os.execve(sys.executable, command, {**os.environ, "PYTHONPATH": path})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
