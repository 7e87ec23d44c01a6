"""Chains: the maps from what an example's entry function gives to its arguments, and back."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from hloscope.engine.chains import maps_of_function
from hloscope.engine.frontend import load
from hloscope.engine.source import Source

from .measure import seconds, table, typical

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
    given = partial(maps_of_function, program, name)
    found = given(inverse=False)
    enclosing = sum(item.enclosing for item in found)
    # Anew each time: chains keep what they have composed.
    times = [seconds(typical(partial(given, inverse=inverse), repetitions)) for inverse in (False, True)]
    return [file.name, str(len(program.ops)), str(len(found)), str(enclosing), *times]
