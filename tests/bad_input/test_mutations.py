"""Programs with tokens taken out, put in or exchanged: whatever becomes of them, we say it as diagnostics."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from app.examples import examples
from engine.debugger.recording import Recording
from engine.errors import InputError
from engine.frontend import load
from engine.inputs import default_input, make_input
from engine.limits import Limits
from engine.source import Source

TOKENS = re.compile(r"\s+|//[^\n]*|[%@#!^]?[\w.$-]+|->|\S")
LONGEST = 6000
TEXTS = [example.text for example in examples() if len(example.text) < LONGEST]
TEXTS += [path.read_text("utf-8") for path in sorted((Path(__file__).parent / "programs").glob("*.mlir"))]
SPLIT = [TOKENS.findall(text) for text in TEXTS]
INSERTED = (
    *(
        '"',
        "<",
        ">",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "=",
        "->",
        "%0",
        "#1",
        "@main",
        "^bb0",
        "x",
        "-1",
    ),
    *(
        "dense",
        "tensor<2xf32>",
        "tensor<?xf32>",
        "stablehlo.add",
        "return",
        "99999999999999999999",
        "0x",
        "1e999",
    ),
    *("loc(", "array<i64: 1>", "!quant.uniform<i8:f32, 0.1>", "\x00", "\ud800", "é", "//", "/*", "\n"),
)
SMALL = Limits(
    max_tensor_bytes=1 << 20, session_memory_bytes=1 << 24, recording_bytes=1 << 22, op_flops=10_000_000
)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A program after one to four changes."""
    tokens = list(draw(st.sampled_from(SPLIT)))
    for _ in range(draw(st.integers(1, 4))):
        first = draw(st.integers(0, len(tokens) - 1))
        second = draw(st.integers(0, len(tokens) - 1))
        match draw(st.sampled_from(("delete", "insert", "exchange", "repeat", "cut"))):
            case "delete":
                del tokens[first]
            case "insert":
                tokens.insert(first, draw(st.sampled_from(INSERTED)))
            case "exchange":
                tokens[first], tokens[second] = tokens[second], tokens[first]
            case "repeat":
                tokens.insert(first, tokens[second])
            case "cut":
                tokens = tokens[: max(1, first)]
        if not tokens:
            return ""
    return "".join(tokens)


@settings(max_examples=400)
@given(mutated())
def test_nothing_but_diagnostics(text: str) -> None:
    source = Source(text, "mutated.mlir")
    loaded = load(source, SMALL)
    assert (loaded.program is None) == bool(loaded.diagnostics)
    for found in loaded.diagnostics:
        assert 0 <= found.span.start <= found.span.end <= len(text)
        assert found.message
        assert found.located(source)
    if loaded.program is None or loaded.program.entry is None:
        return
    arguments = loaded.program.entry.function.arguments
    try:
        inputs = [
            make_input(default_input(), value.type, number, value.name, SMALL)
            for number, value in enumerate(arguments)
        ]
        recording = Recording(loaded.program, inputs, SMALL)
    except InputError:
        return
    with np.errstate(all="ignore"):
        assert recording.record(steps=300).kind in ("done", "failed", "recording")
