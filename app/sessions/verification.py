"""Large programs are shown while they are being verified: how far that is, for whoever looks at them."""

from __future__ import annotations

from ..base.errors import ApiError
from ..wire.live import VerifyingMessage
from ..wire.sessions import Verifying
from .hub import Hub

LARGE_PROGRAM = 400_000
"""Characters from which a program is shown before it is verified: about 5,000 lines."""


class Verification:
    """Of each session whose program is being verified, the line that it has come to."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._lines: dict[str, Verifying] = {}

    def come_to(self, session: str, line: int, lines: int) -> None:
        """The worker has come to a line of so many."""
        self._lines[session] = {"line": line, "lines": lines}
        self._hub.tell(session, "verifying", self.message(session))

    def end_if_begun(self, session: str) -> None:
        """The program runs, so it was verified."""
        if session in self._lines:
            self.end(session)

    def end(self, session: str) -> None:
        """It is over, whatever came of it."""
        self._lines.pop(session, None)
        self._hub.tell(session, "verifying", self.message(session))

    def of(self, session: str, text: str) -> Verifying:
        """How far it is; at the beginning, where nothing is known."""
        return self._lines.get(session) or {"line": 0, "lines": text.count("\n") + 1}

    def message(self, session: str) -> VerifyingMessage:
        """What listeners are told; null once it is over."""
        return {"type": "verifying", "verifying": self._lines.get(session)}


def cancelled() -> ApiError:
    """Why a program was not verified to its end."""
    return ApiError(
        409, "cancelled", "You cancelled the verification, so the program was not run.",
        hint="run the program to begin again",
    )  # fmt: skip
