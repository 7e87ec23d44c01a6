"""A student's result in a lesson, judged and signed by the server, as a file that the student hands in."""

from collections.abc import Mapping

from ..lessons.signed_results import signed
from ..wire.lessons import LessonResult, Outcome
from .lesson_polls import is_typed_right
from .lesson_sessions import Lessons
from .records import name_typed


async def judged_result(
    lessons: Lessons,
    name: str,
    student: str,
    answers: Mapping[str, str],
    programs: Mapping[str, str],
    secret: str,
) -> LessonResult:
    """The signed result of a lesson; `answers` by question, as typed, and `programs` by exercise."""
    lesson = await lessons.info(name)
    outcomes: dict[str, Outcome] = {}
    for step in lesson["steps"]:
        for block in step["blocks"]:
            if block["kind"] == "ask":
                said = answers.get(block["id"])
                right = None if said is None else is_typed_right(block, said)
            elif block["kind"] == "change":
                text = programs.get(block["id"])
                right = (
                    None if text is None else (await lessons.check_change(name, block["id"], text))["passed"]
                )
            else:
                continue
            outcomes[block["id"]] = "none" if right is None else "right" if right else "wrong"
    return signed(lesson, name_typed(student), outcomes, secret)
