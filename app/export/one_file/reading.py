"""Read the program, inputs and position from a saved page, which is untrusted.

Nothing in it is run, and only the named parts are read: a tag as we write it, base64, a deflated stream of
limited size. The contents are validated like a request of any page.
"""

import binascii
import json
import re
import zlib
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from math import prod
from mmap import mmap
from typing import Annotated, Any
from zipfile import ZipFile, is_zipfile

import numpy as np
from pydantic import Field, ValidationError

from hloscope.engine.ops.core.op import Array

from ...wire.input_files import renamed
from ...wire.requests import Breakpoints, Feeds, GridSize, Inputs, Name, Path, Schema, Step
from .collecting import elements_path
from .page import FORMAT
from .session import INPUTS, npz_of

_GENERATOR = re.compile(rb'<meta name="generator" content="hloscope page (\d{1,6})">')
_PART = rb'<script type="application/octet-stream" data-part="%s">([A-Za-z0-9+/=]*)</script>'
_FILE_NAME = re.compile(r"[\w.-]{1,80}", re.ASCII)
_DTYPES = {"bool", "float32", "float64", "complex64", "complex128"} | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}
HEAD_BYTES = 4_096
FREE_BYTES = 4 << 20
"""Decompressed bytes that a part may always have, whatever the limits are."""
MOST_FILES = 1_000


class NotAPage(Exception):
    """The file is not a saved page, or damaged; the message is for the user."""


@dataclass(frozen=True)
class OpenedPage:
    """The session in a page."""

    name: str
    text: str
    draft: str
    entry: str | None
    inputs: list[Any]
    grid: dict[str, int]
    feeds: list[Any]
    breakpoints: list[Any]
    step: int
    path: list[Any]
    sources: dict[str, str]
    files: dict[str, bytes]
    """The .npz files of inputs of kind `file`, by their names in the inputs."""
    device: dict[str, Any] | None = None
    """The facts about the engine whose values the file has, if it is a recording with such values."""


class Device(Schema):
    """The facts about the engine that computed the values of a recording."""

    computed_by: Name
    unmodified: str
    notes: list[str]


class _Checked(Schema):
    """The validated contents of a page, within the limits of requests."""

    name: Name
    text: str
    draft: str
    entry: Name | None
    inputs: Inputs
    grid: GridSize
    feeds: Feeds
    breakpoints: Breakpoints
    step: Step
    path: Path
    sources: Annotated[dict[str, str], Field(max_length=10_000)]
    device: Device | None


def is_page(start: bytes) -> bool:
    """Whether a file with these first bytes is a saved page."""
    return _GENERATOR.search(start[:HEAD_BYTES]) is not None


def read_page(data: bytes | mmap, most_bytes: int) -> OpenedPage:
    """Read a saved page; each part may decompress to `most_bytes`. Raises `NotAPage`."""
    found = _GENERATOR.search(data[:HEAD_BYTES])
    if found is None:
        raise NotAPage("This is not a page saved by hloscope.")
    if int(found[1]) > FORMAT:
        raise NotAPage("A newer hloscope saved this page: install the newest version to open it.")
    return _Reader(data, most_bytes).read()


class _Reader:
    def __init__(self, data: bytes | mmap, most_bytes: int) -> None:
        self.data, self.limit = data, max(most_bytes, FREE_BYTES)
        self._unpacked: dict[str, bytes] = {}
        self._used = 0

    def read(self) -> OpenedPage:
        names: list[str] = []
        page = checked_session(self.json("session"), self.json("sources"), names)
        return replace(page, files={name: self.file(name) for name in names})

    def file(self, name: str) -> bytes:
        """The arrays of inputs as a file: an uploaded one, or those in the page."""
        if name != INPUTS:
            return self.part(name)
        arrays = {key: self.array(place) for key, place in self.json("arrays").items()}
        return _joined(self.part(name) if self.has(name) else b"", arrays)

    def array(self, place: Any) -> Array:
        """An array among the responses in the page."""
        try:
            dtype, shape, address = (
                str(place["dtype"]),
                tuple(map(int, place["shape"])),
                str(place["address"]),
            )
            pack, start, size = map(int, self.json("index")["answers"][elements_path(address)][:3])
            window = self.part(f"pack-{pack}")[start : start + size]
            length = int.from_bytes(window[:4], "little")
            if dtype not in _DTYPES or min(shape, default=0) < 0:
                raise ValueError(dtype)
            data = window[-(-(4 + length) // 8) * 8 :]
            return np.frombuffer(data, np.dtype(dtype).newbyteorder("<"), prod(shape)).reshape(shape)
        except (KeyError, TypeError, ValueError, OverflowError):
            raise NotAPage("The page is damaged: an input is not among its values.") from None

    def has(self, name: str) -> bool:
        """Whether there is a part with that name."""
        return re.search(_PART % re.escape(name.encode()), self.data) is not None

    def part(self, name: str) -> bytes:
        """The contents of a part. All parts together have at most twice the limit."""
        if name not in self._unpacked:
            self._unpacked[name] = self._unpack(name)
            self._used += len(self._unpacked[name])
            if self._used > 2 * self.limit:
                raise NotAPage(f"The parts of the page are larger than {2 * self.limit:,} bytes in total.")
        return self._unpacked[name]

    def _unpack(self, name: str) -> bytes:
        found = re.findall(_PART % re.escape(name.encode()), self.data)
        if len(found) != 1:
            how = "more than once" if found else "not"
            raise NotAPage(f"The page is damaged: the part {name} is {how} in it.")
        unpacker = zlib.decompressobj(-15)
        try:
            unpacked = unpacker.decompress(b64decode(found[0], validate=True), self.limit + 1)
        except (binascii.Error, zlib.error):
            raise NotAPage(f"The page is damaged: hloscope cannot unpack its part {name}.") from None
        if len(unpacked) > self.limit:
            raise NotAPage(f"The part {name} of the page is larger than {self.limit:,} bytes.")
        if not unpacker.eof:
            raise NotAPage(f"The page is damaged: its part {name} ends too early.")
        return unpacked

    def json(self, name: str) -> dict[str, Any]:
        """A part that is an object."""
        try:
            found = json.loads(self.part(name))
        except (ValueError, RecursionError):
            raise NotAPage(f"The page is damaged: its part {name} is not JSON.") from None
        if not isinstance(found, dict):
            raise NotAPage(f"The page is damaged: its part {name} is not an object.")
        return found


def _joined(npz: bytes, arrays: Mapping[str, Array]) -> bytes:
    """A file with the arrays of both. Existing files are copied unread."""
    if not npz:
        return npz_of(arrays)
    stream = BytesIO(npz)
    if not is_zipfile(stream):
        raise NotAPage("The page is damaged: its inputs are not a file of arrays.")
    with ZipFile(stream, "a") as archive, ZipFile(BytesIO(npz_of(arrays))) as others:
        for name in others.namelist():
            archive.writestr(name, others.read(name))
    return stream.getvalue()


def checked_session(
    session: dict[str, Any], sources: dict[str, Any], names: list[str], device: dict[str, Any] | None = None
) -> OpenedPage:
    """The session of a page, without its files. `names` collects their names. Raises `NotAPage`."""
    given = _check(session, sources, names, device).model_dump(exclude_unset=True)
    of_files = dict(zip(map(_hash_like, range(len(names))), names, strict=True))
    for part in ("inputs", "feeds"):
        given[part] = renamed(given[part], of_files)
    return OpenedPage(**given, files={})


def _check(
    session: dict[str, Any], sources: dict[str, Any], names: list[str], device: dict[str, Any] | None
) -> _Checked:
    """Validate the known fields, and drop all others. `names` collects those of files."""
    try:
        run = session["run"]
        feeds = run["feeds"] or {}
        given = {
            "name": session["name"], "draft": session["text"], "breakpoints": session["breakpoints"],
            "step": session["position"]["step"], "path": session["position"]["path"],
            "text": run["text"], "entry": run["entry"], "grid": run["grid"],
            "inputs": _without_names([argument["input"] for argument in run["arguments"]], names),
            "feeds": _without_names([*feeds.get("given", ()), *feeds.get("later", ())], names),
            "sources": sources, "device": device,
        }  # fmt: skip
        return _Checked.model_validate(given)
    except (KeyError, TypeError, AttributeError, ValueError, ValidationError, RecursionError):
        raise NotAPage("The file is damaged: the description of its session is invalid.") from None


def _hash_like(number: int) -> str:
    """A placeholder for a file name during validation, in the form of an uploaded file's."""
    return f"{number:064x}"


def _without_names(spec: Any, names: list[str]) -> Any:
    """Specifications with numbers for file names, which are added to `names`."""
    if isinstance(spec, list):
        return [_without_names(item, names) for item in spec]
    if not isinstance(spec, dict):
        return spec
    if spec.get("kind") == "file":
        name = spec["file"]
        if not isinstance(name, str) or not _FILE_NAME.fullmatch(name) or len(names) > MOST_FILES:
            raise ValueError(name)
        if name not in names:
            names.append(name)
        return {"kind": "file", "file": _hash_like(names.index(name)), "array": spec["array"]}
    return {key: _without_names(value, names) for key, value in spec.items()}
