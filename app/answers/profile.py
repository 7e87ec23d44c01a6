"""The profile of a recording: time, bytes, floating-point operations and live memory of ops, and the flame chart."""

from typing import Annotated, Literal

from annotated_types import Ge, Le

from hloscope.engine.debugger.flame import flame_of

from ..present.profile import Profile, flame_json
from ..runs.run import Run
from ..wire.profile import FlameInfo, ProfileInfo
from ..wire.questions import Answer, json_answer
from .question import Named, NotRecorded, Process, RecordingQuestion, Start, has_ended

ALL = -1
"""The number that means all processes."""


class ProfileQuestion(RecordingQuestion[ProfileInfo]):
    """Executions, time, bytes, floating-point operations and live memory of each op, as columns, with groups of ops.

    Times are measured, all else follows from types. `process` is one process; -1 adds all up.
    """

    path = "/profile"

    process: Annotated[int, Ge(ALL), Le(2**31)] = ALL

    def answer(self, run: Run) -> Answer[ProfileInfo]:
        if run.replaying:
            raise NotRecorded
        processes = None if self.process == ALL else [self.process]
        found = Profile(run.recording, processes=processes)
        return json_answer(found.json(), final=has_ended(run))


class FlameQuestion(RecordingQuestion[FlameInfo]):
    """A flame chart of a process: functions, regions, scopes and ops from the outermost inwards, over its steps.

    `by`: whether steps have equal widths, or their durations. Bars within one of `columns` columns are one.
    """

    path = "/profile/flame"
    examples = ({"start": 0, "stop": 4},)

    start: Start = 0
    stop: Annotated[int, Named("to"), Ge(0), Le(2**53)] = 2**53
    process: Process = 0
    columns: Annotated[int, Ge(1), Le(4_096)] = 600
    by: Literal["steps", "time"] = "steps"

    def answer(self, run: Run) -> Answer[FlameInfo]:
        if run.replaying:
            raise NotRecorded
        found = flame_of(
            run.recording, self.process, self.start, self.stop, self.columns, by_time=self.by == "time"
        )
        return json_answer(flame_json(found), final=has_ended(run))
