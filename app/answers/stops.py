"""The steps at which a breakpoint stops, and its log messages."""

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Annotated, TypeAlias

from annotated_types import Ge, Le, MaxLen

from hloscope.engine.debugger.breakpoints import ANY, Breakpoint, Target
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.run_location import RunLocation
from hloscope.engine.errors import ExpressionError
from hloscope.engine.program import BoundProgram

from ..present.summary import line_of
from ..runs.run import Run, kept
from ..runs.run_pair import MOST_VALUES, DifferingSteps
from ..wire.questions import Answer, json_answer
from ..wire.run_comparison import Side
from ..wire.stops import BreakpointKind, BreakpointPart, BreakpointProblem, OneRunKind, StopsInfo
from .comparison import SECONDS as COMPARING_SECONDS
from .comparison import pair_of
from .question import Named, NotRecorded, Other, PairQuestion, Process, RecordingQuestion, Short, Step
from .search import search_of

SECONDS = 0.1
"""Duration after which an answer evaluates no further conditions."""
MOST_STOPS = 20_000
"""Maximum number of stops in one answer."""
MOST_TEXTS = 200
"""Maximum number of log messages in one answer."""
MOST_KEPT = 64
"""Maximum number of breakpoints of a run whose stops are kept."""

OTHER_GRID = "the runs have different numbers of processes, so their steps are not compared"
KnownBreakpoints: TypeAlias = dict[tuple[str, ...], Breakpoint]
Text = Annotated[str, MaxLen(4_000)]


@dataclass(frozen=True)
class _OneRun:
    """The field of questions about a breakpoint whose stops one run determines."""

    kind: OneRunKind


@dataclass(frozen=True)
class _Stops:
    """The fields of questions about the stops of a breakpoint."""

    at: Short
    condition: Text = ""
    hits: Annotated[str, MaxLen(40)] = ""
    log: Text = ""
    process: Process = 0
    start: Annotated[int, Named("from"), Ge(0), Le(2**53)] = 0
    stop: Step | None = None

    def stops(self, point: Breakpoint, recording: Recording, until: int | None = None) -> StopsInfo:
        """The stops of `point`, whose target is known before step `until`."""
        here = RunLocation(recording, self.process, 0)
        ends = (here.track.step_count, self.stop, until)
        end = min(end for end in ends if end is not None)
        seen = min(end, point.look(here, end, perf_counter() + SECONDS))
        steps = list(point.known_stops(self.process, self.start, seen))
        if self.stop is not None:
            steps = steps[-MOST_TEXTS:]
        elif len(steps) > MOST_STOPS:
            steps, seen = steps[:MOST_STOPS], steps[MOST_STOPS]
        texts = self.log and self.stop is not None
        return {
            "steps": steps,
            "texts": [point.said(RunLocation(recording, self.process, step), line_of) for step in steps]
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
        }

    def point(self, program: BoundProgram, kind: BreakpointKind, known: KnownBreakpoints) -> Breakpoint:
        """The breakpoint with its known stops, kept in `known`; raises `_Invalid`."""
        key = kind, self.at, self.condition, self.hits, self.log
        if key not in known:
            try:
                target = Target.of(program, kind, self.at)
            except ExpressionError as error:
                raise _invalid("at", error) from None
            self._check(target, program)
            while len(known) >= MOST_KEPT:
                del known[next(iter(known))]
            known[key] = Breakpoint.parse(target, program, self.condition, self.hits, self.log)
        return known[key]

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
                raise _invalid(part, error) from None


class StopsQuestion(_Stops, _OneRun, RecordingQuestion[StopsInfo]):
    """The steps of a process, from `from` on, at which a breakpoint stops or logs.

    An answer evaluates conditions for a tenth of a second and returns the step to continue from. Hits are counted from
    the beginning of the run. With `stop`, the answer has the messages of the last 200 stops before it.
    """

    path = "/stops"
    examples = ({"kind": "op", "at": "stablehlo.add", "condition": "max(%0) > 1"},)

    def answer(self, run: Run) -> Answer[StopsInfo]:
        if run.replaying or self.process >= len(run.recording.tracks):
            raise NotRecorded
        try:
            point = self.point(run.recording.program, self.kind, _breakpoints_of(run))
        except _Invalid as error:
            return json_answer(_refusal(error.problem), final=False)
        point.search = search_of(run)
        return json_answer(self.stops(point, run.recording), final=False)


@kept
def _breakpoints_of(run: Run) -> KnownBreakpoints:
    """The breakpoints that were requested last, with their stops so far."""
    return {}


class DifferingStopsQuestion(_Stops, PairQuestion[StopsInfo]):
    """The steps of a process, from `from` on, at which a value differs from the other run's beyond its error bound.

    `at`: a value, or `*` for the values where a difference arises. `side=after`: the steps are the other run's. An answer
    compares for a second and a half, and returns the step to continue from.
    """

    path = "/comparison/stops"
    examples = ({"other": "{key}", "at": "*"},)

    side: Side = "before"

    def answer(self, run: Run, other: Other) -> Answer[StopsInfo]:
        recording = other.recording if self.side == "after" else run.recording
        if self.process >= len(recording.tracks):
            raise NotRecorded
        pair = pair_of(run, other, None)
        try:
            if len(run.recording.tracks) != len(other.recording.tracks):
                raise _invalid("at", ExpressionError(OTHER_GRID))
            point = self.point(recording.program, "differs", pair.breakpoints)
        except _Invalid as error:
            return json_answer(_refusal(error.problem), final=False)
        pair.go_on(COMPARING_SECONDS)
        found = pair.differing(self.process, point.target.ops, self.side, only_births=self.at == ANY)
        point.target = replace(point.target, test=Differs(found, is_over=pair.ended))
        until = None if pair.ended else found.until
        return json_answer(self.stops(point, recording, until), final=False)


@dataclass(frozen=True)
class Differs:
    """Whether a step's result differs from the other run's."""

    found: DifferingSteps
    is_over: bool
    """Whether no more values are compared."""

    def __call__(self, place: RunLocation) -> bool:
        """Raises `ExpressionError` at the first step that is not compared."""
        if self.is_over and place.step == self.found.until:
            raise ExpressionError(f"only the first {MOST_VALUES:,} values of the runs are compared")
        return place.step in self.found.steps


class _Invalid(Exception):
    """A text of the breakpoint is invalid."""

    def __init__(self, problem: BreakpointProblem) -> None:
        super().__init__(problem["message"])
        self.problem = problem


def _invalid(part: BreakpointPart, error: ExpressionError) -> _Invalid:
    start, end = (error.span.start, error.span.end) if error.span else (0, 0)
    return _Invalid({"part": part, "message": error.message, "hint": error.hint, "start": start, "end": end})


def _refusal(problem: BreakpointProblem) -> StopsInfo:
    return {"steps": [], "texts": [], "errors": [], "next": 0, "problem": problem, "empty": False}
