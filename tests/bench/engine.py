"""The engine alone: reading text, and stepping over scalars."""

from __future__ import annotations

from time import perf_counter

from engine.debugger.recording import Recording
from engine.frontend import load
from engine.source import Source
from tests.debugger import programs

OPS = 20_000
STEPS = 100_000


def lines_per_second() -> float:
    """Parsing and verifying a program of `OPS` lines."""
    text = _long_program()
    begin = perf_counter()
    assert load(Source(text)).program is not None
    return OPS / (perf_counter() - begin)


def steps_per_second() -> float:
    """Recording an endless loop over scalars: what an op costs besides its arithmetic."""
    recording = Recording(programs.program(programs.ENDLESS), [])
    begin = perf_counter()
    recording.record(steps=STEPS)
    return STEPS / (perf_counter() - begin)


def _long_program() -> str:
    lines = (f"  %{n + 1} = stablehlo.add %{n}, %{n} : tensor<8x16xf32>" for n in range(OPS))
    head = "func.func @main(%0: tensor<8x16xf32>) -> tensor<8x16xf32> {"
    return "\n".join((head, *lines, f"  return %{OPS} : tensor<8x16xf32>", "}"))
