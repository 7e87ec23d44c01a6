"""What outlives the server: programs, uploaded files, sessions, runs. Never a tensor that was computed."""

from .database import StoreError
from .store import Position, RunRecord, SessionRecord, Store

__all__ = ["Position", "RunRecord", "SessionRecord", "Store", "StoreError"]
