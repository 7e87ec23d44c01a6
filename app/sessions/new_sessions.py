"""Sessions made from program files, with their recorded inputs, and from other sessions."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..runs.formats.job import array_name, write_arguments
from ..runs.formats.program_file import Choices, ProgramFile
from ..runs.formats.service import Conversions, ConvertedFile
from ..store.files import file_pieces
from ..wire.sessions import FileSpec, InputSpec, OpenChoices, OpenedFile, OpenSize
from .run_conversion import is_refused
from .sessions import Sessions


@dataclass(frozen=True)
class StatedChoices:
    """The user's choices for a file that leaves sizes or a platform open."""

    sizes: Mapping[str, int] = field(default_factory=dict)
    platform: str | None = None

    @property
    def has_any(self) -> bool:
        """Whether anything was chosen."""
        return bool(self.sizes) or self.platform is not None


async def open_file(
    conversions: Conversions,
    sessions: Sessions,
    name: str,
    pieces: AsyncIterator[bytes],
    stated: StatedChoices,
) -> OpenedFile:
    """Create a session from an uploaded program file, or return the choices to make first.

    `ApiError` if the file contains no program.
    """
    async with (
        sessions.files.receive(pieces) as upload,
        conversions.read(upload.path, name, stated.sizes, stated.platform) as found,
    ):
        about: OpenedFile = {
            "id": None,
            "url": None,
            "name": found.name,
            "notes": list(found.notes),
            "choices": _choices(found.choices),
        }
        if found.choices.is_open and not stated.has_any:
            return about
        identifier = await _create(sessions, found)
    return {**about, "id": identifier, "url": f"/s/{identifier}", "choices": None}


async def create_of_program(sessions: Sessions, program: ProgramFile, name: str) -> str:
    """The id of a new session with a program that this process has already read."""
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
    """Recorded arguments as inputs; with several partitions, one for each process."""

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


async def copy_session(
    sessions: Sessions, identifier: str, number: int | None, *, text: str | None = None, called: str = ""
) -> str:
    """The id of a new session with the program, inputs and sources of a run.

    `number`: the run, by default the current one; `text`: a program that replaces the run's; `called`: the new id.
    """
    session = await sessions.session(identifier)
    if number is None:
        if session.current is None or is_refused(session.current):
            program = await sessions.shown_text(session) if text is None else text
            return await sessions.create(program, session.name, None, [], identifier=called)
        number = session.current.number
    run = await sessions.run_info(identifier, number)
    inputs = [argument["input"] for argument in run["arguments"]]
    given = run["feeds"]["given"] if run["feeds"] else ()
    program = run["text"] if text is None else text
    copied = await sessions.create(
        program, session.name, run["entry"], inputs, run["grid"], given, identifier=called
    )
    await sessions.stored.copy_sources(session.id_hash, copied)
    return copied
