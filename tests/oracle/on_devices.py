"""Runs here what JAX has made for eight devices, and says what differs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hloscope.engine.communication import check_collectives
from hloscope.engine.errors import ProgramError
from hloscope.engine.frontend import load
from hloscope.engine.ops.core.process_groups import ALONE, Grid
from hloscope.engine.ops.core.values import leaves
from hloscope.engine.process_grid import Launch, results_on_grid
from hloscope.engine.sharded_runs.sharded_inputs import Boundary, needed_grid
from hloscope.engine.source import Source

from .client import Sharded
from .values import Array

RELATIVE = {"bf16": 4e-2, "f16": 1e-2}
"""How far results may be away, as a part of the largest, if a program has anything of the type; else a little."""
ELSE = 2e-5
DEVICES = Grid(1, 8)
Parts = Sequence[Sequence[Array]]
"""The inputs of each process."""


def differing(given: Sharded) -> str | None:
    """What differs, in any of the texts that are made of one program; `None` if nothing."""
    relative = next((found for name, found in RELATIVE.items() if f"{name}>" in given.mlir), ELSE)
    count = DEVICES.num_processes
    whole = given.results * count
    each = len(given.inputs)
    parts = [given.input_pieces[process * each :][:each] for process in range(count)]
    texts = (
        ("case.mlir", given.mlir, None, whole),
        ("case.hlo", given.hlo, None, whole),
        ("partitioned.hlo", given.partitioned, parts, given.pieces),
    )
    wrong = (
        _wrong(Source(text, name), given.inputs, cut, wanted, relative) for name, text, cut, wanted in texts
    )
    return next(filter(None, wrong), None)


def results_of_all(
    source: Source, inputs: Sequence[Array], parts: Parts | None = None
) -> list[tuple[Array, ...]]:
    """What each process has in the end; the check of collectives has no complaint.

    Of inputs that are given whole, or of the `parts` of each process.
    """
    loaded = load(source)
    program = loaded.program
    assert program is not None, "\n".join(found.format(source) for found in loaded.diagnostics)
    assert program.entry is not None
    alarms = check_collectives(program, program.entry, DEVICES)
    assert not alarms, "\n".join(found.format(source) for found in alarms)
    # Where no op is about processes HLO does not say how many there are, and any number will do.
    assert needed_grid(program, program.entry) in (DEVICES, ALONE)
    given = Boundary(program, program.entry, DEVICES).cut_all(inputs) if parts is None else parts
    return results_on_grid(program, Launch(DEVICES, tuple(map(tuple, given))))


def _wrong(
    source: Source, inputs: Sequence[Array], parts: Parts | None, wanted: Sequence[Array], relative: float
) -> str | None:
    """What differs from the results of all processes, one behind the other."""
    try:
        processes = results_of_all(source, inputs, parts)
    except (ProgramError, AssertionError) as error:
        return f"{source.name}: {error}\n{source.text}"
    found = [leaf for results in processes for value in results for leaf in leaves(value)]
    wrong = mismatch(found, wanted, relative)
    return f"{source.name}: {wrong}\n{source.text}" if wrong else None


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
