"""The plugin of examples/plugin as an installer leaves it, without installing it."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[3]
PLUGIN = ROOT / "examples/plugin"


def install_plugin(folder: Path) -> None:
    """Copy the plugin's package into a folder, and write what `importlib.metadata` reads of it."""
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text("utf-8"))["project"]
    shutil.copytree(PLUGIN / "src", folder, dirs_exist_ok=True)
    described = folder / f"hloscope_example-{project['version']}.dist-info"
    described.mkdir()
    (described / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = []
    for group, entries in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())]
    (described / "entry_points.txt").write_text("\n".join(lines) + "\n")
