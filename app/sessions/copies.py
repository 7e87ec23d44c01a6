"""Copies of sessions, which the user may know by a read-only link only."""

from __future__ import annotations

from .sessions import Sessions


async def copy_session(
    sessions: Sessions, identifier: str, number: int | None, *, text: str | None = None, called: str = ""
) -> str:
    """The id of a new session with the program, inputs and sources of a run.

    `number`: the run, by default the current one; `text`: a program that replaces the run's; `called`: the new id.
    """
    session = await sessions.session(identifier)
    if number is None:
        if session.current is None:
            draft = (session.draft or "") if text is None else text
            return await sessions.create(draft, session.name, None, [], identifier=called)
        number = session.current.number
    run = await sessions.run_info(identifier, number)
    inputs = [argument["input"] for argument in run["arguments"]]
    given = run["feeds"]["given"] if run["feeds"] else ()
    program = run["text"] if text is None else text
    copied = await sessions.create(
        program, session.name, run["entry"], inputs, run["grid"], given, identifier=called
    )
    await sessions.stored.copy_sources(session.id_hash, copied)
    return copied
