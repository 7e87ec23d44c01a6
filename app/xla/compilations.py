"""Compiled programs on disk, so that the next process of XLA need not compile them again; runs in that process.

A file belongs to a text, its options, the versions of jax, jaxlib and the platform, the flags, and the device. It is native
code, in a folder that its owner alone can change.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

FOLDER, BYTES = "HLOSCOPE_XLA_COMPILATIONS", "HLOSCOPE_XLA_COMPILATION_BYTES"
"""The variables of the process that name the folder and its maximum size."""
_DIGEST = 32


@dataclass(frozen=True)
class Compilations:
    """A folder of serialised programs, up to a number of bytes; the least recently used are deleted."""

    folder: Path
    most_bytes: int

    @classmethod
    def of_process(cls) -> Compilations | None:
        """The folder that the environment names; `None` if it names none."""
        folder, most = os.environ.get(FOLDER), int(os.environ.get(BYTES, "0"))
        return cls(Path(folder), most) if folder and most else None

    def load(self, key: bytes) -> bytes | None:
        """A program; `None` if it is not there, or damaged."""
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        if hashlib.sha256(data[_DIGEST:]).digest() != data[:_DIGEST]:
            return None
        with suppress(OSError):
            os.utime(path)
        return data[_DIGEST:]

    def store(self, key: bytes, data: bytes) -> None:
        """Keep a program. Failures of the disk are ignored: it is compiled again then."""
        if len(data) > self.most_bytes:
            return
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.folder)
            with os.fdopen(handle, "wb") as stream:
                stream.write(hashlib.sha256(data).digest() + data)
            Path(name).replace(self._path(key))
            self._shrink()

    def _path(self, key: bytes) -> Path:
        return self.folder / hashlib.sha256(key).hexdigest()

    def _shrink(self) -> None:
        found = sorted(
            (about.st_mtime_ns, about.st_size, entry.path)
            for entry in os.scandir(self.folder)
            if entry.is_file() and (about := entry.stat())
        )
        size = sum(each for _, each, _ in found)
        for _, each, path in found:
            if size <= self.most_bytes:
                return
            Path(path).unlink(missing_ok=True)
            size -= each


def processor() -> str:
    """The features of the processor, for which a CPU's code is compiled."""
    with suppress(OSError), Path("/proc/cpuinfo").open() as stream:
        return next((line for line in stream if line.startswith(("flags", "Features"))), "")
    return ""
