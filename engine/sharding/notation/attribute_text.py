"""Read attributes that are kept as text: shardings and meshes."""

import re
from collections.abc import Callable
from typing import ClassVar, TypeVar

from ...cursor import WORD, Cursor
from ...errors import ProgramError
from ...limits import DEFAULT_LIMITS
from ...source import Source

Found = TypeVar("Found")

_INTEGER = re.compile(r"-?[0-9]++")
_STRING = re.compile(r"""(?s:"((?:[^"\\]++|\\.)*+)"|'((?:[^'\\]++|\\.)*+)')""")
_ESCAPE = re.compile(r"\\(?:([0-9A-Fa-f]{2})|(.))", re.DOTALL)


class Text(Cursor):
    """Reads a text with comments and strings of HLO or of MLIR: one reader serves the notations of both."""

    blanks: ClassVar[re.Pattern[str]] = re.compile(r"(?:\s++|/\*(?:[^*]++|\*(?!/))*+\*/)*+")
    tokens: ClassVar[tuple[re.Pattern[str], ...]] = (WORD, _INTEGER, _STRING)
    balanced: ClassVar[re.Pattern[str]] = re.compile(
        rf"(?:[^(){{}}<>\[\]\"'-]++|->|-|{_STRING.pattern})++|[()<>\[\]{{}}]"
    )

    def string(self, what: str = "a string") -> str:
        """Read a string in quotes of either kind."""
        match = self.match(_STRING)
        if match is None:
            self.fail_expecting(what)
        found: str = match[1] if match[1] is not None else match[2]
        return unescape(found)


def unescape(text: str) -> str:
    r"""Replace escapes such as `\"`, `\n` and `\22` in `text`."""
    if "\\" not in text:
        return text
    short = {"n": "\n", "t": "\t"}
    return _ESCAPE.sub(
        lambda match: chr(int(match[1], 16)) if match[1] else short.get(match[2], match[2]), text
    )


def read_whole(text: str, read: Callable[[Text], Found]) -> Found:
    """Apply `read` to all of `text`; `ValueError` states what is wrong."""
    try:
        reading = Text(Source(text), DEFAULT_LIMITS)
        found = read(reading)
        if not reading.at_end:
            reading.fail_expecting("the end of the text")
    except ProgramError as error:
        raise ValueError(error.message) from None
    return found
