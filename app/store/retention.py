"""Which sessions are set aside and deleted, and what nobody needs then. Times are those of the `RunningClock`."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, Table, delete, null, select, update

from .input_files import files_in
from .tables import dumps, inputs, programs, runs, sessions, uploads

DAY = 86_400


@dataclass(frozen=True)
class Pruned:
    """How many sessions were set aside, came back because they are kept for longer now, and are gone."""

    set_aside: int
    brought_back: int
    deleted: int


def prune(connection: Connection, now: float, days: int, grace_days: int) -> Pruned:
    """Set aside what nobody has visited for so many days, delete what was set aside so long ago; 0 days: never.

    Dumps are kept as long as sessions are, and counted with them.
    """
    found = [_prune(connection, table, now, days, grace_days) for table in (sessions, dumps)]
    delete_unused_programs(connection)
    back, aside, gone = (sum(column) for column in zip(*found, strict=True))
    return Pruned(set_aside=aside, brought_back=back, deleted=gone)


def _prune(connection: Connection, table: Table, now: float, days: int, grace_days: int) -> list[int]:
    visited = table.c.visited
    unvisited = visited < now - days * DAY if days else table.c.visited != table.c.visited
    aside = table.c.set_aside.is_not(None)
    return [
        connection.execute(change).rowcount
        for change in (
            update(table).where(aside, ~unvisited).values(set_aside=null()),
            update(table).where(~aside, unvisited).values(set_aside=now),
            delete(table).where(aside, table.c.set_aside <= now - grace_days * DAY),
        )
    ]


def delete_unused_programs(connection: Connection) -> None:
    """Delete the texts that no run has."""
    connection.execute(delete(programs).where(programs.c.hash.not_in(select(runs.c.program).distinct())))


def needed_inputs(connection: Connection) -> set[str]:
    """The files that a session has uploaded, a run is given or a dump is made of; the store forgets all others."""
    kept = connection.execute(select(runs.c.inputs, runs.c.feeds))
    needed = {spec["file"] for row in kept for spec in files_in([row.inputs, row.feeds])}
    needed |= set(connection.scalars(select(uploads.c.input)))
    for column in (dumps.c.archive, dumps.c.given, dumps.c.made):
        needed |= set(connection.scalars(select(column).where(column.is_not(None))))
    unused = set(connection.scalars(select(inputs.c.hash))) - needed
    for hash in unused:
        connection.execute(delete(inputs).where(inputs.c.hash == hash))
    return needed
