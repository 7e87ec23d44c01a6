"""What outlives the server: programs, uploaded files, sessions, runs. Never a tensor that was computed."""

from .failures import StoreError
from .records import NOTICE, OUTDATED, Position, RunRecord, SessionRecord, SessionTitle
from .store import Store

__all__ = [
    "NOTICE",
    "OUTDATED",
    "Position",
    "RunRecord",
    "SessionRecord",
    "SessionTitle",
    "Store",
    "StoreError",
]
