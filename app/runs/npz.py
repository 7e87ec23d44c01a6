"""Reader for untrusted `.npz` and `.npy` files, without unpickling or unpacking to disk.

The archive's directory is bounded before it is parsed; a member's header is read first, its dtype checked
against a list and its size against a budget, and only then are its bytes streamed into an array of that
size. Sizes stated by the archive are not used. `array_files` reads other formats.
"""

import re
import struct
import zipfile
import zlib
from ast import literal_eval
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy_format

from hloscope.engine.argument_names import name_from_label
from hloscope.engine.errors import InputError, LimitError, ProgramError
from hloscope.engine.inputs import needs_value
from hloscope.engine.ir.locations import Location, NameLocation
from hloscope.engine.ir.module import Function
from hloscope.engine.limits import DEFAULT_LIMITS

from ..processes.arrays import Array
from ..wire.sessions import FileArray
from .array_files.forms import form_of, open_arrays
from .array_files.stored import Header, StoredArray, check_count

MAX_DIRECTORY_BYTES = 1 << 20
MAX_NAME_LENGTH = 200
INDEX = "index.csv"
NUMPY = ("numpy", "zip")
"""File formats read here; `array_files` reads the others."""
MAX_HEADER_BYTES = 10_000
FREE_BYTES = 64 << 20
"""Unpacked size that is always allowed; above it, up to `MAX_RATIO` times the packed size."""
MAX_RATIO = 200
CHUNK_BYTES = 1 << 20
NUMBERS = {"bool", "float16", "float32", "float64", "complex64", "complex128"} | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}
_LENGTHS = {(1, 0): struct.Struct("<H"), (2, 0): struct.Struct("<I")}
_END = struct.Struct("<4s4H2LH")
_ZIP64_LOCATOR = b"PK\x06\x07"


@contextmanager
def naming_file(name: str, file: Path) -> Iterator[None]:
    """Name the file in errors as its user does, not by the path of the stored copy."""
    try:
        yield
    except ProgramError as error:
        error.message = error.message.replace(file.name, name)
        raise


def read_headers(file: Path, budget: int = DEFAULT_LIMITS.session_memory_bytes) -> tuple[Header, ...]:
    """The headers of a file's arrays, without reading the arrays."""
    with _stored(file, None) as stored:
        headers = tuple(item.header for item in stored)
    _check_budget(headers, budget, file)
    return headers


def read_arrays(
    file: Path, names: Sequence[str] | None = None, budget: int = DEFAULT_LIMITS.session_memory_bytes
) -> dict[str, Array]:
    """The arrays of a file, read-only, by name; all if `names` is `None`."""
    arrays: dict[str, Array] = {}
    wanted = None if names is None else set(names)
    with _stored(file, wanted) as stored:
        for item in stored:
            _check_budget((item.header,), budget, file)
            budget -= item.header.byte_count
            arrays[item.header.name] = item.load()
            arrays[item.header.name].setflags(write=False)
    if wanted is not None and (missing := wanted - arrays.keys()):
        raise InputError(f"{file.name} has no array '{min(missing)}'")
    return arrays


@contextmanager
def _stored(file: Path, wanted: Set[str] | None) -> Iterator[Iterator[StoredArray]]:
    """The arrays of a file with these names, each to be loaded before the next; all if `wanted` is `None`."""
    if (form := form_of(file)) not in NUMPY:
        yield (item for item in open_arrays(file, form) if wanted is None or item.header.name in wanted)
        return
    with _members(file) as members:
        yield (_member(*member) for member in members if wanted is None or member[0] in wanted)


def _member(name: str, stream: IO[bytes], packed: int) -> StoredArray:
    header = _read_header(name, stream)
    return StoredArray(header, lambda: _read_data(header, stream, packed))


# Match arrays to arguments.


@dataclass(frozen=True)
class Argument:
    """An argument, with the names that a file may use for it."""

    number: int
    name: str
    """The name in the program's text, without `%`."""
    given_name: str | None
    """The name in the user's own source: `x`, `params[0]['w']`."""
    type: str
    is_given: bool = True
    """Whether a file must have it: tokens need no value."""

    def names(self) -> tuple[str, ...]:
        """Array names that mean this argument, the most specific first."""
        shown = name_from_label(self.given_name) if self.given_name else ""
        own = (self.given_name, shown, shown.removeprefix("%"), self.name, f"%{self.name}")
        return (f"in_{self.number}", str(self.number), *(name for name in own if name))


def arguments_of(function: Function) -> tuple[Argument, ...]:
    """The arguments of a function, with their names in files."""
    return tuple(
        Argument(
            *(number, value.name.removeprefix("%"), _given_name(value.location), str(value.type)),
            needs_value(value.type),
        )
        for number, value in enumerate(function.arguments)
    )


def _given_name(location: Location | None) -> str | None:
    return location.name if isinstance(location, NameLocation) else None


def match(arguments: Sequence[Argument], names: Sequence[str]) -> dict[int, str]:
    """The array of each argument: by name, or by order if no name matches."""
    known = set(names)
    given = [argument for argument in arguments if argument.is_given]
    found = {}
    for argument in arguments:
        name = next((name for name in argument.names() if name in known), None)
        if name is not None:
            found[argument.number] = name
    if not found and len(names) in (len(given), len(arguments)):
        taken = given if len(names) == len(given) else arguments
        return {argument.number: name for argument, name in zip(taken, names, strict=True)}
    return found


@dataclass(frozen=True)
class ProcessArray:
    """An array for an argument in one process: `in_0@1,2`."""

    argument: int
    array: str
    replica: int
    partition: int


_OF_PROCESS = re.compile(r"(.+)@(\d{1,9}),(\d{1,9})", re.DOTALL)


def match_processes(arguments: Sequence[Argument], names: Sequence[str]) -> list[ProcessArray]:
    """The arrays whose names state a process."""
    numbers = {name: argument.number for argument in reversed(arguments) for name in argument.names()}
    found = [(name, stated) for name in names if (stated := _OF_PROCESS.fullmatch(name))]
    return [
        ProcessArray(numbers[stated[1]], name, int(stated[2]), int(stated[3]))
        for name, stated in found
        if stated[1] in numbers
    ]


@dataclass(frozen=True)
class Arrays:
    """A file's arrays for one argument; empty for a token."""

    common: Array | None
    """The array for all processes."""
    special: Mapping[tuple[int, int], Array]
    """Arrays for single processes, by replica and partition."""


def read_grid_inputs(
    file: Path, arguments: Sequence[Argument], budget: int = DEFAULT_LIMITS.session_memory_bytes
) -> list[Arrays]:
    """Arrays for every argument, none for tokens. `InputError` if file and program differ."""
    headers = read_headers(file, budget)
    names = [header.name for header in headers]
    special = match_processes(arguments, names)
    of_one = {item.array for item in special}
    found = match(arguments, [name for name in names if name not in of_one])
    known = found.keys() | {item.argument for item in special}
    missing = [argument for argument in arguments if argument.is_given and argument.number not in known]
    if missing:
        raise InputError(_mismatch(file, headers, arguments, missing), hint=_naming_hint(missing[0]))
    arrays = read_arrays(file, sorted({*found.values(), *of_one}), budget)
    places: dict[int, dict[tuple[int, int], Array]] = {argument.number: {} for argument in arguments}
    for item in special:
        places[item.argument][item.replica, item.partition] = arrays[item.array]
    common = {number: arrays[name] for number, name in found.items()}
    return [Arrays(common.get(argument.number), places[argument.number]) for argument in arguments]


def _mismatch(
    file: Path, headers: Sequence[Header], arguments: Sequence[Argument], missing: Sequence[Argument]
) -> str:
    has = ", ".join(map(str, headers)) or "no arrays"
    wants = ", ".join(f"{argument.name}: {argument.type}" for argument in arguments if argument.is_given)
    lacking = ", ".join(str(argument.number) for argument in missing)
    noun = "argument" if len(missing) == 1 else "arguments"
    return f"{file.name} has no array for {noun} {lacking}. It has {has}; the program wants {wants}"


def _naming_hint(argument: Argument) -> str:
    *names, last = [name for name in argument.names() if not name.startswith("%")]
    return f"Name it {', '.join(names)} or {last}; arrays without such names are taken in order if none is left over."


# Reading.


@contextmanager
def _members(file: Path) -> Iterator[Iterator[tuple[str, IO[bytes], int]]]:
    """Name, stream and packed size of each array. Raises `InputError` for a damaged file."""
    with file.open("rb") as stream:
        try:
            start = stream.read(6)
            stream.seek(0)
            if start == npy_format.MAGIC_PREFIX:
                yield iter([("0", stream, file.stat().st_size)])
            elif start[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
                yield _zip_members(stream, file)
            else:
                raise InputError(f"{file.name} is damaged: it changed while it was read")
        # Damaged offsets make `zipfile` seek beyond the file: OSError, OverflowError, ValueError.
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            NotImplementedError,
            OSError,
            ArithmeticError,
        ) as error:
            raise InputError(f"{file.name} is damaged: {error}") from None
        except ValueError as error:
            raise InputError(f"{file.name} is damaged: {error}") from None


def _zip_members(stream: IO[bytes], file: Path) -> Iterator[tuple[str, IO[bytes], int]]:
    _check_directory(stream, file)
    with zipfile.ZipFile(stream) as archive:
        check_count(len(archive.infolist()), file.name)
        for entry in archive.infolist():
            if not entry.filename:
                raise InputError(f"{file.name} is damaged: one of its members has no name")
            if entry.is_dir() or _is_index(entry):
                continue
            name = entry.filename.removesuffix(".npy")
            _check_entry(name, entry, file)
            with archive.open(entry) as member:
                yield name, member, entry.compress_size


def _is_index(entry: zipfile.ZipInfo) -> bool:
    """Whether it is the index of a folder of probes, which names its arrays."""
    return entry.filename.rpartition("/")[2] == INDEX


def read_index(file: Path) -> str | None:
    """The probe index of an archive, if any. Raises `InputError` if it is too long or no text."""
    if not zipfile.is_zipfile(file):
        return None
    with file.open("rb") as stream:
        _check_directory(stream, file)
        with zipfile.ZipFile(stream) as archive:
            entry = next(filter(_is_index, archive.infolist()), None)
            if entry is None:
                return None
            _check_entry(entry.filename, entry, file)
            with archive.open(entry) as member:
                data = member.read(MAX_DIRECTORY_BYTES + 1)
    if len(data) > MAX_DIRECTORY_BYTES:
        raise InputError(f"{INDEX} of {file.name} is longer than {MAX_DIRECTORY_BYTES:,} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise InputError(f"{INDEX} of {file.name} is not UTF-8") from None


def _check_directory(stream: IO[bytes], file: Path) -> None:
    """Bounds the directory that `zipfile` will read whole; its record must be the file's last 22 bytes."""
    size = stream.seek(0, 2)
    stream.seek(max(0, size - _END.size - 20))
    tail = stream.read()
    fields = _END.unpack(tail[-_END.size :]) if len(tail) >= _END.size else None
    if fields is None or fields[0] != b"PK\x05\x06" or fields[7]:
        raise InputError(f"{file.name} is damaged: its directory is not at its end")
    if tail.startswith(_ZIP64_LOCATOR):
        raise InputError(
            f"{file.name} is a zip64 archive", hint="Write fewer or smaller arrays into one file."
        )
    if fields[5] > MAX_DIRECTORY_BYTES:
        raise InputError(
            f"{file.name} has a directory of {fields[5]:,} bytes; {MAX_DIRECTORY_BYTES:,} are read"
        )
    check_count(fields[4], file.name)


def _check_entry(name: str, entry: zipfile.ZipInfo, file: Path) -> None:
    # Names are only dictionary keys and labels, but a valid one never looks like a path.
    if len(name) > MAX_NAME_LENGTH or re.search(r"^[/\\]|\.\.|[\x00-\x1f]", name):
        raise InputError(f"{file.name} holds a member whose name is not that of an array")
    if entry.flag_bits & 1:
        raise InputError(f"{file.name}: {name} is encrypted")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise InputError(f"{file.name}: {name} is packed in a way that NumPy does not write")


def _read_header(name: str, stream: IO[bytes]) -> Header:
    try:
        shape, fortran_order, dtype = _parse_header(stream)
    except (ValueError, SyntaxError, TypeError, KeyError, RecursionError, MemoryError, struct.error):
        raise InputError(f"{name} is not in NumPy's array format, or its header is damaged") from None
    if dtype.hasobject:
        raise InputError(f"{name} holds Python objects, which are never read", hint="Save numbers only.")
    is_plain = dtype.fields is None and dtype.subdtype is None
    bits = dtype.kind == "V" and is_plain and dtype.itemsize in (1, 2)
    if dtype.name not in NUMBERS and not bits:
        raise InputError(f"{name} has dtype {dtype}, which no tensor has")
    if any(type(size) is not int or size < 0 for size in shape):
        raise InputError(f"{name} has a shape that no array can have")
    return Header(name, dtype, shape, bool(fortran_order))


def _parse_header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Format versions 1 and 2, without NumPy's slow repair of Python 2 headers."""
    version = npy_format.read_magic(stream)
    (length,) = _LENGTHS[version].unpack(stream.read(_LENGTHS[version].size))
    if length > MAX_HEADER_BYTES:
        raise ValueError(length)
    header = literal_eval(stream.read(length).decode("latin1").strip())
    # Any other descriptor than a text describes records, which are no tensors.
    dtype = np.dtype(header["descr"] if isinstance(header["descr"], str) else "V3")
    return tuple(header["shape"]), header["fortran_order"], dtype


def _check_budget(headers: Sequence[Header], budget: int, file: Path) -> None:
    total = sum(header.byte_count for header in headers)
    if total > budget:
        raise LimitError(
            f"{file.name} holds {total:,} bytes of arrays; {budget:,} are left for inputs",
            label="session_memory_bytes",
        )


def _read_data(header: Header, stream: IO[bytes], packed: int) -> Array:
    most = max(FREE_BYTES, MAX_RATIO * packed)
    if header.byte_count > most:
        raise InputError(
            f"{header.name} unpacks to {header.byte_count:,} bytes from {packed:,}: more than {MAX_RATIO} to 1",
            hint="Save it with numpy.savez, which does not compress.",
        )
    data = bytearray()
    while len(data) < header.byte_count:
        chunk = stream.read(min(CHUNK_BYTES, header.byte_count - len(data)))
        if not chunk:
            raise InputError(
                f"{header.name} is cut off: {len(data):,} of {header.byte_count:,} bytes are there"
            )
        data += chunk
    if stream.read(1):
        raise InputError(f"{header.name} has more bytes than its header states")
    flat = np.frombuffer(data, header.dtype)
    return flat.reshape(header.shape, order="F" if header.fortran_order else "C")


def headers_json(headers: Mapping[str, Header] | Sequence[Header]) -> list[FileArray]:
    """Headers as JSON: name, dtype, shape."""
    items = headers.values() if isinstance(headers, Mapping) else headers
    return [{"name": h.name, "dtype": _dtype_name(h.dtype), "shape": list(h.shape)} for h in items]


def _dtype_name(dtype: np.dtype[Any]) -> str:
    return f"bits{dtype.itemsize * 8}" if dtype.type is np.void else dtype.name
