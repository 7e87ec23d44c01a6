"""The state of a debugging session: a program, a run of it, and its views."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from hloscope.engine.debugger.run_location import RunLocation

from ..launch import Program
from .breakpoints import Breakpoint
from .connection import Connection
from .lines import Lines
from .player import Player, Stop
from .variables import Variables

Request = Mapping[str, Any]
Body = dict[str, Any]


class Refusal(Exception):
    """A request failed; the message is for the user."""


class Session:
    """The state of a session, and the operations of its requests."""

    def __init__(self, connection: Connection, settings: list[str]) -> None:
        self._connection, self._settings = connection, settings
        self._launch: Request | None = None
        self._program: Program | None = None
        self._player: Player | None = None
        self._variables: Variables | None = None
        self._configured = False
        self._breakpoints: list[Breakpoint] = []
        self._exceptions: frozenset[str] = frozenset()
        self._frames: list[RunLocation] = []
        self._stop: Stop | None = None
        self._lines = Lines()
        self._printed: dict[int, int] = {}
        self._count = 0

    def _program_or_refuse(self) -> Program:
        if self._program is None:
            raise Refusal("no program is being debugged")
        return self._program

    def _player_or_refuse(self) -> Player:
        if self._player is None:
            raise Refusal("the run has not begun")
        return self._player

    def _process(self, arguments: Mapping[str, Any]) -> int:
        process = int(arguments.get("threadId", 1)) - 1
        if not 0 <= process < len(self._player_or_refuse().recording.tracks):
            raise Refusal(f"there is no thread {process + 1}")
        return process

    def _source(self) -> Body:
        path = os.path.abspath(self._program_or_refuse().source.name)
        return {"name": os.path.basename(path), "path": path}

    def _say(self, text: str, category: str, **where: Any) -> None:
        self._connection.event("output", {"category": category, "output": text, **where})
