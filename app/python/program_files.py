"""Read programs in forms other than text, from Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hloscope.engine.errors import InputError
from hloscope.engine.limits import DEFAULT_LIMITS, Limits

from ..base.faults import separate_faults
from ..runs.formats.program_file import ProgramFile
from ..runs.formats.reading import read_program as read_bytes


def read_program(
    source: bytes | str | Path,
    *,
    sizes: Mapping[str, int] | None = None,
    platform: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> ProgramFile:
    """Read a program from a file or bytes: its `text`, the `inputs` of a snapshot, its source.

    The content determines the format: text, MLIR bytecode, StableHLO portable artifacts of any version, what
    `jax.export` serialises, HloModuleProto, HloProto, HloSnapshot and HloUnoptimizedSnapshot, and a gzip file
    or zip archive of one of these. jaxlib converts all but text in a separate process: `pip install
    'hloscope[xla]'`.

    `sizes` set the dimensions that `jax.export` left open, such as `{"b": 8}`; `choices` lists the sizes
    proposed for the others. `platform` is one of those that the program was exported for. `ProgramError` says
    why a file cannot be read, `LimitError` which limit it exceeds.
    """
    data, name = (source, "the program") if isinstance(source, bytes) else _read(Path(source), limits)
    with separate_faults():
        return read_bytes(data, name, sizes=sizes, platform=platform, limits=limits)


def _read(path: Path, limits: Limits) -> tuple[bytes, str]:
    try:
        with path.open("rb") as stream:
            return stream.read(limits.max_program_bytes + 1), path.name
    except OSError as error:
        raise InputError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from None
