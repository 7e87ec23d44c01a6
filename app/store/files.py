"""Uploaded files, named by the hash of their bytes; workers read them by path."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from ..rights import close_to_others

_NAME = re.compile(r"[0-9a-f]{64}")


class InputFiles:
    """The folder of uploaded files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(mode=0o700, exist_ok=True)
        close_to_others(folder)

    def path(self, name: str) -> Path | None:
        """The file of that hash, if it is here."""
        path = self._folder / name
        return path if _NAME.fullmatch(name) and path.is_file() else None

    async def add(self, pieces: AsyncIterator[bytes]) -> tuple[str, int]:
        """Hash and size of a new file; it appears under its name whole, or not at all."""
        hashed, size = hashlib.sha256(), 0
        handle, temporary = tempfile.mkstemp(dir=self._folder, prefix=".upload-")
        try:
            with os.fdopen(handle, "wb") as stream:
                async for piece in pieces:
                    hashed.update(piece)
                    size += stream.write(piece)
                stream.flush()
                os.fsync(stream.fileno())
            Path(temporary).replace(self._folder / hashed.hexdigest())
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        return hashed.hexdigest(), size

    def remove(self, names: list[str]) -> None:
        """Delete files that no run needs."""
        for name in names:
            (self._folder / name).unlink(missing_ok=True)
