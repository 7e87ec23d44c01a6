"""Reasons why XLA has no answer: each has a user message and leaves our process alive."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Mapping

from .platforms import DEFAULT

INSTALL = "pip install 'hloscope[xla]'"
FROM_ELSEWHERE = (
    "On a machine that has one, hloscope bundle FILE --on {} -o run.npz records the values; here, hloscope serve run.npz "
    "opens that recording, and hloscope compare FILE run.npz compares with it."
)
# For compilation options, and for XLA_FLAGS, which XLA parses at its start and then exits.
_UNKNOWN_FLAG = re.compile(r"(?:No such compile option: |Unknown flags? in XLA_FLAGS: )'?([^'\n]+)")
_WRONG_VALUE = re.compile(
    r"Couldn't interpret value (.*) for flag (\w+)\.|While setting option (\w+), '(.*)' is not a valid"
)

MOST_WORDS = 2000
_FAILED_CHECK = re.compile(r"^F\d{4} \S+ +\d+ ([^\]]+)\] (.*?)(?=^\*\*\* |\Z)", re.MULTILINE | re.DOTALL)
"""The source line and the message of a failed check, before its stack trace."""
_FAILED_AFTER = re.compile(r"^Failed after (\S+)", re.MULTILINE)
_NO_LOCATION = re.compile(
    r"\s*Suspected Python Code Location:\s*(?:<no source information>|-:[^\n]*?\](?=\)|\n|$))"
)
_CHANGING = re.compile(r'"[^"]*"|%[\w.\-]+|\b[a-z]\w*\[[\d,<=]*\](?:\{[^}]*\})?|(?<!\.cc:)\b\d+\b')
"""Names, shapes and numbers in a message of XLA, which a smaller program changes."""


def message_core(message: str) -> str:
    """The first line of a message of XLA, without names, shapes and numbers."""
    return _CHANGING.sub("_", message.partition("\n")[0])


class XlaFailed(Exception):
    """XLA has no answer; the text is the reason, in a sentence for the user."""


class XlaUnusable(XlaFailed):
    """XLA is unusable with these settings, whatever the program."""


class XlaMissing(XlaUnusable):
    """jaxlib is not installed."""

    def __init__(self, python: str) -> None:
        super().__init__(f"jax and jaxlib are not installed for {python}: type `{INSTALL}`.")


class XlaFlagRefused(XlaUnusable):
    """XLA does not know the flag, or refuses its value; `flag` names it, or all unknown flags."""

    def __init__(self, flag: str, problem: str) -> None:
        super().__init__(f"{problem}.")
        self.flag = flag

    @classmethod
    def told_by(cls, words: str) -> XlaFlagRefused | None:
        """The refusal of a flag in XLA's message, if any."""
        if found := _UNKNOWN_FLAG.search(words):
            flags = found[1].strip()
            return cls(flags, f"XLA has no flag {flags}")
        if found := _WRONG_VALUE.search(words):
            flag, value = (found[2], found[1]) if found[1] else (found[3], found[4])
            return cls(flag, f"XLA's flag {flag} takes no value '{value}'")
        return None


class XlaNoPlatform(XlaUnusable):
    """jax finds no device of the requested platform; `found` counts the devices per platform."""

    def __init__(self, wanted: str, found: Mapping[str, int]) -> None:
        counts = [f"{name} ({count} device{'s' if count > 1 else ''})" for name, count in found.items()]
        what = "device" if wanted == DEFAULT else wanted
        only = f", only {', '.join(counts)}" if counts else ""
        told = os.environ.get("JAX_PLATFORMS")
        because = f", where JAX_PLATFORMS is {told}" if told else ""
        super().__init__(
            f"jax finds no {what} on this machine{only}{because}. {FROM_ELSEWHERE.format(wanted)}"
        )
        self.wanted, self.found = wanted, dict(found)


class XlaRefused(XlaFailed):
    """XLA refuses the program or a flag, with a reason; `failed_pass`: the pass that its message names, if any."""

    def __init__(self, words: str) -> None:
        super().__init__(_NO_LOCATION.sub("", words).strip())
        found = _FAILED_AFTER.search(words)
        self.failed_pass = found[1] if found else ""

    @property
    def is_internal(self) -> bool:
        """Whether the fault is in XLA, not in the program."""
        return bool(self.failed_pass) or str(self).startswith("INTERNAL")


class XlaTimedOut(XlaFailed):
    """XLA exceeded its timeout and was ended."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"XLA did not answer within {seconds:g} s, and was ended.")
        self.seconds = seconds


class XlaCrashed(XlaFailed):
    """XLA's process has crashed.

    `code`: exit status as in Python's `subprocess`, negative for a signal. Two crashes are the same if `cause` is equal.
    `last_words`: the end of its output, from the message of a failed check on if there is one, 2,000 characters at most.
    """

    def __init__(self, code: int, words: str = "") -> None:
        self.code = code
        check = _FAILED_CHECK.search(words)
        self.last_words = (words[check.start() :][:MOST_WORDS] if check else words[-MOST_WORDS:]).strip()
        self.message = " ".join(f"{check[1]}: {_NO_LOCATION.sub('', check[2])}".split()) if check else ""
        super().__init__(f"XLA crashed ({self.cause}){f': {self.message}' if check else '.'}")

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
    """The program needs more memory than the limit of XLA's process."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"XLA needs more than the {limit >> 20:,} MiB that its process may have.")
        self.limit = limit
