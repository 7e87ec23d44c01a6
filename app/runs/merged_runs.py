"""Merges the recordings that each host of a run saved, with the values of its own devices."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hloscope.engine.errors import InputError
from hloscope.engine.frontend import load
from hloscope.engine.limits import Limits
from hloscope.engine.source import Source

from .executed_values import KEPT, KeptValues, kept_executor
from .saved_runs import SavedRun, load_run, write_run


@dataclass(frozen=True)
class MergedRun:
    """What was joined; it prints as the lines of `hloscope merge`."""

    processes: Mapping[Path, Sequence[int]]
    """The processes of each file."""
    missing: tuple[int, ...]
    """The processes of no file."""
    values: int
    """The number of executed operations whose results are kept."""
    repeated: int
    """The number of those whose results have the bits of others, and are stored once."""

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """The processes of each file, and the number of values."""
        for path, processes in self.processes.items():
            yield f"{path.name}: processes {_listed(processes)}"
        if self.missing:
            yield f"no file has the values of the processes {_listed(self.missing)}: hloscope computes them"
        yield f"results of {self.values:,} operations; {self.repeated:,} have the bits of others and are stored once"


def merge_runs(paths: Sequence[Path], output: Path, limits: Limits) -> MergedRun:
    """Write one file of those of several hosts. Raises `InputError` if they are not of the same run."""
    if not paths:
        raise InputError("there is no file to merge", hint="Name the file of each host.")
    runs = {path: load_run(path, limits) for path in paths}
    first = runs[paths[0]]
    processes = {path: _processes(path, run) for path, run in runs.items()}
    for path, run in runs.items():
        _check_same(paths[0], first, path, run)
    owners: dict[int, Path] = {}
    for path, numbers in processes.items():
        for number in numbers:
            if number in owners:
                raise InputError(
                    f"{owners[number].name} and {path.name} both have the values of process {number}"
                )
            owners[number] = path
    program = load(Source(first.text, first.file), limits).program
    assert program is not None
    kept = KeptValues()
    for run in runs.values():
        for (process, step), (op, values) in kept_executor(program, run.arrays, "").results.items():
            kept.add(process, step, op, values)
    missing = tuple(sorted(set(range(first.launch.grid.num_processes)) - set(owners)))
    about = json.loads(first.arrays["about"].tobytes())
    about["device"] = _device(
        [(processes[path], run.device or {}) for path, run in runs.items()],
        sorted(owners) if missing else None,
    )
    inputs = {name: array for name, array in first.arrays.items() if name not in (*KEPT, "about", "program")}
    write_run(output, first.text, about, inputs | kept.arrays())
    return MergedRun(processes, missing, len(kept.rows), len(kept.rows) - kept.distinct)


def _processes(path: Path, run: SavedRun) -> Sequence[int]:
    found = (run.device or {}).get("processes")
    if found is None:
        raise InputError(
            f"{path.name} is not the recording of one of several hosts",
            hint='There, hloscope.record(f, x, on="device").save("host0.npz") writes one.',
        )
    return [int(number) for number in found]


def _check_same(first: Path, one: SavedRun, path: Path, other: SavedRun) -> None:
    told = f"{first.name} and {path.name} are not of the same run"
    if one.text != other.text:
        raise InputError(f"{told}: their programs differ")
    if (one.launch.grid, one.steps, one.entry) != (other.launch.grid, other.steps, other.entry):
        raise InputError(f"{told}: they have {one.steps:,} and {other.steps:,} steps")
    names = {name for name in one.arrays if name not in (*KEPT, "about")}
    for name in sorted(names):
        if name not in other.arrays or not np.array_equal(_bits(one.arrays[name]), _bits(other.arrays[name])):
            raise InputError(f"{told}: their inputs differ")


def _bits(array: Any) -> Any:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def _device(
    hosts: Sequence[tuple[Sequence[int], Mapping[str, Any]]], processes: Sequence[int] | None
) -> dict[str, Any]:
    """The facts about the devices of all hosts, each with the processes of its host."""
    names = _by_processes((numbers, [str(facts["computed_by"])]) for numbers, facts in hosts)
    devices = " and ".join(f"{name} ({whose})" if whose else name for name, whose in names)
    bits = _by_processes((numbers, [str(facts["unmodified"])]) for numbers, facts in hosts)
    is_same = all(facts["same_bits"] for _, facts in hosts)
    everywhere = f", on all {len(hosts)} hosts" if is_same and len(hosts) > 1 and processes is None else ""
    notes = _by_processes((numbers, facts["notes"]) for numbers, facts in hosts)
    return {
        "computed_by": f"{devices}, {len(hosts)} {'host' if len(hosts) == 1 else 'hosts'}",
        "unmodified": "; ".join(_sentences(bits)) + everywhere,
        "same_bits": is_same,
        "notes": [*_sentences(notes)],
        **({} if processes is None else {"processes": processes}),
    }


def _by_processes(said: Iterable[tuple[Sequence[int], Sequence[str]]]) -> list[tuple[str, str]]:
    """Each sentence once, with the processes for which it is true; with none if it is true for all."""
    everyone: set[int] = set()
    true_for: dict[str, set[int]] = {}
    for numbers, sentences in said:
        everyone.update(numbers)
        for sentence in sentences:
            true_for.setdefault(sentence, set()).update(numbers)
    return [
        (sentence, "" if numbers == everyone else f"processes {_listed(sorted(numbers))}")
        for sentence, numbers in true_for.items()
    ]


def _sentences(found: Iterable[tuple[str, str]]) -> Iterator[str]:
    return (f"{whose}: {sentence}" if whose else sentence for sentence, whose in found)


def _listed(processes: Sequence[int]) -> str:
    return ", ".join(map(str, processes))
