"""Requests and answers with large texts: see `app/large_texts.py`."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, cast

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.types import Receive, Scope, Send

from ..large_texts import LARGE, PIECE, apart, dumps, loads


class LargeTextRequest(Request):
    """A request whose JSON may hold a large text."""

    async def body(self) -> bytes:
        """Collected where it grows: to join it at the end would copy it at once."""
        if not hasattr(self, "_collected"):
            self._collected = bytearray()
            async for piece in self.stream():
                self._collected += piece
        return cast(bytes, self._collected)

    async def json(self) -> Any:
        """What it says."""
        body, most = await self.body(), self.app.state.settings.max_body_bytes
        return await apart(len(body), lambda: loads(body, most) if len(body) >= LARGE else json.loads(body))


class LargeTextRoute(APIRoute):
    """A route that takes such requests."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's own, which is given another request."""
        handle = super().get_route_handler()

        async def handler(request: Request) -> Response:
            return await handle(LargeTextRequest(request.scope, request.receive))

        return handler


class PiecewiseResponse(Response):
    """An answer that is handed over piece by piece, as fast as it is taken."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        for start in range(0, max(1, len(self.body)), PIECE):
            piece = self.body[start : start + PIECE]
            await send(
                {"type": "http.response.body", "body": piece, "more_body": start + PIECE < len(self.body)}
            )


async def json_response(value: dict[str, Any]) -> Response:
    """JSON, which may hold large texts."""
    size = sum(len(item) for item in _strings(value))
    body = await apart(size, lambda: dumps(value))
    return PiecewiseResponse(body, media_type="application/json")


def _strings(value: Any) -> Iterator[str]:
    """The texts of an object, and of the objects in it."""
    for item in value.values():
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            yield from _strings(item)
