"""Runs here what JAX has made for eight devices, and says what differs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engine.errors import ProgramError
from engine.frontend import load
from engine.ir.attributes import OpaqueAttribute
from engine.ir.shardings import sharding_of
from engine.ir.tilings import tiling_of
from engine.ops.process_groups import Grid
from engine.ops.values import leaves
from engine.process_grid import Launch, results_on_grid
from engine.program import BoundProgram
from engine.source import Source

from .client import Sharded
from .values import Array

RELATIVE = {"bf16": 4e-2, "f16": 1e-2}
"""How far results may be away, as a part of the largest, if a program has anything of the type; else a little."""
ELSE = 2e-5
DEVICES = Grid(1, 8)
Inputs = Callable[[BoundProgram], Sequence[tuple[Array, ...]]]


def differing(given: Sharded) -> str | None:
    """What differs, in any of the texts that are made of one program; `None` if nothing."""
    relative = next((found for name, found in RELATIVE.items() if f"{name}>" in given.mlir), ELSE)
    whole = [tuple(given.inputs)] * DEVICES.num_processes
    for name, text in (("case.mlir", given.mlir), ("case.hlo", given.hlo)):
        wrong = _wrong(text, name, lambda _: whole, given.results * DEVICES.num_processes, relative)
        if wrong:
            return wrong
    parts: Inputs = lambda program: _parts(program, given.inputs)  # noqa: E731
    return _wrong(given.partitioned, "case.hlo", parts, given.pieces, relative)


def run_whole(given: Sharded) -> list[tuple[Array, ...]]:
    """What each process has in the end, which began with all inputs."""
    program = load(Source(given.mlir)).program
    assert program is not None
    return results_on_grid(program, Launch.alike(DEVICES, tuple(given.inputs)))


def _wrong(text: str, name: str, inputs: Inputs, wanted: Sequence[Array], relative: float) -> str | None:
    """What differs from the results of all processes, one behind the other."""
    source = Source(text, name)
    loaded = load(source)
    if loaded.program is None:
        return "\n".join(found.located(source) for found in loaded.diagnostics)
    try:
        processes = results_on_grid(loaded.program, Launch(DEVICES, tuple(inputs(loaded.program))))
    except ProgramError as error:
        return f"{error}\n{text}"
    found = [leaf for results in processes for value in results for leaf in leaves(value)]
    wrong = mismatch(found, wanted, relative)
    return f"{name}: {wrong}\n{text}" if wrong else None


def _parts(program: BoundProgram, inputs: Sequence[Array]) -> list[tuple[Array, ...]]:
    """What each process has of the inputs: HLO states how its parameters are cut."""
    assert program.entry is not None
    stated = [found["sharding"] for found in program.entry.function.argument_attributes]
    tilings = [tiling_of(sharding_of(text.text)) for text in stated if isinstance(text, OpaqueAttribute)]
    return [
        tuple(tiling.cut(whole, device) for tiling, whole in zip(tilings, inputs, strict=True))
        for device in range(DEVICES.num_processes)
    ]


def mismatch(found: Sequence[Array], wanted: Sequence[Array], relative: float = ELSE) -> str | None:
    """What differs by more than a part of the largest, as a sentence."""
    if len(found) != len(wanted):
        return f"there are {len(found)} results, not {len(wanted)}"
    for number, (mine, theirs) in enumerate(zip(found, wanted, strict=True)):
        if (mine.shape, mine.dtype) != (theirs.shape, theirs.dtype):
            return f"result {number} is {mine.dtype}{mine.shape}, not {theirs.dtype}{theirs.shape}"
        if not _close(mine, theirs, relative):
            return f"result {number} is\n{mine.tolist()}\nnot\n{theirs.tolist()}"
    return None


def _close(mine: Array, theirs: Array, relative: float) -> bool:
    if mine.dtype.kind in "biu":
        return bool(np.array_equal(mine, theirs))
    a, b = mine.astype(np.complex128), theirs.astype(np.complex128)
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return False
    with np.errstate(invalid="ignore"):
        difference = np.nanmax(np.where(a == b, 0, np.abs(a - b)), initial=0)
    largest = np.max(np.abs(b), initial=0, where=np.isfinite(b))
    return bool(difference <= relative * largest)
