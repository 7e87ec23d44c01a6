"""Diagnostics of texts that did not run, which a check of the text alone may not find."""

from __future__ import annotations

from collections import OrderedDict

from ..base.keys import text_hash
from ..base.large_texts import run_apart
from ..wire.program import Diagnostic

MOST_SESSIONS = 1_000
"""Maximum number of sessions whose problems are cached."""


class KnownProblems:
    """The problems of the latest text of each session, such as those of its inputs."""

    def __init__(self) -> None:
        self._problems: OrderedDict[str, tuple[str, list[Diagnostic]]] = OrderedDict()

    async def note(self, session: str, text: str, diagnostics: list[Diagnostic]) -> None:
        """Cache the diagnostics of a text; the oldest session is evicted at the limit."""
        self._problems.pop(session, None)
        self._problems[session] = (await _hash_of(text), diagnostics)
        while len(self._problems) > MOST_SESSIONS:
            self._problems.popitem(last=False)

    async def of(self, session: str, text: str) -> list[Diagnostic] | None:
        """The diagnostics cached for exactly this text, or None."""
        hash, problems = self._problems.get(session, ("", []))
        return problems if hash and hash == await _hash_of(text) else None

    def forget(self, session: str) -> None:
        """Drop the problems of a session, because its text runs."""
        self._problems.pop(session, None)


async def _hash_of(text: str) -> str:
    return await run_apart(len(text), lambda: text_hash(text))
