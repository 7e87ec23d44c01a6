"""The report of a batch as files: JSON, and a page without scripts or other files."""

from __future__ import annotations

import json
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, select_autoescape

from ...base.assets import folder
from ...base.versions import installed_version
from .clusters import BatchReport

JSON, HTML = "report.json", "report.html"


def write_report(report: BatchReport, output: Path) -> None:
    """Write `report.json` and `report.html` into a folder."""
    found = report.as_json()
    text = json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)
    (output / JSON).write_text(f"{text}\n", encoding="utf-8")
    environment = Environment(loader=FileSystemLoader(folder("templates")), autoescape=select_autoescape())
    page = environment.get_template("batch.html").render(report=found, version=installed_version())
    (output / HTML).write_text(page, encoding="utf-8")
