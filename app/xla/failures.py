"""Why XLA has no answer: each is something to say to the user, and none of them ends our process."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Mapping

from .platforms import DEFAULT

INSTALL = "pip install 'hloscope[xla]'"
FROM_ELSEWHERE = (
    "Values come from another machine in a file: there, hloscope.save_run('run.npz', {'%5': array, 'out_0': result}); "
    "here, hloscope compare FILE run.npz."
)
# Of the options of a compilation, and of XLA_FLAGS, which XLA reads when it starts and then ends.
_UNKNOWN_FLAG = re.compile(r"(?:No such compile option: |Unknown flags? in XLA_FLAGS: )'?([^'\n]+)")
_WRONG_VALUE = re.compile(
    r"Couldn't interpret value (.*) for flag (\w+)\.|While setting option (\w+), '(.*)' is not a valid"
)


class XlaFailed(Exception):
    """XLA has no answer; the text says why, in a sentence for the user."""


class XlaUnusable(XlaFailed):
    """XLA cannot be asked as it was told to: that says nothing about a program."""


class XlaMissing(XlaUnusable):
    """There is no jaxlib to ask."""

    def __init__(self, python: str) -> None:
        super().__init__(f"jax and jaxlib are not installed for {python}: type `{INSTALL}`.")


class XlaFlagRefused(XlaUnusable):
    """XLA knows no flag of that name, or takes no such value for it; `flag` is its name, or all that is unknown."""

    def __init__(self, flag: str, problem: str) -> None:
        super().__init__(f"{problem}.")
        self.flag = flag

    @classmethod
    def told_by(cls, words: str) -> XlaFlagRefused | None:
        """What XLA says, if it says that."""
        if found := _UNKNOWN_FLAG.search(words):
            flags = found[1].strip()
            return cls(flags, f"XLA has no flag {flags}")
        if found := _WRONG_VALUE.search(words):
            flag, value = (found[2], found[1]) if found[1] else (found[3], found[4])
            return cls(flag, f"XLA's flag {flag} takes no value '{value}'")
        return None


class XlaNoPlatform(XlaUnusable):
    """jax finds no device of the platform that was asked for; `found` has the number of devices of those that there are."""

    def __init__(self, wanted: str, found: Mapping[str, int]) -> None:
        counts = [f"{name} ({count} device{'s' if count > 1 else ''})" for name, count in found.items()]
        what = "device" if wanted == DEFAULT else wanted
        only = f", only {', '.join(counts)}" if counts else ""
        told = os.environ.get("JAX_PLATFORMS")
        because = f", where JAX_PLATFORMS is {told}" if told else ""
        super().__init__(f"jax finds no {what} on this machine{only}{because}. {FROM_ELSEWHERE}")
        self.wanted, self.found = wanted, dict(found)


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
