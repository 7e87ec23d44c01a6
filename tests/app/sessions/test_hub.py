"""What listeners of a session are told: of each thing the latest."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import AsyncMock

from starlette.websockets import WebSocketDisconnect

from hloscope.app.sessions.hub import Hub
from hloscope.app.web.api.live_routes import live
from hloscope.app.wire.live import WaitingMessage


def _waiting(before: int) -> WaitingMessage:
    return {"type": "waiting", "turn": {"before": before, "of": 9, "seconds": None}}


def test_news_is_not_replaced_by_what_was_so_before() -> None:
    hub = Hub(9)
    listener = hub.join("session")
    hub.notify("session", "waiting", _waiting(1))
    listener.put_first("waiting", _waiting(2))
    listener.put_first("other", _waiting(3))
    assert asyncio.run(listener.take()) == [_waiting(1), _waiting(3)]


def test_of_each_thing_the_latest_is_told() -> None:
    hub = Hub(9)
    listener = hub.join("session")
    for before in (3, 2, 1):
        hub.notify("session", "waiting", _waiting(before))
    hub.notify("another session", "waiting", _waiting(9))
    assert asyncio.run(listener.take()) == [_waiting(1)]
    hub.leave("session", listener)
    assert not hub.has_listeners("session")
    assert hub.count == 0


class _Leaving:
    """The socket of a page that has asked for a pause and left, which is noticed first when something is sent."""

    def __init__(self) -> None:
        self.noticed = asyncio.Event()
        self.unread = [
            {"type": "websocket.receive", "text": '{"type": "pause"}'},
            {"type": "websocket.disconnect"},
        ]

    async def accept(self) -> None:
        pass

    async def send_json(self, message: object) -> None:
        self.noticed.set()
        raise WebSocketDisconnect(1006)

    async def receive(self) -> object:
        await self.noticed.wait()
        await asyncio.sleep(0)
        return self.unread.pop(0)


def test_a_pause_counts_though_the_page_has_left() -> None:
    paused = AsyncMock()
    sessions = SimpleNamespace(
        hub=Hub(9),
        pause=paused,
        session=AsyncMock(return_value=SimpleNamespace(id_hash="session")),
        states=AsyncMock(return_value=[]),
        supervisor=SimpleNamespace(slots=SimpleNamespace(turn=lambda session: None)),
    )
    asyncio.run(live(cast(Any, _Leaving()), "session", cast(Any, sessions)))
    paused.assert_awaited_once_with("session", None)
    assert not sessions.hub.has_listeners("session")
