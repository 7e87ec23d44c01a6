"""Read a program file in a separate process of the server, which never parses untrusted bytes itself.

The text and the arrays of a recorded execution are written to a folder that the task names. The process ends with its
server, or when the server stops it after its time limit; a process of XLA that it has started ends with it.
"""

import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

from hloscope.engine.errors import LimitError, ProgramError
from hloscope.engine.limits import Limits

from ...processes.confine import end_before_server
from ...processes.framing import Buffer, Channel
from ...processes.serving import Outcome, error_answer, perform_requests
from ...wire.events import WorkerError
from ...wire.questions import RequestMessage
from ...wire.tasks import LimitValues, Task
from ...xla.engine import XlaEngine
from ..value_files import write_values
from .failures import UnreadableProgram
from .program_file import ProgramFile
from .reading import read_program

TEXT, ARRAYS = "program", "arguments.npz"
"""The files in the folder afterwards; arrays only if there are any."""


class ReadFile(TypedDict):
    """A program file that was read, without its text and arrays."""

    name: str
    kind: str
    notes: Sequence[str]
    sizes: dict[str, int]
    platforms: Sequence[str]
    platform: str
    arguments: list[int]
    """The number of arrays of each partition of a recorded execution."""


class ReadProgramFile(Task[ReadFile]):
    """Read the file at `path`, which its user calls `name`."""

    path: str
    name: str
    sizes: dict[str, int]
    platform: str | None
    folder: str
    """The folder that receives the text and the arrays."""
    converts: bool
    """Whether XLA may be started."""
    limits: LimitValues
    seconds: float
    address_space: int


def serve(connection: socket.socket) -> None:
    """Read a file, and report."""
    end_before_server()
    perform_requests(Channel(connection), _perform, _error_json)


def _perform(message: RequestMessage, _: Sequence[Buffer]) -> Outcome:
    task = ReadProgramFile(**message["fields"])
    try:
        return {"result": _read(task)}, ()
    except MemoryError:
        raise UnreadableProgram(f"There is not enough memory to read {task.name}") from None


def _error_json(error: Exception) -> WorkerError:
    if not isinstance(error, ProgramError):
        return error_answer(error)
    limit = error.label if isinstance(error, LimitError) else None
    return {
        "status": 413 if limit else 422,
        "kind": "limit" if limit else NeedsEngine.kind if isinstance(error, NeedsEngine) else "format",
        "message": f"{error.message.rstrip('.')}.",
        "hint": error.hint,
        "limit": limit,
    }


def _read(task: ReadProgramFile) -> ReadFile:
    kind = XlaEngine if task.converts else _NoEngine
    with kind(seconds=task.seconds, address_space=task.address_space) as engine:
        found = read_program(
            Path(task.path).read_bytes(),
            task.name,
            sizes=task.sizes,
            platform=task.platform,
            limits=Limits(**task.limits),
            engine=engine,
        )
    folder = Path(task.folder)
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
    """The name of an argument among the arrays."""
    return f"in_{number}" if partition == 0 else f"in_{number}_of_{partition}"


def write_arguments(path: Path, found: ProgramFile) -> None:
    """The arguments of a recorded execution as `.npz`."""
    named = {
        array_name(partition, number): array
        for partition, arrays in enumerate(found.partitions)
        for number, array in enumerate(arrays)
    }
    write_values(path, named)


class NeedsEngine(UnreadableProgram):
    """Only XLA can read the program."""

    kind = "engine"


class _NoEngine(XlaEngine):
    """Refuses conversions: the task may not start XLA."""

    def convert(self, kind: str, data: bytes, **_: Any) -> tuple[str, dict[str, Any]]:
        raise NeedsEngine(
            "This server reads text alone, for it does not start XLA",
            hint="The setting second_engine allows it: yes, no, or empty for a server of one's own alone. "
            "`hloscope print FILE` makes text of the file on the command line.",
        )
