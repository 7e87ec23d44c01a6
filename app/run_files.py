"""The values of a run in files: an `.npz` of named values, or a folder of probes as StableHLO's interpreter writes it."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.errors import InputError
from hloscope.engine.ops.core.values import is_tuple

from .npz import MAX_MEMBERS, read_arrays

Array = NDArray[Any]
INDEX = "index.csv"


def is_run_file(path: Path) -> bool:
    """Whether a path holds values rather than a program."""
    return path.suffix in (".npz", ".npy") or (path.is_dir() and (path / INDEX).is_file())


def read_run(path: Path, budget: int) -> dict[str, Array]:
    """The values of another run by name; `InputError` names what is wrong with a file."""
    return _read_probes(path, budget) if path.is_dir() else read_arrays(path, None, budget)


def _read_probes(folder: Path, budget: int) -> dict[str, Array]:
    """Values by the names of their probes, of one that was there several times as `name[0]`, `name[1]`, …."""
    with (folder / INDEX).open(newline="", encoding="utf-8") as stream:
        rows = [row for row in csv.reader(stream) if row]
    if len(rows) > MAX_MEMBERS:
        raise InputError(f"{INDEX} of {folder.name} lists {len(rows)} values; at most {MAX_MEMBERS} are read")
    found: dict[str, list[Array]] = {}
    for row in rows:
        if len(row) < 3:
            raise InputError(
                f"{INDEX} of {folder.name}: a line has a name, a type and a file, not {','.join(row)!r}"
            )
        name, file = row[0], folder / Path(row[2]).name  # a file beside the index, wherever that was written
        if not file.is_file():
            raise InputError(f"{INDEX} of {folder.name} names {file.name}, which is not there")
        (value,) = read_arrays(file, None, budget).values()
        budget -= value.nbytes
        found.setdefault(name, []).append(value)
    return {
        name if len(values) == 1 else f"{name}[{number}]": value
        for name, values in found.items()
        for number, value in enumerate(values)
    }


def write_run(path: Path, values: Mapping[str, Any]) -> None:
    """Named values as `.npz`; what NumPy has no type of as bits, tuples not at all."""
    arrays = {name: np.asarray(value) for name, value in values.items()}
    plain: dict[str, Any] = {name: _plain(value) for name, value in arrays.items() if not is_tuple(value)}
    if len(plain) > MAX_MEMBERS:
        raise InputError(
            f"the run has {len(plain):,} values; a file has at most {MAX_MEMBERS:,}",
            hint="Save a mapping with those that matter.",
        )
    with path.open("wb") as stream:
        np.savez(stream, **plain)


def _plain(value: Array) -> Array:
    if value.dtype.type.__module__ == "numpy":
        return value
    return np.ascontiguousarray(value).view(f"u{value.dtype.itemsize}")
