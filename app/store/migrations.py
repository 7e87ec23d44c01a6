"""Migrations from earlier schema versions, one step at a time."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, text

STEPS: dict[str, Sequence[str]] = {
    # Runs of version 1 have neither a grid nor queues.
    "1": ("ALTER TABLE runs ADD COLUMN grid JSON", "ALTER TABLE runs ADD COLUMN feeds JSON"),
    # Version 3 starts the clock; every session counts as visited at its start.
    "2": (
        "ALTER TABLE sessions ADD COLUMN visited FLOAT NOT NULL DEFAULT 0",
        "ALTER TABLE sessions ADD COLUMN set_aside FLOAT",
        "DROP INDEX IF EXISTS sessions_by_age",
        "CREATE INDEX sessions_by_visit ON sessions (visited)",
    ),
    # Missing tables are created on opening; version 4 added one for source files.
    "3": (),
    # Version 5 added one for dumps of XLA's passes.
    "4": (),
    # Version 6 added one for read-only links.
    "5": (),
    # Version 7 added those of rooms.
    "6": (),
}


def migrate(connection: Connection, version: str | None) -> str | None:
    """Migrate the store; returns its version, which is unchanged if it is unknown."""
    while version in STEPS:
        for statement in STEPS[version]:
            connection.execute(text(statement))
        version = str(int(version) + 1)
    return version
