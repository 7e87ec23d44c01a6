"""Lesson tasks of a worker, which runs their programs."""

from collections.abc import Sequence

from hloscope.engine.limits import Limits

from ..wire.encoding import encoded
from ..wire.lessons import ChangeResult, LessonProblem, LessonRun, ResolvedLesson
from ..wire.tasks import CheckChange, ResolveLesson
from .changes import judge_program
from .format import LessonErrors
from .labels import ExerciseWords
from .resolve import resolve
from .runs import Bounds, Recorded
from .sources import parse_source
from .tree import LessonError


def resolve_task(task: ResolveLesson) -> ResolvedLesson:
    """A lesson with its recordings, or its errors."""
    source = task.source
    bounds = Bounds(Limits(**task.limits), task.steps, task.milliseconds)
    try:
        found = resolve(parse_source(source), bounds, source["languages"])
    except LessonErrors as errors:
        return {"lesson": None, "runs": [], "problems": problems_json(errors.found, source["file"])}
    return {"lesson": found.info, "runs": [_run(run) for run in found.runs], "problems": []}


def problems_json(errors: Sequence[LessonError], file: str) -> list[LessonProblem]:
    """Errors in the wire format."""
    return [
        {"file": each.file or file, "line": each.line, "message": each.message, "hint": each.hint}
        for each in errors
    ]


def _run(run: Recorded) -> LessonRun:
    return encoded(LessonRun, run, name=run.program.file.rpartition("/")[2])


def change_task(task: CheckChange, text: str) -> ChangeResult:
    """Whether a student's program passes. The server has verified that the step has an exercise."""
    lesson = parse_source(task.source)
    change = next(step.change for step in lesson.steps if step.id == task.step)
    assert change is not None
    bounds = Bounds(Limits(**task.limits), task.steps, task.milliseconds)
    words = ExerciseWords(lesson.front.language)
    return judge_program(lesson.programs[change.program], text, change, bounds, words)
