"""The steps at which a breakpoint stops, and its log messages."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Annotated

from annotated_types import Ge, Le, MaxLen

from hloscope.engine.debugger.breakpoints import Breakpoint, Target
from hloscope.engine.debugger.run_location import RunLocation
from hloscope.engine.debugger.value_search import ValueSearch
from hloscope.engine.errors import ExpressionError
from hloscope.engine.program import BoundProgram

from ..present.value_lines import line_of
from ..runs.run import Run
from ..wire.questions import Answer, json_answer
from ..wire.stops import BreakpointKind, BreakpointPart, BreakpointProblem, StopsInfo
from .question import Named, NotRecorded, Process, RecordingQuestion, Short, Step

SECONDS = 0.1
"""Duration after which an answer evaluates no further conditions."""
MOST_STOPS = 20_000
"""Maximum number of stops in one answer."""
MOST_TEXTS = 200
"""Maximum number of log messages in one answer."""
MOST_KEPT = 64
"""Maximum number of breakpoints of a run whose stops are kept."""

Text = Annotated[str, MaxLen(4_000)]


@dataclass(frozen=True)
class StopsQuestion(RecordingQuestion[StopsInfo]):
    """The steps of a process, from `from` on, at which a breakpoint stops or logs.

    An answer evaluates conditions for a tenth of a second and returns the step to continue from. Hits are counted from
    the beginning of the run. With `stop`, the answer has the messages of the last 200 stops before it.
    """

    path = "/stops"
    examples = ({"kind": "op", "at": "stablehlo.add", "condition": "max(%0) > 1"},)

    kind: BreakpointKind
    at: Short
    condition: Text = ""
    hits: Annotated[str, MaxLen(40)] = ""
    log: Text = ""
    process: Process = 0
    start: Annotated[int, Named("from"), Ge(0), Le(2**53)] = 0
    stop: Step | None = None

    def answer(self, run: Run) -> Answer[StopsInfo]:
        if run.replaying or self.process >= len(run.recording.tracks):
            raise NotRecorded
        try:
            point = self._breakpoint(run)
        except _Invalid as error:
            return json_answer(_refusal(error.problem), final=False)
        here = RunLocation(run.recording, self.process, 0)
        end = here.track.step_count if self.stop is None else min(self.stop, here.track.step_count)
        seen = min(end, point.look(here, end, perf_counter() + SECONDS))
        steps = list(point.known_stops(self.process, self.start, seen))
        if self.stop is not None:
            steps = steps[-MOST_TEXTS:]
        elif len(steps) > MOST_STOPS:
            steps, seen = steps[:MOST_STOPS], steps[MOST_STOPS]
        texts = self.log and self.stop is not None
        return json_answer(
            {
                "steps": steps,
                "texts": [
                    point.said(RunLocation(run.recording, self.process, step), line_of) for step in steps
                ]
                if texts
                else [],
                "errors": [
                    {"step": step, "message": message}
                    for step in steps
                    if (message := point.errors.get((self.process, step)))
                ],
                "next": max(seen, self.start),
                "problem": None,
                "empty": point.target.is_empty,
            },
            final=False,
        )

    def _breakpoint(self, run: Run) -> Breakpoint:
        """The breakpoint with its known stops; raises `_Invalid`."""
        key = self.kind, self.at, self.condition, self.hits, self.log
        if key not in run.breakpoints:
            program = run.recording.program
            target = Target.of(program, self.kind, self.at)
            self._check(target, program)
            if run.search is None:
                run.search = ValueSearch(run.recording)
            point = Breakpoint.parse(target, program, self.condition, self.hits, self.log)
            point.search = run.search
            while len(run.breakpoints) >= MOST_KEPT:
                del run.breakpoints[next(iter(run.breakpoints))]
            run.breakpoints[key] = point
        return run.breakpoints[key]

    def _check(self, target: Target, program: BoundProgram) -> None:
        """Raise `_Invalid` for the first text that is invalid."""
        texts: dict[BreakpointPart, tuple[str, str, str]] = {
            "condition": (self.condition, "", ""),
            "hits": ("", self.hits, ""),
            "log": ("", "", self.log),
        }
        for part, alone in texts.items():
            try:
                Breakpoint.parse(target, program, *alone).check_truth(program)
            except ExpressionError as error:
                start, end = (error.span.start, error.span.end) if error.span else (0, 0)
                raise _Invalid(
                    {"part": part, "message": error.message, "hint": error.hint, "start": start, "end": end}
                ) from None


class _Invalid(Exception):
    """A text of the breakpoint is invalid."""

    def __init__(self, problem: BreakpointProblem) -> None:
        super().__init__(problem["message"])
        self.problem = problem


def _refusal(problem: BreakpointProblem) -> StopsInfo:
    return {"steps": [], "texts": [], "errors": [], "next": 0, "problem": problem, "empty": False}


QUESTIONS = (StopsQuestion,)
