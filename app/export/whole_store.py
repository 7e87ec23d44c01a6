"""Everything that a server holds as one zip archive, and back: the rows of its store, the uploaded files, and its token.

    manifest.json           version of the archive and of the store's tables, and numbers of rows
    token                   the server's token, without which codes of rooms open nothing
    tables/sessions.jsonl   a row in each line, as JSON; and so on for each table
    files/<hash>            uploaded files, uncompressed

Reading trusts nothing: names are those above, sizes are known before anything is unpacked, and each program and file must
have the hash that it is named by.
"""

import asyncio
import contextlib
import hashlib
import json
import os
import re
import shutil
import struct
import tempfile
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ..base.failure import Failure
from ..base.keys import text_hash
from ..base.large_texts import ESCAPES
from ..base.settings import Settings
from ..base.versions import installed_version
from ..runs.formats.packing import DAMAGED
from ..store import Store
from ..store.all_rows import TABLES, Row, WrongRow
from ..store.database import sync_to_disk
from ..store.files import InputFiles
from ..store.tables import SCHEMA_VERSION

VERSION = 1
"""Of the archive; a change that older versions of hloscope cannot read increases it."""
MANIFEST, TOKEN = "manifest.json", "token"
TABLE, FILE = "tables/{}.jsonl", "files/{}"
_NAME = re.compile(rf"{re.escape(MANIFEST)}|{TOKEN}|tables/({'|'.join(TABLES)})\.jsonl|files/[0-9a-f]{{64}}")
MOST_HEAD_BYTES = 1 << 20
"""Maximum bytes of the manifest, and of the token."""
MOST_DIRECTORY_BYTES = 64 << 20
"""Maximum bytes of the archive's list of files, which is read into memory: half a million files."""
PIECE = 1 << 20
_END, _LARGE_END = struct.Struct("<4s4H2LH"), struct.Struct("<4sQ2H2L4Q")
_LOCATOR_BYTES = 20

Tell = Callable[[str], None]
"""Called with words about the progress."""


@dataclass(frozen=True)
class Moved:
    """What was written to an archive or read from one."""

    rows: dict[str, int]
    """Numbers of rows by table."""
    files: int
    missing: int
    """Uploaded files that the store names, and that are missing or damaged."""
    damaged: int = 0
    """Programs whose text is not the one that was stored; they are left out with their runs."""

    def __str__(self) -> str:
        named = (("session", "sessions"), ("dump", "dumps"), ("room", "rooms"))
        counts = [_count(self.rows.get(table, 0), word) for word, table in named]
        return f"{', '.join(counts)} and {_count(self.files, 'uploaded file')}"


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


# Writing.


def export_store(path: Path, store: Store, files: Path, token: str, tell: Tell) -> Moved:
    """Write the archive; `files` is the folder of uploaded files. Servers may use the store meanwhile."""
    if path.exists():
        raise Failure(f"{path} exists already: delete it, or choose another name")
    try:
        handle, name = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name}-")
    except OSError as error:
        error.filename = str(path)  # and not the temporary one
        raise
    try:
        with os.fdopen(handle, "w+b") as stream:
            with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                moved = _write(archive, store, files, token, tell)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).replace(path)
        sync_to_disk(path.absolute().parent)
    finally:
        Path(name).unlink(missing_ok=True)
    return moved


def _write(archive: zipfile.ZipFile, store: Store, files: Path, token: str, tell: Tell) -> Moved:
    rows: dict[str, int] = {}
    names: list[str] = []
    damaged: set[str] = set()
    with store.all_rows.read() as rows_of:
        for table in TABLES:
            with archive.open(TABLE.format(table), "w", force_zip64=True) as stream:
                rows[table] = 0
                for row in rows_of(table):
                    if table == "programs" and text_hash(row["text"]) != row["hash"]:
                        damaged.add(row["hash"])
                    if (row["hash"] if table == "programs" else row.get("program")) in damaged:
                        continue
                    stream.write(json.dumps(row, ensure_ascii=False).encode(errors="replace") + b"\n")
                    rows[table] += 1
                    if table == "inputs":
                        names.append(row["hash"])
                    tell(f"{rows[table]:,} rows of {table}")
    written = sum(_write_file(archive, files, name, tell) for name in names)
    if token:
        archive.writestr(TOKEN, token)
    manifest = {
        "hloscope": installed_version(), "version": VERSION, "schema": SCHEMA_VERSION, "rows": rows,
    }  # fmt: skip
    archive.writestr(MANIFEST, json.dumps(manifest, indent=2))
    return Moved(rows, written, len(names) - written, len(damaged))


def _write_file(archive: zipfile.ZipFile, folder: Path, name: str, tell: Tell) -> bool:
    """Add an uploaded file; False if it is missing or has other contents."""
    try:
        source = (folder / name).open("rb")
    except FileNotFoundError:
        return False
    with source:
        if hashlib.file_digest(source, "sha256").hexdigest() != name:
            return False
        source.seek(0)
        # Arrays hardly compress.
        with archive.open(zipfile.ZipInfo(FILE.format(name)), "w", force_zip64=True) as target:
            shutil.copyfileobj(source, target, PIECE)
    tell(f"file {name}")
    return True


# Reading.


@dataclass(frozen=True)
class StoreArchive:
    """An archive whose manifest and list of files are as they should be."""

    name: str
    archive: zipfile.ZipFile
    rows: dict[str, int]
    token: str

    @property
    def files(self) -> list[str]:
        """The names of the uploaded files."""
        prefix = FILE.format("")
        return [name.removeprefix(prefix) for name in self.archive.namelist() if name.startswith(prefix)]


@contextlib.contextmanager
def open_archive(path: Path) -> Iterator[StoreArchive]:
    """The archive of a file; `Failure` if it is none, is damaged, or is of a later version."""
    with path.open("rb") as stream:
        with _reading(path.name):
            _check_directory(stream)
            archive = zipfile.ZipFile(stream)
        with archive:
            _check_names(archive, path.name)
            manifest = _manifest(archive, path.name)
            token = b"" if TOKEN not in archive.namelist() else _head(archive, TOKEN, path.name)
            yield StoreArchive(path.name, archive, manifest["rows"], token.decode("ascii", "replace"))


def _check_directory(stream: IO[bytes]) -> None:
    """Limit the list of files before `zipfile` reads all of it."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - (1 << 16) - _END.size - _LOCATOR_BYTES - _LARGE_END.size))
    tail = stream.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        raise zipfile.BadZipFile("its end is missing")
    told = _END.unpack_from(tail, at)[5]
    large = tail.rfind(b"PK\x06\x06", 0, at)
    if large >= 0 and at - large >= _LARGE_END.size:
        told = max(told if told < 0xFFFFFFFF else 0, _LARGE_END.unpack_from(tail, large)[8])
    if told > MOST_DIRECTORY_BYTES:
        raise zipfile.BadZipFile(f"its list of files has {told:,} bytes")


def _check_names(archive: zipfile.ZipFile, name: str) -> None:
    names = archive.namelist()
    if MANIFEST not in names:
        raise _damaged(name, f"it has no {MANIFEST}")
    known = set()
    for found in names:
        if not _NAME.fullmatch(found) or found in known:
            raise _damaged(name, f"it has a file {found[:200]!a}")
        known.add(found)


def _manifest(archive: zipfile.ZipFile, name: str) -> dict[str, Any]:
    try:
        found = json.loads(_head(archive, MANIFEST, name))
        version, schema, rows = (found[key] for key in ("version", "schema", "rows"))
        is_right = type(version) is type(schema) is int and isinstance(rows, dict)
    except (ValueError, RecursionError, KeyError, TypeError):
        is_right = False
    if not is_right:
        raise _damaged(name, f"its {MANIFEST} is not one of hloscope")
    if version > VERSION or schema > SCHEMA_VERSION:
        by = str(found.get("hloscope"))[:20]
        raise Failure(
            f"{name} was exported by a later hloscope ({by!a}; version {version}, tables {schema}): this one reads "
            f"version {VERSION} with tables {SCHEMA_VERSION}. Import it with that hloscope, or a later one"
        )
    return {"rows": rows}


def _head(archive: zipfile.ZipFile, member: str, name: str) -> bytes:
    with _reading(name), archive.open(member) as stream:
        data = stream.read(MOST_HEAD_BYTES + 1)
    if len(data) > MOST_HEAD_BYTES:
        raise _damaged(name, f"its {member} is too large")
    return data


def import_store(
    found: StoreArchive, store: Store, files: InputFiles, settings: Settings, tell: Tell
) -> Moved:
    """Put everything of an archive into an empty store: all of it, or nothing."""
    folder = settings.data_folder()
    if not store.all_rows.is_empty():
        raise Failure(
            f"the store of {folder} is not empty: import into another one, with --set data_dir=FOLDER or "
            "with another database in the setting store"
        )
    _check_space(found, folder)
    counts: dict[str, int] = {}
    try:
        asyncio.run(_import_files(found, files, tell))
        store.all_rows.add(_rows(found, settings, counts, tell))
    except BaseException as error:
        files.sweep(store.needed_inputs)
        if isinstance(error, WrongRow):
            raise _damaged(found.name, str(error)) from None
        raise
    store.sync()
    names = set(found.files)
    return Moved(counts, len(names), counts.get("inputs", 0) - len(names))


def _check_space(found: StoreArchive, folder: Path) -> None:
    """Refuse what the disk has no space for; an archive cannot unpack to more than its list of files states."""
    needed = sum(member.file_size for member in found.archive.infolist())
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise Failure(
            f"{found.name} holds {needed:,} bytes unpacked, and the disk of {folder} has {free:,} free: free some space, "
            "or use another folder with --set data_dir=FOLDER"
        )


async def _import_files(found: StoreArchive, files: InputFiles, tell: Tell) -> None:
    for number, name in enumerate(found.files, 1):
        async with files.receive(_pieces(found, FILE.format(name))) as upload:
            if upload.name != name:
                raise _damaged(found.name, f"the contents of {FILE.format(name)} are others")
            files.keep(upload)
        tell(f"{number:,} files")


async def _pieces(found: StoreArchive, member: str) -> AsyncIterator[bytes]:
    with _reading(found.name):
        stream = found.archive.open(member)
    with stream:
        while piece := _read(found.name, stream.read, PIECE):
            yield piece


def _rows(
    found: StoreArchive, settings: Settings, counts: dict[str, int], tell: Tell
) -> Iterator[tuple[str, Row]]:
    """The rows of all tables in their order; `counts` gets their numbers."""
    # A line has at most one program, whose characters are escaped at worst.
    most = ESCAPES * max(settings.max_program_bytes, Settings().max_program_bytes) + settings.max_body_bytes
    for table in TABLES:
        counts[table] = 0
        if TABLE.format(table) in found.archive.namelist():
            for line in _lines(found, TABLE.format(table), most):
                counts[table] += 1
                yield table, _row(line, f"row {counts[table]:,} of {table}")
                tell(f"{counts[table]:,} rows of {table}")
        if counts[table] != found.rows.get(table, 0):
            raise WrongRow(
                f"it has {counts[table]:,} rows of {table}, and not as many as its {MANIFEST} states"
            )


def _lines(found: StoreArchive, member: str, most: int) -> Iterator[bytes]:
    with _reading(found.name):
        stream = found.archive.open(member)
    with stream:
        while line := _read(found.name, stream.readline, most + 1):
            if len(line) > most:
                raise Failure(
                    f"{found.name} has a row of more than {most:,} bytes in {member}: raise the setting max_program_bytes"
                )
            yield line


def _row(line: bytes, what: str) -> Row:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise WrongRow(f"{what} is not a JSON object")
    return row


def _read(name: str, read: Callable[[int], bytes], most: int) -> bytes:
    with _reading(name):
        return read(most)


@contextlib.contextmanager
def _reading(name: str) -> Iterator[None]:
    """Errors of a damaged archive as a `Failure`."""
    try:
        yield
    except DAMAGED as error:
        raise _damaged(name, str(error)) from None


def _damaged(name: str, why: str) -> Failure:
    return Failure(f"{name} is not an export of hloscope, or is damaged: {' '.join(why.split())[:300]}")
