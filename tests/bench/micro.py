"""Small measurements of one thing each: reading text, stepping, memory."""

from __future__ import annotations

import numpy as np

from engine.debugger.recording import Recording
from engine.frontend import load
from engine.ops import op_table
from engine.source import Source
from engine.syntax import parse_module

from .measure import peak_mebibytes, seconds, typical

OPS = 20_000
STEPS = 200_000


def chain(count: int) -> str:
    """A function of `count` ops, one a line."""
    names = ("add", "multiply", "subtract", "maximum")
    lines = [f"  %{k + 1} = stablehlo.{names[k % 4]} %{k}, %0 : tensor<4x8xf32>" for k in range(count)]
    return (
        "func.func @main(%0: tensor<4x8xf32>) -> tensor<4x8xf32> {\n"
        + "\n".join(lines)
        + f"\n  return %{count} : tensor<4x8xf32>\n}}\n"
    )


COUNTER = """func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.while(%i = %zero) : tensor<i32>
  cond {
    %t = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  return %r : tensor<i32>
}
"""


def lines(repetitions: int) -> list[tuple[str, str]]:
    """What was measured, and how it came out."""
    return [*_reading(repetitions), *_running_a_chain(repetitions), *_looping(repetitions)]


def _reading(repetitions: int) -> list[tuple[str, str]]:
    source = Source(chain(OPS))
    parse = typical(lambda: parse_module(source, op_table()), repetitions)
    both = typical(lambda: load(source), repetitions)
    count = source.line_count
    return [
        (f"parse {OPS:,} ops", f"{seconds(parse)}, {count / parse:,.0f} lines/s"),
        (f"parse and verify {OPS:,} ops", f"{seconds(both)}, {count / both:,.0f} lines/s"),
    ]


def _running_a_chain(repetitions: int) -> list[tuple[str, str]]:
    program = load(Source(chain(OPS))).program
    assert program is not None
    inputs = [np.ones((4, 8), np.float32)]
    taken = typical(lambda: Recording(program, inputs).record(), repetitions)
    recording = Recording(program, inputs)
    recording.record()
    kept = recording.kept_bytes / (1 << 20)
    return [
        (
            "record them, every value kept",
            f"{seconds(taken)}, {OPS / taken:,.0f} steps/s, {kept:.1f} MiB kept",
        )
    ]


def _looping(repetitions: int) -> list[tuple[str, str]]:
    program = load(Source(COUNTER)).program
    assert program is not None
    inputs = [np.array(2**31 - 1, np.int32)]
    taken = typical(lambda: Recording(program, inputs).record(steps=STEPS), repetitions)
    recording = Recording(program, inputs)
    recording.record(steps=STEPS)
    kept = recording.kept_bytes / (1 << 20)
    return [
        (f"record {STEPS:,} steps of a scalar loop", f"{seconds(taken)}, {STEPS / taken:,.0f} steps/s"),
        (
            "memory of that recording's values",
            f"{kept:.1f} MiB, {recording.kept_bytes / STEPS:.0f} bytes a step",
        ),
        ("peak memory of the benchmark so far", f"{peak_mebibytes():.0f} MiB"),
    ]
