"""Kinds of store failures, classified from errors of the system and of SQLite."""

from __future__ import annotations

import errno
import sqlite3
from typing import Literal

from sqlalchemy.exc import SQLAlchemyError

Kind = Literal["full", "gone", "forbidden", "damaged", "version", "busy", "other"]
"""Disk full, missing, no permission, damaged, another version, locked by another process."""

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


class StoreError(Exception):
    """The store cannot be used; the message states the reason and what to do."""

    def __init__(self, message: str, kind: Kind = "other") -> None:
        super().__init__(message)
        self.kind = kind


def kind_of(error: Exception) -> Kind:
    """The kind of a failure."""
    if isinstance(error, StoreError):
        return error.kind
    if isinstance(error, OSError):
        return _OF_SYSTEM.get(error.errno, "other")
    # Extended codes have the primary one in their lowest byte.
    code = getattr(getattr(error, "orig", None), "sqlite_errorcode", 0)
    return _OF_SQLITE.get(code & 0xFF, "other")


def cause_of(error: Exception) -> str:
    """The error message of the system or of SQLite."""
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return str(getattr(error, "orig", None) or error) if isinstance(error, SQLAlchemyError) else str(error)
