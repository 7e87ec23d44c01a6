"""A step of a session outside the debugger: an embeddable picture and a printable page."""

import re
from functools import partial
from typing import Annotated, TypeVar

from fastapi import Query, Request, Response
from markupsafe import Markup

from ..answers.handouts import HandoutQuestion, PictureQuestion
from ..base.errors import ApiError, not_found
from ..sessions.recordings import ask_until_recorded
from ..sessions.run_conversion import run_of
from ..sessions.sessions import Sessions
from ..sessions.view_links import is_link
from ..wire.questions import Answer, Question
from .api.common import Process, Service
from .pages import pages_of
from .routes import Routes

router = Routes()
KEPT = "private, max-age=300"
"""Cache-Control of immutable pictures, which may be shown this long after a withdrawal."""
A = TypeVar("A")
RECORDED_SECONDS = 20.0
"""Timeout for a picture's step while the run is being recorded."""
_NUMBERS = re.compile(r"\d{1,18}(?:[.,]\d{1,18}){0,63}")

Step = Annotated[int | None, Query(ge=0, le=2**53)]
RunNumber = Annotated[int | None, Query(ge=0, le=2**31)]
Short = Annotated[str, Query(max_length=400)]


# Before the page `/embed/{session}`, which would match this path too.
@router.get("/embed/{session}.svg", response_class=Response)
async def embedded_picture(
    session: str, sessions: Service, run: RunNumber = None, step: Step = None, process: Process = 0,
    tab: Short = "", value: Short = "", element: Short = "",
) -> Response:  # fmt: skip
    """A step as an SVG without scripts, by a read-only link; the query is the page's."""
    if not is_link(session):
        raise not_found("link")
    number, key, at, name = await _locate(sessions, session, run, step)
    chosen, index = _numbers(value, "value"), _numbers(element, "element") if element else None
    answer = await _ask(
        sessions, session, number, key, PictureQuestion(process, at, tab, chosen, index, name)
    )
    is_fixed = answer.final and run is not None and step is not None
    return _svg(answer, KEPT if is_fixed else "no-cache")


@router.get("/s/{session}/picture.svg", response_class=Response)
async def picture(
    session: str, sessions: Service, run: RunNumber = None, step: Step = None, process: Process = 0,
    tab: Short = "", value: Short = "", element: Short = "", lines: bool = True,
) -> Response:  # fmt: skip
    """A step as an SVG for users of the session; without `lines`, only the value or map."""
    number, key, at, name = await _locate(sessions, session, run, step)
    chosen, index = _numbers(value, "value"), _numbers(element, "element") if element else None
    question = PictureQuestion(process, at, tab, chosen, index, name, lines)
    answer = await _ask(sessions, session, number, key, question)
    return _svg(answer, "no-cache")


def _svg(answer: Answer[bytes], kept: str) -> Response:
    return Response(bytes(answer.body), media_type=answer.type, headers={"Cache-Control": kept})


@router.get("/s/{session}/handout")
async def handout(
    request: Request, session: str, sessions: Service, run: RunNumber = None, step: Step = None,
    process: Process = 0, tab: Short = "", value: Short = "", element: Short = "",
) -> Response:  # fmt: skip
    """A step as a printable page without scripts; the query is that of the session's page."""
    number, key, at, name = await _locate(sessions, session, run, step)
    chosen, index = _numbers(value, "value"), _numbers(element, "element") if element else None
    answer = await _ask(sessions, session, number, key, HandoutQuestion(process, at, tab, chosen, index))
    # app/present/handouts escapes all text and writes every element itself.
    content = Markup(bytes(answer.body).decode())
    query = f"?{request.url.query}" if request.url.query else ""
    return pages_of(request).page(
        "handout.html", f"{name} · handout", name=name, content=content, back=f"/s/{session}{query}"
    )


async def _locate(
    sessions: Sessions, session: str, number: int | None, step: int | None
) -> tuple[int, str, int, str]:
    """The number of the run, the recording's key, the step, and the session's name."""
    found = await sessions.session(session)
    if number is None:
        if found.current is None or not found.current.key:
            raise ApiError(
                409,
                "run",
                "This session has no run to show.",
                hint="Open it in the debugger, and run its program.",
            )
        number = found.current.number
    run_of(found, number)
    run = await sessions.run_info(session, number)
    return number, run["key"], found.position.step if step is None else step, found.name


async def _ask(sessions: Sessions, session: str, number: int, key: str, question: Question[A]) -> Answer[A]:
    """The answer once the step is recorded: a link may be opened before its run is."""

    async def is_recording() -> bool:
        run = await sessions.run_info(session, number)
        return run["state"]["kind"] == "recording"

    ask = partial(sessions.recordings.ask, key, question)
    return await ask_until_recorded(ask, is_recording, RECORDED_SECONDS)


def _numbers(text: str, name: str) -> list[int]:
    """The numbers of a parameter such as `7.0.1` or `3,17`."""
    if not text:
        return []
    if not _NUMBERS.fullmatch(text):
        raise ApiError(
            422,
            "request",
            f"{name} is '{text[:60]}': it is numbers with dots or commas between them, such as 3,17.",
        )
    return [int(part) for part in re.split("[.,]", text)]
