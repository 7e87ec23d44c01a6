"""Convert folders and tar archives to zip archives, whose members can be read one by one.

A separate process does it.
"""

from __future__ import annotations

import socket
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from hloscope.engine.errors import InputError, LimitError, ProgramError

from ..processes.framing import Channel
from ..wire.dump_questions import PackDump
from ..wire.messages import RequestMessage
from .dump_files import DumpLimits, check_bytes, check_count

_PIECE = 1 << 20


def serve(connection: socket.socket) -> None:
    """Perform the first request, and exit."""
    channel = Channel(connection)
    frame = channel.receive()
    if frame is None:
        return
    message = cast(RequestMessage, frame.message)
    try:
        pack(PackDump(**message["fields"]))
        channel.send({"id": message["id"], "result": True})
    except ProgramError as error:
        label = error.label if isinstance(error, LimitError) else None
        told = {
            "status": 422,
            "kind": error.kind,
            "message": error.message,
            "hint": error.hint,
            "limit": label,
        }
        channel.send({"id": message["id"], "error": told})
    except OSError as error:
        told = {
            "status": 507,
            "kind": "storage",
            "message": f"The dump cannot be kept: {error.strerror or error}.",
        }
        channel.send({"id": message["id"], "error": told})


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
