"""Lessons: the list, the contents of each, and the checking of exercises."""

from typing import Annotated, cast

from fastapi import Depends, Request
from starlette.requests import HTTPConnection

from ...classroom.judged_results import judged_result
from ...classroom.lesson_sessions import Lessons
from ...wire.lessons import ChangeResult, LessonInfo, LessonResult, LessonRevision, LessonTitle
from ...wire.requests import ChangeRequest, ResultRequest
from ..routes import Routes
from .common import Language, Turn
from .large import LargeTextRoute

router = Routes("/api/lessons", LargeTextRoute)


async def _lessons(connection: HTTPConnection) -> Lessons:
    return cast(Lessons, connection.app.state.lessons)


LessonService = Annotated[Lessons, Depends(_lessons)]


@router.get("")
async def list_lessons(lessons: LessonService, language: Language = None) -> list[LessonTitle]:
    """All lessons, in reading order."""
    return await lessons.titles(language)


@router.get("/{name}")
async def get_lesson(name: str, lessons: LessonService, language: Language = None) -> LessonInfo:
    """A lesson: texts, positions, answers, and the read-only link to its session."""
    return await lessons.shown(name, language)


@router.get("/{name}/revision")
async def get_revision(name: str, lessons: LessonService) -> LessonRevision:
    """A hash of the lesson's files, by which the page of `hloscope lesson preview` reloads."""
    return {"revision": await lessons.revision(name)}


@router.post("/{name}/changes/{step}")
async def judge_change(
    name: str,
    step: str,
    request: ChangeRequest,
    lessons: LessonService,
    turn: Turn,
    language: Language = None,
) -> ChangeResult:
    """Run a student's solution to a step's exercise and judge it; nothing is stored."""
    return await lessons.check_change(name, step, request.text, language)


@router.post("/{name}/result")
async def sign_result(
    name: str, answers: ResultRequest, request: Request, lessons: LessonService, turn: Turn
) -> LessonResult:
    """Judge a student's answers to a lesson, and sign the result; nothing is stored."""
    secret: str = request.app.state.secret
    return await judged_result(lessons, name, answers.student, answers.answers, answers.programs, secret)
