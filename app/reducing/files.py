"""A reduced case as files of a folder."""

from __future__ import annotations

import json
from pathlib import Path

from .checks import save_inputs
from .reduction import Reduction


def write(found: Reduction, folder: Path) -> dict[str, str]:
    """Writes program, inputs, script and what was found; the path of each. The folder is made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / ("program.hlo" if found.case.module.language == "hlo" else "program.mlir")
    files = {
        "program": program,
        "inputs": folder / "inputs.npz",
        "script": folder / "reproduce.py",
        "report": folder / "report.json",
    }
    program.write_text(found.text, encoding="utf-8")
    save_inputs(files["inputs"], found.case)
    files["script"].write_text(found.script, encoding="utf-8")
    files["report"].write_text(json.dumps(found.as_json(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return {name: str(path) for name, path in files.items()}
