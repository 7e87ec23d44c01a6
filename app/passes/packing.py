"""Convert folders and tar archives to zip archives, whose members can be read one by one.

A separate process does it.
"""

import socket
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from hloscope.engine.errors import InputError

from ..processes.framing import Buffer, Channel
from ..processes.serving import Outcome, error_answer, perform_requests
from ..wire.dump_questions import PackDump
from ..wire.events import WorkerError
from ..wire.questions import RequestMessage
from .dump_files import DumpLimits, check_bytes, check_count

_PIECE = 1 << 20


def serve(connection: socket.socket) -> None:
    """Pack until the other end closes."""
    perform_requests(Channel(connection), _perform, _error_json)


def _perform(message: RequestMessage, _: Sequence[Buffer]) -> Outcome:
    pack(PackDump(**message["fields"]))
    return {"result": True}, ()


def _error_json(error: Exception) -> WorkerError:
    if isinstance(error, OSError):
        message = f"The dump cannot be kept: {error.strerror or error}."
        return {"status": 507, "kind": "storage", "message": message}
    return error_answer(error)


def pack(task: PackDump) -> None:
    """Write the zip archive; `InputError` if it would be empty, `LimitError` above a limit."""
    limits = DumpLimits(bytes=task.most_bytes)
    source = Path(task.source)
    with zipfile.ZipFile(task.target, "w") as target:
        if source.is_dir():
            pack_folder(source, task.called, target, limits)
        else:
            pack_tar(source, task.called, target, limits)


def pack_folder(source: Path, called: str, target: zipfile.ZipFile, limits: DumpLimits) -> None:
    size = count = 0
    for file in sorted(source.rglob("*")):
        if file.is_symlink() or not file.is_file():
            continue
        count += 1
        size += file.stat().st_size
        check_count(count, called, limits)
        check_bytes(size, called, limits)
        with file.open("rb") as stream:
            _copy(stream, file.relative_to(source).as_posix(), target)


def pack_tar(source: Path, called: str, target: zipfile.ZipFile, limits: DumpLimits) -> None:
    try:
        with tarfile.open(source, "r|*") as archive:
            for name, stream in _members(archive, called, limits):
                _copy(stream, name, target)
    except (tarfile.TarError, EOFError, zlib.error, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno:
            raise
        raise InputError(
            f"{called} is neither a zip nor a tar archive that can be read: {error}",
            hint="Pack the folder that --xla_dump_to names, with zip -r or tar -czf.",
        ) from None


def _members(archive: tarfile.TarFile, called: str, limits: DumpLimits) -> Iterator[tuple[str, BinaryIO]]:
    """The plain files of an archive, without links, devices and names that leave the archive."""
    size = 0
    for count, member in enumerate(archive, 1):
        size += max(0, member.size)
        check_count(count, called, limits)
        check_bytes(size, called, limits)
        stream = archive.extractfile(member) if member.isfile() else None
        parts = [part for part in PurePosixPath(member.name).parts if part not in ("/", "..", ".")]
        if stream is not None and parts:
            yield "/".join(parts), cast(BinaryIO, stream)


def _copy(stream: BinaryIO, name: str, target: zipfile.ZipFile) -> None:
    # Without file times: the same texts give the same archive.
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    with target.open(info, "w", force_zip64=True) as written:
        while piece := stream.read(_PIECE):
            written.write(piece)
