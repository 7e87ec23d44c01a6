"""Unpack gzip files and zip archives of one program. The sizes that they state are ignored: unpacking stops at a limit."""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hloscope.engine.errors import LimitError, ProgramError

from .failures import UnreadableProgram
from .kinds import PROGRAMS, recognise

_GZIP = 16 + zlib.MAX_WBITS
_MOST_MEMBERS = 1000
_MOST_DIRECTORY_BYTES = 1 << 20
_END = struct.Struct("<4s4H2LH")
_PIECE = 1 << 20
_ANEW = "Write or copy it anew."
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ArithmeticError,
    ValueError,
)
"""The exceptions of `zipfile` for archives that are damaged or use an unknown method."""


class OtherArchive(UnreadableProgram):
    """An archive that certainly holds neither a program nor a dump."""


@dataclass(frozen=True)
class Unpacked:
    """The content of a packed file."""

    name: str
    """The name of the packed file; empty if it has none."""
    data: bytes


def unpack_gzip(data: bytes, name: str, most: int) -> Unpacked:
    """Unpack a gzip file; `LimitError` beyond `most` bytes. Consecutive members are one file."""
    found, rest = bytearray(), data
    while rest:
        unpacker = zlib.decompressobj(_GZIP)
        try:
            found += unpacker.decompress(rest, most + 1 - len(found))
        except zlib.error as error:
            raise UnreadableProgram(f"{name} is a damaged gzip file: {error}", hint=_ANEW) from None
        if len(found) > most:
            raise too_large(name, most)
        if not unpacker.eof:
            raise UnreadableProgram(f"{name} is a gzip file that is cut off", hint=_ANEW)
        rest = unpacker.unused_data.lstrip(b"\0")
    return Unpacked("", bytes(found))


def unpack_zip(data: bytes, name: str, most: int) -> Unpacked:
    """The only program in a zip archive; otherwise an error with its content."""
    members = list(_members(data, name))
    refuse_archive(name, [member.filename for member in members])
    found = list(_programs(data, members, name, most))
    if len(found) == 1:
        return found[0]
    names = [program.name for program in found] or [member.filename for member in members]
    shown = ", ".join(f"{each:.100}" for each in names[:6]) + (", …" if len(names) > 6 else "")
    if found:
        raise UnreadableProgram(
            f"{name} holds {len(found)} programs: {shown}",
            hint="Unpack it and give one of them; a dump of XLA is opened by `hloscope passes` and `hloscope serve`.",
        )
    raise UnreadableProgram(f"{name} holds no program; it has {shown or 'no files'}")


def is_for_reading(data: bytes, most: int) -> bool:
    """Whether a zip archive or gzip file is certainly no dump: it holds one program or something known."""
    kind = recognise(data)
    if kind not in ("gzip", "zip"):
        return False
    try:
        packed = unpack_zip(data, "", most) if kind == "zip" else unpack_gzip(data, "", most)
        return recognise(packed.data) in PROGRAMS and packed.data[257:262] != b"ustar"
    except OtherArchive:
        return True
    except ProgramError:
        return False


def refuse_folder(folder: Path) -> None:
    """Raise `OtherArchive`, with advice, for a folder that certainly holds no dump of XLA."""
    refuse_archive(folder.name or str(folder), [path.name for path in folder.iterdir()])


def refuse_archive(name: str, members: list[str]) -> None:
    """Raise `OtherArchive`, with advice, if the members show that the archive holds no program."""
    ends = {member.rpartition("/")[2] for member in members}
    if "saved_model.pb" in ends:
        raise OtherArchive.of_kind("saved_model", name)
    if any(member.endswith("models/model.json") for member in members):
        raise OtherArchive(
            f"{name} is a program of torch.export",
            hint="Convert it with torchax in Python: torchax.export.exported_program_to_stablehlo(torch.export.load(FILE)).",
        )
    if "data.pkl" in ends and "constants.pkl" in ends:
        raise OtherArchive(
            f"{name} is a program of TorchScript, which is no StableHLO",
            hint="Export the model anew with torch.export, and convert that with torchax.",
        )
    if "data.pkl" in ends:
        raise OtherArchive(
            f"{name} holds tensors of PyTorch and no program", hint="Give it with --inputs beside a program."
        )
    if members and all(member.endswith(".npy") for member in members):
        raise OtherArchive(
            f"{name} holds arrays and no program", hint="Give it with --inputs beside a program."
        )
    if "model.weights.h5" in ends:
        raise OtherArchive(
            f"{name} is a model of Keras",
            hint="Lower its call with JAX: jax.jit(model).lower(inputs).as_text().",
        )


def _members(data: bytes, name: str) -> Iterator[zipfile.ZipInfo]:
    _check_directory(data, name)
    try:
        members = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except DAMAGED as error:
        raise UnreadableProgram(f"{name} is a damaged zip archive: {error}", hint=_ANEW) from None
    for member in members:
        if member.filename and not member.is_dir() and not member.filename.startswith("__MACOSX/"):
            yield member


def _check_directory(data: bytes, name: str) -> None:
    """Limit the directory before `zipfile` reads all of it."""
    at = data.rfind(b"PK\x05\x06", max(0, len(data) - (1 << 16) - _END.size))
    if at < 0 or len(data) - at < _END.size:
        raise UnreadableProgram(
            f"{name} is a zip archive that is cut off: its directory is missing", hint=_ANEW
        )
    fields = _END.unpack_from(data, at)
    if fields[4] > _MOST_MEMBERS or fields[5] > _MOST_DIRECTORY_BYTES:
        raise LimitError(
            f"{name} holds {fields[4]:,} files; hloscope searches at most {_MOST_MEMBERS:,} for a program",
            label="max_program_bytes",
            hint="A dump of XLA is opened by `hloscope passes` and `hloscope serve`.",
        )


def _programs(data: bytes, members: list[zipfile.ZipInfo], name: str, most: int) -> Iterator[Unpacked]:
    """The programs among the members, unpacked if they are gzip files; at most `most` bytes in total."""
    left = most
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in members:
            try:
                with archive.open(member) as stream:
                    content = _read(stream, left)
            except DAMAGED as error:
                raise UnreadableProgram(f"{member.filename:.200} in {name} cannot be read: {error}") from None
            if content is None:
                raise too_large(name, most)
            left -= len(content)
            packed = content.startswith(b"\x1f\x8b")
            inner = unpack_gzip(content, member.filename, most).data if packed else content
            if recognise(inner) in PROGRAMS and _may_be_program(inner):
                yield Unpacked(member.filename, inner)


def _may_be_program(data: bytes) -> bool:
    """Whether a text contains words of a module, unlike a README beside it."""
    if recognise(data) != "text":
        return True
    return any(word in data for word in (b"HloModule", b"module", b"func.func", b"stablehlo."))


def _read(stream: object, most: int) -> bytes | None:
    found = bytearray()
    while piece := stream.read(min(_PIECE, most + 1 - len(found))):  # type: ignore[attr-defined]
        found += piece
        if len(found) > most:
            return None
    return bytes(found)


def too_large(name: str, most: int) -> LimitError:
    """The error for a program beyond the limit."""
    return LimitError(f"{name} is larger than max_program_bytes = {most:,}", label="max_program_bytes")
