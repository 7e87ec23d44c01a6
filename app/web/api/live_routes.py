"""The socket of a page: requests to record, and progress of the recording."""

import contextlib
from collections.abc import Iterator

from anyio import CancelScope, create_task_group
from anyio.abc import TaskGroup
from pydantic import ConfigDict, TypeAdapter, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from ...base.errors import ApiError
from ...sessions.hub import Listener
from ...sessions.run_conversion import waiting_message
from ...sessions.sessions import Sessions
from ...sessions.view_links import is_link, key_for
from ...store import Position
from ...wire.live import ErrorInfo, ErrorMessage, ServerMessage
from ...wire.requests import LiveMessage, PauseMessage, RecordMessage
from ..guard import closing_message
from ..routes import Routes
from .common import Service

router = Routes("/api")
_message: TypeAdapter[LiveMessage] = TypeAdapter(LiveMessage, config=ConfigDict(defer_build=True))


@router.websocket("/sessions/{session}/live")
async def live(socket: WebSocket, session: str, sessions: Service) -> None:
    """Serve the socket until one side ends it.

    It always receives too, because sending alone does not detect a closed socket. Link holders get the same messages and
    may request more of the recording, but their positions are not stored.
    """
    # Always accept: a page cannot see why a handshake was refused.
    await socket.accept()
    try:
        record = await sessions.session(session)
        listener = sessions.hub.join(record.id_hash, session if is_link(session) else None)
    except ApiError as error:
        socket.app.state.tallies.refuse(error)
        await socket.send(closing_message(error))
        return
    listener.put("welcome", {"type": "welcome"})
    try:
        if (turn := sessions.supervisor.slots.turn(record.id_hash)) is not None:
            listener.put("waiting", waiting_message(turn))
        for state in await sessions.states(session):
            listener.put_first(state["key"], state)
        async with create_task_group() as group:
            group.start_soon(_send, socket, session, listener, group.cancel_scope)
            await _receive(socket, _PageMessages(session, sessions, listener, group))
            group.cancel_scope.cancel()
    finally:
        sessions.hub.leave(record.id_hash, listener)


async def _send(socket: WebSocket, session: str, listener: Listener, ended: CancelScope) -> None:
    # A page that has left does not end this loop: earlier messages of it, such as a pause, are still received.
    with contextlib.suppress(WebSocketDisconnect):
        while listener.dismissed is None:
            for message in await listener.take():
                await socket.send_json(_for_client(session, message))
        await socket.send(closing_message(listener.dismissed))
        ended.cancel()


def _for_client(session: str, message: ServerMessage) -> ServerMessage:
    """The message with the recording's name for a client of this session id or link."""
    if message["type"] == "state":
        return {**message, "key": key_for(session, message["key"])}
    return message


class _PageMessages:
    """Handler of one page's messages; a waiting request ends when the page pauses or leaves."""

    def __init__(self, session: str, sessions: Sessions, listener: Listener, group: TaskGroup) -> None:
        self._session, self._sessions, self._listener, self._group = session, sessions, listener, group
        self._recording = CancelScope()

    async def handle(self, data: str | bytes) -> None:
        """Handle a message; the listener gets an error if it is invalid."""
        with self._report_errors():
            match message := _message.validate_json(data):
                case RecordMessage():
                    # In another task, so that a pause or a disconnect is received meanwhile.
                    self._recording = CancelScope()
                    self._group.start_soon(self._record, message, self._recording)
                case PauseMessage():
                    self._recording.cancel()
                    if not is_link(self._session):
                        await self._sessions.pause(self._session, message.run)
                case _ if is_link(self._session):
                    pass
                case _:
                    position = Position(message.run, message.step, message.path, message.breakpoints)
                    await self._sessions.move(self._session, position)

    async def _record(self, message: RecordMessage, scope: CancelScope) -> None:
        with self._report_errors(), scope:
            await self._sessions.record(self._session, message.run, message.steps)

    @contextlib.contextmanager
    def _report_errors(self) -> Iterator[None]:
        try:
            yield
        except ValidationError:
            error = ErrorInfo(message="This message is invalid.", kind="request")
            self._listener.put("error", ErrorMessage(type="error", **error))
        except ApiError as error:
            self._listener.put("error", ErrorMessage(type="error", **error.body()["error"]))


async def _receive(socket: WebSocket, messages: _PageMessages) -> None:
    with contextlib.suppress(WebSocketDisconnect):
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            await messages.handle(message.get("text") or message.get("bytes") or b"")
