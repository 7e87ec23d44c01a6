"""Why XLA has no answer: each is something to say to the user, and none of them ends our process."""

from __future__ import annotations

import signal

INSTALL = "pip install 'hloscope[xla]'"


class XlaFailed(Exception):
    """XLA has no answer; the text says why, in a sentence for the user."""


class XlaMissing(XlaFailed):
    """There is no jaxlib to ask."""

    def __init__(self, python: str) -> None:
        super().__init__(f"jax and jaxlib are not installed for {python}: type `{INSTALL}`.")


class XlaRefused(XlaFailed):
    """XLA says what it does not like about the program, or about a flag."""


class XlaTimedOut(XlaFailed):
    """XLA took too long, and was ended."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"XLA did not answer within {seconds:g} s, and was ended.")
        self.seconds = seconds


class XlaCrashed(XlaFailed):
    """The process that XLA ran in has died.

    `code`: of its end, as Python's `subprocess` has it: the negative number of a signal, or an exit status. Two crashes are the
    same where `cause` is. `last_words`: what it wrote before, 2,000 characters at most.
    """

    def __init__(self, code: int, last_words: str = "") -> None:
        self.code = code
        self.last_words = last_words
        super().__init__(f"XLA crashed ({self.cause}).")

    @property
    def cause(self) -> str:
        """The signal or the exit status, in words."""
        if self.code >= 0:
            return f"exit status {self.code}"
        try:
            return f"signal {-self.code}, {signal.Signals(-self.code).name}"
        except ValueError:
            return f"signal {-self.code}"


class XlaOutOfMemory(XlaFailed):
    """The program needs more memory than XLA's process may have."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"XLA needs more than the {limit >> 20:,} MiB that its process may have.")
        self.limit = limit
