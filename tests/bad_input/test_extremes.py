"""Generated programs: too deep, too long, empty, or wrong only when executed."""

from __future__ import annotations

from time import process_time

import numpy as np

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import Diagnostic
from hloscope.engine.frontend import load
from hloscope.engine.limits import Limits
from hloscope.engine.source import Source
from tests.each import for_each
from tests.programs import load_program

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


@for_each(
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
    return Recording(load_program(text, "run.mlir"), inputs, Limits())


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
