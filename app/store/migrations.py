"""From the versions of the store that were before to this one, a step at a time."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, text

STEPS: dict[str, Sequence[str]] = {
    # Runs of version 1 have neither a grid nor queues.
    "1": ("ALTER TABLE runs ADD COLUMN grid JSON", "ALTER TABLE runs ADD COLUMN feeds JSON"),
    # The clock begins with version 3, and every session counts as visited then.
    "2": (
        "ALTER TABLE sessions ADD COLUMN visited FLOAT NOT NULL DEFAULT 0",
        "ALTER TABLE sessions ADD COLUMN set_aside FLOAT",
        "DROP INDEX IF EXISTS sessions_by_age",
        "CREATE INDEX sessions_by_visit ON sessions (visited)",
    ),
    # Tables are made where they are missing; version 4 has one for the user's own code.
    "3": (),
    # Version 5 has one for dumps of XLA's passes.
    "4": (),
    # Version 6 has one for read-only links.
    "5": (),
    # Version 7 has those of rooms.
    "6": (),
}


def migrate(connection: Connection, version: str | None) -> str | None:
    """The version that the store has now: this one, or an unknown one, which is left alone."""
    while version in STEPS:
        for statement in STEPS[version]:
            connection.execute(text(statement))
        version = str(int(version) + 1)
    return version
