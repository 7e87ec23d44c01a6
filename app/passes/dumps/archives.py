"""What is taken for a dump where it could be a program: folders, and files that begin as archives do."""

from __future__ import annotations

from pathlib import Path

from ...runs.formats.packing import is_for_reading

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")
_TAR_MARK, _TAR_PLACE = b"ustar", 257


def is_zip(path: Path) -> bool:
    """Whether a file begins as a zip archive."""
    return _beginning(path)[:4] in ZIP


def is_dump(path: Path, most: int) -> bool:
    """Whether a path is a folder, or an archive by its first bytes, of more than one program of `most` bytes."""
    if path.is_dir():
        return True
    if not _is_packed(start := _beginning(path)):
        return start[_TAR_PLACE:].startswith(_TAR_MARK)
    return not holds_one_program(path, most)


def holds_one_program(path: Path, most: int) -> bool:
    """Whether a file is a zip or gzip file of one program of at most `most` bytes, or of something known to be no dump."""
    if not _is_packed(_beginning(path)) or path.stat().st_size > most:
        return False
    return is_for_reading(path.read_bytes(), most)


def _is_packed(start: bytes) -> bool:
    return start[:4] in ZIP or start.startswith(_PACKED)


def _beginning(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(512)
