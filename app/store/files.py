"""Uploaded files, named by the hash of their bytes; workers read them by path.

A file is temporary until it is checked and bound to a session. Files that were left temporary, for example by a killed
server, are swept.
"""

import asyncio
import contextlib
import fcntl
import hashlib
import math
import os
import re
import tempfile
from collections.abc import AsyncIterator, Callable, Set
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import BinaryIO

from ..base.file_permissions import restrict_to_owner
from .database import sync_to_disk

FOLDER = "inputs"
"""The folder of uploaded files in a data folder."""
_NAME = re.compile(r"[0-9a-f]{64}")
_TEMPORARY = ".upload-"
_PIECE_BYTES = 1 << 20
NEW_SECONDS = 86_400
"""Age at which a file that no session has counts as left behind by a server that was killed."""


@dataclass(frozen=True)
class Upload:
    """A completely received file that is not stored yet."""

    path: Path
    name: str
    """The hash of its bytes."""
    size: int


class InputFiles:
    """The folder of uploaded files."""

    def __init__(self, folder: Path, *, spares_new: bool = False) -> None:
        """`spares_new`: other servers may have files here that they have not bound to a session yet."""
        self._folder, self._spares_new = folder, spares_new
        folder.mkdir(mode=0o700, exist_ok=True)
        restrict_to_owner(folder)

    def path(self, name: str) -> Path | None:
        """The path of the file with this hash, or None."""
        path = self._folder / name
        return path if _NAME.fullmatch(name) and path.is_file() else None

    @contextlib.asynccontextmanager
    async def receive(self, pieces: AsyncIterator[bytes]) -> AsyncIterator[Upload]:
        """Receive a temporary file, deleted at the end of the block unless it was kept."""
        handle, name = tempfile.mkstemp(dir=self._folder, prefix=_TEMPORARY)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                _claim(stream)
                hashed, size = hashlib.sha256(), 0
                async for piece in pieces:
                    await asyncio.to_thread(stream.write, piece)
                    hashed.update(piece)
                    size += len(piece)
                await asyncio.to_thread(_finish, stream)
                yield Upload(temporary, hashed.hexdigest(), size)
        finally:
            temporary.unlink(missing_ok=True)

    @contextlib.asynccontextmanager
    async def make(self) -> AsyncIterator[Path]:
        """The path of a temporary file for another writer, deleted at the end of the block."""
        handle, name = tempfile.mkstemp(dir=self._folder, prefix=_TEMPORARY)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                _claim(stream)
                yield temporary
        finally:
            temporary.unlink(missing_ok=True)

    async def measure(self, path: Path) -> Upload:
        """An existing file as an upload."""
        return await asyncio.to_thread(_measure, path)

    def set_aside(self) -> Path | None:
        """Move all stored files to a backup folder; returns it, or None if there were none.

        The files belong to an earlier store, which may be put back.
        """
        if not any(_NAME.fullmatch(path.name) for path in self._folder.iterdir()):
            return None
        aside = next(path for number in count(1) if not (path := self._backup_folder(number)).exists())
        self._folder.rename(aside)
        self._folder.mkdir(mode=0o700)
        return aside

    def _backup_folder(self, number: int) -> Path:
        return self._folder.with_name(f"{self._folder.name}-before-{number}")

    def keep(self, upload: Upload) -> None:
        """Store a file under its hash.

        It is swept unless the database knows it by the end of the block that received it.
        """
        upload.path.replace(self._folder / upload.name)
        sync_to_disk(self._folder)

    def sweep(self, needed: Callable[[], Set[str]]) -> int:
        """Delete files that are not `needed`, and uploads of ended servers; returns their number.

        What is needed is read after the files are listed: another server may store one meanwhile, its row first.
        """
        paths = list(self._folder.iterdir())
        known = needed()
        before = self._clock() - NEW_SECONDS if self._spares_new else math.inf
        found = [path for path in paths if _is_orphan(path, known, before)]
        for path in found:
            path.unlink(missing_ok=True)
        return len(found)

    def _clock(self) -> float:
        """The time of the folder's file system, which may be another machine's."""
        with tempfile.TemporaryFile(dir=self._folder) as stream:
            return os.fstat(stream.fileno()).st_mtime


async def file_pieces(file: Path) -> AsyncIterator[bytes]:
    """The contents of a file, in pieces."""
    with file.open("rb") as stream:
        while piece := await asyncio.to_thread(stream.read, _PIECE_BYTES):
            yield piece


def _claim(stream: BinaryIO) -> None:
    """Lock a file while this process has it open, so that other servers do not sweep it."""
    with contextlib.suppress(OSError):  # without locks, `sweep` skips temporary files
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _finish(stream: BinaryIO) -> None:
    stream.flush()
    os.fsync(stream.fileno())


def _measure(path: Path) -> Upload:
    with path.open("rb") as stream:
        name = hashlib.file_digest(stream, "sha256").hexdigest()
        os.fsync(stream.fileno())
    return Upload(path, name, path.stat().st_size)


def _is_orphan(path: Path, known: Set[str], before: float) -> bool:
    if path.name.startswith(_TEMPORARY):
        return _is_old(path, before) and not _is_claimed(path, unknown=True)
    is_unknown = bool(_NAME.fullmatch(path.name)) and path.name not in known
    return is_unknown and _is_old(path, before) and not _is_claimed(path)


def _is_old(path: Path, before: float) -> bool:
    """Whether a file was last written before this time."""
    try:
        return path.stat().st_mtime < before
    except OSError:
        return False


def _is_claimed(path: Path, *, unknown: bool = False) -> bool:
    """Whether a process has locked the file; `unknown` where the file system does not say."""
    try:
        with path.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return unknown
    return False
