"""What kept a text from running: its inputs may be to blame, which a check of the text does not see."""

from __future__ import annotations

from collections import OrderedDict

from ..base.keys import text_hash
from ..base.large_texts import run_apart
from ..wire.program import Diagnostic

MOST_SESSIONS = 1_000


class KnownProblems:
    """The problems of the texts that were tried last, one text for each session."""

    def __init__(self) -> None:
        self._problems: OrderedDict[str, tuple[str, list[Diagnostic]]] = OrderedDict()

    async def note(self, session: str, text: str, diagnostics: list[Diagnostic]) -> None:
        """Remember why a text of the session does not run; of too many sessions the oldest is forgotten."""
        self._problems.pop(session, None)
        self._problems[session] = (await _hash_of(text), diagnostics)
        while len(self._problems) > MOST_SESSIONS:
            self._problems.popitem(last=False)

    async def of(self, session: str, text: str) -> list[Diagnostic] | None:
        """Why this very text did not run; None if that is not known of it."""
        hash, problems = self._problems.get(session, ("", []))
        return problems if hash and hash == await _hash_of(text) else None

    def forget(self, session: str) -> None:
        """A text of the session runs."""
        self._problems.pop(session, None)


async def _hash_of(text: str) -> str:
    return await run_apart(len(text), lambda: text_hash(text))
