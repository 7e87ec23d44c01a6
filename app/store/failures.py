"""Kinds of store failures, classified from errors of the system, of SQLite and of PostgreSQL."""

import errno
import sqlite3
from typing import Any, Literal

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

Kind = Literal["full", "gone", "forbidden", "damaged", "version", "busy", "down", "other"]
"""Disk full, missing, no permission, damaged, another version, locked by another process, a database that does not
answer."""

_OF_SYSTEM: dict[int | None, Kind] = {
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EFBIG: "full",
    errno.ENOENT: "gone",
    errno.ENOTDIR: "gone",
    errno.ESTALE: "gone",
    errno.EACCES: "forbidden",
    errno.EPERM: "forbidden",
    errno.EROFS: "forbidden",
}
_OF_SQLITE: dict[int, Kind] = {
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_CANTOPEN: "forbidden",
    sqlite3.SQLITE_READONLY: "forbidden",
    sqlite3.SQLITE_PERM: "forbidden",
    sqlite3.SQLITE_NOTADB: "damaged",
    sqlite3.SQLITE_CORRUPT: "damaged",
    sqlite3.SQLITE_BUSY: "busy",
    sqlite3.SQLITE_LOCKED: "busy",
}
_OF_POSTGRESQL: dict[str, Kind] = {
    "08": "down",  # the connection
    "57P": "down",  # stopped, crashed, or starting
    "53": "busy",  # out of connections or memory
    "53100": "full",
    "40": "busy",  # a deadlock
    "55P": "busy",
    "25P": "busy",  # the transaction took too long
    "42501": "forbidden",
    "25006": "forbidden",  # read-only
    "XX": "damaged",
}
"""By the beginning of the code; the longest one decides."""


class StoreError(Exception):
    """The store cannot be used; the message states the reason and what to do."""

    def __init__(self, message: str, kind: Kind = "other") -> None:
        super().__init__(message)
        self.kind = kind


class Elsewhere(StoreError):
    """Another server has the session or the room."""

    def __init__(self, address: str = "") -> None:
        """`address`: that of the other server, if it is known."""
        super().__init__(f"Another server has this open{address and f': {address}'}.", "busy")


def kind_of(error: Exception) -> Kind:
    """The kind of a failure."""
    if isinstance(error, StoreError):
        return error.kind
    if isinstance(error, OSError):
        return _OF_SYSTEM.get(error.errno, "other")
    cause: Any = getattr(error, "orig", None)
    if is_of_postgresql(error):
        return _kind_of_state(error, cause.sqlstate or "")
    # Extended codes have the primary one in their lowest byte.
    return _OF_SQLITE.get(getattr(cause, "sqlite_errorcode", 0) & 0xFF, "other")


def is_of_postgresql(error: Exception) -> bool:
    """Whether PostgreSQL failed, which may be on another machine."""
    return hasattr(getattr(error, "orig", None), "sqlstate")


def _kind_of_state(error: Exception, state: str) -> Kind:
    """The kind of a failure of PostgreSQL; there is no code without a connection, whatever the reason."""
    if not state or (isinstance(error, DBAPIError) and error.connection_invalidated):
        return "down"
    known = [start for start in _OF_POSTGRESQL if state.startswith(start)]
    return _OF_POSTGRESQL[max(known, key=len)] if known else "other"


def cause_of(error: Exception) -> str:
    """The error message of the system or of the database, in one line."""
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    if not isinstance(error, SQLAlchemyError):
        return str(error)
    # Further lines of PostgreSQL's message are advice, or name the statement.
    return str(getattr(error, "orig", None) or error).partition("\n")[0]
