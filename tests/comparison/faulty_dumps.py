"""Dumps of generated modules, and faults of a compiler planted into some of them."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np

import hloscope
from hloscope.app.passes.dump_files import open_dump
from hloscope.app.runs.value_files import write_values
from hloscope.app.xla.engine import XlaEngine
from hloscope.app.xla.failures import XlaFailed
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.values import leaves
from hloscope.engine.passes.names import parse_name
from tests.passes.planting import plant

from .modules import drawn_module

PROCESSES = 2
CHANGED = 0.01
"""Minimum difference of a result that a fault makes, as a part of the greatest magnitude in it."""


@dataclass(frozen=True)
class Fault:
    """A fault of a pass."""

    pass_name: str
    kind: str
    opcode: str

    def __str__(self) -> str:
        return f"{self.pass_name}, {self.opcode}, {self.kind}"


FAULTS = (
    Fault("algsimp", "off-by-one slice", "slice"),
    Fault("fusion", "swapped operands", "subtract"),
    Fault("algsimp", "wrong direction", "compare"),
    Fault("cse", "dropped start", "reduce"),
    Fault("algsimp", "dropped conversion", "convert"),
    Fault("layout-assignment", "wrong dimension", "broadcast"),
)


def dump_modules(folder: Path, count: int) -> list[Path]:
    """Dump so many different modules with their inputs, each into a folder of its own; existing ones are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, tuple[Path, list[Array]]] = {}
    seed = 0
    while len(found) < count:
        text, inputs = drawn_module(seed)
        found.setdefault(text, (folder / f"{seed:04}", inputs))
        seed += 1
    missing = [(text, *given) for text, given in found.items() if not given[0].is_dir()]
    with ThreadPoolExecutor(PROCESSES) as threads:
        list(threads.map(_dump_all, (missing[part::PROCESSES] for part in range(PROCESSES))))
    return [path for path, _ in found.values()]


def _dump_all(modules: Sequence[tuple[str, Path, list[Array]]]) -> None:
    with XlaEngine() as xla:
        for text, path, inputs in modules:
            with tempfile.TemporaryDirectory(dir=path.parent) as temporary:
                xla.dump(text, Path(temporary))
                prefix = next(Path(temporary).glob("*.before_optimizations.txt")).name.partition(".before")[0]
                arrays = {f"in_{number}": array for number, array in enumerate(inputs)}
                write_values(Path(temporary) / f"{prefix}.arguments.npz", arrays)
                shutil.copytree(temporary, path)


def copy_dumps(folders: Sequence[Path], target: Path) -> list[Path]:
    """Links to dumps, in which files can be replaced."""
    for folder in folders:
        shutil.copytree(folder, target / folder.name, copy_function=os.link)
    return [target / folder.name for folder in folders]


def plant_faults(folders: Sequence[Path], each: int, seed: int = 0) -> dict[str, Fault]:
    """Plant each fault into so many dumps; the names of their folders with the faults."""
    left = list(folders)
    Random(seed).shuffle(left)
    found: dict[str, Fault] = {}
    with XlaEngine() as xla:
        for fault in FAULTS:
            taken = list(_planted(left, fault, each, xla))
            left = [folder for folder in left if folder not in taken]
            found |= {folder.name: fault for folder in taken}
            if len(taken) < each:
                raise RuntimeError(f"only {len(taken)} modules have a place for the fault {fault}")
    return found


def _planted(folders: Sequence[Path], fault: Fault, each: int, xla: XlaEngine) -> Iterator[Path]:
    planted = (folder for folder in folders if _plant(folder, fault, xla))
    yield from islice(planted, each)


def _plant(folder: Path, fault: Fault, xla: XlaEngine) -> bool:
    """Plant a fault behind its pass, where it changes a result; whether there is such a place."""
    (module,) = open_dump(folder).modules
    inputs = list(np.load(next(folder.glob("*.arguments.npz"))).values())
    for at, stage in enumerate(module.stages):
        if stage.pass_name != fault.pass_name:
            continue
        healthy = (folder / stage.path).read_text()
        for planted in plant(healthy, fault.kind, fault.opcode):
            if _changes_results(healthy, planted.text, inputs):
                _rewrite(folder / stage.path, planted.text)
                later = [folder / found.path for found in module.stages[at + 1 :]]
                _compile_on(folder / stage.path, later, xla, fault)
                return True
    return False


def _changes_results(healthy: str, faulty: str, inputs: Sequence[Array]) -> bool:
    """Whether any result changes by more than rounding can explain."""
    one, other = (
        [leaf for value in hloscope.record(text, inputs).results() or () for leaf in leaves(value)]
        for text in (healthy, faulty)
    )
    pairs = [(np.asarray(x, np.float64), np.asarray(y, np.float64)) for x, y in zip(one, other, strict=True)]
    return any(np.abs(x - y).max(initial=0) > CHANGED * np.abs(x).max(initial=0) for x, y in pairs)


def _compile_on(faulty: Path, later: Sequence[Path], xla: XlaEngine, fault: Fault) -> None:
    """Replace the texts after a fault by what XLA makes of the faulty one.

    XLA compiles no text with fusions again: there the fault is in later texts that still have its instruction.
    """
    with tempfile.TemporaryDirectory() as temporary:
        try:
            xla.dump(faulty.read_text(), Path(temporary))
        except XlaFailed:
            for path in later:
                changed = next(plant(path.read_text(), fault.kind, fault.opcode), None)
                if changed is not None:
                    _rewrite(path, changed.text)
            return
        for path in later:
            path.unlink()
        number = parse_name(faulty.name).number or 0
        for path in Path(temporary).glob("*.txt"):
            name = parse_name(path.name)
            if name.is_stage and name.end != "before_optimizations":
                shutil.copy(path, faulty.parent / _name_behind(path.name, faulty.name, number + 1))


def _rewrite(path: Path, text: str) -> None:
    """Write a text in place of a file, which may be a link to that of a healthy dump."""
    path.unlink()
    path.write_text(text)


def _name_behind(name: str, faulty: str, shift: int) -> str:
    """The name of a text in the dump of the faulty one."""
    module = faulty.partition(".0")[0]
    rest = name.split(".", 2)[2]
    number, _, pass_part = rest.partition(".")
    return f"{module}.{int(number) + shift:04}.{pass_part}" if number.isdecimal() else f"{module}.{rest}"
