"""Sessions of files in any form: what a file of a program comes to becomes the text of a session, and what was recorded in it its inputs."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..runs.formats import Choices, ProgramFile
from ..runs.formats.job import array_name, write_arguments
from ..runs.formats.service import Conversions, ConvertedFile
from ..store.files import file_pieces
from ..wire.sessions import FileSpec, InputSpec, OpenChoices, OpenedFile, OpenSize
from .sessions import Sessions


@dataclass(frozen=True)
class Wanted:
    """What somebody has chosen of what a file leaves open."""

    sizes: Mapping[str, int] = field(default_factory=dict)
    platform: str | None = None

    @property
    def is_stated(self) -> bool:
        """Whether anything was chosen."""
        return bool(self.sizes) or self.platform is not None


async def open_file(
    conversions: Conversions,
    sessions: Sessions,
    name: str,
    pieces: AsyncIterator[bytes],
    wanted: Wanted,
) -> OpenedFile:
    """A session with the program in a file that has come in; or what is to be chosen first. `ApiError` if it holds none."""
    async with (
        sessions.files.receive(pieces) as upload,
        conversions.read(upload.path, name, wanted.sizes, wanted.platform) as found,
    ):
        about: OpenedFile = {
            "id": None,
            "url": None,
            "name": found.name,
            "notes": list(found.notes),
            "choices": _choices(found.choices),
        }
        if found.choices.is_open and not wanted.is_stated:
            return about
        identifier = await _create(sessions, found)
    return {**about, "id": identifier, "url": f"/s/{identifier}", "choices": None}


async def create_of_program(sessions: Sessions, program: ProgramFile, name: str) -> str:
    """The id of a new session with a program that this process has read itself."""
    counts = tuple(len(arrays) for arrays in program.partitions)
    with tempfile.TemporaryDirectory(prefix="hloscope-file-") as folder:
        arrays = Path(folder) / "arguments.npz"
        if counts:
            await asyncio.to_thread(write_arguments, arrays, program)
        found = ConvertedFile(program.text, name, program.kind, program.notes, Choices(), counts, arrays)
        return await _create(sessions, found)


async def _create(sessions: Sessions, found: ConvertedFile) -> str:
    if not found.arguments:
        return await sessions.create(found.text, found.name, None, [])
    async with sessions.files.receive(file_pieces(found.arrays)) as upload:
        inputs = _recorded_inputs(upload.name, found.arguments)
        return await sessions.create(found.text, found.name, None, inputs, upload=upload)


def _recorded_inputs(file: str, arguments: Sequence[int]) -> list[InputSpec | None]:
    """The arguments of an execution as inputs: of several partitions one for each process."""

    def spec(partition: int, number: int) -> FileSpec:
        return {"kind": "file", "file": file, "array": array_name(partition, number)}

    if len(arguments) == 1:
        return [spec(0, number) for number in range(arguments[0])]
    return [
        {"kind": "each", "specs": [spec(partition, number) for partition in range(len(arguments))]}
        for number in range(min(arguments))
    ]


def _choices(choices: Choices) -> OpenChoices | None:
    if not choices.is_open:
        return None
    sizes: list[OpenSize] = [{"name": name, "size": size} for name, size in choices.sizes.items()]
    return {"sizes": sizes, "platforms": list(choices.platforms), "platform": choices.platform}
