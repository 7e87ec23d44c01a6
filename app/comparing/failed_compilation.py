"""Name the pass in which a compilation of XLA fails."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hloscope.engine.passes.names import DumpName, parse_name

from ..xla.engine import ALONE, Grid, Overrides
from ..xla.failures import XlaCrashed, XlaFailed, XlaRefused
from .engines import SecondEngine

EVERY_PASS = ".+"
PIPELINE_END = "pipeline-end"


def find_failing_pass(
    engine: SecondEngine, program: str, overrides: Overrides, failure: XlaFailed, grid: Grid = ALONE
) -> str:
    """The pass in which the compilation fails; compiles again if XLA's message does not name it.

    Empty if no pass fails: XLA refuses the program before them, or crashes behind them.
    """
    if isinstance(failure, XlaRefused) and failure.failed_pass:
        return failure.failed_pass
    if not isinstance(failure, XlaRefused | XlaCrashed):
        return ""
    with tempfile.TemporaryDirectory(prefix="hloscope-xla-") as folder:
        try:
            engine.dump(program, Path(folder), {**overrides, "xla_dump_hlo_pass_re": EVERY_PASS}, grid)
        except XlaFailed:
            return failing_pass(Path(folder), failure)
    return ""


def failing_pass(folder: Path, failure: XlaFailed) -> str:
    """The pass that XLA's message names, or the next after the last text of a dump of every pass."""
    if isinstance(failure, XlaRefused) and failure.failed_pass:
        return failure.failed_pass
    names = [parse_name(path.name) for path in folder.iterdir()]
    if any(name.end.endswith("after_optimizations") for name in names):
        return ""
    texts = sorted((name for name in names if name.number is not None and name.upcoming), key=_number)
    if not texts:
        return ""
    last = texts[-1]
    # At the end of an inner pipeline, the pass that ran it fails: the one that the outer pipeline announced.
    outer = [name for name in texts if name.pipeline != last.pipeline]
    return outer[-1].upcoming if last.upcoming == PIPELINE_END and outer else last.upcoming


def _number(name: DumpName) -> int:
    assert name.number is not None
    return name.number
