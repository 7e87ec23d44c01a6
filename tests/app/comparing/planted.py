"""The worker of a batch with an XLA whose pass `fusion` turns additions into subtractions."""

from __future__ import annotations

import socket
from pathlib import Path
from unittest.mock import patch

from hloscope.app.comparing import against
from hloscope.app.comparing.batch import worker
from hloscope.app.comparing.reducing import reduction
from hloscope.app.xla.engine import ALONE, Grid, Overrides
from tests.app.forked_children import forked
from tests.app.xla.planted import OtherProgram

PASS = "after_fusion."


class WrongFusionPass(OtherProgram):
    """XLA with the fault, in its results and in the texts that it dumps."""

    word, replacement = "stablehlo.add", "stablehlo.subtract"

    def dump(self, text: str, directory: Path, overrides: Overrides | None = None, grid: Grid = ALONE) -> str:
        optimised = super().dump(text, directory, overrides, grid)
        files = [file for file in sorted(directory.glob("*.txt")) if "before_optimizations" not in file.name]
        first = next((number for number, file in enumerate(files) if PASS in file.name), len(files))
        for file in files[first:]:
            file.write_text(file.read_text().replace(" add(", " subtract("))
        return optimised


def serve(connection: socket.socket) -> None:
    """Compare with that XLA."""
    with (
        forked(),
        patch.object(against, "XlaEngine", WrongFusionPass),
        patch.object(reduction, "XlaEngine", WrongFusionPass),
    ):
        worker.serve(connection)
