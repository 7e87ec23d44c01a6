"""What listeners of a session are told: of each thing the latest."""

from __future__ import annotations

import asyncio

from hloscope.app.sessions.hub import Hub
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
