"""Which sessions are set aside and deleted, and what nobody needs then. Times are those of the `RunningClock`."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, delete, null, select, update

from ..input_files import files_in
from .tables import inputs, programs, runs, sessions, uploads

DAY = 86_400


@dataclass(frozen=True)
class Pruned:
    """How many sessions were set aside, came back because they are kept for longer now, and are gone."""

    set_aside: int
    brought_back: int
    deleted: int


def prune_sessions(connection: Connection, now: float, days: int, grace_days: int) -> Pruned:
    """Set aside what nobody has visited for so many days, delete what was set aside so long ago; 0 days: never."""
    unvisited = sessions.c.visited < now - days * DAY if days else sessions.c.visited != sessions.c.visited
    aside = sessions.c.set_aside.is_not(None)
    counts = [
        connection.execute(change).rowcount
        for change in (
            update(sessions).where(aside, ~unvisited).values(set_aside=null()),
            update(sessions).where(~aside, unvisited).values(set_aside=now),
            delete(sessions).where(aside, sessions.c.set_aside <= now - grace_days * DAY),
        )
    ]
    delete_unused_programs(connection)
    return Pruned(set_aside=counts[1], brought_back=counts[0], deleted=counts[2])


def delete_unused_programs(connection: Connection) -> None:
    """Delete the texts that no run has."""
    connection.execute(delete(programs).where(programs.c.hash.not_in(select(runs.c.program).distinct())))


def needed_inputs(connection: Connection) -> set[str]:
    """The files that a session has uploaded or a run is given; the store forgets all others."""
    kept = connection.execute(select(runs.c.inputs, runs.c.feeds))
    needed = {spec["file"] for row in kept for spec in files_in([row.inputs, row.feeds])}
    needed |= set(connection.scalars(select(uploads.c.input)))
    unused = set(connection.scalars(select(inputs.c.hash))) - needed
    for hash in unused:
        connection.execute(delete(inputs).where(inputs.c.hash == hash))
    return needed
