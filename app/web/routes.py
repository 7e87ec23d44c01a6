"""Declarations of routes. FastAPI makes each when the first request for it arrives.

To make one it reads the signature of the endpoint and builds validators, some milliseconds each, and again for each
router that includes another. Few of the routes are requested of most servers.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, TypeVar

from fastapi.routing import APIRoute, APIWebSocketRoute
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


class LaterRoute(Route):
    """A route with FastAPI's `options`, made by `route_class` when it is first needed."""

    def __init__(
        self,
        path: str,
        endpoint: Callable[..., Any],
        method: str,
        route_class: type[APIRoute],
        **options: Any,
    ) -> None:
        super().__init__(path, endpoint)
        self.methods = {method}  # as FastAPI, not HEAD with GET as Starlette
        self._make = partial(route_class, path, endpoint, methods=[method], **options)

    @cached_property
    def made(self) -> APIRoute:
        """FastAPI's route."""
        return self._make()

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that matches."""
        scope["route"] = self.made
        await self.made.handle(scope, receive, send)


@dataclass(frozen=True)
class Routes:
    """The routes of a module, declared by decorators; `prefix` begins the path of each."""

    prefix: str = ""
    route_class: type[APIRoute] = APIRoute
    routes: list[BaseRoute] = field(default_factory=list)

    def get(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Declare a route for GET; `options` are those of FastAPI."""
        return partial(self._declare, "GET", path, options)

    def post(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Declare a route for POST."""
        return partial(self._declare, "POST", path, options)

    def put(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Declare a route for PUT."""
        return partial(self._declare, "PUT", path, options)

    def delete(self, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
        """Declare a route for DELETE."""
        return partial(self._declare, "DELETE", path, options)

    def websocket(self, path: str) -> Callable[[Endpoint], Endpoint]:
        """Declare a route for WebSockets."""

        def declare(endpoint: Endpoint) -> Endpoint:
            self.routes.append(APIWebSocketRoute(self.prefix + path, endpoint))
            return endpoint

        return declare

    def _declare(self, method: str, path: str, options: dict[str, Any], endpoint: Endpoint) -> Endpoint:
        self.routes.append(LaterRoute(self.prefix + path, endpoint, method, self.route_class, **options))
        return endpoint
