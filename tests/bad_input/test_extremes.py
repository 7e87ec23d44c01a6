"""Generated programs: too deep, too long, empty, or wrong only when executed."""

from __future__ import annotations

from time import process_time

import numpy as np
import pytest

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import Diagnostic
from hloscope.engine.frontend import load
from hloscope.engine.limits import Limits
from hloscope.engine.source import Source

DEEP = 10_000
MOST_SECONDS = 20
"""Maximum time of the processor for a text; milliseconds are usual."""
IN_MAIN = "func.func @main() {{\n  {}\n  return\n}}\n"
VALUES = "func.func @main(%a: tensor<2xf32>) {{\n  {}\n  return\n}}\n"


def only_diagnostic(text: str) -> tuple[Diagnostic, int, int]:
    source = Source(text, "extreme.mlir")
    begin = process_time()
    loaded = load(source)
    assert process_time() - begin < MOST_SECONDS
    assert loaded.program is None
    first = loaded.diagnostics[0]
    assert first.format(source)
    return first, *source.line_and_column(first.span.start)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (IN_MAIN.format("%0 = stablehlo.constant dense<" + "[" * DEEP + "> : tensor<2xf32>"), 2, "nest"),
        (IN_MAIN.format('%0 = "a.b"() {x = ' + "[" * DEEP + "} : () -> ()"), 2, "nest"),
        (IN_MAIN.format('%0 = "a.b"() : () -> ' + "tuple<" * DEEP), 2, "nest"),
        (IN_MAIN.format('"a.b"() ({\n' * DEEP), None, "nest"),
        ("(" * DEEP, 1, ""),
        ("{" * DEEP, 1, ""),
        ("\x00\x01\xff\xfe\x7f" * 100, 1, ""),
        ("\ud800", 1, ""),
        (IN_MAIN.format("// \ud800\n  %0 = stablehlo.constant dense<1> : tensor<i32>"), 2, ""),
        (IN_MAIN.format(f"%0 = stablehlo.constant dense<{'9' * 100_000}> : tensor<i64>"), 2, "i64"),
        (IN_MAIN.format(f"%0 = stablehlo.iota dim = {'9' * 100_000} : tensor<3xi64>"), 2, ""),
        (IN_MAIN.format(f"%0 = stablehlo.iota dim = 0 : tensor<{'9' * 100_000}xi64>"), 2, ""),
        (VALUES.format("%0 = stablehlo.negate %" + "a" * 100_000 + " : tensor<2xf32>"), 2, "not defined"),
        (VALUES.format('%0 = "' + "x" * 100_000 + '"(%a) : (tensor<2xf32>) -> ()'), 2, ""),
    ],
    ids=lambda value: repr(value)[:40] if isinstance(value, str) else str(value),
)
def test_says_where(text: str, line: int | None, words: str) -> None:
    found, where, _ = only_diagnostic(text)
    assert line is None or where == line
    assert words in f"{found.message} {found.label}"
    assert len(found.message) < 1000


def record(text: str, *inputs: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> Recording:
    loaded = load(Source(text, "run.mlir"))
    assert loaded.program is not None, loaded.diagnostics
    return Recording(loaded.program, inputs, Limits())


def test_cost_model_refuses_a_product_that_takes_forever() -> None:
    size = "tensor<1000000x1000000xf32>"
    recording = record(
        f"func.func @main() -> {size} {{\n  %0 = stablehlo.constant dense<1.0> : {size}\n"
        f"  %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0] : ({size}, {size}) -> {size}\n"
        f"  return %1 : {size}\n}}\n"
    )
    state = recording.record()
    assert state.kind == "failed"
    assert state.diagnostic is not None
    assert state.diagnostic.kind == "limit"
    assert state.diagnostic.label in ("op_flops", "max_tensor_bytes")
    assert str(state.diagnostic.label) in state.diagnostic.message
    source = recording.program.module.source
    assert source.line_and_column(state.diagnostic.span.start)[0] == 3


ENDLESS = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.while(%x = %a) : tensor<2xf32>
  cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %y = stablehlo.negate %x : tensor<2xf32>
    stablehlo.return %y : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}
"""


def test_endless_loop_is_recorded_as_far_as_asked() -> None:
    recording = record(ENDLESS, np.ones(2, np.float32))
    assert recording.record(steps=1000).kind == "recording"
    assert recording.step_count == 1000
    recording.record(seconds=0.05)
    assert recording.step_count > 1000


def test_endless_loop_pauses_at_the_limit_of_steps() -> None:
    loaded = load(Source(ENDLESS))
    assert loaded.program is not None
    recording = Recording(loaded.program, [np.ones(2, np.float32)], Limits(run_step_limit=500))
    state = recording.record()
    assert (state.kind, recording.step_count) == ("paused", 500)
    assert "run_step_limit" in state.reason


def test_endless_recursion_names_its_limit() -> None:
    recording = record(
        "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %0 = call @main(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
        "  return %0 : tensor<2xf32>\n}\n",
        np.ones(2, np.float32),
    )
    state = recording.record()
    assert state.diagnostic is not None
    assert state.diagnostic.label == "call_depth_limit"
    assert "call_depth_limit" in state.diagnostic.message
    assert recording.program.module.source.line_and_column(state.diagnostic.span.start) == (2, 8)
