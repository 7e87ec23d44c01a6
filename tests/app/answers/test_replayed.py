"""While a replay has reached a part of a run, questions about the whole of it wait for the rest."""

from typing import Any

from hloscope.app.answers.grid import ClockQuestion, ExecutionsQuestion, GridQuestion, StripsQuestion
from hloscope.app.answers.handouts import PictureQuestion
from hloscope.app.answers.program import PrintsQuestion
from hloscope.app.answers.question import NotRecorded, RecordingQuestion
from hloscope.app.runs.launching import launch
from hloscope.app.runs.run import Goal, Run
from hloscope.app.runs.run_inputs import stated_inputs
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.ops.core.process_groups import Grid
from tests.browser.debugger_page import text_of
from tests.programs import load_program

QUESTIONS: tuple[RecordingQuestion[Any], ...] = (
    GridQuestion(),
    ClockQuestion(process=1),
    StripsQuestion(start=0, stop=64, columns=8),
    ExecutionsQuestion(),
    PrintsQuestion(),
    PictureQuestion(process=0, step=0, tab="tensor", value=(), element=None, title="deadlock"),
)


def _is_refused(question: RecordingQuestion[Any], run: Run) -> bool:
    try:
        question.answer(run)
    except NotRecorded:
        return True
    return False


def test_questions_about_a_whole_run_wait_for_the_end_of_a_replay() -> None:
    program = load_program(text_of("deadlock"))
    assert program.entry is not None
    given = stated_inputs(text_of("deadlock"))
    start = launch(program, program.entry, Grid(1, 4), given, {}, DEFAULT_LIMITS)
    first = Recording(program, start)
    first.record(1000)
    assert first.deadlock is not None
    before = [question.answer(Run("key", first)).body for question in QUESTIONS]
    again = Run("key", Recording(program, start))
    again.replay_to = first.step_count
    again.record(Goal(None, at_least=first.step_count))
    again.recording.record(steps=first.step_count - 14)
    assert again.replaying
    assert [question for question in QUESTIONS if not _is_refused(question, again)] == []
    while again.active:
        again.slice(1.0)
    assert [question.answer(again).body for question in QUESTIONS] == before
