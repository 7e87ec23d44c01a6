"""A file that holds space on the disk, so that something can be deleted when the disk is full.

Deleting rows writes to the database's log first. Where no byte is left, nothing could be freed.
"""

import contextlib
import os
import shutil
from pathlib import Path
from typing import BinaryIO

BYTES = 8 << 20
"""Enough for the write-ahead log, which moves to the database's file, and for the deletion."""
FILE = "reserve"


class Reserve:
    """The reserve of a data folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE

    def keep(self) -> None:
        """Hold the space again, if the disk has twice as much."""
        try:
            if not self._path.exists() and shutil.disk_usage(self._path.parent).free > 2 * BYTES:
                with self._path.open("wb") as stream:
                    _allocate(stream)
        except OSError:
            with contextlib.suppress(OSError):
                self.release()

    def release(self) -> None:
        """Give the space to the next writes."""
        self._path.unlink(missing_ok=True)


def _allocate(stream: BinaryIO) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(stream.fileno(), 0, BYTES)
    else:
        stream.write(bytes(BYTES))
