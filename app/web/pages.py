"""HTML pages: Jinja templates, filled by the modules in static/js/pages/."""

import asyncio
import json
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, select_autoescape

from ..base.assets import BUILT, folder, import_map
from ..base.errors import ApiError, not_found
from ..base.keys import engine_build
from ..base.plugins import page_panels
from ..base.versions import installed_version
from ..classroom.lesson_sessions import Lessons
from ..lessons.labels import join_words, room_words
from ..lessons.sources import LANGUAGE
from ..reference import families, op_page, question_of
from ..reference.documents import document, documents, drawing
from ..reference.example_picture import example_picture
from ..reference.examples import function_example
from ..reference.playground.evaluate import picture_of
from ..reference.playground.forms import form_json as playground_form
from ..reference.playground.forms import form_list as playground_list
from ..reference.playground.forms import has_form
from ..sessions.view_links import is_link, key_for
from ..store import RunRecord
from ..store.pending_writes import StoreThread
from ..wire.lessons import LessonInfo
from ..wire.sessions import Health
from .api.common import Service, address_of
from .api.dump_routes import DumpService
from .api.request_examples import PYTHON_CALL
from .api.room_routes import RoomService
from .api_document import TOPIC_NAMES, api_document
from .page_files import PageFiles
from .routes import Routes

router = Routes()
PLAYGROUND_OP = "stablehlo.gather"
"""The op that the playground opens first."""
LONGEST_CODE = 20
"""Maximum length of a join code."""


class Pages:
    """Renderer of the page templates."""

    def __init__(self, files: PageFiles) -> None:
        self._files = files
        loader = FileSystemLoader(folder("templates"))
        self._environment = Environment(loader=loader, autoescape=select_autoescape(), trim_blocks=False)
        self._import_map = import_map()
        self._panels = page_panels()
        self._version = installed_version()

    def page(
        self, template: str, title: str, data: Any = None, status: int = 200, **more: Any
    ) -> HTMLResponse:
        """A page; `data` goes to its JavaScript module, `more` to its template."""
        if template == "session.html" and self._panels:
            data = {**data, "plugins": self._panels}
        bundled = self._files.bundled_files()
        text = self._environment.get_template(template).render(
            title=title, import_map_json=None if bundled else self._import_map, address=partial(_address, bundled),
            sources=partial(_sources, bundled),
            data_json=json.dumps(data or {}), version=self._version, **more,
        )  # fmt: skip
        return HTMLResponse(text, status)


def _address(bundled: Mapping[str, str] | None, source: str) -> str:
    """The URL of the file at `source` below static/, bundled or not."""
    return f"/static/{BUILT}/{bundled[source]}" if bundled else f"/static/{source}"


def _sources(bundled: Mapping[str, str] | None, pattern: str) -> list[str]:
    """Paths below static/ that match `pattern`, in order; none where pages are bundled."""
    root = folder("static")
    return [] if bundled else sorted(path.relative_to(root).as_posix() for path in root.glob(pattern))


def pages_of(request: Request) -> Pages:
    """The application's templates."""
    pages: Pages = request.app.state.pages
    return pages


@router.get("/")
async def home(request: Request) -> Response:
    """The opening page."""
    return pages_of(request).page("home.html", "hloscope")


@router.get("/s/{session}")
async def session(request: Request, session: str, sessions: Service) -> Response:
    """The debugger."""
    found = await sessions.session(session)
    preloads = preload_urls(session, None if "run" in request.query_params else found.current)
    title = f"{found.name} · hloscope"
    data = {
        "session": session, "signedIn": request.state.signed_in, **await _requested_lesson(request, session),
    }  # fmt: skip
    return pages_of(request).page("session.html", title, data, preloads=preloads)


@router.get("/embed/{session}")
async def embed(request: Request, session: str, sessions: Service) -> Response:
    """The debugger embedded in a page of another site, by a read-only link."""
    if not is_link(session):
        raise not_found("link")
    found = await sessions.session(session)
    title = f"{found.name} · hloscope"
    data = {
        "session": session, "embedded": True, "signedIn": False, **await _requested_lesson(request, session),
        "lessonsOpen": False,  # its links would leave the pages that may be framed
    }  # fmt: skip
    return pages_of(request).page("session.html", title, data)


async def _requested_lesson(request: Request, session: str) -> dict[str, LessonInfo | bool]:
    """The lesson named by `?lesson=`; the link to its session also gives access to the lesson."""
    name = request.query_params.get("lesson")
    if name is None:
        return {}
    lessons: Lessons = request.app.state.lessons
    language = request.query_params.get("language", "")
    found = await lessons.shown(name, language if LANGUAGE.fullmatch(language) else None)
    if found["session"] != session:
        raise not_found("lesson by this link")
    return {
        "lesson": _for_reader(request, found), "lessonsOpen": bool(request.app.state.settings.open_lessons),
    }  # fmt: skip


def _for_reader(request: Request, lesson: LessonInfo) -> LessonInfo:
    """The lesson; without its revision, which makes a page poll, for readers who may not request lessons."""
    if not (request.state.signed_in or request.app.state.settings.open_lessons):
        lesson.pop("revision", None)
    return lesson


@router.get("/room/{room}")
async def room(
    request: Request, room: str, sessions: Service, rooms: RoomService, screen: str | None = None,
    language: str = "",
) -> Response:  # fmt: skip
    """The debugger in a room, for its teacher, members and screen."""
    info = await rooms.info(room)
    found = await sessions.session(info["session"])
    data: dict[str, Any] = {
        "session": info["session"],
        "signedIn": request.state.signed_in,
        "room": {**info, "screen": screen is not None},
    }
    lesson = await rooms.lesson(room, language if LANGUAGE.fullmatch(language) else None)
    if lesson is not None:
        data["lesson"] = _for_reader(request, lesson)
    else:
        data["room"] |= room_words(request.headers.get("accept-language", ""))
    preloads = preload_urls(info["session"], found.current)
    return pages_of(request).page("session.html", f"{info['title']} · hloscope", data, preloads=preloads)


@router.get("/join")
async def join(request: Request, rooms: RoomService, code: str = "") -> Response:
    """The form for the code of a room; redirects to the room."""
    return await join_code(request, rooms, code)


@router.get("/j/{code}")
async def join_code(request: Request, rooms: RoomService, code: str) -> Response:
    """The short address of a room; redirects to the room."""
    error, status = None, 200
    if code:
        try:
            found = await rooms.join(code[:LONGEST_CODE], address_of(request))
            return RedirectResponse(found["url"], 303)
        except ApiError as refused:
            if "text/html" not in request.headers.get("accept", ""):
                raise
            error, status = refused, refused.status
    title = "Join a room · hloscope"
    language, words = join_words(request.headers.get("accept-language", ""))
    return pages_of(request).page(
        "join.html", title, status=status, code=code[:LONGEST_CODE], error=error, language=language, words=words,
    )  # fmt: skip


@router.get("/open")
async def open_program(request: Request) -> Response:
    """The page that opens the program in the URL's fragment."""
    return pages_of(request).page("open.html", "Open a program · hloscope")


def preload_urls(session: str, run: RunRecord | None) -> list[str]:
    """The first requests of the page (static/js/core/session.js), preloaded with its modules."""
    urls = [f"/api/sessions/{session}?wait=false&once=true&apart=true"]
    if run is not None and run.key and run.engine == engine_build():
        urls += [
            f"/api/recordings/{key_for(session, run.key)}/{part}"
            for part in ("program/window?chunk=0", "outline?chunk=0", "frames?chunk=0")
        ]
    return urls


@router.get("/passes/{dump}")
async def passes(request: Request, dump: str, dumps: DumpService) -> Response:
    """The pass viewer for an XLA dump."""
    title = f"{await dumps.name(dump)} · hloscope"
    return pages_of(request).page("passes.html", title, {"dump": dump}, preloads=[f"/api/dumps/{dump}"])


@router.get("/ops")
async def ops(request: Request) -> Response:
    """The list of all ops."""
    return pages_of(request).page("ops.html", "Ops · hloscope", families=families())


@router.get("/ops/{name}")
async def op(request: Request, name: str) -> Response:
    """The page of an op."""
    return await _op(request, name, runs=True)


@router.get("/s/{session}/ops/{name}")
async def op_beside(request: Request, session: str, name: str, sessions: Service) -> Response:
    """The page of an op for visitors with only a session's link: examples cannot be run."""
    await sessions.session(session)
    return await _op(request, name, runs=False)


async def _op(request: Request, name: str, *, runs: bool) -> Response:
    """The page of an op; with `runs`, its examples and the playground are available."""
    found = op_page(name)
    if found is None:
        raise not_found("op")
    question = await asyncio.to_thread(question_of, found["name"])  # runs the example the first time
    examples = {"example": found["example"], "hloExample": found["hlo_example"]} if runs else {}
    picture = await asyncio.to_thread(picture_of, found["name"])
    data: dict[str, Any] = {
        "name": found["name"],
        **examples,
        "question": question,
        "runs": runs,
        "sentences": found["sentences"],
        "picture": picture,
    }
    mnemonic = found["name"].removeprefix("stablehlo.")
    link = f"/playground/{mnemonic}" if runs and has_form(found["name"]) else None
    return pages_of(request).page(
        "op.html",
        f"{found['name']} · hloscope",
        data,
        op=found,
        playground=link,
        picture=picture,
        drawn=None if picture else await asyncio.to_thread(example_picture, found["name"]),
        runs=runs,
        question=question,
        lessons=request.app.state.shelf.lessons_on(found["name"]) if runs else [],
    )


@router.get("/playground")
async def playground(request: Request) -> Response:
    """The playground with its default op."""
    return await playground_op(request, PLAYGROUND_OP)


@router.get("/playground/{op}")
async def playground_op(request: Request, op: str) -> Response:
    """The playground of an op, whose dialect may be omitted; the op's page if it has no form."""
    name = op if "." in op else f"stablehlo.{op}"
    known = {item["name"]: item for family in playground_list() for item in family["ops"]}
    if name not in known:
        return RedirectResponse(f"/ops/{quote(name)}")
    data = {"op": name, "form": playground_form(name), "families": playground_list()}
    return pages_of(request).page("playground.html", f"{name} · playground · hloscope", data, op=name)


@router.get("/function")
async def function(request: Request) -> Response:
    """A function of JAX at each stage on its way to XLA, from a pasted text."""
    data = function_example()
    return pages_of(request).page("function.html", "Your function · hloscope", data, example=data["example"])


@router.get("/help")
async def help_page(request: Request) -> Response:
    """The help page: keys, terms and panels."""
    return pages_of(request).page("help.html", "Help · hloscope", documents=documents())


@router.get("/help/{name}.svg")
async def help_picture(name: str) -> Response:
    """A picture in the documents."""
    found = drawing(name)
    if found is None:
        raise not_found("page")
    return Response(found, media_type="image/svg+xml")


@router.get("/s/{session}/help")
async def help_page_beside(request: Request, session: str, sessions: Service) -> Response:
    """The help page for visitors with only a session's link."""
    await sessions.session(session)
    return await help_page(request)


@router.get("/s/{session}/help/{name}")
async def help_beside(request: Request, session: str, name: str, sessions: Service) -> Response:
    """A document for visitors with only a session's link."""
    await sessions.session(session)
    return await help_document(request, name)


@router.get("/help/{name}")
async def help_document(request: Request, name: str) -> Response:
    """A document of `docs/`."""
    found = document(name)
    if found is None:
        raise not_found("page")
    title = f"{found.title} · hloscope"
    return pages_of(request).page("document.html", title, document=found, documents=documents())


@router.get("/settings")
async def your_settings(request: Request) -> Response:
    """What the person at this browser chooses."""
    return pages_of(request).page("your_settings.html", "Your settings · hloscope")


@router.get("/-/settings")
async def settings(request: Request, sessions: Service) -> Response:
    """Every setting, as a page or as JSON."""
    found = sessions.settings.to_json()
    if "text/html" not in request.headers.get("accept", ""):
        return JSONResponse(found)
    shown = [{**item, "value": _setting_text(item["value"])} for item in found]
    profile = [
        {
            "name": item["name"],
            "local": _setting_text(item["default"]),
            "public": _setting_text(item["public"]),
        }
        for item in found
        if item["public"] != item["default"]
    ]
    return pages_of(request).page("settings.html", "Settings · hloscope", settings=shown, profile=profile)


@router.get("/-/api.json")
async def openapi() -> Response:
    """The OpenAPI document of the HTTP API."""
    return JSONResponse(await asyncio.to_thread(api_document))


@router.get("/-/api")
async def api(request: Request) -> Response:
    """The HTML reference of the HTTP API."""
    found = await asyncio.to_thread(api_document)
    return pages_of(request).page(
        "api.html", "HTTP API · hloscope", api=found, topics=TOPIC_NAMES, python_call=PYTHON_CALL,
        base=str(request.base_url).rstrip("/"), cookie=request.app.state.cookie,
    )  # fmt: skip


@router.get("/-/health")
async def health(request: Request) -> Health:
    """The health check: "ok", or why the store could not be used when it was last tried."""
    thread: StoreThread | None = getattr(request.app.state, "store_thread", None)  # none before the start
    return {"status": (thread and thread.trouble) or "ok"}


@router.get("/-/ready")
async def ready(request: Request) -> Health:
    """Whether the server can serve: "ok", or 503 with the reason."""
    await request.app.state.readiness.check()
    return {"status": "ok"}


@router.get("/-/metrics", response_class=Response)
async def metrics(request: Request, sessions: Service) -> Response:
    """The metrics of the server, for Prometheus."""
    from prometheus_client import CONTENT_TYPE_LATEST  # loaded by servers that are asked

    from .metrics import metrics_text

    text = await metrics_text(request.app.state.tallies, sessions, request.app.state.data_folder)
    return Response(text, media_type=CONTENT_TYPE_LATEST)


def _setting_text(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
