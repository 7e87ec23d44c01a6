"""The line that a page keeps open: it asks for more of a recording and hears how far it is."""

from __future__ import annotations

import contextlib

from anyio import CancelScope, create_task_group
from fastapi import APIRouter
from pydantic import TypeAdapter, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from ..errors import ApiError, over_limit
from ..guard import closing
from ..live import Listener
from ..schemas import LiveMessage, PauseMessage, RecordMessage
from ..sessions import Sessions
from ..store import Position
from .common import Service

router = APIRouter()
_message: TypeAdapter[LiveMessage] = TypeAdapter(LiveMessage)


@router.websocket("/sessions/{session}/live")
async def live(socket: WebSocket, session: str, sessions: Service) -> None:
    """Until one of both sides ends it. Who only sends never notices that nobody is there, so it receives too."""
    # Accepted in any case: a page is not told why a handshake was refused.
    await socket.accept()
    try:
        record = await sessions.session(session)
        _check_count(sessions)
    except ApiError as error:
        await socket.send(closing(error))
        return
    listener = sessions.hub.join(record.id_hash)
    listener.put("welcome", {"type": "welcome"})
    try:
        for state in await sessions.states(session):
            listener.put(state["key"], state)
        async with create_task_group() as group:
            group.start_soon(_send, socket, listener, group.cancel_scope)
            await _receive(socket, session, sessions, listener)
            group.cancel_scope.cancel()
    finally:
        sessions.hub.leave(record.id_hash, listener)


def _check_count(sessions: Sessions) -> None:
    limit = sessions.settings.max_sockets
    if sessions.hub.count >= limit:
        raise over_limit(429, "max_sockets", limit, "The limit max_sockets of open pages is reached.")


async def _send(socket: WebSocket, listener: Listener, ended: CancelScope) -> None:
    with contextlib.suppress(WebSocketDisconnect):
        while True:
            for message in await listener.take():
                await socket.send_json(message)
    ended.cancel()


async def _receive(socket: WebSocket, session: str, sessions: Sessions, listener: Listener) -> None:
    with contextlib.suppress(WebSocketDisconnect):
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            try:
                said = message.get("text") or message.get("bytes") or b""
                await _obey(_message.validate_json(said), session, sessions)
            except ValidationError:
                listener.put("error", {"type": "error", "message": "This message makes no sense."})
            except ApiError as error:
                listener.put("error", {"type": "error", **error.body()["error"]})


async def _obey(message: LiveMessage, session: str, sessions: Sessions) -> None:
    match message:
        case RecordMessage():
            await sessions.record(session, message.run, message.steps)
        case PauseMessage():
            await sessions.pause(session, message.run)
        case _:
            await sessions.move(
                session, Position(message.run, message.step, message.path, message.breakpoints)
            )
