"""Read a saved page in a separate process of the server, which never parses an untrusted file itself.

The session and the files of its inputs are written to a folder that the task names.
"""

import json
import socket
from collections.abc import Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path

from typing_extensions import TypedDict

from ..processes.confine import end_before_server
from ..processes.framing import Buffer, Channel
from ..processes.serving import Outcome, error_answer, perform_requests
from ..wire.events import WorkerError
from ..wire.questions import RequestMessage
from ..wire.tasks import Task
from .one_file.reading import NotAPage, read_page

SESSION = "session.json"
"""The file with everything but the inputs' files, which have numbers as names."""


class PageFiles(TypedDict):
    """A page that was read."""

    files: list[str]
    """The names of the inputs' files in the inputs, in the order of their numbers."""


class ReadSavedPage(Task[PageFiles]):
    """Read the page at `path`; each part may decompress to `most_bytes`."""

    path: str
    folder: str
    most_bytes: int


def serve(connection: socket.socket) -> None:
    """Read a page, and report."""
    end_before_server()
    perform_requests(Channel(connection), _perform, _error_json)


def _perform(message: RequestMessage, _: Sequence[Buffer]) -> Outcome:
    task = ReadSavedPage(**message["fields"])
    try:
        return {"result": _read(task)}, ()
    except MemoryError:
        raise NotAPage("There is not enough memory to read the page.") from None


def _read(task: ReadSavedPage) -> PageFiles:
    with Path(task.path).open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as data:
        page = read_page(data, task.most_bytes)
    folder = Path(task.folder)
    for number, content in enumerate(page.files.values()):
        (folder / str(number)).write_bytes(content)
    (folder / SESSION).write_text(json.dumps(vars(page) | {"files": {}}))
    return {"files": list(page.files)}


def _error_json(error: Exception) -> WorkerError:
    if isinstance(error, NotAPage):
        return {"status": 422, "kind": "page", "message": str(error)}
    return error_answer(error)
