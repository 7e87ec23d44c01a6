"""A session made of another one, which the user may have by a read-only link alone."""

from __future__ import annotations

from .sessions import Sessions


async def copy_session(sessions: Sessions, identifier: str, number: int | None) -> str:
    """The id of a new session with the program, inputs and sources of a run; without a number of the current one."""
    session = await sessions.session(identifier)
    if number is None:
        if session.current is None:
            return await sessions.create(session.draft or "", session.name, None, [])
        number = session.current.number
    run = await sessions.run_info(identifier, number)
    inputs = [argument["input"] for argument in run["arguments"]]
    given = run["feeds"]["given"] if run["feeds"] else ()
    copied = await sessions.create(run["text"], session.name, run["entry"], inputs, run["grid"], given)
    await sessions.kept.copy_sources(session.id_hash, copied)
    return copied
