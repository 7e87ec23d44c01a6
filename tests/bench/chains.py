"""Chains: the maps from what an example's entry function gives to its arguments, and back; what the command takes."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from hloscope.engine.chains import maps_of_function
from tests.oracle.client import Oracle
from tests.programs import load_program

from .measure import seconds, table, typical

EXAMPLES = Path(__file__).parent.parent.parent / "app" / "reference" / "examples"
NAMES = ("softmax.mlir", "mlp.mlir", "mlp_train_step.mlir", "transformer_block.mlir", "recurrent_hlo.hlo")
COMPOSED = ("cnn_training", "resnet18", "lstm_training")
ALLOWED_COMPOSED, ALLOWED_SMALL = 2.0, 0.6
"""Seconds of CPU that `hloscope maps --compose` may take for these, and `hloscope maps` for a small file."""
SMALL = EXAMPLES / "softmax.mlir"


def lines(oracle: Oracle, repetitions: int) -> Iterator[str]:
    """What to print."""
    yield table(
        ["entry function", "ops", "maps", "of these enclosing", "to arguments", "to results"],
        [_row(EXAMPLES / name, repetitions) for name in NAMES],
    )
    yield ""
    rows = [_command(str(SMALL), ALLOWED_SMALL, [str(SMALL)])]
    with tempfile.TemporaryDirectory() as folder:
        for name in COMPOSED:
            file = Path(folder) / f"{name}.mlir"
            file.write_text(oracle.export(name)[0], "utf-8")
            rows.append(_command(f"--compose {name}", ALLOWED_COMPOSED, ["--compose", str(file)]))
    yield table(["hloscope maps", "CPU, all in all", "allowed", ""], rows)


def _command(what: str, allowed: float, arguments: Sequence[str]) -> list[str]:
    """The least CPU time of three runs of the command, behind one that compiles its modules."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    taken = []
    for _ in range(4):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "hloscope", "maps", *arguments],
            env=environment,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    least = min(taken[1:])
    return [Path(what).name, seconds(least), seconds(allowed), "" if least <= allowed else "NOT as required"]


def _row(file: Path, repetitions: int) -> list[str]:
    program = load_program(file.read_text("utf-8"), file.name)
    assert program.entry is not None
    name = program.blocks[program.entry.block].function
    given = partial(maps_of_function, program, name)
    found = given(inverse=False)
    enclosing = sum(item.enclosing for item in found)
    # Anew each time: chains keep what they have composed.
    times = [seconds(typical(partial(given, inverse=inverse), repetitions)) for inverse in (False, True)]
    return [file.name, str(len(program.ops)), str(len(found)), str(enclosing), *times]
