"""Files with the values of a run: an `.npz` of named values, buffers that XLA saved, or an interpreter's probe folder."""

import csv
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hloscope.engine.comparison.difference import Tolerance
from hloscope.engine.comparison.runs import RunComparison, compare_named
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import InputError, LimitError
from hloscope.engine.ops.core.devices import Device, devices_named
from hloscope.engine.ops.core.values import is_tuple
from hloscope.engine.passes.protocol_buffers import WireError
from hloscope.engine.passes.saved_buffers import read_saved_buffers

from ..processes.arrays import Array
from .array_files.forms import form_of
from .array_files.stored import MOST_ARRAYS, Header, as_bits, check_count
from .npz import INDEX, read_arrays, read_headers, read_index

SAVED_BUFFERS = ".tfrecord"
"""The extension of files in which XLA saves buffers."""
ABOUT = "hloscope.about"
"""Name of the array with the values' origin: the bytes of a JSON text."""
MOST_ABOUT_BYTES = 1 << 16


def is_value_file(path: Path) -> bool:
    """Whether a path holds values, not a program."""
    return path.suffix in (".npz", ".npy", SAVED_BUFFERS) or (path.is_dir() and (path / INDEX).is_file())


def read_values(path: Path, budget: int) -> dict[str, Array]:
    """The values of another run by name. Raises `InputError` with the file's problem."""
    if path.is_dir():
        return _read_probes(path, budget)
    if form_of(path) == "saved_buffers":
        return _read_saved_buffers(path, budget)
    found = read_arrays(path, None, budget)
    index = read_index(path)
    return found if index is None else _read_zipped_probes(path, found, index)


def read_value_headers(file: Path, budget: int) -> tuple[Header, ...]:
    """The headers of the values of a file."""
    if form_of(file) != "saved_buffers":
        return read_headers(file, budget)
    buffers = _read_saved_buffers(file, budget)
    return tuple(Header(name, value.dtype, value.shape) for name, value in buffers.items())


def _read_saved_buffers(file: Path, budget: int) -> dict[str, Array]:
    """The buffers that XLA saved, by the names of instructions, each in the order of its memory."""
    if file.stat().st_size > budget:
        raise LimitError(
            f"{file.name} has {file.stat().st_size:,} bytes; {budget:,} are left",
            label="session_memory_bytes",
        )
    try:
        found = dict(read_saved_buffers(file.read_bytes()))
    except WireError as error:
        raise InputError(f"{file.name} is not a file of buffers that XLA saved: {error}") from None
    check_count(len(found), file.name)
    return found


def _read_zipped_probes(archive: Path, found: Mapping[str, Array], index: str) -> dict[str, Array]:
    """The values of a zipped probe folder."""
    arrays = {Path(name).name: value for name, value in found.items()}

    def read(file: str) -> Array:
        name = Path(file).name.removesuffix(".npy")
        if name not in arrays:
            raise InputError(f"{INDEX} of {archive.name} names {name}.npy, which is not there")
        return arrays[name]

    return _named_probes(archive.name, csv.reader(index.splitlines()), read)


def read_about(values: Mapping[str, Array]) -> dict[str, Any]:
    """The origin of a file's values; empty if it is missing or in another form."""
    found = values.get(ABOUT)
    if found is None or found.dtype != np.uint8 or found.nbytes > MOST_ABOUT_BYTES:
        return {}
    try:
        about = json.loads(found.tobytes())
    except ValueError:
        return {}
    return about if isinstance(about, dict) else {}


def device_of_values(values: Mapping[str, Array]) -> Device:
    """How the device rounds that computed a file's values; any device, if the file does not say."""
    return devices_named(str(read_about(values).get("engine", "")))


def compare_with_values(
    recording: Recording, values: Mapping[str, Array], tolerance: Tolerance | None
) -> RunComparison:
    """Compare a run with a file's values, by the rounding of the device that computed them."""
    named = {name: value for name, value in values.items() if name != ABOUT}
    return compare_named(recording, named, tolerance, device_of_values(values))


def about_array(about: Mapping[str, Any]) -> Array:
    """The origin as an array of a file."""
    return np.frombuffer(json.dumps(about).encode(), np.uint8)


def _read_probes(folder: Path, budget: int) -> dict[str, Array]:
    """Values by probe name; repeated ones as `name[0]`, `name[1]`, …."""
    left = budget

    def read(name: str) -> Array:
        nonlocal left
        file = folder / Path(name).name  # a file beside the index, wherever the index was written
        if not file.is_file():
            raise InputError(f"{INDEX} of {folder.name} names {file.name}, which is not there")
        (value,) = read_arrays(file, None, left).values()
        left -= value.nbytes
        return value

    with (folder / INDEX).open(newline="", encoding="utf-8") as stream:
        return _named_probes(folder.name, csv.reader(stream), read)


def _named_probes(where: str, lines: Iterable[list[str]], read: Callable[[str], Array]) -> dict[str, Array]:
    """The values that the lines of an index name."""
    rows = [row for row in lines if row]
    if len(rows) > MOST_ARRAYS:
        raise InputError(f"{INDEX} of {where} lists {len(rows)} values; at most {MOST_ARRAYS} are read")
    found: dict[str, list[Array]] = {}
    for row in rows:
        if len(row) < 3:
            raise InputError(
                f"{INDEX} of {where}: a line has a name, a type and a file, not {','.join(row)!r}"
            )
        found.setdefault(row[0], []).append(read(row[2]))
    return {
        name if len(values) == 1 else f"{name}[{number}]": value
        for name, values in found.items()
        for number, value in enumerate(values)
    }


def write_values(path: Path, values: Mapping[str, Any]) -> None:
    """Write named values as `.npz`; types unknown to NumPy as bits, without tuples."""
    arrays = {name: np.asarray(value) for name, value in values.items()}
    plain: dict[str, Any] = {name: as_bits(value) for name, value in arrays.items() if not is_tuple(value)}
    if len(plain) > MOST_ARRAYS:
        raise InputError(
            f"the run has {len(plain):,} values; a file has at most {MOST_ARRAYS:,}",
            hint="Save a mapping with those that matter.",
        )
    with path.open("wb") as stream:
        np.savez(stream, **plain)
