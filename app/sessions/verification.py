"""Verification of programs: its progress, which pages show, and the problems of texts that do not run."""

from __future__ import annotations

from ..base.cache import Cache
from ..base.errors import ApiError
from ..base.keys import text_hash
from ..base.large_texts import run_apart
from ..wire.live import VerifyingMessage
from ..wire.program import Diagnostic
from ..wire.sessions import Verifying
from .hub import Hub

LARGE_PROGRAM = 400_000
"""Minimum characters of a program shown before it is verified: about 5,000 lines."""


MOST_REFUSED = 1_000
"""Maximum number of sessions whose problems are cached."""


class Verification:
    """What reading and verifying have reached, for each session whose program is opened."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._reached: dict[str, Verifying] = {}

    def report(self, session: str, reached: Verifying) -> None:
        """Record what reading and verifying have reached."""
        self._reached[session] = reached
        self._hub.notify(session, "verifying", self.message(session))

    def end_if_begun(self, session: str) -> None:
        """End the verification, if there is one: the program already runs."""
        if session in self._reached:
            self.end(session)

    def end(self, session: str) -> None:
        """End the verification, with or without success."""
        self._reached.pop(session, None)
        self._hub.notify(session, "verifying", self.message(session))

    def of(self, session: str, text: str) -> Verifying:
        """The progress of the verification; line 0 if none is reported yet."""
        known = self._reached.get(session)
        return known or {"phase": "reading", "line": 0, "lines": text.count("\n") + 1}

    def message(self, session: str) -> VerifyingMessage:
        """The message to listeners; its `verifying` is null after the end."""
        return {"type": "verifying", "verifying": self._reached.get(session)}


class RefusedTexts:
    """The problems of the latest text of each session, some of which a check of the text alone may not find."""

    def __init__(self) -> None:
        self._problems = Cache[str, tuple[str, list[Diagnostic]]](MOST_REFUSED)
        """Hash and diagnostics of a text, by session."""

    async def note(self, session: str, text: str, diagnostics: list[Diagnostic]) -> None:
        """Cache the diagnostics of a text."""
        self._problems[session] = (await _hash_of(text), diagnostics)

    async def of(self, session: str, text: str) -> list[Diagnostic] | None:
        """The diagnostics of exactly this text, or None."""
        hash, problems = self._problems.get(session) or ("", [])
        return problems if hash and hash == await _hash_of(text) else None

    def hash_of(self, session: str) -> str | None:
        """The hash of the session's latest text with problems."""
        hash, _ = self._problems.get(session) or (None, [])
        return hash

    def forget(self, session: str) -> None:
        """Drop the problems of a session, because its text runs."""
        self._problems.drop(session)


async def _hash_of(text: str) -> str:
    return await run_apart(len(text), lambda: text_hash(text))


def cancelled() -> ApiError:
    """The error of a cancelled verification."""
    return ApiError(
        409, "cancelled", "You cancelled the verification, so the program was not run.",
        hint="run the program to verify it again",
    )  # fmt: skip
