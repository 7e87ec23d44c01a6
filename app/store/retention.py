"""Setting aside and deleting unvisited sessions and dumps, by the `RunningClock`."""

from dataclasses import dataclass

from sqlalchemy import Connection, Table, delete, null, select, update

from ..wire.input_files import files_in
from .tables import dumps, inputs, programs, runs, sessions, uploads

DAY = 86_400


@dataclass(frozen=True)
class Pruned:
    """Numbers of sessions set aside, restored because retention was extended, and deleted."""

    set_aside: int
    brought_back: int
    deleted: int


def prune(connection: Connection, now: float, days: int, grace_days: int) -> Pruned:
    """Set aside what was not visited for `days`, and delete it `grace_days` later.

    With 0 days, nothing is set aside. Dumps are retained like sessions, and counted with them.
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
    """Delete the program texts that no run uses."""
    connection.execute(delete(programs).where(programs.c.hash.not_in(select(runs.c.program).distinct())))


def needed_inputs(connection: Connection) -> set[str]:
    """The files used by sessions, runs or dumps; the rows of all others are deleted."""
    kept = connection.execute(select(runs.c.inputs, runs.c.feeds))
    needed = {spec["file"] for row in kept for spec in files_in([row.inputs, row.feeds])}
    needed |= set(connection.scalars(select(uploads.c.input)))
    for column in (dumps.c.archive, dumps.c.given, dumps.c.made):
        needed |= set(connection.scalars(select(column).where(column.is_not(None))))
    unused = set(connection.scalars(select(inputs.c.hash))) - needed
    for hash in unused:
        connection.execute(delete(inputs).where(inputs.c.hash == hash))
    return needed
