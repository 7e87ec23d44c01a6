"""The process that reads a dump for the server: it answers questions or examines all texts.

It processes one request after the other, and reports stages as they become known. To cancel an examination, the
server ends this process.
"""

from __future__ import annotations

import signal
import socket
from collections.abc import Sequence
from typing import cast

from ..answers.errors import error_answer
from ..processes.framing import Buffer, Channel, Frame
from ..wire.dump_questions import ExamineDump, OpenDump
from ..wire.dumps import DumpEvent
from ..wire.events import WorkerError
from ..wire.messages import ReplyMessage, RequestMessage, classes_by_name
from ..wire.questions import Question
from .dump_answers import NotThere, OpenedDump, open_for_page
from .watched import examine_for_page

QUESTIONS = classes_by_name(Question)


def serve(connection: socket.socket) -> None:
    """Answer until the other end closes."""
    # The fork server does not reap its children; those that run stages report their own end.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    worker = _DumpWorker(Channel(connection))
    while (frame := worker.channel.receive()) is not None:
        worker.handle(frame)


class _DumpWorker:
    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self._opened: OpenedDump | None = None

    def handle(self, frame: Frame) -> None:
        """Answer a request."""
        message = cast(RequestMessage, frame.message)
        number, kind, fields = message["id"], message["kind"], message["fields"]
        try:
            if kind == OpenDump.__name__:
                self._opened = open_for_page(OpenDump(**fields))
                self._reply({"id": number, "result": self._opened.contents})
            elif kind == ExamineDump.__name__:
                sentence = examine_for_page(self._dump, ExamineDump(**fields), self._tell)
                self._reply({"id": number, "result": sentence})
            else:
                found = self._dump.answer(QUESTIONS[kind](**fields))
                self._reply({"id": number, "answer": found.head}, [found.body])
        except Exception as error:  # after any error, the server answers and this process goes on
            self._reply({"id": number, "error": _error_json(error)})

    @property
    def _dump(self) -> OpenedDump:
        if self._opened is None:
            raise NotThere
        return self._opened

    def _tell(self, event: DumpEvent) -> None:
        self.channel.send(event)

    def _reply(self, message: ReplyMessage, buffers: Sequence[Buffer] = ()) -> None:
        self.channel.send(message, buffers)


def _error_json(error: Exception) -> WorkerError:
    match error:
        case NotThere() | IndexError():
            return {"status": 404, "kind": "not_found", "message": "There is no such stage or file."}
        case MemoryError():
            message = "The dump needs more memory than a process of hloscope may have."
            return {"status": 503, "kind": "limit", "message": message, "limit": "worker_rlimit_as_bytes"}
        case _:
            return error_answer(error)
