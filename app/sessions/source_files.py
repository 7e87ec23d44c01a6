"""The user's own source: Python files that a program's locations name, sent along with it or read by this server.

A program may come from anywhere and name any file. So a file is read only below a folder that the user has named, or by
a server that its own user has started for a file; never by one that others use. What counts is where a path leads when
all links are followed, and only Python text of a bounded size is handed out.
"""

from __future__ import annotations

import ipaddress
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..base.errors import over_limit
from ..base.settings import Settings
from ..wire.program import SourceText

SUFFIX = ".py"


class RefusedError(Exception):
    """Why a file is not shown, as a sentence."""


@dataclass(frozen=True)
class SourceFiles:
    """Which files may be read. `opened` is the folder of the program that the server was started for."""

    folders: tuple[Path, ...] = ()
    opened: Path | None = None
    max_bytes: int = 0

    @classmethod
    def of(cls, settings: Settings, *, host: str = "", opened: Path | None = None) -> SourceFiles:
        """Nothing where others use the server: where it listens to other machines, or has names besides this machine's."""
        if serves_others(settings, host):
            return cls()
        folders = [Path(name.strip()) for name in settings.source_folders.split(os.pathsep) if name.strip()]
        roots = tuple(folder.expanduser().resolve() for folder in folders)
        return cls(roots, opened.resolve() if opened else None, settings.max_source_bytes)

    def read(self, name: str) -> SourceText:
        """The lines of a file, or why they are not shown."""
        try:
            return {"file": name, "lines": self._lines(name), "reason": None}
        except RefusedError as refused:
            return {"file": name, "lines": None, "reason": str(refused)}

    def _lines(self, name: str) -> list[str]:
        if self.opened is None and not self.folders:
            raise RefusedError(
                "This server reads no source files; the setting source_folders names folders for it."
            )
        for path in self._candidates(name):
            if path.suffix == SUFFIX and self._is_allowed(path) and path.is_file():
                return _text(path, self.max_bytes).splitlines()
        raise RefusedError(f"There is no Python file of that name that this server may read: {name}")

    def _candidates(self, name: str) -> list[Path]:
        """Where a name may lead, all links followed; a relative one is looked for below every folder."""
        if "\0" in name or len(name) > 4_096:
            return []
        roots = [self.opened, *self.folders] if self.opened else list(self.folders)
        given = Path(name)
        found = []
        for path in [given] if given.is_absolute() else [root / given for root in roots]:
            try:
                found.append(path.resolve(strict=True))
            except (OSError, RuntimeError, ValueError):
                continue  # it leads nowhere, or round and round
        return found

    def _is_allowed(self, path: Path) -> bool:
        return self.opened is not None or any(path.is_relative_to(folder) for folder in self.folders)


def check_sent(texts: Mapping[str, str], settings: Settings) -> None:
    """Refuses files that were sent along with a program, where they are too many or too large."""
    if len(texts) > settings.max_sources:
        many = f"{len(texts):,} source files were sent, and {settings.max_sources:,} are allowed."
        raise over_limit(413, "max_sources", settings.max_sources, many)
    sizes = {file: len(text.encode()) for file, text in texts.items()}
    for file, size in sizes.items():
        if size > settings.max_source_bytes:
            large = f"The source file {file} has {size:,} bytes; {settings.max_source_bytes:,} are allowed."
            raise over_limit(413, "max_source_bytes", settings.max_source_bytes, large)
    if (total := sum(sizes.values())) > settings.max_sources_bytes:
        much = f"The source files have {total:,} bytes together; {settings.max_sources_bytes:,} are allowed."
        raise over_limit(413, "max_sources_bytes", settings.max_sources_bytes, much)


def serves_others(settings: Settings, host: str) -> bool:
    """Whether a server is not for this machine's user alone: it listens to other machines, or has names besides this one's."""
    return bool(settings.allowed_hosts) or bool(host and not _is_loopback(host))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _text(path: Path, most: int) -> str:
    """What a regular file holds; nothing that changes under our hands into something else is read."""
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
        raise RefusedError(f"{path.name} is larger than the setting max_source_bytes, {most:,} bytes.")
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise RefusedError(f"{path.name} is not text.") from None
    if "\0" in text:
        raise RefusedError(f"{path.name} is not text.")
    return text
