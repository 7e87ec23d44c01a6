"""What outlives the server: programs, uploaded files, sessions, runs. Never a tensor that was computed."""

from .store import Position, RunRecord, SessionRecord, Store, StoreError

__all__ = ["Position", "RunRecord", "SessionRecord", "Store", "StoreError"]
