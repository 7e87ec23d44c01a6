"""Recordings of programs in the editor, made in the background on request."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

from hloscope.engine.debugger.address import Address, argument, result
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ir.types import TensorType
from hloscope.engine.limits import Limits
from hloscope.engine.source import Source

from ...base.keys import text_hash
from ...base.settings import Settings
from ...present.summary import value_text
from ...runs.opening import Opening, OpenParameters, open_run
from ...store.database import FILE
from ...store.files import InputFiles
from ...store.tables import SCHEMA_VERSION
from ...wire.input_files import with_paths
from ..launch import read_program

SLICE_SECONDS = 0.2


@dataclass(frozen=True)
class LastValue:
    """The last value of a name, and the number of its executions."""

    address: Address
    array: Any
    type: TensorType
    line: str
    count: int


class Attached:
    """A run of one text."""

    def __init__(self, text: str, recording: Recording, steps: int | None = None) -> None:
        """`steps` is the target length; `None`: as long as the limits allow."""
        self.text, self.recording, self._steps = text, recording, steps
        self.stopped = Event()
        self._numbers = {id(value): number for number, value in enumerate(recording.program.values)}

    @classmethod
    def begin(cls, path: str, text: str, settings: list[str], launch: dict[str, Any]) -> Attached:
        """Start a run of the program in `text`; `Failure` or `ProgramError` if this is impossible."""
        program = read_program({**launch, "program": path}, settings, text)
        return cls(text, program.plan().recording())

    @classmethod
    def kept(cls, path: str, text: str, settings: Settings) -> Attached | None:
        """The last run of the text on the local server, started again; `None` if there is none."""
        found = find_run(text, path, settings, settings.limits())
        return None if found is None else cls(text, found.recording, found.steps)

    def record(self) -> None:
        """Record to the end, or until `stopped` is set."""
        while not self.stopped.is_set():
            left = None if self._steps is None else self._steps - self.recording.step_count
            if left is not None and left <= 0:
                return
            if self.recording.record(steps=left, seconds=SLICE_SECONDS).kind != "recording":
                return

    def number_at(self, start: int) -> int | None:
        """The first value that a word at this offset defines."""
        values = self.recording.program.values
        return next(
            (n for n, value in enumerate(values) if value.span.end and value.span.start == start), None
        )

    def last(self, number: int) -> LastValue | None:
        """Process 0's last value; `None` if there is none, or it is not a tensor."""
        maker, track = self.recording.program.makers[number], self.recording.tracks[0]
        column = track.frame_block if maker.op is None else track.op_column
        found = np.flatnonzero(column == (maker.block if maker.op is None else maker.op))
        if maker.op is not None and len(found) and track.finish_of(int(found[-1])) is None:
            found = found[:-1]
        if not len(found):
            return None
        address = (argument if maker.op is None else result)(int(found[-1]), maker.index)
        try:
            type, array = self.recording.type_of(address), self.recording.value(address)
        except KeyError:
            return None
        if not isinstance(type, TensorType):
            return None
        line = value_text(array, type, self._lanes(address), self.recording.program.module.language)
        return LastValue(address, array, type, line, len(found))

    def _lanes(self, address: Address) -> tuple[int, ...] | None:
        track = self.recording.tracks[0]
        frame = track.frame_of(address.number) if address.kind == "s" else address.number
        return track.frame_lanes.get(frame)

    @property
    def told(self) -> str:
        """The progress, as a sentence."""
        return f"{self.recording.step_count:,} steps; {self.recording.state.reason}"


def path_of(uri: str) -> str:
    """The path of a document, or its URI."""
    from pygls.uris import to_fs_path

    return str(Path(to_fs_path(uri) or uri))


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
