"""Programs with tokens deleted, inserted or exchanged: every error is a diagnostic."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.app.reference.examples import examples
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import InputError, LimitError
from hloscope.engine.frontend import load
from hloscope.engine.inputs import InputSpec, make_input
from hloscope.engine.limits import Limits
from hloscope.engine.source import Source
from hloscope.engine.syntax import looks_like_hlo, print_hlo

from ..conformance.hlo_programs import read_examples
from ..syntax.hlo.every_opcode import PROGRAMS

TOKENS = re.compile(r"\s+|//[^\n]*|[%@#!^]?[\w.$-]+|->|\S")
LONGEST = 6000
FOLDER = Path(__file__).parent / "programs"
TEXTS = [example.text for example in examples() if len(example.text) < LONGEST]
SPLIT = {
    kind: [
        TOKENS.findall(text)
        for text in (*texts, *(path.read_text("utf-8") for path in sorted(FOLDER.glob(kind))))
    ]
    for kind, texts in {
        "*.mlir": [text for text in TEXTS if not looks_like_hlo(text)],
        "*.hlo": [
            *(text for text in TEXTS if looks_like_hlo(text)),
            *(example.text for example in read_examples()),
            *PROGRAMS.values(),
        ],
    }.items()
}
BRACKETS = ('"', "<", ">", "(", ")", "{", "}", "[", "]", ",", ":", "=", "->")
NUMBERS = ("-1", "0", "99999999999999999999", "0x", "1e999")
CHARACTERS = ("\x00", "\ud800", "é", "//", "/*", "\n")
INSERTED = {
    "*.mlir": (
        *BRACKETS,
        *NUMBERS,
        *CHARACTERS,
        *(
            "%0",
            "#1",
            "@main",
            "^bb0",
            "x",
            "dense",
            "tensor<2xf32>",
            "tensor<?xf32>",
            "stablehlo.add",
            "return",
        ),
        *("loc(", "array<i64: 1>", "!quant.uniform<i8:f32, 0.1>"),
    ),
    "*.hlo": (
        *BRACKETS,
        *NUMBERS,
        *CHARACTERS,
        *(
            *("%", "x", "ROOT", "ENTRY", "HloModule", "f32[2]", "s32[]", "f32[<=4]", "f32[?]", "pred[]"),
            "token[]",
        ),
        *(
            *("(f32[2], s32[])", "()", "b(f32[2])", "{0,1}", "{1,0}", "{...}", "{{0}}", "nan", "inf"),
            *("true", "parameter"),
        ),
        *(
            *("(0)", "constant({1, 2})", "tuple", "add", "metadata=", "dimensions=", "to_apply="),
            *("window=", "channel_id="),
        ),
        *("replica_groups=", "[2,1]<=[2]", "size=2", "sharding=", "backend_config=", "index=", "0_1", "2x2"),
        *("direction=LT", "T(8,128)", "S(1)", "calls=", "'", "/*index=1*/"),
    ),
}
SMALL = Limits(
    max_tensor_bytes=1 << 20, session_memory_bytes=1 << 24, recording_bytes=1 << 22, op_flops=10_000_000
)


@st.composite
def mutated(draw: st.DrawFn, kind: str) -> str:
    """A program after one to four changes."""
    tokens = list(draw(st.sampled_from(SPLIT[kind])))
    for _ in range(draw(st.integers(1, 4))):
        first = draw(st.integers(0, len(tokens) - 1))
        second = draw(st.integers(0, len(tokens) - 1))
        match draw(st.sampled_from(("delete", "insert", "exchange", "repeat", "cut"))):
            case "delete":
                del tokens[first]
            case "insert":
                tokens.insert(first, draw(st.sampled_from(INSERTED[kind])))
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
@given(mutated("*.mlir"))
def test_nothing_but_diagnostics(text: str) -> None:
    check(text)


@settings(max_examples=400)
@given(mutated("*.hlo"))
def test_nothing_but_diagnostics_in_hlo(text: str) -> None:
    check(text)


def check(text: str) -> None:
    """Read, verify and start a program; every error must be a diagnostic."""
    source = Source(text, "mutated")
    loaded = load(source, SMALL)
    assert (loaded.program is None) == bool(loaded.diagnostics)
    for found in loaded.diagnostics:
        assert 0 <= found.span.start <= found.span.end <= len(text)
        assert found.message
        assert found.format(source)
    if loaded.program is None or loaded.program.entry is None:
        return
    if looks_like_hlo(text):
        assert print_hlo(loaded.program.module)
    arguments = loaded.program.entry.function.arguments
    try:
        inputs = [
            make_input(InputSpec(), value.type, number, value.name, SMALL)
            for number, value in enumerate(arguments)
        ]
        recording = Recording(loaded.program, inputs, SMALL)
    except (InputError, LimitError):
        return
    with np.errstate(all="ignore"):
        assert recording.record(steps=300).kind in ("done", "failed", "recording", "paused")
