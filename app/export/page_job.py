"""Read a saved page or recording in a separate process of the server, which never parses an untrusted file itself.

The session and the files of its inputs are written to a folder that the task names; a recording is such a file itself.
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
from .saved_recording import ZIP, read_recording

SESSION = "session.json"
"""The file with everything but the inputs' files, which have numbers as names."""


class PageFiles(TypedDict):
    """A page or recording that was read."""

    files: list[str]
    """The names of the inputs' files in the inputs, in the order of their numbers."""
    is_recording: bool
    """Whether it is a recording, and so the only file of its inputs itself."""


class ReadSavedPage(Task[PageFiles]):
    """Read the page or recording at `path`; each part may decompress to `most_bytes`."""

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
        raise NotAPage("There is not enough memory to read the file.") from None


def _read(task: ReadSavedPage) -> PageFiles:
    path = Path(task.path)
    with path.open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as data:
        is_recording = data[: len(ZIP)] == ZIP
        page = read_recording(path, task.most_bytes) if is_recording else read_page(data, task.most_bytes)
    folder = Path(task.folder)
    for number, content in enumerate(page.files.values()):
        (folder / str(number)).write_bytes(content)
    (folder / SESSION).write_text(json.dumps(vars(page) | {"files": {}}))
    return {"files": list(page.files), "is_recording": is_recording}


def _error_json(error: Exception) -> WorkerError:
    if isinstance(error, NotAPage):
        return {"status": 422, "kind": "page", "message": str(error)}
    return error_answer(error)
