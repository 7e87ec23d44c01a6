"""The pages: Jinja frames that the modules in static/js/pages/ fill."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from jinja2 import Environment, FileSystemLoader, select_autoescape

from .api.common import Service
from .assets import folder, import_map
from .errors import not_found
from .playground import described as playground_form
from .playground import has_form
from .playground import listed as playground_list
from .reference import families, op_page

router = APIRouter()
PLAYGROUND_OP = "stablehlo.gather"
"""Which op the playground begins with."""


class Pages:
    """Templates, and what each of them is given."""

    def __init__(self) -> None:
        loader = FileSystemLoader(folder("templates"))
        self._environment = Environment(loader=loader, autoescape=select_autoescape(), trim_blocks=False)
        self._import_map = import_map()
        try:
            self._version = version("hloscope")
        except PackageNotFoundError:
            self._version = ""

    def page(
        self, template: str, title: str, data: Any = None, status: int = 200, **more: Any
    ) -> HTMLResponse:
        """A page; `data` is for its module, the rest for its template."""
        text = self._environment.get_template(template).render(
            title=title, import_map_json=self._import_map, data_json=json.dumps(data or {}),
            version=self._version, **more,
        )  # fmt: skip
        return HTMLResponse(text, status)


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
    return pages_of(request).page("session.html", f"{found.name} · hloscope", {"session": session})


@router.get("/ops")
async def ops(request: Request) -> Response:
    """All ops."""
    return pages_of(request).page("ops.html", "Ops · hloscope", families=families())


@router.get("/ops/{name}")
async def op(request: Request, name: str) -> Response:
    """One op."""
    found = op_page(name)
    if found is None:
        raise not_found("op")
    data = {"name": found["name"], "example": found["example"], "hloExample": found["hlo_example"]}
    mnemonic = found["name"].removeprefix("stablehlo.")
    link = f"/playground/{mnemonic}" if has_form(found["name"]) else None
    return pages_of(request).page("op.html", f"{found['name']} · hloscope", data, op=found, playground=link)


@router.get("/playground")
async def playground(request: Request) -> Response:
    """The playground, with the op that it begins with."""
    return await playground_op(request, PLAYGROUND_OP)


@router.get("/playground/{op}")
async def playground_op(request: Request, op: str) -> Response:
    """The playground of an op; its dialect may be left out."""
    name = op if "." in op else f"stablehlo.{op}"
    known = {item["name"]: item for family in playground_list() for item in family["ops"]}
    if name not in known:
        raise not_found("op")
    data = {"op": name, "form": playground_form(name), "families": playground_list()}
    return pages_of(request).page("playground.html", f"{name} · playground · hloscope", data, op=name)


@router.get("/help")
async def help_page(request: Request) -> Response:
    """Keys, words, panels."""
    return pages_of(request).page("help.html", "Help · hloscope")


@router.get("/-/settings")
async def settings(request: Request, sessions: Service) -> Response:
    """Every limit: as a page, or as JSON for whoever does not ask for a page."""
    found = sessions.settings.described()
    if "text/html" not in request.headers.get("accept", ""):
        return JSONResponse(found)
    shown = [
        {**item, "value": _readable(item["value"]), "description": item["text"], "unit": ""} for item in found
    ]
    return pages_of(request).page("settings.html", "Settings · hloscope", settings=shown)


@router.get("/-/health")
async def health() -> dict[str, str]:
    """The server answers."""
    return {"status": "ok"}


def _readable(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
