"""A file of a program read in a process of its own, for the server: strangers' bytes are neither walked nor unpacked in it.

The request is a line of JSON on standard input. The text and the arrays of a recorded execution go into a folder that it names, and
what the file was comes out as a line of JSON: `{"done"}`, or `{"failed", "hint", "limit"}`. The process is ended with its server,
and by its server when it takes too long; the process of XLA that it may start ends with it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hloscope.engine.errors import LimitError, ProgramError
from hloscope.engine.limits import Limits

from ...processes.confine import die_with_parent, end_before_server
from ...xla.engine import XlaEngine
from ..value_files import write_values
from .failures import UnreadableProgram
from .program_file import ProgramFile
from .reading import read_program

TEXT, ARRAYS = "program", "arguments.npz"
"""What lies in the folder afterwards; arrays only where there are some."""


def main(arguments: list[str]) -> None:
    """`job PARENT`: read the request, read the file, say what it is."""
    die_with_parent(int(arguments[0]))
    end_before_server()
    request = json.load(sys.stdin)
    try:
        _say({"done": _answer(request)})
    except ProgramError as error:
        limit = error.label if isinstance(error, LimitError) else None
        _say({"failed": error.message, "hint": error.hint, "limit": limit})
    except MemoryError:
        _say(
            {"failed": f"There is not enough memory to read {request['name']}.", "hint": None, "limit": None}
        )


def _answer(request: Mapping[str, Any]) -> dict[str, Any]:
    kind = XlaEngine if request["converts"] else _NoEngine
    with kind(seconds=request["seconds"], address_space=request["address_space"]) as engine:
        found = read_program(
            Path(request["path"]).read_bytes(),
            request["name"],
            sizes=request["sizes"],
            platform=request["platform"],
            limits=Limits(**request["limits"]),
            engine=engine,
        )
    folder = Path(request["folder"])
    (folder / TEXT).write_text(found.text, newline="")
    if found.partitions:
        write_arguments(folder / ARRAYS, found)
    choices = found.choices
    return {
        "name": found.name,
        "kind": found.kind,
        "notes": found.notes,
        "sizes": dict(choices.sizes),
        "platforms": choices.platforms,
        "platform": choices.platform,
        "arguments": [len(arrays) for arrays in found.partitions],
    }


def array_name(partition: int, number: int) -> str:
    """What an argument is called among the arrays."""
    return f"in_{number}" if partition == 0 else f"in_{number}_of_{partition}"


def write_arguments(path: Path, found: ProgramFile) -> None:
    """The arguments of a recorded execution as `.npz`."""
    named = {
        array_name(partition, number): array
        for partition, arrays in enumerate(found.partitions)
        for number, array in enumerate(arrays)
    }
    write_values(path, named)


class _NoEngine(XlaEngine):
    """Where a server does not start XLA for others, it converts nothing either."""

    def convert(self, kind: str, data: bytes, **_: Any) -> tuple[str, dict[str, Any]]:
        raise UnreadableProgram(
            "This server reads text alone, for it does not start XLA",
            hint="The setting second_engine allows it: yes, no, or empty for a server of one's own alone. "
            "`hloscope print FILE` makes text of the file on the command line.",
        )


def _say(message: Mapping[str, Any]) -> None:
    print(json.dumps(message), flush=True)
