"""A recording as a file: its program and all inputs. Loading computes the same values again.

The file is an `.npz`: `program` is the text and `about` the rest, both as bytes; arrays are those of inputs,
queues and results from outside of the program, and values that another engine has computed. The reader does not trust the file: no pickle, and within
limits. Values are bit for bit the same.
"""

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import InputError
from hloscope.engine.limits import Limits
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.ops.core.values import is_tuple, tuple_of
from hloscope.engine.outside_results import Answers, Bindings, ListedAnswers
from hloscope.engine.process_grid.launch import Launch, QueueKey
from hloscope.engine.program import BoundProgram

from ..base.versions import installed_version
from ..processes.arrays import Array
from .array_files.forms import DAMAGED
from .array_files.stored import MOST_ARRAYS, as_bits
from .executed_values import KEPT, KeptExecutor, kept_arrays, kept_executor
from .npz import read_arrays

FORM = 2
"""Version of the file format; a file with a higher one comes from a later version. Form 2 has offsets of results."""


@dataclass
class _Arrays:
    """The arrays of a file, each stored once."""

    arrays: dict[str, Array] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)

    def add(self, value: Array) -> Any:
        """Store a value's array, and return the value's description."""
        if is_tuple(value):
            return {"tuple": [self.add(part) for part in value]}
        if id(value) not in self.names:
            self.names[id(value)] = f"array_{len(self.names)}"
            self.arrays[self.names[id(value)]] = as_bits(value)
        return {"array": self.names[id(value)], "dtype": value.dtype.name}

    def add_all(self, values: Sequence[Array]) -> list[Any]:
        """The descriptions of several values."""
        return [self.add(value) for value in values]


def save_recording(
    recording: Recording,
    path: Path,
    name: str,
    entry: str | None,
    bindings: Bindings,
    device: Mapping[str, Any] | None = None,
) -> None:
    """Write a recording to a file; `InputError` if it exceeds the maximum number of arrays.

    `device`: the facts about the engine that computed its values, which are written too.
    """
    kept = _Arrays()
    feeds = recording.fed_items
    about = {
        "form": 1 if device is None else FORM,
        "version": installed_version() or "of a checkout",
        "name": name,
        "file": recording.program.module.source.name,
        "entry": entry,
        "grid": [recording.grid.num_replicas, recording.grid.num_partitions],
        "steps": recording.step_count,
        "inputs": [kept.add_all(values) for values in recording.launch.inputs],
        "feeds": [
            [key.kind, key.channel, key.process, [kept.add_all(item) for item in items]]
            for key, items in feeds.items()
        ],
        "bindings": [
            [op, kept.add_all(values)] for op, values in bindings.items() if not isinstance(values, Answers)
        ],
        "answers": [
            [
                op,
                [
                    [process, [kept.add_all(found) for found in each]]
                    for process, each in values.listed().items()
                ],
            ]
            for op, values in bindings.items()
            if isinstance(values, Answers)
        ],
    }
    if device is not None and recording.executor is not None:
        about["device"] = dict(device)
        kept.arrays |= kept_arrays(recording)
    if len(kept.arrays) + 2 > MOST_ARRAYS:
        raise InputError(f"the run was given {len(kept.arrays):,} arrays; a file has at most {MOST_ARRAYS:,}")
    write_run(path, recording.program.module.source.text, about, kept.arrays)


def write_run(path: Path, text: str, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Write the file of a recording."""
    program, described = (np.frombuffer(each.encode(), np.uint8) for each in (text, json.dumps(about)))
    with path.open("wb") as stream:
        np.savez_compressed(stream, program=program, about=described, **arrays)  # type: ignore[arg-type]


@dataclass(frozen=True)
class SavedRun:
    """The contents of a file."""

    text: str
    name: str
    file: str
    entry: str | None
    launch: Launch
    bindings: Bindings
    steps: int
    """The number of recorded steps."""
    device: Mapping[str, Any] | None = None
    """The facts about the engine that computed its values, if it was not ours."""
    arrays: Mapping[str, Array] = field(default_factory=dict, repr=False)

    def executor(self, program: BoundProgram) -> KeptExecutor | None:
        """Hands out the values of the file to a run of its program; `None` if it has none."""
        if self.device is None:
            return None
        return kept_executor(program, self.arrays, str(self.device["computed_by"]), self.device)


def is_saved_run(path: Path) -> bool:
    """Whether a file is an archive that `save_recording` wrote, by the names of its members."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {"program.npy", "about.npy"} <= set(archive.namelist())
    except DAMAGED:
        return False


def load_run(path: Path, limits: Limits) -> SavedRun:
    """Read a file that `save_recording` wrote; `InputError` for any other file."""
    arrays = read_arrays(path, None, limits.session_memory_bytes)
    with damaged_if_it_lacks(path):
        text, about = _texts(arrays, path)
        return SavedRun(
            text, str(about["name"]), str(about["file"]), about["entry"], _launch(about, arrays),
            _bindings(about, arrays), int(about["steps"]),
            about.get("device") if arrays.keys() >= set(KEPT) else None, arrays,
        )  # fmt: skip


def read_texts(path: Path, most_bytes: int) -> tuple[str, dict[str, Any]]:
    """The program and the description of a saved recording, without its other arrays; `InputError` for any other file."""
    with damaged_if_it_lacks(path):
        return _texts(read_arrays(path, ("program", "about"), most_bytes), path)


@contextmanager
def damaged_if_it_lacks(path: Path) -> Iterator[None]:
    """Raise `InputError` if a description lacks something, or has it in another form."""
    try:
        yield
    except (KeyError, IndexError, ValueError, TypeError, AttributeError, RecursionError, OverflowError):
        raise InputError(f"{path.name} is not a recording that hloscope has saved") from None


def _texts(arrays: Mapping[str, Array], path: Path) -> tuple[str, dict[str, Any]]:
    about: dict[str, Any] = json.loads(arrays["about"].tobytes())
    if about["form"] > FORM:
        raise InputError(
            f"{path.name} was saved by hloscope {about['version']!s:.40}",
            hint="Install that version, or a later one.",
        )
    return arrays["program"].tobytes().decode(), about


def _bindings(about: Mapping[str, Any], arrays: Mapping[str, Array]) -> Bindings:
    same: dict[int, tuple[Array, ...] | Answers] = {
        int(op): _values(values, arrays) for op, values in about["bindings"]
    }
    for op, processes in about["answers"]:
        listed = {int(process): [_values(found, arrays) for found in each] for process, each in processes}
        same[int(op)] = ListedAnswers(listed)
    return same


def _launch(about: Mapping[str, Any], arrays: Mapping[str, Array]) -> Launch:
    replicas, partitions = about["grid"]
    feeds = {
        QueueKey(kind, channel, process): tuple(_values(item, arrays) for item in items)
        for kind, channel, process, items in about["feeds"]
    }
    inputs = tuple(_values(values, arrays) for values in about["inputs"])
    return Launch(Grid(int(replicas), int(partitions)), inputs, feeds)


def _values(described: Sequence[Any], arrays: Mapping[str, Array]) -> tuple[Array, ...]:
    return tuple(_value(each, arrays) for each in described)


def _value(described: Mapping[str, Any], arrays: Mapping[str, Array]) -> Array:
    if "tuple" in described:
        return tuple_of(_values(described["tuple"], arrays))
    found, dtype = arrays[described["array"]], _dtype(described["dtype"])
    return found if found.dtype == dtype else found.view(dtype)


def _dtype(name: str) -> np.dtype[Any]:
    import ml_dtypes

    found = getattr(ml_dtypes, name, None) if name in vars(ml_dtypes) else None
    return np.dtype(found if found is not None else name)
