"""The first lines of a program's text that state its title, description and inputs.

    // title: Softmax
    // description: One line on what to look at.
    // inputs: normal*3; dense<[1, 2]>

`inputs` has one entry for each argument, separated by semicolons, as `InputSpec.parse` reads them; arguments
beyond them get the default. On a grid an entry may be `apart normal`, drawn from another seed in each process, or
`each 1 | 2 | [3, 4]`, a value for each process. The lines are comments of the program, like any other. `hloscope run`
uses the stated inputs where the user gives none.
"""

from __future__ import annotations

import re
from itertools import takewhile

from .launching import ArgumentSource

_FIELDS = ("title", "description", "inputs")
_LINE = re.compile(rf"// ({'|'.join(_FIELDS)}): (.+)")
HEADER_CHARACTERS = 4096
"""Maximum length of the header: the lines must end within it."""


def read_header(text: str) -> dict[str, str]:
    """The stated fields by name, of those lines at the top of `text` that state one."""
    lines = text[:HEADER_CHARACTERS].split("\n")[: len(_FIELDS)]
    matches = takewhile(bool, map(_LINE.fullmatch, lines))
    return {match[1]: match[2].strip() for match in matches if match}


def stated_inputs(text: str) -> tuple[ArgumentSource, ...]:
    """The inputs that the header of `text` states, which may be fewer than the program's arguments."""
    return tuple(
        ArgumentSource.parse(part) for part in read_header(text).get("inputs", "").split(";") if part.strip()
    )
