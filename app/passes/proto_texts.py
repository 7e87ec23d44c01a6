"""Add the texts of a dump's protocol buffers to its archive, in a process that may start XLA.

The processes that read dumps for the server are confined and cannot.
"""

import shutil
import socket
import zipfile
from collections.abc import Sequence
from pathlib import Path

from hloscope.engine.limits import Limits

from ..processes.confine import end_before_server
from ..processes.framing import Buffer, Channel
from ..processes.serving import Outcome, error_answer, perform_requests
from ..runs.formats.failures import UnreadableProgram
from ..runs.formats.reading import read_program
from ..wire.dump_questions import WriteTexts
from ..wire.questions import RequestMessage
from ..xla.engine import XlaEngine
from .dump_files import DumpLimits, check_bytes, open_dump_files, text_name, without_notes


def serve(connection: socket.socket) -> None:
    """Write until the other end closes."""
    end_before_server()
    perform_requests(Channel(connection), _perform, error_answer)


def _perform(message: RequestMessage, _: Sequence[Buffer]) -> Outcome:
    write_texts(WriteTexts(**message["fields"]))
    return {"result": True}, ()


def write_texts(task: WriteTexts) -> None:
    """Write the archive with a text for each protocol buffer that has none.

    `UnreadableProgram` if one is damaged; beside texts of XLA it stays without a text.
    """
    limits = Limits(**task.limits)
    dump = open_dump_files(
        Path(task.source), DumpLimits(limits.max_program_bytes, bytes=task.most_bytes), task.called
    )
    shutil.copyfile(task.source, task.target)
    has_texts = any(file.content == "hlo" for file in dump.files)
    size = 0
    with (
        XlaEngine(seconds=task.seconds, address_space=task.address_space) as engine,
        zipfile.ZipFile(task.target, "a", zipfile.ZIP_DEFLATED) as target,
    ):
        for file in dump.lone_protocol_buffers:
            try:
                text = read_program(dump.bytes(file.path), file.path, limits=limits, engine=engine).text
            except UnreadableProgram:
                if has_texts:
                    continue
                raise
            size += len(text)
            check_bytes(size, task.called, dump.limits)
            target.writestr(text_name(file), without_notes(text))
