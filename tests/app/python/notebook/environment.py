"""Environments of their own for what notebooks need, which is much: tests of a notebook in JupyterLab and marimo make one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

SECONDS = 600


def make_environment(folder: Path, *packages: str) -> Path:
    """The Python of a new environment with these packages, and hloscope as it is here."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=SECONDS)
    python = folder / "bin" / "python"
    # Our own pip installs, and compiles no module before one is imported.
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", "--no-compile", *packages], check=True, timeout=SECONDS)
    # What hloscope needs itself, and hloscope, are taken from the environment of the tests, behind what is new.
    place = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True, capture_output=True, text=True, timeout=SECONDS,
    ).stdout.strip()  # fmt: skip
    path = [sysconfig.get_path("purelib"), *_editable()]
    Path(place, "tests.pth").write_text("\n".join(path) + "\n")
    return python


def _editable() -> list[str]:
    """The folders in which an editable install has put hloscope."""
    folders = Path(sysconfig.get_path("purelib")).glob("*hloscope*.pth")
    return [line for file in folders for line in file.read_text().splitlines() if line.startswith("/")]


def write_notebook(path: Path, *cells: str) -> None:
    """A notebook of these cells, run by nobody yet."""
    content = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        "cells": [
            {
                "cell_type": "code", "id": f"cell-{number}", "metadata": {}, "execution_count": None,
                "outputs": [], "source": cell,
            }
            for number, cell in enumerate(cells)
        ],
    }  # fmt: skip
    path.write_text(json.dumps(content))


def own_folders(folder: Path) -> dict[str, str]:
    """The variables of a process that keeps what it writes for Jupyter within a folder, and hloscope's data too."""
    names = (
        "JUPYTER_CONFIG_DIR",
        "JUPYTER_DATA_DIR",
        "JUPYTER_RUNTIME_DIR",
        "IPYTHONDIR",
        "HLOSCOPE_DATA_DIR",
    )
    found = {name: folder / name.lower() for name in names}
    for place in found.values():
        place.mkdir(exist_ok=True)
    return {**os.environ, **{name: str(place) for name, place in found.items()}}
