"""The socket of the members, teacher and screen of a room."""

import asyncio
import contextlib
import time

from anyio import CancelScope, create_task_group
from pydantic import ConfigDict, TypeAdapter, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from ...base.errors import ApiError
from ...classroom.live_room import LiveRoom
from ...classroom.outbox import Listener, as_text
from ...classroom.service import Rooms
from ...wire.room_messages import AnyMessage, Hello, Message
from ..guard import closing_message
from ..routes import Routes
from .common import address_of
from .room_routes import RoomService

router = Routes("/api/rooms")
_message: TypeAdapter[Message] = TypeAdapter(AnyMessage, config=ConfigDict(defer_build=True))
_hello: TypeAdapter[Hello] = TypeAdapter(Hello)
HELLO_SECONDS = 10.0
"""Timeout for the first message."""
MESSAGE_BYTES = 1 << 14
"""Maximum size of a message."""
MESSAGES_PER_SECOND, MESSAGES_AT_ONCE = 40.0, 400.0
"""Maximum messages of a connection: average rate, and burst after a silence."""


@router.websocket("/{room}/live")
async def live(socket: WebSocket, room: str, rooms: RoomService) -> None:
    """Serve the socket until one side ends it; an error closes it with 4000 + the status."""
    await socket.accept()
    try:
        hello = _read_hello(await asyncio.wait_for(socket.receive(), HELLO_SECONDS))
        found, listener = await rooms.enter(room, hello, address_of(socket))
    except TimeoutError:
        await socket.send(
            closing_message(
                ApiError(408, "hello", "No message came in time: the first message must be hello.")
            )
        )
    except ApiError as error:
        socket.app.state.tallies.refuse(error)
        await socket.send(closing_message(error))
    except WebSocketDisconnect:
        return
    else:
        await _stay(socket, rooms, found, listener)


def _read_hello(message: object) -> Hello:
    if not isinstance(message, dict) or message.get("type") != "websocket.receive":
        raise WebSocketDisconnect
    try:
        return _hello.validate_json(message.get("text") or message.get("bytes") or b"")
    except ValidationError:
        raise ApiError(422, "hello", "The first message to a room must be hello.") from None


async def _stay(socket: WebSocket, rooms: Rooms, room: LiveRoom, listener: Listener) -> None:
    if room.ended is not None:  # ended during the entry
        await socket.send(closing_message(room.ended))
        return
    welcome = room.join(listener)
    room.send_class(listener)
    try:
        with contextlib.suppress(WebSocketDisconnect):
            await socket.send_text(as_text(welcome))
            async with create_task_group() as group:
                group.start_soon(_send, socket, listener, group.cancel_scope)
                await _receive(socket, rooms, room, listener)
                group.cancel_scope.cancel()
    finally:
        room.leave(listener)


async def _send(socket: WebSocket, listener: Listener, ended: CancelScope) -> None:
    """Send the outbox; a blocked socket gets the latest messages once it is ready."""
    outbox = listener.outbox
    with contextlib.suppress(WebSocketDisconnect):
        while True:
            for text in await outbox.take():
                await socket.send_text(text)
            if outbox.closed is not None and not outbox.waiting:
                await socket.send(closing_message(outbox.closed))
                break
    ended.cancel()


async def _receive(socket: WebSocket, rooms: Rooms, room: LiveRoom, listener: Listener) -> None:
    allowed, since = MESSAGES_AT_ONCE, time.monotonic()
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        now = time.monotonic()
        allowed = min(MESSAGES_AT_ONCE, allowed + (now - since) * MESSAGES_PER_SECOND) - 1
        since = now
        if allowed < 0:
            listener.outbox.close(ApiError(429, "messages", "This page sends too many messages."))
        if listener.outbox.closed is None:
            await _handle(rooms, room, listener, message.get("text") or message.get("bytes") or b"")


async def _handle(rooms: Rooms, room: LiveRoom, listener: Listener, data: str | bytes) -> None:
    try:
        if len(data) > MESSAGE_BYTES:
            raise ApiError(413, "request", f"A message has at most {MESSAGE_BYTES:,} bytes.")
        await rooms.handle(room, listener, _message.validate_json(data))
    except ValidationError:
        listener.outbox.put_error(ApiError(422, "request", "This message is invalid."))
    except ApiError as error:
        listener.outbox.put_error(error)
