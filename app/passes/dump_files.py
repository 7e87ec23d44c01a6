"""The files of a dump, in a folder or a zip archive, compressed or not.

Sizes that an archive states are not trusted.
"""

import re
import weakref
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Protocol

from hloscope.engine.errors import InputError, LimitError
from hloscope.engine.limits import DEFAULT_LIMITS, MEBIBYTE
from hloscope.engine.passes.contents import HEAD_BYTES, recognise
from hloscope.engine.passes.names import parse_name
from hloscope.engine.passes.stages import DumpedFile, DumpedModule, modules_of

from ..runs.formats.reading import read_program
from ..xla.engine import XlaEngine

_PROTO = ".hlo.pb"
_NOTES = re.compile(r"(?://[^\n]*\n)*")
_GZIP = 16 + zlib.MAX_WBITS
_PASS_PATTERN = re.compile(r'^xla_dump_hlo_pass_re: "([^"]*)"', re.MULTILINE)


@dataclass(frozen=True)
class DumpLimits:
    """Limits on a dump."""

    text_bytes: int = DEFAULT_LIMITS.max_program_bytes
    """Of one file, decompressed: the setting `max_program_bytes`."""
    files: int = 50_000
    bytes: int = 4096 * MEBIBYTE
    """Of all files of an archive together, decompressed: the setting `max_dump_bytes`."""


DEFAULT_DUMP_LIMITS = DumpLimits()


class Place(Protocol):
    """A container of files."""

    def paths(self) -> Iterator[tuple[str, int]]:
        """The path of each file from the top, with its size in bytes."""

    def head(self, path: str) -> bytes:
        """The first bytes of a file, as stored."""

    def read(self, path: str, limit: int) -> bytes:
        """A whole file, as stored; `LimitError` above the limit."""


@dataclass(frozen=True)
class Dump:
    """A dump of XLA: its modules and their files."""

    source: str
    """The folder or archive, under its user's name."""
    place: Place
    limits: DumpLimits = DEFAULT_DUMP_LIMITS
    converts: bool = False
    """Whether jaxlib converts the protocol buffers that have no text beside them, which then count as texts."""

    @cached_property
    def files(self) -> tuple[DumpedFile, ...]:
        """All files, each with its type and the information in its name."""
        if not self.converts:
            return self._files
        lone = {file.path for file in self.lone_protocol_buffers}
        return tuple(replace(file, content="hlo") if file.path in lone else file for file in self._files)

    @cached_property
    def lone_protocol_buffers(self) -> tuple[DumpedFile, ...]:
        """The protocol buffers of HLO that have no text beside them."""
        texts = {_stem(file) for file in self._files if file.content == "hlo"}
        return tuple(file for file in self._files if file.content == "hlo_proto" and _stem(file) not in texts)

    @cached_property
    def _files(self) -> tuple[DumpedFile, ...]:
        return tuple(self._file(path, size) for path, size in self.place.paths())

    @cached_property
    def modules(self) -> tuple[DumpedModule, ...]:
        """The compilations that files belong to, in order."""
        return modules_of(self.files, self._pass_pattern)

    def module(self, pattern: str | None) -> tuple[DumpedModule, ...]:
        """The modules whose key (`module_0003.jit_f`) matches a pattern; `InputError` if none does."""
        try:
            found = [module for module in self.modules if not pattern or re.search(pattern, module.key)]
        except re.error as error:
            raise InputError(f"'{pattern}' is not a regular expression: {error}") from None
        if not found:
            known = ", ".join(module.key for module in self.modules[:12]) or "none"
            raise InputError(
                f"no module of {self.source} has a name with '{pattern}'", hint=f"there are: {known}"
            )
        return tuple(found)

    def text(self, path: str) -> str:
        """The text of a file, or of a protocol buffer of HLO; `InputError` if it is neither."""
        if path.removesuffix(".gz").endswith(_PROTO):
            return self._convert(path)
        try:
            return self.bytes(path).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(f"{path} is not text: byte {error.start} is not UTF-8") from None

    def bytes(self, path: str) -> bytes:
        """The bytes of a file, decompressed."""
        found = self.place.read(path, self.limits.text_bytes)
        return _unpack(found, self.limits.text_bytes, path) if path.endswith(".gz") else found

    def _convert(self, path: str) -> str:
        limits = replace(DEFAULT_LIMITS, max_program_bytes=self.limits.text_bytes)
        text = read_program(self.bytes(path), path, limits=limits, engine=self._engine).text
        return without_notes(text)

    @cached_property
    def _engine(self) -> XlaEngine:
        engine = XlaEngine()
        weakref.finalize(self, engine.close)
        return engine

    def _file(self, path: str, size: int) -> DumpedFile:
        name = parse_name(PurePosixPath(path).name)
        head = self.place.head(path)
        if name.is_packed:
            head = _begin_unpacking(head)
        return DumpedFile(path, name, recognise(name, head[:HEAD_BYTES]), size)

    @cached_property
    def _pass_pattern(self) -> str | None:
        """The pattern of dumped passes, from the options file beside the texts."""
        for file in self.files:
            if file.content == "options" and file.name.rest.endswith("debug_options"):
                found = _PASS_PATTERN.search(self.text(file.path))
                if found:
                    return found[1]
        return None


def open_place(
    path: str | Path,
    limits: DumpLimits,
    called: str = "",
    hint: str = "Give the folder of --xla_dump_to, or a zip of it.",
) -> Place:
    """The files of a folder or a zip archive, which its user may know by another name; `InputError` if it is neither."""
    where = Path(path)
    if where.is_dir():
        return _Folder(where, limits)
    if where.is_file() and zipfile.is_zipfile(where):
        return _Archive(where, called or where.name, limits)
    what = "neither a folder nor a zip archive" if where.exists() else "not there"
    raise InputError(f"{called or path} is {what}", hint=hint)


def open_dump(
    path: str | Path, limits: DumpLimits = DEFAULT_DUMP_LIMITS, called: str = "", *, converts: bool = True
) -> Dump:
    """Open the dump in a folder or a zip archive; `InputError` if there is none.

    Its user may know it by another name. `converts`: whether jaxlib may read protocol buffers that have no text.
    """
    found = open_dump_files(path, limits, called, converts=converts)
    if not any(module.stages for module in found.modules):
        raise InputError(
            f"{found.source} holds no HLO text",
            hint='Dump with XLA_FLAGS="--xla_dump_to=DIR --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=.*".',
        )
    return found


def open_dump_files(
    path: str | Path, limits: DumpLimits = DEFAULT_DUMP_LIMITS, called: str = "", *, converts: bool = False
) -> Dump:
    """Open the files of a folder or a zip archive, which may hold no text of a stage."""
    return Dump(called or str(path), open_place(path, limits, called), limits, converts)


def without_notes(text: str) -> str:
    """A converted text without the comments that the conversion puts first."""
    return _NOTES.sub("", text, count=1)


@dataclass(frozen=True)
class _Folder:
    top: Path
    limits: DumpLimits

    def paths(self) -> Iterator[tuple[str, int]]:
        count = 0
        for path in sorted(self.top.rglob("*")):
            if path.is_symlink() or not path.is_file():
                continue
            count += 1
            check_count(count, str(self.top), self.limits)
            yield path.relative_to(self.top).as_posix(), path.stat().st_size

    def head(self, path: str) -> bytes:
        with (self.top / path).open("rb") as stream:
            return stream.read(2 * HEAD_BYTES)

    def read(self, path: str, limit: int) -> bytes:
        file = self.top / path
        if file.stat().st_size > limit:
            raise _too_large(path, limit)
        return file.read_bytes()


class _Archive:
    """A zip file; its members are read one by one, never extracted to disk."""

    def __init__(self, file: Path, name: str, limits: DumpLimits) -> None:
        self._name, self._limits = name, limits
        self._read: dict[str, int] = {}
        """The bytes read so far, by path: a file that is read again counts once."""
        try:
            self._zip = zipfile.ZipFile(file)
        except NotImplementedError as error:  # a version of the format that Python does not know
            raise InputError(f"{name} cannot be read: {error}") from None
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            raise InputError(f"{name} is damaged: {error}") from None

    def paths(self) -> Iterator[tuple[str, int]]:
        members = [member for member in self._zip.infolist() if member.filename and not member.is_dir()]
        check_count(len(members), self._name, self._limits)
        seen: set[str] = set()
        for member in sorted(members, key=lambda member: member.filename):
            if not member.filename.startswith("__MACOSX/") and member.filename not in seen:
                seen.add(member.filename)
                yield member.filename, member.file_size

    def head(self, path: str) -> bytes:
        return self._open(path, 2 * HEAD_BYTES)

    def read(self, path: str, limit: int) -> bytes:
        found = self._open(path, limit + 1)
        if len(found) > limit:
            raise _too_large(path, limit)
        self._read[path] = len(found)
        check_bytes(sum(self._read.values()), self._name, self._limits)
        return found

    def _open(self, path: str, most: int) -> bytes:
        try:
            with self._zip.open(path) as stream:
                return stream.read(most)
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            NotImplementedError,
            RuntimeError,
            OSError,
        ) as error:
            raise InputError(f"{path} in {self._name} cannot be read: {error}") from None


def check_count(count: int, name: str, limits: DumpLimits) -> None:
    """Raise `LimitError` if a dump holds too many files."""
    if count > limits.files:
        raise LimitError(
            f"{name} holds more than {limits.files:,} files", hint="Dump fewer modules or passes."
        )


def check_bytes(count: int, name: str, limits: DumpLimits) -> None:
    """Raise `LimitError` if the files of an archive are too large together."""
    if count > limits.bytes:
        raise LimitError(
            f"{name} unpacks to more than {limits.bytes:,} bytes",
            label="max_dump_bytes",
            hint="Dump fewer modules or passes.",
        )


def text_name(file: DumpedFile) -> str:
    """The path at which XLA writes the text of a protocol buffer."""
    return f"{_stem(file)}.txt"


def _stem(file: DumpedFile) -> str:
    """The path without the extension."""
    path = file.path.removesuffix(".gz")
    return path.removesuffix(f".{file.name.extension}") if file.name.extension else path


def _too_large(path: str, limit: int) -> LimitError:
    return LimitError(f"{path} is larger than max_program_bytes = {limit:,}", label="max_program_bytes")


def _begin_unpacking(head: bytes) -> bytes:
    try:
        return zlib.decompressobj(_GZIP).decompress(head, HEAD_BYTES)
    except zlib.error:
        return b""


def _unpack(data: bytes, limit: int, path: str) -> bytes:
    unpacker = zlib.decompressobj(_GZIP)
    try:
        found = unpacker.decompress(data, limit + 1)
    except zlib.error as error:
        raise InputError(f"{path} is damaged: {error}") from None
    if len(found) > limit:
        raise _too_large(path, limit)
    if not unpacker.eof:
        raise InputError(f"{path} is cut off")
    return found
