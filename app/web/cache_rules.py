"""The requests whose responses are cached or shared: recordings, bundled files, pages of links."""

import re
from collections.abc import Awaitable, Callable
from functools import partial

from starlette.exceptions import HTTPException
from starlette.types import Message, Scope

from ..base.assets import BUILT, FOR_EVER, takes_gzip
from ..base.cache import Cache
from .complete_response import is_small_success
from .response_cache import CacheKey, CacheRule, Responses

FINAL = "private, max-age=31536000, immutable"
"""The Cache-Control header of an immutable answer about a recording."""
RECORDING = re.compile(r"/api/recordings/([^/]+)/(?!comparison/|comparison$)(.+)")
"""Comparisons are excluded: they name a second recording with its own link."""

FILE = re.compile(rf"/static/{BUILT}/[\w.-]+")
FILE_BYTES = 1 << 22
"""Maximum size of a cached file."""
MOST_FILES = 24
"""Maximum number of cached files: more than all pages use; old bundles are evicted."""
CONDITIONS = frozenset({b"range", b"if-none-match", b"if-modified-since"})
"""Headers of requests for a part of a file, or for a file only if it has changed."""

BY_LINK = re.compile(
    r"/(?:(?:s|embed)/view-[^/]+|room/room-[^/]+|api/sessions/view-[^/]+(?=\?wait=false&once=true&apart=true$))"
)
"""Pages of read-only links and rooms, and the state of their sessions."""
PAGE_BYTES = 1 << 20
"""Maximum size of a shared page."""


def rule_of_recordings(
    answers: Responses, largest: int, recording_of: Callable[[str], Awaitable[str]]
) -> CacheRule:
    """Answers about recordings that are complete, up to `largest` bytes; their keys begin with the recording's.

    `recording_of` returns the key of a recording that a client names, or raises `HTTPException`.
    """

    async def key_of(scope: Scope) -> CacheKey | None:
        found = RECORDING.fullmatch(scope["path"])
        if found is None:
            return None
        try:
            recording = await recording_of(found[1])
        except HTTPException:
            return None  # the application reports the error
        return recording, f"{found[2]}?{scope['query_string'].decode('latin-1')}"

    return CacheRule(key_of, partial(_is_final, largest), answers, is_compressed=True)


def _is_final(largest: int, start: Message) -> bool:
    headers = dict(start["headers"])
    return (
        headers.get(b"cache-control") == FINAL.encode()
        and b"content-disposition" not in headers
        and is_small_success(start, largest)
    )


def rule_of_built_files() -> CacheRule:
    """Bundled files, read once; their names change with their contents."""

    async def key_of(scope: Scope) -> CacheKey | None:
        headers = dict(scope["headers"])
        if not FILE.fullmatch(scope["path"]) or headers.keys() & CONDITIONS:
            return None
        return scope["path"], takes_gzip(headers.get(b"accept-encoding", b"").decode("latin-1"))

    def is_built(start: Message) -> bool:
        return (b"cache-control", FOR_EVER.encode()) in start["headers"] and is_small_success(
            start, FILE_BYTES
        )

    return CacheRule(key_of, is_built, Cache(MOST_FILES))


def rule_of_links() -> CacheRule:
    """Pages that a whole class opens at the same time; they change, and do not depend on the client."""

    async def key_of(scope: Scope) -> CacheKey | None:
        path, query = scope["path"], scope["query_string"].decode("latin-1")
        return (path, query) if BY_LINK.match(f"{path}?{query}") else None

    return CacheRule(key_of, partial(is_small_success, most_bytes=PAGE_BYTES))
