"""Rooms, in which a class follows a session.

`service.Rooms` opens, finds and ends rooms; `state` has the state changes. A room in use is a `live_room.LiveRoom`, the only writer of its state, with an `outbox.Outbox` for each listener.
"""
