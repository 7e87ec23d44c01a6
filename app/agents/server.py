"""The tools as a server of the Model Context Protocol, on standard input and output or behind a route."""

import asyncio
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import ToolAnnotations
from pydantic import ValidationError
from starlette.types import Receive, Scope, Send

from hloscope.engine.errors import ProgramError

from ..base.errors import ApiError, as_sentence
from ..base.failure import Failure
from ..base.logs import log_failure
from ..base.versions import installed_version
from ..wire.surrogates import all_text
from .desk import Desk
from .skill import skill_text
from .tools import Tools

log = logging.getLogger("hloscope")
CHANGING = ("open", "diagnose", "passes", "link")
"""Tools that create sessions or move positions; the others read."""
INSTRUCTIONS = (
    "hloscope runs StableHLO and XLA HLO programs step by step and keeps every value. Call diagnose first: it returns an id, "
    'the findings and the next call. Answers are JSON, one object per line; a last line {"more": …} says what was left out. '
    "Lines count from 1, steps and elements from 0. The resource hloscope://skill has worked cases."
)


class AgentServer(MCPServer[Any]):
    """The tools of a desk. Every error is a sentence that says what to do; internal errors are only logged."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(
            "hloscope", instructions=INSTRUCTIONS, version=installed_version() or "", log_level="WARNING"
        )
        tools = Tools(desk, lambda png: Image(data=png, format="png"))
        for tool in tools.all:
            reads = tool.__name__ not in CHANGING
            self.add_tool(
                tool,
                annotations=ToolAnnotations(read_only_hint=reads, open_world_hint=False),
                structured_output=False,
            )
        self._add_text(
            "hloscope://recordings/{id}", "A run: its inputs, state and first steps", tools.recording
        )
        self._add_text("hloscope://programs/{id}", "The text of a program", tools.program)
        self.resource(
            "hloscope://skill", mime_type="text/markdown", description="How to find a fault, by three cases"
        )(skill_text)

    def _add_text(self, uri: str, description: str, read: Callable[[str], Any]) -> None:
        async def reading(id: str) -> str:
            try:
                return str(await read(id))
            except ApiError as error:
                raise ResourceNotFoundError(_sentence(error)) from None

        name = uri.split("/")[2]
        self.resource(uri, name=name, description=description, mime_type="text/plain")(reading)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> Any:
        """The answer of a tool; a `ToolError` is what the agent reads."""
        try:
            await self._check(name, arguments)
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            raise ToolError(_told(name, error)) from None

    async def _check(self, name: str, arguments: dict[str, Any]) -> None:
        """Refuse unknown tools and arguments by name: an argument that is ignored would mislead."""
        tools = {tool.name: tool.input_schema for tool in await self.list_tools()}
        if name not in tools:
            raise ToolError(f"There is no tool '{name[:60]}'. There are {', '.join(tools)}.")
        known = tools[name]["properties"]
        wrong = next((argument for argument in arguments if argument not in known), None)
        if wrong is not None:
            raise ToolError(f"{name} has no argument '{wrong[:60]}'. It takes {', '.join(known)}.")
        if not all_text(arguments):
            raise ToolError("An argument has characters that are no text (lone surrogates). Send UTF-8.")


def _told(name: str, error: ToolError) -> str:
    """The sentence of an error that a tool raised, or that its arguments did not pass."""
    cause = error.__cause__
    match cause:
        case None:
            return str(error)
        case ApiError():
            return _sentence(cause)
        case ProgramError():
            return " ".join(as_sentence(part) for part in (cause.message, cause.hint) if part)
        case ValidationError():
            first = cause.errors()[0]
            place = ".".join(map(str, first["loc"]))
            if first["type"] == "missing":
                return f"{name} needs the argument '{place}'."
            return f"{name}: {place}: {first['msg']}."
        case Failure():
            return f"{cause}."
        case OSError():
            return f"A file cannot be used: {(cause.strerror or 'unknown cause').lower()}."
    number = secrets.token_hex(4)
    log_failure(log, cause, number)
    return f"hloscope made a mistake; its log says which, at number {number}."


def _sentence(error: ApiError) -> str:
    parts = (as_sentence(error.message), error.hint)  # a hint may begin with the name of a tool
    return " ".join(part for part in parts if part)


class Endpoint:
    """The server behind a route: each request stands alone, so that none needs a connection that stays open."""

    def __init__(self, desk: Desk) -> None:
        server = AgentServer(desk)
        # The guard has checked the host, the token and the size of the request.
        server.streamable_http_app(
            json_response=True, stateless_http=True, max_request_body_size=1 << 40,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )  # fmt: skip
        self._manager = server.session_manager
        self._ready, self._task = asyncio.Event(), asyncio.create_task(self._serve())

    async def _serve(self) -> None:
        async with self._manager.run():
            self._ready.set()
            await asyncio.Event().wait()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._ready.wait()
        await self._manager.handle_request(scope, receive, send)

    async def close(self) -> None:
        """End all requests."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
