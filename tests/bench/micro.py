"""Small measurements of one thing each: reading text, stepping, memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hloscope.app.reference.examples import examples
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.frontend import load
from hloscope.engine.inputs import Array
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.ops import op_table
from hloscope.engine.process_grid import results_of
from hloscope.engine.source import Source
from hloscope.engine.syntax import parse_module
from tests.oracle.client import Oracle
from tests.programs import load_program

from .measure import peak_mebibytes, seconds, table, typical

OPS = 20_000
CHAIN = 10_000
ITERATIONS = 100_000


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


def lines(oracle: Oracle, repetitions: int) -> Iterator[str]:
    """What to print."""
    found = [*_reading(repetitions), *_running_a_chain(repetitions), *_looping(oracle, repetitions)]
    yield table(["measurement", "result"], [list(line) for line in found])


def _reading(repetitions: int) -> Iterator[tuple[str, str]]:
    ordinary = [item.text for item in examples()]
    size = sum(map(len, ordinary))
    taken = typical(lambda: [load(Source(text)) for text in ordinary], repetitions)
    yield f"parse and verify the gallery, {size:,} characters", _rate(size, taken)
    source = Source(chain(OPS))
    taken = typical(lambda: parse_module(source, op_table()), repetitions)
    yield f"parse {OPS:,} ops, {len(source.text):,} characters", _rate(len(source.text), taken)
    taken = typical(lambda: load(source), repetitions)
    yield f"parse and verify {OPS:,} ops", _rate(len(source.text), taken)
    twice = Source(chain(2 * OPS))
    yield "twice as many take", f"{typical(lambda: load(twice), repetitions) / taken:.2f} times as long"
    blob = Source(hex_blob(4 << 20))
    taken = typical(lambda: load(blob), repetitions)
    yield f"parse and verify a hexadecimal blob, {len(blob.text):,} characters", _rate(len(blob.text), taken)


def _rate(size: int, taken: float) -> str:
    return f"{seconds(taken)}, {size / taken / 1e6:.2f} MB/s"


def hex_blob(count: int) -> str:
    """A program with one constant of `count` bytes."""
    return (
        f'func.func @main() -> tensor<{count}xui8> {{\n  %0 = stablehlo.constant dense<"0x{"5A" * count}"> : '
        f"tensor<{count}xui8>\n  return %0 : tensor<{count}xui8>\n}}\n"
    )


def _running_a_chain(repetitions: int) -> Iterator[tuple[str, str]]:
    program = load_program(chain(CHAIN))
    x = np.ones((4, 8), np.float32)
    by_hand = typical(lambda: chain_by_hand(x), repetitions) / CHAIN
    recorded = typical(lambda: Recording(program, [x]).record(), repetitions) / CHAIN
    unheard = typical(lambda: results_of(program, [x]), repetitions) / CHAIN
    yield f"NumPy's share of an op of {CHAIN:,}, 4 x 8 elements", seconds(by_hand)
    yield "overhead of an op, recorded", f"{seconds(recorded - by_hand)} (10 µs are allowed)"
    yield "overhead of an op, not recorded", f"{seconds(unheard - by_hand)} (5 µs are allowed)"


def chain_by_hand(x: Array) -> Array:
    """What the chain computes, by NumPy alone."""
    value = x
    for _ in range(CHAIN // 4):
        value = np.maximum(np.subtract(np.multiply(np.add(value, x), x), x), x)
    return value


def _looping(oracle: Oracle, repetitions: int) -> Iterator[tuple[str, str]]:
    program = load_program(COUNTER)
    inputs = [np.array(ITERATIONS, np.int32)]
    limits = replace(DEFAULT_LIMITS, run_step_limit=10 * ITERATIONS)
    reference = ITERATIONS / float(oracle.measure("interpret", COUNTER, inputs)[0]["seconds"])
    unheard = ITERATIONS / typical(lambda: results_of(program, inputs, limits), repetitions)
    recorded = ITERATIONS / typical(lambda: Recording(program, inputs, limits).record(), repetitions)
    yield (
        f"loop of scalars, {ITERATIONS:,} iterations, reference interpreter",
        f"{reference:,.0f} iterations/s",
    )
    yield "not recorded", f"{unheard:,.0f} iterations/s, {unheard / reference:.1f} times as many"
    yield (
        "every step recorded",
        f"{recorded:,.0f} iterations/s, the reference is {reference / recorded:.1f} times as fast",
    )
    recording = Recording(program, inputs, limits)
    recording.record()
    yield (
        "its values",
        f"{recording.kept_bytes / (1 << 20):.1f} MiB, {recording.kept_bytes / recording.step_count:.0f} bytes a step",
    )
    yield "peak memory so far", f"{peak_mebibytes():.0f} MiB"
