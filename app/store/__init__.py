"""Persistent data: programs, uploaded files, sessions and runs, but no computed tensors."""

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
