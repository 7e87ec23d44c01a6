"""Rooms: a class follows a session. `service.Rooms` opens, finds and ends them; `state` says what each message changes.

A room in use is a `live_room.LiveRoom`: one writer of its state, and an `outbox.Outbox` for each who listens.
"""

from .service import Rooms, may_be_room

__all__ = ["Rooms", "may_be_room"]
