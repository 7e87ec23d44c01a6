"""The lock of a data folder: a server for others has the folder alone, the programs of one user share it."""

import fcntl
import os
from pathlib import Path


class FolderInUse(Exception):
    """Another program has locked the folder."""


class FolderLock:
    """A lock until `close`, or until the process ends."""

    def __init__(self, folder: Path, *, alone: bool) -> None:
        """Raises `FolderInUse`. A file system without locks has none."""
        self._handle: int | None = None
        try:
            self._handle = os.open(folder, os.O_RDONLY)  # no file, which a full disk would refuse
            fcntl.flock(self._handle, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise FolderInUse from None
        except OSError:  # of a folder that cannot be read, the store says why
            self.close()

    def close(self) -> None:
        """Release the lock."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
