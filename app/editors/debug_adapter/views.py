"""Serve the views of the position: threads, frames, values, expressions, memory."""

import os
from base64 import b64encode
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hloscope.engine.debugger.breakpoints import Breakpoint
from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.debugger.run_location import RunLocation, values_by_name
from hloscope.engine.errors import ExpressionError
from hloscope.engine.expressions import evaluate, parse
from hloscope.engine.program import BoundProgram

from ..launch import Program
from .connection import Connection
from .player import Player, Stop
from .variables import Variables, bytes_of, source_frames

Request = Mapping[str, Any]
Body = dict[str, Any]


class Refusal(Exception):
    """A request failed; the message is for the user."""


class Views:
    """The state of a session: a program, a run of it; and the requests that do not move."""

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

    def on_threads(self, request: Request, _: Mapping[str, Any]) -> None:
        """The processes that have begun."""
        player = self._player
        numbers = [
            track.number
            for track in (player.recording.tracks if player else ())
            if player and (track.number == 0 or track.tick_of(0) <= player.tick)
        ]
        named = [
            {"id": n + 1, "name": f"process {player.recording.process_name(n)}"} for n in numbers if player
        ]
        self._connection.respond(request, {"threads": named or [{"id": 1, "name": "process (0, 0)"}]})

    def on_stackTrace(self, request: Request, arguments: Mapping[str, Any]) -> None:  # noqa: N802
        """The frames of a process, innermost first."""
        player, process = self._player_or_refuse(), self._process(arguments)
        places = list(player.place(process).frames())
        start, levels = (
            int(arguments.get("startFrame") or 0),
            int(arguments.get("levels") or 0) or len(places),
        )
        frames = [self._frame(*named) for named in source_frames(places[start : start + levels])]
        self._connection.respond(request, {"stackFrames": frames, "totalFrames": len(places)})

    def _frame(self, name: str, place: RunLocation) -> Body:
        self._frames.append(place)
        end = " (ended)" if place.at_end else ""
        where = self._lines.place_of(place)
        return {"id": len(self._frames), "name": f"{name}{end}", "source": self._source(), **where}

    def _frame_of(self, arguments: Mapping[str, Any]) -> RunLocation:
        number = arguments.get("frameId")
        if number is None:
            player = self._player_or_refuse()
            return player.place(self._stop.process if self._stop else 0)
        if not isinstance(number, int) or not 0 < number <= len(self._frames):
            raise Refusal("this frame is no longer shown")
        return self._frames[number - 1]

    def on_scopes(self, request: Request, arguments: Mapping[str, Any]) -> None:
        """The values of a frame, and its current op."""
        place = self._frame_of(arguments)
        innermost = place == self._player_or_refuse().place(place.process)
        assert self._variables
        self._connection.respond(request, {"scopes": self._variables.scopes(place, innermost=innermost)})

    def on_variables(self, request: Request, arguments: Mapping[str, Any]) -> None:
        """The children of a reference."""
        self._player_or_refuse()
        assert self._variables
        start, count = int(arguments.get("start") or 0), int(arguments.get("count") or 0)
        try:
            found = self._variables.children(
                int(arguments.get("variablesReference", 0)), arguments.get("filter"), start, count
            )
        except KeyError:
            raise Refusal("this value is no longer shown") from None
        self._connection.respond(request, {"variables": found})

    def on_evaluate(self, request: Request, arguments: Mapping[str, Any]) -> None:
        """The value of an expression in a frame."""
        text, place = str(arguments.get("expression", "")), self._frame_of(arguments)
        names = place.recording.program.derive(values_by_name)
        if arguments.get("context") == "hover" and text in names:
            text = f"%{text}"  # an editor may select a name without its sigil
        try:
            found = evaluate(parse(text, names), place)
        except ExpressionError as error:
            caret = "" if "\n" in text else f"\n{text}\n{' ' * error.span.start}^"
            hint = f"\n{error.hint}" if error.hint else ""
            self._connection.refuse(request, f"{error.message}{caret}{hint}", show=False)
            return
        assert self._variables
        shown = self._variables.computed("", found)
        body = {name: value for name, value in shown.items() if name not in ("name", "value")}
        self._connection.respond(request, {"result": shown["value"], **body})

    def on_exceptionInfo(self, request: Request, arguments: Mapping[str, Any]) -> None:  # noqa: N802
        """The non-finite value at the stop and its harm, or the reason for the run's failure."""
        player, process = self._player_or_refuse(), self._process(arguments)
        stop = self._stop
        if stop is None or stop.reason != "exception" or stop.process != process:
            raise Refusal("nothing went wrong here")
        text = stop.text
        if stop.kind in ("nan", "inf"):
            step = player.place(process).step
            for found in FindingReport(player.recording).findings:
                if found.kind == stop.kind and any(
                    (one.process, one.step) == (process, step) for one in found.occurrences
                ):
                    text = f"{found.sentence} ({found.grade})"
        body = {"exceptionId": stop.kind, "description": text, "breakMode": "always"}
        self._connection.respond(request, {**body, "details": {"message": text, "typeName": stop.kind}})

    def on_readMemory(self, request: Request, arguments: Mapping[str, Any]) -> None:  # noqa: N802
        """Bytes of a value."""
        player, reference = self._player_or_refuse(), str(arguments.get("memoryReference", ""))
        offset, count = int(arguments.get("offset") or 0), max(0, int(arguments.get("count") or 0))
        try:
            data, missing = bytes_of(player.recording, reference, offset, min(count, 1 << 24))
        except (KeyError, ValueError):
            raise Refusal(f"there is no value {reference:.60}") from None
        body = {"address": str(offset), "data": b64encode(data).decode(), "unreadableBytes": missing}
        self._connection.respond(request, body)

    def on_source(self, request: Request, _: Mapping[str, Any]) -> None:
        """The program's text."""
        self._connection.respond(request, {"content": self._program_or_refuse().source.text})

    def on_loadedSources(self, request: Request, _: Mapping[str, Any]) -> None:  # noqa: N802
        """The program only."""
        self._connection.respond(request, {"sources": [self._source()]})


def _ops_by_line(program: BoundProgram) -> Mapping[int, frozenset[int]]:
    found: defaultdict[int, set[int]] = defaultdict(set)
    for bound in program.ops:
        found[program.line_of(bound.id)].add(bound.id)
    return {line: frozenset(ops) for line, ops in sorted(found.items())}


@dataclass(frozen=True)
class Lines:
    """Lines from 1 or from 0; columns in units of UTF-16."""

    lines_from_1: bool = True
    columns_from_1: bool = True

    def shown_line(self, line: int) -> int:
        """Convert our line number to the client's."""
        return line - (not self.lines_from_1)

    def ops_at(self, program: BoundProgram, shown: int) -> tuple[int, frozenset[int]]:
        """The line of a breakpoint and its ops: the next line with an op, or else the last."""
        by_line = program.derive(_ops_by_line)
        lines, line = list(by_line), int(shown) + (not self.lines_from_1)
        if not lines:
            return line, frozenset()
        found = lines[min(bisect_left(lines, line), len(lines) - 1)]
        return found, by_line[found]

    def ops_of_line(self, program: BoundProgram, line: int) -> frozenset[int]:
        """The ops that start on one of our lines."""
        return program.derive(_ops_by_line).get(line, frozenset())

    def with_ops(self, program: BoundProgram, first: int, last: int) -> list[int]:
        """The lines of a range on which ops start."""
        return [
            shown
            for line in program.derive(_ops_by_line)
            if first <= (shown := self.shown_line(line)) <= last
        ]

    def place_of(self, place: RunLocation) -> dict[str, Any]:
        """Line and column of the current op and of its end."""
        program, track = place.recording.program, place.track
        if not track.step_count:
            return {"line": self.shown_line(1), "column": int(self.columns_from_1)}
        operation = program.ops[track.op_of(min(place.step, track.step_count - 1))].operation
        source = program.module.source
        line, column = source.line_and_column(operation.span.start)
        before = source.line_text(line)[: column - 1]
        return {
            "line": self.shown_line(line),
            "column": len(before.encode("utf-16-le")) // 2 + self.columns_from_1,
        }
