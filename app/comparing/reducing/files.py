"""A reduced case as files of a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hloscope.engine.reduction.case import Case

from .checks import save_inputs


def write_files(case: Case, script: str, report: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """Write program, inputs, script and report, with the folder if necessary; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "program": folder / ("program.hlo" if case.module.language == "hlo" else "program.mlir"),
        "inputs": folder / "inputs.npz",
        "script": folder / "reproduce.py",
        "report": folder / "report.json",
    }
    files["program"].write_text(case.text, encoding="utf-8")
    save_inputs(files["inputs"], case)
    files["script"].write_text(script, encoding="utf-8")
    files["report"].write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return {name: str(path) for name, path in files.items()}
