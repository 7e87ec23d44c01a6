"""The process that reads a dump for the server: it answers questions or examines all texts.

It processes one request after the other, and reports stages as they become known. To cancel an examination, the
server ends this process.
"""

from __future__ import annotations

import signal
import socket
from collections.abc import Sequence

from ..processes.framing import Buffer, Channel
from ..processes.serving import Outcome, error_answer, perform_requests
from ..wire.dump_questions import CountProtocolBuffers, ExamineDump, OpenDump
from ..wire.events import WorkerError
from ..wire.questions import Question, RequestMessage, classes_by_name
from .dump_answers import NotThere, OpenedDump, count_protocol_buffers, open_for_page
from .watched import examine_for_page

QUESTIONS = classes_by_name(Question)


def serve(connection: socket.socket) -> None:
    """Answer until the other end closes."""
    # The fork server does not reap its children; those that run stages report their own end.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    channel = Channel(connection)
    perform_requests(channel, _DumpWorker(channel).perform, _error_json)


class _DumpWorker:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._opened: OpenedDump | None = None

    def perform(self, message: RequestMessage, _: Sequence[Buffer]) -> Outcome:
        """Perform a task or answer a question."""
        kind, fields = message["kind"], message["fields"]
        if kind == OpenDump.__name__:
            self._opened = open_for_page(OpenDump(**fields))
            return {"result": self._opened.contents}, ()
        if kind == CountProtocolBuffers.__name__:
            return {"result": count_protocol_buffers(CountProtocolBuffers(**fields))}, ()
        if kind == ExamineDump.__name__:
            return {"result": examine_for_page(self._dump, ExamineDump(**fields), self._channel.send)}, ()
        found = self._dump.answer(QUESTIONS[kind](**fields))
        return {"answer": found.head}, [found.body]

    @property
    def _dump(self) -> OpenedDump:
        if self._opened is None:
            raise NotThere
        return self._opened


def _error_json(error: Exception) -> WorkerError:
    match error:
        case NotThere() | IndexError():
            return {"status": 404, "kind": "not_found", "message": "There is no such stage or file."}
        case MemoryError():
            message = "The dump needs more memory than a process of hloscope may have."
            return {"status": 503, "kind": "limit", "message": message, "limit": "worker_rlimit_as_bytes"}
        case _:
            return error_answer(error)
