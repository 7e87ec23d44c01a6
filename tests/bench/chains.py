"""Chains: the maps from what an example's entry function gives to its arguments, and back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

from engine.chains import Chains, maps_of_function
from engine.frontend import load
from engine.source import Source

from .measure import seconds, table

EXAMPLES = Path(__file__).parent.parent.parent / "app" / "examples"
NAMES = ("softmax.mlir", "mlp.mlir", "mlp_train_step.mlir", "transformer_block.mlir", "recurrent_hlo.hlo")


def lines(repetitions: int) -> Iterator[str]:
    """What to print."""
    yield table(
        ["entry function", "ops", "maps", "of these enclosing", "to arguments", "to results"],
        [_row(EXAMPLES / name, repetitions) for name in NAMES],
    )


def _row(file: Path, repetitions: int) -> list[str]:
    program = load(Source(file.read_text("utf-8"), file.name)).program
    assert program is not None
    assert program.entry is not None
    name = program.blocks[program.entry.block].function
    taken: dict[bool, list[float]] = {False: [], True: []}
    for inverse in taken:
        for _ in range(repetitions):
            start = perf_counter()
            found = maps_of_function(program, name, inverse=inverse, chains=Chains(program))
            taken[inverse].append(perf_counter() - start)
    enclosing = sum(item.enclosing for item in found)
    times = [seconds(median(each)) for each in taken.values()]
    return [file.name, str(len(program.ops)), str(len(found)), str(enclosing), *times]
