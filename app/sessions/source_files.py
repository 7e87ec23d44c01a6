"""Python source files that a program's locations name, sent with it or read by this server.

A program may come from anywhere and name any file. The server therefore reads files only below the configured folders,
or if its user started it for a file; a server for several users reads none. Paths are checked after all symbolic links
are resolved, and only Python text of a bounded size is returned.
"""

from __future__ import annotations

import ipaddress
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..base.errors import ApiError, over_limit
from ..base.settings import Settings
from ..wire.program import SourceText

SUFFIX = ".py"
MOST_SOURCES = 64
"""Maximum number of files that are sent with a program."""


class RefusedError(Exception):
    """The reason why a file is not shown, as a sentence."""


@dataclass(frozen=True)
class SourceFiles:
    """The readable files; `opened` is the folder of the program the server was started for."""

    folders: tuple[Path, ...] = ()
    opened: Path | None = None
    max_bytes: int = 0

    @classmethod
    def of(cls, settings: Settings, *, host: str = "", opened: Path | None = None) -> SourceFiles:
        """The files that the settings allow; none if other machines can use the server."""
        if serves_others(settings, host):
            return cls()
        folders = [Path(name.strip()) for name in settings.source_folders.split(os.pathsep) if name.strip()]
        roots = tuple(folder.expanduser().resolve() for folder in folders)
        return cls(roots, opened.resolve() if opened else None, settings.max_sources_bytes)

    def read(self, name: str) -> SourceText:
        """The lines of a file, or the reason why they are not shown."""
        try:
            return {"file": name, "lines": self._lines(name), "reason": None}
        except RefusedError as refused:
            return {"file": name, "lines": None, "reason": str(refused)}

    def _lines(self, name: str) -> list[str]:
        if self.opened is None and not self.folders:
            raise RefusedError(
                "This server reads no source files; name their folders in the setting source_folders."
            )
        for path in self._candidates(name):
            if path.suffix == SUFFIX and self._is_allowed(path) and path.is_file():
                return _text(path, self.max_bytes).splitlines()
        raise RefusedError(f"This server may read no Python file with this name: {name}")

    def _candidates(self, name: str) -> list[Path]:
        """The resolved paths of a name; a relative name is resolved in every folder."""
        if "\0" in name or len(name) > 4_096:
            return []
        roots = [self.opened, *self.folders] if self.opened else list(self.folders)
        given = Path(name)
        found = []
        for path in [given] if given.is_absolute() else [root / given for root in roots]:
            try:
                found.append(path.resolve(strict=True))
            except (OSError, RuntimeError, ValueError):
                continue  # a missing file, or a cycle of links
        return found

    def _is_allowed(self, path: Path) -> bool:
        return self.opened is not None or any(path.is_relative_to(folder) for folder in self.folders)


def check_sent(texts: Mapping[str, str], settings: Settings) -> None:
    """Raise `ApiError` if the files sent with a program are too many or too large."""
    if len(texts) > MOST_SOURCES:
        many = f"{len(texts):,} source files were sent, and {MOST_SOURCES} are allowed."
        raise ApiError(413, "limit", many, hint="Send the files that most ops come from.")
    total = sum(len(text.encode()) for text in texts.values())
    if total > settings.max_sources_bytes:
        much = f"The source files have {total:,} bytes together; {settings.max_sources_bytes:,} are allowed."
        raise over_limit(413, "max_sources_bytes", settings.max_sources_bytes, much)


def serves_others(settings: Settings, host: str) -> bool:
    """Whether other machines can use the server, by its address or its allowed host names."""
    return bool(settings.public or settings.allowed_hosts) or bool(host and not _is_loopback(host))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _text(path: Path, most: int) -> str:
    """The text of a regular file, checked after opening so that it cannot be swapped."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(path, flags)
    except OSError as error:
        raise RefusedError(f"{path.name} cannot be read: {error.strerror}.") from None
    with os.fdopen(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise RefusedError(f"{path.name} is not a file.")
        content = stream.read(most + 1)
    if len(content) > most:
        raise RefusedError(f"{path.name} is larger than the setting max_sources_bytes, {most:,} bytes.")
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise RefusedError(f"{path.name} is not text.") from None
    if "\0" in text:
        raise RefusedError(f"{path.name} is not text.")
    return text
