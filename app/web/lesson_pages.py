"""Pages of lessons: the list, each lesson beside the debugger, and handouts."""

from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import Response

from ..classroom.lesson_handout import sheets_of
from ..classroom.lesson_sessions import LessonProblems
from ..lessons.labels import handout_words
from .api.common import Language, Service
from .api.lesson_routes import LessonService
from .pages import pages_of, preload_urls
from .routes import Routes

router = Routes()


@router.get("/lessons")
async def lessons(request: Request) -> Response:
    """The list of lessons."""
    is_open = bool(request.app.state.settings.open_lessons)
    return pages_of(request).page(
        "lessons.html",
        "Lessons · hloscope",
        {"open": is_open},
        visitor=not request.state.signed_in,
    )


@router.get("/lessons/{name}")
async def lesson(
    request: Request, name: str, found: LessonService, sessions: Service, language: Language = None
) -> Response:
    """A lesson beside the debugger, or the problems of a lesson in preparation."""
    try:
        shown = await found.shown(name, language)
    except LessonProblems as error:
        if not found.shelf.is_own(name):
            raise
        state = {"name": name, "revision": await found.revision(name)}
        title = f"{name} · hloscope"
        return pages_of(request).page(
            "lesson_problems.html", title, state, name=name, problems=error.problems
        )
    session = shown["session"]
    current = (await sessions.session(session)).run(1)
    preloads = preload_urls(session, None if "run" in request.query_params else current)
    data = {"session": session, "lesson": shown, "signedIn": request.state.signed_in, "lessonsOpen": True}
    return pages_of(request).page("session.html", f"{shown['title']} · hloscope", data, preloads=preloads)


@router.get("/lessons/{name}/handout")
async def handout(request: Request, name: str, found: LessonService, language: Language = None) -> Response:
    """A printable lesson: steps with vector pictures and space for answers, then the answers."""
    shown = await found.info(name, language)
    query = f"?{urlencode({'language': language})}" if language else ""
    return pages_of(request).page(
        "lesson_handout.html", f"{shown['title']} · handout", lesson=shown, sheets=sheets_of(shown), words=handout_words(shown["language"]),
        back=f"/lessons/{name}{query}",
    )  # fmt: skip
