"""Tell dumps from programs: folders, and files that begin with the bytes of an archive."""

from pathlib import Path

from ...runs.formats.packing import is_for_reading

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")
_TAR_MARK, _TAR_PLACE = b"ustar", 257


def is_zip(path: Path) -> bool:
    """Whether a file begins with the bytes of a zip archive."""
    return _beginning(path)[:4] in ZIP


def is_dump(path: Path, most: int) -> bool:
    """Whether a path is a dump: a folder, or an archive that does not hold one program.

    The first bytes identify an archive; `most` is the maximum size of a program.
    """
    if path.is_dir():
        return True
    if not _is_packed(start := _beginning(path)):
        return start[_TAR_PLACE:].startswith(_TAR_MARK)
    return not holds_one_program(path, most)


def holds_one_program(path: Path, most: int) -> bool:
    """Whether a file is a zip or gzip file of one program, or cannot be a dump.

    The program has at most `most` bytes.
    """
    if not _is_packed(_beginning(path)) or path.stat().st_size > most:
        return False
    return is_for_reading(path.read_bytes(), most)


def _is_packed(start: bytes) -> bool:
    return start[:4] in ZIP or start.startswith(_PACKED)


def _beginning(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(512)
