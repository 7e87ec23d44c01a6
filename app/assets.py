"""Where templates and static files lie, and how they are served."""

from __future__ import annotations

import hashlib
import mimetypes
from base64 import b64encode
from pathlib import Path

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

PACKAGE = Path(__file__).parents[1]

# Some systems have a table of their own, in which a module is plain text; browsers refuse it then.
for kind, suffix in (("text/javascript", ".js"), ("text/css", ".css"), ("image/svg+xml", ".svg")):
    mimetypes.add_type(kind, suffix)


def folder(name: str) -> Path:
    """`static` or `templates`, which lie beside `app` in a wheel as in a checkout."""
    return PACKAGE / name


def import_map() -> str:
    """The import map of the page, made when the packages were bundled."""
    path = folder("static") / "vendor" / "importmap.json"
    return path.read_text("utf-8") if path.is_file() else '{"imports":{}}'


def script_hash(text: str) -> str:
    """What the Content-Security-Policy calls an inline script."""
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


class Assets(StaticFiles):
    """Files that the browser may keep, if it asks each time whether they are still the same."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response
