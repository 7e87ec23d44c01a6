"""Progress of verifying large programs, which pages show meanwhile."""

from __future__ import annotations

from ..base.errors import ApiError
from ..wire.live import VerifyingMessage
from ..wire.sessions import Verifying
from .hub import Hub

LARGE_PROGRAM = 400_000
"""Minimum characters of a program shown before it is verified: about 5,000 lines."""


class Verification:
    """The line that verification has reached, for each session being verified."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._lines: dict[str, Verifying] = {}

    def report_line(self, session: str, line: int, lines: int) -> None:
        """Record that verification has reached `line` of `lines`."""
        self._lines[session] = {"line": line, "lines": lines}
        self._hub.notify(session, "verifying", self.message(session))

    def end_if_begun(self, session: str) -> None:
        """End the verification, if there is one: the program already runs."""
        if session in self._lines:
            self.end(session)

    def end(self, session: str) -> None:
        """End the verification, with or without success."""
        self._lines.pop(session, None)
        self._hub.notify(session, "verifying", self.message(session))

    def of(self, session: str, text: str) -> Verifying:
        """The progress of the verification; line 0 if none is reported yet."""
        return self._lines.get(session) or {"line": 0, "lines": text.count("\n") + 1}

    def message(self, session: str) -> VerifyingMessage:
        """The message to listeners; its `verifying` is null after the end."""
        return {"type": "verifying", "verifying": self._lines.get(session)}


def cancelled() -> ApiError:
    """The error of a cancelled verification."""
    return ApiError(
        409, "cancelled", "You cancelled the verification, so the program was not run.",
        hint="run the program to verify it again",
    )  # fmt: skip
