"""What outlives the server: programs, uploaded files, sessions, runs. Never a tensor that was computed."""

from .faults import StoreError
from .records import NOTICE, OUTDATED, Position, RunRecord, SessionRecord
from .store import Store

__all__ = ["NOTICE", "OUTDATED", "Position", "RunRecord", "SessionRecord", "Store", "StoreError"]
