"""Serve the requests of one debugging session.

The protocol defines the order: `initialize`, `launch` (reads the program and sends `initialized`), breakpoints,
`configurationDone`; only then the run begins and `launch` is answered.
"""

import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from hloscope.engine.debugger.breakpoints import Breakpoint, Target
from hloscope.engine.debugger.run_location import RunLocation
from hloscope.engine.errors import ExpressionError, ProgramError

from ...base.blas import share_products
from ...base.failure import Failure, file_sentence
from ...base.faults import sentence
from ...base.logs import describe_error
from ...base.settings import Settings, SettingsError
from ..launch import Program, read_program
from .connection import BadMessage, Connection
from .player import Move, Player, Stop
from .variables import Variables
from .views import Body, Lines, Refusal, Request, Views

CAPABILITIES: Mapping[str, Any] = {
    "supportsConfigurationDoneRequest": True,
    "supportsConditionalBreakpoints": True,
    "supportsHitConditionalBreakpoints": True,
    "supportsLogPoints": True,
    "supportsBreakpointLocationsRequest": True,
    "supportsStepBack": True,
    "supportsSteppingGranularity": True,
    "supportsGotoTargetsRequest": True,
    "supportsEvaluateForHovers": True,
    "supportsExceptionInfoRequest": True,
    "supportsExceptionFilterOptions": True,
    "supportsLoadedSourcesRequest": True,
    "supportsReadMemoryRequest": True,
    "supportsCancelRequest": True,
    "supportsTerminateRequest": True,
    "supportsDelayedStackTraceLoading": True,
    "exceptionBreakpointFilters": [
        {"filter": "nan", "label": "NaN is born", "default": True,
         "description": "Stops at an op whose result has a NaN where its operands have none."},
        {"filter": "inf", "label": "Infinity is born", "default": False,
         "description": "Stops at an op whose result is infinite where its operands are finite."},
    ],
}  # fmt: skip
"""The capabilities of the adapter, in the protocol's terms."""


def serve(source: BinaryIO, sink: BinaryIO, settings: list[str]) -> int:
    """Serve one client until it disconnects; the exit status."""
    connection = Connection(source, sink)
    connection.start()
    adapter = Adapter(connection, settings)
    try:
        while (request := connection.next_request()) is not None:
            if not adapter.serve(request):
                return 0
    except BadMessage as error:
        print(f"hloscope: {error}", file=sys.stderr)
        return 2
    return 0


def serve_standard_streams(settings: list[str]) -> int:
    """Serve a client over standard input and output; other output goes to standard error."""
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return serve(sys.stdin.buffer, sink, settings)


class Adapter(Views):
    """One session: its start and end, breakpoints and moves."""

    def serve(self, request: Request) -> bool:
        """Serve one request; whether the session continues."""
        command = str(request.get("command", ""))
        if request.get("seq") in self._connection.cancelled:
            self._connection.refuse(request, "cancelled", show=False)
            return True
        handler: Callable[[Request, Mapping[str, Any]], None] | None = getattr(self, f"on_{command}", None)
        if handler is None:
            self._connection.refuse(request, f"hloscope has no request '{command:.60}'", show=False)
            return True
        try:
            handler(request, request.get("arguments") or {})
        except (Refusal, Failure, SettingsError) as error:
            self._connection.refuse(request, str(error))
        except ProgramError as error:
            hint = f" ({error.hint})" if error.hint else ""
            self._connection.refuse(request, f"{error.message}{hint}")
        except OSError as error:
            self._connection.refuse(request, file_sentence(error))
        except Exception as error:
            print(describe_error(error), file=sys.stderr)
            self._connection.refuse(request, sentence(error))
        return command != "disconnect"

    # Start and end.

    def on_initialize(self, request: Request, arguments: Mapping[str, Any]) -> None:
        """The capabilities of hloscope."""
        self._lines = Lines(arguments.get("linesStartAt1", True), arguments.get("columnsStartAt1", True))
        self._connection.respond(request, CAPABILITIES)

    def on_launch(self, request: Request, arguments: Mapping[str, Any]) -> None:
        """Read the program; the response is sent when the run has begun."""
        if self._program is not None:
            raise Refusal("a program is being debugged already")
        self._program = read_program(arguments, self._settings)
        share_products(Settings.load(self._settings).blas_thread_count())
        if self._program.warnings:
            self._say(self._program.warnings, "console")
        self._launch = request
        self._connection.event("initialized")
        self._begin()

    def on_configurationDone(self, request: Request, _: Mapping[str, Any]) -> None:  # noqa: N802
        """Begin the run: all breakpoints are set."""
        self._configured = True
        self._connection.respond(request)
        self._begin()

    def _begin(self) -> None:
        if self._launch is None or not self._configured or self._program is None:
            return
        launch, self._launch = self._launch, None
        try:
            recording = self._program.plan().recording()
            self._connection.interrupted.clear()
            self._player = Player(recording, self._program.limits, self._connection.interrupted.is_set)
        except (Failure, ProgramError, OSError) as error:
            self._program = None
            hint = getattr(error, "hint", None)
            self._connection.refuse(launch, f"{error} ({hint})" if hint else str(error))
            self._connection.event("terminated")
            return
        self._variables = Variables(recording)
        self._player.breakpoints, self._player.exceptions = self._breakpoints, self._exceptions
        self._connection.respond(launch)
        if launch.get("arguments", {}).get("stopOnEntry", True):
            self._stopped(Stop(0, "entry", "nothing has run yet"))
        else:
            self._went(self._player.resume(0, self._log, here=True))

    def on_disconnect(self, request: Request, _: Mapping[str, Any]) -> None:
        """End the connection."""
        self._connection.respond(request)

    def on_terminate(self, request: Request, _: Mapping[str, Any]) -> None:
        """End the session."""
        self._connection.respond(request)
        self._connection.event("terminated")

    def on_cancel(self, request: Request, _: Mapping[str, Any]) -> None:
        """Cancel a pending request; the reader has recorded it already."""
        self._connection.respond(request)

    # Breakpoints.

    def on_setBreakpoints(self, request: Request, arguments: Mapping[str, Any]) -> None:  # noqa: N802
        """Replace the breakpoints of a file, with one response for each, in order."""
        program = self._program_or_refuse()
        wanted = arguments.get("breakpoints") or [{"line": line} for line in arguments.get("lines", ())]
        if not _same_file(arguments.get("source", {}).get("path"), program.source.name):
            told = [{"verified": False, "message": "another program is being debugged"} for _ in wanted]
            self._connection.respond(request, {"breakpoints": told})
            return
        self._breakpoints, told = [], []
        for asked in wanted:
            told.append(self._breakpoint(program, asked))
        if self._player:
            self._player.breakpoints = self._breakpoints
        self._connection.respond(request, {"breakpoints": told})

    def _breakpoint(self, program: Program, asked: Mapping[str, Any]) -> Body:
        self._count += 1
        line, ops = self._lines.ops_at(program.program, asked.get("line", 1))
        found: Body = {"id": self._count, "line": self._lines.shown_line(line)}
        texts = [str(asked.get(name) or "") for name in ("condition", "hitCondition", "logMessage")]
        try:
            point = Breakpoint.parse(Target(ops), program.program, *texts)
        except ExpressionError as error:
            hint = f" ({error.hint})" if error.hint else ""
            return {**found, "verified": False, "message": f"{error.message}{hint}"}
        point.number = self._count
        self._breakpoints.append(point)
        return {**found, "verified": bool(ops)}

    def on_breakpointLocations(self, request: Request, arguments: Mapping[str, Any]) -> None:  # noqa: N802
        """The lines of a range on which ops start."""
        first = arguments.get("line", 1)
        lines = self._lines.with_ops(
            self._program_or_refuse().program, first, arguments.get("endLine", first)
        )
        self._connection.respond(request, {"breakpoints": [{"line": line} for line in lines]})

    def on_setExceptionBreakpoints(self, request: Request, arguments: Mapping[str, Any]) -> None:  # noqa: N802
        """Select whether to stop at the origin of a NaN or an infinity."""
        options = [option.get("filterId") for option in arguments.get("filterOptions") or ()]
        self._exceptions = frozenset([*arguments.get("filters", ()), *options])
        if self._player:
            self._player.exceptions = self._exceptions
        self._connection.respond(request, {})

    # Moves.

    def _move(self, request: Request, arguments: Mapping[str, Any], move: Move) -> None:
        player, process = self._player_or_refuse(), self._process(arguments)
        self._forget()
        self._connection.respond(request)
        self._went(player.step(process, move))

    def on_next(self, request: Request, arguments: Mapping[str, Any]) -> None:
        """Step over."""
        self._move(request, arguments, "over")

    def on_stepIn(self, request: Request, arguments: Mapping[str, Any]) -> None:  # noqa: N802
        """Step into."""
        self._move(request, arguments, "into")

    def on_stepOut(self, request: Request, arguments: Mapping[str, Any]) -> None:  # noqa: N802
        """Step out."""
        self._move(request, arguments, "out")

    def on_stepBack(self, request: Request, arguments: Mapping[str, Any]) -> None:  # noqa: N802
        """Step back over, to the previous op of this frame."""
        fine = arguments.get("granularity") == "instruction"
        self._move(request, arguments, "back" if fine else "back_over")

    def on_continue(self, request: Request, arguments: Mapping[str, Any]) -> None:
        """Continue to the next stop; at the end, the session ends."""
        player, process = self._player_or_refuse(), self._process(arguments)
        self._forget()
        self._connection.respond(request, {"allThreadsContinued": True})
        self._went(player.resume(process, self._log))

    def on_reverseContinue(self, request: Request, arguments: Mapping[str, Any]) -> None:  # noqa: N802
        """Continue backward to the previous stop."""
        player, process = self._player_or_refuse(), self._process(arguments)
        self._forget()
        self._connection.respond(request)
        self._went(player.reverse(process))

    def on_pause(self, request: Request, arguments: Mapping[str, Any]) -> None:
        """Respond; the move has stopped already, when this is served."""
        self._process(arguments)
        self._connection.respond(request)

    def on_gotoTargets(self, request: Request, arguments: Mapping[str, Any]) -> None:  # noqa: N802
        """The line itself, if ops start on it."""
        program = self._program_or_refuse()
        line, ops = self._lines.ops_at(program.program, arguments.get("line", 1))
        shown = self._lines.shown_line(line)
        target = {"id": line, "label": f"line {shown}, its next execution", "line": shown}
        self._connection.respond(request, {"targets": [target] if ops else []})

    def on_goto(self, request: Request, arguments: Mapping[str, Any]) -> None:
        """Move to an execution of a line: the next one, or else the last one before."""
        player, process = self._player_or_refuse(), self._process(arguments)
        ops = self._lines.ops_of_line(self._program_or_refuse().program, int(arguments.get("targetId", 0)))
        self._forget()
        self._connection.respond(request)
        self._went(player.jump(process, ops))

    def _forget(self) -> None:
        """Invalidate references after a move."""
        self._frames.clear()
        if self._variables:
            self._variables.clear()
        self._connection.interrupted.clear()

    def _went(self, stop: Stop | None) -> None:
        if stop is None:
            self._connection.event("terminated")
        else:
            self._stopped(stop)

    def _stopped(self, stop: Stop) -> None:
        self._stop = stop
        self._print()
        told: Body = {"reason": stop.reason, "threadId": stop.process + 1, "allThreadsStopped": True}
        if stop.text:
            told |= {"description": stop.text, "text": stop.text}
        if stop.breakpoints:
            told["hitBreakpointIds"] = list(stop.breakpoints)
        self._connection.event("stopped", told)

    def _log(self, place: RunLocation, text: str) -> None:
        """Send the message of a log point."""
        program = self._program_or_refuse()
        where = {"source": self._source(), "line": self._lines.shown_line(place.line)}
        self._say(f"{text}\n", "console", **where) if program else None

    def _print(self) -> None:
        """Send the program's output so far, once."""
        player = self._player_or_refuse()
        for track in player.recording.tracks:
            now = player.place(track.number).step
            due = [text for step, text in track.prints if step < now]
            for text in due[self._printed.get(track.number, 0) :]:
                self._say(f"{text}\n", "stdout")
            self._printed[track.number] = max(len(due), self._printed.get(track.number, 0))


def _same_file(asked: str | None, program: str) -> bool:
    """Whether two paths denote one file, however they are spelled."""
    if not asked:
        return False
    return os.path.normcase(os.path.realpath(asked)) == os.path.normcase(os.path.realpath(program))
