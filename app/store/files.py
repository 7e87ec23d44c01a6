"""Uploaded files, named by the hash of their bytes; workers read them by path.

A file is temporary until somebody has looked at it and it is bound to a session. What is left behind by a server that
was killed, or by one that did not do so, is swept away.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import hashlib
import os
import re
import tempfile
from collections.abc import AsyncIterator, Set
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import BinaryIO

from ..base.file_permissions import restrict_to_owner
from .database import sync_to_disk

_NAME = re.compile(r"[0-9a-f]{64}")
_TEMPORARY = ".upload-"
_PIECE_BYTES = 1 << 20


@dataclass(frozen=True)
class Upload:
    """A file that has come in whole, and is not kept yet."""

    path: Path
    name: str
    """The hash of its bytes."""
    size: int


class InputFiles:
    """The folder of uploaded files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(mode=0o700, exist_ok=True)
        restrict_to_owner(folder)

    def path(self, name: str) -> Path | None:
        """The file of that hash, if it is here."""
        path = self._folder / name
        return path if _NAME.fullmatch(name) and path.is_file() else None

    @contextlib.asynccontextmanager
    async def receive(self, pieces: AsyncIterator[bytes]) -> AsyncIterator[Upload]:
        """A new file, on the disk as long as the block lasts; and then only if it was kept."""
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
        """The path of a new file that somebody else writes; on the disk as long as the block lasts, as one of `receive`."""
        handle, name = tempfile.mkstemp(dir=self._folder, prefix=_TEMPORARY)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                _claim(stream)
                yield temporary
        finally:
            temporary.unlink(missing_ok=True)

    async def measure(self, path: Path) -> Upload:
        """A file that was made, as one that has come in."""
        return await asyncio.to_thread(_measure, path)

    def set_aside(self) -> Path | None:
        """Begin without any file; where those are now that were here, if there were some.

        They belong to a store that was here before, and that may be put back.
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
        """Give the file its name; the store must know it by then, or it is swept away."""
        upload.path.replace(self._folder / upload.name)
        sync_to_disk(self._folder)

    def sweep(self, known: Set[str]) -> int:
        """Delete the files that the store does not know, and uploads whose server is gone; how many they were."""
        found = [path for path in self._folder.iterdir() if _is_orphan(path, known)]
        for path in found:
            path.unlink(missing_ok=True)
        return len(found)


async def file_pieces(file: Path) -> AsyncIterator[bytes]:
    """What a file holds, piece by piece."""
    with file.open("rb") as stream:
        while piece := await asyncio.to_thread(stream.read, _PIECE_BYTES):
            yield piece


def _claim(stream: BinaryIO) -> None:
    """Locks a file for as long as this process has it open, so that others do not take it for a leftover."""
    with contextlib.suppress(OSError):  # a file system without locks is swept less thoroughly
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _finish(stream: BinaryIO) -> None:
    stream.flush()
    os.fsync(stream.fileno())


def _measure(path: Path) -> Upload:
    with path.open("rb") as stream:
        name = hashlib.file_digest(stream, "sha256").hexdigest()
        os.fsync(stream.fileno())
    return Upload(path, name, path.stat().st_size)


def _is_orphan(path: Path, known: Set[str]) -> bool:
    if path.name.startswith(_TEMPORARY):
        return _is_unclaimed(path)
    return bool(_NAME.fullmatch(path.name)) and path.name not in known


def _is_unclaimed(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
