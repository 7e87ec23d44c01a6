"""Paths of templates and static files, and the responses that serve them."""

import hashlib
import mimetypes
import os
from base64 import b64encode
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

PACKAGE = Path(__file__).parents[2]
BUILT = "built"
"""The folder of `static/` that `static/bundle.mjs` writes. A file name there never changes its content."""
FOR_EVER = "public, max-age=31536000, immutable"

# Some systems map .js to plain text, and browsers refuse such a module.
for kind, suffix in (("text/javascript", ".js"), ("text/css", ".css"), ("image/svg+xml", ".svg")):
    mimetypes.add_type(kind, suffix)


def folder(name: str) -> Path:
    """The path of `static` or `templates`, which are beside `app` in a wheel as in a checkout."""
    return PACKAGE / name


def import_map() -> str:
    """The import map of a page, written when the packages were bundled."""
    path = folder("static") / "vendor" / "importmap.json"
    return path.read_text("utf-8") if path.is_file() else '{"imports":{}}'


def script_hash(text: str) -> str:
    """The source expression of an inline script or style in a Content-Security-Policy."""
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


class Assets(StaticFiles):
    """Static files with cache headers: bundled files are immutable, others are revalidated."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        if not path.startswith(BUILT + os.sep):
            response = await super().get_response(path, scope)
            response.headers["Cache-Control"] = "no-cache"
            return response
        response = await self._compressed_response(path, scope) or await super().get_response(path, scope)
        response.headers["Cache-Control"] = FOR_EVER
        response.headers["Vary"] = "Accept-Encoding"
        return response

    async def _compressed_response(self, path: str, scope: Scope) -> Response | None:
        """The precompressed file, if there is one and the browser accepts gzip."""
        found, _ = self.lookup_path(f"{path}.gz")
        if not found or not takes_gzip(Headers(scope=scope).get("accept-encoding", "")):
            return None
        response = await super().get_response(f"{path}.gz", scope)
        response.headers["Content-Encoding"] = "gzip"
        return response


def takes_gzip(accepted: str) -> bool:
    """Whether a client with this Accept-Encoding accepts gzip."""
    codings = [coding.replace(" ", "") for coding in accepted.lower().split(",")]
    return any(coding.partition(";")[0] == "gzip" and not coding.endswith(";q=0") for coding in codings)
