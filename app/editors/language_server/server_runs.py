"""The last run of a program on this user's server, for an editor that shows the same text.

The store is only read. A run is a program, its inputs and its length; a new recording has the same values.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.limits import Limits
from hloscope.engine.source import Source

from ...base.keys import text_hash
from ...base.settings import Settings
from ...runs.opening import Opening, OpenParameters, open_run
from ...store.database import FILE
from ...store.files import InputFiles
from ...store.input_files import with_paths
from ...store.tables import SCHEMA_VERSION

_QUERY = """
SELECT entry, inputs, grid, feeds, steps FROM runs WHERE program = ? AND key != '' ORDER BY created DESC LIMIT 1
"""
_SECONDS = 1.0
"""Timeout for a store that is being written."""


@dataclass(frozen=True)
class ServerRun:
    """A recording to be made as long as the server's was."""

    recording: Recording
    steps: int


def find_run(text: str, name: str, settings: Settings, limits: Limits) -> ServerRun | None:
    """The last run of a program, restarted; `None` if there is none or the store is unreadable."""
    try:
        folder = settings.data_folder()
        row = _row(folder / FILE, text_hash(text))
        if row is None:
            return None
        entry, inputs, grid, feeds = row[0], *map(_json, row[1:4])
        files = InputFiles(folder / "inputs")
    except (OSError, sqlite3.Error, ValueError):
        return None
    found = [with_paths(spec, lambda hash: str(files.path(hash) or "")) for spec in inputs]
    feeds = with_paths(feeds, lambda hash: str(files.path(hash) or ""))
    opened = open_run(Source(text, name), OpenParameters(entry, found, (), grid, feeds), limits)
    return ServerRun(opened.run.recording, int(row[4])) if isinstance(opened, Opening) else None


def _row(file: Path, program: str) -> Any:
    if not file.is_file():
        return None
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=_SECONDS)) as connection:
        version = connection.execute("SELECT value FROM meta WHERE name = 'schema_version'").fetchone()
        if version != (str(SCHEMA_VERSION),):
            return None
        return connection.execute(_QUERY, (program,)).fetchone()


def _json(text: str | None) -> Any:
    return None if text is None else json.loads(text)
